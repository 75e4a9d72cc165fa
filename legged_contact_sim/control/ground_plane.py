"""The ground as a walking robot feels it: the plane through the places where its feet stood last."""

import numpy as np


class GroundPlane:
    """A plane z = c0 + cx x + cy y through the last footholds, followed slowly.

    Args:
        time_constant: s, with which the slope is followed, so that a foot that lands early or slips does not tilt it.
    """

    def __init__(self, time_constant: float) -> None:
        self.time_constant = time_constant
        self.slope = np.zeros(2)
        self._holds = np.zeros((0, 3))

    def reset(self, soles: np.ndarray) -> None:
        """Begin with all feet standing at places (n, 3), m."""
        self._holds = soles.copy()
        self.slope = self._fitted()

    def update(self, soles: np.ndarray, standing: np.ndarray, elapsed: float) -> None:
        """Take the places (n, 3), m, of the feet that stand, (n,) bool, a time after the last update, s."""
        self._holds[standing] = soles[standing]
        part = min(1.0, elapsed / self.time_constant)
        self.slope = self.slope + part * (self._fitted() - self.slope)

    def height(self, places: np.ndarray) -> np.ndarray:
        """Return the height of the plane at places (..., 2), m: through the middle of the footholds, with the slope."""
        middle = self._holds.mean(axis=0)
        return np.asarray(middle[2] + (places - middle[:2]) @ self.slope)

    def _fitted(self) -> np.ndarray:
        """Return the slope (2,) of the plane of least squares; footholds on a line leave it level across that line."""
        away = self._holds - self._holds.mean(axis=0)
        gram = away[:, :2].T @ away[:, :2]
        # A thousandth of the feet's spread is added: it keeps the slope finite when they stand on a line.
        gram[0, 0] += 1e-3 * np.trace(gram)
        gram[1, 1] += 1e-3 * np.trace(gram)
        return np.asarray(np.linalg.solve(gram, away[:, :2].T @ away[:, 2]))
