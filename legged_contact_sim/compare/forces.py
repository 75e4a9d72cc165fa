"""Normal forces of every step of a run: impacts last one step, and samples would miss them or count them too often."""

import numpy as np

from ..simulation import Trajectory


class NormalForces:
    """Sums of the points' normal forces over parts of a run, and the largest of one point in one step."""

    def __init__(self) -> None:
        """Begin without a part."""
        self.largest = 0.0  # N
        self._sums: list[np.ndarray] = []  # (m,), N, over the steps of a part
        self._steps: list[int] = []
        self._begins: list[float] = []  # s

    def add(self, part: Trajectory) -> None:
        """Take the next part, of which every step is a sample."""
        normal = part.touches["force"][:, 2]
        self.largest = max(self.largest, float(normal.max(initial=0.0)))
        self._sums.append(np.bincount(part.touches["point"], normal, len(part.robot.contact_names)))
        self._steps.append(len(part.time))
        self._begins.append(float(part.time[0]))

    def mean(self, begin: float) -> np.ndarray:
        """Return the points' mean normal forces, (m,), N, over the parts that begin at or after a time, s."""
        later = np.flatnonzero(np.array(self._begins) >= min(begin, self._begins[-1]))
        return np.sum([self._sums[k] for k in later], axis=0) / sum(self._steps[k] for k in later)
