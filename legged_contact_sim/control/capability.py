"""How hard a leg can push its body in a direction: directional dynamic capability equations (Flickinger, chapter 6).

With the foot sticking to the ground the body's acceleration is affine in the motors' efforts, ``a = P u + c``. Hence
the effort of an acceleration s along a direction d, and none across it, is ``u = E s + u0`` with ``E = P^-1 d`` and
``u0 = -P^-1 c``: what gravity, springs and velocities ask for. The capability is the largest s that keeps
``|u| <= limit``.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are used

from ..dynamics import (
    forward_kinematics,
    inverse_dynamics,
    mass_matrix,
    point_bias_acceleration,
    point_jacobian,
)
from ..errors import ModelError, ParameterError
from ..model import RobotModel
from .constraint_embedding import reactions, reduce
from .leg_kinematics import Leg, find_legs

CLEARANCE = 0.01  # m, of all joints over the ground
WIDEST_TILT = 0.6  # rad, of the body


class Push(NamedTuple):
    """The affine maps of a leg whose foot sticks: body acceleration ``P u + c``, ground force ``S u + f``."""

    P: np.ndarray
    c: np.ndarray
    S: np.ndarray
    f: np.ndarray


class Configuration(NamedTuple):
    """A pose on the ground, q (nq,), and its capability, m/s^2."""

    q: np.ndarray
    capability: float


class JumpingLeg:
    """A robot with a free body and one leg of three driven joints."""

    def __init__(self, robot: RobotModel) -> None:
        """Find the leg."""
        legs = find_legs(robot)
        if len(legs) != 1 or len(legs[0].joints) != 3 or robot.joint_count != 3:
            raise ModelError(f"{robot.name}: expected one leg of three joints, found {[leg.name for leg in legs]}")
        self.robot = robot
        self.leg: Leg = legs[0]
        self.tip = robot.contact_points["position"][self.leg.point]
        joints = robot.links[robot.joint_links]
        self.limit = joints["effort_limit"]
        self._joints = joints
        self._G = np.eye(robot.nv)[robot.velocity_indices]

    def push(self, q: np.ndarray, v: np.ndarray) -> Push:
        """Return what the motors do to body and ground in a state."""
        robot, link = self.robot, self.leg.link
        bias = inverse_dynamics(robot, q, v, np.zeros(robot.nv))
        angles, rates = q[robot.position_indices], v[robot.velocity_indices]
        joints = self._joints
        bias[robot.velocity_indices] += joints["stiffness"] * (angles - joints["rest_position"])
        bias[robot.velocity_indices] += joints["damping"] * rates
        foot = point_jacobian(robot, q, link, self.tip)
        curvature = point_bias_acceleration(robot, q, v, link, self.tip)
        system = reduce(mass_matrix(robot, q), bias, self._G, foot, curvature)
        body = point_jacobian(robot, q, 0)
        free = system.K @ np.linalg.solve(system.M, -system.h) + system.k
        force, effect = reactions(system)
        return Push(
            body @ system.K @ np.linalg.solve(system.M, system.B),
            body @ free + point_bias_acceleration(robot, q, v, 0),
            effect,
            force,
        )

    def standing(self, tilt: np.ndarray, angles: np.ndarray) -> np.ndarray:
        """Return q (nq,) with the body tilted by roll, pitch and yaw (3,) over joint angles (3,), the foot at z = 0."""
        q = np.zeros(self.robot.nq)
        q[3:7] = scipy.spatial.transform.Rotation.from_euler("xyz", tilt).as_quat()
        q[self.robot.position_indices] = angles
        rotation, position = forward_kinematics(self.robot, q)
        q[2] = self.leg.radius - (position[self.leg.link] + rotation[self.leg.link] @ self.tip)[2]
        return q

    def capability(self, q: np.ndarray, direction: np.ndarray) -> float:
        """Return the largest acceleration of the body from rest along a unit direction (3,), m/s^2.

        Zero where the motors cannot even hold the body (the equations' bounds exclude each other).
        """
        push = self.push(q, np.zeros(self.robot.nv))
        E, u0 = np.linalg.lstsq(push.P, np.stack([direction, -push.c], axis=1))[0].T
        if (np.abs(u0) > self.limit * (1.0 + 1e-6)).any():  # the best poses lie on this bound
            return 0.0
        return float(np.min((self.limit - np.sign(E) * u0) / np.maximum(np.abs(E), 1e-12)))

    def optimise(self, direction: np.ndarray, friction: float, starts: int, seed: int = 0) -> Configuration:
        """Return the pose of the greatest capability that sequential quadratic programming finds from several starts.

        Free are the body's tilt, the joint angles and the acceleration s itself; kept are effort limits at rest and at
        s, the friction cone at s, joint limits, and all joints above the ground.

        Args:
            direction: of the jump, (3,), unit length.
            friction: of the ground.
            starts: the home pose and, for the rest, random ones.
            seed: of these.

        Raises:
            ParameterError: no start led to a pose that keeps the conditions.
        """
        rng = np.random.default_rng(seed)
        lower, upper = self.leg.limits[:, np.argsort(self.leg.joints)]
        bounds = [(-WIDEST_TILT, WIDEST_TILT)] * 3 + list(zip(lower, upper, strict=True)) + [(0.0, 100.0)]
        home = self.robot.home[self.robot.position_indices]
        conditions = self._conditions(direction, friction)
        best: Configuration | None = None
        for k in range(starts):
            spread = np.zeros(6) if k == 0 else rng.uniform(-0.5, 0.5, 6)
            guess = np.clip(np.append(np.append(np.zeros(3), home) + spread, 0.1), *np.array(bounds).T)
            found = scipy.optimize.minimize(
                lambda x: -x[6],
                guess,
                jac=lambda x: np.append(np.zeros(6), -1.0),
                bounds=bounds,
                constraints={"type": "ineq", "fun": conditions},
                method="SLSQP",
                options={"maxiter": 200, "ftol": 1e-6},
            )
            if np.isfinite(found.x).all() and conditions(found.x).min() > -1e-6:
                pose = self.standing(found.x[:3], found.x[3:6])
                value = self.capability(pose, direction)
                if best is None or value > best.capability:
                    best = Configuration(pose, value)
        if best is None:
            raise ParameterError(f"starts: none of {starts} starts led to a pose that can push along {direction}")
        return best

    def _conditions(self, direction: np.ndarray, friction: float) -> Callable[[np.ndarray], np.ndarray]:
        """Return the function of (tilt, angles, s / 100) that is nowhere negative where the conditions hold."""

        def conditions(x: np.ndarray) -> np.ndarray:
            q = self.standing(x[:3], x[3:6])
            push = self.push(q, np.zeros(self.robot.nv))
            E, u0 = np.linalg.lstsq(push.P, np.stack([direction, -push.c], axis=1))[0].T
            effort = u0 + 100.0 * x[6] * E
            force = push.f + push.S @ effort
            heights = forward_kinematics(self.robot, q).position[:, 2] - CLEARANCE
            cone = friction * force[2] - math.sqrt(force[0] ** 2 + force[1] ** 2 + 1e-12)
            return np.concatenate(
                [(self.limit - effort), (self.limit + effort), self.limit - u0, self.limit + u0, [cone], 10.0 * heights]
            )

        return conditions
