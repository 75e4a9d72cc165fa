"""Before anything is timed: do the contenders compute the same thing?"""

from collections.abc import Mapping, Sequence

import numpy as np


def difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the largest difference relative to the largest number."""
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def check(
    robot: str,
    engine: str,
    ours: Mapping[str, np.ndarray],
    theirs: Mapping[str, np.ndarray],
    tasks: Sequence[str],
    tolerance: float,
) -> dict[str, float]:
    """Return the relative differences by task; a comparison of engines that disagree is refused."""
    found = {task: difference(ours[task], theirs[task]) for task in tasks if task in theirs}
    for task, value in found.items():
        if not value <= tolerance:
            raise RuntimeError(f"{robot}, {task}: {engine} differs from us by {value:.1e}, more than {tolerance:.0e}")
    return found
