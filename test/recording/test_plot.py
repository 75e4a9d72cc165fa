"""What a picture of a bag shows: every curve to be told apart, stance forces in full, constants not in the way."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from legged_contact_sim.recording import plot
from legged_contact_sim.recording.contents import Contents, Series


def series(labels, rows):
    return Series(list(labels), [0.01 * k for k in range(len(rows))], [list(row) for row in rows])


@pytest.fixture
def axis():
    return Figure().add_subplot()


@pytest.mark.parametrize("count", [3, 10, 16, 20, 45])
def test_no_two_curves_look_alike_and_the_legend_hides_none(axis, count):
    plot._curves(axis, series([f"joint_{k}" for k in range(count)], np.zeros((5, count))), "joints")
    looks = {(line.get_color(), line.get_linestyle()) for line in axis.lines}
    assert len(looks) == len(axis.lines) == count
    axis.figure.canvas.draw()
    assert axis.get_legend().get_window_extent().x0 >= axis.get_window_extent().x1


def test_energies_are_drawn_as_changes(axis):
    plot._curves(axis, series(["potential", "actuators"], [[400.0, 0.0], [401.0, 2.0]]), "energy", changes=True)
    assert [line.get_ydata().tolist() for line in axis.lines] == [[0.0, 1.0], [0.0, 2.0]]


def test_touchdowns_do_not_squash_the_stance(axis):
    force = np.full((1000, 3), 100.0)
    force[::200, 2] = 5000.0
    plot._forces(axis, {"foot": series("xyz", force)}, "vertical", vertical=True)
    assert 100.0 < axis.get_ylim()[1] < 200.0
    assert "5000 N" in axis.get_title()


def test_without_touchdowns_everything_is_shown(axis):
    force = np.linspace(0.0, 100.0, 300)[:, None] * [0.0, 0.0, 1.0]
    plot._forces(axis, {"foot": series("xyz", force)}, "vertical", vertical=True)
    assert axis.get_ylim()[1] >= 100.0 and "touchdown" not in axis.get_title()
    assert plot.peak_and_stance([]) == (0.0, 0.0)


def test_the_title_says_what_was_simulated(tmp_path):
    contents = Contents(facts={"robot": "biped_planar", "contact_model": "moreau", "friction": "0.6000000"})
    assert plot.title(tmp_path / "run", contents) == "run: biped_planar under moreau, friction 0.6"
    assert plot.title(tmp_path / "run", Contents()) == "run"
