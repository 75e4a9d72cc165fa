"""The planar jumping leg of Singh (2018): its fall from the study's start onto both ends of the foot, and its jump.

``python -m legged_contact_sim.studies.singh --out DIR`` writes ``fall.png`` (energy, gaps of the foot, reactions) and
``fall.json`` (events and checks) to a folder, and the same of the jump with the operational-space controller, once for
each kind of task Jacobian (``jump_product.png`` and so on, with torques).
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..control.operational_space_jump import JACOBIANS
from ..simulation import Simulator, Trajectory
from . import singh_jump
from .singh_jump import FOOT, START


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


def plot(run: Trajectory, path: Path) -> None:
    """Draw energy, gaps of the foot and reactions over time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (energy, gaps, forces) = pyplot.subplots(3, 1, figsize=(7, 8), sharex=True, layout="constrained")
    parts = run.energies
    energy.plot(run.time, parts.sum(axis=1), label="total")
    energy.plot(run.time, parts[:, 0], label="kinetic")
    energy.plot(run.time, run.works.sum(axis=1), label="work done on the leg")
    energy.set_ylabel("energy (J)")
    for name in FOOT:
        k = run.robot.contact_names.index(name)
        gaps.plot(run.time, 1e3 * run.gaps[:, k], label=f"{name}")
        forces.plot(run.time, run.forces[:, k, 2], label=f"{name} normal")
        forces.plot(run.time, run.forces[:, k, 0], "--", label=f"{name} tangential")
    gaps.set_ylabel("gap (mm)")
    forces.set_ylabel("reaction (N)")
    weight = -float(run.robot.gravity[2]) * run.robot.total_mass
    forces.set_ylim(-1.5 * weight, 2.0 * weight)  # the impact's mean over one step would dwarf the rest
    forces.set_xlabel("time (s)")
    for axes in (energy, gaps, forces):
        axes.grid(alpha=0.3)
        axes.legend(loc="best", fontsize="small")
        for event in run.events:
            if event.kind == "impact":
                axes.axvline(event.time, color="0.6", linewidth=0.8)
    figure.suptitle("Singh: fall of the planar leg")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(prog="legged_contact_sim.studies.singh", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for plots and numbers")
    parser.add_argument("--duration", type=float, default=0.25, help="s")
    parser.add_argument("--friction", type=float, default=0.8)
    parser.add_argument("--restitution", type=float, default=0.0)
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    print("fall: running", file=sys.stderr)
    run = fall(given.duration, friction=given.friction, restitution=given.restitution)
    numbers = summary(run)
    (given.out / "fall.json").write_text(json.dumps(numbers, indent=2) + "\n")
    print(f"fall: {len(run.events)} events, landing at {numbers['landing_time']:.6f} s; plotting", file=sys.stderr)
    plot(run, given.out / "fall.png")
    print(f"wrote {given.out / 'fall.png'} and {given.out / 'fall.json'}")
    for jacobian in JACOBIANS:
        print(f"jump, {jacobian}: running", file=sys.stderr)
        found = singh_jump.jump(jacobian, friction=given.friction, restitution=given.restitution)
        path = given.out / f"jump_{jacobian}.json"
        path.write_text(json.dumps(singh_jump.summary(found), indent=2) + "\n")
        singh_jump.plot(found, path.with_suffix(".png"))
        print(f"wrote {path} and {path.with_suffix('.png')}")


if __name__ == "__main__":
    main()
