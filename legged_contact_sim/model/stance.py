"""A stance for any legged robot: feet under the hips, knees bent the way they bend, centre of mass over the feet.

Robots with flat feet stand nearly upright with level soles, others crouch. Of several heights the first is taken at
which the drives hold the robot with something to spare, else the one that asks least of them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .feet import chain
from .home import body_placements
from .placement import Array
from .reach import LegChain
from .records import FREE
from .statics import GRAVITY, center_of_mass, foot_loads, holding_efforts

CROUCHES = {
    False: (0.78, 0.86, 0.93, 0.7),
    True: (0.96, 0.98, 0.93, 0.89, 0.84),
}  # hip over ground by the leg's length; True: flat
SAMPLES = 120  # poses of a leg from which its longest reach is taken
SOLE = 0.01  # m: points so near to the lowest one make up the sole
FLAT_FROM = 0.03, 0.1  # m, and of the leg's length: extent of a sole that can stand by itself, the smaller of both
REACHED = 1e-3  # m
SPARE = 0.7  # of the effort limit
CORRECTIONS = 5
LEVEL = 3.0  # m/rad, of a sole's attitude against its place, when a leg cannot have both
BENT = 0.7  # rad, of the first guess
ROOM = 0.3, 10.0  # rad that a bent joint should be from its limits, and 1/rad, how much that counts


@dataclass(frozen=True)
class Stance:
    """A pose in which a robot stands.

    Attributes:
        positions: of the joints by index of the body that they move, rad or m.
        load: largest holding effort as a part of its limit.
        flat: whether the feet are flat.
        height: of the hips over the ground as a part of the legs' length.
    """

    positions: dict[int, float]
    load: float
    flat: bool
    height: float


@dataclass(frozen=True, eq=False)
class _Leg:
    """A leg with its hip in the trunk's frame (3,), m, length from there, m, and the sole's attitude if it is flat.

    ``bending`` are the joints that bend it, hip, knee and ankle as far as it has them, with the sense of their axes.
    """

    chain: LegChain
    hip: Array
    hip_joint: int
    bending: list[tuple[int, float]]
    length: float
    neutral: Array
    sole: Array | None


def find_stance(links: np.ndarray, contact_points: np.ndarray, feet: Sequence[int], q: Array) -> Stance | str:
    """Return a stance on the feet, or the reason why there is none.

    Args:
        links: LINK records; the first is the trunk.
        contact_points: CONTACT_POINT records.
        feet: indices of the contact points to stand on.
        q: (nq,), the positions nearest to zero, trunk upright; joints that are not in a leg stay there.
    """
    if len(feet) < 2:
        return f"it has {len(feet)} leg{'s' * (len(feet) != 1)}; a stance is found on two or more"
    moved = Counter(body for foot in feet for body in chain(links, int(contact_points["link"][foot])))
    waist = [body for body, legs_on_it in moved.items() if legs_on_it > 1]
    legs = []
    for foot in feet:
        found = LegChain.of(links, contact_points[foot], waist)
        if found is None or len(found.bodies) < 2:
            return "a leg has fewer than two joints of its own, or a free one"
        legs.append(_leg(found, links, contact_points, q))
    flat = len(feet) == 2 and all(leg.sole is not None for leg in legs)
    if not flat:
        legs = [replace(leg, sole=None) for leg in legs]
        if len(feet) == 2:
            return "it has two feet that are points: it stands only under control"
    stances = []
    for height in CROUCHES[flat]:
        pose = _pose(links, legs, q, height, flat)
        if pose is None:
            continue
        load = _load(links, contact_points[list(feet)], pose)
        indices = [body for leg in legs for body in leg.chain.bodies]
        positions = {body: float(pose[links["position_index"][body]]) for body in indices}
        stances.append(Stance(positions, load, flat, height))
        if load < SPARE:
            return stances[-1]
    if not stances:
        return "its legs do not reach the ground under its hips within their limits"
    return min(stances, key=lambda stance: stance.load)


def _leg(chain: LegChain, links: np.ndarray, contact_points: np.ndarray, q: Array) -> _Leg:
    start = chain.start
    axes, origins = chain.axes(start)
    sideways = np.flatnonzero(np.abs(axes[:, 1]) > 0.7)
    if len(sideways) < 2:
        sideways = np.arange(sideways[0] if len(sideways) else 0, len(chain.bodies))
    hip_joint = int(sideways[0])
    bending = [(int(joint), -1.0 if axes[joint, 1] < 0.0 else 1.0) for joint in sideways[:3]]
    sole = None
    length = _length(chain, hip_joint)
    patch = _sole(chain, contact_points, start, min(FLAT_FROM[0], FLAT_FROM[1] * length))
    if patch is not None and len(chain.bodies) >= 4:
        chain = replace(chain, foot=patch)
        sole = chain.placements(start)[-1].rotation
        length = _length(chain, hip_joint)
    return _Leg(chain, origins[hip_joint], hip_joint, bending, length, chain.foot_place(start), sole)


def _sole(chain: LegChain, contact_points: np.ndarray, start: Array, flat_from: float) -> Array | None:
    """Return the middle of a flat foot's sole in the last body's frame, (3,), m; None: the foot is not flat."""
    points = contact_points[contact_points["link"] == chain.bodies[-1]]
    last = chain.placements(start)[-1]
    places = last.apply(points["position"])
    low = places[:, 2] - points["radius"]
    on_sole = low < low.min() + SOLE
    if np.count_nonzero(on_sole) < 3 or np.ptp(places[on_sole][:, :2], axis=0).min() < flat_from:
        return None
    corners = places[on_sole]
    middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    middle[2] = low.min() + chain.radius
    return np.asarray(last.rotation.T @ (middle - last.position))


def _length(chain: LegChain, hip_joint: int) -> float:
    """Return how far the foot can be from the hip, m."""
    generator = np.random.default_rng(0)
    reach = 0.0
    for _ in range(SAMPLES):
        angles = chain.start
        angles[hip_joint + 1 :] = generator.uniform(chain.lower, chain.upper)[hip_joint + 1 :]
        origin = chain.axes(angles)[1][hip_joint]
        reach = max(reach, float(np.linalg.norm(chain.foot_place(angles) - origin)))
    start = chain.start
    return max(reach, float(np.linalg.norm(chain.foot_place(start) - chain.axes(start)[1][hip_joint])))


def _pose(links: np.ndarray, legs: list[_Leg], q: Array, height: float, flat: bool) -> Array | None:
    """Return q with the hips so high over the feet and the centre of mass over them; None out of reach."""
    ground = float(np.mean([leg.hip[2] - height * leg.length for leg in legs]))
    middle = np.mean([leg.hip for leg in legs], axis=0)
    targets = [_under_the_hip(leg, ground) for leg in legs]
    angles = [_bend(leg, target, middle, flat) for leg, target in zip(legs, targets, strict=True)]
    pose = q.copy()
    for _ in range(CORRECTIONS):
        for leg, found in zip(legs, angles, strict=True):
            pose[leg.chain.records["position_index"]] = found
        trunk = body_placements(links, pose)[0]
        center = trunk.rotation.T @ (center_of_mass(links, pose) - trunk.position)
        shift = (center - np.mean([leg.chain.foot_place(a) for leg, a in zip(legs, angles, strict=True)], axis=0))[:2]
        if np.abs(shift).max() < 1e-4:
            break
        for target in targets:
            target[:2] += shift
        angles = [leg.chain.reach(t, a, leg.sole)[0] for leg, t, a in zip(legs, targets, angles, strict=True)]
        for leg, target, found in zip(legs, targets, angles, strict=True):
            target[:2] = leg.chain.foot_place(found)[:2]  # legs that cannot go sideways stay where they can be
    for _ in range(CORRECTIONS):
        level = [leg.chain.reach(t, a, leg.sole, LEVEL) for leg, t, a in zip(legs, targets, angles, strict=True)]
        if max(missing for _, missing in level) < REACHED:
            return pose
        # A leg of five joints or less that followed the centre of mass sideways tilts its sole: back till it is level.
        for leg, target, (reached, _) in zip(legs, targets, level, strict=True):
            pose[leg.chain.records["position_index"]] = reached
            target[:2] = leg.chain.foot_place(reached)[:2]
        angles = [reached for reached, _ in level]
    return None


def _under_the_hip(leg: _Leg, ground: float) -> Array:
    sideways = leg.neutral[1] if abs(leg.neutral[1] - leg.hip[1]) < 0.3 * leg.length else leg.hip[1]
    return np.array([leg.hip[0], sideways, ground + leg.chain.radius])


def _bend(leg: _Leg, target: Array, middle: Array, flat: bool) -> Array:
    """Return the joint positions that put the foot there: of all ways to bend the one that a limit, or habit, asks for.

    Where both are allowed, and leave room to lift the foot, the knees of a biped point forward, those of others toward
    the middle of the robot.
    """
    best, best_score = leg.chain.start, np.inf
    for sign in (1.0, -1.0):
        guess = leg.chain.start
        for (joint, sense), share in zip(leg.bending, (1.0, -2.0, 1.0), strict=False):
            guess[joint] += sign * sense * share * BENT
        angles, missing = leg.chain.reach(target, guess, leg.sole)
        knee = leg.chain.axes(angles)[1][leg.bending[min(1, len(leg.bending) - 1)][0]] - leg.hip
        inward = knee[0] if flat else np.sign(middle[0] - leg.hip[0]) * knee[0]
        score = 1e3 * missing - inward / leg.length + 0.1 * float(np.abs(angles - leg.chain.start).max())
        bent = [joint for joint, _ in leg.bending]
        room = np.minimum(angles - leg.chain.lower, leg.chain.upper - angles)[bent].min()
        score += ROOM[1] * max(0.0, ROOM[0] - float(room))
        if score < best_score:
            best, best_score = angles, score
    return best


def _load(links: np.ndarray, points: np.ndarray, pose: Array) -> float:
    """Return the largest holding effort of a joint as a part of its limit."""
    placed = body_placements(links, pose)
    places = np.array([placed[point["link"]].apply(point["position"]) for point in points])
    loads = foot_loads(places, center_of_mass(links, pose), GRAVITY * links["mass"].sum())
    efforts = holding_efforts(links, pose, points, loads)
    driven = links["joint_kind"] != FREE
    return float((np.abs(efforts) / links["effort_limit"])[driven].max(initial=0.0))
