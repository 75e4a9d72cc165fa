"""What a standing robot's joints carry: centre of mass, loads on the feet, holding efforts, inertia about the axes."""

from collections.abc import Sequence

import numpy as np

from .home import body_placements
from .inertia import SIX
from .placement import Array
from .records import REVOLUTE

GRAVITY = 9.81


def center_of_mass(links: np.ndarray, q: Array) -> Array:
    """Return the centre of mass in the world, (3,), m."""
    placed = body_placements(links, q)
    centers = np.array([place.apply(link["com"]) for place, link in zip(placed, links, strict=True)])
    return links["mass"] @ centers / links["mass"].sum()


def foot_loads(feet: Array, center: Array, weight: float) -> Array:
    """Return vertical forces (n,), N, at places (n, 2) or (n, 3), m, that carry a weight at a centre of mass.

    Of all that balance the weight and its moments those of least squares; two feet balance only what is between them.
    """
    rows = np.concatenate([np.ones((1, len(feet))), np.asarray(feet)[:, :2].T])
    return np.asarray(np.linalg.pinv(rows) @ (weight * np.array([1.0, center[0], center[1]])))


def holding_efforts(links: np.ndarray, q: Array, points: np.ndarray, loads: Array) -> Array:
    """Return the effort (links,), N m or N, in the joint of each body that holds a pose on loaded contact points.

    Args:
        links: LINK records.
        q: (nq,).
        points: CONTACT_POINT records of the feet.
        loads: vertical forces of the ground on them, (n,), N.
    """
    placed = body_placements(links, q)
    held = np.zeros((len(links), 3))  # by each body and all that it carries: force f, N, and f x, f y, N m
    for body, (place, link) in _numbered(placed, links):
        held[body] += _upward(place.apply(link["com"]), -GRAVITY * link["mass"])
    for point, load in zip(points, loads, strict=True):
        held[point["link"]] += _upward(placed[point["link"]].apply(point["position"]), load)
    efforts = np.zeros(len(links))
    for body in reversed(range(len(links))):  # parents come first in the records
        force, along_x, along_y = held[body]
        axis, origin = _axis(links, placed, body), placed[body].position
        if links["joint_kind"][body] == REVOLUTE:
            efforts[body] = axis[1] * (along_x - origin[0] * force) - axis[0] * (along_y - origin[1] * force)
        else:
            efforts[body] = -axis[2] * force
        if links["parent"][body] >= 0:
            held[links["parent"][body]] += held[body]
    return efforts


def joint_inertias(links: np.ndarray, q: Array) -> Array:
    """Return the inertia (links,), kg m^2 or kg, that each joint moves when all others are locked, rotor included."""
    placed = body_placements(links, q)
    found = links["rotor_inertia"].copy()
    masses, centers, moments = links["mass"].copy(), np.zeros((len(links), 3)), np.zeros((len(links), 3, 3))
    for body, (place, link) in _numbered(placed, links):
        moments[body][SIX] = link["inertia"]
        moments[body] = place.rotation @ (moments[body] + np.triu(moments[body], 1).T) @ place.rotation.T
        centers[body] = place.apply(link["com"])
    for body in reversed(range(len(links))):  # each with all that it carries; parents come first in the records
        if links["joint_kind"][body] == REVOLUTE:
            axis, arm = _axis(links, placed, body), centers[body] - placed[body].position
            found[body] += axis @ (moments[body] + _of_point(masses[body], arm)) @ axis
        else:
            found[body] += masses[body]
        parent = int(links["parent"][body])
        total = masses[parent] + masses[body]
        if parent >= 0 and total > 0.0:
            apart = centers[body] - centers[parent]
            moments[parent] += moments[body] + _of_point(masses[parent] * masses[body] / total, apart)
            centers[parent] += masses[body] / total * apart
            masses[parent] = total
    return found


def _upward(place: Array, force: float) -> Array:
    """Return a vertical force, N, and its moments with x and y, N m, (3,)."""
    return force * np.array([1.0, place[0], place[1]])


def _of_point(mass: float, arm: Array) -> Array:
    """Return the moments (3, 3), kg m^2, of a point mass at an arm (3,), m, about the arm's beginning."""
    return mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def _axis(links: np.ndarray, placed: Sequence, body: int) -> Array:
    """Return the axis (3,) of a body's joint in the world."""
    parent = int(links["parent"][body])
    axis: Array = links["axis"][body]
    return axis if parent < 0 else placed[parent].rotation @ axis


def _numbered(placed: Sequence, links: np.ndarray) -> list:
    return list(enumerate(zip(placed, links, strict=True)))
