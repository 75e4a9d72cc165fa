"""Numbers that a user hands over."""

from typing import Any

import numpy as np

from .placement import Array


def finite_array(value: Any, shape: tuple[int, ...]) -> Array | None:
    """Return a value as an array of the shape, or None if it is anything else than that many finite numbers."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None
    return array if array.shape == shape and np.all(np.isfinite(array)) else None
