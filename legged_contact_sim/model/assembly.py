"""From the tree of moving bodies to the records that kernels read, refusing bodies that cannot be simulated."""

from collections.abc import Callable

import numpy as np

from ..errors import ModelError
from .inertia import SIX, RigidInertia, fault, oddity, total
from .placement import cross_matrix
from .records import FREE, LINK, PRISMATIC, REVOLUTE
from .tree import Body, Tree
from .urdf import JointDescription

_KINDS = {"revolute": REVOLUTE, "continuous": REVOLUTE, "prismatic": PRISMATIC, "floating": FREE}
_POSITIONS = {REVOLUTE: 1, PRISMATIC: 1, FREE: 7}
_VELOCITIES = {REVOLUTE: 1, PRISMATIC: 1, FREE: 6}


def link_records(tree: Tree) -> np.ndarray:
    """Return one LINK record per moving body.

    Raises:
        ModelError: a body's inertia is impossible, or a free body has none.
    """
    links = np.zeros(len(tree.bodies), LINK)
    position_index = velocity_index = 0
    for link, body in zip(links, tree.bodies, strict=True):
        kind = FREE if body.joint is None else _KINDS[body.joint.kind]
        link["parent"], link["joint_kind"] = body.parent, kind
        link["position_index"], link["velocity_index"] = position_index, velocity_index
        position_index += _POSITIONS[kind]
        velocity_index += _VELOCITIES[kind]
        _write_inertia(link, _body_inertia(body, free=kind == FREE))
        _write_motion(link, body)
        _write_drive(link, body.joint)
    return links


def coordinate_counts(links: np.ndarray) -> tuple[int, int]:
    """Return the lengths of q and v."""
    kinds = links["joint_kind"].tolist()
    return sum(_POSITIONS[kind] for kind in kinds), sum(_VELOCITIES[kind] for kind in kinds)


def odd_inertias(tree: Tree) -> list[str]:
    """Return a sentence on each body whose moments of inertia are such as no real body has."""
    found = []
    for body in tree.bodies:
        odd = oddity(_sum(body).moments)
        if odd:
            found.append(_blame(body, odd, oddity))
    return found


def _body_inertia(body: Body, free: bool) -> RigidInertia:
    inertia = _sum(body)
    if inertia.mass == 0.0:
        if free:
            raise ModelError(f"link {body.name!r} floats and has no <inertial> with a mass; expected one")
        return inertia
    found = fault(inertia.moments)
    if found:
        raise ModelError(_blame(body, found, fault))
    return inertia


def _sum(body: Body) -> RigidInertia:
    return total(link.inertia.placed(placement) for link, placement in body.parts if link.inertia)


def _blame(body: Body, about_sum: str, judge: Callable[[np.ndarray], str | None]) -> str:
    """Return a sentence on the link that gives a body the inertia that is judged: of those alike, the largest.

    No link is to blame alone when their sum overflows.
    """
    faults = [
        (float(np.trace(link.inertia.moments)), link.name, found)
        for link, _ in body.parts
        if link.inertia and (found := judge(link.inertia.moments))
    ]
    _, name, found = max(faults, default=(0.0, body.name, about_sum))
    return f"link {name!r} has {found}"


def _write_inertia(link: np.void, inertia: RigidInertia) -> None:
    link["mass"], link["com"] = inertia.mass, inertia.com
    link["inertia"] = inertia.moments[SIX]


def _write_motion(link: np.void, body: Body) -> None:
    rotation = body.placement.rotation
    link["placement"], link["home"] = body.placement.position, rotation.ravel()
    if body.joint is None or link["joint_kind"] == FREE:
        return
    link["axis"] = rotation @ body.joint.axis
    if link["joint_kind"] == REVOLUTE:
        turn = cross_matrix(body.joint.axis)
        link["sine_part"] = (rotation @ turn).ravel()
        link["cosine_part"] = (rotation @ turn @ turn).ravel()


def _write_drive(link: np.void, joint: JointDescription | None) -> None:
    link["reduction"] = 1.0
    link["lower_limit"], link["upper_limit"] = -np.inf, np.inf
    link["effort_limit"] = link["velocity_limit"] = link["corner_velocity"] = np.inf
    if joint is None or link["joint_kind"] == FREE:
        return
    link["reduction"], link["rotor_inertia"] = joint.transmission.reduction, joint.transmission.joint_inertia
    link["damping"], link["friction"] = joint.damping, joint.friction
    link["stiffness"], link["rest_position"] = joint.spring.stiffness, joint.spring.rest_position
    link["lower_limit"], link["upper_limit"] = joint.lower, joint.upper
    link["effort_limit"], link["velocity_limit"] = joint.effort, joint.velocity
