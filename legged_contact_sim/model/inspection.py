"""What a robot is, what was guessed about it, and what looks wrong: the lines of `legged-contact-sim inspect`."""

import numpy as np

from .feet import chain
from .gains import PERIOD, proposed_gains
from .home import body_placements
from .inertia import SIX, principal_moments
from .records import FREE, REVOLUTE
from .robot import RobotModel
from .statics import GRAVITY, center_of_mass, foot_loads, holding_efforts

PLACEHOLDER = 1e-9  # relative difference of the principal moments of something that was never measured
HEAVY, LIGHT = 50.0, 0.002  # radius of gyration over the robot's size: a body that large, or that dense, is a mistake
OUTLYING = 0.05  # of the robot's height: a centre of mass so far from every contact point can touch the ground first


def description(robot: RobotModel) -> list[str]:
    """Return what a robot is, a line each."""
    lines = [
        f"robot      {robot.name}: {robot.base} base, {robot.total_mass:.4g} kg, {robot.joint_count} joints, "
        f"{len(robot.links)} bodies, {len(robot.contact_names)} contact points",
        f"home       {robot.home_origin}",
    ]
    if robot.base == "floating":
        center = center_of_mass(robot.links, robot.home)
        lines.append(
            f"           trunk {robot.home[2]:.3f} m over the ground, centre of mass {center[2]:.3f} m, "
            f"({center[0]:+.3f}, {center[1]:+.3f}) m from the trunk"
        )
    if robot.poses:
        lines.append(f"poses      {', '.join(robot.poses)}")
    lines += [f"leg        {line}" for line in _legs(robot)]
    return lines


def joint_table(robot: RobotModel) -> list[str]:
    """Return a line per joint: limits, home, effort that holds it there, and gains proposed.

    Those of a biped are for drives inside the step: what a controller can apply seldom keeps it upright.
    """
    biped = robot.base == "floating" and len(robot.feet) == 2
    gains, efforts = proposed_gains(robot, 0.0 if biped else PERIOD), standing_efforts(robot)
    width = max(map(len, robot.joint_names), default=5)
    lines = [f"{'joint':<{width}}    lower    upper     home  effort limit  holding  stiffness  damping"]
    for k, name in enumerate(robot.joint_names):
        link = robot.links[robot.joint_links[k]]
        lines.append(
            f"{name:<{width}} {link['lower_limit']:8.3g} {link['upper_limit']:8.3g} "
            f"{robot.home[robot.position_indices[k]]:8.3f} {link['effort_limit']:13.4g} {efforts[k]:8.2f} "
            f"{gains.stiffness[k]:10.4g} {gains.damping[k]:8.3g}"
        )
    if biped:
        lines.append("stiffness and damping are for drives inside the step: proposed_gains(robot, period=0.0)")
    return lines


def doubts(robot: RobotModel) -> list[str]:
    """Return what looks wrong about a robot, a sentence each; what was guessed stands in `RobotModel.notes`."""
    return [*_inertia_doubts(robot), *_joint_doubts(robot), *_gain_doubts(robot), *_contact_doubts(robot)]


def standing_efforts(robot: RobotModel) -> np.ndarray:
    """Return the effort (joint_count,), N m or N, that holds each joint in the home pose, on the feet if it has any."""
    points = robot.contact_points[[robot.contact_names.index(foot) for foot in robot.feet]]
    loads = np.zeros(0)
    if len(points):
        placed = body_placements(robot.links, robot.home)
        places = np.array([placed[point["link"]].apply(point["position"]) for point in points])
        loads = foot_loads(places, center_of_mass(robot.links, robot.home), GRAVITY * robot.total_mass)
    return holding_efforts(robot.links, robot.home, points, loads)[robot.joint_links]


def _legs(robot: RobotModel) -> list[str]:
    joint_of = dict(zip(robot.joint_links.tolist(), robot.joint_names, strict=True))
    lines = []
    for foot in robot.feet:
        point = robot.contact_points[robot.contact_names.index(foot)]
        bodies = chain(robot.links, int(point["link"]))
        joints = ", ".join(joint_of[body] for body in bodies if body in joint_of)
        lines.append(f"foot {foot} (radius {1e3 * point['radius']:.1f} mm): {joints}")
    return lines


