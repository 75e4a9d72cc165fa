"""Recorded runs: what was saved comes back, frames are those of the run, and the slider goes where it is told."""

import dataclasses
import time
from types import SimpleNamespace

import numpy as np
import pytest

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.compare import Comparison, Run, Variant
from legged_contact_sim.control.scenario import Scenario
from legged_contact_sim.dynamics import forward_kinematics
from legged_contact_sim.errors import ParameterError
from legged_contact_sim.simulation import Trajectory
from legged_contact_sim.simulation.trajectory_file import SavedRuns, load_runs, save_runs, thinned
from legged_contact_sim.terrain import HeightField, Plane, Slope
from legged_contact_sim.viewer.observed import Observed
from legged_contact_sim.viewer.recordings import find_recordings, is_recording, recordings_of
from legged_contact_sim.viewer.replay import Replay

ROBOT = RobotModel.from_urdf("quadruped12")
WEIGHT = ROBOT.total_mass * 9.81


@pytest.fixture(scope="module")
def run():
    sim = Simulator(ROBOT, "exact_lcp", time_step=5e-4)
    sim.hold(150.0, 4.0)
    return sim.run(0.3, sample_every=4)


def shifted(run, x):
    return dataclasses.replace(run, q=run.q + x * np.eye(ROBOT.nq)[0])


def test_a_saved_trajectory_comes_back_bit_by_bit(run, tmp_path):
    run.save(tmp_path / "stand.npz")
    back = Trajectory.load(tmp_path / "stand.npz")
    for name in ("time", "q", "v", "effort", "works", "solver", "touches"):
        np.testing.assert_array_equal(getattr(back, name), getattr(run, name))
    assert (back.robot.contact_names, back.robot.feet) == (ROBOT.contact_names, ROBOT.feet)
    np.testing.assert_array_equal(back.remainder, run.remainder)
    np.testing.assert_array_equal(back.gaps, run.gaps)


@pytest.mark.parametrize("ground", [Plane(0.2), Slope(0.1, 0.4), HeightField(np.arange(6.0).reshape(2, 3), 0.5)])
def test_the_ground_is_saved_with_it(run, tmp_path, ground):
    save_runs(tmp_path / "a.npz", SavedRuns({"one": dataclasses.replace(run, terrain=ground)}))
    (back,) = load_runs(tmp_path / "a.npz").runs.values()
    points = np.random.default_rng(2).normal(size=(20, 3))
    np.testing.assert_array_equal(back.terrain.gap(points), ground.gap(points))


