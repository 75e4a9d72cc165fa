"""A terrain that grows rougher with what a world has learnt: lanes side by side, and which lane each world is on."""

from dataclasses import dataclass

import numpy as np

from ..errors import ParameterError
from ..terrain import HeightField

FOOTPRINT = np.linspace(-0.5, 0.5, 6)  # m around the base, under which the ground decides how high it starts
SLOW = 0.1  # m/s; a smaller command says nothing about walking


@dataclass(frozen=True)
class RoughLanes:
    """Lanes along x from smooth to rough; a world that follows its commands moves on to the next one.

    Attributes:
        levels: number of lanes.
        roughest: m, between the highest and the lowest node of the last lane; the first is level.
        width: m, of a lane.
        length: m.
        cell_size: m, between neighbouring nodes.
        rise: share of the commanded way above which a world goes to a rougher lane.
        fall: share below which it goes to a smoother one.
        seed: of the heights.
    """

    levels: int = 6
    roughest: float = 0.1
    width: float = 6.0
    length: float = 24.0
    cell_size: float = 0.2
    rise: float = 0.75
    fall: float = 0.4
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what makes no lanes."""
        if self.levels < 1:
            raise ParameterError(f"levels: expected at least 1, found {self.levels}")
        if not 0.0 <= self.fall <= self.rise:
            raise ParameterError(f"fall: expected from 0 to rise, {self.rise}, found {self.fall}")

    def terrain(self) -> HeightField:
        """Return the ground: node heights at random within the roughness of their lane."""
        across, along = round(self.width / self.cell_size), round(self.length / self.cell_size)
        size = np.linspace(0.0, self.roughest, self.levels) if self.levels > 1 else np.array([self.roughest])
        heights = np.random.default_rng(self.seed).uniform(0.0, 1.0, (self.levels * across, along))
        heights *= np.repeat(size, across)[:, None]
        return HeightField(heights, self.cell_size, (-0.5 * self.length, 0.0))


class Curriculum:
    """Which lane each of N worlds is on."""

    def __init__(self, lanes: RoughLanes, worlds: int) -> None:
        """Put all worlds on the smoothest lane."""
        self.lanes, self.terrain = lanes, lanes.terrain()
        self.level = np.zeros(worlds, dtype=np.int64)

    def judge(
        self, ended: np.ndarray, walked: np.ndarray, wanted: np.ndarray, fallen: np.ndarray, random: np.random.Generator
    ) -> None:
        """Move worlds whose episode ended to the lane that fits.

        A world that has passed the roughest lane goes to any, so that none is forgotten.

        Args:
            ended: mask, (N,).
            walked: ways along the command, (N,), m.
            wanted: ways that were commanded for a whole episode, (N,), m.
            fallen: mask, (N,).
            random: for worlds that have passed all lanes.
        """
        told = wanted > 0.0
        up = ended & ~fallen & told & (walked > self.lanes.rise * wanted)
        down = ended & ((told & (walked < self.lanes.fall * wanted)) | (~told & fallen))
        self.level += up.astype(np.int64) - down.astype(np.int64)
        passed = self.level >= self.lanes.levels
        self.level[passed] = random.integers(self.lanes.levels, size=int(passed.sum()))
        np.maximum(self.level, 0, out=self.level)

    def starts(self, chosen: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Return where worlds of a mask (N,) begin, (k, 3), m: x, y and the highest ground below the robot."""
        count = int(chosen.sum())
        x = random.uniform(-1.0, 1.0, count)
        y = (self.level[chosen] + random.uniform(0.4, 0.6, count)) * self.lanes.width
        around = self.terrain.height(x[:, None, None] + FOOTPRINT[:, None], y[:, None, None] + FOOTPRINT)
        return np.stack([x, y, around.max(axis=(1, 2))], axis=1)
