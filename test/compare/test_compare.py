"""One scenario under many laws of contact: what is measured, what is concluded, and that it is the same twice."""

import json
import math

import numpy as np
import pytest

from legged_contact_sim import ParameterError, compare
from legged_contact_sim.app.cli import main
from legged_contact_sim.compare.measures import vertical
from legged_contact_sim.compare.running import Run, run_variant
from legged_contact_sim.compare.variants import Variant, chosen_models, variants
from legged_contact_sim.compare.verdicts import CLAIMS, judge_claim, judge_figure, verdicts
from legged_contact_sim.control.scenario import Scenario
from legged_contact_sim.simulation.trajectory import joined

UPRIGHT = CLAIMS[0]
BALL = (
    '<robot name="ball"><link name="ball"><inertial><mass value="2"/>'
    '<inertia ixx="0.008" iyy="0.008" izz="0.008" ixy="0" ixz="0" iyz="0"/></inertial>'
    '<collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>'
)
DROP = Scenario("drop", {"robot": BALL, "initial.lift": 0.2, "time_step": 1e-3, "friction": 0.5})


@pytest.fixture(scope="module")
def dropped():
    return compare(DROP, "exact_lcp,penalty", duration=1.5, jobs=1)


def run(model, fell, **variant):
    return Run(Variant(model, **variant), {"fell": fell, "speed": 1.0 if fell else 0.5})


def test_a_ball_at_rest_presses_with_its_weight_under_every_model(dropped):
    assert len(dropped.runs) == 10
    for found in dropped.runs:
        assert not found.error
        assert found.figures["mean_force"] == pytest.approx(1.0, rel=0.02)
        assert not found.figures["fell"]


def test_contact_takes_what_the_drop_has_given(dropped):
    hard = dropped.runs[0]
    assert hard.variant == Variant("exact_lcp")
    assert hard.figures["contact_work"] == pytest.approx(-2.0 * 9.81 * 0.2, rel=1e-6)
    assert hard.figures["energy_from_contact"] == pytest.approx(0.0, abs=1e-9)
    assert hard.figures["penetration"] < 1e-9 < dropped.runs[1].figures["penetration"]


def test_the_same_comparison_twice_gives_the_same_figures(dropped):
    again = run_variant(Variant("penalty"), DROP, 1.5).figures
    first = next(found for found in dropped.runs if found.variant == Variant("penalty")).figures
    for name in set(first) - {"cpu", "time_per_step"}:
        assert again[name] == first[name], name


def test_what_holds_everywhere_is_said_to_hold():
    verdict = judge_claim(UPRIGHT, [run("a", False), run("b", False), run("a", False, step=2.0)], 1.0)
    assert verdict.holds is True and verdict.sentence.endswith("holds under every model and time step that was tried.")
    verdict = judge_claim(UPRIGHT, [run("a", True), run("b", True)], 1.0)
    assert verdict.holds is False and verdict.sentence.endswith("holds in none of the runs.")


def test_what_depends_is_told_with_its_reason():
    runs = [run("a", False), run("b", True), run("a", True, step=2.0), run("a", False, friction=0.75)]
    verdict = judge_claim(UPRIGHT, runs, 1.0)
    assert verdict.holds is None
    assert "law of contact (yes: a; no: b)" in verdict.sentence
    assert "time step (otherwise with a, step x 2)" in verdict.sentence
    assert "friction" not in verdict.sentence


def test_a_run_that_ends_in_an_error_keeps_no_claim():
    broken = Run(Variant("b"), {"fell": True}, error="the state is no longer finite")
    assert judge_claim(UPRIGHT, [run("a", False), broken], 1.0).holds is None


def test_a_run_that_takes_too_long_is_cut_and_told(dropped):
    short = run_variant(Variant("exact_lcp"), DROP, 1.5, limit=1e-9)
    assert short.cut and 0.0 < short.figures["simulated"] < 0.1
    whole = dropped.runs[0]
    assert not whole.cut and whole.figures["simulated"] == pytest.approx(1.5)
    np.testing.assert_array_equal(short.series["q"], whole.series["q"][: len(short.series["q"])])
    sentences = [verdict.sentence for verdict in verdicts([short, whole], 1.5)]
    assert "1 run under exact_lcp took too long and reached 0.002 s of 1.5 s" in sentences[-1]


def test_a_run_that_was_cut_may_break_a_claim_but_not_keep_it():
    whole = run("a", False)
    for fell, known in ((False, True), (True, None)):
        early = Run(Variant("b"), {"fell": fell}, cut=True)
        assert judge_claim(UPRIGHT, [whole, early], 1.0).holds is known


def test_parts_of_a_run_are_joined_to_what_the_whole_run_is():
    def start():
        return Scenario("drop", {**DROP.values, "initial.lift": 0.02}).start()[0]

    sim = start()
    parts = joined([sim.run(0.05, None, 2), sim.run(0.15, None, 2)])
    whole = start().run(0.2, None, 2)
    for name in ("time", "q", "v", "works", "forces", "gaps", "modes"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name), err_msg=name)


def test_figures_far_apart_depend_on_the_law():
    verdict = judge_figure("speed", "speed", "m/s", [run("a", False), run("b", True)])
    assert verdict.holds is None and "0.5 to 1 m/s" in verdict.sentence


def test_the_report_has_verdicts_figures_and_data(dropped, tmp_path):
    dropped.write(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"report.html", "report.md", "summary.json", "runs.npz"} | {
        f"{k}.png" for k in ("distance", "forces", "figures")
    }
    found = json.loads((tmp_path / "summary.json").read_text())
    assert len(found["runs"]) == 10 and found["verdicts"]
    for verdict in dropped.verdicts:
        assert verdict.sentence in (tmp_path / "report.md").read_text()


def test_variants_name_models_steps_friction_and_seeds():
    labels = [variant.label for variant in variants(["exact_lcp"], seeds=2)]
    assert labels == [
        "exact_lcp",
        "exact_lcp, step x 0.5",
        "exact_lcp, step x 2",
        "exact_lcp, friction x 0.75",
        "exact_lcp, friction x 1.5",
        "exact_lcp, seed 1",
    ]


def test_an_unknown_model_is_named():
    with pytest.raises(ParameterError, match="glue"):
        chosen_models("exact_lcp,glue")


def test_the_command_line_refuses_a_scenario_that_is_not_there(capsys):
    with pytest.raises(SystemExit) as end:
        main(["compare", "moonwalk"])
    assert end.value.code == 1 and "moonwalk" in capsys.readouterr().err


@pytest.mark.parametrize("angle", [0.0, 0.4, 3.0])
def test_the_vertical_turns_with_the_body(angle):
    about_x = np.array([math.sin(angle / 2), 0.0, 0.0, math.cos(angle / 2)])
    assert vertical(about_x) @ vertical(np.array([0.0, 0.0, 0.0, 1.0])) == pytest.approx(math.cos(angle))
