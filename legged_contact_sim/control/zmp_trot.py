"""Trot led by the zero moment point: joint PID along the reference, or inverse dynamics with feedback of the trunk."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..dynamics import center_of_mass
from ..errors import ModelError, ParameterError
from ..model import RobotModel
from .controller import Controller, DriveTargets, Observation
from .ground_plane import GroundPlane
from .joint_pid import JointPidParameters, PidLaw
from .joint_trajectory import between
from .leg_kinematics import find_legs
from .parameters import Parameters, flag, number, numbers
from .trot_reference import PLAN_PERIOD, Gait, Pose2, TrotReference
from .whole_body import Motion, WholeBody, attitude_error, has_fallen, heading, turned

IK_ITERATIONS = 4  # a plan period moves the feet little
STEPS = 1e-3  # m/rad: legs whose feet move less than that along an axis cannot step there


@dataclass(frozen=True)
class ZmpTrotParameters(Parameters):
    """Parameters of `zmp_trot`.

    The gains of the joints serve without feedback, those of trunk and feet (1/s^2 and 1/s) with it. ``velocity`` is the
    command (m/s, m/s, rad/s) until another comes. Times, lengths and gains that are 0 follow from the robot's size
    (see `sized`).
    """

    feedback: bool = flag(True)
    velocity: tuple[float, ...] = numbers((0.0, 0.0, 0.0), -5.0, 5.0, length=3)
    start_delay: float = number(0.5, 0.0, 1e3, "s")
    swing_time: float = number(0.0, 0.0, 5.0, "s")
    double_support: float = number(0.0, 0.0, 5.0, "s")
    clearance: float = number(0.0, 0.0, 1.0, "m")
    longest_step: float = number(0.0, 0.0, 2.0, "m")
    horizon: float = number(0.0, 0.0, 5.0, "s")
    acceleration: float = number(0.5, 0.0, 100.0, "m/s^2", open_low=True)
    turning_acceleration: float = number(1.0, 0.0, 100.0, "rad/s^2", open_low=True)
    stiffness: tuple[float, ...] = numbers((2000.0,), 0.0, 1e7, "N m/rad")
    damping: tuple[float, ...] = numbers((20.0,), 0.0, 1e6, "N m s/rad")
    integral: tuple[float, ...] = numbers((0.0,), 0.0, 1e7, "N m/(rad s)")
    integral_limit: tuple[float, ...] = numbers((50.0,), 0.0, 1e6, "N m")
    friction: float = number(0.25, 0.01, 10.0)
    position_stiffness: float = number(0.0, 0.0, 1e4, "1/s^2")
    position_damping: float = number(0.0, 0.0, 1e4, "1/s")
    height_stiffness: float = number(0.0, 0.0, 1e4, "1/s^2")
    height_damping: float = number(0.0, 0.0, 1e4, "1/s")
    attitude_stiffness: float = number(0.0, 0.0, 1e4, "1/s^2")
    attitude_damping: float = number(0.0, 0.0, 1e4, "1/s")
    swing_stiffness: float = number(0.0, 0.0, 1e5, "1/s^2")
    swing_damping: float = number(0.0, 0.0, 1e4, "1/s")
    capture_gain: float = number(1.0, 0.0, 5.0)
    leash: float = number(0.0, 0.0, 10.0, "m")


# What the study has, at the height of its robot's centre of mass, m, and the power of the height by which it grows with
# feedback: dynamically similar gaits have lengths that grow with the size and times with its root (Froude's number).
STUDY_HEIGHT = 0.465
SIZED = {
    "swing_time": (0.3, 0.5),
    "double_support": (0.1, 0.5),
    "clearance": (0.06, 1.0),
    "longest_step": (0.4, 1.0),
    "horizon": (1.6, 0.5),
    "position_stiffness": (30.0, -1.0),
    "position_damping": (10.0, -0.5),
    "height_stiffness": (150.0, -1.0),
    "height_damping": (25.0, -0.5),
    "attitude_stiffness": (150.0, -1.0),
    "attitude_damping": (25.0, -0.5),
    "swing_stiffness": (400.0, -1.0),
    "swing_damping": (40.0, -0.5),
    "leash": (0.1, 1.0),
}
# A robot with light legs and a small trunk tips about the diagonal that it stands on; quicker steps give it less time.
QUICKER = {"swing_time": 0.2, "double_support": 0.06}

# Two feet cannot turn the trunk about the line between them. What is missing goes into its acceleration, which the next
# steps catch, or into its tilt: moments, over the feet's distance from the centre, count so much more than forces.
UPRIGHT = 2.0


def sized(parameters: ZmpTrotParameters, height: float) -> ZmpTrotParameters:
    """Return the parameters with those that are 0 filled in: from the height of the centre of mass, m, with feedback.

    Without feedback they are those of the study.
    """
    size = height / STUDY_HEIGHT if parameters.feedback else 1.0
    filled = {}
    for name, (value, power) in SIZED.items():
        if getattr(parameters, name) == 0.0:
            suits = QUICKER.get(name, value) if parameters.feedback else value
            filled[name] = suits * size**power
    return replace(parameters, **filled)


class ZmpTrot(Controller):
    """Trots at a commanded velocity on any robot with four legs.

    ``fallen``: with feedback, whether it has fallen over since the last reset; it goes limp then.
    """

    name: ClassVar[str] = "zmp_trot"
    summary: ClassVar[str] = "trot at a commanded velocity: preview control of the zero moment point on diagonals"
    feels_contacts: ClassVar[bool] = False
    Parameters: ClassVar[type[Parameters]] = ZmpTrotParameters

    def __init__(self, robot: RobotModel, parameters: ZmpTrotParameters) -> None:
        """See `Controller`."""
        super().__init__(robot, parameters)
        self.legs = find_legs(robot)
        if len(self.legs) != 4:
            raise ModelError(f"{robot.name}: zmp_trot needs four legs, found {len(self.legs)}")
        home = robot.home.copy()
        home[:3], home[3:7] = 0.0, (0.0, 0.0, 0.0, 1.0)
        self.com = center_of_mass(robot, home)
        feet = np.array([leg.foot(leg.home) for leg in self.legs])
        self.sole = np.array([leg.radius for leg in self.legs])
        self.ground = float(np.mean(feet[:, 2] - self.sole))
        parameters = self.parameters = sized(parameters, float(self.com[2]) - self.ground)
        gait = Gait(
            parameters.swing_time,
            parameters.double_support,
            parameters.clearance,
            parameters.horizon,
            parameters.longest_step,
            parameters.acceleration,
            parameters.turning_acceleration,
        )
        # Legs without a joint that turns about the robot's length (Solo8's) move their feet in one upright plane.
        reach = np.array([np.abs(leg.jacobian(leg.home)).max(axis=1) for leg in self.legs]).min(axis=0)
        self.steps_sideways = bool(reach[1] > STEPS)
        if not reach[0] > STEPS:
            raise ModelError(f"{robot.name}: zmp_trot walks along x, and a leg has no joint for steps that way")
        stance = feet[:, :2] - self.com[:2]
        self.reference = TrotReference(gait, float(self.com[2]) - self.ground, stance, diagonals(stance))
        self.command_velocity(*parameters.velocity)
        gains = {name: getattr(parameters, name) for name in ("stiffness", "damping", "integral", "integral_limit")}
        self.law = PidLaw(robot, JointPidParameters(**gains))
        self.body = WholeBody(robot, parameters.friction)
        self.plane = GroundPlane(2.0 * (parameters.swing_time + parameters.double_support))
        arm = float(np.linalg.norm(stance, axis=1).mean())
        self.weights = np.array([1.0, 1.0, 1.0, *[UPRIGHT / arm] * 3])

    def command_velocity(self, forward: float, sideways: float, turning: float) -> None:
        """Ask for a velocity, m/s and rad/s; one that takes longer steps than allowed is scaled down."""
        wanted = np.array([forward, sideways, turning], dtype=float)
        if not np.isfinite(wanted).all():
            raise ParameterError(f"velocity: expected finite numbers, found {wanted.tolist()}")
        own, radius = self.parameters, float(np.linalg.norm(self.reference.stance, axis=1).max())
        fastest = own.longest_step / (2.0 * (own.swing_time + own.double_support))  # a foot steps every other phase
        speed = np.hypot(wanted[0], wanted[1]) + radius * abs(wanted[2])
        self.velocity = wanted * min(1.0, fastest / max(speed, 1e-9))

    def reset(self, observation: Observation) -> None:
        """Stand where the robot stands; without feedback, at the origin of its own plan."""
        self.law.reset(observation.time)
        self._begin = observation.time
        self.fallen = False
        reference = self.reference
        reference.command = np.zeros(3)
        if self.parameters.feedback:
            motion = self.body.observe(observation)
            yaw = heading(motion.rotation)
            x, y = motion.position[:2] + turned(yaw)[:2, :2] @ self.com[:2]
            reference.reset(observation.time, Pose2(x, y, yaw), motion.feet[:, :2])
            self.plane.reset(self._soles(motion))
            self._last_time = observation.time
        else:
            place = Pose2(0.0, 0.0, 0.0)
            reference.reset(observation.time, place, place.apply(reference.stance))
            self._next = self._angles(observation.positions)
            self._last = observation.positions.copy()

    def effort(self, observation: Observation) -> np.ndarray:
        """See `Controller.effort`."""
        if self.parameters.feedback:
            return self._feedback_effort(observation)
        return self.law.effort(observation, *self._joints(observation.time))

    def targets(self, observation: Observation) -> DriveTargets:
        """See `Controller.targets`; without feedback only."""
        if self.parameters.feedback:
            raise ParameterError("zmp_trot.feedback: expected false with joint targets")
        return self.law.targets(*self._joints(observation.time))

    def _joints(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and velocities of the joints along the reference, (joint_count,)."""
        reference = self.reference
        while time >= reference.time + PLAN_PERIOD - 1e-9:
            self._advance(time, np.zeros(2))
            self._last, self._next = self._next, self._angles(self._next)
        part = (time - reference.time) / PLAN_PERIOD
        return between(self._last, self._next, None, PLAN_PERIOD, part)

    def _advance(self, time: float, correction: np.ndarray) -> None:
        if time - self._begin >= self.parameters.start_delay:
            self.reference.command = self.velocity
        self.reference.advance(correction)

    def _angles(self, guess: np.ndarray) -> np.ndarray:
        """Return the joint positions of the reference a plan period from now."""
        reference, angles = self.reference, guess.copy()
        com = reference.pendulum.ahead(PLAN_PERIOD)[0]
        yaw = reference.path.yaw + reference.velocity[2] * PLAN_PERIOD
        R = turned(yaw)
        trunk = np.array([com[0], com[1], -self.ground]) - R @ np.array([self.com[0], self.com[1], 0.0])
        feet = reference.footing(PLAN_PERIOD).position
        feet[:, 2] += self.sole
        for leg, foot in zip(self.legs, feet, strict=True):
            angles[leg.joints] = leg.angles(R.T @ (foot - trunk), guess[leg.joints], IK_ITERATIONS)
        return angles

    def _feedback_effort(self, seen: Observation) -> np.ndarray:
        reference, own = self.reference, self.parameters
        motion = self.body.observe(seen)
        self.fallen = self.fallen or has_fallen(motion)
        if self.fallen:
            return np.zeros(self.robot.joint_count)
        while seen.time >= reference.time + PLAN_PERIOD - 1e-9:
            self._follow_robot(motion)
            if not self.steps_sideways:
                reference.see(motion.feet[:, :2])
            self._advance(seen.time, self._capture(motion))
        elapsed = seen.time - reference.time
        com, footing = reference.pendulum.ahead(elapsed), reference.footing(elapsed)
        stance = ~footing.swings
        self.plane.update(self._soles(motion), stance, seen.time - self._last_time)
        self._last_time = seen.time
        ground = float(self.plane.height(motion.position[:2]))
        trunk = self._trunk_acceleration(motion, com, ground, elapsed)
        # Standing feet have no velocity or acceleration to follow, only damping.
        feet = footing.acceleration + own.swing_damping * (footing.velocity - motion.foot_velocities)
        if footing.swings.any():
            away = footing.position - motion.feet
            away[:, 2] += self.sole + self.plane.height(footing.position[:, :2])
            feet += own.swing_stiffness * footing.swings[:, None] * away
        return self.body.effort(motion, trunk, feet, stance, self.weights)[0]

    def _trunk_acceleration(self, motion: Motion, com: np.ndarray, ground: float, elapsed: float) -> np.ndarray:
        own, path = self.parameters, self.reference.path
        turning = self.reference.velocity[2]
        wanted = turned(path.yaw + turning * elapsed)
        offset = wanted[:2, :2] @ self.com[:2]
        acceleration = np.empty(6)
        acceleration[:2] = (
            com[2]
            + own.position_stiffness * (com[0] - offset - motion.position[:2])
            + own.position_damping * (com[1] - motion.velocity[:2])
        )
        height = ground - self.ground - motion.position[2]
        acceleration[2] = own.height_stiffness * height - own.height_damping * motion.velocity[2]
        error = attitude_error(motion.rotation, wanted)
        rates = np.array([0.0, 0.0, turning]) - motion.turning
        acceleration[3:] = own.attitude_stiffness * error + own.attitude_damping * rates
        return acceleration

    def _soles(self, motion: Motion) -> np.ndarray:
        """Return the lowest points of the feet, (n, 3), m."""
        soles = motion.feet.copy()
        soles[:, 2] -= self.sole
        return soles

    def _com_error(self, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
        """Return how far place and velocity of the centre of mass, as the trunk has them, are from the reference."""
        state = self.reference.pendulum.state
        place = motion.position[:2] + (motion.rotation @ (self.com * (1.0, 1.0, 0.0)))[:2]
        return place - state[0], motion.velocity[:2] - state[1]

    def _follow_robot(self, motion: Motion) -> None:
        """Keep the reference within a leash of the robot, so that it waits for a robot that was held or pushed."""
        error, _ = self._com_error(motion)
        distance = math.hypot(*error.tolist())
        if distance > self.parameters.leash:
            self.reference.shift(error * (1.0 - self.parameters.leash / distance))

    def _capture(self, motion: Motion) -> np.ndarray:
        """Return where to move the next footholds, (2,), m: by the error of the capture point x + v sqrt(z/g)."""
        position, velocity = self._com_error(motion)
        time = np.sqrt((self.com[2] - self.ground) / 9.81)
        return self.parameters.capture_gain * (position + time * velocity)


def diagonals(stance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the feet of the two diagonals, from their places (4, 2): the left fore foot's first."""
    fore = np.argsort(-stance[:, 0])[:2]
    left_fore = fore[np.argmax(stance[fore, 1])]
    opposite = int(np.argmin(stance @ stance[left_fore]))
    rest = [k for k in range(4) if k not in (left_fore, opposite)]
    return np.array([left_fore, opposite]), np.array(rest)
