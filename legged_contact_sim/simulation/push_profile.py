"""How a push changes over time: a table of factors, or a function that is sampled."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..contact.pushes import CONSTANT, KNOTS
from ..errors import ParameterError

Profile = ArrayLike | Callable[[float], float]


def profile_knots(profile: Profile | None, duration: float, time_step: float) -> tuple[np.ndarray, float]:
    """Return a profile as knots (K, 2), steps and factors, and how long the push acts, s.

    Args:
        profile: (K, 2) times since the push begins, s, in order, and factors, linear in between and 0 outside; or a
            function of that time, which is sampled at KNOTS instants of the duration; None: constant.
        duration: s; 0 with a table: to its end.
        time_step: s.

    Raises:
        ParameterError: the table is not one, or a function has no duration.
    """
    if profile is None:
        return CONSTANT, duration
    if callable(profile):
        if duration <= 0.0:
            raise ParameterError("duration: expected more than 0 s for a profile that is a function")
        times = np.linspace(0.0, duration, KNOTS)
        table = np.array([(time, float(profile(float(time)))) for time in times])
    else:
        table = _table(profile)
    knots = table.copy()
    knots[:, 0] /= time_step
    return knots, duration if duration > 0.0 else float(table[-1, 0])


def _table(profile: ArrayLike) -> np.ndarray:
    try:
        table = np.array(profile, dtype=float)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.ndim != 2 or table.shape[1] != 2 or not 2 <= len(table) <= KNOTS or not np.isfinite(table).all():
        raise ParameterError(f"profile: expected 2 to {KNOTS} pairs of time, s, and factor, found {profile!r:.80}")
    if (np.diff(table[:, 0]) < 0.0).any() or table[0, 0] < 0.0:
        raise ParameterError(f"profile: expected times from 0 s on and in order, found {table[:, 0].tolist()}")
    return table
