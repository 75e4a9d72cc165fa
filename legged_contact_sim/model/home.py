"""The pose in which a robot starts: joints as asked, feet on the ground."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ModelError
from .finite import finite_array
from .placement import Array, Placement, rotation_from_quaternion
from .records import FREE, PRISMATIC
from .suggestion import suggestion


def home_pose(links: np.ndarray, nq: int, joint_names: Sequence[str], contact_points: np.ndarray, given: Any) -> Array:
    """Return the home position q (nq,).

    Joints that are not given stand at 0, or at the limit nearest to it. Free bodies that the world carries stand
    upright and at the height at which the lowest of their contact points touches z = 0.

    Args:
        links: LINK records.
        nq: length of q.
        joint_names: names of the joints with one coordinate, in order.
        contact_points: CONTACT_POINT records.
        given: a mapping from joint names to positions (rad, m), or all of q, or None.

    Raises:
        ModelError: a joint is unknown or outside its limits, or an array is of the wrong length.
    """
    joints = links[links["joint_kind"] != FREE]
    if given is not None and not isinstance(given, Mapping):
        q = _whole_pose(given, nq, links)
        _check_limits(q[joints["position_index"]], joints, joint_names)
        return q
    q = np.zeros(nq)
    q[joints["position_index"]] = _joint_positions(given or {}, joints, joint_names)
    free = links[links["joint_kind"] == FREE]
    q[free["position_index"] + 6] = 1.0
    stand(q, links, contact_points)
    return q


def _joint_positions(given: Mapping[Any, Any], joints: np.ndarray, joint_names: Sequence[str]) -> Array:
    positions = np.clip(0.0, joints["lower_limit"], joints["upper_limit"])
    for name, position in given.items():
        if name not in joint_names:
            raise ModelError(
                f"home names joint {name!r}, which the robot does not have; {suggestion(name, joint_names)}"
            )
        number = finite_array(position, ())
        if number is None:
            raise ModelError(f"home of joint {name!r} is {position!r}; expected a finite number")
        positions[joint_names.index(name)] = number
    _check_limits(positions, joints, joint_names)
    return positions


def _whole_pose(given: Any, nq: int, links: np.ndarray) -> Array:
    q = finite_array(given, (nq,))
    if q is None:
        raise ModelError(f"home is neither {nq} finite numbers, all of q, nor a mapping from joint names to positions")
    for index in links["position_index"][links["joint_kind"] == FREE]:
        quaternion = q[index + 3 : index + 7]
        if abs(np.linalg.norm(quaternion) - 1.0) > 1e-6:
            raise ModelError(f"home has the quaternion {quaternion.tolist()}; expected x y z w of norm 1")
    return q


def _check_limits(positions: Array, joints: np.ndarray, joint_names: Sequence[str]) -> None:
    for name, position, joint in zip(joint_names, positions, joints, strict=True):
        if not joint["lower_limit"] - 1e-9 <= position <= joint["upper_limit"] + 1e-9:
            raise ModelError(
                f"home of joint {name!r} is {position:g}; "
                f"expected it within its limits, {joint['lower_limit']:g} to {joint['upper_limit']:g}"
            )


def stand(q: Array, links: np.ndarray, contact_points: np.ndarray) -> None:
    """Lift each free body that the world carries until the lowest contact point of its tree is at z = 0."""
    placements = body_placements(links, q)
    owner = _world_children(links)
    for index in np.flatnonzero((links["joint_kind"] == FREE) & (links["parent"] < 0)):
        points = contact_points[owner[contact_points["link"]] == index]
        if len(points):
            lowest = min(placements[point["link"]].apply(point["position"])[2] - point["radius"] for point in points)
            start = links["position_index"][index]
            q[start : start + 3] -= lowest * links["home"][index].reshape(3, 3)[2]


def _world_children(links: np.ndarray) -> np.ndarray:
    """Return, for each body, the ancestor (or itself) that the world carries."""
    owner = np.arange(len(links))
    for index, parent in enumerate(links["parent"]):
        if parent >= 0:
            owner[index] = owner[parent]
    return owner


def body_placements(links: np.ndarray, q: Array) -> list[Placement]:
    """Return the placement of each body in the world at position q (nq,)."""
    placements: list[Placement] = []
    for link in links:
        joint = joint_placement(link, q[link["position_index"] :])
        parent = link["parent"]
        placements.append(joint if parent < 0 else placements[parent].compose(joint))
    return placements


def joint_placement(link: np.void, q: Array) -> Placement:
    """Return the placement of a body in its parent's frame, given q from the body's position_index on."""
    home = link["home"].reshape(3, 3)
    if link["joint_kind"] == FREE:
        return Placement(home @ rotation_from_quaternion(q[3:7]), link["placement"] + home @ q[:3])
    if link["joint_kind"] == PRISMATIC:
        return Placement(home, link["placement"] + q[0] * link["axis"])
    rotation = link["home"] + np.sin(q[0]) * link["sine_part"] + (1.0 - np.cos(q[0])) * link["cosine_part"]
    return Placement(rotation.reshape(3, 3), link["placement"])
