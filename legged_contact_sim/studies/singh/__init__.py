"""The planar jumping leg of Singh (2018): impulse-domain impacts, constraint embedding, operational space control."""

from functools import partial
from typing import Any

import numpy as np

from ...control.operational_space_jump import JACOBIANS
from ..frame import Criterion, Experiment, Picture, Result, Study, at_least, at_most, true
from . import fall, jump, plots, set_point


def run_fall(quick: bool) -> Result:
    """Let the leg fall from the study's start."""
    run = fall.fall(0.1 if quick else 0.25)
    numbers = fall.summary(run)
    events = numbers.pop("events")
    impacts = {name: np.array([event[name] for event in events]) for name in ("time", "energy_before", "energy_after")}
    return Result(numbers, {"series": fall.columns(run), "events": impacts})


def run_jump(jacobian: str, quick: bool) -> Result:
    """Let the leg jump with one kind of task Jacobian."""
    found = jump.jump(jacobian, 3.6 if quick else 4.4)
    numbers = jump.summary(found)
    phases = dict(numbers.pop("phases"))
    numbers |= {"phases": list(phases), "phase_times": list(phases.values())}
    numbers["heel_before_toe"] = bool(numbers["heel_leaves"] < numbers["toe_leaves"])
    numbers["within_bounds"] = bool(numbers["largest_effort"] <= numbers["effort_bound"] + 1e-9)
    numbers["variant"] = f"task Jacobian: {jacobian}"
    return Result(numbers, {"series": jump.columns(found), **pictures_of(found, numbers)})


def pictures_of(found: jump.Jump, numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the poses of figures 5-5 and 5-6: the foot about its lift-off, the leg over the whole run."""
    begin, end = numbers["heel_leaves"] - 0.01, numbers["toe_leaves"] + 0.03
    foot = jump.captures(found.run, np.linspace(begin, end, 7))
    return {"foot": foot, "leg": jump.captures(found.run, np.linspace(0.0, found.run.time[-1], 10))}


def run_set_point(quick: bool) -> Result:
    """Let the leg jump under the document's own control."""
    found = set_point.set_point_jump(0.5)
    numbers = set_point.summary(found) | {"variant": "document's control"}
    return Result(numbers, {"series": jump.columns(found), **pictures_of(found, numbers)})


NO_GAIN = Criterion("largest energy gain of an impact", "largest_energy_gain_of_an_event", "none", at_most(1e-9), "J")
CUT = "impacts are impulses over a step of 1 ms, and are cut off at the top"
FALL = Experiment(
    name="fall",
    title="Fall onto both ends of the foot",
    document="section 5.2, figure 5-2",
    run=run_fall,
    criteria=(
        Criterion("energy drift in flight", "flight_energy_drift", "constant", at_most(1e-6), "of the energy"),
        Criterion("largest energy gain of an event", "largest_energy_gain_of_an_event", "none", at_most(1e-9), "J"),
        Criterion("largest gap of a bearing foot", "largest_gap_of_a_bearing_foot", "closed", at_most(1e-8), "m"),
    ),
    pictures=(
        Picture(
            "Fig. 5-2",
            "fall_energy",
            "energy over time; the loss of the landing on an axis of its own",
            plots.fall_energy,
        ),
        Picture(
            "beside Fig. 5-2", "fall_reactions", f"gaps and reactions of toe E and heel F; {CUT}", plots.fall_reactions
        ),
    ),
)


SET_POINT = Experiment(
    name="set_point",
    title="Jump under the document's own control",
    document="sections 4.1 and 5.3, figures 5-3 to 5-6",
    run=run_set_point,
    criteria=(
        Criterion("fall, whole foot, toe, off", "heel_before_toe", "heel first, then the toe", true()),
        Criterion("clearance of the foot", "foot_clearance", "leaves the ground", at_least(0.1), "m"),
        Criterion("torque after lift-off", "effort_after_lift_off", "switched off", at_most(0.0), "N m"),
        Criterion("energy minus motor work and friction, drift", "energy_drift", "constant", at_most(1e-6), "of it",
                  "the toe slips for 4 ms before it leaves, and loses 0.1 J; the document has none"),
        NO_GAIN,
    ),
    pictures=(
        Picture("Fig. 5-3", "figure_5_3", "torques up to the lift; below, those before the last peak", plots.torques),
        Picture("Fig. 5-4", "figure_5_4", "motor work, total energy without it, kinetic energy", plots.work_and_energy),
        Picture("Fig. 5-5", "figure_5_5", "the foot leaves the ground: heel first", plots.foot_capture),
        Picture("Fig. 5-6", "figure_5_6", "the whole leg", plots.whole_capture),
    ),
    remarks=(
        "A fixed goal of the centre of mass, k_v = sqrt(k_p), one k_p for two points of contact and one for one, "
        "motors without bounds, off after lift-off. The goal and both gains are not printed: here 0.6 m above the "
        "landing pose, 40 and 80 1/s^2. The leg's three motors serve a task of two rows, the smallest effort is taken.",
        "The document's gear matrix is not printed: here the motors act on the joints directly.",
        "A contact ends where complementarity says so; the document tests accelerations (2.1, 3.12).",
    ),
)  # fmt: skip


PADDED = (
    "The row that pads the Jacobian is the hip's rate: nothing holds the body, which turns by 0.42 rad in landing.",
)


def landing(jacobian: str) -> tuple[Criterion, ...]:
    """Return what is asked of the landing: the body keeps its orientation, where the task has it."""
    if jacobian == "padded":
        return ()
    return (Criterion("turn of the body in landing", "body_turn_in_landing", "future work", at_most(0.1), "rad"),)


def jump_experiment(jacobian: str) -> Experiment:
    """Return the jump with one kind of task Jacobian."""
    return Experiment(
        name=f"jump_{jacobian}",
        title=f"Jump with crouch, thrust and landing, task Jacobian: {jacobian}",
        document="section 5.3, figures 5-4 to 5-6",
        run=partial(run_jump, jacobian),
        criteria=(
            Criterion("heel leaves before toe", "heel_before_toe", "yes", true()),
            Criterion("clearance of the foot", "foot_clearance", "leaves the ground", at_least(0.1), "m"),
            Criterion(
                "energy minus motor work, drift",
                "energy_minus_motor_work_drift",
                "constant",
                at_most(1e-6),
                "of the energy",
            ),
            NO_GAIN,
            Criterion("torques within their bounds", "within_bounds", "future work", true()),
            *landing(jacobian),
        ),
        pictures=(
            Picture(
                "Figs. 5-3 and 5-4",
                f"jump_{jacobian}",
                f"energy, torques, gaps and reactions over time; task Jacobian: {jacobian}; {CUT}",
                plots.jump_overview,
            ),
            Picture("Fig. 5-5", f"jump_{jacobian}_foot", "the foot leaves the ground", plots.foot_capture),
            Picture("Fig. 5-6", f"jump_{jacobian}_leg", "the whole leg", plots.whole_capture),
        ),
        remarks=PADDED if jacobian == "padded" else (),
    )


STUDY = Study(
    key="singh",
    title="Planar jumping leg with constraint embedding (Singh)",
    document="G. Singh: Dynamics and Control of Jumping Legged Robot, MSc thesis, 2018",
    experiments=(FALL, SET_POINT, *map(jump_experiment, JACOBIANS)),
)
