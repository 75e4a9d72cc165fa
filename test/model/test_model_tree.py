"""The tree of bodies against Pinocchio's reading of the same random URDF."""

import sys

import numpy as np
import pinocchio
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from leg import LEG
from model_oracle import carrier, pinocchio_model, pinocchio_position, random_position
from random_urdf import TREE_KINDS, robot_xml

from legged_contact_sim.model import FREE, PRISMATIC, REVOLUTE, ModelError, RobotModel
from legged_contact_sim.model.home import body_placements
from legged_contact_sim.model.placement import rotation_of_z_onto

seeds = st.integers(0, 2**32 - 1)
many = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
KINDS = (*TREE_KINDS, "floating")


def moments(record):
    """The (3, 3) matrix of a record's six moments of inertia."""
    xx, xy, xz, yy, yz, zz = record
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def load(xml, base):
    """Read a random robot, unless the fixed base leaves nothing that moves."""
    assume(base == "floating" or any(f'type="{kind}"' in xml for kind in KINDS if kind != "fixed"))
    return RobotModel.from_urdf(xml, base=base)


@given(robot_xml(KINDS), st.sampled_from(["floating", "fixed"]), seeds)
@many
def test_frames_stand_where_pinocchio_puts_them(xml, base, seed):
    robot = load(xml, base)
    model = pinocchio_model(robot)
    data = model.createData()
    q = random_position(robot, seed)
    pinocchio.framesForwardKinematics(model, data, pinocchio_position(robot, model, q))
    bodies = body_placements(robot.links, q)
    for name, frame in robot.frames.items():
        ours = frame.placement if frame.link < 0 else bodies[frame.link].compose(frame.placement)
        theirs = data.oMf[model.getFrameId(name, pinocchio.BODY)]
        np.testing.assert_allclose(ours.position, theirs.translation, atol=1e-12)
        np.testing.assert_allclose(ours.rotation, theirs.rotation, atol=1e-12)


@given(robot_xml(KINDS), st.sampled_from(["floating", "fixed"]), seeds)
@many
def test_mass_and_centre_of_mass_agree_with_pinocchio(xml, base, seed):
    robot = load(xml, base)
    model = pinocchio_model(robot)
    q = random_position(robot, seed)
    bodies = body_placements(robot.links, q)
    masses = robot.links["mass"]
    com = sum(m * body.apply(c) for m, body, c in zip(masses, bodies, robot.links["com"], strict=True)) / masses.sum()
    assert robot.total_mass == pytest.approx(pinocchio.computeTotalMass(model), rel=1e-12)
    theirs = pinocchio.centerOfMass(model, model.createData(), pinocchio_position(robot, model, q))
    np.testing.assert_allclose(com, theirs, atol=1e-12)


@given(robot_xml((*KINDS, "fixed", "fixed")), st.sampled_from(["floating", "fixed"]))
@many
def test_merged_inertia_agrees_with_pinocchio(xml, base):
    robot = load(xml, base)
    model = pinocchio_model(robot)
    for link, name in zip(robot.links, robot.link_names, strict=True):
        inertia = model.inertias[carrier(model, name)]
        assert link["mass"] == pytest.approx(inertia.mass, rel=1e-12)
        np.testing.assert_allclose(link["com"], inertia.lever, atol=1e-12)
        np.testing.assert_allclose(moments(link["inertia"]), inertia.inertia, atol=1e-12)


@given(robot_xml(KINDS))
@many
def test_limits_agree_with_pinocchio(xml):
    robot = load(xml, "floating")
    model = pinocchio_model(robot)
    for name, index in zip(robot.joint_names, robot.joint_links, strict=True):
        joint, link = model.joints[model.getJointId(name)], robot.links[index]
        if joint.nq == 1:
            assert link["lower_limit"] == model.lowerPositionLimit[joint.idx_q]
            assert link["upper_limit"] == model.upperPositionLimit[joint.idx_q]
            assert link["effort_limit"] == model.upperEffortLimit[joint.idx_v] == 100.0
            assert link["velocity_limit"] == model.upperVelocityLimit[joint.idx_v] == 10.0
        else:
            assert np.isneginf(link["lower_limit"])
            assert np.isposinf(link["upper_limit"])


@given(robot_xml((*KINDS, "planar")), st.sampled_from(["floating", "fixed"]))
@many
def test_indices_are_consistent(xml, base):
    assume(base == "floating" or any(f'type="{kind}"' in xml for kind in (*KINDS, "planar") if kind != "fixed"))
    robot = RobotModel.from_urdf(xml, base=base)
    widths = {REVOLUTE: (1, 1), PRISMATIC: (1, 1), FREE: (7, 6)}
    positions, velocities = zip(*(widths[kind] for kind in robot.links["joint_kind"].tolist()), strict=True)
    assert (robot.nq, robot.nv) == (sum(positions), sum(velocities))
    np.testing.assert_array_equal(robot.links["position_index"], np.cumsum((0, *positions))[:-1])
    np.testing.assert_array_equal(robot.links["velocity_index"], np.cumsum((0, *velocities))[:-1])
    assert np.all(robot.links["parent"] < np.arange(len(robot.links)))
    assert robot.joint_count == len(robot.joint_names) == np.sum(robot.links["joint_kind"] != FREE)
    np.testing.assert_array_equal(robot.position_indices, robot.links["position_index"][robot.joint_links])
    np.testing.assert_array_equal(robot.velocity_indices, robot.links["velocity_index"][robot.joint_links])
    for index, name in enumerate(robot.link_names):
        assert robot.link_index(name) == index
    assert all(not array.flags.writeable for array in (robot.links, robot.home, robot.gravity, robot.contact_points))


