"""Inverse dynamics of a legged robot with a floating trunk: wanted accelerations of trunk and feet into joint efforts.

From the accelerations of trunk and feet follow those of the joints, hence by Newton-Euler the generalised effort
``A dv/dt + h``. Its six rows of the trunk can only come from the feet on the ground: their forces are the least-squares
solution within the friction pyramids. What the forces leave of the joints' rows is the joint effort.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from ..dynamics import inverse_dynamics
from ..dynamics.jacobians import point_acceleration_entry, point_jacobian_entry
from ..dynamics.kinematics import forward_kinematics_entry
from ..dynamics.workspace import workspace
from ..errors import ParameterError
from ..model import RobotModel
from .controller import Observation
from .leg_kinematics import Leg, cross, find_legs

REGULARISATION = 1e-3  # of the feet's forces, relative to the trunk's rows
DAMPED = 1e-3**2 * np.eye(3)  # m^2, of the joint accelerations of a leg that is nearly straight


class Motion(NamedTuple):
    """What is known of a robot at an instant: coordinates, rates, trunk and feet in world axes.

    Attributes:
        q: (nq,).
        v: (nv,), public convention.
        rotation: of the trunk, (3, 3).
        position: of the trunk, (3,), m.
        velocity: of the trunk, (3,), m/s.
        turning: angular velocity of the trunk, (3,), rad/s.
        feet: centres of the feet's spheres, (n, 3), m.
        foot_velocities: (n, 3), m/s.
        jacobians: of the feet, (n, 3, nv).
        biases: dJ/dt v, (n, 3), m/s^2.
    """

    q: np.ndarray
    v: np.ndarray
    rotation: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    turning: np.ndarray
    feet: np.ndarray
    foot_velocities: np.ndarray
    jacobians: np.ndarray
    biases: np.ndarray


class WholeBody:
    """Inverse dynamics for one robot."""

    def __init__(self, robot: RobotModel, friction: float, smallest_force: float = 0.0) -> None:
        """Find the legs.

        Args:
            robot: with a floating base.
            friction: of the ground, as the feet's forces may use it.
            smallest_force: that a foot on the ground carries, N.
        """
        self.robot = robot
        self.legs: tuple[Leg, ...] = find_legs(robot)
        self.effort_limit = robot.links["effort_limit"][robot.joint_links]
        # Edges of a pyramid inside the cone; every force in it is a sum of them with weights >= 0.
        edges = np.array([[friction, 0.0, 1.0], [-friction, 0.0, 1.0], [0.0, friction, 1.0], [0.0, -friction, 1.0]])
        self.edges = edges.T
        self.smallest_force = smallest_force
        self._columns = [robot.velocity_indices[leg.joints] for leg in self.legs]
        self._positions = [robot.position_indices[leg.joints] for leg in self.legs]
        self._homes = [leg.home for leg in self.legs]
        self._offsets = [robot.contact_points["position"][leg.point].copy() for leg in self.legs]
        self._bodies, self._rest, self._work = workspace(robot), np.zeros(robot.nv), np.empty((2, robot.nv))
        self._even = [np.kron(np.eye(k), self.edges) for k in range(len(self.legs) + 1)]

    def observe(self, seen: Observation) -> Motion:
        """Return the motion of trunk and feet from what the sensors tell.

        Calls the kernels themselves: this runs at every control step, and checking arguments costs more than they do.
        """
        q, v = joined_state(self.robot, seen)
        links, bodies, rest = self.robot.links, self._bodies, self._rest
        count = len(self.legs)
        flat, positions = np.empty((len(links), 9)), np.empty((len(links), 3))
        forward_kinematics_entry(links, bodies, q, rest, flat, positions)
        rotations = flat.reshape(-1, 3, 3)
        jacobians, biases, feet = np.empty((count, 6, self.robot.nv)), np.empty((count, 3)), np.empty((count, 3))
        for k, (leg, offset) in enumerate(zip(self.legs, self._offsets, strict=True)):
            point_jacobian_entry(links, bodies, q, rest, leg.link, offset, jacobians[k])
            point_acceleration_entry(links, bodies, q, v, rest, self._work, leg.link, offset, biases[k])
            feet[k] = positions[leg.link] + rotations[leg.link] @ offset
        rotation, linear = rotations[0], jacobians[:, :3]
        return Motion(q, v, rotation, q[:3], rotation @ v[:3], rotation @ v[3:6], feet, linear @ v, linear, biases)

    def effort(
        self,
        motion: Motion,
        trunk: np.ndarray,
        feet: np.ndarray,
        stance: np.ndarray,
        weights: np.ndarray,
        posture: tuple[float, float] = (50.0, 10.0),
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return joint efforts (joint_count,) and the feet's forces (n, 3), world axes, N.

        Args:
            motion: of the robot now.
            trunk: wanted acceleration of the trunk, linear then angular, world axes, (6,).
            feet: wanted accelerations of the feet, world axes, (n, 3), m/s^2.
            stance: which feet stand, (n,), bool.
            weights: of the trunk's force and moment rows, (6,), world axes.
            posture: stiffness, 1/s^2, and damping, 1/s, toward the home pose of what the feet leave free.
        """
        acceleration = self.accelerations(motion, trunk, feet, posture)
        needed = inverse_dynamics(self.robot, motion.q, motion.v, acceleration)
        forces = self.distribute(motion, needed[:6], stance, weights)
        for jacobian, force in zip(motion.jacobians, forces, strict=True):
            needed -= force @ jacobian
        return np.clip(needed[self.robot.velocity_indices], -self.effort_limit, self.effort_limit), forces

    def accelerations(
        self, motion: Motion, trunk: np.ndarray, feet: np.ndarray, posture: tuple[float, float]
    ) -> np.ndarray:
        """Return dv/dt (nv,) for wanted accelerations of trunk and feet; see `effort`."""
        R = motion.rotation
        rate = np.zeros(self.robot.nv)
        rate[:3] = trunk[:3] @ R - cross(motion.v[3:6], motion.v[:3])
        rate[3:6] = trunk[3:] @ R
        carried = feet - motion.biases - motion.jacobians[:, :, :6] @ rate[:6]
        for columns, positions, home, J, rest in zip(
            self._columns, self._positions, self._homes, motion.jacobians, carried, strict=True
        ):
            own = J[:, columns]
            free = np.zeros(len(columns))
            if len(columns) > 3:
                free = posture[0] * (home - motion.q[positions]) - posture[1] * motion.v[columns]
            rate[columns] = free + np.linalg.solve(own @ own.T + DAMPED, rest - own @ free) @ own
        return rate

    def distribute(
        self, motion: Motion, trunk_rows: np.ndarray, stance: np.ndarray, weights: np.ndarray
    ) -> np.ndarray:
        """Return the feet's forces (n, 3), world axes, N, that best give the trunk's rows (6,), trunk's axes, N, N m.

        Least squares over the non-negative weights of the pyramids' edges, ``min |W (G f - w)|^2 + r |f|^2``.
        """
        forces = np.zeros((len(self.legs), 3))
        standing = np.flatnonzero(stance)
        if not len(standing):
            return forces
        R = motion.rotation
        rows = np.concatenate([R @ trunk_rows[:3], R @ trunk_rows[3:]])
        x, y, z = (motion.feet[standing] - motion.position).T
        least = np.array([0.0, 0.0, self.smallest_force])
        G = np.zeros((6, len(standing), 3))
        G[0, :, 0] = G[1, :, 1] = G[2, :, 2] = 1.0
        G[3, :, 1], G[3, :, 2], G[4, :, 0] = -z, y, z
        G[4, :, 2], G[5, :, 0], G[5, :, 1] = -x, -y, x
        rows = rows - G.sum(axis=1) @ least
        spread = (G @ self.edges).reshape(6, -1)
        even = REGULARISATION * np.linalg.norm(weights) * self._even[len(standing)]
        stacked = np.vstack([weights[:, None] * spread, even])
        goal = np.concatenate([weights * rows, np.zeros(len(even))])
        amounts = nnls(stacked, goal)[0].reshape(len(standing), -1)
        forces[standing] = amounts @ self.edges.T + least
        return forces


