"""Feet, stance, gains and named poses of robots that come without a word about them."""

import warnings

import numpy as np
import pytest
from walkers import biped, collision, joint, link, quadruped

from legged_contact_sim import Simulator
from legged_contact_sim.dynamics import inverse_dynamics, mass_matrix, point_jacobian
from legged_contact_sim.errors import ModelWarning
from legged_contact_sim.model import ModelError, RobotModel
from legged_contact_sim.model.gains import proposed_gains
from legged_contact_sim.model.home import body_placements
from legged_contact_sim.model.statics import center_of_mass, foot_loads, holding_efforts, joint_inertias

FEET = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")
STATE = '<robot name="dog"><group_state name="{name}" group="all">{joints}</group_state></robot>'


def foot_places(robot):
    """Return the centres of the feet in the home pose, (n, 3), m."""
    placed = body_placements(robot.links, robot.home)
    points = [robot.contact_points[robot.contact_names.index(foot)] for foot in robot.feet]
    return np.array([placed[point["link"]].apply(point["position"]) for point in points])


def position(robot, name):
    return robot.home[robot.position_indices[robot.joint_names.index(name)]]


def test_a_foot_is_what_touches_first_not_whose_centre_is_lowest():
    robot = RobotModel.from_urdf(quadruped())
    assert robot.feet == FEET
    assert {"FL_calf_0", "FL_calf_7"} <= set(robot.contact_names)


def test_feet_can_be_named_by_point_or_by_link(tmp_path):
    pad = {"pad": {"link": "FL_calf", "offset": [0, 0, -0.1]}}
    robot = RobotModel.from_urdf(quadruped(), feet=["pad", "FR_foot", "RL_calf"], contact_points=pad)
    assert robot.feet[:2] == ("pad", "FR_foot")
    assert robot.feet[2].startswith("RL_calf_")
    path = tmp_path / "dog.urdf"
    path.write_text(quadruped())
    path.with_suffix(".yaml").write_text("feet: [RR_foot, RL_foot]")
    assert RobotModel.from_urdf(path).feet == ("RR_foot", "RL_foot")
    with pytest.raises(ModelError, match="feet names 'FL_fot'.*near matches: FL_foot"):
        RobotModel.from_urdf(quadruped(), feet=["FL_fot"])
    with pytest.raises(ModelError, match="feet is 'FL_foot'; expected a list"):
        RobotModel.from_urdf(quadruped(), feet="FL_foot")


def test_an_arm_on_the_back_is_no_leg():
    arm = joint("shoulder", "trunk", "arm", "0 0 0.1", "0 1 0", ("-3", "3", "9"))
    arm += link("arm", 0.5, 0.01, "0.2 0 0", collision('<sphere radius="0.02"/>', "0.4 0 0"))
    assert RobotModel.from_urdf(quadruped(extra=arm)).feet == FEET


def test_a_leg_whose_hip_pitches_first_bends_at_its_knee():
    """Between hip and knee such a leg has joints that do not bend it; its stance is that of the other order."""
    for first, robot in ((first, RobotModel.from_urdf(biped(pitch_first=first))) for first in (False, True)):
        assert robot.home_origin.startswith("found: flat feet"), first
        assert position(robot, "left_knee_joint") > 0.1
        assert position(robot, "left_hip_pitch_joint") < -0.05
        for name in ("hip_pitch", "knee", "ankle_pitch"):
            assert position(robot, f"left_{name}_joint") == pytest.approx(
                position(robot, f"right_{name}_joint"), abs=1e-6
            )
        assert abs(center_of_mass(robot.links, robot.home)[0] - robot.home[0]) < 0.1


@pytest.mark.parametrize("shift", ["0 0 0", "0.03 0.01 0.02"])
@pytest.mark.parametrize(("knee", "sign"), [(("-2.7", "-0.6", "40"), -1.0), (("0.6", "2.7", "40"), 1.0)])
def test_stance_bends_the_knees_as_they_bend_with_the_centre_of_mass_over_the_feet(shift, knee, sign):
    robot = RobotModel.from_urdf(quadruped(knee, shift=shift))
    feet = foot_places(robot)
    assert robot.home_origin.startswith("found")
    np.testing.assert_allclose(feet[:, 2], 0.02, atol=1e-6)
    np.testing.assert_allclose(center_of_mass(robot.links, robot.home)[:2], feet[:, :2].mean(axis=0), atol=1e-3)
    np.testing.assert_allclose(feet[:, 0], [0.2, 0.2, -0.2, -0.2], atol=0.05)
    np.testing.assert_allclose(feet[:, 1], [0.18, -0.18, 0.18, -0.18], atol=0.02)
    assert all(sign * position(robot, f"{foot[:2]}_calf_joint") > 0.6 for foot in FEET)
    joints = robot.links[robot.joint_links]
    within = (joints["lower_limit"] <= robot.home[7:]) & (robot.home[7:] <= joints["upper_limit"])
    assert within.all()


