"""MJCF: dynamics against MuJoCo itself, and what its elements become; xacro files; packages."""

import re

import mujoco
import numpy as np
import pytest
from leg import LEG
from walkers import quadruped

from legged_contact_sim.dynamics import inverse_dynamics, mass_matrix
from legged_contact_sim.errors import ModelWarning, ParameterError
from legged_contact_sim.model import ModelError, RobotModel
from legged_contact_sim.model.gains import proposed_gains
from legged_contact_sim.model.inspection import doubts

HOPPER = """<mujoco model="hopper">
  <compiler angle="radian"/>
  <asset>
    <mesh name="wedge" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"/>
  </asset>
  <default>
    <joint damping="0.2" armature="0.01" frictionloss="0.05"/>
    <default class="seen"><geom contype="0" conaffinity="0"/></default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1"/>
    <body name="rock" pos="2 0 0"><geom type="box" size="0.1 0.1 0.1"/></body>
    <body name="trunk" pos="0 0 1">
      <freejoint name="root"/>
      <inertial pos="0.01 0 0.02" mass="5" fullinertia="0.1 0.12 0.14 0.01 0.002 0.003"/>
      <geom name="shell" type="mesh" mesh="wedge" mass="0"/>
      <geom class="seen" type="sphere" size="0.3" mass="0"/>
      <site name="imu" pos="0.1 0 0.05" quat="0.8 0 0.6 0"/>
      <body name="thigh" pos="0 0.1 -0.1" quat="0.9 0.1 0.2 0.3">
        <joint name="roll" axis="1 0 0" range="-1 1" pos="0 0 0.02"/>
        <joint name="pitch" axis="0 1 0.2" range="-2 2" ref="0.3" stiffness="3" springref="0.2"/>
        <inertial pos="0 0 -0.2" mass="1" diaginertia="0.02 0.02 0.003"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03" mass="0"/>
        <body name="slider" pos="0 0 -0.35">
          <joint name="extend" type="slide" axis="0 0 1" range="-0.1 0.2" ref="0.05"/>
          <inertial pos="0 0 -0.1" mass="0.5" diaginertia="0.004 0.004 0.001"/>
          <geom type="cylinder" size="0.02 0.1" pos="0 0 -0.1" mass="0"/>
          <body name="pad" pos="0 0 -0.2">
            <inertial pos="0 0 0" mass="0" diaginertia="0.001 0.001 0.001"/>
            <geom name="toe" type="sphere" size="0.03" mass="0"/>
          </body>
        </body>
      </body>
      <body name="tail" pos="-0.2 0 0">
        <joint name="wag" axis="0 0 1"/>
        <inertial pos="-0.1 0 0" mass="0.3" diaginertia="0.002 0.002 0.002"/>
        <geom type="ellipsoid" size="0.1 0.02 0.02" mass="0"/>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="string"><joint joint="wag" coef="1"/></fixed></tendon>
  <equality><joint joint1="wag" joint2="roll" polycoef="0.35 0.5 0 0 0"/></equality>
  <actuator>
    <motor name="m" joint="roll" gear="2" ctrlrange="-10 10" ctrllimited="true"/>
    <position joint="pitch" kp="80" kv="4" forcerange="-30 25" forcelimited="true"/>
    <motor tendon="string"/>
  </actuator>
  <keyframe><key name="crouch" qpos="0 0 0.7 1 0 0 0 0.1 0.5 0.02 0.4"/></keyframe>
</mujoco>"""


