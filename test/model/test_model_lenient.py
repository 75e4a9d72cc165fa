"""What other readers of URDF take, with mistakes in it: it is taken, too, and what was guessed is told."""

import numpy as np
import pytest
from leg import LEG, leg_plus, leg_with
from model_oracle import pinocchio_model, pinocchio_position, random_position

from legged_contact_sim.dynamics import mass_matrix
from legged_contact_sim.errors import ModelWarning
from legged_contact_sim.model import RobotModel

ZEROS = '<inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
GEAR = '<transmission name="gear"><joint name="{joint}"/><actuator name="m">{inside}</actuator></transmission>'


def spun(name, parent, child, axis):
    """Return a joint without limits."""
    return f'''<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>
      <axis xyz="{axis}"/></joint>'''


@pytest.mark.parametrize(
    ("text", "link"),
    [(leg_with('izz="0.25"', 'izz="0.31"'), "body"), (leg_with('izz="0.01"', 'izz="0.9"'), "foot")],
    ids=["one link", "merged"],
)
def test_moments_that_no_body_has_move_as_they_do_elsewhere_with_a_warning(text, link):
    """As of Mini Cheetah's thighs and Romeo's hands: only a positive definite inertia is needed to move."""
    import pinocchio

    with pytest.warns(ModelWarning, match=f"link {link!r} has principal moments .*triangle inequality"):
        robot = RobotModel.from_urdf(text)
    assert any("triangle inequality" in note for note in robot.notes)
    q, theirs = random_position(robot, 3), pinocchio_model(robot)
    expected = pinocchio.crba(theirs, theirs.createData(), pinocchio_position(robot, theirs, q))
    expected = np.triu(expected) + np.triu(expected, 1).T
    np.testing.assert_allclose(mass_matrix(robot, q), expected, atol=1e-12)


def test_a_chain_of_links_of_no_mass_is_a_joint_of_several_axes():
    """As the thumbs of PyBullet's humanoid: zeros in place of no `<inertial>`."""
    chain = f'<link name="a">{ZEROS}</link><link name="b">{ZEROS}</link>'
    chain += spun("turn_a", "body", "a", "1 0 0") + spun("turn_b", "a", "b", "0 0 1")
    robot = RobotModel.from_urdf(
        leg_with('<parent link="body"/>', '<parent link="b"/>').replace("</robot>", chain + "</robot>")
    )
    assert robot.joint_names == ("turn_a", "turn_b", "hip")
    assert robot.total_mass == 6.0
    assert np.linalg.eigvalsh(mass_matrix(robot, robot.home)).min() > 0.0


def test_a_frame_with_negative_moments_counts_as_part_of_what_carries_it():
    """As the soles of TRON1; `test_model_broken` has the same of a link that moves by itself."""
    moments = '<inertia ixx="1e-6" iyy="-1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/>'
    sole = f'<link name="pad"><inertial><mass value="0.001"/>{moments}</inertial></link>'
    fixed = '<joint name="glue" type="fixed"><parent link="foot"/><child link="pad"/></joint>'
    robot = RobotModel.from_urdf(leg_plus(sole + fixed))
    assert robot.total_mass == pytest.approx(6.001)
    assert any("'pad' has principal moments of inertia -1e-06" in note for note in robot.notes)


def test_of_an_element_that_stands_twice_the_first_counts():
    axis = '<axis xyz="0 1 0"/>'
    robot = RobotModel.from_urdf(leg_with(axis, axis + '<axis xyz="1 0 0"/>'))
    np.testing.assert_array_equal(robot.links["axis"][1], [0.0, 1.0, 0.0])
    assert "joint 'hip' has <axis> 2 times: the first counts" in robot.notes
    assert RobotModel.from_urdf(leg_with(axis, axis + axis)).notes == RobotModel.from_urdf(LEG).notes
    notes = RobotModel.from_urdf(leg_with(axis, axis + '<axis xyz="1 0 0"/><axis xyz="0 0 1"/>')).notes
    assert notes.count("joint 'hip' has <axis> 3 times: the first counts") == 1


def test_words_behind_an_element_that_stands_twice_are_passed_over():
    """As all words between elements are; they ended in an error of the XML parser's."""
    axis = '<axis xyz="0 1 0"/>'
    assert RobotModel.from_urdf(leg_with(axis, f"{axis} or {axis} perhaps")).notes == RobotModel.from_urdf(LEG).notes


def test_limits_that_are_guessed_are_told():
    """By the letter a `<limit>` without a range holds its joint at 0, and an effort limit of 0 makes it limp."""
    robot = RobotModel.from_urdf(leg_with('lower="-1" upper="2" effort="30"', 'effort="0"'))
    assert (robot.links["lower_limit"][1], robot.links["upper_limit"][1]) == (-np.inf, np.inf)
    assert robot.links["effort_limit"][1] == np.inf
    assert "no lower and upper limit: hip can take any position" in robot.notes
    assert "an effort limit of 0 counts as none: hip" in robot.notes


def test_an_effort_limit_of_0_is_told_of_joints_that_turn_without_end_too():
    robot = RobotModel.from_urdf(leg_with('type="revolute"', 'type="continuous"').replace('effort="30"', 'effort="0"'))
    assert robot.links["effort_limit"][1] == np.inf
    assert "an effort limit of 0 counts as none: hip" in robot.notes
    assert not any("can take any position" in note for note in robot.notes)


def test_a_transmission_may_have_quotes_in_its_numbers_or_drive_a_joint_that_is_not_there():
    """Both as of CyberDog."""
    quoted = '<mechanicalReduction>"2"</mechanicalReduction><rotorInertia>0.1</rotorInertia>'
    robot = RobotModel.from_urdf(leg_plus(GEAR.format(joint="hip", inside=quoted)))
    assert robot.links["rotor_inertia"][1] == pytest.approx(0.4)
    robot = RobotModel.from_urdf(leg_plus(GEAR.format(joint="knee", inside=quoted)))
    assert not robot.links["rotor_inertia"].any()
    assert "transmissions of joints that the robot does not have are left out: knee" in robot.notes


def test_an_mjcf_in_which_nothing_floats_says_so():
    """As Deep Robotics' X30.xml, whose trunk is part of the world."""
    pytest.importorskip("mujoco")
    leg = '<body name="thigh"><joint name="hip"/><geom size="0.1"/></body>'
    robot = RobotModel.from_urdf(f"<mujoco><worldbody>{leg}</worldbody></mujoco>")
    assert robot.base == "fixed"
    assert "nothing in it floats (a free joint), so it is fixed to the world" in robot.notes
