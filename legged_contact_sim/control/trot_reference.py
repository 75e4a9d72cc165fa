"""The reference of a trot: where the centre of mass and the feet are to be, from a commanded velocity alone.

The body's path follows the command. Diagonal pairs of legs swing in turn: every phase begins with all feet on the
ground (double support), in which the zero moment point moves from one diagonal to the other; then one pair swings while
the zero moment point rests on the other pair's diagonal. Preview control leads the centre of mass.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .preview_control import PreviewGains, PreviewPendulum

PLAN_PERIOD = 0.01  # s
LEAD_TICKS = 25  # from a command to the first phase, so that the centre of mass can get going
SETTLED = 5e-3  # m: feet that stand so near to their places need not step again


@dataclass(frozen=True)
class Gait:
    """The rhythm and the bounds of a trot: times in s, lengths in m, accelerations in m/s^2 and rad/s^2."""

    swing_time: float
    double_support: float
    clearance: float
    horizon: float
    longest_step: float
    acceleration: float
    turning_acceleration: float


class Pose2(NamedTuple):
    """A place on the ground and a heading: m, rad."""

    x: float
    y: float
    yaw: float

    def moved(self, velocity: np.ndarray, time: float) -> "Pose2":
        """Return the pose after a time, s, at a velocity (forward, sideways, turning) in its own axes."""
        forward, sideways, turning = velocity.tolist()
        turn = turning * time
        along = time * (math.sin(turn) / turn if abs(turn) > 1e-9 else 1.0)
        across = time * ((1.0 - math.cos(turn)) / turn if abs(turn) > 1e-9 else 0.5 * turn)
        shift = (forward * along - sideways * across, forward * across + sideways * along)
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return Pose2(self.x + c * shift[0] - s * shift[1], self.y + s * shift[0] + c * shift[1], self.yaw + turn)

    def apply(self, points: np.ndarray) -> np.ndarray:
        """Return a point (2,) or points (n, 2) of the pose's axes in the world."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return points @ np.array([[c, s], [-s, c]]) + (self.x, self.y)


