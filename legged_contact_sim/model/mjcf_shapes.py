"""Collision geoms of a compiled MuJoCo model as shapes."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from .collision_pairs import LinkPair
from .placement import Array, Placement, rotation_from_quaternion
from .urdf import Shape

COLLISION_GROUP = 3  # of geoms, by convention
# Numbers of MuJoCo's enumeration mjtGeom.
PLANE, HEIGHT_FIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)


def colliding_geoms(model: Any, notes: list[str]) -> Array:
    """Return which geoms collide, (ngeom,) bool: by their masks, or because a `contact/pair` names them.

    Where none of the robot's does, as in a robot whose scene names the pairs, those of group 3 do, the group that
    collision geoms have by convention; ``notes`` gets a line about it.
    """
    found = (model.geom_contype > 0) | (model.geom_conaffinity > 0)
    found[model.pair_geom1], found[model.pair_geom2] = True, True
    moving = model.geom_bodyid > 0
    if not (found & moving).any() and (moving & (model.geom_group == COLLISION_GROUP)).any():
        found = found | (moving & (model.geom_group == COLLISION_GROUP))
        notes.append("no geom of it collides: those of group 3 are taken as its collision shapes")
    return np.asarray(found)


def body_shapes(model: Any, body: int, collide: Array, notes: list[str]) -> tuple[Shape, ...]:
    """Return the shapes of a body's geoms that collide; ``notes`` gets a line about those that have no shape here.

    Args:
        model: the compiled model.
        body: its number.
        collide: of `colliding_geoms`.
        notes: get longer.
    """
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    found = []
    for geom in range(first, first + count):
        if not collide[geom]:
            continue
        name = model.geom(geom).name
        rotation = rotation_from_quaternion(model.geom_quat[geom][[1, 2, 3, 0]])
        place = Placement(rotation, model.geom_pos[geom].copy())
        size = model.geom_size[geom]
        kind = int(model.geom_type[geom])
        if kind == SPHERE:
            found.append(Shape(name, "sphere", place, (float(size[0]),)))
        elif kind in (CAPSULE, CYLINDER):
            found.append(Shape(name, "capsule" if kind == CAPSULE else "cylinder", place, (size[0], 2.0 * size[1])))
        elif kind == BOX:
            found.append(Shape(name, "box", place, tuple((2.0 * size).tolist())))
        elif kind == ELLIPSOID:
            found.append(Shape(name, "points", place, (), vertices=size * _directions()))
        elif kind == MESH:
            mesh = int(model.geom_dataid[geom])
            begin, number = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
            vertices = model.mesh_vert[begin : begin + number].astype(float)
            found.append(Shape(name, "points", place, (), vertices=vertices))
        else:
            notes.append(f"geom {name or geom!r} of body {model.body(body).name!r} is a plane or field and is left out")
    return tuple(found)


def disabled_collisions(model: Any, body_name: Callable[[int], str]) -> set[LinkPair]:
    """Return the pairs of bodies that MuJoCo keeps from colliding: excluded, or without two geoms that may touch."""
    excluded = {(int(signature) >> 16, int(signature) & 0xFFFF) for signature in model.exclude_signature}
    disabled = {frozenset(map(body_name, pair)) for pair in excluded}
    kinds, affinities = model.geom_contype, model.geom_conaffinity
    of_body = [np.flatnonzero((model.geom_bodyid == body) & ((kinds | affinities) > 0)) for body in range(model.nbody)]
    for one, other in combinations(range(1, model.nbody), 2):
        first, second = of_body[one], of_body[other]
        meets = (kinds[first][:, None] & affinities[second]) | (kinds[second] & affinities[first][:, None])
        if not meets.any():
            disabled.add(frozenset((body_name(one), body_name(other))))
    return disabled


def _directions() -> Array:
    """Return unit vectors (26, 3) to the faces, edges and corners of a cube."""
    grid = np.array(np.meshgrid([-1, 0, 1], [-1, 0, 1], [-1, 0, 1])).reshape(3, 27).T
    grid = grid[np.any(grid != 0, axis=1)]
    return np.asarray(grid / np.linalg.norm(grid, axis=1, keepdims=True))
