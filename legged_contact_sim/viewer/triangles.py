"""Surfaces as triangles: boxes, spheres, cylinders, capsules, mesh files and terrain."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..model.mesh import find_mesh, read_vertices
from ..model.urdf import Shape
from ..terrain import Terrain

Array = NDArray[np.float64]
SIDES = 24  # of what is round
RINGS = 12  # from pole to pole


class Surface(NamedTuple):
    """Triangles: corners (n, 3), m, and which three make each of them, (m, 3); they turn left seen from outside."""

    vertices: Array
    faces: NDArray[np.int32]


def shape_surface(shape: Shape, folder: Path | None) -> Surface | None:
    """Return a shape's surface in its own frame; None: it has none that can be drawn.

    Args:
        shape: box, sphere, cylinder, capsule or mesh.
        folder: of the URDF, for the names of mesh files.
    """
    if shape.kind == "mesh":
        return _mesh_surface(shape, folder)
    if shape.kind == "box":
        return box(shape.size)
    if shape.kind == "points" and shape.vertices is not None:
        return _hull(shape.vertices)
    radius = shape.size[0]
    if shape.kind == "sphere":
        return capsule(radius, 0.0)
    if shape.kind == "cylinder":
        return cylinder(radius, shape.size[1])
    return capsule(radius, shape.size[1]) if shape.kind == "capsule" else None


def box(edges: tuple[float, ...]) -> Surface:
    """Return a box of edges (3,), m, about its centre; corners are its own for each side, so that light meets edges."""
    vertices: list[Array] = []
    faces: list[tuple[int, int, int]] = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            first, second = np.roll(np.eye(3), 1, axis=0)[axis], np.roll(np.eye(3), -1, axis=0)[axis]
            across, up = (second, first) if sign > 0 else (first, second)
            corners = [sign * np.eye(3)[axis] + s * across + t * up for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            start = len(vertices)
            vertices += corners
            faces += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
    return _outward(np.array(vertices) * np.array(edges) / 2.0, np.array(faces))


def cylinder(radius: float, length: float) -> Surface:
    """Return a cylinder about its centre, along z."""
    angles = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    circle = np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(SIDES)], axis=1)
    rim = np.array([0.0, 0.0, length / 2.0])
    wall = np.concatenate([circle - rim, circle + rim])
    here = np.arange(SIDES)
    there = (here + 1) % SIDES
    quads = [*zip(here, there, there + SIDES), *zip(here, there + SIDES, here + SIDES)]
    top = 2 * SIDES
    caps = [(top + SIDES, top + there[k], top + k) for k in here]
    caps += [(top + 2 * SIDES + 1, top + SIDES + 1 + k, top + SIDES + 1 + there[k]) for k in here]
    vertices = np.concatenate([wall, circle - rim, [-rim], circle + rim, [rim]])
    return Surface(vertices, np.array(quads + caps, np.int32))


def capsule(radius: float, length: float) -> Surface:
    """Return a capsule about its centre, along z, ``length`` between the centres of its ends; 0: a sphere."""
    rows = []
    for polar in np.linspace(0.0, np.pi, RINGS + 1):
        shift = length / 2.0 if polar < np.pi / 2.0 else -length / 2.0
        rows.append(_ring(radius * np.sin(polar), radius * np.cos(polar) + shift))
        if length and abs(polar - np.pi / 2.0) < 1e-9:
            rows.insert(-1, _ring(radius, length / 2.0))
    faces = []
    for row in range(len(rows) - 1):
        for k in range(SIDES):
            a, b = row * SIDES + k, row * SIDES + (k + 1) % SIDES
            faces += [(a, a + SIDES, b), (b, a + SIDES, b + SIDES)]
    return Surface(np.concatenate(rows), np.array(faces, np.int32))


def cone(height: float, radius: float) -> Surface:
    """Return a cone that stands on its tip at the origin and opens along z, without a lid."""
    vertices = np.concatenate([[[0.0, 0.0, 0.0]], _ring(radius, height)])
    return Surface(vertices, np.array([(0, 1 + (k + 1) % SIDES, 1 + k) for k in range(SIDES)], np.int32))


def ground_surface(terrain: Terrain, middle: Array, half_width: float, cells: int) -> Surface:
    """Return the ground's surface over a square: middle (2,), m, half of its width, m, and cells along an edge."""
    along = np.linspace(-half_width, half_width, cells + 1)
    x, y = (grid.ravel() for grid in np.meshgrid(middle[0] + along, middle[1] + along, indexing="ij"))
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    east, north = corner + cells + 1, corner + 1
    faces = np.concatenate([np.stack([corner, east, east + 1], 1), np.stack([corner, east + 1, north], 1)])
    return Surface(np.stack([x, y, terrain.height(x, y)], axis=1), faces.astype(np.int32))


def _ring(radius: float, height: float) -> Array:
    angles = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(SIDES, height)], axis=1)


def _outward(vertices: Array, faces: NDArray[np.int_]) -> Surface:
    """Return a convex surface about the origin with every triangle turned outward."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a + b + c) < 0.0
    faces[inward] = faces[inward][:, [0, 2, 1]]
    return Surface(vertices, faces.astype(np.int32))


def _mesh_surface(shape: Shape, folder: Path | None) -> Surface | None:
    """Return the triangles of an STL file; of another mesh what trimesh reads of it, or else its convex hull."""
    try:
        path = find_mesh(shape.filename, folder)
        vertices = read_vertices(path) * np.array(shape.size)
    except ModelError:
        return None
    if path.suffix.lower() == ".stl":
        return Surface(vertices, np.arange(len(vertices), dtype=np.int32).reshape(-1, 3))
    return _read_faces(path, shape) or _hull(vertices)


def _read_faces(path: Path, shape: Shape) -> Surface | None:
    if path.suffix.lower() != ".obj":
        return None
    try:
        import trimesh

        mesh: Any = trimesh.load(path, force="mesh", skip_materials=True)
    except (ImportError, ValueError):
        return None
    return Surface(np.asarray(mesh.vertices) * np.array(shape.size), np.asarray(mesh.faces, np.int32))


def _hull(vertices: Array) -> Surface | None:
    from scipy.spatial import ConvexHull, QhullError

    try:
        faces = ConvexHull(vertices).simplices
    except (QhullError, ValueError):
        return None
    middle = vertices.mean(axis=0)
    turned = _outward(vertices - middle, faces)
    return Surface(vertices, turned.faces)