def test_knees_that_bend_both_ways_point_to_the_middle():
    robot = RobotModel.from_urdf(quadruped(("-2.7", "2.7", "40")))
    bends = [position(robot, f"{foot[:2]}_calf_joint") for foot in FEET]
    np.testing.assert_allclose(bends[:2], bends[0], atol=1e-6)
    np.testing.assert_allclose(bends[2:], -bends[0], atol=1e-3)
    assert bends[0] < -0.5


def test_weak_drives_stand_higher_and_too_weak_ones_are_told():
    strong, weak = (RobotModel.from_urdf(quadruped(("-2.7", "-0.6", effort))) for effort in ("40", "5"))
    assert weak.home[2] > strong.home[2] + 0.02
    with pytest.warns(ModelWarning, match="times its effort limit to hold the stance"):
        RobotModel.from_urdf(quadruped(("-2.7", "-0.6", "0.5")))


def test_holding_efforts_balance_the_weight():
    """On four loaded feet the efforts are those of virtual work: trunk's rows vanish, joints carry J^T f."""
    robot = RobotModel.from_urdf(quadruped(shift="0.02 0.01 0"))
    feet = foot_places(robot)
    weight = 9.81 * robot.total_mass
    loads = foot_loads(feet, center_of_mass(robot.links, robot.home), weight)
    assert loads.sum() == pytest.approx(weight)
    np.testing.assert_allclose(loads @ feet[:, :2], weight * center_of_mass(robot.links, robot.home)[:2], atol=1e-9)
    points = robot.contact_points[[robot.contact_names.index(foot) for foot in robot.feet]]
    efforts = holding_efforts(robot.links, robot.home, points, loads)
    needed = inverse_dynamics(robot, robot.home, np.zeros(robot.nv), np.zeros(robot.nv))
    for point, place, load in zip(points, feet, loads, strict=True):
        body = body_placements(robot.links, robot.home)[point["link"]]
        under = body.rotation.T @ (place - (0.0, 0.0, point["radius"]) - body.position)
        needed -= load * point_jacobian(robot, robot.home, int(point["link"]), under)[2]
    np.testing.assert_allclose(needed[:6], 0.0, atol=1e-9)
    np.testing.assert_allclose(efforts[robot.joint_links], needed[robot.velocity_indices], atol=1e-9)


def test_joint_inertias_are_the_diagonal_of_the_mass_matrix():
    robot = RobotModel.from_urdf(quadruped())
    diagonal = np.diag(mass_matrix(robot, robot.home))[robot.velocity_indices]
    np.testing.assert_allclose(joint_inertias(robot.links, robot.home)[robot.joint_links], diagonal, rtol=1e-12)


@pytest.mark.parametrize("text", [quadruped(), quadruped(shift="0.03 0.01 0.02"), biped()], ids=["dog", "odd", "man"])
def test_it_stands_still_in_its_stance_with_the_gains_proposed(text):
    robot = RobotModel.from_urdf(text)
    sim = Simulator(robot, time_step=1e-3)
    sim.hold(*proposed_gains(robot))
    run = sim.run(2.0, sample_every=10)
    assert np.abs(run.v[-20:]).max() < 0.02
    assert run.q[-1, 2] == pytest.approx(robot.home[2], rel=0.08)
    assert 1.0 - 2.0 * (run.q[:, 3] ** 2 + run.q[:, 4] ** 2).max() > 0.99


def test_a_biped_stands_on_level_soles_with_its_knees_forward():
    robot = RobotModel.from_urdf(biped())
    placed = body_placements(robot.links, robot.home)
    assert len(robot.feet) == 2
    assert all("ankle_roll" in foot for foot in robot.feet)
    for side in ("left", "right"):
        np.testing.assert_allclose(placed[robot.link_index(f"{side}_ankle_roll")].rotation, np.eye(3), atol=1e-4)
        assert position(robot, f"{side}_knee_joint") > 0.1
    center = center_of_mass(robot.links, robot.home)
    ankle = placed[robot.link_index("left_ankle_roll")].position
    assert center[0] == pytest.approx(ankle[0] + 0.03, abs=2e-3)


