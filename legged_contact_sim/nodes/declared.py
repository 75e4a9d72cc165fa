"""Parameters of a node: a default, a description and a range; declared on the node, and read from it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import ParameterUninitializedException
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..errors import ParameterError


class Declared(NamedTuple):
    """A parameter: its default (a type: unset), what it is, its range, and whether it can change while running."""

    default: Any
    description: str
    low: float | None = None
    high: float | None = None
    fixed: bool = False


def declare(node: Node, declared: Mapping[str, Declared]) -> dict[str, Any]:
    """Declare parameters on a node and return their values, unset ones left out."""
    for name, parameter in declared.items():
        descriptor = _descriptor(parameter)
        unset = descriptor.dynamic_typing and isinstance(parameter.default, Parameter.Type)
        node.declare_parameter(name, None if unset else parameter.default, descriptor)
    return values_of(node, declared)


def values_of(node: Node, declared: Mapping[str, Declared]) -> dict[str, Any]:
    """Return the values of a node's parameters, unset ones left out."""
    values: dict[str, Any] = {}
    for name, parameter in declared.items():
        try:
            value = node.get_parameter(name).value
        except ParameterUninitializedException:
            continue
        if value is not None:
            take_value(values, name, parameter, value)
    return values


def take_value(values: dict[str, Any], name: str, parameter: Declared, value: Any) -> None:
    """Write a parameter's value into a mapping; an empty list takes it away.

    Raises:
        ParameterError: it is of another type than the parameter, or not finite, or out of range.
    """
    if value is None:
        raise ParameterError(f"{name}: cannot be removed; an empty list unsets what can be unset")
    if parameter.default is Parameter.Type.DOUBLE_ARRAY and len(np.atleast_1d(value)) == 0:
        values.pop(name, None)
    else:
        values[name] = _converted(name, parameter, value)


def _converted(name: str, parameter: Declared, value: Any) -> Any:
    """Return a value as the type of its parameter: whole numbers will do for floats."""
    default = parameter.default
    if default is Parameter.Type.DOUBLE_ARRAY or (isinstance(default, list) and isinstance(default[0], float)):
        return _numbers(name, value)
    if isinstance(default, float) or default is Parameter.Type.DOUBLE:
        number = _numbers(name, [value])[0]
        low, high = parameter.low, parameter.high
        if (low is not None and number < low) or (high is not None and number > high):
            raise ParameterError(f"{name}: expected a number from {low:g} to {high:g}, found {value!r}")
        return number
    return value


def _numbers(name: str, value: Any) -> list[float]:
    try:
        listed = [float(entry) for entry in value if not isinstance(entry, str | bool)]
    except (TypeError, ValueError):  # the latter for arrays, as which lists come over services
        listed = []
    if len(listed) != len(np.atleast_1d(value)) or not np.isfinite(listed).all():
        raise ParameterError(f"{name}: expected finite numbers, found {value!r}")
    return listed


def _descriptor(parameter: Declared) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(description=parameter.description, read_only=parameter.fixed)
    default = parameter.default
    # A whole number is welcome where a float is expected; `take_value` refuses everything else.
    floats = (Parameter.Type.DOUBLE, Parameter.Type.DOUBLE_ARRAY)
    many = isinstance(default, list) and isinstance(default[0], float)
    descriptor.dynamic_typing = many or isinstance(default, float) or default in floats
    if parameter.low is not None and parameter.high is not None:
        if isinstance(default, float):
            bounds = FloatingPointRange(from_value=float(parameter.low), to_value=float(parameter.high))
            descriptor.floating_point_range = [bounds]
        elif isinstance(default, int) and not isinstance(default, bool):
            whole = IntegerRange(from_value=int(parameter.low), to_value=int(parameter.high), step=1)
            descriptor.integer_range = [whole]
    return descriptor
