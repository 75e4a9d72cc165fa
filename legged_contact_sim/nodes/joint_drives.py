"""What the drives of the joints do now: efforts, and targets with gains; what is commanded comes into force here."""

from collections import deque
from typing import Any, NamedTuple

import numpy as np

from ..control import JointTrajectory
from ..simulation import Simulator


class Wanted(NamedTuple):
    """What a command asks of some joints, arrays as long as ``columns``: ``u = kp (q* - q) + kd (v* - v) + effort``.

    Without gains (``stiffness`` None) only efforts are commanded.
    """

    columns: np.ndarray
    effort: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    stiffness: np.ndarray | None = None
    damping: np.ndarray | None = None


class Motion(NamedTuple):
    """A trajectory that some joints follow from a time on, s."""

    start: float
    columns: np.ndarray
    trajectory: JointTrajectory


class JointDrives:
    """Efforts and targets of all joints, in joint order.

    Attributes:
        effort: (joint_count,), N m or N, to be given to a step.
        motion: the trajectory that is followed; None: there is none.
    """

    def __init__(self, simulator: Simulator, inside: bool, delay: float) -> None:
        """Begin at rest.

        Args:
            simulator: whose drives they are.
            inside: gains act inside every step; False: once, when the command comes into force.
            delay: s, after which a command comes into force.
        """
        self._simulator, self._inside, self._delay = simulator, inside, delay
        count = simulator.robot.joint_count
        self.effort = np.zeros(count)
        self._targets = np.zeros((5, count))  # positions, velocities, stiffness, damping, integral gain
        self._rest = np.zeros((5, count))
        self._waiting: deque[tuple[float, Wanted]] = deque()
        self._changed = True
        self.motion: Motion | None = None

    def rest_at(self, position: np.ndarray, gains: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        """Take the targets of joints that nobody commands, (joint_count,), and stiffness, damping and integral gain."""
        at_rest = (self._targets == self._rest).all(axis=0)
        self._rest[:] = position, np.zeros(len(position)), *gains
        self._targets[:, at_rest] = self._rest[:, at_rest]
        self._changed = True

    def release(self) -> None:
        """Forget all that was commanded."""
        self.effort[:] = 0.0
        self._targets[:] = self._rest
        self._waiting.clear()
        self.motion = None
        self._changed = True

    def want(self, wanted: Wanted, now: float) -> None:
        """Take a command at a simulated time, s."""
        self.motion = None
        if self._delay > 0.0:
            self._waiting.append((now + self._delay, wanted))
        else:
            self._put_into_force(wanted)

    def follow(self, motion: Motion) -> None:
        """Let joints follow a trajectory until another command comes; at its end they stay there."""
        self.motion = motion

    def moves_on(self, now: float) -> bool:
        """Return whether a trajectory has not come to its end at a simulated time, s."""
        motion = self.motion
        return motion is not None and now < motion.start + motion.trajectory.times[-1] - 1e-9

    def apply(self, now: float, gains: np.ndarray) -> None:
        """Bring into force what is due at a simulated time, s; ``gains`` (2, joint_count) are those of trajectories."""
        while self._waiting and self._waiting[0][0] <= now + 1e-9:
            self._put_into_force(self._waiting.popleft()[1])
        if self.motion:
            columns = self.motion.columns
            position, velocity = self.motion.trajectory.sample(now - self.motion.start)
            nothing = np.zeros(len(columns))
            self._put_into_force(Wanted(columns, nothing, position[columns], velocity[columns], *gains[:, columns]))
        if self._changed:
            position, velocity, stiffness, damping, integral = self._targets
            self._simulator.command(position, velocity, stiffness=stiffness, damping=damping, integral=integral)
            self._changed = False

    def _put_into_force(self, wanted: Wanted) -> None:
        columns, effort = wanted.columns, wanted.effort
        targets: Any = self._rest[:, columns]
        if wanted.stiffness is not None and wanted.damping is not None:
            gains = wanted.stiffness, wanted.damping
            if self._inside:
                targets = np.array([wanted.position, wanted.velocity, *gains, np.zeros(len(columns))])
            else:
                robot = self._simulator.robot
                q = self._simulator.q[robot.position_indices[columns]]
                v = self._simulator.v[robot.velocity_indices[columns]]
                effort = effort + gains[0] * (wanted.position - q) + gains[1] * (wanted.velocity - v)
                targets = np.zeros((5, len(columns)))
        self.effort[columns] = effort
        if not np.array_equal(self._targets[:, columns], targets):
            self._targets[:, columns] = targets
            self._changed = True
