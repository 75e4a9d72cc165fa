"""Inverse dynamics of a legged robot with a floating trunk: wanted accelerations of trunk and feet into joint efforts.

From the accelerations of trunk and feet follow those of the joints, hence by Newton-Euler the generalised effort
``A dv/dt + h``. Its six rows of the trunk can only come from the feet on the ground: their forces are the least-squares
solution within the friction pyramids. What the forces leave of the joints' rows is the joint effort.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from ..dynamics import forward_kinematics, inverse_dynamics, point_bias_acceleration, point_jacobian
from ..dynamics.functions import quaternion_matrix
from ..model import RobotModel
from .controller import Observation
from .leg_kinematics import Leg, cross, find_legs

REGULARISATION = 1e-3  # of the feet's forces, relative to the trunk's rows
DAMPING = 1e-3  # m, of the joint accelerations of a leg that is nearly straight


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
        self.home = robot.home[robot.position_indices]

    def coordinates(self, seen: Observation) -> tuple[np.ndarray, np.ndarray]:
        """Return q (nq,) and v (nv,) from what the sensors tell."""
        if seen.base is None:
            raise ValueError("the observation has no base: this controller needs odometry")
        q, v = np.empty(self.robot.nq), np.empty(self.robot.nv)
        q[:3], q[3:7] = seen.base.position, seen.base.orientation
        v[:3], v[3:6] = seen.base.linear_velocity, seen.base.angular_velocity
        q[self.robot.position_indices], v[self.robot.velocity_indices] = seen.positions, seen.velocities
        return q, v

    def observe(self, seen: Observation) -> Motion:
        """Return the motion of trunk and feet from what the sensors tell."""
        q, v = self.coordinates(seen)
        robot, points = self.robot, self.robot.contact_points["position"]
        rotations, positions = forward_kinematics(robot, q)
        rotation = np.array(quaternion_matrix(*q[3:7].tolist())).reshape(3, 3)
        feet = np.array([positions[leg.link] + rotations[leg.link] @ points[leg.point] for leg in self.legs])
        jacobians = np.array([point_jacobian(robot, q, leg.link, points[leg.point]) for leg in self.legs])
        biases = np.array([point_bias_acceleration(robot, q, v, leg.link, points[leg.point]) for leg in self.legs])
        return Motion(
            q, v, rotation, q[:3], rotation @ v[:3], rotation @ v[3:6], feet, jacobians @ v, jacobians, biases
        )

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
        R, index = motion.rotation, self.robot.velocity_indices
        rate = np.zeros(self.robot.nv)
        rate[:3] = trunk[:3] @ R - cross(motion.v[3:6], motion.v[:3])
        rate[3:6] = trunk[3:] @ R
        for leg, J, bias, wanted in zip(self.legs, motion.jacobians, motion.biases, feet, strict=True):
            columns = index[leg.joints]
            own = J[:, columns]
            angles, rates = motion.q[self.robot.position_indices[leg.joints]], motion.v[columns]
            free = posture[0] * (leg.home - angles) - posture[1] * rates if len(columns) > 3 else np.zeros(len(columns))
            rest = wanted - bias - J[:, :6] @ rate[:6] - own @ free
            rate[columns] = free + own.T @ np.linalg.solve(own @ own.T + DAMPING**2 * np.eye(3), rest)
        return rate

    def distribute(
        self, motion: Motion, trunk_rows: np.ndarray, stance: np.ndarray, weights: np.ndarray
    ) -> np.ndarray:
        """Return the feet's forces (n, 3), world axes, that best give the trunk's rows (6,), in the trunk's axes, N, N m.

        Least squares over the non-negative weights of the pyramids' edges, ``min |W (G f - w)|^2 + r |f|^2``.
        """
        forces = np.zeros((len(self.legs), 3))
        standing = np.flatnonzero(stance)
        if not len(standing):
            return forces
        R = motion.rotation
        rows = np.concatenate([R @ trunk_rows[:3], R @ trunk_rows[3:]])
        lever = motion.feet[standing] - motion.position
        least = np.array([0.0, 0.0, self.smallest_force])
        G = np.zeros((6, len(standing), 3))
        for k, arm in enumerate(lever):
            G[:3, k] = np.eye(3)
            G[3:, k] = [[0.0, -arm[2], arm[1]], [arm[2], 0.0, -arm[0]], [-arm[1], arm[0], 0.0]]
        rows = rows - G.sum(axis=1) @ least
        spread = (G @ self.edges).reshape(6, -1)
        scale = REGULARISATION * np.sqrt(np.mean(weights**2))
        even = scale * np.kron(np.eye(len(standing)), self.edges)
        stacked = np.vstack([weights[:, None] * spread, even])
        goal = np.concatenate([weights * rows, np.zeros(len(even))])
        amounts = nnls(stacked, goal)[0].reshape(len(standing), -1)
        forces[standing] = amounts @ self.edges.T + least
        return forces


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
