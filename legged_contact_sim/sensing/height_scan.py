"""Heights of the ground on a grid around the base."""

from dataclasses import dataclass

import numpy as np

from ..contact.parameters import Parameters, number, whole
from ..errors import ParameterError
from ..model import RobotModel
from ..simulation import Simulator
from .imperfections import BIG


@dataclass(frozen=True)
class ScanSettings(Parameters):
    """The grid, and its noise; none by default.

    Attributes:
        length: along the base's heading, m.
        width: across, m.
        spacing: between neighbours, m.
        noise: standard deviation of a height, m.
        seed: of the noise.
    """

    length: float = number(1.6, 0.0, 100.0, "m")
    width: float = number(1.0, 0.0, 100.0, "m")
    spacing: float = number(0.1, 1e-3, 100.0, "m")
    noise: float = number(0.0, 0.0, BIG, "m")
    seed: int = whole(0, 0, 2**31 - 1)


class HeightScan:
    """A grid that turns with the base's heading and stays level; reads a simulator whenever it is asked.

    Attributes:
        offsets: of the grid's points from the base along and across its heading, m, (rows, columns, 2); rows go
            forward, columns to the left.
    """

    def __init__(self, robot: RobotModel, settings: ScanSettings | None = None) -> None:
        """Lay the grid.

        Raises:
            ParameterError: it has more than 10^6 points.
        """
        settings = settings or ScanSettings()
        self._robot, self.settings = robot, settings
        rows, columns = (round(side / settings.spacing) + 1 for side in (settings.length, settings.width))
        if rows * columns > 1_000_000:
            raise ParameterError(f"spacing: expected at most 1000000 points, found {rows * columns}")
        along = settings.spacing * (np.arange(rows) - 0.5 * (rows - 1))
        across = settings.spacing * (np.arange(columns) - 0.5 * (columns - 1))
        self.offsets = np.stack(np.meshgrid(along, across, indexing="ij"), axis=-1)
        self.reset()

    def reset(self) -> None:
        """Begin anew: the same noise comes again."""
        self._random = np.random.default_rng((self.settings.seed, 3))

    def read(self, simulator: Simulator) -> np.ndarray:
        """Return the ground's heights relative to the base's origin, m, (rows, columns): negative below it."""
        x, y, z, heading = self._base(simulator.q)
        cosine, sine = np.cos(heading), np.sin(heading)
        along, across = self.offsets[..., 0], self.offsets[..., 1]
        ground = simulator.terrain_now
        heights = ground.height(x + cosine * along - sine * across, y + sine * along + cosine * across) - z
        if self.settings.noise > 0.0:
            heights += self.settings.noise * self._random.standard_normal(heights.shape)
        return heights

    def _base(self, q: np.ndarray) -> tuple[float, float, float, float]:
        """Return position and heading of the base; a fixed one stands at the world's origin."""
        if self._robot.base == "fixed":
            return 0.0, 0.0, 0.0, 0.0
        x, y, z, qx, qy, qz, qw = q[:7].tolist()
        return x, y, z, float(np.arctan2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz)))
