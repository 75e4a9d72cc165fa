"""A walk of the planar biped whose joint motions are functions of time: polynomials between a few chosen instants.

The pelvis goes at a mean speed, fastest and lowest in the middle of the double support, as an inverted pendulum does. A
foot touches with its heel, lies flat, and rolls over its toe; in the swing a spline leads it forward. Inverse
kinematics of the legs then gives the joints. The trunk stays upright, the arms swing against the legs.
"""

from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are used
from numpy.typing import ArrayLike

from ..errors import ParameterError
from ..model import RobotModel

KNOTS = 121  # instants of a cycle at which the inverse kinematics is solved; a periodic cubic spline joins them


@dataclass(frozen=True)
class GaitShape:
    """A walk in numbers. Lengths in m, times in s, angles in rad about +y: a foot at a negative one has its toe up.

    Attributes:
        speed: mean speed of the pelvis, m/s.
        step_time: from one heel touch to the next, of the other foot.
        double_support: how long both feet touch.
        height: of the hips above the soles, on average.
        bounce: amplitude of the hips' height, twice a cycle; lowest in the double support.
        surge: amplitude of the hips' speed, m/s; fastest in the double support.
        heel_angle: of the foot as its heel touches.
        flat: share of the stance after which the foot lies flat.
        heel_off: share of the stance after which the heel rises.
        toe_angle: of the foot as its toe leaves.
        depth: how far a loaded sole goes into the ground.
        clearance: of the ankle in the middle of the swing, above its height on a flat foot.
        arm_swing: amplitude of the shoulders.
        elbow: angle of the elbows.
    """

    speed: float = 1.35
    step_time: float = 0.52
    double_support: float = 0.13
    height: float = 0.848
    bounce: float = 0.022
    surge: float = 0.15
    heel_angle: float = -0.15
    flat: float = 0.15
    heel_off: float = 0.75
    toe_angle: float = 0.6
    depth: float = 0.014
    clearance: float = 0.09
    arm_swing: float = 0.3
    elbow: float = -0.3


@dataclass(frozen=True)
class LegShape:
    """A leg in its plane: thigh and shank, m, and heel and toe (x, z) in the foot's frame at the ankle, m."""

    thigh: float
    shank: float
    heel: np.ndarray
    toe: np.ndarray

    @classmethod
    def of(cls, robot: RobotModel, side: str) -> "LegShape":
        """Return the shape of a leg of a robot whose links are named as those of ``biped_planar``."""
        points, link = robot.contact_points, robot.link_index(f"{side}_foot")
        sole = points["position"][points["link"] == link]
        if len(sole) == 0:
            raise ParameterError(f"gait: {robot.name} has no contact points on a link {side}_foot")
        offsets = [joint_offset(robot, f"{side}_{name}") for name in ("knee", "ankle")]
        ends = sole[[int(np.argmin(sole[:, 0])), int(np.argmax(sole[:, 0]))]][:, [0, 2]]
        return cls(offsets[0], offsets[1], ends[0], ends[1])


def joint_offset(robot: RobotModel, joint: str) -> float:
    """Return how far a joint lies from the origin of its parent link, m."""
    if joint not in robot.joint_names:
        raise ParameterError(f"gait: {robot.name} has no joint {joint}")
    link = robot.links[robot.joint_links[robot.joint_names.index(joint)]]
    return float(np.linalg.norm(link["placement"]))


