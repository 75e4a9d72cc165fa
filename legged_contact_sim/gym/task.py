"""The task of following a commanded velocity: commands, what is drawn at random, rewards; arrays with worlds first."""

from dataclasses import dataclass

import numpy as np

Range = tuple[float, float]


@dataclass(frozen=True)
class Randomisation:
    """What is drawn at every reset, between two bounds; equal bounds: nothing is.

    Attributes:
        friction: of the ground.
        mass: factor on all masses.
        gains: factor on stiffness and damping.
        latency: s, by which targets act late, at most a period.
        push: N; largest sideways or forward force on the base, for one period, about once in ``push_every``, s.
        push_every: s.
        velocity: m/s, rad/s; standard deviation of all velocities at the start.
    """

    friction: Range = (0.8, 0.8)
    mass: Range = (1.0, 1.0)
    gains: Range = (1.0, 1.0)
    latency: Range = (0.0, 0.0)
    push: float = 0.0
    push_every: float = 5.0
    velocity: float = 0.05


@dataclass(frozen=True)
class VelocityTask:
    """Commands and rewards.

    Attributes:
        low: smallest command: forward, sideways, turning, m/s and rad/s.
        high: largest command.
        standing: share of episodes with a command of zero.
        width: of the bell curve by which an error of velocity counts, m/s and rad/s.
        tracking: rewards a second for the right linear velocity and the right turning.
        upright: cost of leaning, a second, times the squared sine of the tilt.
        bouncing: cost of vertical velocity squared.
        rolling: cost of roll and pitch rates squared.
        restless: cost of squared changes of the action.
        posture: cost of squared distance from the default pose.
        fallen_tilt: rad; more is a fall.
        fallen_height: of the height in the home pose; less is a fall.
    """

    low: tuple[float, float, float] = (-0.4, -0.2, -0.6)
    high: tuple[float, float, float] = (0.8, 0.2, 0.6)
    standing: float = 0.1
    width: float = 0.25
    tracking: tuple[float, float] = (1.0, 0.5)
    upright: float = 2.0
    bouncing: float = 1.0
    rolling: float = 0.05
    restless: float = 0.02
    posture: float = 0.05
    fallen_tilt: float = 0.9
    fallen_height: float = 0.6

    def commands(self, random: np.random.Generator, count: int) -> np.ndarray:
        """Return random commands, (count, 3)."""
        wanted = random.uniform(self.low, self.high, (count, 3))
        return np.where(random.uniform(size=(count, 1)) < self.standing, 0.0, wanted)

    def reward(
        self,
        v: np.ndarray,
        gravity: np.ndarray,
        command: np.ndarray,
        actions: tuple[np.ndarray, np.ndarray],
        posture: np.ndarray,
    ) -> np.ndarray:
        """Return rewards a second, (N,).

        Args:
            v: velocities, the base's in its own axes, (N, nv).
            gravity: its direction in the base's axes, (N, 3).
            command: (N, 3).
            actions: this one and the one before, (N, n) each.
            posture: joint positions minus the default pose, (N, n).
        """
        linear = ((v[:, :2] - command[:, :2]) ** 2).sum(axis=1)
        turning = (v[:, 5] - command[:, 2]) ** 2
        found = self.tracking[0] * np.exp(-linear / self.width**2) + self.tracking[1] * np.exp(-turning / self.width**2)
        found -= self.upright * (gravity[:, :2] ** 2).sum(axis=1)
        found -= self.bouncing * v[:, 2] ** 2 + self.rolling * (v[:, 3:5] ** 2).sum(axis=1)
        found -= self.restless * ((actions[0] - actions[1]) ** 2).sum(axis=1)
        return found - self.posture * (posture**2).sum(axis=1)

    def fallen(self, gravity: np.ndarray, height: np.ndarray, home_height: float) -> np.ndarray:
        """Return which robots have fallen, (N,): tilted too far or too low, or in no finite state."""
        upright = (-gravity[:, 2] > np.cos(self.fallen_tilt)) & (height > self.fallen_height * home_height)
        return ~upright  # comparisons with NaN are false
