"""Parameters of controllers: as those of contact models, with lists of numbers and switches besides."""

from collections.abc import Mapping
from dataclasses import field, fields
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ..contact.parameters import Parameters, checked_value, choice, number, special, whole
from ..errors import ParameterError

__all__ = ["Parameters", "choice", "flag", "make_parameters", "number", "numbers", "per_joint", "text", "whole"]

Kind = TypeVar("Kind", bound=Parameters)


def numbers(default: tuple[float, ...], low: float, high: float, unit: str = "", *, length: int | None = None) -> Any:
    """Declare a list of floats with the allowed range of each, and its length where that is fixed."""
    entry = {"low": low, "high": high, "open_low": False, "unit": unit}
    return field(default=default, metadata={"unit": unit, "check": partial(_checked_list, entry, length)})


def flag(default: bool) -> Any:
    """Declare a parameter that is true or false."""
    return field(default=default, metadata={"check": _checked_flag})


def text(default: str) -> Any:
    """Declare a parameter that is any text, such as a path."""
    return special(default, _checked_text)


def make_parameters(kind: type[Kind], owner: str, given: Mapping[str, Any]) -> Kind:
    """Return parameters of a kind from a mapping; unknown names are refused."""
    known = [item.name for item in fields(kind)]
    for name in given:
        if name not in known:
            raise ParameterError(f"{name}: {owner} has no such parameter; it has {', '.join(known)}")
    return kind(**given)


def per_joint(name: str, values: tuple[float, ...], count: int) -> np.ndarray:
    """Return one value per joint, (count,), from one for all, one leg's worth that all legs share, or one for each."""
    if not values or count % len(values):
        raise ParameterError(f"{name}: expected 1 number, {count}, or a leg's worth of them, found {len(values)}")
    return np.tile(np.array(values), count // len(values))


def _checked_flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(f"{name}: expected true or false, found {value!r}")
    return value


def _checked_list(entry: Mapping[str, Any], length: int | None, name: str, value: Any) -> tuple[float, ...]:
    entries = [value] if isinstance(value, int | float) else value
    if isinstance(entries, str) or not hasattr(entries, "__iter__"):
        raise ParameterError(f"{name}: expected a list of numbers, found {value!r}")
    listed = tuple(checked_value(name, item, entry) for item in entries)
    if length not in (None, len(listed)):
        raise ParameterError(f"{name}: expected {length} numbers, found {len(listed)}")
    return listed


def _checked_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ParameterError(f"{name}: expected text, found {value!r}")
    return value
