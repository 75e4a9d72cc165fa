"""Gains with which a robot's drives hold its stance, from its weight, its size and the inertia of what they move."""

from typing import NamedTuple

import numpy as np

from .feet import chain
from .home import body_placements
from .placement import Array
from .records import FREE, REVOLUTE
from .robot import RobotModel
from .statics import GRAVITY, center_of_mass, foot_loads, holding_efforts, joint_inertias

SAG = 0.04  # rad or m, that the static effort bends a joint by
TOPPLING = 4.0  # stiffness of a leg's joint over what keeps an inverted pendulum of the leg's share upright
FREQUENCY = 15.0  # rad/s, of what a joint moves by itself
DAMPING_RATIO = 0.5
PERIOD = 2e-3  # s, of a controller that still has to be stable with these gains and the feet in the air


class Gains(NamedTuple):
    """Stiffness (joint_count,), N m/rad or N/m, and damping (joint_count,), N m s/rad or N s/m."""

    stiffness: Array
    damping: Array


def proposed_gains(robot: RobotModel, period: float = PERIOD) -> Gains:
    """Return gains that hold a robot's home pose; those that its description tells have precedence.

    A joint is stiff enough to turn its own load at 15 rad/s, to hold its share of the weight with 0.04 rad of sag and,
    in a leg, to keep an inverted pendulum of the leg's share of the mass, m g h / n, upright four times over. Damping
    is half of critical for that pendulum. Both are bounded so that a controller is stable with the leg in the air.

    Args:
        robot: the robot.
        period: of the controller that applies them, s; 0: drives inside the step (`Simulator.hold`), which need no
            bound. A biped with light feet stands by these only.
    """
    links, q = robot.links, robot.home
    inertias = joint_inertias(links, q)
    feet = [robot.contact_names.index(name) for name in robot.feet]
    points = robot.contact_points[feet]
    stiffness, moved = FREQUENCY**2 * inertias, inertias.copy()
    loads = np.zeros(0)
    if robot.base == "floating" and feet:
        placed = body_placements(links, q)
        places = np.array([placed[point["link"]].apply(point["position"]) for point in points])
        center, mass = center_of_mass(links, q), robot.total_mass
        loads = foot_loads(places, center, GRAVITY * mass)
        height = float(center[2] - np.min(places[:, 2] - points["radius"]))
        for point in points:
            for body in chain(links, int(point["link"])):
                if links["joint_kind"][body] == REVOLUTE:
                    stiffness[body] = max(stiffness[body], TOPPLING * mass * GRAVITY * height / len(feet))
                    moved[body] = max(moved[body], mass * height**2 / len(feet))
    efforts = np.abs(holding_efforts(links, q, points, loads))
    stiffness = np.maximum(stiffness, efforts / SAG)
    damping = 2.0 * DAMPING_RATIO * np.sqrt(stiffness * moved)
    if period > 0.0:
        damping = np.minimum(damping, 0.5 * inertias / period)
        stiffness = np.minimum(stiffness, 0.25 * inertias / period**2)
    joints = robot.joint_links[links["joint_kind"][robot.joint_links] != FREE]
    told = robot.told_gains
    return Gains(*(np.where(np.isnan(t), own[joints], t) for own, t in zip((stiffness, damping), told, strict=True)))
