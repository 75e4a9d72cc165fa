"""The planar jumping leg of Singh (2018): impulse-domain impacts, constraint embedding, operational space control."""

from functools import partial

import numpy as np

from ...control.operational_space_jump import JACOBIANS
from ..frame import Criterion, Experiment, Picture, Result, Study, at_least, at_most, true
from . import fall, jump, plots


def run_fall(quick: bool) -> Result:
    """Let the leg fall from the study's start."""
    run = fall.fall(0.1 if quick else 0.25)
    numbers = fall.summary(run)
    events = numbers.pop("events")
    impacts = {name: np.array([event[name] for event in events]) for name in ("time", "energy_before", "energy_after")}
    return Result(numbers, {"series": fall.columns(run), "events": impacts})


def run_jump(jacobian: str, quick: bool) -> Result:
    """Let the leg jump with one kind of task Jacobian."""
    found = jump.jump(jacobian, 3.0 if quick else 4.4)
    numbers = jump.summary(found)
    phases = dict(numbers.pop("phases"))
    numbers |= {"phases": list(phases), "phase_times": list(phases.values())}
    numbers["heel_before_toe"] = bool(numbers["heel_leaves"] < numbers["toe_leaves"])
    numbers["within_bounds"] = bool(numbers["largest_effort"] <= numbers["effort_bound"] + 1e-9)
    return Result(numbers, {"series": jump.columns(found)})


FALL = Experiment(
    name="fall",
    title="Fall onto both ends of the foot",
    document="section 5.2, figures 5-2 and 5-3",
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
        Picture("Fig. 5-3", "fall_reactions", "gaps and reactions of toe E and heel F", plots.fall_reactions),
    ),
)


def jump_experiment(jacobian: str) -> Experiment:
    """Return the jump with one kind of task Jacobian."""
    return Experiment(
        name=f"jump_{jacobian}",
        title=f"Jump, task Jacobian: {jacobian}",
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
            Criterion("torques within their bounds", "within_bounds", "future work", true()),
        ),
        pictures=(
            Picture(
                "Figs. 5-4 to 5-6",
                f"jump_{jacobian}",
                f"energy, torques, gaps and reactions over time; task Jacobian: {jacobian}",
                plots.jump_overview,
            ),
        ),
    )


STUDY = Study(
    key="singh",
    title="Planar jumping leg with constraint embedding (Singh)",
    document="G. Singh: Dynamics and Control of Jumping Legged Robot, MSc thesis, 2018",
    experiments=(FALL, *map(jump_experiment, JACOBIANS)),
)
