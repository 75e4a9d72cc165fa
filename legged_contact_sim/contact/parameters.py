"""Parameters of contact models: frozen dataclasses whose fields carry their range, checked when one is made."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..errors import ParameterError

# Of the ground, with what is allowed: every model gets them, and says so if it cannot honour one.
GROUND = {
    "friction": {"low": 0.0, "high": 100.0, "open_low": False, "unit": ""},
    "restitution": {"low": 0.0, "high": 1.0, "open_low": False, "unit": ""},
}


def number(default: float, low: float, high: float, unit: str = "", *, open_low: bool = False) -> Any:
    """Declare a float parameter with its allowed range [low, high] (or ]low, high]) and unit."""
    return field(default=default, metadata={"low": low, "high": high, "open_low": open_low, "unit": unit})


def whole(default: int, low: int, high: int) -> Any:
    """Declare an integer parameter with its allowed range."""
    return field(default=default, metadata={"low": low, "high": high, "open_low": False, "unit": "", "whole": True})


def choice(default: str, allowed: tuple[str, ...]) -> Any:
    """Declare a parameter that is one of several words."""
    return field(default=default, metadata={"allowed": allowed})


def switch(default: bool) -> Any:
    """Declare a parameter that is on or off."""
    return field(default=default, metadata={"switch": True})


def special(default: Any, check: Callable[[str, Any], Any]) -> Any:
    """Declare a parameter of another kind: ``check(name, value)`` returns it as it is kept, or refuses it."""
    return field(default=default, metadata={"check": check})


@dataclass(frozen=True)
class Parameters:
    """Base of all parameter sets: checks every declared field."""

    def __post_init__(self) -> None:
        """Refuse values outside the declared ranges.

        Raises:
            ParameterError: names the parameter, what was found and what is allowed.
        """
        for item in fields(self):
            object.__setattr__(self, item.name, checked_value(item.name, getattr(self, item.name), item.metadata))


def checked_value(name: str, value: Any, rule: Any) -> Any:
    """Return a value that keeps the rule (a field's metadata), or raise a ParameterError that names it."""
    if "check" in rule:
        return rule["check"](name, value)
    if "allowed" in rule:
        if value not in rule["allowed"]:
            raise ParameterError(f"{name}: expected one of {', '.join(rule['allowed'])}, found {value!r}")
        return value
    if "switch" in rule:
        if not isinstance(value, (bool, np.bool_)):
            raise ParameterError(f"{name}: expected true or false, found {value!r}")
        return bool(value)
    bracket = "]" if rule["open_low"] else "["
    unit = f" {rule['unit']}" if rule["unit"] else ""
    expectation = f"expected a number in {bracket}{rule['low']:g}, {rule['high']:g}]{unit}"
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ParameterError(f"{name}: {expectation}, found {value!r}")
    inside = rule["low"] < value <= rule["high"] if rule["open_low"] else rule["low"] <= value <= rule["high"]
    if not inside:
        raise ParameterError(f"{name}: {expectation}, found {value}")
    if rule.get("whole"):
        if value != int(value):
            raise ParameterError(f"{name}: expected a whole number, found {value}")
        return int(value)
    return float(value)
