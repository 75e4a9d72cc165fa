"""Checks of what users pass to a simulator, and to what runs many of them."""

import math

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics.functions import checked
from ..errors import ModelError, ParameterError
from ..model import RobotModel
from ..model.closing import closed_pose


def checked_time_step(time_step: float) -> float:
    """Return a usable time step, s, or raise a ParameterError."""
    if not isinstance(time_step, (int, float, np.number)) or not 0.0 < time_step <= 0.1:
        raise ParameterError(f"time_step: expected a number in ]0, 0.1] s, found {time_step!r}")
    return float(time_step)


def closed(robot: RobotModel, q: np.ndarray) -> np.ndarray:
    """Return the pose near q (nq,) in which all loops and couplings of the robot hold."""
    try:
        return closed_pose(robot.links, robot.closures, robot.closure_names, q)
    except ModelError as error:
        raise ParameterError(f"q: {error}") from None


def whole_number(name: str, value: int) -> int:
    """Return a whole number >= 1, or raise a ParameterError that names it."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ParameterError(f"{name}: expected a whole number >= 1, found {value!r}")
    return int(value)


def joint_gains(name: str, value: ArrayLike, count: int) -> np.ndarray:
    """Return gains >= 0, one per joint, from one number or one per joint."""
    gains = checked(name, np.full(count, value) if np.ndim(value) == 0 else value, count)
    if (gains < 0.0).any():
        raise ParameterError(f"{name}: expected numbers >= 0, found {gains.min()}")
    return gains


def check_amounts(duration: float, jobs: int) -> None:
    """Refuse a duration, s, that is none, and a number of processes that is negative (0: one per processor)."""
    if not 0.0 < duration < math.inf:
        raise ParameterError(f"duration: expected a number of seconds above 0, found {duration}")
    if isinstance(jobs, bool) or not isinstance(jobs, (int, np.integer)) or jobs < 0:
        raise ParameterError(f"jobs: expected a whole number >= 0, found {jobs!r}")
