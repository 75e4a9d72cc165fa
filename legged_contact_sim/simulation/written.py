"""Values as people write them on a command line: YAML's, and numbers such as 1e-3, which are words to it."""

from typing import Any

import yaml  # type: ignore[import-untyped]

from ..errors import ParameterError


def written_values(name: str, given: str) -> list[Any]:
    """Return values with commas between: numbers, switches, words, lists and mappings in brackets.

    Raises:
        ParameterError: they cannot be read; it has the name.
    """
    try:
        found = yaml.safe_load(f"[{given}]")
    except yaml.YAMLError:
        found = [None]
    if not found or any(value is None for value in found):
        raise ParameterError(f"{name}: expected values with commas between, found {given!r}")
    return [number_if_it_is(value) for value in found]


def written_value(name: str, given: str) -> Any:
    """Return one value; see `written_values`."""
    values = written_values(name, given)
    if len(values) != 1:
        raise ParameterError(f"{name}: expected one value, a list in brackets, found {given!r}")
    return values[0]


def number_if_it_is(value: Any) -> Any:
    """Return words that are numbers as numbers, in lists and mappings too."""
    if isinstance(value, list):
        return [number_if_it_is(item) for item in value]
    if isinstance(value, dict):
        return {key: number_if_it_is(item) for key, item in value.items()}
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value
