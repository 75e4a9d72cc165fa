"""Inverse dynamics of a legged robot with a floating trunk: wanted accelerations of trunk and feet into joint efforts.

From the accelerations of trunk and feet follow those of the joints, hence by Newton-Euler the generalised effort
``A dv/dt + h``. Its six rows of the trunk can only come from the feet on the ground: their forces are the least-squares
solution within the friction pyramids. What the forces leave of the joints' rows is the joint effort.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are used

from ..dynamics.limbs import foot_motion_entry, force_problem_entry, reach_entry
from ..dynamics.newton_euler import inverse_dynamics_entry
from ..dynamics.workspace import workspace
from ..errors import ParameterError
from ..model import RobotModel
from ..model.gains import proposed_gains
from .controller import Observation
from .leg_kinematics import Leg, cross, find_legs

REGULARISATION = 1e-3  # of the feet's forces, relative to the trunk's rows
FALLEN = math.cos(0.8)  # of the trunk's tilt
ECCENTRICITY = 0.1  # of a wheel's contact points, relative to its radius: corners of a mesh lie unevenly (Go2-W: 0.04)
DAMPING = 1e-3  # m, of the joint accelerations of a leg that is nearly straight


class Motion(NamedTuple):
    """What is known of a robot at an instant: coordinates, velocities, trunk and feet in world axes.

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
        count, nv = len(self.legs), robot.nv
        self._ends = np.array([leg.link for leg in self.legs])
        self._offsets = np.array([robot.contact_points["position"][leg.point] for leg in self.legs])
        self._lengths = np.array([np.linalg.norm(leg.offsets[1:], axis=1).sum() for leg in self.legs])
        self._home = robot.home[robot.position_indices]
        self._spare = np.ones(robot.joint_count)  # 0: a joint of a leg without more joints than its foot needs
        for leg in self.legs:
            self._spare[leg.joints] = len(leg.joints) > 3
        # Wheels at the ends of legs are braked: by gains, not by a model of where on its rim a wheel touches.
        self._wheels = np.array([k for leg in self.legs for k in _wheels(robot, leg)], dtype=int)
        self._wheel_rates = robot.velocity_indices[self._wheels]
        self._brake = [gain[self._wheels] for gain in proposed_gains(robot)] if len(self._wheels) else []
        self._bodies, self._rest, self._work = workspace(robot), np.zeros(nv), np.empty((3, nv))
        self._braked = np.empty((count, 6, nv))[:, :3]  # laid out like the jacobians of `Motion`
        self._no_forces = np.empty((0, 6))
        self._even = [np.kron(np.eye(k), self.edges) for k in range(count + 1)]

    def observe(self, seen: Observation) -> Motion:
        """Return the motion of trunk and feet from what the sensors measure.

        Calls the kernels themselves: this runs at every control step, and checking arguments costs more than they do.
        """
        q, v = joined_state(self.robot, seen)
        count = len(self.legs)
        feet, jacobians = np.empty((3, count, 3)), np.empty((count, 6, self.robot.nv))
        foot_motion_entry(
            self.robot.links, self._bodies, q, v, self._rest, self._work, self._ends, self._offsets, feet, jacobians
        )
        rotation = self._bodies["rotation"][0].reshape(3, 3).copy()
        velocity, turning = rotation @ v[:3], rotation @ v[3:6]
        return Motion(q, v, rotation, q[:3], velocity, turning, feet[0], feet[1], jacobians[:, :3], feet[2])

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
        needed = np.empty(self.robot.nv)
        inverse_dynamics_entry(
            self.robot.links,
            self._bodies,
            motion.q,
            motion.v,
            acceleration,
            self._no_forces,
            self._work,
            needed,
        )
        forces = self.distribute(motion, needed[:6], stance, weights)
        needed -= forces.ravel() @ motion.jacobians.reshape(-1, self.robot.nv)
        efforts = needed[self.robot.velocity_indices]
        if len(self._wheels):
            bent = (self._home - motion.q[self.robot.position_indices])[self._wheels]
            efforts[self._wheels] = self._brake[0] * bent - self._brake[1] * motion.v[self._wheel_rates]
        return np.minimum(np.maximum(efforts, -self.effort_limit), self.effort_limit), forces

    def accelerations(
        self, motion: Motion, trunk: np.ndarray, feet: np.ndarray, posture: tuple[float, float]
    ) -> np.ndarray:
        """Return dv/dt (nv,) for wanted accelerations of trunk and feet; see `effort`."""
        R, joints = motion.rotation, self.robot.velocity_indices
        rate = np.zeros(self.robot.nv)
        rate[:3] = trunk[:3] @ R - cross(motion.v[3:6], motion.v[:3])
        rate[3:6] = trunk[3:] @ R
        bent = self._home - motion.q[self.robot.position_indices]
        rate[joints] = self._spare * (posture[0] * bent - posture[1] * motion.v[joints])
        jacobians = motion.jacobians
        if len(self._wheels):
            rate[self._wheel_rates] = 0.0
            jacobians = self._braked
            jacobians[:] = motion.jacobians
            jacobians[:, :, self._wheel_rates] = 0.0
        reach_entry(jacobians, motion.biases, feet, DAMPING, self._lengths, rate)
        return rate

    def distribute(self, motion: Motion, trunk_rows: np.ndarray, stance: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the feet's forces (n, 3), world axes, N, that best give the trunk's rows (6,), trunk's axes, N, N m.

        Least squares over the non-negative weights of the pyramids' edges, ``min |W (G f - w)|^2 + r |f|^2``.
        """
        forces = np.zeros((len(self.legs), 3))
        standing = np.flatnonzero(stance)
        if not len(standing):
            return forces
        even = self._even[len(standing)]
        stacked, goal = np.empty((6 + len(even), 4 * len(standing))), np.zeros(6 + len(even))
        force_problem_entry(
            motion.rotation,
            trunk_rows,
            motion.feet,
            motion.position,
            standing,
            self.edges,
            self.smallest_force,
            weights,
            stacked[:6],
            goal,
        )
        np.multiply(even, REGULARISATION * math.sqrt(weights @ weights), out=stacked[6:])
        amounts = scipy.optimize.nnls(stacked, goal)[0].reshape(len(standing), -1)
        forces[standing] = amounts @ self.edges.T
        forces[standing, 2] += self.smallest_force
        return forces


def _wheels(robot: RobotModel, leg: Leg) -> list[int]:
    """Return the joint at the end of a leg, in joint order, if it turns a wheel, and the leg can do without.

    It has no limits, and the contact points of what it turns lie around its axis: those of a sole lie beside it.
    """
    if np.isfinite(leg.limits[:, -1]).any() or len(leg.joints) <= 3:
        return []
    link, points = robot.links[leg.link], robot.contact_points[robot.contact_points["link"] == leg.link]
    axis = link["home"].reshape(3, 3).T @ link["axis"]
    across = points["position"] - np.outer(points["position"] @ axis, axis)
    radius = (np.linalg.norm(across, axis=1) + points["radius"]).max()
    return [int(leg.joints[-1])] if np.linalg.norm(across.mean(axis=0)) < ECCENTRICITY * radius else []


def joined_state(robot: RobotModel, seen: Observation) -> tuple[np.ndarray, np.ndarray]:
    """Return q (nq,) and v (nv,) of a robot with a floating base from what the sensors measure."""
    if seen.base is None:
        raise ParameterError("base: this controller needs odometry, the observation has none")
    q, v = np.empty(robot.nq), np.empty(robot.nv)
    q[:3], q[3:7] = seen.base.position, seen.base.orientation
    v[:3], v[3:6] = seen.base.linear_velocity, seen.base.angular_velocity
    q[robot.position_indices], v[robot.velocity_indices] = seen.positions, seen.velocities
    return q, v


def attitude_error(rotation: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the rotation vector (3,), world axes, rad, that turns ``rotation`` into ``wanted`` (both (3, 3))."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (wanted @ rotation.T).tolist()
    x, y, z = 0.5 * (zy - yz), 0.5 * (xz - zx), 0.5 * (yx - xy)
    sine = math.hypot(x, y, z)
    scale = 1.0 if sine < 1e-9 else math.atan2(sine, 0.5 * (xx + yy + zz - 1.0)) / sine
    return np.array([x * scale, y * scale, z * scale])


def has_fallen(motion: Motion) -> bool:
    """Tell whether the trunk is tilted so far that no controller here brings it back."""
    return bool(motion.rotation[2, 2] < FALLEN)


def heading(rotation: np.ndarray) -> float:
    """Return the yaw of a rotation (3, 3), rad."""
    return math.atan2(rotation[1, 0], rotation[0, 0])


def turned(yaw: float) -> np.ndarray:
    """Return the rotation (3, 3) by a yaw, rad."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