def turned(angle: ArrayLike, point: np.ndarray) -> np.ndarray:
    """Return a point (x, z) after a turn about +y, rad; (..., 2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * point[0] + s * point[1], c * point[1] - s * point[0]], axis=-1)


class PlanarGait:
    """Joint motions of a walk as functions of time; time 0 is the middle of a double support, left foot in front."""

    def __init__(self, robot: RobotModel, shape: GaitShape | None = None) -> None:
        """Plan a cycle.

        Raises:
            ParameterError: the robot is no planar biped, or its legs do not reach.
        """
        self.robot, self.shape = robot, shape or GaitShape()
        self.cycle = 2.0 * self.shape.step_time
        phases = np.linspace(0.0, self.cycle, KNOTS)
        columns = {}
        for side, delay in (("left", 0.0), ("right", self.shape.step_time)):
            columns.update(self._leg(side, phases - delay))
            swing = self.shape.arm_swing * np.cos(2.0 * np.pi * (phases - delay) / self.cycle)
            columns[f"{side}_shoulder"] = swing
            columns[f"{side}_elbow"] = np.full(KNOTS, self.shape.elbow)
        self.moving = [name for name in robot.joint_names if name in columns]
        table = np.column_stack([columns[name] for name in self.moving])
        table[-1] = table[0]
        self._joints = scipy.interpolate.CubicSpline(phases, table, bc_type="periodic")

    def pelvis(self, time: ArrayLike, order: int = 0) -> np.ndarray:
        """Return the hips' position (x, z) at a time, s, (..., 2), m, or its rate (``order`` 1), m/s.

        The height is that above ground which does not give way.
        """
        shape, rate = self.shape, 2.0 * np.pi / self.shape.step_time
        time = np.asarray(time)
        wave, cross = np.sin(rate * time), np.cos(rate * time)
        if order == 1:
            return np.stack([shape.speed + shape.surge * cross, shape.bounce * rate * wave], axis=-1)
        forward = shape.speed * time + shape.surge / rate * wave
        return np.stack([forward, shape.height - shape.bounce * cross], axis=-1)

    def joints(self, time: ArrayLike, order: int = 0) -> np.ndarray:
        """Return positions of all joints at a time, s, (..., joint_count), rad or m, or their rates (``order`` 1)."""
        found = np.zeros((*np.shape(time), self.robot.joint_count))
        columns = [self.robot.joint_names.index(name) for name in self.moving]
        found[..., columns] = self._joints(np.asarray(time) % self.cycle, order)
        path = self.pelvis(time, order)
        found[..., self.robot.joint_names.index("root_x")] = path[..., 0]
        found[..., self.robot.joint_names.index("root_z")] = path[..., 1]
        return found

    def _leg(self, side: str, phases: np.ndarray) -> dict[str, np.ndarray]:
        """Return a leg's joints at phases of its own cycle, s; its heel touches half a double support before 0."""
        leg = LegShape.of(self.robot, side)
        path, foot = self._foot(leg)
        local = (phases + 0.5 * self.shape.double_support) % self.cycle
        across = path(local)
        hip, knee = self._reach(leg, across, side)
        return {f"{side}_hip": hip, f"{side}_knee": knee, f"{side}_ankle": foot(local) - hip - knee}

    def _foot(self, leg: LegShape) -> "tuple[scipy.interpolate.CubicSpline, scipy.interpolate.CubicSpline]":
        """Return the ankle's path from the hip, (x, z), and the foot's angle, over the time since the heel touched."""
        shape = self.shape
        stance = shape.step_time + shape.double_support
        time = np.linspace(0.0, stance, 41)
        share = time / stance
        angle = shape.heel_angle * np.clip(1.0 - share / shape.flat, 0.0, None) ** 2
        angle += shape.toe_angle * np.clip((share - shape.heel_off) / (1.0 - shape.heel_off), 0.0, None) ** 2
        hips = self.pelvis(time - 0.5 * shape.double_support)
        middle = self.pelvis(0.5 * shape.step_time)[0] - 0.5 * (leg.heel[0] + leg.toe[0])
        pivot = np.where((angle < 0.0)[:, None], leg.heel, leg.toe)
        rolled = pivot - np.where((angle < 0.0)[:, None], turned(angle, leg.heel), turned(angle, leg.toe))
        loaded = np.minimum(1.0, np.minimum(time, stance - time) / shape.double_support)
        height = -leg.heel[1] - shape.depth * loaded**2 * (3.0 - 2.0 * loaded)
        ankle = np.column_stack([np.full(len(time), middle), height]) + rolled - hips
        swing = stance + np.array([0.35, 0.65]) * (self.cycle - stance)
        lift = -leg.heel[1] + np.array([1.4, 0.9]) * shape.clearance
        ahead = self.pelvis(swing - 0.5 * shape.double_support)
        goal = ankle[-1, 0] + np.array([0.3, 0.78]) * (ankle[0, 0] - ankle[-1, 0])
        knots = np.concatenate([time, swing, [self.cycle]])
        path = np.concatenate([ankle, np.column_stack([goal, lift - ahead[:, 1]]), ankle[:1]])
        angles = np.concatenate([angle, [0.45 * shape.toe_angle, 0.3 * shape.heel_angle], angle[:1]])
        spline = scipy.interpolate.CubicSpline
        return spline(knots, path, bc_type="periodic"), spline(knots, angles, bc_type="periodic")

    def _reach(self, leg: LegShape, across: np.ndarray, side: str) -> tuple[np.ndarray, np.ndarray]:
        """Return hip and knee angles that put the ankle where it belongs, (T, 2) from the hip."""
        distance = np.hypot(across[:, 0], across[:, 1])
        if distance.max() >= leg.thigh + leg.shank:
            raise ParameterError(f"gait: the {side} leg is too short by {distance.max() - leg.thigh - leg.shank:.3f} m")
        inner = (leg.thigh**2 + leg.shank**2 - distance**2) / (2.0 * leg.thigh * leg.shank)
        knee = np.pi - np.arccos(np.clip(inner, -1.0, 1.0))
        beside = np.arctan2(leg.shank * np.sin(knee), leg.thigh + leg.shank * np.cos(knee))
        return np.arctan2(-across[:, 0], -across[:, 1]) - beside, knee
