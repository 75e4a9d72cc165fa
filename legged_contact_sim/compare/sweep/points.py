"""Which runs a sweep makes: a grid over what varies, or random samples of it."""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ParameterError
from ...simulation.written import written_values

Point = dict[str, Any]
MOST_VALUES = 1_000_000  # of one variation


@dataclass(frozen=True)
class Variation:
    """A parameter that varies: over ``values``, or, if it has none, anywhere between ``low`` and ``high``."""

    name: str
    values: tuple[Any, ...]
    low: float = 0.0
    high: float = 0.0

    def draw(self, random: np.random.Generator) -> Any:
        """Return a random value."""
        if self.low < self.high and is_whole(self.name):
            return int(random.integers(int(self.low), int(self.high) + 1))
        if self.low < self.high:
            return float(random.uniform(self.low, self.high))
        return self.values[int(random.integers(len(self.values)))]


def is_whole(name: str) -> bool:
    """Return whether a parameter is a whole number: seeds and counts are."""
    return name.rpartition(".")[2] in ("seed", "count")


def parse_variation(words: str) -> Variation:
    """Return a variation from ``friction=0.2:1.0:9``, ``friction=0.2:1.0`` or ``contact_model=moreau,penalty``.

    Raises:
        ParameterError: names what was found and what is expected.
    """
    name, equals, given = words.partition("=")
    if not equals or not name or not given:
        raise ParameterError(f"vary: expected NAME=A:B:N or NAME=VALUE,VALUE..., found {words!r}")
    parts = given.split(":")
    if len(parts) == 1 or any(mark in given for mark in ",[{"):
        return Variation(name, tuple(written_values(name, given)))
    try:
        low, high = float(parts[0]), float(parts[1])
        count = int(parts[2]) if len(parts) == 3 else 0
    except ValueError:
        raise ParameterError(f"{name}: expected LOW:HIGH:COUNT in numbers, found {given!r}") from None
    counted = len(parts) == 2 or 2 <= count <= MOST_VALUES
    if len(parts) > 3 or not low < high or not counted or not np.isfinite([low, high]).all():
        raise ParameterError(
            f"{name}: expected LOW:HIGH:COUNT with LOW < HIGH and COUNT from 2 to {MOST_VALUES}, found {given!r}"
        )
    values = np.linspace(low, high, count).tolist()
    if is_whole(name):
        if not all(value.is_integer() for value in [low, high, *values]):
            raise ParameterError(f"{name}: expected LOW:HIGH:COUNT that gives whole numbers, found {given!r}")
        values = [int(value) for value in values]
    return Variation(name, tuple(values), low, high)


def variations_of(vary: Iterable[str] | Mapping[str, Iterable[Any]]) -> list[Variation]:
    """Return what varies, from words as on the command line or from lists of values by name."""
    if isinstance(vary, Mapping):
        found = [Variation(name, tuple(values)) for name, values in vary.items()]
    else:
        found = [parse_variation(words) for words in vary]
    names = [variation.name for variation in found]
    for variation in found:
        if names.count(variation.name) > 1:
            raise ParameterError(f"vary: {variation.name} is given twice")
        if not variation.values and not variation.low < variation.high:
            raise ParameterError(f"{variation.name}: expected at least one value")
        twice = [value for value, count in Counter(map(repr, variation.values)).items() if count > 1]
        if twice:
            raise ParameterError(f"{variation.name}: expected every value once, found {twice[0]} twice")
    return found


def points_of(variations: list[Variation], sample: int = 0, seed: int = 0) -> list[Point]:
    """Return all combinations; with ``sample``, so many random ones, the same for the same seed.

    Raises:
        ParameterError: nothing varies, or a range without a count is to be a grid.
    """
    if not variations:
        raise ParameterError("vary: expected at least one NAME=A:B:N or NAME=VALUE,VALUE...")
    for name, number in (("sample", sample), ("seed", seed)):
        if number < 0:
            raise ParameterError(f"{name}: expected a whole number >= 0, found {number}")
    names = [variation.name for variation in variations]
    if sample:
        random = np.random.default_rng(seed)
        return [{variation.name: variation.draw(random) for variation in variations} for _ in range(sample)]
    for variation in variations:
        if not variation.values:
            raise ParameterError(f"{variation.name}: a grid needs LOW:HIGH:COUNT; without a count, give --sample")
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*(v.values for v in variations))]