def test_joints_stand_in_file_order_depth_first():
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{name}">{inertial}</link>' for name in ("tip", "b", "root", "a", "elbow"))
    pairs = [("elbow", "tip"), ("root", "b"), ("b", "elbow"), ("root", "a")]
    joints = "".join(
        f'<joint name="to_{child}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>'
        for parent, child in pairs
    )
    robot = RobotModel.from_urdf(f'<robot name="r">{links}{joints}</robot>')
    assert robot.joint_names == ("to_b", "to_elbow", "to_tip", "to_a")
    assert robot.link_names == ("root", "b", "elbow", "tip", "a")
    assert robot.links["parent"].tolist() == [-1, 0, 1, 2, 0]


def planar_robot(axis):
    """A body on a planar joint on a massless root."""
    return RobotModel.from_urdf(
        '<robot name="sled"><link name="ground"/><link name="sled"><inertial><mass value="2"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="glide" type="planar"><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.5"/><parent link="ground"/>'
        f'<child link="sled"/><axis xyz="{axis}"/></joint></robot>'
    )


def test_planar_joint_agrees_with_pinocchio():
    robot = planar_robot("0 0 1")
    model = pinocchio_model(robot)
    x, y, turn = q = np.array([0.4, -0.7, 1.1])
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, np.array([x, y, np.cos(turn), np.sin(turn)]))
    ours, theirs = body_placements(robot.links, q)[-1], data.oMf[model.getFrameId("sled", pinocchio.BODY)]
    np.testing.assert_allclose(ours.position, theirs.translation, atol=1e-12)
    np.testing.assert_allclose(ours.rotation, theirs.rotation, atol=1e-12)


@pytest.mark.parametrize("axis", ["0 0 2", "1 0 0", "0 -1 0", "0 0 -1", "0.3 -0.4 0.5"])
def test_planar_joint_becomes_two_slides_and_a_turn(axis):
    robot = planar_robot(axis)
    normal = np.array(axis.split(), dtype=float) / np.linalg.norm(np.array(axis.split(), dtype=float))
    assert robot.joint_names == ("glide_x", "glide_y", "glide_angle")
    assert robot.link_names == ("glide_x_link", "glide_y_link", "sled")
    assert robot.links["joint_kind"].tolist() == [PRISMATIC, PRISMATIC, REVOLUTE]
    assert robot.base == "fixed"
    # The first axis is given in the world; the others in frames parallel to the joint's placement.
    x = robot.links["home"][0].reshape(3, 3).T @ robot.links["axis"][0]
    y, turn = robot.links["axis"][1:]
    np.testing.assert_allclose(turn, normal, atol=1e-12)
    np.testing.assert_allclose(np.cross(x, y), normal, atol=1e-12)
    assert np.isinf(robot.links["lower_limit"]).all()
    assert np.isinf(robot.links["upper_limit"]).all()


@given(st.floats(0.0, np.pi), st.floats(-np.pi, np.pi))
@example(np.pi - 1e-5, 1.0)
@example(np.pi, 1.0)
def test_rotation_of_z_onto_an_axis(polar, azimuth):
    axis = np.array([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)])
    rotation = rotation_of_z_onto(axis)
    np.testing.assert_allclose(rotation[:, 2], axis, atol=1e-14)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(rotation) > 0.0


def chain(count):
    """A chain of links, each on a hinge."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="l{i}">{inertial}</link>' for i in range(count))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><origin xyz="0 0 0.1"/><parent link="l{i - 1}"/><child link="l{i}"/>'
        '<axis xyz="0 1 0"/></joint>'
        for i in range(1, count)
    )
    return f'<robot name="chain">{links}{joints}</robot>'


def load_counting_calls(count):
    """Load a chain; return it and how many functions were called, which no busy machine changes."""
    calls = 0

    def note(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    xml = chain(count)
    sys.setprofile(note)
    try:
        robot = RobotModel.from_urdf(xml)
    finally:
        sys.setprofile(None)
    return robot, calls


def test_a_chain_of_a_thousand_links_loads_in_linear_time():
    robot, calls = load_counting_calls(1000)
    assert robot.joint_count == 999
    assert robot.total_mass == pytest.approx(1000.0)
    assert calls < 12 * load_counting_calls(100)[1]


def test_a_joint_of_which_nothing_is_said_moves_freely():
    (link,) = RobotModel.from_urdf(chain(2), base="fixed").links
    for name in ("damping", "friction", "stiffness", "rest_position", "rotor_inertia"):
        assert link[name] == 0.0
    assert link["reduction"] == 1.0
    assert (-link["lower_limit"], link["upper_limit"], link["effort_limit"], link["velocity_limit"]) == (np.inf,) * 4


def test_link_index_knows_merged_links_and_suggests_near_names():
    robot = RobotModel.from_urdf(LEG)
    assert robot.link_names == ("body", "shank")
    assert robot.link_index("foot") == robot.link_index("shank") == 1
    with pytest.raises(ModelError, match="no link 'foots'; near matches: foot"):
        robot.link_index("foots")
    assert RobotModel.from_urdf(LEG, base="fixed").link_index("body") == -1