def joined_state(robot: RobotModel, seen: Observation) -> tuple[np.ndarray, np.ndarray]:
    """Return q (nq,) and v (nv,) of a robot with a floating base from what the sensors tell."""
    if seen.base is None:
        raise ParameterError("base: this controller needs odometry, the observation has none")
    q, v = np.empty(robot.nq), np.empty(robot.nv)
    q[:3], q[3:7] = seen.base.position, seen.base.orientation
    v[:3], v[3:6] = seen.base.linear_velocity, seen.base.angular_velocity
    q[robot.position_indices], v[robot.velocity_indices] = seen.positions, seen.velocities
    return q, v


def attitude_error(rotation: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the rotation vector (3,), world axes, rad, that turns ``rotation`` into ``wanted`` (both (3, 3))."""
    turn = wanted @ rotation.T
    sine = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    size = float(np.linalg.norm(sine))
    angle = np.arctan2(size, 0.5 * (np.trace(turn) - 1.0))
    return sine if size < 1e-9 else sine * (angle / size)


def heading(rotation: np.ndarray) -> float:
    """Return the yaw of a rotation (3, 3), rad."""
    return float(np.arctan2(rotation[1, 0], rotation[0, 0]))


def turned(yaw: float) -> np.ndarray:
    """Return the rotation (3, 3) by a yaw, rad."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
