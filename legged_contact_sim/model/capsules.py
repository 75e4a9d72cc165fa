"""Collision shapes as capsules (segments with a radius), for collisions between a robot's own bodies.

Spheres and capsules are what they are. Any other shape is taken as the smallest box around its points that one of
their principal axes allows, and that as capsules side by side along its longest edge, as thick as its shortest one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .collision import ContactPoint
from .placement import Array

MOST = 4  # capsules side by side
ANGLES = np.radians(np.arange(0.0, 90.0, 1.0))


class Capsule(NamedTuple):
    """A capsule on a body: index, ends of its axis (2, 3) in the body's frame and radius, m; the URDF link it is of."""

    body: int
    ends: Array
    radius: float
    carrier: str


def shape_capsules(points: Sequence[ContactPoint]) -> tuple[list[Capsule], float]:
    """Return the capsules of all shapes, and how far a corner of a shape sticks out of its capsules at most, m.

    Args:
        points: contact points of the shapes, before they are reduced.
    """
    shapes: dict[tuple[int, str], list[ContactPoint]] = {}
    for point in points:
        key = (point.shape, "" if point.shape >= 0 else point.name)
        shapes.setdefault(key, []).append(point)
    capsules: list[Capsule] = []
    out = 0.0
    for own in shapes.values():
        places, first = np.array([point.position for point in own]), own[0]
        if first.radius > 0.0 and len(own) <= 2:
            capsules.append(Capsule(first.link, places[[0, -1]], first.radius, first.carrier))
        elif len(own) > 2:
            axes, radius = box_capsules(places)
            capsules += [Capsule(first.link, ends, radius, first.carrier) for ends in axes]
            out = max(out, _sticking_out(places, axes, radius))
    return capsules, out


def box_capsules(places: Array) -> tuple[list[Array], float]:
    """Return the axes, (2, 3) each, and the radius, m, of the capsules that fill the box around points (n, 3)."""
    center, frame, edges = smallest_box(places)
    order = np.argsort(edges)[::-1]
    (long, wide, thin), (along, across) = edges[order], frame[order[:2]]
    count = min(MOST, max(1, round(wide / max(thin, 0.25 * wide, 1e-9))))
    radius = 0.5 * max(thin, wide / count)
    half = max(0.5 * long - radius, 0.0) * along
    sides = np.linspace(-1.0, 1.0, count) if count > 1 else np.zeros(1)
    middles = center + sides[:, None] * max(0.5 * wide - radius, 0.0) * across
    return [np.array([middle - half, middle + half]) for middle in middles], float(radius)


def smallest_box(places: Array) -> tuple[Array, Array, Array]:
    """Return centre (3,), axes (3, 3) by rows and edges (3,), m, of a small box around points (n, 3).

    One axis is a principal axis of the points, the others are turned about it in steps of a degree.
    """
    middle = places.mean(axis=0)
    away = places - middle
    principal = np.linalg.svd(away, full_matrices=False)[2] if len(places) >= 3 else np.eye(3)
    best: tuple[float, Array, Array, Array] | None = None
    for k in range(3):
        fixed, first, second = principal[k], principal[(k + 1) % 3], principal[(k + 2) % 3]
        for angle in ANGLES:
            turned = np.cos(angle) * first + np.sin(angle) * second
            frame = np.array([fixed, turned, np.cross(fixed, turned)])
            along = away @ frame.T
            low, high = along.min(axis=0), along.max(axis=0)
            volume = float(np.prod(np.maximum(high - low, 1e-6)))
            if best is None or volume < best[0] * (1.0 - 1e-9):
                best = volume, middle + 0.5 * (low + high) @ frame, frame, high - low
    assert best is not None
    return best[1:]


def _sticking_out(places: Array, axes: Sequence[Array], radius: float) -> float:
    """Return how far the farthest of points (n, 3) is outside all capsules, m."""
    distances = []
    for start, end in axes:
        along = end - start
        shares = np.clip((places - start) @ along / max(along @ along, 1e-30), 0.0, 1.0)
        distances.append(np.linalg.norm(places - start - shares[:, None] * along, axis=1))
    return float(max(np.min(distances, axis=0).max() - radius, 0.0))
