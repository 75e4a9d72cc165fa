"""Time steps of robots with loops and coupled joints: loops stay closed, energy, contacts as on the reduced robot."""

import numpy as np
import pytest

from legged_contact_sim import ParameterError, RobotModel, Simulator
from legged_contact_sim.dynamics import kinetic_energy, potential_energy
from legged_contact_sim.model.closing import closure_gaps

FOUR_BAR = """<mujoco model="four_bar"><worldbody>
  <body name="crank" pos="0 0 1"><joint name="a" axis="0 1 0"/>
    <inertial pos="0 0 0.1" mass="0.5" diaginertia="0.002 0.002 0.001"/>
    <body name="rod" pos="0 0 0.2"><joint name="b" axis="0 1 0"/>
      <inertial pos="0.25 0 0" mass="1" diaginertia="0.001 0.02 0.02"/></body></body>
  <body name="rocker" pos="0.5 0 1"><joint name="c" axis="0 1 0"/>
    <inertial pos="0 0 0.2" mass="0.8" diaginertia="0.005 0.005 0.001"/></body></worldbody>
  <equality><connect name="pin" body1="rod" body2="rocker" anchor="0.5 0 0.2"/></equality></mujoco>"""
# A trunk on a leg whose knee a motor in the trunk drives by a parallelogram; a spring in the rod's joint.
HOPPER = """<mujoco model="hopper"><compiler angle="radian"/><worldbody>
  <body name="trunk" pos="0 0 0.7"><freejoint/>
    <inertial pos="0 0 0" mass="4" diaginertia="0.05 0.05 0.05"/>
    <geom name="left" type="sphere" size="0.02" pos="0.15 0.3 -0.6"/>
    <geom name="right" type="sphere" size="0.02" pos="0.15 -0.3 -0.6"/>
    <body name="thigh" pos="-0.15 0 0"><joint name="hip" axis="0 1 0"/>
      <inertial pos="0 0 -0.15" mass="0.6" diaginertia="0.005 0.005 0.001"/>
      <body name="shank" pos="0 0 -0.3"><joint name="knee" axis="0 1 0"/>
        <inertial pos="0 0 -0.15" mass="0.4" diaginertia="0.004 0.004 0.001"/>
        <geom name="foot" type="sphere" size="0.02" pos="0 0 -0.3"/></body></body>
    <body name="crank" pos="-0.15 0 0"><joint name="motor" axis="0 1 0"/>
      <inertial pos="-0.03 0 0" mass="0.1" diaginertia="0.0002 0.0002 0.0002"/>
      <body name="rod" pos="-0.08 0 0"><joint name="swing" axis="0 1 0" stiffness="2"/>
        <inertial pos="0 0 -0.15" mass="0.1" diaginertia="0.001 0.001 0.0001"/></body></body>
  </body></worldbody>
  <equality><connect name="pin" body1="rod" body2="shank" anchor="0 0 -0.3"/></equality></mujoco>"""


def largest_gap(robot, trajectory):
    """Return the largest gap of the loops in a trajectory, m."""
    return max(np.abs(closure_gaps(robot.links, robot.closures, q)).max() for q in trajectory.q)


def swing(robot, time_step, duration):
    """Return a trajectory of the four-bar linkage, which turns round and round, and its energies."""
    sim = Simulator(robot, time_step=time_step)
    q = sim.home()
    q[0] = 0.3
    sim.reset(q, [-12.0, 12.0, 0.0])
    trajectory = sim.run(duration, sample_every=round(0.01 / time_step))
    works = zip(trajectory.q, trajectory.v, strict=True)
    return trajectory, np.array([kinetic_energy(robot, q, v) + potential_energy(robot, q) for q, v in works])


def test_a_four_bar_linkage_stays_closed_and_keeps_its_energy():
    robot = RobotModel.from_urdf(FOUR_BAR)
    drifts = []
    for time_step in (1e-3, 5e-4):
        trajectory, energies = swing(robot, time_step, 10.0)
        assert largest_gap(robot, trajectory) < 1e-11
        assert np.ptp(trajectory.q[:, 0]) > 20.0
        drifts.append(np.ptp(energies[1:]))
    assert drifts[0] < 1e-3 * np.ptp([kinetic_energy(robot, robot.home, v) for v in np.eye(3) * 12.0])
    assert drifts[1] < 0.4 * drifts[0]  # second order: a quarter


def test_a_leg_driven_through_a_loop_stands():
    """On three points, the leg's knee held by the motor in the trunk; nothing else holds the knee."""
    robot = RobotModel.from_urdf(HOPPER)
    sim = Simulator(robot, time_step=1e-3)
    sim.hold([100.0, 0.0, 100.0, 0.0], [4.0, 0.0, 4.0, 0.0], target=[-0.1, 0.0, 0.2, 0.0])
    trajectory = sim.run(3.0, sample_every=20)
    assert largest_gap(robot, trajectory) < 1e-11
    assert np.abs(trajectory.v[-1]).max() < 1e-5
    forces = sum(contact.force for contact in sim.step().contacts)
    np.testing.assert_allclose(forces, [0.0, 0.0, 9.81 * robot.total_mass], atol=1e-3)


def test_a_joint_that_mimics_with_ratio_zero_is_a_locked_one():
    """Contacts and limits act on the coupled robot as on the one whose joint is fixed."""
    robot = RobotModel.from_urdf("quadruped12")
    held, other = robot.joint_names[2], robot.joint_names[0]
    end = robot.urdf.index("</joint>", robot.urdf.index(f'<joint name="{held}"'))
    mimic = f'<mimic joint="{other}" multiplier="0" offset="{robot.home[9]}"/>'
    text = robot.urdf[:end] + mimic + robot.urdf[end:]
    bases = []
    for choice in ("couple", "lock"):
        sim = Simulator(RobotModel.from_urdf(text, mimic=choice, home={}), time_step=1e-3, friction=0.5)
        sim.hold(100.0, 2.0)
        q = sim.home()
        q[2] += 0.02
        sim.reset(q)
        sim.run(0.2, sample_every=10)
        bases.append(sim.q[:7].copy())
    np.testing.assert_allclose(bases[0], bases[1], atol=1e-8)


def test_coupled_joints_at_their_limits_carry_the_weight():
    """Both limits stop the same motion, and dry friction may hold it, too: no row of the problem moves any more."""
    slide = (
        '<joint name="{0}" type="prismatic"><parent link="world"/><child link="{0}"/><axis xyz="0 0 1"/>'
        '<limit lower="0" upper="1" effort="0" velocity="0"/><dynamics friction="{1}"/>{2}</joint>'
        '<link name="{0}"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )
    mimic = '<mimic joint="a" multiplier="2"/>'
    for friction in (0.0, 5.0, 50.0):
        text = slide.format("a", friction, "") + slide.format("b", friction, mimic)
        sim = Simulator(RobotModel.from_urdf(f'<robot name="two"><link name="world"/>{text}</robot>'), time_step=1e-3)
        sim.reset([0.01, 0.02])
        sim.run(0.3, sample_every=10)
        np.testing.assert_allclose(sim.v, 0.0, atol=1e-9)
        np.testing.assert_allclose(sim.q, 0.0 if friction < 9.81 else sim.q[0] * np.array([1.0, 2.0]), atol=1e-9)


@pytest.mark.parametrize("model", ["penalty", "hybrid"])
def test_a_model_that_cannot_keep_loops_says_so(model):
    with pytest.raises(ParameterError, match=f"{model} cannot keep equality pin; expected exact_lcp or moreau"):
        Simulator(RobotModel.from_urdf(FOUR_BAR), model)
