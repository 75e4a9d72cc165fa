"""Packaged robots that fall over: whatever way they lie, contact points carry them."""

import math
from xml.etree import ElementTree

import numpy as np
import pytest

from legged_contact_sim import Simulator
from legged_contact_sim.model import RobotModel
from legged_contact_sim.model.home import body_placements
from legged_contact_sim.model.placement import Placement, rotation_from_rpy

# Robots that can fall over, and how far what is drawn of them may be below what touches, m.
FALLING = {
    "quadruped16": 0.06,
    "quadruped12": 0.05,
    "biped_planar": 0.03,
    "bicycle": 0.0,
    "jumping_leg": 0.01,
    "planar_leg": 0.06,
}
SQUARE = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]])


def drawn_points(robot: RobotModel) -> list[tuple[int, np.ndarray, float]]:
    """Return body, points (n, 3) in its frame and radius around them, m, of every shape that is drawn."""
    found = []
    for link in ElementTree.fromstring(robot.urdf).iter("link"):
        frame = robot.frames[link.attrib["name"]]
        for visual in link.iter("visual") if frame.link >= 0 else ():
            origin, shape = visual.find("origin"), visual.find("geometry/*")
            assert origin is not None and shape is not None
            place = [np.array(origin.get(name, "0 0 0").split(), dtype=float) for name in ("rpy", "xyz")]
            radius = float(shape.get("radius", 0.0))
            if shape.tag == "sphere":
                points = np.zeros((1, 3))
            else:  # the box around a cylinder would stand out at its corners: its rims, or the box itself
                size = shape.get("size", f"{2 * radius} {2 * radius} {shape.get('length')}")
                half = 0.5 * np.array(size.split(), dtype=float)
                turns = np.arange(8) * math.pi / 4
                rim = np.stack([np.cos(turns), np.sin(turns)], 1) if shape.tag == "cylinder" else SQUARE
                points = np.concatenate([np.insert(rim, 2, end, axis=1) for end in (-1.0, 1.0)]) * half
                radius = 0.0
            placement = frame.placement.compose(Placement(rotation_from_rpy(place[0]), place[1]))
            found.append((frame.link, placement.apply(points), radius))
    return found


@pytest.mark.parametrize("name", FALLING)
def test_whatever_way_it_lies_its_contact_points_are_the_lowest_part(name: str) -> None:
    """In random poses nothing that is drawn is far below the lowest contact point: no robot falls through the floor."""
    robot, rng = RobotModel.from_urdf(name), np.random.default_rng(0)
    drawn, joints, q = drawn_points(robot), robot.links[robot.joint_links], robot.home.copy()
    for _ in range(100):
        bounds = np.clip([joints["lower_limit"], joints["upper_limit"]], -math.pi, math.pi)
        q[robot.position_indices] = rng.uniform(*bounds)
        if robot.base == "floating":
            quaternion = rng.normal(size=4)
            q[3:7] = quaternion / np.linalg.norm(quaternion)
        placed = body_placements(robot.links, q)
        touching = min(placed[p["link"]].apply(p["position"])[2] - p["radius"] for p in robot.contact_points)
        lowest = min(placed[body].apply(points)[:, 2].min() - radius for body, points, radius in drawn)
        assert lowest > touching - FALLING[name] - 1e-9


@pytest.mark.parametrize("name", ["quadruped16", "jumping_leg", "biped_planar"])
def test_fallen_over_and_limp_it_lies_on_the_ground(name: str) -> None:
    """Dropped on its side with no effort in the joints, the robot comes to lie on the ground, all of it above."""
    sim = Simulator(name, time_step=1e-3)
    robot, q = sim.robot, sim.robot.home.copy()
    if robot.base == "floating":
        q[3:7] = math.sin(0.8), 0.0, 0.0, math.cos(0.8)
        q = sim.grounded(q)
    else:
        q[robot.joint_names.index("root_pitch")] = 0.5
    sim.reset(q)
    sim.run(2.0, sample_every=100)
    placed = body_placements(robot.links, sim.state.q)
    lowest = [placed[body].apply(points)[:, 2].min() - radius for body, points, radius in drawn_points(robot)]
    assert min(lowest) > -FALLING[name] - 1e-3
    forces = sum(contact.force for contact in sim.step().contacts)
    assert forces[2] > 0.0
    centre = sum(link["mass"] * place.apply(link["com"])[2] for link, place in zip(robot.links, placed, strict=True))
    assert centre / robot.total_mass < 0.6 * robot.home[2 if robot.base == "floating" else 1]
