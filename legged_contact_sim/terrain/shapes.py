"""The terrains: what a user writes, checked, and the record that kernels read."""

import dataclasses
import functools
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ParameterError
from .png import read_png
from .records import AT_REST, GROOVE, HEIGHT_FIELD, INCLINE, STEPS, TERRAIN, TILTING
from .surface import evaluate_height, evaluate_surface

STEEPEST = math.radians(89.0)
FAR = 1e6  # m
SMALLEST = 1e-6  # m
MOST_STEPS = 1_000_000
NO_NODES = np.zeros((1, 1))


def quantity(default: Any, low: float, high: float, unit: str) -> Any:
    """Declare a number of a terrain with its range, bounds included; a default of MISSING makes it compulsory."""
    return dataclasses.field(default=default, metadata={"low": low, "high": high, "unit": unit})


def check_number(name: str, value: Any, low: float, high: float, unit: str, kind: type = float) -> Any:
    """Return a number as float or int, or raise a ParameterError that names it, what was found, and its range."""
    expected: Any = Integral if kind is int else Real
    if isinstance(value, bool | np.bool_) or not isinstance(value, expected) or not low <= value <= high:
        noun = "a whole number" if kind is int else "a number"
        raise ParameterError(f"{name} = {value!r}; expected {noun} from {low:g} to {high:g} {unit}".rstrip())
    return kind(value)


def check_pair(name: str, value: Any) -> tuple[float, float]:
    """Return two lengths in m, or raise a ParameterError."""
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or len(value) != 2:
        raise ParameterError(f"{name} = {value!r}; expected two numbers in m")
    first, second = (check_number(f"{name}[{i}]", value[i], -FAR, FAR, "m") for i in range(2))
    return first, second


