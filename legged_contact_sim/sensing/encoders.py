"""Joint encoders: quantised, noisy and late, if one wants them so."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..contact.parameters import Parameters, choice, number, whole
from ..model import RobotModel
from ..simulation import Simulator
from .imperfections import BIG, Delay


class EncoderReading(NamedTuple):
    """Positions, rad or m, and velocities, rad/s or m/s, of the joints, (joint_count,), at a time, s."""

    time: float
    position: np.ndarray
    velocity: np.ndarray


@dataclass(frozen=True)
class EncoderSettings(Parameters):
    """Errors of the encoders; none by default.

    Attributes:
        resolution: of a position, rad or m; 0: exact.
        noise: standard deviation of a position, before it is quantised, rad or m.
        velocity_noise: standard deviation of a velocity, rad/s or m/s.
        velocity: "measured", or "difference" of this and the last position over the time between.
        delay: s, after which a reading is given; it keeps its time.
        seed: of the errors.
    """

    resolution: float = number(0.0, 0.0, BIG, "rad")
    noise: float = number(0.0, 0.0, BIG, "rad")
    velocity_noise: float = number(0.0, 0.0, BIG, "rad/s")
    velocity: str = choice("measured", ("measured", "difference"))
    delay: float = number(0.0, 0.0, BIG, "s")
    seed: int = whole(0, 0, 2**31 - 1)


class Encoders:
    """The encoders of all joints; reads a simulator whenever it is asked.

    Attributes:
        exact: whether readings are true and without delay.
    """

    def __init__(self, robot: RobotModel, settings: EncoderSettings | None = None) -> None:
        """Keep the settings; None: no errors."""
        self.settings = settings or EncoderSettings()
        self.exact = self.settings == EncoderSettings(seed=self.settings.seed)
        self._positions, self._velocities = robot.position_indices, robot.velocity_indices
        self._delay: Delay[EncoderReading] = Delay(self.settings.delay)

    def reset(self, simulator: Simulator) -> EncoderReading:
        """Begin anew with the state that a simulator has now; the same errors come again."""
        self._random = np.random.default_rng((self.settings.seed, 2))
        self._delay.reset()
        self._last = EncoderReading(simulator.time, self._position(simulator), self._velocity(simulator))
        return self._delay.pass_on(self._last)

    def read(self, simulator: Simulator) -> EncoderReading:
        """Return the present reading."""
        position, velocity = self._position(simulator), self._velocity(simulator)
        elapsed = simulator.time - self._last.time
        if self.settings.velocity == "difference":
            velocity = (position - self._last.position) / elapsed if elapsed > 0.0 else self._last.velocity
        self._last = EncoderReading(simulator.time, position, velocity)
        return self._delay.pass_on(self._last)

    def _position(self, simulator: Simulator) -> np.ndarray:
        return quantised(self._with_noise(simulator.q[self._positions], self.settings.noise), self.settings.resolution)

    def _velocity(self, simulator: Simulator) -> np.ndarray:
        return self._with_noise(simulator.v[self._velocities], self.settings.velocity_noise)

    def _with_noise(self, values: np.ndarray, deviation: float) -> np.ndarray:
        return values + deviation * self._random.standard_normal(len(values)) if deviation > 0.0 else values


def quantised(values: np.ndarray, resolution: float) -> np.ndarray:
    """Return values rounded to multiples of a resolution; 0: as they are."""
    return np.round(values / resolution) * resolution if resolution > 0.0 else values
