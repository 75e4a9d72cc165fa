"""Collisions of a robot with itself, as objects: see `Simulator.collisions`."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..contact import ContactModel
from ..contact.pair_detection import nearest_shares
from ..contact.records import MODES
from ..model.home import body_placements
from ..model.placement import Placement


class Collision(NamedTuple):
    """Two bodies of the robot that touched in the last step.

    Attributes:
        links: names of their URDF links.
        position: of the point in the world where they touch, m, (3,).
        force: on the first one, mean over the step, world axes, N, (3,); on the second one it is the opposite.
        normal: from the second to the first, (3,).
        gap: distance, m; negative: penetration.
        mode: "stick" or "slip".
    """

    links: tuple[str, str]
    position: np.ndarray
    force: np.ndarray
    normal: np.ndarray
    gap: float
    mode: str


def touching_pairs(model: ContactModel, q: np.ndarray, time_step: float) -> tuple[Collision, ...]:
    """Return the pairs that touched in the last step of a model, of length ``time_step``, s, that ended in q."""
    robot, records = model.robot, model.system.contacts[len(model.robot.contact_points) :]
    touching = np.flatnonzero(records["impulse"].any(axis=1))
    placed = body_placements(robot.links, q) if len(touching) else []
    return tuple(
        Collision(
            robot.collision_links[p],
            _touching_point(robot.collision_pairs[p], placed),
            records["impulse"][p] / time_step,
            records["normal"][p].copy(),
            float(records["end_gap"][p]),
            MODES[records["mode"][p]],
        )
        for p in touching
    )


def _touching_point(pair: np.void, placed: Sequence[Placement]) -> np.ndarray:
    """Return the point of the world, (3,), m, halfway between the surfaces of a PAIR's capsules."""
    start, end = (placed[pair["first"]].apply(point) for point in pair["first_ends"].reshape(2, 3))
    other_start, other_end = (placed[pair["second"]].apply(point) for point in pair["second_ends"].reshape(2, 3))
    s, t = nearest_shares(tuple(start), tuple(end - start), tuple(other_start), tuple(other_end - other_start))
    point, other = start + s * (end - start), other_start + t * (other_end - other_start)
    apart = point - other
    outward = apart / max(float(np.linalg.norm(apart)), 1e-12)
    return np.asarray(0.5 * (point + other + (pair["second_radius"] - pair["first_radius"]) * outward))
