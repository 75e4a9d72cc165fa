"""Numbers per joint, from one number for all, a list in the policy's order, or a mapping of patterns to numbers."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import ParameterError


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number, which true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def not_negative(name: str, given: np.ndarray) -> np.ndarray:
    """Return numbers that may be 0 but not less."""
    if (given < 0.0).any():
        raise ParameterError(f"{name}: expected numbers >= 0, found {given.min():g}")
    return given


def by_joint(name: str, given: Any, joints: Sequence[str]) -> np.ndarray:
    """Return a number per joint, (len(joints),).

    Args:
        name: of the entry, for messages.
        given: a number, a list of one number per joint, or regular expressions of joint names with a number each; the
            first that fits a whole name counts.
        joints: names, in the policy's order.

    Raises:
        ParameterError: names the joint without a number, or what was found instead of numbers.
    """
    if isinstance(given, Mapping):
        return np.array([_matching(name, given, joint) for joint in joints])
    values = [given] * len(joints) if is_number(given) else given
    if not isinstance(values, list) or not all(map(is_number, values)) or len(values) != len(joints):
        raise ParameterError(f"{name}: expected a number, {len(joints)} numbers or PATTERN: NUMBER, found {given!r}")
    return np.array(values, dtype=float)


def _matching(name: str, given: Mapping[str, Any], joint: str) -> float:
    for pattern, value in given.items():
        try:
            fits = re.fullmatch(str(pattern), joint)
        except re.error as error:
            raise ParameterError(f"{name}: {pattern!r} is no regular expression: {error}") from None
        if fits:
            if not is_number(value):
                raise ParameterError(f"{name}: expected a number for {pattern!r}, found {value!r}")
            return float(value)
    raise ParameterError(f"{name}: no pattern fits joint {joint!r}; there are {', '.join(map(str, given))}")
