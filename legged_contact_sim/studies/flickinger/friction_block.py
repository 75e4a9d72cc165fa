"""Flickinger's block with spring and friction (appendix A): by events, and by fixed steps with projected crossings."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model import RobotModel
from ...simulation import Simulator


@dataclass(frozen=True)
class BlockMotion:
    """The block's motion by one method: time, dZ and its rate, (T,), and the intervals in which it sticks, s."""

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    sticking: list[tuple[float, float]]


BLOCK_FRICTION, BLOCK_SLIDING = 0.3, 0.2
FORCING_AMPLITUDE, FORCING_RATE = 0.01, 2 * math.pi * 3.0  # m and rad/s of the driven end U


def driven_end(times: np.ndarray) -> np.ndarray:
    """Return the position U of the driven end, m."""
    return FORCING_AMPLITUDE * np.sin(FORCING_RATE * times)


def block_forces(robot: RobotModel, times: np.ndarray) -> np.ndarray:
    """Return the inertial force of the driven end, ``-M d^2U/dt^2``, N, held for a step from each time on."""
    return robot.total_mass * FORCING_AMPLITUDE * FORCING_RATE**2 * np.sin(FORCING_RATE * times)


def event_driven_block(duration: float = 2.0, time_step: float = 1e-3) -> BlockMotion:
    """Return the block's motion by `hybrid`: sticking begins and ends at instants."""
    friction: dict[str, Any] = {"friction": BLOCK_FRICTION, "dynamic_friction": BLOCK_SLIDING}
    sim = Simulator("friction_block_ground", "hybrid", time_step, **friction)
    times = np.arange(round(duration / time_step)) * time_step
    efforts = np.stack([block_forces(sim.robot, times), np.zeros_like(times)], axis=1)
    trajectory = sim.follow(np.zeros_like(efforts), efforts, 1)
    intervals, begin = [], 0.0
    for event in trajectory.events:
        if event.kind == "stick":
            begin = event.time
        elif event.kind == "slip" and not event.note:
            intervals.append((begin, event.time))
    if trajectory.modes[-1, 0] == 1:
        intervals.append((begin, duration))
    return BlockMotion(trajectory.time, trajectory.q[:, 0], trajectory.v[:, 0], intervals)


def fixed_step_block(duration: float = 2.0, time_step: float = 1e-3, substeps: int = 1) -> BlockMotion:
    """Return the block's motion by Runge-Kutta steps with projected zero crossings (appendix A).

    If the acceleration would bring the velocity to zero within the next step, the block is captured for that step; it
    stays until the static friction is exceeded. ``time_step`` is the one over which forces are held.
    """
    robot = RobotModel.from_urdf("friction_block_ground")
    mass, stiffness = robot.total_mass, float(robot.links["stiffness"].max())
    weight, h = mass * 9.81, time_step / substeps
    count = round(duration / h)
    forces = block_forces(robot, np.arange(count // substeps) * time_step)
    states, stuck = np.zeros((count + 1, 2)), np.zeros(count, dtype=bool)
    for k in range(count):
        x, v = states[k]
        push, slide = forces[k // substeps], math.copysign(1.0, v)
        pull = push - stiffness * x
        if v == 0.0:
            stuck[k] = abs(pull) <= BLOCK_FRICTION * weight
            slide = math.copysign(1.0, pull)
        else:
            acceleration = (pull - BLOCK_SLIDING * weight * slide) / mass
            stuck[k] = v * (v + acceleration * h) < 0.0
        if stuck[k]:
            states[k + 1] = x, 0.0
        else:
            states[k + 1] = runge_kutta(states[k], h, mass, stiffness, push - BLOCK_SLIDING * weight * slide)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], stuck, [False]]).astype(int)))
    intervals = [(a * h, b * h) for a, b in edges.reshape(-1, 2).tolist()]
    return BlockMotion(np.arange(1, count + 1) * h, states[1:, 0], states[1:, 1], intervals)


def runge_kutta(state: np.ndarray, h: float, mass: float, stiffness: float, force: float) -> np.ndarray:
    """Return the state (position, velocity) of a mass on a spring under a constant force after a step, s."""

    def rate(y: np.ndarray) -> np.ndarray:
        return np.array([y[1], (force - stiffness * y[0]) / mass])

    k1 = rate(state)
    k2 = rate(state + 0.5 * h * k1)
    k3 = rate(state + 0.5 * h * k2)
    k4 = rate(state + h * k3)
    return state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
