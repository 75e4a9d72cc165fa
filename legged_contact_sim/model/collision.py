"""From collision shapes to contact points: the points of a shape that a flat ground can touch first."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError
from .finite import finite_array
from .mesh import mesh_points
from .placement import Array
from .records import CONTACT_POINT
from .suggestion import suggestion
from .tree import WORLD, Frame, Tree
from .urdf import Shape

RIM_POINTS = 8


@dataclass(frozen=True)
class ContactPoint:
    """A sphere around a point of a body: body index, centre (3,) in the body's frame and radius, m."""

    name: str
    link: int
    position: Array
    radius: float


def contact_records(points: list[ContactPoint]) -> np.ndarray:
    """Return the points as CONTACT_POINT records."""
    return np.array([(point.link, point.position, point.radius) for point in points], CONTACT_POINT)


def shape_points(tree: Tree, folder: Path | None, meshes: str) -> list[ContactPoint]:
    """Return the contact points of all collision shapes that move, in the order of the bodies.

    A point is called like its collision, or its link if the collision has no name; points that would share a name are
    numbered from 0.

    Args:
        tree: the moving bodies.
        folder: that holds the URDF, for meshes; None: the URDF is text.
        meshes: "hull": a mesh gives the corners of its convex hull; "skip": it gives no points.

    Raises:
        ModelError: a mesh cannot be read.
    """
    found = []
    for index, body in enumerate(tree.bodies):
        for link, placement in body.parts:
            for shape in link.shapes:
                if shape.kind == "mesh" and meshes == "skip":
                    continue
                points, radius = _points(shape, link.name, folder)
                in_body = placement.compose(shape.placement).apply(points)
                label = shape.name or link.name
                found += [ContactPoint(label, index, point, radius) for point in in_body]
    names = _unique([point.name for point in found])
    return [replace(point, name=name) for name, point in zip(names, found, strict=True)]


def _unique(labels: list[str]) -> list[str]:
    """Return the labels with those that occur several times numbered."""
    occurrences = Counter(labels)
    taken = {label for label, count in occurrences.items() if count == 1}
    next_number: Counter[str] = Counter()
    names = []
    for label in labels:
        name = label
        while occurrences[label] > 1 and (name == label or name in taken):
            name = f"{label}_{next_number[label]}"
            next_number[label] += 1
        taken.add(name)
        names.append(name)
    return names


def _points(shape: Shape, link: str, folder: Path | None) -> tuple[Array, float]:
    """Return the points (n, 3) of a shape in its own frame and the radius around them, m."""
    if shape.kind == "sphere":
        return np.zeros((1, 3)), shape.size[0]
    if shape.kind == "box":
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij")).reshape(3, 8).T
        return signs * np.array(shape.size) / 2.0, 0.0
    if shape.kind == "mesh":
        try:
            return mesh_points(shape.filename, shape.size, folder), 0.0
        except ModelError as error:
            raise ModelError(f'link {link!r}: collision {error}; meshes="skip" leaves such collisions out') from None
    radius, length = shape.size
    ends = np.array([[0.0, 0.0, -length / 2.0], [0.0, 0.0, length / 2.0]])
    if shape.kind == "capsule":
        return ends, radius
    angles = 2.0 * np.pi * np.arange(RIM_POINTS) / RIM_POINTS
    rim = radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(RIM_POINTS)], axis=1)
    return (ends[:, None] + rim).reshape(-1, 3), 0.0


def extra_points(given: Any, frames: Mapping[str, Frame], taken: Iterable[str]) -> list[ContactPoint]:
    """Return the contact points that the user asks for by name.

    Args:
        given: {name: {"link": ..., "offset": [x, y, z] (link's frame, m; default 0), "radius": ... (m; default 0)}}.
        frames: of every URDF link.
        taken: names that other contact points have.

    Raises:
        ModelError: a point is malformed, its link unknown or not moving, or its name taken.
    """
    if not isinstance(given, Mapping):
        raise ModelError(f"contact_points is {given!r}; expected a mapping from names to link, offset and radius")
    taken = set(taken)
    points = []
    for name, entry in given.items():
        if str(name) in taken:
            raise ModelError(f"contact point {str(name)!r}: another contact point has this name already")
        taken.add(str(name))
        points.append(_extra_point(str(name), entry, frames))
    return points


def _extra_point(name: str, entry: Any, frames: Mapping[str, Frame]) -> ContactPoint:
    where = f"contact point {name!r}"
    if not isinstance(entry, Mapping) or "link" not in entry or not {"link", "offset", "radius"}.issuperset(entry):
        raise ModelError(f"{where} is {entry!r}; expected link, offset (x y z, m) and radius (m)")
    link = str(entry["link"])
    if link not in frames:
        raise ModelError(f"{where} is on link {link!r}, which the robot does not have; {suggestion(link, frames)}")
    frame = frames[link]
    if frame.link == WORLD:
        raise ModelError(f"{where} is on link {link!r}, which does not move")
    offset = finite_array(entry.get("offset", (0.0, 0.0, 0.0)), (3,))
    if offset is None:
        raise ModelError(f"{where} has the offset {entry['offset']!r}; expected 3 finite numbers, m")
    radius = finite_array(entry.get("radius", 0.0), ())
    if radius is None or radius < 0.0:
        raise ModelError(f"{where} has the radius {entry['radius']!r}; expected 0 m or more")
    return ContactPoint(name, frame.link, frame.placement.apply(offset), float(radius))
