"""The published jump of the planar leg (Singh 2018): operational-space control, heel before toe, flight and landing."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...control import InProcess, make_controller
from ...dynamics import center_of_mass
from ...simulation import Simulator, Trajectory
from ...simulation.contacts import contact_centers

START = (4.0, 0.01, 0.0, 2.0944, -0.4363, -0.6981)  # q at rest, m and rad (section 5.2)
FOOT = ("E", "F")  # toe and heel
MOTORS = ("heel", "knee", "hip")
CONTROL_PERIOD = 1e-3  # s
PUSHING = ("crouch", "thrust", "toe", "flight")  # phases in which nothing but the motors does work


@dataclass(frozen=True)
class Jump:
    """A jump: its trajectory, the controller's phase at every sample, (T,), and the motors' bounds, (3,), N m."""

    run: Trajectory
    phases: np.ndarray
    limit: np.ndarray

    @property
    def changes(self) -> list[tuple[str, float]]:
        """The phases in their order, with the time at which each began, s."""
        first = [(str(self.phases[0]), 0.0)]
        later = zip(pairwise(self.phases), self.run.time, strict=False)
        return first + [(str(b), float(time)) for (a, b), time in later if a != b]

    @property
    def balance(self) -> np.ndarray:
        """Energy minus the motors' work, (T,), J."""
        return np.asarray(self.run.energies.sum(axis=1) - self.run.works[:, 0])


def jump(jacobian: str = "product", duration: float = 4.4, contact_model: str = "embedding", **parameters: Any) -> Jump:
    """Return the jump of the leg from the study's start: fall, settle, crouch, thrust, flight and landing.

    Args:
        jacobian: of the task: "square", "product", "padded" or "consistent".
        duration: s.
        contact_model: name.
        parameters: of the contact model.
    """
    sim = Simulator("planar_leg", contact_model, CONTROL_PERIOD, **parameters)
    sim.reset(START)
    controller: Any = make_controller("operational_space_jump", sim.robot, {"jacobian": jacobian})
    law, phases = InProcess(controller, sim, CONTROL_PERIOD), []

    def drive(time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        effort = law(time, q, v)
        phases.append(controller.phase)
        return effort

    return Jump(sim.run(duration, drive), np.array(phases), controller.limit)


def last_touch(found: Jump, point: str) -> float:
    """Return when a point of the foot leaves the ground in the thrust, s."""
    pushing = np.isin(found.phases, ("thrust", "toe"))
    touching = found.run.forces[:, found.run.robot.contact_names.index(point), 2] > 0.0
    return float(found.run.time[pushing & touching].max())


def largest_gain(run: Trajectory) -> float:
    """Return the largest change of the energy in an impact, J; negative: each loses."""
    return max(event.energy_after - event.energy_before for event in run.events if event.kind == "impact")


def summary(found: Jump) -> dict[str, Any]:
    """Return phases and checks of a jump as plain numbers: times in s, energies in J, lengths in m, efforts in N m."""
    run = found.run
    feet = [run.robot.contact_names.index(name) for name in FOOT]
    moving, body = np.isin(found.phases, PUSHING), run.q[:, 2:].sum(axis=1)
    heights = np.array([center_of_mass(run.robot, q)[2] for q in run.q])
    landing = found.phases == "landing"
    return {
        "phases": found.changes,
        "heel_leaves": last_touch(found, "F"),
        "toe_leaves": last_touch(found, "E"),
        "foot_clearance": float(run.gaps[:, feet].min(axis=1).max()),
        "centre_of_mass_rise": float(heights.max() - heights[0]),
        "energy_minus_motor_work_drift": float(np.ptp(found.balance[moving][:-2]) / run.start_energy),
        "largest_energy_gain_of_an_event": largest_gain(run),
        "largest_effort": float(np.abs(run.effort).max()),
        "effort_bound": float(found.limit.max()),
        "body_turn_in_landing": float(np.ptp(body[landing])) if landing.any() else None,
        "end_speed": float(np.abs(run.v[-1]).max()),
        "largest_penetration": float(-run.gaps.min()),
        "unresolved_events": sum(event.kind == "unresolved" for event in run.events),
    }


def columns(found: Jump) -> dict[str, np.ndarray]:
    """Return the series of a jump: time, energies, motor work, torques, gaps and reactions of both ends of the foot."""
    run = found.run
    kinetic, potential, _ = run.energies.T
    series = {"time": run.time, "kinetic": kinetic, "potential": potential, "motor_work": run.works[:, 0]}
    for k, name in enumerate(MOTORS):
        series[f"torque_{name}"] = run.effort[:, 3 + k]
    for name in FOOT:
        k = run.robot.contact_names.index(name)
        series |= {f"gap_{name}": run.gaps[:, k], f"normal_{name}": run.forces[:, k, 2]}
    return series


def captures(run: Trajectory, times: Any) -> dict[str, np.ndarray]:
    """Return the leg's joints (toe, heel, knee, hip and top of the body) in the plane at some times: one row each."""
    order = [run.robot.contact_names.index(name) for name in ("E", "F", "G", "H", "I")]
    rows = []
    for picture, time in enumerate(times):
        k = min(int(np.searchsorted(run.time, time)), len(run.time) - 1)
        rows += [(picture, run.time[k], *place[[0, 2]]) for place in contact_centers(run.robot, run.q[k])[0][order]]
    return dict(zip(("picture", "time", "x", "z"), np.array(rows).T, strict=True))
