"""From collision shapes to contact points: the points of a shape that a flat ground can touch first."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError
from .finite import finite_array
from .inertia import RigidInertia
from .mesh import hull_points, mesh_points
from .placement import Array, Placement
from .records import CONTACT_POINT
from .suggestion import suggestion
from .tree import WORLD, Frame, Tree
from .urdf import LinkDescription, Shape

RIM_POINTS = 8
FARTHEST = 1e5  # m
HUGE, UNLIKELY = 10.0, 100.0  # a mesh of 10 m and of 100 radii of gyration of its link is in another unit
_CORNERS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij")).reshape(3, 8).T


@dataclass(frozen=True)
class ContactPoint:
    """A sphere around a point of a body: body index, centre (3,) in the body's frame and radius, m.

    `carrier` is the URDF link that the point belongs to, `shape` the number of its collision shape in the robot (-1:
    none), `named` whether that has a name, `mesh` whether it is a mesh; `lost` says which mesh the point stands in for,
    "": none.
    """

    name: str
    link: int
    position: Array
    radius: float
    carrier: str = ""
    shape: int = -1
    named: bool = True
    mesh: bool = False
    lost: str = ""


def contact_records(points: list[ContactPoint]) -> np.ndarray:
    """Return the points as CONTACT_POINT records."""
    return np.array([(point.link, point.position, point.radius) for point in points], CONTACT_POINT)


@dataclass(frozen=True)
class Meshes:
    """How collision meshes are read.

    Attributes:
        policy: "hull": a mesh gives the corners of its convex hull; "skip": it gives no points.
        folder: that holds the URDF; None: the URDF is text.
        packages: folders that are, or hold, the packages of `package://` addresses.
    """

    policy: str = "hull"
    folder: Path | None = None
    packages: Sequence[Path] = ()


def shape_points(tree: Tree, meshes: Meshes) -> tuple[list[ContactPoint], list[str]]:
    """Return the contact points of all collision shapes that move, in the order of the bodies, and notes on meshes.

    A point is called like its collision, or its link if the collision has no name; points that would share a name are
    numbered from 0. A mesh that cannot be read is replaced by the box around what is drawn of its link, or by the box
    that has the link's inertia.
    """
    found: list[ContactPoint] = []
    notes: list[str] = []
    number = 0
    for index, body in enumerate(tree.bodies):
        for link, placement in body.parts:
            for shape in link.shapes:
                if shape.kind == "mesh" and meshes.policy == "skip":
                    continue
                lost = ""
                try:
                    points, radius = _points(shape, meshes)
                except ModelError as error:
                    lost = f"link {link.name!r}: collision {error}"
                    points, radius, instead = _stand_in(link, meshes)
                    notes.append(f"{lost}; in its place: {instead}")
                else:
                    points = shape.placement.apply(points)
                label = shape.name or link.name
                in_body = placement.apply(points)
                _check_near(link, shape, in_body, radius)
                notes += [] if lost else _other_unit(link, shape, points)
                origin = (link.name, number, bool(shape.name), shape.kind in ("mesh", "points"), lost)
                found += [ContactPoint(label, index, point, radius, *origin) for point in in_body]
                number += 1
    names = _unique([point.name for point in found])
    return [replace(point, name=name) for name, point in zip(names, found, strict=True)], notes


def _check_near(link: LinkDescription, shape: Shape, points: Array, radius: float) -> None:
    """Refuse a shape that is so far away, or so large, that no number of a simulation would mean anything."""
    farthest = float(np.abs(np.append(points, radius)).max())
    if not farthest < FARTHEST:
        what = f"mesh {shape.filename!r}" if shape.filename else f"<{shape.kind}>"
        raise ModelError(
            f"link {link.name!r}: collision {what} reaches {farthest:.3g} m; expected less than {FARTHEST:g}"
        )


def _other_unit(link: LinkDescription, shape: Shape, points: Array) -> list[str]:
    """Return a note if a mesh is so much larger than a body of the link's inertia that it must be in millimetres."""
    if shape.kind != "mesh" or link.inertia is None or link.inertia.mass <= 0.0:
        return []
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    gyration = float(np.sqrt(link.inertia.moments.trace() / link.inertia.mass))
    if size < HUGE or size < UNLIKELY * gyration:
        return []
    reading = 'in millimetres? scale="0.001 0.001 0.001" makes them metres'
    return [f"link {link.name!r}: collision mesh {shape.filename!r} is {size:.3g} m large ({reading})"]


