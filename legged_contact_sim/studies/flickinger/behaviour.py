"""What the document says of each of its runs in words, as numbers, and what ours must show of it."""

from typing import Any

import numpy as np

from ...contact.records import STICK
from ...dynamics import kinetic_energy
from ..frame import Criterion, at_least, at_most, true, within
from .runs import Outcome, Run, force_columns, friction_used

MOVING = 1e-3  # m/s or rad/s; what is slower rests


def behaviour(outcome: Outcome) -> dict[str, Any]:
    """Return what happened in a run as numbers: times in s, distances in m, energies in J."""
    trajectory, impacts = outcome.trajectory, outcome.impacts
    moving = np.abs(trajectory.v).max(axis=1) > MOVING
    settled = [event.time for event in trajectory.events if event.kind == "contact"]
    after = trajectory.energies.sum(axis=1)[trajectory.time > impacts[0].time + trajectory.time[0]]
    first = [used for time, used in friction_used(outcome) if time == impacts[0].time]
    return {
        "moves_at_end": bool(moving[-1]),
        "rests_at": None if moving[-1] else float(trajectory.time[np.flatnonzero(moving)[-1]]),
        "impacts": len(impacts),
        "first_gain": impacts[0].energy_after - impacts[0].energy_before,
        "largest_share": max(kept_share(outcome)),
        "sticks_at_end": bool((trajectory.modes[-1] == STICK).all()),
        "reversals": reversals(outcome),
        "bears_from": settled[0] if settled else None,
        "travelled": float(np.abs(trajectory.q[-1, 0] - trajectory.q[0, 0])),
        "energy_change_after_first_impact": float(np.ptp(after)),
        "first_friction": max(first),
        "first_sticks": all(abs(used - outcome.run.parameters["dynamic_friction"]) > 1e-3 for used in first),
    }


def kept_share(outcome: Outcome) -> list[float]:
    """Return the share of the kinetic energy that each impact leaves."""
    robot = outcome.trajectory.robot
    return [
        kinetic_energy(robot, event.q, event.v_after) / kinetic_energy(robot, event.q, event.v_before)
        for event in outcome.impacts
    ]


def reversals(outcome: Outcome) -> int:
    """Return how often the tangential force of the first point changes its sign: reversals of its slip."""
    columns = force_columns(outcome)
    force = next(values for name, values in columns.items() if name.startswith("tangential"))
    signs = np.sign(force[np.abs(force) > 1e-9])
    return int((np.diff(signs) != 0.0).sum())


HALVED = Criterion(
    "largest share of the kinetic energy that an impact leaves", "largest_share", "at most half", at_most(0.5 + 1e-9)
)
NEVER_RESTS = Criterion("moves at the end", "moves_at_end", "does not come to rest", true())
FIRST_STICKS = Criterion("sticks at the first impact", "first_sticks", "static friction is feasible", true())
BEHAVIOUR: dict[str, tuple[Criterion, ...]] = {
    "double_pendulum_no_energy_control": (
        Criterion("first impact at", "first_impact", "about 0.5 s", within(0.515, 0.516), "s"),
        Criterion("impacts that gain energy", "impacts_with_gain", "at least two", at_least(2)),
        NEVER_RESTS,
    ),
    "double_pendulum_low_restitution": (
        Criterion("rests from", "rests_at", "shortly after the first impact", at_most(2.0), "s"),
        Criterion("impacts", "impacts", "no rebound", within(1, 1)),
    ),
    "double_pendulum_minimum_energy_control": (NEVER_RESTS,),
    "double_pendulum_moderate_energy_control": (
        HALVED,
        Criterion("rests from", "rests_at", "within 10 s", at_most(10.0), "s"),
        Criterion("reversals of the tangential force", "reversals", "slip reversals", at_least(1)),
        Criterion("sticks at the end", "sticks_at_end", "sticks", true()),
    ),
    "double_pendulum_moderate__low_restitution": (
        Criterion("impacts that rebound", "impacts", "two", within(2, 2)),
        Criterion("rests from", "rests_at", "quickly", at_most(2.0), "s"),
        Criterion("reversals of the tangential force", "reversals", "slip reversals", at_least(1)),
    ),
    "double_pendulum_bent__no_energy_control": (
        Criterion("first impact at", "first_impact", "about 0.5 s", within(0.5075, 0.5085), "s"),
        Criterion("gain of the first impact", "first_gain", "rises", at_least(1e-3), "J"),
        Criterion("impacts that gain energy", "impacts_with_gain", "the first alone", within(1, 1), "",
                  "one at 3.50 s gains 2.5 J, too: the pendulum's motion after a few impacts is not the document's"),
    ),
    "bicycle_no_energy_control": (NEVER_RESTS,),
    "bicycle_no_energy_control__ellipses": (
        Criterion("impacts that gain energy", "impacts_with_gain", "energy rises", at_least(1)),
    ),
    "bicycle_20_deg__e_n_0_75": (
        HALVED,
        Criterion("rolls from", "bears_from", "about 3.5 s", within(3.0, 4.5), "s"),
    ),
    "bicycle_20_deg__e_n_0_5": (
        HALVED,
        Criterion("rolls from", "bears_from", "sooner than with 0.75", at_most(3.5), "s"),
    ),
    "bicycle_20_deg__e_n_0_25": (
        HALVED,
        Criterion("rolls from", "bears_from", "after the initial impact", at_most(2.0), "s"),
        Criterion("way along x", "travelled", "a short distance", at_most(1.5), "m"),
    ),
    "bicycle_wedge_0_deg": (
        FIRST_STICKS,
        Criterion("rolls from", "bears_from", "after 2.5 s", within(2.5, 3.5), "s"),
    ),
    "bicycle_wedge_15_deg": (FIRST_STICKS,),
    "bicycle_wedge_30_deg": (FIRST_STICKS,),
    "bicycle_wedge_45_deg": (
        Criterion("friction of the first impact", "first_friction", "at most 0.25: it slips", at_most(0.25 + 1e-6)),
    ),
    "bicycle_e_n_1__estar_0_95": (
        Criterion("largest share of the kinetic energy that an impact leaves", "largest_share", "0.95",
                  at_most(0.95 + 1e-9)),
    ),
    "bicycle_e_n_0__estar_1": (
        Criterion("impacts", "impacts", "no rebound", within(1, 1)),
        Criterion("change of the energy afterwards", "energy_change_after_first_impact", "constant", at_most(1e-9),
                  "J"),
    ),
}  # fmt: skip


def said_of(run: Run) -> tuple[Criterion, ...]:
    """Return what the document says of a run, as criteria."""
    return BEHAVIOUR.get(run.name, ())
