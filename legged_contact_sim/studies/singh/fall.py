"""The fall of the planar leg (Singh 2018) from the study's start onto both ends of the foot."""

from typing import Any

import numpy as np

from ...simulation import Simulator, Trajectory
from .jump import FOOT, START


def fall(duration: float = 0.25, time_step: float = 1e-3, **parameters: Any) -> Trajectory:
    """Return the fall of the leg from the study's start, at rest, joints without effort.

    Args:
        duration: s.
        time_step: of the samples, s.
        parameters: of the contact model `embedding`.
    """
    sim = Simulator("planar_leg", "embedding", time_step, **parameters)
    sim.reset(START)
    return sim.run(duration)


def summary(run: Trajectory) -> dict[str, Any]:
    """Return events and checks of a fall as plain numbers: energies in J, gaps in m, times in s."""
    total, landing = run.energies.sum(axis=1), next(event for event in run.events if event.kind == "impact")
    feet = [run.robot.contact_names.index(name) for name in FOOT]
    flight, standing = run.time < landing.time, (run.modes[:, feet] != 0).all(axis=1)
    return {
        "landing_time": landing.time,
        "flight_energy_drift": float(np.abs(total[flight] / run.start_energy - 1.0).max(initial=0.0)),
        "largest_energy_gain_of_an_event": max(event.energy_after - event.energy_before for event in run.events),
        "largest_gap_of_a_bearing_foot": float(np.abs(run.gaps[standing][:, feet]).max(initial=0.0)),
        "largest_remainder_of_the_energy_audit": float(np.abs(run.remainder).max()),
        "events": [
            {
                "time": event.time,
                "kind": event.kind,
                "points": list(event.points),
                "impulses": event.impulses.tolist(),
                "energy_before": event.energy_before,
                "energy_after": event.energy_after,
                "note": event.note,
            }
            for event in run.events
        ],
    }


def columns(run: Trajectory) -> dict[str, np.ndarray]:
    """Return the series of a fall: time, energies, and gap, normal and tangential reaction of both ends of the foot."""
    kinetic, potential, _ = run.energies.T
    found = {"time": run.time, "kinetic": kinetic, "potential": potential, "work": run.works.sum(axis=1)}
    for name in FOOT:
        k = run.robot.contact_names.index(name)
        found |= {
            f"gap_{name}": run.gaps[:, k],
            f"normal_{name}": run.forces[:, k, 2],
            f"tangential_{name}": run.forces[:, k, 0],
        }
    return found