def test_point_feet_of_a_biped_have_no_stance_and_say_so():
    text = biped().replace('<box size="0.2 0.1 0.02"/>', '<sphere radius="0.02"/>')
    with pytest.warns(ModelWarning, match="two feet that are points"):
        RobotModel.from_urdf(text)


def srdf(name, knee=-1.2, also=""):
    legs = "".join(
        f'<joint name="{leg}_hip_joint" value="0"/><joint name="{leg}_thigh_joint" value="0.6"/>'
        f'<joint name="{leg}_calf_joint" value="{knee}"/>'
        for leg in ("FL", "FR", "RL", "RR")
    )
    return STATE.format(name=name, joints=f'<joint name="root_joint" value="0 0 0.3 0 0 0 1"/>{legs}{also}')


@pytest.mark.parametrize("place", ["dog.srdf", "../srdf/dog.srdf", "../srdf/other.srdf"])
def test_a_standing_pose_of_the_srdf_beside_it_is_home(tmp_path, place):
    folder = tmp_path / "urdf"
    folder.mkdir()
    (tmp_path / "srdf").mkdir()
    (folder / "dog.urdf").write_text(quadruped())
    (folder / place).write_text(srdf("standing", also='<joint name="tail" value="1"/>'))
    robot = RobotModel.from_urdf(folder / "dog.urdf")
    assert robot.home_origin == "pose 'standing'"
    assert position(robot, "RL_calf_joint") == -1.2
    assert any("tail" in note for note in robot.notes)


def test_poses_are_chosen_by_name_and_clipped_to_limits(tmp_path):
    (tmp_path / "dog.urdf").write_text(quadruped())
    (tmp_path / "poses.xml").write_text(srdf("lying", -9.0))
    path = tmp_path / "dog.urdf"
    robot = RobotModel.from_urdf(path, srdf=tmp_path / "poses.xml", home="lying")
    assert position(robot, "FL_calf_joint") == -2.7
    assert RobotModel.from_urdf(path, srdf=tmp_path / "poses.xml").home_origin.startswith("found")
    with pytest.raises(ModelError, match="home is 'lyin'.*near matches: lying"):
        RobotModel.from_urdf(path, srdf=tmp_path / "poses.xml", home="lyin")


@pytest.mark.parametrize(
    ("content", "culprit"),
    [
        ("", "is empty"),
        ("<robot", "not well-formed"),
        ("<mujoco/>", "root element <mujoco>"),
        (srdf("standing", "bent"), "group_state 'standing', joint 'FL_calf_joint' is 'bent'"),
        (srdf("standing", "nan"), "finite number"),
    ],
)
def test_a_bad_srdf_is_one_line(tmp_path, content, culprit):
    (tmp_path / "dog.urdf").write_text(quadruped())
    (tmp_path / "bad.srdf.xml").write_text(content)
    with pytest.raises(ModelError, match=f"bad.srdf.xml: .*{culprit}") as caught:
        RobotModel.from_urdf(tmp_path / "dog.urdf", srdf=tmp_path / "bad.srdf.xml")
    assert "\n" not in str(caught.value)
    with pytest.raises(ModelError, match="missing.srdf: cannot be read"):
        RobotModel.from_urdf(tmp_path / "dog.urdf", srdf=tmp_path / "missing.srdf")


