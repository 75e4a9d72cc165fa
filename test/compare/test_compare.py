"""One scenario under many laws of contact: what is measured, what is concluded, and that it is the same twice."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from legged_contact_sim import ParameterError, compare
from legged_contact_sim.app.cli import main
from legged_contact_sim.app.compare import terrain_of
from legged_contact_sim.compare.forces import NormalForces
from legged_contact_sim.compare.measures import vertical
from legged_contact_sim.compare.running import Run, run_variant
from legged_contact_sim.compare.variants import Variant, chosen_models, variants
from legged_contact_sim.compare.verdicts import CLAIMS, counted, judge_claim, judge_figure, verdicts
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


def test_forces_of_all_steps_count_not_those_of_samples(dropped):
    """A ball whose landing is one step: the impulse over the step is its momentum, whatever is sampled."""
    for found in dropped.runs[:4]:
        if found.variant.model == "exact_lcp":
            step = 1e-3 * found.variant.step
            wanted = math.sqrt(2.0 * 9.81 * 0.2) / (9.81 * step)
            assert found.figures["largest_force"] == pytest.approx(wanted, rel=0.03)
    assert sum(dropped.runs[0].figures["foot_forces"].values()) == pytest.approx(2.0 * 9.81, rel=1e-6)


def test_mean_forces_of_a_landing_balance_the_momentum():
    """The mean over a time in which the ball lands is its weight and its lost momentum."""
    forces, sim = NormalForces(), DROP.simulator()
    for part in (sim.run(0.1), sim.run(0.2)):
        forces.add(part)
    speed = 9.81 * 0.1  # after the first part; it lands in the second
    assert forces.mean(0.1)[0] == pytest.approx(2.0 * (9.81 + speed / 0.2), rel=1e-9)


@pytest.mark.parametrize(
    ("options", "culprit"),
    [({"duration": math.inf}, "duration"), ({"jobs": -1}, "jobs"), ({"seeds": 0}, "seeds"), ({"limit": 0.0}, "limit"),
     ({"time_step": 0.0}, "time_step"), ({"friction": -1.0}, "friction"), ({"terrain": "hole"}, "hole"),
     ({"terrain": {"kind": "slope", "agle": 1.0}}, "agle"), ({"frction": 0.3}, "frction.*friction"),
     ({"layout": "quadruped12"}, "layout"), ({"velocity": [1.0, 0.0, 0.0]}, "velocity"),
     ({"models": ""}, "models")],
)  # fmt: skip
def test_what_cannot_begin_is_refused_before_anything_runs(options, culprit):
    with pytest.raises(ParameterError, match=culprit):
        compare(DROP, **{"models": "exact_lcp", "duration": 0.01, "jobs": 1, **options})


def test_a_terrain_as_it_is_written():
    assert terrain_of("steps,count=3,rise=1e-1") == {"kind": "steps", "count": 3, "rise": 0.1}
    assert terrain_of("height_field,path=a.png,height_range=[0, 1]")["height_range"] == [0, 1]


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


def test_a_model_that_cannot_begin_breaks_no_claim_and_is_told():
    """Ground that moves is nothing for event-driven models; that is no fall."""
    moving = DROP.changed({"terrain": "treadmill"})
    found = compare(moving, "exact_lcp,hybrid", duration=0.3, robustness=False, jobs=1)
    assert found.verdicts[0].words == UPRIGHT.words and found.verdicts[0].holds is True
    assert found.runs[1].error and not found.runs[1].figures
    assert "hybrid cannot begin: contact_model: hybrid cannot move the ground" in found.verdicts[-1].sentence
    assert not any("commanded speed" in verdict.words for verdict in found.verdicts)


def test_a_run_that_takes_too_long_is_cut_and_told(dropped):
    short = run_variant(Variant("exact_lcp"), DROP, 1.5, limit=1e-9)
    assert short.cut and 0.0 < short.figures["simulated"] < 0.1
    whole = dropped.runs[0]
    assert not whole.cut and whole.figures["simulated"] == pytest.approx(1.5)
    np.testing.assert_array_equal(short.series["q"], whole.series["q"][: len(short.series["q"])])
    sentences = [verdict.sentence for verdict in verdicts([short, whole], 1.5)]
    assert "1 run under exact_lcp took too long and reached 0.002 s of 1.5 s" in sentences[-1]


def test_other_runs_of_a_model_that_is_too_slow_are_not_begun():
    found = compare(DROP, "exact_lcp", duration=1.5, jobs=1, limit=1e-9)
    assert [bool(run.figures) for run in found.runs] == [True, False, False, False, False]
    assert all(run.cut for run in found.runs)
    assert "reached 0.002 s of 1.5 s, 4 more were not begun" in found.verdicts[-1].sentence


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
    verdict = judge_figure("speed", "speed", "m/s", 1e-3, [run("a", False), run("b", True)])
    assert verdict.holds is None and "0.5 to 1 m/s" in verdict.sentence


def test_a_figure_that_follows_the_time_step_is_said_to_depend_on_it():
    runs = [run("a", False), run("b", False), run("a", True, step=0.5), run("b", False, step=0.5)]
    verdict = judge_figure("speed", "speed", "m/s", 1e-3, [*runs, run("a", False, friction=1.5)])
    assert verdict.holds is None
    assert verdict.sentence == (
        "The models agree on the speed, 0.5 m/s, but it depends on the time step (0.5 m/s, 1 with a, step x 0.5)."
    )
    runs[-1] = run("b", True, step=0.5)
    assert judge_figure("speed", "speed", "m/s", 1e-3, runs).sentence.endswith("1 with a, step x 0.5; also under b).")
    agreed = judge_figure("speed", "speed", "m/s", 1e-3, runs[:2])
    assert agreed.holds is True and agreed.sentence == "The models agree on the speed: 0.5 m/s."


def test_figures_that_are_zero_but_for_rounding_depend_on_nothing():
    runs = [Run(Variant(model), {"speed": speed}) for model, speed in (("a", 4e-17), ("b", -3e-16), ("c", 2e-4))]
    assert judge_figure("speed", "speed", "m/s", 1e-3, runs[:2]).sentence.endswith("speed: 0 m/s.")
    assert judge_figure("speed", "speed", "m/s", 1e-3, runs).sentence.endswith("speed: 0 to 0.0002 m/s.")


def test_what_does_not_hold_is_counted():
    judged = verdicts([run("a", True), run("b", True)], 1.0)
    assert counted(judged) == (
        "Of 2 conclusions 1 hold whatever the law of contact is, 0 depend on something, 1 does not hold."
    )


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
    page = (tmp_path / "report.html").read_text()
    assert "Robot ball, controller none, ground plane, friction 0.5, time step 1 ms, 1.5 s" in page
    assert 'class="good">holds' in page and "<th>ball</th>" in page


def test_the_report_says_that_the_default_gains_of_penalty_are_for_another_robot(dropped):
    words = "made for a robot of 97 kg; this one has 2 kg"
    assert words in dropped.about
    assert "runs at half and double the time step, and on 0.75 and 1.5 times the friction." in dropped.about
    stiff = Scenario("drop", {**DROP.values, "contact.penalty.normal_stiffness": 2e3})
    assert "97 kg" not in replace(dropped, scenario=stiff).about
    assert "97 kg" not in replace(dropped, runs=dropped.runs[:1]).about


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


def test_a_folder_that_cannot_be_is_told_in_a_line(capsys):
    with pytest.raises(SystemExit) as end:
        main(["compare", "quadruped_drop", "--out", "/proc/compare"])
    assert end.value.code == 1 and capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("angle", [0.0, 0.4, 3.0])
def test_the_vertical_turns_with_the_body(angle):
    about_x = np.array([math.sin(angle / 2), 0.0, 0.0, math.cos(angle / 2)])
    assert vertical(about_x) @ vertical(np.array([0.0, 0.0, 0.0, 1.0])) == pytest.approx(math.cos(angle))
