"""Loops and coupled joints: accelerations against Pinocchio's constrained dynamics and closed forms."""

import numpy as np
import pinocchio
import pytest

from legged_contact_sim.dynamics import forward_dynamics, point_jacobian
from legged_contact_sim.model import ModelError, RobotModel
from legged_contact_sim.model.closing import closed_pose, closure_gaps

INERTIA = '<inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/>'


def link(name, mass, com="0 0 0", moment=0.01):
    """Return a link's URDF text."""
    inertial = f'<inertial><origin xyz="{com}"/><mass value="{mass}"/>{INERTIA.format(moment)}</inertial>'
    return f'<link name="{name}">{inertial}</link>'


def joint(name, parent, child, xyz, axis, kind="revolute", more=""):
    """Return a joint's URDF text."""
    limit = '<limit lower="-9" upper="9" effort="0" velocity="0"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/>{limit}{more}</joint>'
    )


# A trunk that floats, with a leg of two links and a crank with a rod that is pinned to the shank.
LEG = (
    '<robot name="leg">'
    + link("trunk", 5.0, "0.02 0 0.01", 0.1)
    + link("thigh", 1.0, "0 0 -0.2")
    + link("shank", 0.5, "0.01 0 -0.15", 0.004)
    + link("crank", 0.2, "0.03 0 0", 0.0005)
    + link("rod", 0.1, "0 0 -0.15", 0.002)
    + joint("hip", "trunk", "thigh", "0 0 0", "0 1 0")
    + joint("knee", "thigh", "shank", "0 0 -0.4", "0 1 0")
    + joint("motor", "trunk", "crank", "0 0.02 0", "0 1 0")
    + joint("swing", "crank", "rod", "0.1 0 0", "0 1 0")
    + joint("tilt", "rod", "rod_end", "0 0 -0.2", "1 0 0")
    + link("rod_end", 0.05, "0 0 -0.1", 0.0004)
    + "</robot>"
)
PIN = {"pin": {"links": ["rod_end", "shank"], "points": [[0.0, 0.0, -0.2], [0.1, 0.02, 0.0]]}}
# A bead on two slides, held on the parabola z = x^2 / 2, as MuJoCo couples joints.
BEAD = """<mujoco><worldbody><body name="bead">
  <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody>
  <equality><joint joint1="z" joint2="x" polycoef="0 0 0.5 0 0"/></equality></mujoco>"""


def atwood(ratio):
    """Return two masses on vertical slides, of which the second goes ``ratio`` times as far as the first."""
    mimic = f'<mimic joint="one" multiplier="{ratio}" offset="0.1"/>'
    slides = joint("one", "world", "a", "0 0 0", "0 0 1", "prismatic") + joint(
        "two", "world", "b", "1 0 0", "0 0 1", "prismatic", mimic
    )
    return f'<robot name="atwood"><link name="world"/>{link("a", 3.0)}{link("b", 1.0)}{slides}</robot>'


@pytest.mark.parametrize("ratio", [-1.0, -2.0, 0.5])
def test_atwood(ratio):
    """Two masses on a string over wheels: a = -g (m_1 + r m_2) / (m_1 + r^2 m_2)."""
    robot = RobotModel.from_urdf(atwood(ratio))
    assert robot.home[1] == pytest.approx(ratio * robot.home[0] + 0.1)
    acceleration = forward_dynamics(robot, robot.home, [0.3, 0.3 * ratio], [2.0, 5.0])
    expected = (-9.81 * (3.0 + ratio) + 2.0 + 5.0 * ratio) / (3.0 + ratio**2)
    np.testing.assert_allclose(acceleration, [expected, ratio * expected], rtol=1e-13)


def test_a_bead_on_a_parabola():
    """Lagrange: x'' (1 + x^2) + x x'^2 + g x = 0 on z = x^2 / 2."""
    robot, x, rate = RobotModel.from_urdf(BEAD), 0.7, 1.3
    acceleration = forward_dynamics(robot, [x, x * x / 2], [rate, x * rate])
    expected = -(x * rate**2 + 9.81 * x) / (1 + x * x)
    np.testing.assert_allclose(acceleration, [expected, rate**2 + x * expected], rtol=1e-13)


