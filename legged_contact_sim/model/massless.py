"""Joints that nothing resists: a massless link is fine only if the joint that moves it also moves a mass."""

from collections.abc import Sequence

import numpy as np

from ..errors import ModelError
from .home import joint_placement
from .inertia import SIX
from .placement import Array, Placement, cross_matrix
from .records import FREE, REVOLUTE


def check_joints_move_inertia(links: np.ndarray, names: Sequence[str], nq: int) -> None:
    """Refuse a massless body whose joint meets no inertia, whatever the pose.

    The inertia that a joint meets is the articulated one (Featherstone 2008, chapter 7), so two massless slides along
    one line are found out as well as a massless leaf. A body with inertia of its own needs no check: articulated
    inertia is never less.

    Args:
        links: LINK records.
        names: of the bodies.
        nq: length of q.

    Raises:
        ModelError: naming the body.
    """
    if links["mass"].all():
        return
    pose = _generic_pose(links, nq)
    articulated = [_spatial_inertia(link) for link in links]
    rigid = np.zeros_like(articulated)  # the same, but with the next joints locked
    for index in range(len(links) - 1, -1, -1):
        link = links[index]
        if link["joint_kind"] == FREE:
            continue
        placement = joint_placement(link, pose[link["position_index"] :])
        motion = _motion_subspace(link, placement)
        force = articulated[index] @ motion
        met = motion @ force + link["rotor_inertia"]
        if link["mass"] == 0.0 and met <= 1e-9 * (motion @ rigid[index] @ motion):
            raise ModelError(
                f"link {names[index]!r} has no <inertial> with a mass, and nothing else resists the motion of its "
                "joint; expected an inertia beyond the joint or a rotor inertia in it"
            )
        if link["parent"] >= 0:
            to_child = _motion_transform(placement)
            rigid[link["parent"]] += to_child.T @ articulated[index] @ to_child
            passed_on = articulated[index] - np.outer(force, force) / met
            articulated[link["parent"]] += to_child.T @ passed_on @ to_child


def _generic_pose(links: np.ndarray, nq: int) -> Array:
    """Return a position q (nq,) at which no axes line up but those that always do."""
    golden_ratio = 0.5 * (1.0 + np.sqrt(5.0))
    q = 0.2 + np.arange(nq) * golden_ratio % 1.0
    for index in links["position_index"][links["joint_kind"] == FREE]:
        q[index + 3 : index + 7] = 0.0, 0.0, 0.0, 1.0
    return q


def _spatial_inertia(link: np.void) -> Array:
    """Return the spatial inertia (6, 6) of a body at its frame's origin, angular coordinates first."""
    mass, arm = link["mass"], cross_matrix(link["com"])
    moments = np.zeros((3, 3))
    moments[SIX] = link["inertia"]
    moments += np.triu(moments, 1).T
    return np.block([[moments - mass * arm @ arm, mass * arm], [-mass * arm, mass * np.eye(3)]])


def _motion_subspace(link: np.void, placement: Placement) -> Array:
    """Return the spatial velocity (6,) of a body at joint rate 1, in the body's frame."""
    axis = placement.rotation.T @ link["axis"]
    return np.concatenate([axis, np.zeros(3)] if link["joint_kind"] == REVOLUTE else [np.zeros(3), axis])


def _motion_transform(placement: Placement) -> Array:
    """Return the (6, 6) matrix that takes spatial velocities from the parent's frame to the body's."""
    to_body = placement.rotation.T
    return np.block([[to_body, np.zeros((3, 3))], [-to_body @ cross_matrix(placement.position), to_body]])
