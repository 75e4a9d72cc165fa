"""What plots and trails show: the last seconds of a run, in arrays that are written around in a circle."""

import numpy as np
from numpy.typing import NDArray

from .stage import Frame, Stage

Array = NDArray[np.float64]
ENERGIES = ("actuators", "contact", "joint_losses", "external", "remainder")
LEAST_RESIDUAL = 1e-16  # what is less is rounding
SPAN = 5.0  # s; of the axis of time


class History:
    """The last frames: forces at the feet, energies, iterations, and where feet and base were."""

    def __init__(self, stage: Stage, length: int = 300) -> None:
        """Keep at most ``length`` frames of what plays on a stage."""
        self._points = list(stage.feet)
        self.feet = tuple(stage.contact_names[k] for k in self._points)
        self._least_force = 1e-3 * stage.robot.total_mass * 9.81
        self.length = length
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._rows: list[Array] = []
        self._places: list[Array] = []

    def take(self, frame: Frame) -> None:
        """Add a frame that is later than the last; an earlier one begins anew, the same one is left out."""
        if self._rows and frame.time <= self._rows[-1][0]:
            if frame.time == self._rows[-1][0]:
                return
            self.clear()
        normal = np.einsum("ij,ij->i", frame.contact_forces, frame.contact_normals)[self._points]
        energies = [0.0 if frame.energy is None else getattr(frame.energy, name) for name in ENERGIES]
        self._rows.append(np.array([frame.time, *normal, *energies, frame.iterations, frame.residual]))
        self._places.append(np.concatenate([frame.positions[:1], frame.contact_positions[self._points]]))
        del self._rows[: -self.length], self._places[: -self.length]

    def __len__(self) -> int:
        """Return how many frames are kept."""
        return len(self._rows)

    def _columns(self, first: int, count: int) -> tuple[Array, ...]:
        """Return times before the newest frame, s, and columns of what is kept; before the first frame they are level.

        The times always have the same ends. A page keeps its zoom as parts of the span of its data; where that changes
        faster than the page draws, as after a reset, it loses its place and shows nothing.
        """
        rows = np.array(self._rows) if self._rows else np.zeros((1, 3 + len(self.feet) + len(ENERGIES)))
        times = rows[:, 0] - rows[-1, 0]
        begin = int(np.argmax(times > -SPAN))
        values = rows[begin:, first : first + count].T
        return np.append(-SPAN, times[begin:]), *(np.append(column[0], column) for column in values)

    @property
    def forces(self) -> tuple[Array, ...]:
        """Times before now, s, and normal forces at the feet, N, to a thousandth of the weight: what rests is level."""
        time, *forces = self._columns(1, len(self.feet))
        return time, *(self._least_force * np.round(force / self._least_force) for force in forces)

    @property
    def energies(self) -> tuple[Array, ...]:
        """Times before now, s, and the works of `ENERGIES` since the last reset, J."""
        return self._columns(1 + len(self.feet), len(ENERGIES))

    @property
    def solver(self) -> tuple[Array, ...]:
        """Times before now, s, and iterations."""
        return self._columns(1 + len(self.feet) + len(ENERGIES), 1)

    @property
    def residuals(self) -> tuple[Array, ...]:
        """Times before now, s, and the power of ten of the residual, at least `LEAST_RESIDUAL`."""
        time, residual = self._columns(2 + len(self.feet) + len(ENERGIES), 1)
        return time, np.log10(np.maximum(residual, LEAST_RESIDUAL))

    def trails(self) -> Array:
        """Return where the base and each foot were, (1 + feet, frames, 3), m."""
        return np.array(self._places).reshape(len(self), -1, 3).swapaxes(0, 1)
