"""What makes a sensor a real one: noise, bias, range and latency, all repeatable, all absent by default."""

from collections import deque
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from ..contact.parameters import Parameters, number

BIG = 1e9


@dataclass(frozen=True)
class NoiseSettings(Parameters):
    """Errors of a quantity u (rad/s, m/s^2, ...).

    Attributes:
        density: of white noise, u/sqrt(Hz); a mean over T s has the standard deviation density/sqrt(T).
        bias: standard deviation of the constant part, drawn at every reset, u.
        bias_walk: of the bias's random walk, u/sqrt(s): after T s it has moved by bias_walk sqrt(T).
        range: the largest reading, u; 0: there is none.
    """

    density: float = number(0.0, 0.0, BIG)
    bias: float = number(0.0, 0.0, BIG)
    bias_walk: float = number(0.0, 0.0, BIG)
    range: float = number(0.0, 0.0, BIG)


class Noise:
    """Adds the errors to a vector of readings."""

    def __init__(self, settings: NoiseSettings, size: int, seed: tuple[int, ...]) -> None:
        """Begin with fresh numbers from a seed."""
        self._settings, self._size, self._seed = settings, size, seed
        self.reset()

    def reset(self) -> None:
        """Begin anew: the same numbers come again."""
        self._random = np.random.default_rng(self._seed)
        self.bias = self._settings.bias * self._random.standard_normal(self._size)

    def spoil(self, values: np.ndarray, elapsed: float) -> np.ndarray:
        """Return values (size,) as the sensor measures them, which are means over ``elapsed``, s; 0: without noise."""
        settings = self._settings
        if elapsed > 0.0 and settings.bias_walk > 0.0:
            self.bias = self.bias + settings.bias_walk * np.sqrt(elapsed) * self._random.standard_normal(self._size)
        measured = values + self.bias
        if elapsed > 0.0 and settings.density > 0.0:
            measured += settings.density / np.sqrt(elapsed) * self._random.standard_normal(self._size)
        return np.clip(measured, -settings.range, settings.range) if settings.range > 0.0 else measured


class Timed(Protocol):
    """Something with a time, s."""

    @property
    def time(self) -> float:
        """When, s."""
        ...


Reading = TypeVar("Reading", bound=Timed)


class Delay(Generic[Reading]):
    """Holds readings back for a latency, s; they keep the time at which they were taken."""

    def __init__(self, latency: float) -> None:
        """Begin empty."""
        self._latency = latency
        self._waiting: deque[Reading] = deque()

    def reset(self) -> None:
        """Forget what waits."""
        self._waiting.clear()

    def pass_on(self, reading: Reading) -> Reading:
        """Take a reading and return the newest one that is old enough; in the beginning the first."""
        if self._latency == 0.0:
            return reading
        self._waiting.append(reading)
        due = reading.time - self._latency * (1.0 - 1e-9)
        while len(self._waiting) > 1 and self._waiting[1].time <= due:
            self._waiting.popleft()
        return self._waiting[0]
