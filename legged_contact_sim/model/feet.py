"""Which contact points are feet: the lowest point at the end of every limb that reaches down to the ground."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from .home import body_placements
from .placement import Array
from .suggestion import suggestion

if TYPE_CHECKING:
    from .robot import RobotModel

# A limb is a leg if its end is so near to the lowest point of the robot, relative to the robot's height.
NEAR_THE_GROUND = 0.3
# Two ends with at least so many joints between their branching and each of them are two legs, not two toes.
JOINTS_OF_A_LEG = 3
# Points of a foot's link belong to its sole if they are so little above the foot, relative to the robot's height.
SOLE = 0.01
FEET = "feet"  # what `named_points` calls the points of all soles


def find_feet(links: np.ndarray, contact_points: np.ndarray, q: Array) -> list[int]:
    """Return the indices of the contact points that are feet of a robot with a floating base, in the bodies' order.

    A limb ends at a body with contact points that carries no other body with contact points. It is a leg if that end
    is near the ground in the pose given: hands and heads are not. The foot is the point that would touch first: the
    lowest with its radius counted; of ends that branch only at the foot (toes), the one at the longest chain.

    Args:
        links: LINK records; the first is the trunk.
        contact_points: CONTACT_POINT records.
        q: pose (nq,) with the legs below the trunk.
    """
    placed = body_placements(links, q)
    centers = [placed[point["link"]].apply(point["position"])[2] for point in contact_points]
    touching = np.array(centers) - contact_points["radius"]
    ends = {int(body) for body in contact_points["link"] if body > 0}
    for body in list(ends):
        ends -= set(chain(links, body)[:-1])
    lowest = {body: int(min(np.flatnonzero(contact_points["link"] == body), key=touching.__getitem__)) for body in ends}
    if not lowest:
        return []
    heights = [place.position[2] for place in placed]
    ground = min(touching[point] for point in lowest.values())
    near = ground + NEAR_THE_GROUND * (max(heights) - ground)
    legs = [body for body in sorted(lowest) if touching[lowest[body]] <= near]
    return [lowest[body] for body in _one_end_per_leg(links, legs, touching, lowest)]


def named_feet(given: Sequence[str], names: Sequence[str], carriers: Sequence[str], touching: Array) -> list[int]:
    """Return the contact points that the user calls feet, by the point's own name or by its link's.

    Args:
        given: names of contact points or links; a link with several points gives the lowest.
        names: of the contact points.
        carriers: names of the links that the contact points belong to.
        touching: height of the lowest end of each contact point in the home pose, m.

    Raises:
        ModelError: there is no such point or link, or the link has no contact point.
    """
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(name, str) for name in given):
        raise ModelError(f"feet is {given!r}; expected a list of names of contact points or links")
    found = []
    for name in given:
        points = [k for k, (own, link) in enumerate(zip(names, carriers, strict=True)) if name in (own, link)]
        if not points:
            known = dict.fromkeys([*names, *carriers])
            raise ModelError(f"feet names {name!r}, which has no contact point; {suggestion(name, known)}")
        found.append(names.index(name) if name in names else min(points, key=touching.__getitem__))
    return found


def sole_points(robot: "RobotModel") -> list[int]:
    """Return the contact points on which a robot stands at home: its feet and those of their links that are as low."""
    placed = body_placements(robot.links, robot.home)
    records = robot.contact_points
    centers = np.array([placed[point["link"]].apply(point["position"])[2] for point in records])
    touching = centers - records["radius"]
    found = []
    for foot in map(robot.contact_names.index, robot.feet):
        highest = touching[foot] + SOLE * (placed[0].position[2] - touching[foot])
        same = np.array(robot.contact_links) == robot.contact_links[foot]
        found += np.flatnonzero(same & (touching <= highest)).tolist()
    return sorted(set(found))


def named_points(robot: "RobotModel", names: Sequence[str]) -> list[int]:
    """Return the contact points that are called by their own names, by their links' or as "feet"; see `points_of`."""
    found: set[int] = set()
    for name in names:
        own = [k for k, point in enumerate(robot.contact_names) if name in (point, robot.contact_links[k])]
        if not own and name == FEET:
            own = sole_points(robot)
        elif not own:
            known = dict.fromkeys([FEET, *robot.contact_names, *robot.contact_links])
            raise ModelError(f"{robot.name}: no contact point or link is called {name!r}; {suggestion(name, known)}")
        found.update(own)
    return sorted(found)


def chain(links: np.ndarray, body: int) -> list[int]:
    """Return the bodies from the trunk's child down to a body."""
    bodies: list[int] = []
    while body > 0:
        bodies.insert(0, body)
        body = int(links["parent"][body])
    return bodies


def _one_end_per_leg(links: np.ndarray, ends: list[int], touching: Array, lowest: dict[int, int]) -> list[int]:
    """Return the ends without those that are toes of the same leg as another one."""
    chosen: list[int] = []
    for end in sorted(ends, key=lambda body: (-len(chain(links, body)), touching[lowest[body]])):
        if all(_are_two_legs(chain(links, end), chain(links, other)) for other in chosen):
            chosen.append(end)
    return sorted(chosen)


def _are_two_legs(one: list[int], other: list[int]) -> bool:
    shared = len(set(one) & set(other))
    return shared == 0 or min(len(one), len(other)) - shared >= JOINTS_OF_A_LEG
