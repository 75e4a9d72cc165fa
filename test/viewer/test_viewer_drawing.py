"""What the view draws: surfaces are closed and have the volume of their shape; colours and places are the URDF's."""

import numpy as np
import pytest

from legged_contact_sim import RobotModel
from legged_contact_sim.dynamics import forward_kinematics
from legged_contact_sim.terrain import Slope
from legged_contact_sim.viewer.drawing import robot_parts
from legged_contact_sim.viewer.page import quaternion, upright_to
from legged_contact_sim.viewer.triangles import box, capsule, cylinder, ground_surface

BOX = """<robot name="one"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0 2"/><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>
<visual><geometry><mesh filename="nowhere.stl"/></geometry></visual>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""


def volume(surface):
    """Volume by the divergence theorem: positive only where the triangles face outward."""
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        (box((1.0, 2.0, 3.0)), 6.0),
        (cylinder(0.5, 2.0), np.pi * 0.25 * 2.0),
        (capsule(0.5, 0.0), 4.0 / 3.0 * np.pi * 0.125),
        (capsule(0.5, 2.0), 4.0 / 3.0 * np.pi * 0.125 + np.pi * 0.25 * 2.0),
    ],
)
def test_surfaces_enclose_their_volume(surface, expected):
    assert volume(surface) == pytest.approx(expected, rel=0.04)  # what is round has flat facets


def test_ground_follows_the_terrain():
    slope = Slope(0.2)
    surface = ground_surface(slope, np.array([1.0, 2.0]), 3.0, 4)
    np.testing.assert_allclose(slope.gap(surface.vertices), 0.0, atol=1e-12)
    assert np.ptp(surface.vertices[:, :2], axis=0).tolist() == [6.0, 6.0]


def test_colours_and_places_are_those_of_the_urdf():
    robot = RobotModel.from_urdf(BOX)
    (part,) = robot_parts(robot)  # the mesh that is not there is left out
    assert part.colour == (1.0, 0.0, 0.0)
    np.testing.assert_allclose(part.surface.vertices.mean(axis=0), [0.0, 0.0, 2.0])


@pytest.mark.parametrize("name", ["quadruped12", "biped_planar"])
def test_every_moving_body_is_drawn(name):
    robot = RobotModel.from_urdf(name)
    heavy = set(np.flatnonzero(robot.links["mass"] > 0.01))
    assert heavy <= {part.body for part in robot_parts(robot)}


def test_quaternions_turn_as_their_rotations():
    robot = RobotModel.from_urdf("quadruped16")
    rng = np.random.default_rng(3)
    q = robot.home.copy()
    q[3:7] = rng.normal(size=4)
    q[3:7] /= np.linalg.norm(q[3:7])
    rotations, _ = forward_kinematics(robot, q)
    np.testing.assert_allclose(abs(quaternion(rotations[0]) @ np.roll(q[3:7], 1)), 1.0)
    w, x, y, z = upright_to(np.array([[0.6, 0.0, 0.8]]))[0]
    np.testing.assert_allclose([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], [0.6, 0.0, 0.8])