def _inertia_doubts(robot: RobotModel) -> list[str]:
    size = _size(robot)
    found = []
    for name, link in zip(robot.link_names, robot.links, strict=True):
        if link["mass"] == 0.0:
            continue
        moments = np.zeros((3, 3))
        moments[SIX] = link["inertia"]
        principal = principal_moments(moments + np.triu(moments, 1).T)
        if np.ptp(principal) <= PLACEHOLDER * principal[-1]:
            found.append(f"link {name!r} has equal moments of inertia, {principal[-1]:.3g} kg m^2: a placeholder?")
        gyration = np.sqrt(principal[-1] / link["mass"]) / size
        if not LIGHT < gyration < HEAVY:
            found.append(f"link {name!r} has a radius of gyration of {gyration * size:.3g} m at {link['mass']:.3g} kg")
    return found


def _joint_doubts(robot: RobotModel) -> list[str]:
    found = []
    efforts = standing_efforts(robot)
    for k, name in enumerate(robot.joint_names):
        link = robot.links[robot.joint_links[k]]
        if abs(efforts[k]) > link["effort_limit"]:
            found.append(
                f"joint {name!r} needs {abs(efforts[k]):.3g} to stand; its effort limit is {link['effort_limit']:.3g}"
            )
        if link["lower_limit"] == link["upper_limit"]:
            found.append(f"joint {name!r} cannot move: both its limits are {link['lower_limit']:g}")
    unlimited = np.isinf(robot.links["effort_limit"][robot.joint_links])
    if unlimited.any():
        names = [name for name, free in zip(robot.joint_names, unlimited, strict=True) if free]
        found.append(f"{len(names)} joints have no effort limit ({', '.join(names[:3])}{', ...' * (len(names) > 3)})")
    return found


def _gain_doubts(robot: RobotModel) -> list[str]:
    """Return a sentence if the gains of a description are too soft for a biped to stand still by them alone.

    On two legs a robot is an inverted pendulum, which m g h / 2 of stiffness in every joint of a leg keeps upright.
    """
    if robot.base != "floating" or len(robot.feet) != 2:
        return []
    needed = robot.total_mass * GRAVITY * center_of_mass(robot.links, robot.home)[2] / 2.0
    points = [robot.contact_points[robot.contact_names.index(foot)] for foot in robot.feet]
    in_legs = {body for point in points for body in chain(robot.links, int(point["link"]))}
    soft = [
        name
        for name, body, told in zip(robot.joint_names, robot.joint_links, robot.told_gains[0], strict=True)
        if body in in_legs and robot.links["joint_kind"][body] == REVOLUTE and told < needed
    ]
    if not soft:
        return []
    listed = f"{', '.join(soft[:3])}{', ...' * (len(soft) > 3)}"
    return [f"its own stiffness of {listed} is below {needed:.3g} N m/rad: it does not stand still by that alone"]


def _contact_doubts(robot: RobotModel) -> list[str]:
    if robot.base != "floating":
        return []
    if not robot.feet:
        return ["it has no feet: no contact point at the end of a limb that reaches the ground; feet=[...] names them"]
    placed = body_placements(robot.links, robot.home)
    bare = [
        robot.link_names[body]
        for body in range(len(robot.links))
        if body not in robot.contact_points["link"] and _stands_out(robot, placed, body)
    ]
    if bare:
        return [f"links without contact points that can touch the ground first: {', '.join(bare)}"]
    return []


def _stands_out(robot: RobotModel, placed: list, body: int) -> bool:
    """Tell whether a body with mass is outside the box around all contact points."""
    points = robot.contact_points
    places = np.array([placed[point["link"]].apply(point["position"]) for point in points])
    margin = OUTLYING * _size(robot)
    center = placed[body].apply(robot.links["com"][body])
    low, high = (places - points["radius"][:, None]).min(axis=0), (places + points["radius"][:, None]).max(axis=0)
    return bool(robot.links["mass"][body] > 0.0 and ((center < low - margin) | (center > high + margin)).any())


def _size(robot: RobotModel) -> float:
    """Return the largest extent of the robot's joints in the home pose, m."""
    places = np.array([place.position for place in body_placements(robot.links, robot.home)])
    moving = robot.links["joint_kind"] != FREE
    extent = float(np.ptp(places[moving], axis=0).max()) if moving.any() else 0.0
    return max(extent, 0.05)
