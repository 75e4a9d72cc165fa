"""Views of arrays: read-only ones, and of numbers that stand side by side."""

import numpy as np


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def neighbours(vector: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return the numbers at some indices: a view, fast to write to, if they are neighbours, else a copy."""
    if len(indices) and (np.diff(indices) == 1).all():
        return vector[indices[0] : indices[-1] + 1]
    return vector[indices].copy()
