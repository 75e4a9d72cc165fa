"""A base velocity that is not the truth: what an estimator on the robot would give, with its errors."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..contact.parameters import Parameters, number, whole
from ..errors import ParameterError
from ..model import RobotModel
from ..simulation import Simulator
from .imperfections import BIG, Delay, Noise, NoiseSettings


class VelocityReading(NamedTuple):
    """Linear, m/s, and angular velocity, rad/s, of the base in its own axes, (3,), at a time, s."""

    time: float
    linear: np.ndarray
    angular: np.ndarray


@dataclass(frozen=True)
class VelocitySettings(Parameters):
    """Errors of the base's velocity; none by default.

    Attributes:
        linear: errors of the linear velocity, m/s.
        angular: errors of the angular velocity, rad/s.
        latency: s, after which a reading is given; it keeps its time.
        seed: of the errors.
    """

    linear: NoiseSettings = field(default=NoiseSettings(), metadata={"check": lambda name, value: value})
    angular: NoiseSettings = field(default=NoiseSettings(), metadata={"check": lambda name, value: value})
    latency: float = number(0.0, 0.0, BIG, "s")
    seed: int = whole(0, 0, 2**31 - 1)


class BaseVelocity:
    """The velocity of a floating base as a sensor measures it; reads a simulator whenever it is asked."""

    def __init__(self, robot: RobotModel, settings: VelocitySettings | None = None) -> None:
        """Keep the settings; None: no errors.

        Raises:
            ParameterError: the robot's base does not float.
        """
        if robot.base != "floating":
            raise ParameterError(f"base_velocity: expected a floating base, found {robot.name} with a {robot.base} one")
        self.settings = settings or VelocitySettings()
        seed = self.settings.seed
        self._linear = Noise(self.settings.linear, 3, (seed, 4))
        self._angular = Noise(self.settings.angular, 3, (seed, 5))
        self._delay: Delay[VelocityReading] = Delay(self.settings.latency)
        self._last = 0.0

    def reset(self, simulator: Simulator) -> None:
        """Begin anew at the time that a simulator has now; the same errors come again."""
        self._linear.reset()
        self._angular.reset()
        self._delay.reset()
        self._last = simulator.time

    def read(self, simulator: Simulator) -> VelocityReading:
        """Return the velocity now, or as it was before the latency."""
        elapsed, self._last = simulator.time - self._last, simulator.time
        linear = self._linear.spoil(simulator.v[:3].copy(), elapsed)
        angular = self._angular.spoil(simulator.v[3:6].copy(), elapsed)
        return self._delay.pass_on(VelocityReading(simulator.time, linear, angular))
