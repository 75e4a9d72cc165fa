"""The home pose: joints as asked and within limits, a free base on the ground."""

import numpy as np
import pytest
from hypothesis import given, settings
from leg import LEG, leg_with
from random_urdf import ALL_KINDS, robot_xml
from walkers import quadruped

from legged_contact_sim.model import FREE, ModelError, RobotModel
from legged_contact_sim.model.home import body_placements

FREE_ON_WORLD = (
    '<robot name="ball"><link name="ground"/><link name="ball"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    '<collision><geometry><sphere radius="0.5"/></geometry></collision></link>'
    '<joint name="free" type="floating"><origin xyz="1 2 3" rpy="0.4 1.1 -0.3"/><parent link="ground"/>'
    '<child link="ball"/></joint></robot>'
)


def lowest_point(robot, q):
    """Height of the lowest contact point, m."""
    bodies = body_placements(robot.links, q)
    return min(bodies[point["link"]].apply(point["position"])[2] - point["radius"] for point in robot.contact_points)


def test_free_base_stands_on_the_ground():
    robot = RobotModel.from_urdf(LEG, home={"hip": 0.5})
    np.testing.assert_allclose(robot.home[:3], [0.0, 0.0, 0.4 * np.cos(0.5) + 0.02])
    np.testing.assert_array_equal(robot.home[3:7], [0.0, 0.0, 0.0, 1.0])
    assert robot.home[7] == 0.5
    assert lowest_point(robot, robot.home) == pytest.approx(0.0, abs=1e-12)


def test_free_body_on_the_world_stands_on_the_ground():
    robot = RobotModel.from_urdf(FREE_ON_WORLD)
    assert (robot.base, robot.nq, robot.nv, robot.joint_count) == ("fixed", 7, 6, 0)
    assert robot.links["joint_kind"].tolist() == [FREE]
    placement = body_placements(robot.links, robot.home)[0]
    np.testing.assert_allclose(placement.position, [1.0, 2.0, 0.5], atol=1e-12)


def test_a_robot_on_a_floating_joint_of_a_bare_root_floats():
    """As Unitree's As2 and HyQReal say it; the same robot without that root is the same."""
    dog = quadruped()
    anchor = (
        '<link name="world"/><joint name="root" type="floating"><parent link="world"/><child link="trunk"/></joint>'
    )
    anchored = RobotModel.from_urdf(dog.replace("</robot>", anchor + "</robot>"))
    assert (anchored.base, anchored.feet) == ("floating", RobotModel.from_urdf(dog).feet)
    np.testing.assert_array_equal(anchored.home, RobotModel.from_urdf(dog).home)
    assert RobotModel.from_urdf(dog.replace("</robot>", anchor + "</robot>"), base="fixed").base == "fixed"


@given(robot_xml(ALL_KINDS))
@settings(max_examples=60, deadline=None)
def test_home_is_within_limits_with_unit_quaternions(xml):
    robot = RobotModel.from_urdf(xml, base="floating")
    joints, positions = robot.links[robot.joint_links], robot.home[robot.position_indices]
    assert np.all(joints["lower_limit"] <= positions)
    assert np.all(positions <= joints["upper_limit"])
    inside = (joints["lower_limit"] <= 0.0) & (joints["upper_limit"] >= 0.0)
    assert not positions[inside].any()
    for start in robot.links["position_index"][robot.links["joint_kind"] == FREE]:
        np.testing.assert_array_equal(robot.home[start + 3 : start + 7], [0.0, 0.0, 0.0, 1.0])


def test_whole_position_is_taken_as_it_is():
    q = [1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8, 0.25]
    np.testing.assert_array_equal(RobotModel.from_urdf(LEG, home=q).home, q)
    np.testing.assert_array_equal(RobotModel.from_urdf(LEG, "fixed", home=np.array([1.5])).home, [1.5])


@pytest.mark.parametrize(
    ("home", "culprit"),
    [
        ({"hop": 0.1}, "'hop'.*near matches: hip"),
        ({"ankle": 0.1}, "'ankle', which the robot does not have"),
        ({3: 0.1}, "joint 3"),
        ({"hip": 2.5}, "'hip' is 2.5.*-1 to 2"),
        ({"hip": -1.5}, "'hip' is -1.5.*-1 to 2"),
        ({"hip": np.nan}, "'hip'.*finite"),
        ({"hip": "bent"}, "'hip'.*'bent'"),
        ({"hip": None}, "'hip'.*finite"),
        ({"hip": 10**400}, "'hip'.*finite"),
        ([0.0], "8 finite numbers"),
        (np.zeros((8, 1)), "8 finite numbers"),
        ([0.0] * 7 + [np.inf], "8 finite numbers"),
        ("standing", "'standing'.*no such pose"),
        ([0.0] * 8, "quaternion"),
        ([0, 0, 0, 0, 0, 0, 1, 2.5], "'hip' is 2.5"),
    ],
)
def test_bad_home_is_refused_by_name(home, culprit):
    with pytest.raises(ModelError, match=f"URDF text: home.*{culprit}"):
        RobotModel.from_urdf(LEG, home=home)


def test_joint_without_zero_in_its_limits_stands_at_the_nearest():
    assert RobotModel.from_urdf(leg_with('lower="-1"', 'lower="0.7"')).home[7] == 0.7
    assert RobotModel.from_urdf(leg_with('upper="2"', 'upper="-0.7"')).home[7] == -0.7
