"""Motions of joints as points in time, with straight or cubic pieces between them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics.functions import checked
from ..errors import ParameterError
from ..model import RobotModel


@dataclass(frozen=True)
class JointTrajectory:
    """Positions of all joints at some instants.

    Attributes:
        times: (T,), s from the start of the trajectory, increasing.
        positions: (T, joint_count), rad or m.
        velocities: (T, joint_count), rad/s or m/s; None: straight pieces.
    """

    times: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray | None = None

    @classmethod
    def from_points(
        cls,
        robot: RobotModel,
        joint_names: Sequence[str],
        times: ArrayLike,
        positions: ArrayLike,
        velocities: ArrayLike | None = None,
        others: ArrayLike | None = None,
    ) -> "JointTrajectory":
        """Return the trajectory of some joints by name; the others stay.

        Args:
            robot: whose joints they are.
            joint_names: the joints that move, in the order of the columns.
            times: (T,), s, increasing, the first >= 0.
            positions: (T, len(joint_names)), rad or m.
            velocities: likewise, rad/s or m/s, or None.
            others: where joints that are not named stay, (joint_count,); None: in the home pose.

        Raises:
            ParameterError: names what does not fit.
        """
        for name in joint_names:
            if name not in robot.joint_names:
                raise ParameterError(f"joint_names: {robot.name} has no joint {name!r}")
        columns = [robot.joint_names.index(name) for name in joint_names]
        if len(set(columns)) != len(columns):
            raise ParameterError(f"joint_names: expected every joint once, found {list(joint_names)}")
        count = len(np.atleast_1d(np.asarray(times)))
        instants = checked("times", times, count)
        if count == 0 or instants[0] < 0.0 or (np.diff(instants) <= 0.0).any():
            raise ParameterError("times: expected increasing numbers, the first >= 0 s")
        rest = robot.home[robot.position_indices] if others is None else checked("others", others, robot.joint_count)
        full = np.tile(rest, (count, 1))
        full[:, columns] = checked("positions", positions, count, len(columns))
        if velocities is None:
            return cls(instants, full)
        rates = np.zeros_like(full)
        rates[:, columns] = checked("velocities", velocities, count, len(columns))
        return cls(instants, full, rates)

    def sample(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and velocities (joint_count,) at a time from the start, s; at rest outside its span."""
        times = self.times
        if time <= times[0] or len(times) == 1:
            return self.positions[0], np.zeros(self.positions.shape[1])
        if time >= times[-1]:
            return self.positions[-1], np.zeros(self.positions.shape[1])
        k = int(np.searchsorted(times, time, side="right")) - 1
        span = times[k + 1] - times[k]
        rates = (self.velocities[k], self.velocities[k + 1]) if self.velocities is not None else None
        return between(self.positions[k], self.positions[k + 1], rates, span, (time - times[k]) / span)


def between(
    begin: np.ndarray, end: np.ndarray, rates: tuple[np.ndarray, np.ndarray] | None, span: float, part: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return position and velocity at a part (0 to 1) of a piece of ``span`` s: cubic with rates, else straight."""
    change = end - begin
    if rates is None:
        return begin + part * change, change / span
    first, last = span * rates[0], span * rates[1]
    bend, twist = 3.0 * change - 2.0 * first - last, first + last - 2.0 * change
    position = begin + part * (first + part * (bend + part * twist))
    return position, (first + part * (2.0 * bend + 3.0 * part * twist)) / span