def pinocchio_acceleration(robot, q, v, effort):
    """Return Pinocchio's constrained acceleration with the pin of LEG as a bilateral constraint of three rows."""
    model = pinocchio.buildModelFromXML(LEG, pinocchio.JointModelFreeFlyer())
    ends = []
    for name, point in zip(PIN["pin"]["links"], PIN["pin"]["points"], strict=True):
        frame = model.frames[model.getBodyId(name)]
        ends += [frame.parentJoint, frame.placement * pinocchio.SE3(np.eye(3), np.array(point))]
    pin = pinocchio.RigidConstraintModel(
        pinocchio.ContactType.CONTACT_3D, model, *ends, pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
    )
    data = model.createData()
    models, datas = pinocchio.StdVec_RigidConstraintModel(), pinocchio.StdVec_RigidConstraintData()
    models.append(pin)
    datas.append(pin.createData())
    pinocchio.initConstraintDynamics(model, data, models, datas)
    settings = pinocchio.ProximalSettings(1e-14, 1e-10, 100)
    return pinocchio.constraintDynamics(model, data, q, v, effort, models, datas, settings)


@pytest.mark.filterwarnings("ignore:.*no contact points")
@pytest.mark.parametrize("seed", range(3))
def test_a_loop_as_pinocchio_has_it(seed):
    robot, random = RobotModel.from_urdf(LEG, closures=PIN), np.random.default_rng(seed)
    q = robot.home.copy()
    q[:3], q[3:7] = random.normal(size=3), random.normal(size=4)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[7:] += random.uniform(-0.2, 0.2, 5)
    q = closed_pose(robot.links, robot.closures, robot.closure_names, q)
    assert np.abs(closure_gaps(robot.links, robot.closures, q)).max() < 1e-11
    closing = point_jacobian(robot, q, "rod_end", PIN["pin"]["points"][0])
    closing -= point_jacobian(robot, q, "shank", PIN["pin"]["points"][1])
    v = random.normal(size=robot.nv)
    v -= np.linalg.pinv(closing) @ closing @ v
    effort = np.concatenate([np.zeros(6), random.normal(size=5)])
    expected = pinocchio_acceleration(robot, q, v, effort)
    np.testing.assert_allclose(forward_dynamics(robot, q, v, effort), expected, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("closures", "culprit"),
    [
        ({"pin": {"links": ["rod", "shin"], "points": [[0, 0, 0], [0, 0, 0]]}}, "'pin' refers to link 'shin'"),
        ({"pin": {"links": ["rod"], "points": [[0, 0, 0], [0, 0, 0]]}}, "'pin' has the links"),
        ({"pin": {"links": ["rod", "shank"], "points": [[0, 0, 0]]}}, "'pin' has the points"),
        ({"pin": {"links": ["rod", "rod"], "points": [[0, 0, 0], [0, 0, 0]]}}, "move as one body"),
        ({"pin": {"links": ["rod", "shank"], "points": [[0, 0, 0], [9, 0, 0]]}}, "pin cannot be closed"),
        ({"pin": "rod"}, "closure 'pin' is 'rod'"),
        ([], "closures is a list"),
    ],
)
def test_a_closure_that_cannot_be_is_refused_by_name(closures, culprit):
    with pytest.raises(ModelError, match=culprit):
        RobotModel.from_urdf(LEG, closures=closures)


@pytest.mark.parametrize(
    ("other", "culprit"),
    [("three", "'three', which the robot does not have"), ("two", "couples joint 'two' to itself")],
)
def test_a_mimic_of_nothing_is_refused_by_name(other, culprit):
    with pytest.raises(ModelError, match=culprit):
        RobotModel.from_urdf(atwood(1.0).replace('joint="one"', f'joint="{other}"'))
