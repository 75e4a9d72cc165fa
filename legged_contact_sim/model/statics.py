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
    forces = [(b, place.apply(link["com"]), -GRAVITY * link["mass"]) for b, (place, link) in _numbered(placed, links)]
    for point, load in zip(points, loads, strict=True):
        body = int(point["link"])
        center = placed[body].apply(point["position"])
        forces.append((body, center - (0.0, 0.0, point["radius"]), load))
    efforts = np.zeros(len(links))
    for body, place, force in forces:
        while body >= 0:
            axis = _axis(links, placed, body)
            arm = place - placed[body].position
            along = np.cross(axis, arm)[2] if links["joint_kind"][body] == REVOLUTE else axis[2]
            efforts[body] -= along * force
            body = int(links["parent"][body])
    return efforts


def joint_inertias(links: np.ndarray, q: Array) -> Array:
    """Return the inertia (links,), kg m^2 or kg, that each joint moves when all others are locked, rotor included."""
    placed = body_placements(links, q)
    found = links["rotor_inertia"].copy()
    for index, (place, link) in _numbered(placed, links):
        moments = np.zeros((3, 3))
        moments[SIX] = link["inertia"]
        moments = place.rotation @ (moments + np.triu(moments, 1).T) @ place.rotation.T
        center, body = place.apply(link["com"]), index
        while body >= 0:
            axis = _axis(links, placed, body)
            if links["joint_kind"][body] == REVOLUTE:
                arm = np.cross(axis, center - placed[body].position)
                found[body] += axis @ moments @ axis + link["mass"] * arm @ arm
            else:
                found[body] += link["mass"]
            body = int(links["parent"][body])
    return found


def _axis(links: np.ndarray, placed: Sequence, body: int) -> Array:
    """Return the axis (3,) of a body's joint in the world."""
    parent = int(links["parent"][body])
    axis: Array = links["axis"][body]
    return axis if parent < 0 else placed[parent].rotation @ axis


def _numbered(placed: Sequence, links: np.ndarray) -> list:
    return list(enumerate(zip(placed, links, strict=True)))
