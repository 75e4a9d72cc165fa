"""Poses and energies of many states of a robot, in one call: what a recorded run is measured by."""

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError
from ..model import RobotModel
from .energy import energy_entry
from .functions import Array, Poses, checked
from .kinematics import forward_kinematics_entry
from .workspace import workspace


def poses_of(robot: RobotModel, q: ArrayLike) -> Poses:
    """Return the poses of all n bodies in T states q (T, nq): rotations (T, n, 3, 3), positions (T, n, 3) in m."""
    states, count = states_of(robot, q), len(robot.links)
    rotations, positions = np.empty((len(states), count, 9)), np.empty((len(states), count, 3))
    bodies, rest = workspace(robot), np.zeros(robot.nv)
    for k, state in enumerate(states):
        forward_kinematics_entry(robot.links, bodies, state, rest, rotations[k], positions[k])
    return Poses(rotations.reshape(len(states), count, 3, 3), positions)


def energies_of(robot: RobotModel, q: ArrayLike, v: ArrayLike) -> Array:
    """Return kinetic, potential and spring energy, (T, 3), J, of T states q (T, nq) and v (T, nv)."""
    states = states_of(robot, q)
    velocities = checked("v", v, len(states), robot.nv)
    out, bodies, scratch = np.empty((len(states), 3)), workspace(robot), np.empty(robot.nv)
    for k, state in enumerate(states):
        energy_entry(robot.links, bodies, state, velocities[k], scratch, out[k])
    return out


def states_of(robot: RobotModel, q: ArrayLike) -> Array:
    """Return states q (T, nq) as a checked copy whose quaternions have unit length."""
    states = checked("q", q, len(np.asarray(q)), robot.nq)
    for k, _ in robot.free_indices:
        quaternions = states[:, k + 3 : k + 7]
        lengths = np.linalg.norm(quaternions, axis=1, keepdims=True)
        if not ((lengths > 0.5) & (lengths < 2.0)).all():
            raise ParameterError("q: every quaternion should have unit length")
        quaternions /= lengths
    return states