def mujoco_dynamics(text, robot, q, v):
    """Return MuJoCo's mass matrix and bias forces in our coordinates: base velocity in the base's axes."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, q[[6, 3, 4, 5]])
    rotation = rotation.reshape(3, 3)
    data.qpos[:3], data.qpos[3:7] = q[:3], q[[6, 3, 4, 5]]
    data.qvel[:3], data.qvel[3:6] = rotation @ v[:3], v[3:6]
    for k, name in enumerate(robot.joint_names):
        data.qpos[model.joint(name).qposadr[0]] = q[7 + k]
        data.qvel[model.joint(name).dofadr[0]] = v[6 + k]
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    for column, unit in zip(full, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, column, unit)
    to_world = np.eye(model.nv)
    to_world[:3, :3] = rotation
    turning = np.concatenate([rotation @ np.cross(v[3:6], v[:3]), np.zeros(model.nv - 3)])
    return to_world.T @ full @ to_world, to_world.T @ (data.qfrc_bias + full @ turning)


@pytest.mark.parametrize("seed", range(3))
def test_dynamics_are_those_of_mujoco(seed):
    """Inertia, armature, several joints in a body, joints off its origin and references other than zero."""
    robot, random = RobotModel.from_urdf(HOPPER), np.random.default_rng(seed)
    assert robot.joint_names == ("roll", "pitch", "extend", "wag")
    q, v = random.uniform(-0.5, 0.5, robot.nq), random.normal(size=robot.nv)
    q[3:7] = random.normal(size=4)
    q[3:7] /= np.linalg.norm(q[3:7])
    matrix, bias = mujoco_dynamics(HOPPER, robot, q, v)
    np.testing.assert_allclose(mass_matrix(robot, q), matrix, atol=1e-9)
    np.testing.assert_allclose(inverse_dynamics(robot, q, v, np.zeros(robot.nv)), bias, atol=1e-9)


def test_drives_friction_springs_keyframes_and_sites_are_read():
    robot = RobotModel.from_urdf(HOPPER, home="crouch")
    joints = robot.links[robot.joint_links]
    np.testing.assert_allclose(joints["damping"], 0.2)
    np.testing.assert_allclose(joints["friction"], 0.05)
    np.testing.assert_allclose(joints["rotor_inertia"], 0.01)
    np.testing.assert_allclose(joints["stiffness"], [0.0, 3.0, 0.0, 0.0])
    assert joints["rest_position"][1] == pytest.approx(0.2)
    np.testing.assert_allclose(joints["effort_limit"], [20.0, 30.0, np.inf, np.inf])
    np.testing.assert_allclose(joints["lower_limit"], [-1.0, -2.0, -0.1, -np.inf])
    np.testing.assert_allclose(robot.home[7:], [0.1, 0.5, 0.02, 0.4])
    np.testing.assert_allclose(robot.frames["imu"].position, [0.1, 0.0, 0.05])
    gains = proposed_gains(robot)
    assert (gains.stiffness[1], gains.damping[1]) == (80.0, 4.0)
    assert gains.stiffness[0] > 0.0


def test_collision_geoms_become_contact_points_and_the_rest_is_named():
    robot = RobotModel.from_urdf(HOPPER)
    assert "toe" in robot.contact_names
    assert sum(name.startswith("shell") for name in robot.contact_names) == 4
    assert sum(name.startswith("thigh") for name in robot.contact_names) == 2
    assert not any(radius == 0.3 for radius in robot.contact_points["radius"])
    said = " ".join(robot.notes)
    for part in ("rock", "1 tendons", "actuator 2 does not act on a joint", "friction and softness"):
        assert part in said


def test_its_urdf_has_the_same_dynamics_but_for_rotors():
    robot = RobotModel.from_urdf(HOPPER.replace('armature="0.01"', ""))
    again = RobotModel.from_urdf(robot.urdf)
    assert again.joint_names == robot.joint_names
    q = np.concatenate([np.zeros(6), [1.0, 0.2, 0.3, 0.05, -0.4]])
    np.testing.assert_allclose(mass_matrix(again, q), mass_matrix(robot, q), atol=1e-12)


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        (('mass="5"', 'mass="-5"'), "MuJoCo does not compile it"),
        (("</mujoco>", "<nonsense/></mujoco>"), "MuJoCo does not compile it.*nonsense"),
        (("</mujoco>", ""), "MuJoCo does not compile it"),
    ],
)
def test_a_bad_mjcf_is_one_line(change, culprit):
    text = HOPPER.replace(*change)
    with pytest.raises(ModelError, match=culprit) as caught:
        RobotModel.from_urdf(text)
    assert "\n" not in str(caught.value)


def test_a_ball_joint_is_three_hinges():
    """Mass matrix against MuJoCo's, whose rates are the child's angular velocity: w = E (x', y', z')."""
    text = HOPPER.replace('<joint name="wag" axis="0 0 1"/>', '<joint name="wag" type="ball" armature="0"/>')
    text = re.sub(r"<tendon>.*</equality>|<motor tendon.*?/>|<keyframe>.*</keyframe>", "", text, flags=re.DOTALL)
    key = '<keyframe><key name="k" qpos="0 0 1 1 0 0 0 0 0 0 0.8 0.36 0.48 0"/></keyframe></mujoco>'
    text = text.replace("</mujoco>", key)
    robot = RobotModel.from_urdf(text, home="k")
    assert robot.joint_names[3:] == ("wag_x", "wag_y", "wag_z")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    for column, unit in zip(full, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, column, unit)
    _, y, z = robot.home[10:]
    rates = np.eye(model.nv)
    rates[9:, 9] = np.cos(y) * np.cos(z), -np.cos(y) * np.sin(z), np.sin(y)
    rates[9:, 10] = np.sin(z), np.cos(z), 0.0
    np.testing.assert_allclose(mass_matrix(robot, robot.home), rates.T @ full @ rates, atol=1e-9)


XACRO = """<robot name="leg" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="4"/>
  <xacro:include filename="$(find leg_description)/parts.xacro"/>
  <xacro:part name="body" mass="$(arg mass)"/>
  <xacro:part name="foot" mass="${1 / 2}"/>
  <joint name="hip" type="revolute"><parent link="body"/><child link="foot"/>
    <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
</robot>"""
PARTS = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="part" params="name mass">
  <link name="${name}"><inertial><mass value="${mass}"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link></xacro:macro></robot>"""


@pytest.fixture
def xacro_leg(tmp_path):
    package = tmp_path / "elsewhere" / "leg_description"
    package.mkdir(parents=True)
    (package / "parts.xacro").write_text(PARTS)
    path = tmp_path / "leg.urdf.xacro"
    path.write_text(XACRO)
    return path


def test_a_xacro_file_is_expanded_with_its_arguments(xacro_leg):
    pytest.importorskip("xacro")
    packages = [xacro_leg.parent / "elsewhere"]
    assert RobotModel.from_urdf(xacro_leg, packages=packages).total_mass == 4.5
    for arguments in ({"mass": 6}, ["mass:=6"]):
        assert RobotModel.from_urdf(xacro_leg, packages=packages, xacro_arguments=arguments).total_mass == 6.5


@pytest.mark.parametrize(
    ("old", "new", "options", "culprit"),
    [
        ("${1 / 2}", "${1 / 0}", {}, "division by zero"),
        ("<xacro:part name", "<xacro:prt name", {}, "prt"),
        ("leg_description", "hand_description", {}, "package 'hand_description' is not there"),
        ("</robot>", "", {}, "xacro cannot expand it"),
        ("", "", {"xacro_arguments": ["mass"]}, "xacro argument 'mass'; expected NAME:=VALUE"),
    ],
)
def test_a_xacro_file_that_does_not_expand_is_one_line(xacro_leg, old, new, options, culprit):
    pytest.importorskip("xacro")
    xacro_leg.write_text(XACRO.replace(old, new))
    with pytest.raises(ModelError, match=f"leg.urdf.xacro: .*{culprit}") as caught:
        RobotModel.from_urdf(xacro_leg, packages=[xacro_leg.parent / "elsewhere"], **options)
    assert "\n" not in str(caught.value)


def test_a_folder_of_packages_that_is_not_there_is_named():
    with pytest.raises(ParameterError, match="packages names '/nowhere/at/all', which is no folder"):
        RobotModel.from_urdf(LEG, packages=["/nowhere/at/all"])


COLLADA = """<?xml version="1.0" encoding="utf-8"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
<asset><unit meter="0.001"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array>
<technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<source id="n"><float_array id="b" count="3">9 9 9</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="outer"><translate>0 0 50</translate>
<node id="inner"><rotate>0 0 1 90</rotate><scale>1 1 2</scale><instance_geometry url="#g"/></node></node>
</visual_scene></library_visual_scenes></COLLADA>"""


@pytest.mark.parametrize("way", ["argument", "package", "environment"])
def test_a_collada_mesh_in_a_package_that_is_told(tmp_path, monkeypatch, way):
    folder = tmp_path / "far" / "toe_description" / "meshes"
    folder.mkdir(parents=True)
    (folder / "toe.dae").write_text(COLLADA)
    sphere = '<sphere radius="0.02"/>'
    path = tmp_path / "leg.urdf"
    path.write_text(LEG.replace(sphere, '<mesh filename="package://toe_description/meshes/toe.dae"/>'))
    if way == "environment":
        monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "far"))
    packages = {"argument": [tmp_path / "far"], "package": [folder.parent], "environment": []}[way]
    robot = RobotModel.from_urdf(path, packages=packages)
    found = robot.contact_points["position"] - robot.frames["foot"].position
    expected = [[0.0, 0.0, 0.05], [0.0, 0.1, 0.05], [-0.1, 0.0, 0.05], [0.0, 0.0, 0.25]]
    np.testing.assert_allclose(np.array(sorted(found.round(9).tolist())), sorted(expected), atol=1e-9)


def test_a_keyframe_with_feet_in_the_air_is_no_home(tmp_path):
    text = quadruped()
    path = tmp_path / "dog.urdf"
    path.write_text(text)
    legs = "".join(
        f'<joint name="{leg}_thigh_joint" value="{2.9 if leg[0] == "F" else 0.6}"/>'
        f'<joint name="{leg}_calf_joint" value="-1.2"/>'
        for leg in ("FL", "FR", "RL", "RR")
    )
    state = f'<robot name="dog"><group_state name="home" group="all">{legs}</group_state></robot>'
    (tmp_path / "dog.srdf").write_text(state)
    robot = RobotModel.from_urdf(path)
    assert robot.home_origin.startswith("found")
    assert any("feet in the air" in note for note in robot.notes)


SOLES = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body name="trunk" pos="0 0 1"><freejoint/>
  <geom name="shell" size="0.1" mass="1" contype="0" conaffinity="0"/>
  <geom name="sole" size="0.05" pos="0 0 -0.3" mass="0" contype="0" conaffinity="0" group="3"/></body></worldbody>
  {contact}</mujoco>"""


def test_geoms_that_only_pairs_let_collide_touch():
    pair = '<contact><pair geom1="sole" geom2="floor"/></contact>'
    robot = RobotModel.from_urdf(SOLES.format(contact=pair))
    assert robot.contact_names == ("sole",)
    assert not any("group 3" in note for note in robot.notes)


def test_without_any_geom_that_collides_those_of_group_3_do_and_it_is_told():
    robot = RobotModel.from_urdf(SOLES.format(contact=""))
    assert robot.contact_names == ("sole",)
    assert any("group 3" in note for note in robot.notes)


def test_gains_of_a_description_that_cannot_hold_a_biped_are_doubted():
    weak = biped_mjcf(kp=1.0)
    stiff = biped_mjcf(kp=2000.0)
    assert any("does not stand still" in doubt for doubt in doubts(RobotModel.from_urdf(weak)))
    assert not any("does not stand still" in doubt for doubt in doubts(RobotModel.from_urdf(stiff)))


def biped_mjcf(kp):
    """Return two legs of two joints each, on flat feet, with position actuators."""
    leg = """<body name="{side}_thigh" pos="0 {y} 0"><joint name="{side}_hip" axis="0 1 0"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.3" mass="1"/><body name="{side}_shank" pos="0 0 -0.3">
      <joint name="{side}_knee" axis="0 1 0"/><geom type="box" size="0.1 0.05 0.15" pos="0 0 -0.15" mass="1"/>
      </body></body>"""
    joints = ("left_hip", "left_knee", "right_hip", "right_knee")
    drives = "".join(f'<position joint="{joint}" kp="{kp}"/>' for joint in joints)
    legs = leg.format(side="left", y=0.1) + leg.format(side="right", y=-0.1)
    trunk = f'<body name="trunk" pos="0 0 1"><freejoint/><geom size="0.1" mass="10"/>{legs}</body>'
    return f"<mujoco><worldbody>{trunk}</worldbody><actuator>{drives}</actuator></mujoco>"


LOST = """<mujoco><compiler meshdir="parts"/><asset><texture name="t" type="2d" file="skin.png"/>
  <material name="m" texture="t"/><mesh name="shell" file="shell.stl"/><mesh file="hull.stl"/></asset>
  <worldbody><body name="trunk" pos="0 0 1"><freejoint/>{inertial}
  <geom type="mesh" mesh="shell" material="m" contype="0" conaffinity="0"/>{hull}
  <geom name="toe" size="0.05" pos="0 0 -0.3" mass="0"/></body></worldbody></mujoco>"""
HULL = '<geom name="hull" type="mesh" mesh="hull"/>'
PLATE = '<inertial pos="0 0 0" mass="3" diaginertia="0.05 0.1 0.13"/>'


def test_files_that_are_drawn_only_may_be_missing(tmp_path):
    path = tmp_path / "dog.xml"
    path.write_text(LOST.format(inertial=PLATE, hull=""))
    robot = RobotModel.from_urdf(path)
    assert (robot.total_mass, robot.contact_names) == (3.0, ("toe",))
    assert "3 of its meshes and textures are not there (hull.stl, shell.stl, skin.png)" in robot.notes


def test_a_lost_collision_mesh_is_the_box_of_its_body(tmp_path):
    """A plate of 3 kg, 2 b h l for edges l: I = m (b^2 + c^2) / 12."""
    path = tmp_path / "dog.xml"
    path.write_text(LOST.format(inertial=PLATE, hull=HULL))
    with pytest.warns(ModelWarning, match="'trunk': collision mesh .*hull.stl' is not there.*inertia"):
        robot = RobotModel.from_urdf(path)
    corners = robot.contact_points["position"][[name.startswith("hull") for name in robot.contact_names]]
    edges = np.ptp(corners, axis=0)
    np.testing.assert_allclose(edges**2, 6.0 / 3.0 * (0.28 - 2.0 * np.array([0.05, 0.1, 0.13])), atol=1e-12)
    path.write_text(LOST.format(inertial="", hull=HULL))
    with pytest.raises(ModelError, match="body 'trunk': mesh 'shell.stl', which gives it its mass, is not there"):
        RobotModel.from_urdf(path)


BESIDE = """<mujoco><worldbody><body name="dog" pos="0 0 1"><freejoint/><geom size="0.1"/>
  <body name="leg"><joint name="hip"/><geom name="toe" size="0.05" pos="0 0 -0.3"/></body></body>{beside}</worldbody>
  <keyframe><key name="sit" qpos="0 0 1 1 0 0 0 0.4 {rest}"/></keyframe></mujoco>"""
DOOR = '<body name="door" pos="3 0 0"><joint name="hinge"/><geom size="0.1"/>{more}</body>'
LARGER = '<body><joint/><geom size="0.1"/><body><joint/><geom size="0.1"/></body></body>'
BALL = '<body name="ball" pos="2 0 1"><freejoint/><geom size="0.1"/></body>'


@pytest.mark.parametrize(("beside", "rest"), [(BALL, "2 0 1 1 0 0 0"), (DOOR.format(more=""), "0")])
def test_what_moves_beside_a_floating_robot_is_left_out(tmp_path, beside, rest):
    path = tmp_path / "dog.xml"
    path.write_text(BESIDE.format(beside=beside, rest=rest))
    robot = RobotModel.from_urdf(path)
    assert (robot.base, robot.joint_names, robot.poses) == ("floating", ("hip",), {"sit": {"hip": 0.4}})
    assert any("stands beside the robot and is left out" in note for note in robot.notes)


def test_an_arm_beside_a_smaller_body_that_floats_is_the_robot(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(BESIDE.format(beside=DOOR.format(more=LARGER), rest="0 0 0"))
    assert RobotModel.from_urdf(path).base == "fixed"


def test_the_ground_of_a_scene_is_left_out_and_told_but_for_a_floor():
    told = "2 shapes of the world are left out: the terrain is the simulator's"
    scene = """<mujoco><worldbody><geom type="plane" size="5 5 1"/>{}
      <body name="ball"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
    steps = """<geom type="box" size="1 1 0.1" pos="2 0 0"/><geom type="box" size="1 1 0.1" pos="3 0 0.1"/>"""
    drawn = """<geom type="box" size="1 1 0.1" contype="0" conaffinity="0"/>"""
    assert told in RobotModel.from_urdf(scene.format(steps + drawn)).notes
    assert not any("world" in note for note in RobotModel.from_urdf(scene.format(drawn)).notes)


def test_a_mujoco_that_is_too_old_is_told(monkeypatch):
    monkeypatch.setattr("mujoco.__version__", "3.2.7")
    with pytest.raises(ModelError, match=r"mujoco 3\.2\.7 cannot read all of it: pip install -U mujoco"):
        RobotModel.from_urdf("<mujoco><worldbody/></mujoco>")