def names_with_feet(points: Sequence[ContactPoint], feet: Sequence[int]) -> tuple[str, ...]:
    """Return the names of contact points, a foot's sphere called like its link, without a number, if that is free."""
    names = [point.name for point in points]
    for foot in feet:
        point = points[foot]
        if point.radius > 0.0 and not point.named and point.carrier not in names:
            names[foot] = point.carrier
    return tuple(names)


def _stand_in(link: LinkDescription, meshes: Meshes) -> tuple[Array, float, str]:
    """Return points (n, 3) in the link's frame that stand in for a mesh, the radius around them, m, and their name."""
    for shape in link.visuals:
        try:
            points, radius = _points(shape, meshes)
        except ModelError:
            continue
        if shape.kind != "mesh":
            return shape.placement.apply(points), radius, f"the {shape.kind} that is drawn"
        low, high = points.min(axis=0), points.max(axis=0)
        box = 0.5 * (low + high) + 0.5 * (high - low) * _CORNERS
        return shape.placement.apply(box), 0.0, "the box around the mesh that is drawn"
    if link.inertia is not None and link.inertia.mass > 0.0:
        return _inertia_box(link.inertia), 0.0, "the uniform box that has the link's inertia"
    return np.empty((0, 3)), 0.0, "nothing"


def _inertia_box(inertia: RigidInertia) -> Array:
    """Return the corners (8, 3) of the uniform box with a link's moments of inertia, in the link's frame, m."""
    moments, axes = np.linalg.eigh(inertia.moments)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / inertia.mass
    edges = np.sqrt(np.maximum(squares, 0.0))
    return Placement(axes, inertia.com).apply(0.5 * edges * _CORNERS)


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


def _points(shape: Shape, meshes: Meshes) -> tuple[Array, float]:
    """Return the points (n, 3) of a shape in its own frame and the radius around them, m."""
    if shape.kind == "sphere":
        return np.zeros((1, 3)), shape.size[0]
    if shape.kind == "box":
        return _CORNERS * np.array(shape.size) / 2.0, 0.0
    if shape.kind == "points" and shape.vertices is not None:
        return hull_points(shape.vertices), 0.0
    if shape.kind == "mesh":
        return mesh_points(shape.filename, shape.size, meshes.folder, meshes.packages), 0.0
    radius, length = shape.size
    ends = np.array([[0.0, 0.0, -length / 2.0], [0.0, 0.0, length / 2.0]])
    if shape.kind == "capsule":
        return ends, radius
    angles = 2.0 * np.pi * np.arange(RIM_POINTS) / RIM_POINTS
    rim = radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(RIM_POINTS)], axis=1)
    return (ends[:, None] + rim).reshape(-1, 3), 0.0


def points_that_move(sidecar: Mapping[str, Any], frames: Mapping[str, Frame]) -> Any:
    """Return a sidecar's contact points without those on links that a fixed base holds: such points touch nothing."""
    given = sidecar.get("contact_points") or {}
    if not isinstance(given, Mapping):
        return given
    held = {name for name, frame in frames.items() if frame.link == WORLD}
    return {
        name: entry
        for name, entry in given.items()
        if not isinstance(entry, Mapping) or str(entry.get("link")) not in held
    }


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
    return ContactPoint(name, frame.link, frame.placement.apply(offset), float(radius), link)