def test_what_is_no_trajectory_is_one_clear_error(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 nothing")
    np.savez(tmp_path / "b.npz", q=np.zeros(3))
    np.savez(tmp_path / "c.npz", about=np.array({"an": "object"}, dtype=object))
    for name in "abc":
        with pytest.raises(ParameterError, match=f"{name}.npz: expected trajectories"):
            Trajectory.load(tmp_path / f"{name}.npz")


def test_thinning_keeps_the_first_and_every_nth(run):
    few = thinned(run, 10)
    np.testing.assert_array_equal(few.q, run.q[::10])
    np.testing.assert_array_equal(few.forces, run.forces[::10])


def test_a_replay_shows_the_run_and_its_ghost_at_one_time(run):
    replay = Replay(recordings_of(SavedRuns({"exact_lcp": run, "moved": shifted(run, 0.5)})), "moved")
    replay.seek(0.25)
    k = int(np.searchsorted(run.time, replay.frame.time))
    assert 0.25 - replay.frame.time < 0.0101
    assert replay.frame.time == run.time[k]
    np.testing.assert_array_equal(replay.frame.positions, forward_kinematics(ROBOT, run.q[k])[1])
    np.testing.assert_array_equal(replay.frame.contact_forces, run.forces[k])
    np.testing.assert_allclose(replay.ghost_frame.positions - replay.frame.positions, [[0.5, 0.0, 0.0]] * 13)
    assert replay.frame.energy.remainder == pytest.approx(run.remainder[k], abs=1e-12)
    replay.seek(9.0)
    assert replay.time == replay.end_time == pytest.approx(0.3, abs=0.011)
    with pytest.raises(ParameterError, match="no such run; there are exact_lcp, moved"):
        replay.choose("penalty")


def test_time_runs_to_the_end_and_stays_there(run):
    replay = Replay(recordings_of(SavedRuns({"a": run})))
    replay.speed = 10.0
    replay.start()
    end = time.monotonic() + 1200.0
    while not replay.paused:
        assert time.monotonic() < end
        time.sleep(0.01)
    replay.end()
    assert replay.frame.time == replay.playing.end


def test_a_comparison_is_replayed_from_its_folder(run, tmp_path):
    scenario = Scenario.load("quadruped_stand", robot="quadruped12")
    series = {"time": run.time, "q": run.q, "forces": {}}
    runs = [Run(Variant(model), {}, series, replay=run) for model in ("exact_lcp", "moreau")]
    Comparison(scenario, 0.3, [*runs, Run(Variant("moreau", step=0.5), {}, series)], []).write(tmp_path / "compare")
    assert is_recording(str(tmp_path / "compare"))
    found = find_recordings(str(tmp_path / "compare"))
    assert list(found) == ["exact_lcp", "moreau"]
    assert found["moreau"].stage.folder is not None
    assert not is_recording(str(tmp_path))
    assert not is_recording("quadruped_trot")


def stamped(time, **fields):
    stamp = SimpleNamespace(sec=int(time), nanosec=round(1e9 * (time % 1.0)))
    return SimpleNamespace(header=SimpleNamespace(stamp=stamp, frame_id=fields.pop("frame", "")), **fields)


def vector(x, y, z, **more):
    return SimpleNamespace(x=x, y=y, z=z, **more)


def moved(parent, child, translation):
    place = SimpleNamespace(translation=vector(*translation), rotation=vector(0.0, 0.0, 0.0, w=1.0))
    return SimpleNamespace(header=SimpleNamespace(frame_id=parent), child_frame_id=child, transform=place)


def test_topics_of_any_simulator_make_a_frame():
    """Poses follow from joint states and the base's transform, forces from wrenches at their frames."""
    observed = Observed(Plane(), friction=0.5)
    assert not observed.take("/joint_states", stamped(0.0, name=["x"], position=[1.0]))
    observed.take("/robot_description", SimpleNamespace(data=ROBOT.urdf))
    base = moved("world", ROBOT.link_names[0], (1.0, 2.0, 0.4))
    observed.take("/tf", SimpleNamespace(transforms=[base, moved("world", "foot_contact", (0.3, 0.2, 0.0))]))
    names, angles = list(reversed(ROBOT.joint_names)), np.linspace(-0.3, 0.3, 12)
    for force, mode in (((0.0, 0.0, 50.0), 1), ((0.0, 30.0, 50.0), 2), ((0.0, 0.0, 0.0), 0)):
        wrench = SimpleNamespace(force=vector(*force))
        observed.take("/contacts/foot/wrench", stamped(1.5, frame="foot_contact", wrench=wrench))
        assert observed.take("/joint_states", stamped(1.5, name=names, position=angles))
        frame = observed.frame()
        assert frame.contact_modes.tolist() == [mode]
        np.testing.assert_array_equal(frame.contact_forces, [force])
    q = np.array([1.0, 2.0, 0.4, 0.0, 0.0, 0.0, 1.0, *angles[::-1]])
    np.testing.assert_allclose(frame.positions, forward_kinematics(ROBOT, q)[1])
    np.testing.assert_array_equal(frame.contact_positions, [[0.3, 0.2, 0.0]])
    assert frame.time == 1.5
    assert observed.stage.contact_names == ("foot",)


def test_a_broken_description_is_one_clear_error():
    with pytest.raises(ParameterError, match="robot_description"):
        Observed(Plane()).take("/robot_description", SimpleNamespace(data="<robot"))


def test_a_slider_that_somebody_moves_goes_before_the_time_that_passes(run):
    """A browser's word may come between two pictures; it used to be overwritten before it was heard."""
    pytest.importorskip("viser")
    from legged_contact_sim.viewer.replay_panel import ReplayPanel
    from legged_contact_sim.viewer.view import View

    replay = Replay(recordings_of(SavedRuns({"one": run})))
    with View(replay, port=0, panel=ReplayPanel) as view:
        replay.paused = True
        replay.seek(0.1)
        view.panel.take()
        assert view.panel.time.value == pytest.approx(0.1)
        view.panel.time._impl.value = 0.25  # what viser does with a browser's message
        view.panel.take()
        assert (replay.time, view.panel.time.value, replay.paused) == (0.25, 0.25, True)
        replay.paused = False
        view.panel.time._impl.value = 0.05
        view.panel.take()
        assert replay.paused and replay.time == pytest.approx(0.05)
