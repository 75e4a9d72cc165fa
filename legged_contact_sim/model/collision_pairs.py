"""Which bodies of a robot can collide with one another: pairs of capsules, but for those that are not to."""

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

import numpy as np

from .capsules import Capsule
from .home import body_placements
from .placement import Array
from .records import FREE, PAIR

LinkPair = frozenset[str]  # of two URDF links


def collision_pairs(
    capsules: Sequence[Capsule], links: np.ndarray, home: Array, disabled: Collection[LinkPair]
) -> tuple[np.ndarray, tuple[tuple[str, str], ...], list[str]]:
    """Return PAIR records of capsules that can collide, the names of their links, and notes on what was left out.

    Left out are bodies that a joint connects, pairs of links that the description disables, and pairs that touch in
    the home pose already: their shapes overlap where a joint turns, or by a modeller's choice.

    Args:
        capsules: of all bodies.
        links: LINK records.
        home: (nq,), the home pose.
        disabled: pairs of links that do not collide.
    """
    placed = body_placements(links, home)
    ends = [np.array([placed[capsule.body].apply(end) for end in capsule.ends]) for capsule in capsules]
    roots = [_root(links, capsule.body) for capsule in capsules]
    records, names, touching = [], [], []
    for k, m in combinations(range(len(capsules)), 2):
        one, other = capsules[k], capsules[m]
        if one.body == other.body or _neighbours(links, one.body, other.body) or roots[k] != roots[m]:
            continue
        if frozenset((one.carrier, other.carrier)) in disabled:
            continue
        if segment_distance(ends[k], ends[m]) <= one.radius + other.radius:
            touching.append(f"{one.carrier} and {other.carrier}")
            continue
        records.append((one.body, other.body, one.ends.ravel(), other.ends.ravel(), one.radius, other.radius))
        names.append((one.carrier, other.carrier))
    notes = []
    if touching:
        listed = ", ".join(dict.fromkeys(touching))
        notes.append(f"self-collision leaves out what touches in the home pose: {listed}")
    return np.array(records, PAIR), tuple(names), notes


def segment_distance(one: Array, other: Array) -> float:
    """Return the distance, m, of two segments, (2, 3) each.

    The nearest points are inside both segments (if their lines cross, seen along their normal), or an end is one.
    """
    candidates = [_point_distance(point, other) for point in one] + [_point_distance(point, one) for point in other]
    along, across, apart = one[1] - one[0], other[1] - other[0], one[0] - other[0]
    normal = np.cross(along, across)
    area = float(normal @ normal)
    if area > 1e-18 * float((along @ along) * (across @ across)) and area > 0.0:
        share = float(np.cross(across, apart) @ normal) / area
        other_share = float(np.cross(along, apart) @ normal) / area
        if 0.0 <= share <= 1.0 and 0.0 <= other_share <= 1.0:
            candidates.append(float(abs(apart @ normal) / np.sqrt(area)))
    return min(candidates)


def _point_distance(point: Array, segment: Array) -> float:
    along = segment[1] - segment[0]
    share = np.clip((point - segment[0]) @ along / max(along @ along, 1e-30), 0.0, 1.0)
    return float(np.linalg.norm(point - segment[0] - share * along))


def _neighbours(links: np.ndarray, one: int, other: int) -> bool:
    """Tell whether a joint connects two bodies."""
    return bool(links["parent"][one] == other or links["parent"][other] == one)


def _ancestors(links: np.ndarray, body: int) -> Iterator[int]:
    while body >= 0:
        yield body
        body = int(links["parent"][body])


def _root(links: np.ndarray, body: int) -> int:
    """Return the nearest FREE body that carries a body, -1 for the world: forces pass between bodies that share it."""
    return next((k for k in _ancestors(links, body) if links["joint_kind"][k] == FREE), -1)