def real_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return a copy as an array of floats, or raise a ParameterError that names it; text and dates are no numbers."""
    try:
        return np.asarray(value).astype(np.float64, order="C", casting="same_kind")
    except (TypeError, ValueError):
        raise ParameterError(f"{name}: expected an array of numbers, found {value!r:.80}") from None


@dataclass(frozen=True)
class Terrain:
    """What the robot stands on: the base of all terrains.

    Kernels read ``record``, a one-element array of dtype ``TERRAIN``, and ``heights``; neither is to be written to.
    """

    kind: ClassVar[int]
    motion: ClassVar[int] = AT_REST

    def __post_init__(self) -> None:
        """Check every quantity against its declared range."""
        for field in dataclasses.fields(self):
            if "unit" in field.metadata:
                name = f"{type(self).__name__}.{field.name}"
                kind = int if field.type is int else float
                value = check_number(name, getattr(self, field.name), **field.metadata, kind=kind)
                object.__setattr__(self, field.name, value)

    @functools.cached_property
    def record(self) -> NDArray[np.void]:
        """The numbers of this terrain, dtype ``TERRAIN``, shape (1,)."""
        record = np.zeros(1, TERRAIN)
        record["kind"], record["motion"] = self.kind, self.motion
        for name, value in self._numbers().items():
            record[name] = value
        return record

    @property
    def moves(self) -> bool:
        """Whether its surface has a velocity."""
        return self.motion != AT_REST

    @property
    def tilts(self) -> bool:
        """Whether its shape changes with time."""
        return self.motion == TILTING

    def at(self, time: float) -> "Terrain":
        """Return this terrain as it is at a time, s, after it began to move; one that keeps its shape is the same."""
        return self

    @property
    def heights(self) -> NDArray[np.float64]:
        """The nodes of a height field, m, shape (rows, columns); a single zero for other terrains."""
        return NO_NODES

    def gap(self, points: ArrayLike) -> NDArray[np.float64]:
        """Return how far points (..., 3) are above the ground along its normal, m, shape (...); negative inside."""
        return self._evaluate(points)[0]

    def normal(self, points: ArrayLike) -> NDArray[np.float64]:
        """Return the unit normals out of the ground next to points (..., 3), shape (..., 3)."""
        return self._evaluate(points)[1]

    def height(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return the height of the ground at x and y, all in m, in their common (broadcast) shape."""
        arrays = real_array("x", x), real_array("y", y)
        try:
            every_x, every_y = np.broadcast_arrays(*arrays)
        except ValueError as error:
            raise ParameterError(f"x and y of a height: {error}") from None
        result = np.empty(every_x.size)
        evaluate_height(self.record, self.heights, every_x.flatten(), every_y.flatten(), result)
        return result.reshape(every_x.shape)[()]

    def _evaluate(self, points: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        array = real_array("points", points)
        if array.ndim == 0 or array.shape[-1] != 3:
            raise ParameterError(f"points of shape {array.shape}; expected (..., 3)")
        flat = array.reshape(-1, 3)
        gaps, normals = np.empty(len(flat)), np.empty_like(flat)
        evaluate_surface(self.record, self.heights, flat, gaps, normals)
        return gaps.reshape(array.shape[:-1])[()], normals.reshape(array.shape)

    def _numbers(self) -> dict[str, Any]:
        """Return this terrain's fields of ``TERRAIN``."""
        raise NotImplementedError


def direction(angle: float) -> tuple[float, float]:
    """Return the cosine and the sine of an angle, rad."""
    return math.cos(angle), math.sin(angle)


@dataclass(frozen=True, init=False, repr=False)
class Plane(Terrain):
    """Level ground.

    Args:
        height: Of the ground above the world's origin, m; kept as ``level``, since ``height`` is a question to ask.
    """

    kind: ClassVar[int] = INCLINE
    level: float

    def __init__(self, height: float = 0.0) -> None:
        """Put the plane at a height, m."""
        object.__setattr__(self, "level", check_number("Plane.height", height, -FAR, FAR, "m"))

    def __repr__(self) -> str:
        """Return the call that makes this plane."""
        return f"Plane(height={self.level!r})"

    def _numbers(self) -> dict[str, Any]:
        return {"heading": direction(0.0), "tilt": direction(0.0), "height": self.level}


@dataclass(frozen=True)
class Slope(Terrain):
    """An inclined plane through the world's origin.

    Args:
        angle: To the horizontal, rad; positive: rises along the azimuth.
        azimuth: Direction of ascent in the horizontal plane, rad from x towards y.
    """

    kind: ClassVar[int] = INCLINE
    angle: float = quantity(math.radians(10.0), -STEEPEST, STEEPEST, "rad")
    azimuth: float = quantity(0.0, -FAR, FAR, "rad")

    def _numbers(self) -> dict[str, Any]:
        return {"heading": direction(self.azimuth), "tilt": direction(self.angle)}


@dataclass(frozen=True)
class Steps(Terrain):
    """A staircase up: level ground at z = 0, then treads and vertical risers, then the last tread without end.

    The gap is the exact distance to the profile: from outside to the nearest tread, riser or edge (near an edge the
    normal is radial), from inside the shortest way out.

    Args:
        rise: Height of a riser, m.
        run: Depth of a tread, m.
        count: Number of risers.
        start: Distance from the world's origin to the first riser, m.
        azimuth: Direction of ascent in the horizontal plane, rad from x towards y.
    """

    kind: ClassVar[int] = STEPS
    rise: float = quantity(0.1, SMALLEST, FAR, "m")
    run: float = quantity(0.3, SMALLEST, FAR, "m")
    count: int = quantity(5, 1, MOST_STEPS, "")
    start: float = quantity(0.5, -FAR, FAR, "m")
    azimuth: float = quantity(0.0, -FAR, FAR, "rad")

    def _numbers(self) -> dict[str, Any]:
        return {
            "heading": direction(self.azimuth),
            "rise": self.rise,
            "run": self.run,
            "count": self.count,
            "start": self.start,
        }


@dataclass(frozen=True)
class Groove(Terrain):
    """A valley of two equally steep walls that meet in a horizontal line through the world's origin.

    A point has the gap to the nearer wall; a body touches both walls at once with different points.

    Args:
        angle: Of either wall to the horizontal, rad.
        azimuth: Direction across the line, along which one wall rises (the other rises the opposite way), rad.
    """

    kind: ClassVar[int] = GROOVE
    angle: float = quantity(math.radians(45.0), 0.0, STEEPEST, "rad")
    azimuth: float = quantity(0.0, -FAR, FAR, "rad")

    def _numbers(self) -> dict[str, Any]:
        return {"heading": direction(self.azimuth), "tilt": direction(self.angle)}


@dataclass(frozen=True, eq=False)
class HeightField(Terrain):
    """Heights on a square grid, bilinear in between; outside, the heights of the border go on level.

    The gap is the vertical distance times the cosine of the slope: a distance near the surface, and continuous
    everywhere. The normal is that of the bilinear patch and jumps where the slope does.

    Args:
        array: Heights of the nodes, m, shape (rows, columns); columns along x, rows along y, as in a ROS OccupancyGrid.
        cell_size: Distance between neighbouring nodes, m.
        origin: World x and y of the node ``array[0, 0]``, m; None centres the field on the world's origin.
    """

    kind: ClassVar[int] = HEIGHT_FIELD
    array: NDArray[np.float64] = dataclasses.field(repr=False)
    cell_size: float = quantity(dataclasses.MISSING, SMALLEST, FAR, "m")
    origin: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Check the heights and place the grid."""
        super().__post_init__()
        array = real_array("HeightField.array", self.array)
        if array.ndim != 2 or array.size == 0:
            raise ParameterError(f"HeightField.array of shape {array.shape}; expected (rows, columns), at least 1 x 1")
        wrong = ~(np.abs(array) <= FAR)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ParameterError(
                f"HeightField.array[{row}, {column}] = {array[row, column]}; expected from {-FAR:g} to {FAR:g} m"
            )
        rows, columns = array.shape
        centred = (-0.5 * (columns - 1) * self.cell_size, -0.5 * (rows - 1) * self.cell_size)
        origin = centred if self.origin is None else check_pair("HeightField.origin", self.origin)
        object.__setattr__(self, "array", array)
        object.__setattr__(self, "origin", origin)

    def __reduce__(self) -> tuple[Any, ...]:
        """Make the field anew in another process, where joblib may hand over large arrays that are read-only.

        For numba such an array has another type, hence it would compile every kernel a second time.
        """
        return HeightField, (self.array, self.cell_size, self.origin)

    @classmethod
    def from_png(
        cls,
        path: str | os.PathLike[str],
        cell_size: float,
        height_range: Sequence[float],
        origin: tuple[float, float] | None = None,
    ) -> "HeightField":
        """Return the field whose heights are an image's brightness; its bottom row lies at the smallest y.

        Args:
            path: A PNG file, 8 or 16 bits, grey or RGB.
            cell_size: Distance between the centres of neighbouring pixels, m.
            height_range: Heights of black and white, m.
            origin: World x and y of the bottom left pixel's centre, m; None centres the field.
        """
        if not isinstance(path, str | os.PathLike):
            raise ParameterError(f"HeightField.path = {path!r}; expected the path of a PNG file")
        black, white = check_pair("HeightField.height_range", height_range)
        return cls(black + (white - black) * read_png(path)[::-1], cell_size, origin)

    @property
    def heights(self) -> NDArray[np.float64]:
        """The nodes, m, shape (rows, columns)."""
        return self.array

    def _numbers(self) -> dict[str, Any]:
        return {"origin": self.origin, "cell_size": self.cell_size}
