"""What is measured of a run: whether it fell, how fast it went, forces, slip, penetration, energy, solver."""

from typing import Any

import numpy as np

from ..contact.records import CONTACT_NORMAL, CONTACT_TANGENTIAL, SOLVER_TERMS, STICK
from ..control import Controller
from ..simulation import Simulator, Trajectory
from ..simulation.contacts import contact_centers
from .forces import NormalForces

FALLEN_TILT = 1.0  # rad between the base's vertical axis and that of the home pose
FALLEN_HEIGHT = 0.4  # of the base's distance from the ground in the home pose
SETTLING = 0.4  # share of a run that is left out of mean values


def measure(run: Trajectory, forces: NormalForces, sim: Simulator, controller: Controller | None) -> dict[str, Any]:
    """Return the figures of a simulator's run, of which some steps are samples; SI units."""
    settled = run.time[0] + SETTLING * (run.time[-1] - run.time[0])
    later = run.time >= settled
    mean = forces.mean(settled)
    weight = -float(run.robot.gravity[2]) * run.robot.total_mass
    works = run.works[:, CONTACT_NORMAL] + run.works[:, CONTACT_TANGENTIAL]
    solver = dict(zip(SOLVER_TERMS, run.solver.T, strict=True))
    figures: dict[str, Any] = {
        "largest_force": forces.largest / weight,
        "mean_force": float(mean.sum()) / weight,
        "slip": slip_distance(run),
        "penetration": float(-min(run.gaps.min(initial=0.0), 0.0)),
        "contact_work": float(works[-1]),
        "energy_from_contact": float(works.max(initial=0.0)),
        "remainder": float(np.abs(run.remainder).max()),
        "iterations": float(solver["iterations"].mean()),
        "unconverged": float(solver["unconverged"][-1]),
    }
    figures["forces"] = {run.robot.contact_names[k]: float(mean[k]) for k in np.flatnonzero(mean)}
    links = {run.robot.contact_links[k]: 0.0 for k in np.flatnonzero(mean)}
    for k in np.flatnonzero(mean):
        links[run.robot.contact_links[k]] += float(mean[k])
    figures["foot_forces"] = links
    if run.robot.base == "floating":
        figures |= base_figures(run, sim, later, controller)
    return figures


def base_figures(run: Trajectory, sim: Simulator, later: np.ndarray, controller: Controller | None) -> dict[str, Any]:
    """Return what the base did: whether it fell, its velocity, and how far that is from the commanded one."""
    home = sim.home()
    up = vertical(run.q[:, 3:7])
    tilt = np.arccos(np.clip(up @ vertical(home[3:7]), -1.0, 1.0))
    low = sim.terrain.gap(run.q[:, :3]) < FALLEN_HEIGHT * sim.terrain.gap(home[None, :3])
    span = run.time[later][-1] - run.time[later][0]
    velocity = (run.q[later][-1, :3] - run.q[later][0, :3]) / max(span, 1e-9)
    figures: dict[str, Any] = {
        "fell": bool((tilt > FALLEN_TILT).any() or low.any()),
        "largest_tilt": float(tilt.max()),
        "end_height": float(run.q[-1, 2]),
        "speed": float(np.linalg.norm(velocity[:2])),
    }
    wanted = np.asarray(getattr(controller, "velocity", np.zeros(3)), dtype=float)
    commanded = float(np.linalg.norm(wanted[:2]))
    if commanded > 0.0:
        figures["commanded_speed"] = commanded
        figures["speed_error"] = abs(figures["speed"] - commanded) / commanded
    return figures


def vertical(quaternion: np.ndarray) -> np.ndarray:
    """Return the world's vertical (..., 3) in the axes of bodies with orientations (x, y, z, w), (..., 4)."""
    x, y, z, w = np.moveaxis(quaternion, -1, 0)
    return np.stack([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)], axis=-1)


def slip_distance(run: Trajectory) -> float:
    """Return how far all points together moved along the ground while they touched it, m."""
    touched = (run.modes >= STICK).any(axis=0)
    if not touched.any():
        return 0.0
    places = contact_centers(run.robot, run.q)[0][:, touched]
    both = (run.modes[1:, touched] >= STICK) & (run.modes[:-1, touched] >= STICK)
    return float((np.linalg.norm(np.diff(places[:, :, :2], axis=0), axis=2) * both).sum())
