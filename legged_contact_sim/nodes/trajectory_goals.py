"""Trajectories with tolerances, as the action FollowJointTrajectory asks for them: watched at every control tick."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import LeggedContactSimError
from .joint_drives import Motion
from .requests import Request

# How a goal ends: the action's own codes.
SUCCESSFUL, INVALID_GOAL, INVALID_JOINTS, OLD_HEADER_TIMESTAMP = 0, -1, -2, -3
PATH_TOLERANCE_VIOLATED, GOAL_TOLERANCE_VIOLATED = -4, -5

WORDS = ("position", "velocity")


class GoalError(LeggedContactSimError):
    """A goal that cannot be followed, with the action's code."""

    def __init__(self, code: int, words: str) -> None:
        """Keep both."""
        super().__init__(words)
        self.code = code


class Ended(NamedTuple):
    """How a goal ended."""

    code: int
    words: str


class Progress(NamedTuple):
    """Where the joints are to be and are: positions and velocities, (2, joints) each."""

    time: float  # s, simulated
    desired: np.ndarray
    actual: np.ndarray


class TrajectoryGoal(Request):
    """A trajectory that is followed; its value is how it ended.

    Attributes:
        motion: what the drives follow.
        names: of the joints that move.
        progress: at the last control tick; None before the first.
    """

    def __init__(
        self, motion: Motion, names: Sequence[str], path: np.ndarray, goal: np.ndarray, patience: float
    ) -> None:
        """Begin to watch.

        Args:
            motion: the trajectory.
            names: of its joints.
            path: largest errors of position and velocity on the way, (2, joints).
            goal: the same at the end.
            patience: for how long after the end the goal's tolerances may be missed, s.
        """
        super().__init__(lambda: self.value)
        self.motion, self.names = motion, list(names)
        self._path, self._goal, self._patience = path, goal, patience
        self.progress: Progress | None = None

    def finish(self, code: int, words: str) -> None:
        """End it, once."""
        if not self.done.is_set():
            self.value = Ended(code, words)
            self.done.set()

    def look(self, now: float, actual: np.ndarray) -> None:
        """Compare with positions and velocities, (2, joint_count), at a simulated time, s."""
        start, columns, trajectory = self.motion
        desired = np.array(trajectory.sample(now - start))[:, columns]
        self.progress = Progress(now, desired, actual[:, columns])
        late = now - start - trajectory.times[-1]
        error = np.abs(desired - actual[:, columns])
        if late < -1e-9:
            self._end_if_off(error, self._path, PATH_TOLERANCE_VIOLATED, "on the way")
        elif (error <= self._goal).all():
            self.finish(SUCCESSFUL, "")
        elif late > self._patience:
            self._end_if_off(error, self._goal, GOAL_TOLERANCE_VIOLATED, f"{late:.3g} s after the end")

    def _end_if_off(self, error: np.ndarray, largest: np.ndarray, code: int, when: str) -> None:
        off = np.argwhere(error > largest)
        if len(off):
            row, column = off[0]
            found = f"{error[row, column]:.3g}, at most {largest[row, column]:.3g} was allowed"
            self.finish(code, f"{self.names[column]}: {WORDS[row]} was off by {found}, {when}")


def tolerances(given: Sequence[Any], names: Sequence[str]) -> np.ndarray:
    """Return the largest errors of position and velocity, (2, joints), from JointTolerance messages; inf: any.

    Raises:
        GoalError: a joint is unknown or a number cannot be meant.
    """
    largest = np.full((2, len(names)), np.inf)
    index: Mapping[str, int] = {name: k for k, name in enumerate(names)}
    for each in given:
        if each.name not in index:
            raise GoalError(INVALID_GOAL, f"tolerance: joint {each.name[:80]!r} is not in the trajectory")
        numbers = [each.position, each.velocity, each.acceleration]
        if not np.isfinite(numbers).all():
            raise GoalError(INVALID_GOAL, f"tolerance: {each.name}: a number is not finite")
        if each.acceleration > 0.0:
            raise GoalError(INVALID_GOAL, f"tolerance: {each.name}: accelerations are not watched")
        for row in range(2):
            if numbers[row] > 0.0:
                largest[row, index[each.name]] = numbers[row]
    return largest
