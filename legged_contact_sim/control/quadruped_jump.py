"""Jump of a quadruped: crouch, thrust, flight, landing."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import ModelError
from ..model import RobotModel
from .controller import Controller, Observation
from .joint_pid import JointPidParameters, PidLaw
from .parameters import Parameters, number, numbers
from .trot_reference import smooth_step
from .whole_body import Motion, WholeBody, attitude_error, has_fallen, heading, turned

CALM = (0.1, 0.1)  # m/s and rad/s: slower than this the robot stands


@dataclass(frozen=True)
class QuadrupedJumpParameters(Parameters):
    """Parameters of `quadruped_jump`.

    Heights and speed are those of the trunk over the ground; ``stiffness`` and ``damping`` hold the legs in flight.
    """

    start_delay: float = number(0.5, 0.0, 1e3, "s")
    crouch_time: float = number(0.8, 0.05, 10.0, "s")
    crouch_height: float = number(0.35, 0.0, 5.0, "m")
    takeoff_height: float = number(0.7, 0.0, 5.0, "m")
    takeoff_speed: float = number(8.0, 0.0, 20.0, "m/s")
    landing_height: float = number(0.6, 0.0, 5.0, "m")
    friction: float = number(0.25, 0.01, 10.0)
    height_stiffness: float = number(200.0, 0.0, 1e4, "1/s^2")
    height_damping: float = number(28.0, 0.0, 1e4, "1/s")
    position_stiffness: float = number(60.0, 0.0, 1e4, "1/s^2")
    position_damping: float = number(15.0, 0.0, 1e4, "1/s")
    attitude_stiffness: float = number(200.0, 0.0, 1e4, "1/s^2")
    attitude_damping: float = number(28.0, 0.0, 1e4, "1/s")
    stiffness: tuple[float, ...] = numbers((600.0,), 0.0, 1e7, "N m/rad")
    damping: tuple[float, ...] = numbers((12.0,), 0.0, 1e6, "N m s/rad")
    touch_force: float = number(20.0, 0.0, 1e5, "N")


class QuadrupedJump(Controller):
    """Jumps once, straight up, and stands where it lands.

    Attributes:
        phase: "stand", "crouch", "thrust", "flight", "landing", "landed" or "fallen".
        apex: greatest height of the trunk over the ground so far, m.
    """

    name: ClassVar[str] = "quadruped_jump"
    summary: ClassVar[str] = "jumps straight up once: crouch, thrust, flight, landing"
    Parameters: ClassVar[type[Parameters]] = QuadrupedJumpParameters

    def __init__(self, robot: RobotModel, parameters: QuadrupedJumpParameters) -> None:
        """See `Controller`."""
        super().__init__(robot, parameters)
        self.body = WholeBody(robot, parameters.friction)
        if len(self.body.legs) < 3:
            raise ModelError(f"{robot.name}: quadruped_jump needs legs to stand on, found {len(self.body.legs)}")
        feet = np.array([leg.foot(leg.home) for leg in self.body.legs])
        self.radii = np.array([leg.radius for leg in self.body.legs])
        self.middle = feet.mean(axis=0)
        self.home_height = float(-(feet[:, 2] - self.radii).mean())
        arm = float(np.linalg.norm(feet[:, :2] - self.middle[:2], axis=1).mean())
        self.weights = np.array([1.0, 1.0, 1.0, 1.0 / arm, 1.0 / arm, 1.0 / arm])
        gains = JointPidParameters(stiffness=parameters.stiffness, damping=parameters.damping)
        self.law = PidLaw(robot, gains)
        self.flight_pose = self._pose(parameters.takeoff_height)
        self.landing_pose = self._pose(parameters.landing_height)

    def reset(self, observation: Observation) -> None:
        """Stand in the present heading; the jump begins after the delay."""
        motion = self.body.observe(observation)
        self.law.reset(observation.time)
        self._heading = turned(heading(motion.rotation))
        self._place = self._over_feet(motion)
        self._ground = float((motion.feet[:, 2] - self.radii).mean())
        self._enter("stand", observation.time)
        self.apex = float(motion.position[2]) - self._ground

    def effort(self, observation: Observation) -> np.ndarray:
        """See `Controller.effort`."""
        motion = self.body.observe(observation)
        height = float(motion.position[2]) - self._ground
        self.apex = max(self.apex, height)
        self._change_phase(observation, motion, height)
        if self.phase == "fallen":
            return np.clip(-self.law.damping * observation.velocities, -self.law.effort_limit, self.law.effort_limit)
        if self.phase == "flight":
            pose = self.flight_pose if motion.velocity[2] > 0.0 else self.landing_pose
            return self.law.effort(observation, pose, np.zeros(self.robot.joint_count))
        return self._stance_effort(motion, self._vertical(observation.time, motion, height))

    def _enter(self, phase: str, time: float) -> None:
        self.phase, self._since = phase, time

    def _change_phase(self, seen: Observation, motion: Motion, height: float) -> None:
        """Go on to the next phase when the present one is over."""
        own, elapsed = self.parameters, seen.time - self._since
        touching = [seen.normal_force(leg.name) > own.touch_force for leg in self.body.legs]
        if has_fallen(motion):
            self._enter("fallen", seen.time)
        elif self.phase == "stand" and elapsed >= own.start_delay:
            self._enter("crouch", seen.time)
        elif self.phase == "crouch" and elapsed >= own.crouch_time:
            self._enter("thrust", seen.time)
        elif self.phase == "thrust" and (height >= own.takeoff_height or (elapsed > 0.02 and not any(touching))):
            self._enter("flight", seen.time)
        elif self.phase == "flight" and motion.velocity[2] < 0.0 and sum(touching) >= 2:
            self._place = self._over_feet(motion)
            self._enter("landing", seen.time)
        elif self.phase == "landing" and self._calm(motion, elapsed):
            self._enter("landed", seen.time)

    def _calm(self, motion: Motion, elapsed: float) -> bool:
        speed, turning = np.linalg.norm(motion.velocity), np.linalg.norm(motion.turning)
        return bool(elapsed > 0.5 and speed < CALM[0] and turning < CALM[1])

    def _vertical(self, time: float, motion: Motion, height: float) -> float:
        """Return the wanted vertical acceleration of the trunk, m/s^2."""
        own, elapsed, speed = self.parameters, time - self._since, float(motion.velocity[2])
        if self.phase == "thrust":  # what takes it from here to the speed of take-off at its height
            way = max(own.takeoff_height - height, 0.01)
            return float(np.clip((own.takeoff_speed**2 - speed**2) / (2.0 * way), 0.0, 2.0 * self._thrust))
        if self.phase == "landing" and speed < -0.5:  # what stops it at the height of the crouch
            return float(speed**2 / (2.0 * max(height - own.crouch_height, 0.05)))
        target, rate, feed = self.home_height, 0.0, 0.0
        if self.phase == "crouch":
            way, slope, bend = smooth_step(min(elapsed / own.crouch_time, 1.0))
            depth = own.crouch_height - self.home_height
            target, rate = self.home_height + way * depth, slope * depth / own.crouch_time
            feed = bend * depth / own.crouch_time**2
        return feed + own.height_stiffness * (target - height) + own.height_damping * (rate - speed)

    @property
    def _thrust(self) -> float:
        """Constant acceleration that would do from rest in the crouch, m/s^2."""
        own = self.parameters
        return own.takeoff_speed**2 / (2.0 * max(own.takeoff_height - own.crouch_height, 0.01))

    def _stance_effort(self, motion: Motion, vertical: float) -> np.ndarray:
        own = self.parameters
        level = self._place - motion.position[:2]
        trunk = np.empty(6)
        trunk[:2] = own.position_stiffness * level - own.position_damping * motion.velocity[:2]
        trunk[2] = vertical
        error = attitude_error(motion.rotation, self._heading)
        trunk[3:] = own.attitude_stiffness * error - own.attitude_damping * motion.turning
        feet = -2.0 * own.height_damping * motion.foot_velocities
        stance = np.ones(len(self.body.legs), dtype=bool)
        posture = (0.0, 0.0) if self.phase == "thrust" else (50.0, 10.0)
        return self.body.effort(motion, trunk, feet, stance, self.weights, posture)[0]

    def _over_feet(self, motion: Motion) -> np.ndarray:
        """Return the place of the trunk over the middle of the feet, (2,), m."""
        return (motion.feet.mean(axis=0) - self._heading @ self.middle)[:2]

    def _pose(self, height: float) -> np.ndarray:
        """Return the joint positions with the feet below the hips and the trunk at a height, m."""
        pose = self.robot.home[self.robot.position_indices].copy()
        for leg in self.body.legs:
            foot = leg.foot(leg.home)
            foot[2] = leg.radius - height
            pose[leg.joints] = leg.angles(foot)
        return pose
