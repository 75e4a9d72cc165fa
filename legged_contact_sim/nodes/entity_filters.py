"""Which entities a query of simulation_interfaces means."""

import re
from typing import Any

import numpy as np

from ..errors import ParameterError

# POSIX extended expressions and Python's agree but for these classes of letters.
CLASSES = {
    "[:alnum:]": "a-zA-Z0-9", "[:alpha:]": "a-zA-Z", "[:blank:]": " \\t", "[:digit:]": "0-9", "[:lower:]": "a-z",
    "[:punct:]": "!-/:-@\\[-`{-~", "[:space:]": "\\s", "[:upper:]": "A-Z", "[:xdigit:]": "0-9A-Fa-f",
}  # fmt: skip


class UnsupportedError(Exception):
    """A filter of a kind that is not offered."""


def matches(filters: Any, name: str, category: int, corners: np.ndarray) -> bool:
    """Return whether an entity passes all filters.

    Args:
        filters: simulation_interfaces/EntityFilters.
        name: of the entity.
        category: of the entity.
        corners: (2, 3), m; lower and upper corner of a box around the entity, in the world.

    Raises:
        ParameterError: the expression for names cannot be read, or bounds do not have what their type asks for.
        UnsupportedError: the filter is by tags, or by bounds of another type than a sphere or a box.
    """
    if filters.tags.tags:
        raise UnsupportedError("entities have no tags")
    wanted = [entry.category for entry in filters.categories]
    named = not filters.filter or _expression(filters.filter).search(name) is not None
    return named and (not wanted or category in wanted) and _overlaps(filters.bounds, corners)


def _expression(text: str) -> re.Pattern[str]:
    plain = text
    for posix, letters in CLASSES.items():
        plain = plain.replace(posix, letters)
    try:
        return re.compile(plain)
    except re.error as error:
        raise ParameterError(f"filter: {text!r} is no regular expression: {error}") from None


def _overlaps(bounds: Any, corners: np.ndarray) -> bool:
    if bounds.type == bounds.TYPE_EMPTY:
        return True
    if bounds.type not in (bounds.TYPE_SPHERE, bounds.TYPE_BOX):
        raise UnsupportedError("bounds are a sphere or a box")
    points = np.array([[point.x, point.y, point.z] for point in bounds.points])
    if len(points) != 2 or not np.isfinite(points).all():
        raise ParameterError(f"bounds: expected two finite points, found {points.tolist()}")
    if bounds.type == bounds.TYPE_SPHERE:
        nearest = np.clip(points[0], *corners)
        return bool(np.linalg.norm(nearest - points[0]) <= points[1, 0])
    return bool((points.max(axis=0) >= corners[0]).all() and (points.min(axis=0) <= corners[1]).all())