def test_a_lost_mesh_is_a_box_and_a_warning_but_not_for_a_foot():
    text = quadruped().replace('<box size="0.4 0.2 0.1"/>', '<mesh filename="belly.stl"/>')
    with pytest.warns(ModelWarning, match="belly.stl.*the uniform box that has the link's inertia"):
        robot = RobotModel.from_urdf(text)
    assert [name for name in robot.contact_names if name.startswith("trunk")] == [f"trunk_{k}" for k in range(8)]
    edge = np.ptp(robot.contact_points["position"][robot.contact_points["link"] == 0], axis=0)
    np.testing.assert_allclose(8 * (edge[1] ** 2 + edge[2] ** 2) / 12, 0.1, rtol=1e-9)
    drawn = text.replace("<mesh", "<mesh", 1).replace(
        '<link name="trunk">', '<link name="trunk"><visual><geometry><box size="0.3 0.2 0.1"/></geometry></visual>'
    )
    with pytest.warns(ModelWarning, match="the box that is drawn"):
        robot = RobotModel.from_urdf(drawn)
    np.testing.assert_allclose(np.ptp(robot.contact_points["position"][:8], axis=0), [0.3, 0.2, 0.1])
    bare = quadruped(foot='<mesh filename="ball.stl"/>').replace('<box size="0.02 0.02 0.21"/>', '<sphere radius="0"/>')
    with pytest.raises(ModelError, match="ball.stl.*only shape of a foot"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        RobotModel.from_urdf(bare)


def test_a_mimic_joint_follows_or_is_locked_at_its_offset():
    arm = joint("finger", "trunk", "finger", "0 0 0.1", "0 1 0", ("-3", "3", "9")).replace(
        "</joint>", '<mimic joint="FL_hip_joint" multiplier="2" offset="0.5"/></joint>'
    ) + link("finger", 0.5, 0.01, "0.2 0 0")
    robot = RobotModel.from_urdf(quadruped(extra=arm))
    assert robot.closure_names == ("mimic joint 'finger'",)
    q = dict(zip(robot.joint_names, robot.home[7:], strict=True))
    assert q["finger"] == pytest.approx(2.0 * q["FL_hip_joint"] + 0.5, abs=1e-12)
    robot = RobotModel.from_urdf(quadruped(extra=arm), mimic="lock")
    assert robot.joint_count == 12
    np.testing.assert_allclose(robot.frames["finger"].rotation[0], [np.cos(0.5), 0.0, np.sin(0.5)], atol=1e-12)


def test_drives_inside_the_step_need_no_bound_on_their_gains():
    """Light feet bound what a controller may ask of the ankles; inside the step the pendulum's needs decide."""
    light = biped().replace('<mass value="0.3"/>', '<mass value="0.01"/>').replace('="0.01" i', '="0.0001" i')
    light = light.replace('izz="0.01"', 'izz="0.0001"')
    robot = RobotModel.from_urdf(light)
    bounded, free = proposed_gains(robot), proposed_gains(robot, period=0.0)
    ankle = robot.joint_names.index("left_ankle_roll_joint")
    needed = robot.total_mass * 9.81 * center_of_mass(robot.links, robot.home)[2] / 2.0
    assert free.stiffness[ankle] > needed
    assert bounded.stiffness[ankle] < free.stiffness[ankle]
    assert (bounded.stiffness <= free.stiffness).all()
    assert (bounded.damping <= free.damping).all()


def test_legs_on_a_waist_find_their_stance_with_the_waist_where_it_is():
    """As on Booster's T1, whose root is the chest and whose waist carries both legs."""
    robot = RobotModel.from_urdf(biped(chest_is_root=True))
    assert robot.home_origin.startswith("found: flat feet")
    assert position(robot, "waist") == 0.0
    for side in ("left", "right"):
        assert position(robot, f"{side}_knee_joint") > 0.1
    placed = body_placements(robot.links, robot.home)
    soles = [placed[robot.link_index(f"{side}_ankle_roll")].position[0] + 0.03 for side in ("left", "right")]
    assert center_of_mass(robot.links, robot.home)[0] == pytest.approx(np.mean(soles), abs=0.01)


def test_knees_do_not_stand_at_their_limits_where_they_have_room_the_other_way():
    """Hind knees that may bend to 1.57 rad toward the trunk and to 2.5 rad away from it bend away from it."""
    robot = RobotModel.from_urdf(quadruped(("-2.5", "1.4", "40")))
    knees = [position(robot, f"{leg}_calf_joint") for leg in ("FL", "FR", "RL", "RR")]
    for knee in knees:
        assert -2.2 < knee < -0.6 or 0.6 < knee <= 1.1


def test_small_robots_have_small_soles():
    """A sole 2.4 cm wide is flat under a leg of 16 cm and a point under one of 80 cm."""
    small = RobotModel.from_urdf(biped(size=0.2, sole="0.04 0.024 0.004"))
    assert small.home_origin.startswith("found: flat feet")
    with pytest.warns(ModelWarning, match="two feet that are points"):
        RobotModel.from_urdf(biped(sole="0.2 0.024 0.02"))


def test_a_leg_without_a_joint_that_rolls_the_foot_keeps_its_sole_level():
    """As on TRON1: four joints. The centre of mass is beside the middle, where level soles cannot follow."""
    robot = RobotModel.from_urdf(biped(without=("hip_yaw", "ankle_roll"), shift="0 0.02 0"))
    assert robot.home_origin.startswith("found: flat feet")
    placed = body_placements(robot.links, robot.home)
    for side in ("left", "right"):
        np.testing.assert_allclose(placed[robot.link_index(f"{side}_ankle_pitch")].rotation[2, 2], 1.0, atol=1e-4)