class Footing(NamedTuple):
    """Reference of the feet: position, velocity and acceleration (n, 3), height above the ground; who swings (n,)."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    swings: np.ndarray


class TrotReference:
    """Plans every `PLAN_PERIOD`; in between it is sampled."""

    def __init__(self, gait: Gait, height: float, stance: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]) -> None:
        """Prepare the plan.

        Args:
            gait: rhythm and bounds.
            height: of the centre of mass over the ground, m.
            stance: places of the feet about the centre of mass in the trunk's heading, (n, 2), m.
            pairs: indices of the feet of the two diagonals.
        """
        self.gait = gait
        self.stance = stance
        self.pairs = pairs
        self._pair_middles = [stance[pair].mean(axis=0) for pair in pairs]
        self.support_ticks = max(1, round(gait.double_support / PLAN_PERIOD))
        self.phase_ticks = self.support_ticks + max(2, round(gait.swing_time / PLAN_PERIOD))
        self.gains = PreviewGains.of_pendulum(height, PLAN_PERIOD, gait.horizon)
        self.ramps = np.array([gait.acceleration, gait.acceleration, gait.turning_acceleration])
        self.command = np.zeros(3)
        self.reset(0.0, Pose2(0.0, 0.0, 0.0), stance)

    def reset(self, time: float, place: Pose2, feet: np.ndarray) -> None:
        """Stand at a place, m and rad, on the feet (n, 2), m, at a time, s."""
        self.time = time
        self.path = place
        self.velocity = np.zeros(3)
        self.feet = feet.copy()
        self.begin, self.goal = feet.copy(), feet.copy()
        self.pendulum = PreviewPendulum(self.gains, PLAN_PERIOD, np.array(place[:2]))
        self.seen: np.ndarray | None = None
        self.standing = True
        self.phase, self.tick = 0, 0
        self._last_zmp = feet.mean(axis=0)
        self._plan()

    @property
    def swinging(self) -> np.ndarray:
        """Indices of the feet that swing in this phase."""
        return self.pairs[self.phase % 2]

    @property
    def supporting(self) -> np.ndarray:
        """Indices of the feet that stay in this phase."""
        return self.pairs[1 - self.phase % 2]

    def advance(self, correction: np.ndarray) -> None:
        """Move on by a plan period; ``correction`` (2,), m, moves the places where swinging feet land."""
        self._follow_command()
        self.path = self.path.moved(self.velocity, PLAN_PERIOD)
        self.pendulum.advance()
        self.time += PLAN_PERIOD
        self.tick += 1
        if self.standing:
            if np.abs(self.command).max() > 0.0:
                self.standing, self.tick = False, -LEAD_TICKS
                self._begin_phase()
        elif self.tick == self.phase_ticks:
            self._end_phase()
        if not self.standing:
            self._aim(correction)
        self._plan()

    def shift(self, offset: np.ndarray) -> None:
        """Move path and centre of mass by an offset (2,), m; feet on the ground stay."""
        self.path = Pose2(self.path.x + offset[0], self.path.y + offset[1], self.path.yaw)
        self.pendulum.shift(offset)

    def see(self, feet: np.ndarray) -> None:
        """Take where the feet are, (n, 2), m, of a robot whose legs cannot step sideways and land where they can."""
        stands = np.ones(len(feet), dtype=bool)
        if not self.standing and self.tick >= self.support_ticks:
            stands[self.swinging] = False
        self.feet[stands] = self.begin[stands] = feet[stands]
        self.seen = feet

    def zmp_reference(self) -> np.ndarray:
        """Return the zero moment point that is asked for now and in the periods ahead, (N + 1, 2), m."""
        count = len(self.gains.preview) + 1
        reference = np.empty((count, 2))
        if self.standing:
            reference[:] = self.feet.mean(axis=0)
            return reference
        start, last, phase = -self.tick, self._last_zmp, self.phase
        reference[: max(start, 0)] = last
        while start < count:
            target = self._support_point(phase, start)
            ramp = start + self.support_ticks
            ticks = np.arange(max(start, 0), min(ramp, count))
            reference[ticks] = last + ((ticks - start) / self.support_ticks)[:, None] * (target - last)
            reference[max(ramp, 0) : start + self.phase_ticks] = target
            start, last, phase = start + self.phase_ticks, target, phase + 1
        return reference

    def footing(self, elapsed: float) -> Footing:
        """Return the feet's reference a time after the last plan, s."""
        count = len(self.feet)
        position, velocity, acceleration = np.zeros((3, count, 3))
        position[:, :2] = self.feet
        swings = np.zeros(count, dtype=bool)
        part = (self.tick * PLAN_PERIOD + elapsed) - self.support_ticks * PLAN_PERIOD
        if not self.standing and part >= 0.0:
            duration = (self.phase_ticks - self.support_ticks) * PLAN_PERIOD
            s = min(part / duration, 1.0)
            legs = self.swinging
            swings[legs] = True
            way, lift = smooth_step(s), bump(s)
            across = self.goal[legs] - self.begin[legs]
            position[legs, :2] = self.begin[legs] + way[0] * across
            velocity[legs, :2] = way[1] / duration * across
            acceleration[legs, :2] = way[2] / duration**2 * across
            position[legs, 2] = self.gait.clearance * lift[0]
            velocity[legs, 2] = self.gait.clearance * lift[1] / duration
            acceleration[legs, 2] = self.gait.clearance * lift[2] / duration**2
        return Footing(position, velocity, acceleration, swings)

    def _plan(self) -> None:
        self.pendulum.plan(self.zmp_reference())

    def _follow_command(self) -> None:
        steps = self.ramps * PLAN_PERIOD
        wanted = np.zeros(3) if self.standing else self.command
        self.velocity = self.velocity + np.clip(wanted - self.velocity, -steps, steps)

    def _begin_phase(self) -> None:
        self.begin, self.goal = self.feet.copy(), self.feet.copy()

    def _end_phase(self) -> None:
        """Put the swinging feet down and begin the next phase, or stand when nothing is asked and all feet are home."""
        self._last_zmp = self.feet[self.supporting].mean(axis=0)
        self.feet[self.swinging] = self.goal[self.swinging]
        self.phase, self.tick = self.phase + 1, 0
        self._begin_phase()
        home = self.path.apply(self.stance)
        still = np.abs(self.command).max() == 0.0 and np.abs(self.velocity).max() == 0.0
        if still and np.abs(home - self.feet).max() < SETTLED:
            self.standing, self._last_zmp = True, self.feet.mean(axis=0)

    def _middle(self, start: int) -> Pose2:
        """Return the path in the middle of the swing of a phase that begins ``start`` plan periods from now."""
        time = (start + 0.5 * (self.support_ticks + self.phase_ticks)) * PLAN_PERIOD
        return self.path.moved(self._mean_velocity(time), time)

    def _mean_velocity(self, time: float) -> np.ndarray:
        """Return the mean of the velocity (3,) over a time ahead, s, while it goes on toward the command."""
        ahead, mean = max(time, 1e-9), np.empty(3)
        for k, (now, command, slope) in enumerate(
            zip(self.velocity.tolist(), self.command.tolist(), self.ramps.tolist(), strict=True)
        ):
            missing = command - now
            ramp = abs(missing) / slope
            mean[k] = now + missing * (1.0 - 0.5 * ramp / ahead if ramp < ahead else 0.5 * ahead / ramp)
        return mean

    def _aim(self, correction: np.ndarray) -> None:
        """Let swinging feet land where the path is in the middle of their coming support, by bounded steps."""
        legs = self.swinging
        places = self._middle(self.phase_ticks - self.tick).apply(self.stance[legs]) + correction
        if self.seen is not None:
            places = self._in_planes(places, self.seen[legs])
        steps = places - self.begin[legs]
        lengths = np.linalg.norm(steps, axis=1, keepdims=True)
        self.goal[legs] = self.begin[legs] + steps * np.minimum(1.0, self.gait.longest_step / np.maximum(lengths, 1e-9))

    def _in_planes(self, places: np.ndarray, seen: np.ndarray) -> np.ndarray:
        """Return places (2, 2), m, as far to the side as the feet are, forward so that their line is the one asked for.

        A robot on two feet tips about the line through them, whose place is all that counts for its balance.
        """
        forward, left = Pose2(0.0, 0.0, self.path.yaw).apply(np.eye(2))
        own = places + np.outer((seen - places) @ left, left)
        across = np.array([own[0, 1] - own[1, 1], own[1, 0] - own[0, 0]])
        return own + across @ (places - own).mean(axis=0) / (across @ forward) * forward

    def _support_point(self, phase: int, start: int) -> np.ndarray:
        """Return the middle of the support diagonal of a phase that begins ``start`` plan periods from now, (2,), m."""
        if phase == self.phase:
            return self.feet[self.supporting].mean(axis=0)
        if phase == self.phase + 1:
            return self.goal[self.swinging].mean(axis=0)
        return self._middle(start).apply(self._pair_middles[1 - phase % 2])


def smooth_step(s: float) -> tuple[float, float, float]:
    """Return 10 s^3 - 15 s^4 + 6 s^5, from 0 to 1 with rest at both ends, and its two derivatives."""
    return (
        s**3 * (10.0 - 15.0 * s + 6.0 * s * s),
        30.0 * s * s * (1.0 - s) ** 2,
        60.0 * s * (1.0 - s) * (1.0 - 2.0 * s),
    )


def bump(s: float) -> tuple[float, float, float]:
    """Return 64 s^3 (1 - s)^3, from 0 over 1 to 0 with rest at both ends, and its two derivatives."""
    r = 1.0 - s
    return 64.0 * (s * r) ** 3, 192.0 * (s * r) ** 2 * (r - s), 384.0 * s * r * ((r - s) ** 2 - s * r)
