"""Fewer contact points: coincident ones merged, meshes of balls taken as spheres, those of covers thinned out."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .collision import ContactPoint
from .mesh import spread

COINCIDENT = 1e-6  # m
BALL = 0.08  # of its radius: a mesh whose corners are so near to a sphere is one
MOST_TOLD = 4  # bodies
ENDS, COVERS = 32, 12  # most corners of meshes on a body at the end of a limb, and on any other


def reduced_points(points: Sequence[ContactPoint], parents: Sequence[int]) -> tuple[list[ContactPoint], list[str]]:
    """Return fewer contact points, and notes on how far those that were left out are from them at most.

    That bounds the error: a flat ground that touches a point that is kept reaches no deeper into the mesh than the
    distance from a corner that was left out to the nearest one that was kept.

    Args:
        points: all points, those of a shape one after the other.
        parents: index of the parent of every body, -1: the world.
    """
    kept: list[ContactPoint] = []
    thinned: dict[int, list[tuple[float, str]]] = {}
    for body in sorted({point.link for point in points}):
        own = [point for point in points if point.link == body]
        balls, corners = _balls([point for point in own if point.mesh])
        most = ENDS if body not in parents else COVERS
        chosen, error = _thinned(_merged(corners), most)
        if error > 0.0:
            carriers = ", ".join(dict.fromkeys(point.carrier for point in corners))
            thinned.setdefault(len(chosen), []).append((error, carriers))
        others = [point for point in own if not point.mesh]
        kept += _in_order(points, _merged([*others, *balls, *chosen]))
    return kept, [_note(count, bodies) for count, bodies in thinned.items()]


def _note(count: int, bodies: list[tuple[float, str]]) -> str:
    """Return a note on bodies of whose corners so many were kept, those with the largest error first."""
    bodies = sorted(bodies, reverse=True)
    told = ", ".join(f"{carriers} {math.ceil(1e3 * error)} mm" for error, carriers in bodies[:MOST_TOLD])
    more = f", less for {len(bodies) - MOST_TOLD} more" if len(bodies) > MOST_TOLD else ""
    return f"meshes give a body {count} corners, and the others are near to those: within {told}{more}"


def _in_order(points: Sequence[ContactPoint], chosen: list[ContactPoint]) -> list[ContactPoint]:
    """Return the chosen points in the order that their shapes had."""
    place = {point.name: k for k, point in enumerate(points)}
    return sorted(chosen, key=lambda point: place[point.name])


def _merged(points: Sequence[ContactPoint]) -> list[ContactPoint]:
    """Return the points without those that coincide with an earlier one of the same radius."""
    cells: set[tuple[float, ...]] = set()
    found = []
    for point in points:
        cell = (*np.round(point.position / COINCIDENT).tolist(), round(point.radius / COINCIDENT))
        if cell not in cells:
            cells.add(cell)
            found.append(point)
    return found


def _balls(corners: list[ContactPoint]) -> tuple[list[ContactPoint], list[ContactPoint]]:
    """Return the spheres that meshes of balls are, as points, and the corners of all other meshes."""
    balls, rest = [], []
    for shape in dict.fromkeys(point.shape for point in corners):
        own = [point for point in corners if point.shape == shape]
        sphere = fitted_sphere(np.array([point.position for point in own]))
        if sphere is None:
            rest += own
        else:
            balls.append(replace(own[0], position=sphere[0], radius=sphere[1]))
    return balls, rest


def fitted_sphere(corners: np.ndarray) -> tuple[np.ndarray, float] | None:
    """Return centre (3,) and radius, m, of the sphere through corners (n, 3); None if they are not on one.

    Least squares on |x|^2 = 2 c x + (r^2 - |c|^2), which is linear.
    """
    if len(corners) < 12:
        return None
    middle = corners.mean(axis=0)
    away = corners - middle
    rows = np.column_stack([2.0 * away, np.ones(len(away))])
    solution = np.linalg.lstsq(rows, (away**2).sum(axis=1), rcond=None)[0]
    center = solution[:3]
    radius = float(np.sqrt(max(solution[3] + center @ center, 0.0)))
    distances = np.linalg.norm(away - center, axis=1)
    thin, *wide = sorted(np.ptp(away, axis=0))
    # Half a ball still is one, with the other half inside the leg; a slice of a large sphere is not.
    if np.abs(distances - radius).max() > BALL * radius or thin < 0.8 * radius or min(wide) < 1.8 * radius:
        return None
    return middle + center, radius


def _thinned(points: list[ContactPoint], most: int) -> tuple[list[ContactPoint], float]:
    """Return at most so many points, spread out, and how far the others are from them at most, m."""
    if len(points) <= most:
        return points, 0.0
    places = np.array([point.position for point in points])
    chosen = spread(places, most)
    away = np.linalg.norm(places[:, None] - places[chosen][None], axis=2).min(axis=1)
    return [points[k] for k in chosen], float(away.max())
