"""Legs found in the model: forward kinematics against the dynamics', inverse against forward."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legged_contact_sim import ModelError, RobotModel
from legged_contact_sim.control.leg_kinematics import find_legs
from legged_contact_sim.dynamics import forward_kinematics, point_jacobian

ROBOTS = {name: RobotModel.from_urdf(name) for name in ("quadruped12", "quadruped16", "jumping_leg")}
LEGS = [(name, leg) for name, robot in ROBOTS.items() for leg in find_legs(robot)]
legs = pytest.mark.parametrize(("name", "leg"), LEGS, ids=[f"{name}-{leg.name}" for name, leg in LEGS])

TILTED = """<robot name="tilted"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
{joints}</robot>"""


def tilted_leg(flip):
    """A hip-hip-knee leg with turned joint frames, a bent thigh and a lateral offset."""
    places = [("0.1 0.2 0", "0.4 0.2 -0.3", "1 0 0"), ("0.02 0.05 -0.03", "0 0 0", f"0 {flip} 0"),
              ("0.03 0.01 -0.3", "0 0 0", f"0 {flip} 0")]  # fmt: skip
    text, parent = "", "base"
    for k, (place, turn, axis) in enumerate(places):
        text += f"""<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/>
<origin xyz="{place}" rpy="{turn}"/><axis xyz="{axis}"/><limit lower="-3" upper="3" effort="9" velocity="9"/></joint>
<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link>"""
        parent = f"l{k}"
    points = {"foot": {"link": "l2", "offset": [0.02, 0.03, -0.28], "radius": 0.01}}
    return RobotModel.from_urdf(TILTED.format(joints=text), home={"j1": 0.5, "j2": -1.0}, contact_points=points)


def test_every_quadruped_leg_ends_at_its_foot():
    for name, count in (("quadruped12", 3), ("quadruped16", 4)):
        found = find_legs(ROBOTS[name])
        assert [leg.name for leg in found] == ["lf_foot", "lh_foot", "rf_foot", "rh_foot"]
        assert all(len(leg.joints) == count for leg in found)
        assert all(leg.planar == (count == 3) for leg in found)


@legs
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_foot_and_jacobian_are_those_of_the_dynamics(name, leg, data):
    robot = ROBOTS[name]
    q = robot.home.copy()
    q[:3], q[3:7] = 0.0, (0.0, 0.0, 0.0, 1.0)
    angles = np.array(data.draw(st.lists(st.floats(-1.0, 1.0), min_size=len(leg.joints), max_size=len(leg.joints))))
    q[robot.position_indices[leg.joints]] = angles
    poses, point = forward_kinematics(robot, q), robot.contact_points[leg.point]
    expected = poses.position[leg.link] + poses.rotation[leg.link] @ point["position"]
    assert leg.foot(angles) == pytest.approx(expected, abs=1e-12)
    J = point_jacobian(robot, q, leg.link, point["position"])[:, robot.velocity_indices[leg.joints]]
    assert leg.jacobian(angles) == pytest.approx(J, abs=1e-12)


@legs
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_inverse_kinematics_reaches_the_foot_of_any_pose_near_home(name, leg, data):
    shift = np.array(data.draw(st.lists(st.floats(-0.4, 0.4), min_size=len(leg.joints), max_size=len(leg.joints))))
    target = leg.foot(np.clip(leg.home + shift, *leg.limits))
    found = leg.angles(target)
    assert leg.foot(found) == pytest.approx(target, abs=1e-7)
    if leg.planar and abs(leg.home[-1] + shift[-1]) > 1e-3:  # the same branch: the same angles
        if np.sign(leg.home[-1] + shift[-1]) == np.sign(leg.home[-1]):
            assert found == pytest.approx(leg.home + shift, abs=1e-5)


@pytest.mark.parametrize("flip", [1, -1])
@settings(deadline=None, max_examples=40)
@given(hip=st.floats(-0.5, 0.5), flexion=st.floats(-0.6, 0.6), knee=st.floats(-1.8, -0.3))
def test_the_closed_form_knows_tilted_hips_and_lateral_offsets(flip, hip, flexion, knee):
    leg = find_legs(tilted_leg(flip))[0]
    assert leg.planar
    angles = np.array([hip, flexion, knee])
    assert leg.foot(leg.angles(leg.foot(angles))) == pytest.approx(leg.foot(angles), abs=1e-9)


@legs
def test_out_of_reach_the_leg_stretches_toward_the_target(name, leg):
    hip = leg.offsets[0]
    target = hip + 3.0 * (leg.foot(leg.home) - hip)
    found = leg.foot(leg.angles(target))
    assert np.linalg.norm(found - hip) > 0.97 * np.linalg.norm(leg.offsets[1:], axis=1).sum()
    assert np.isfinite(found).all()


def test_a_redundant_leg_stays_as_near_to_home_as_it_can():
    leg = find_legs(ROBOTS["quadruped16"])[0]
    target = leg.foot(leg.home) + (0.05, 0.02, 0.08)
    found = leg.angles(target)
    moved = found - leg.home
    free = np.linalg.svd(leg.jacobian(found))[2][3]  # the motion that leaves the foot in place
    assert abs(free @ moved) < 1e-6
    assert leg.angles(target, found + 0.1) == pytest.approx(found, abs=1e-7)


def test_robots_without_legs_are_refused_by_name():
    with pytest.raises(ModelError, match="planar_leg"):
        find_legs(RobotModel.from_urdf("planar_leg"))
