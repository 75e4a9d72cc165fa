"""Ground with a prescribed motion: a belt that runs, a plate that tilts."""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import ParameterError
from .records import BELT, INCLINE, TILTING
from .shapes import FAR, STEEPEST, Terrain, direction, quantity

FASTEST = 100.0  # m/s or rad/s


@dataclass(frozen=True)
class Treadmill(Terrain):
    """An endless belt, level or inclined, whose surface runs along itself at a steady speed.

    Args:
        speed: Of the surface along the azimuth, m/s; negative: against it, for a robot that walks along the azimuth.
        angle: Of the belt to the horizontal, rad; positive: rises along the azimuth.
        azimuth: Direction in the horizontal plane, rad from x towards y.
    """

    kind: ClassVar[int] = INCLINE
    motion: ClassVar[int] = BELT
    speed: float = quantity(-0.5, -FASTEST, FASTEST, "m/s")
    angle: float = quantity(0.0, -STEEPEST, STEEPEST, "rad")
    azimuth: float = quantity(0.0, -FAR, FAR, "rad")

    def _numbers(self) -> dict[str, Any]:
        (cosine, sine), (level, up) = direction(self.azimuth), direction(self.angle)
        along = (level * cosine, level * sine, up)
        return {"heading": (cosine, sine), "tilt": (level, up), "velocity": [self.speed * part for part in along]}


@dataclass(frozen=True)
class TiltingPlate(Terrain):
    """A plane that tilts about the horizontal line through the world's origin across the azimuth, up to its stop.

    Args:
        angle: To the horizontal at time 0, rad; positive: rises along the azimuth.
        speed: At which it tilts, rad/s.
        stop: Angle at which it stays, rad; on the way that it tilts.
        azimuth: Direction of ascent in the horizontal plane, rad from x towards y.
    """

    kind: ClassVar[int] = INCLINE
    motion: ClassVar[int] = TILTING
    angle: float = quantity(0.0, -STEEPEST, STEEPEST, "rad")
    speed: float = quantity(0.1, -FASTEST, FASTEST, "rad/s")
    stop: float = quantity(math.radians(20.0), -STEEPEST, STEEPEST, "rad")
    azimuth: float = quantity(0.0, -FAR, FAR, "rad")

    def __post_init__(self) -> None:
        """Check that the stop is on the way."""
        super().__post_init__()
        if (self.stop - self.angle) * self.speed < 0.0:
            raise ParameterError(
                f"TiltingPlate.stop = {self.stop!r}; expected an angle that a speed of {self.speed:g} rad/s reaches "
                f"from {self.angle:g} rad"
            )

    def at(self, time: float) -> "TiltingPlate":
        """See `Terrain.at`."""
        reached = self.angle + self.speed * max(time, 0.0)
        stopped = self.speed == 0.0 or (reached - self.stop) * self.speed >= 0.0
        return dataclasses.replace(self, angle=self.angle if self.speed == 0.0 else self.stop if stopped else reached)

    def _numbers(self) -> dict[str, Any]:
        turns = self.speed != 0.0 and self.angle != self.stop
        return {
            "heading": direction(self.azimuth),
            "tilt": direction(self.angle),
            "angle": self.angle,
            "speed": self.speed,
            "stop": self.stop if turns else self.angle,
            "rate": self.speed if turns else 0.0,
        }
