"""Parameters of controllers: as those of contact models, with lists of numbers and switches besides."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np

from ..contact.parameters import checked_value, choice, number, whole
from ..errors import ParameterError

__all__ = ["Parameters", "choice", "flag", "make_parameters", "number", "numbers", "per_joint", "whole"]

Kind = TypeVar("Kind", bound="Parameters")


def numbers(default: tuple[float, ...], low: float, high: float, unit: str = "", *, length: int | None = None) -> Any:
    """Declare a list of floats with the allowed range of each, and its length where that is fixed."""
    rule = {"low": low, "high": high, "open_low": False, "unit": unit, "many": True, "length": length}
    return field(default=default, metadata=rule)


def flag(default: bool) -> Any:
    """Declare a parameter that is true or false."""
    return field(default=default, metadata={"flag": True})


@dataclass(frozen=True)
class Parameters:
    """Base of the parameters of controllers: checks every declared field when one is made."""

    def __post_init__(self) -> None:
        """Refuse values outside the declared ranges.

        Raises:
            ParameterError: names the parameter, what was found and what is allowed.
        """
        for item in fields(self):
            object.__setattr__(self, item.name, _checked(item.name, getattr(self, item.name), item.metadata))


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


def _checked(name: str, value: Any, rule: Any) -> Any:
    if rule.get("flag"):
        if not isinstance(value, bool):
            raise ParameterError(f"{name}: expected true or false, found {value!r}")
        return value
    if not rule.get("many"):
        return checked_value(name, value, rule)
    entries = [value] if isinstance(value, int | float) else value
    if isinstance(entries, str) or not hasattr(entries, "__iter__"):
        raise ParameterError(f"{name}: expected a list of numbers, found {value!r}")
    listed = tuple(checked_value(name, entry, rule) for entry in entries)
    if rule["length"] not in (None, len(listed)):
        raise ParameterError(f"{name}: expected {rule['length']} numbers, found {len(listed)}")
    return listed
