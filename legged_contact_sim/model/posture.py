"""Which points are feet and in which pose a robot starts: as told, as named in its files, or found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import ModelError
from .collision import ContactPoint
from .feet import find_feet, named_feet
from .home import body_placements, home_pose
from .placement import Array
from .records import FREE
from .stance import Stance, find_stance
from .suggestion import suggestion

ZERO = "all joints at zero, or at the limit nearest to it"
HELD_UP = 0.005  # m
UNEVEN = 0.15  # of the trunk's height: feet that differ by more are not all on the ground
# Names under which poses to stand in are found in SRDFs and as MuJoCo's keyframes, best first.
STANDING = ("home", "standing", "stand", "half_sitting", "straight_standing")


@dataclass(frozen=True)
class Posture:
    """How a robot stands.

    Attributes:
        home: (nq,), the pose in which it starts.
        origin: in words, where that pose is from.
        feet: indices of the contact points that are feet.
        notes: what was guessed.
        warnings: what a user should know before the robot falls over.
    """

    home: Array
    origin: str
    feet: list[int]
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Mechanism:
    """What a posture depends on: records and names, as in `RobotModel`."""

    base: str
    links: np.ndarray
    nq: int
    joint_names: Sequence[str]
    joint_links: Sequence[int]
    contacts: np.ndarray

    def pose(self, given: Any) -> Array:
        """Return a home pose, see `home_pose`."""
        return home_pose(self.links, self.nq, self.joint_names, self.contacts, given)


def choose_posture(
    mechanism: Mechanism,
    points: Sequence[ContactPoint],
    poses: Mapping[str, Mapping[str, float]],
    home: Any,
    feet: Sequence[str] | None,
) -> Posture:
    """Return feet and home pose of a robot.

    Args:
        mechanism: the robot.
        points: its contact points.
        poses: named ones, {name: {joint: position}}.
        home: as the user gives it: a name out of `poses`, positions by joint, all of q; None: choose.
        feet: names of contact points or links; None: find them.

    Raises:
        ModelError: a name is not known, a position is out of its range, or a foot's only shape is a mesh that is lost.
    """
    posture = _posture(mechanism, points, poses, home, feet)
    lower = _lower_than_feet(mechanism, points, posture)
    return replace(posture, warnings=[*posture.warnings, lower]) if lower else posture


def _posture(
    mechanism: Mechanism,
    points: Sequence[ContactPoint],
    poses: Mapping[str, Mapping[str, float]],
    home: Any,
    feet: Sequence[str] | None,
) -> Posture:
    if isinstance(home, str):
        if home not in poses:
            raise ModelError(f"home is {home!r}; the robot has no such pose; {suggestion(home, poses)}")
        told, origin = mechanism.pose(_within_limits(poses[home], mechanism)), f"pose {home!r}"
    elif home is not None:
        told, origin = mechanism.pose(home), "as given"
    else:
        return _chosen(mechanism, points, poses, feet)
    return Posture(told, origin, _feet(mechanism, points, told, feet))


def _chosen(
    mechanism: Mechanism,
    points: Sequence[ContactPoint],
    poses: Mapping[str, Mapping[str, float]],
    feet: Sequence[str] | None,
) -> Posture:
    """Return the first named pose with all feet down, else a stance that is found, else all joints at zero."""
    notes: list[str] = []
    zero = mechanism.pose(None)
    ends = _feet(mechanism, points, zero, feet)
    for name in STANDING:
        if len(poses.get(name, ())) <= len(mechanism.joint_names) / 2:
            continue
        pose = mechanism.pose(_within_limits(poses[name], mechanism))
        if _are_down(mechanism, ends, pose):
            return Posture(pose, f"pose {name!r}", _feet(mechanism, points, pose, feet), notes)
        notes.append(f"pose {name!r} is not used: it has feet in the air")
    if mechanism.base != "floating":
        return Posture(zero, ZERO, ends, notes)
    return _with_stance(mechanism, zero, ends, notes)


def _lower_than_feet(mechanism: Mechanism, points: Sequence[ContactPoint], posture: Posture) -> str | None:
    """Return a sentence on the contact point that holds a robot up in its home pose instead of its feet."""
    if mechanism.base != "floating" or len(posture.feet) < 2:
        return None
    placed = body_placements(mechanism.links, posture.home)
    low = np.array([placed[point.link].apply(point.position)[2] - point.radius for point in points])
    lowest, foot = int(low.argmin()), min(posture.feet, key=low.__getitem__)
    if points[lowest].link == points[foot].link or low[lowest] > low[foot] - HELD_UP:
        return None
    return f"in its home pose {points[lowest].name!r} is {low[foot] - low[lowest]:.3f} m lower than its feet"


def _are_down(mechanism: Mechanism, feet: Sequence[int], pose: Array) -> bool:
    """Tell whether the feet are at one height, relative to the height of the trunk over them."""
    if len(feet) < 2:
        return True
    placed = body_placements(mechanism.links, pose)
    points = mechanism.contacts[list(feet)]
    low = np.array([placed[p["link"]].apply(p["position"])[2] - p["radius"] for p in points])
    return bool(np.ptp(low) < UNEVEN * (placed[0].position[2] - low.min()))


def _with_stance(mechanism: Mechanism, zero: Array, feet: list[int], notes: list[str]) -> Posture:
    found = find_stance(mechanism.links, mechanism.contacts, feet, zero)
    if isinstance(found, str):
        if len(feet) < 2:
            return Posture(zero, ZERO, feet, [*notes, f"no stance: {found}"])
        return Posture(zero, ZERO, feet, notes, [f"no stance was found: {found}; its home is {ZERO}"])
    names = dict(zip(mechanism.joint_links, mechanism.joint_names, strict=True))
    home = mechanism.pose({names[body]: position for body, position in found.positions.items()})
    return Posture(home, _words(found), feet, notes, _overload(found))


def _words(stance: Stance) -> str:
    kind = "flat feet" if stance.flat else "feet"
    return f"found: {kind} under the hips, which are at {stance.height:g} of the legs' length over the ground"


def _overload(stance: Stance) -> list[str]:
    if stance.load <= 1.0:
        return []
    return [f"a joint needs {stance.load:.2g} times its effort limit to hold the stance"]


def _feet(mechanism: Mechanism, points: Sequence[ContactPoint], pose: Array, given: Sequence[str] | None) -> list[int]:
    if given is not None:
        placed = body_placements(mechanism.links, pose)
        heights = [placed[point.link].apply(point.position)[2] - point.radius for point in points]
        names, carriers = [point.name for point in points], [point.carrier for point in points]
        return named_feet(given, names, carriers, np.array(heights))
    if mechanism.base != "floating":
        return []
    feet = find_feet(mechanism.links, mechanism.contacts, pose)
    for foot in feet:
        if points[foot].lost:
            raise ModelError(
                f"{points[foot].lost}; it is the only shape of a foot, whose place cannot be guessed: "
                'expected the file (packages=... tells where packages are), or contact_points and meshes="skip"'
            )
    return feet


def _within_limits(pose: Mapping[str, float], mechanism: Mechanism) -> dict[str, float]:
    """Return a pose with positions just outside their limits, as files have them, moved to the limit."""
    joints = mechanism.links[mechanism.links["joint_kind"] != FREE]
    limits = {
        name: (joint["lower_limit"], joint["upper_limit"])
        for name, joint in zip(mechanism.joint_names, joints, strict=True)
    }
    return {name: float(np.clip(position, *limits[name])) for name, position in pose.items()}
