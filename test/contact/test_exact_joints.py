"""Joints under the hard contact models: limits, dry friction by cases, drives within their range."""

import numpy as np
import pytest
from contact_cases import GRAVITY, HARD_MODELS, TIME_STEPS, pendulum_xml, robot_named, simulator, wheel_xml

from legged_contact_sim import RobotModel

cases = pytest.mark.parametrize(("model", "time_step"), [(m, h) for m in HARD_MODELS for h in TIME_STEPS])

# A piston: a body of 4 kg above a foot of 1 kg on a sliding joint that reaches from 0 to 0.1 m.
PISTON = """<robot name="piston"><link name="world"/>
<link name="body"><inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
<joint name="lift" type="prismatic"><parent link="world"/><child link="body"/><axis xyz="0 0 1"/>
<limit lower="-100" upper="100" effort="0" velocity="1000"/></joint>
<link name="foot"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="leg" type="prismatic"><parent link="body"/><child link="foot"/><axis xyz="0 0 -1"/>
<limit lower="0" upper="0.1" effort="1000" velocity="1000"/></joint></robot>"""


@cases
def test_a_swinging_rod_stops_at_its_limit(model, time_step):
    robot = robot_named(pendulum_xml(lower=-0.5, upper=0.7))
    sim = simulator(robot, model, time_step)
    sim.reset([0.0], [0.5])
    run = sim.run(2.0)
    assert run.q.max() <= 0.7 + 1e-9
    assert run.q.min() >= -0.5 - 1e-9
    assert run.q[-1, 0] == pytest.approx(0.7, abs=1e-9)  # gravity turns it down, positive about y
    assert np.abs(run.v[-1]).max() < 1e-9
    assert np.diff(run.works[:, 5], prepend=0.0).max() <= 1e-12
    assert run.works[-1, 5] < -1.0
    assert np.abs(run.remainder).max() < 1e-3
    assert run.solver[-1, 2] == 0


@cases
def test_limits_hold_in_a_chain(model, time_step):
    robot = robot_named(pendulum_xml(links=3, lower=-0.3, upper=0.4))
    sim = simulator(robot, model, time_step)
    sim.reset(np.zeros(3), [1.0, -2.0, 3.0])
    run = sim.run(3.0)
    assert run.q.max() <= 0.4 + 1e-9
    assert run.q.min() >= -0.3 - 1e-9
    assert np.diff(run.works[:, 5], prepend=0.0).max() <= 1e-7
    assert run.works[-1, 5] < -1.0
    assert np.abs(run.v[-1]).max() < 1e-6


@cases
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_limit_stops_a_wheel_where_it_stands(model, time_step, side):
    robot = robot_named(wheel_xml(lower=-0.2, upper=0.2))
    sim = simulator(robot, model, time_step)
    sim.reset([0.0], [3.0 * side])
    run = sim.run(0.5)
    assert np.abs(run.q).max() <= 0.2 + 1e-12
    assert run.q[-1, 0] == pytest.approx(0.2 * side, abs=1e-9)
    assert np.abs(run.v[-1]).max() < 1e-10
    assert run.works[-1, 5] == pytest.approx(-0.5 * 0.5 * 9.0, rel=1e-9)


@cases
def test_contact_does_not_push_a_joint_through_its_limit(model, time_step):
    """The body falls on its foot: the leg's stop and the ground end the fall together."""
    robot = RobotModel.from_urdf(PISTON)
    sim = simulator(robot, model, time_step)
    sim.reset([0.4, 0.05])  # foot 0.3 m above the ground, leg half out
    run = sim.run(1.5)
    assert run.q[:, 1].min() >= -1e-9
    assert run.q[:, 1].max() <= 0.1 + 1e-9
    assert run.gaps.min() >= -1e-9
    assert np.diff(run.works[:, 5], prepend=0.0).max() <= 1e-9
    assert np.diff(run.works[:, 2:4].sum(axis=1), prepend=0.0).max() <= 1e-9
    assert np.abs(run.v[-1]).max() < 1e-9
    assert run.q[-1] == pytest.approx([0.05, 0.0], abs=1e-9)
    assert run.forces[-1, 0, 2] == pytest.approx(5.0 * GRAVITY, rel=1e-9)
    assert np.abs(run.remainder).max() < 1e-9 * 20.0


@cases
@pytest.mark.parametrize("links", [1, 2])
def test_friction_larger_than_gravity_holds_exactly(model, time_step, links):
    torque = GRAVITY * 0.5 * links**2  # rods stretched out
    robot = robot_named(pendulum_xml(links=links, friction=1.01 * torque))
    sim = simulator(robot, model, time_step)
    sim.reset(np.zeros(links))
    run = sim.run(2.0)
    assert (run.v == 0.0).all()
    assert (run.q == 0.0).all()
    assert run.works[-1].max() == 0.0
    assert run.solver[-1, 2] == 0


@cases
def test_friction_smaller_than_gravity_lets_go(model, time_step):
    torque = GRAVITY * 0.5
    sim = simulator(pendulum_xml(friction=0.9 * torque), model, time_step)
    sim.reset([0.0])
    sim.step()
    inertia = 1.0 / 3.0
    assert sim.state.v[0] == pytest.approx(0.1 * torque / inertia * time_step, rel=1e-3)


@cases
@pytest.mark.parametrize("direction", [-1.0, 1.0])
def test_dry_friction_stops_a_wheel_in_closed_form(model, time_step, direction):
    """J dw/dt = -F: it stops at w J / F, after w^2 J / (2 F), and stays."""
    inertia, friction, rate = 0.5, 0.7, 2.0
    sim = simulator(wheel_xml(friction=friction, inertia=inertia), model, time_step)
    sim.reset([0.0], [rate * direction])
    run = sim.run(2.0)
    stop = rate * inertia / friction
    moving = run.time < stop - time_step
    expected = direction * (rate - friction / inertia * run.time)
    assert np.abs(run.v[moving, 0] - expected[moving]).max() < 1e-9
    assert (run.v[run.time > stop + time_step] == 0.0).all()
    assert run.q[-1, 0] == pytest.approx(direction * rate**2 * inertia / (2.0 * friction), rel=5e-4)
    assert run.works[-1, 1] == pytest.approx(-0.5 * inertia * rate**2, rel=1e-9)
    assert np.abs(run.remainder).max() < 1e-9


@cases
def test_damping_and_dry_friction_stop_a_wheel_in_closed_form(model, time_step):
    inertia, friction, damping, rate = 0.5, 0.7, 0.4, 2.0
    sim = simulator(wheel_xml(friction=friction, damping=damping, inertia=inertia), model, time_step)
    sim.reset([0.0], [rate])
    run = sim.run(0.5)
    steady = friction / damping
    expected = (rate + steady) * np.exp(-damping / inertia * run.time) - steady
    assert np.abs(run.v[:, 0] - expected).max() < 1e-6
    assert np.abs(run.remainder).max() < 1e-9


@cases
def test_a_drive_below_the_friction_moves_nothing(model, time_step):
    robot = robot_named(wheel_xml(friction=0.7))
    sim = simulator(robot, model, time_step)
    for _ in range(20):
        sim.step([0.69])
    assert sim.state.v[0] == 0.0
    assert sim.state.q[0] == 0.0
    for _ in range(20):
        sim.step([-0.9])
    assert sim.state.v[0] == pytest.approx(-0.2 / 0.5 * 20 * time_step, rel=1e-9)


@cases
def test_efforts_stay_within_the_drive(model, time_step):
    sim = simulator(wheel_xml(effort=3.0), model, time_step)
    sim.step([50.0])
    assert sim.effort == pytest.approx([3.0])
    assert sim.state.v[0] == pytest.approx(3.0 / 0.5 * time_step, rel=1e-9)
    sim.step([-50.0])
    assert sim.effort == pytest.approx([-3.0])
    assert sim.state.v[0] == pytest.approx(0.0, abs=1e-12)


@cases
def test_a_drive_does_not_go_beyond_its_top_speed(model, time_step):
    sim = simulator(wheel_xml(effort=3.0, velocity=1.5), model, time_step)
    for _ in range(round(1.0 / time_step)):
        sim.step([3.0])
    assert sim.state.v[0] <= 1.5 + 3.0 / 0.5 * time_step + 1e-12
    assert sim.state.v[0] > 1.49
    sim.reset([0.0], [4.0])  # faster than the drive goes: it may brake, not push
    sim.step([3.0])
    assert sim.effort == pytest.approx([0.0])
    assert sim.state.v[0] == pytest.approx(4.0)
    sim.step([-3.0])
    assert sim.effort == pytest.approx([-3.0])
    assert sim.state.v[0] < 4.0


@cases
def test_one_joint_on_the_ground_is_no_trouble(model, time_step):
    """A rod on one hinge falls on its tip: the contact's three rows depend on one joint only."""
    robot = RobotModel.from_urdf(
        pendulum_xml(), contact_points={"tip": {"link": "rod_0", "offset": [1.0, 0.0, 0.0], "radius": 0.0}}
    )
    sim = simulator(robot, model, time_step, terrain={"kind": "plane", "height": -0.5}, friction=0.6)
    sim.reset([0.0])
    run = sim.run(1.5)
    assert np.isfinite(run.q).all()
    assert np.sin(run.q[-1, 0]) == pytest.approx(0.5, abs=1e-6)
    assert np.abs(run.v[-1]).max() < 1e-6
    assert run.gaps.min() > -1e-6
    assert run.solver[-1, 2] <= 1


# A lever of 2 kg and 1 m, level, on a joint 0.05 m above the ground whose dry friction holds more than its weight.
LEVER = """<robot name="lever"><link name="world"/>
<link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="1 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="pivot" type="continuous"><parent link="world"/><child link="bar"/><origin xyz="0 0 {height}"/>
<axis xyz="0 1 0"/><dynamics friction="15"/></joint></robot>"""


@cases
@pytest.mark.parametrize("turn", [0.0, 30.0])  # N m, downward
def test_a_tip_whose_joint_is_held_touches_the_ground(model, time_step, turn):
    """While the joint holds, nothing can move the tip; pushed down, joint and ground share what one cannot bear."""
    robot = RobotModel.from_urdf(LEVER.format(height=0.05), base="fixed")
    sim = simulator(robot, model, time_step)
    sim.push("bar", force=[0.0, 0.0, 0.0], torque=[0.0, turn, 0.0], duration=1.0)
    run = sim.run(0.5)
    assert np.abs(run.q).max() < 1e-6
    assert np.abs(run.v[-1]).max() < 1e-6
    moment = 0.5 * 2.0 * GRAVITY + turn  # N m, about the joint
    held_up = sim.contacts.force[0] @ [0.05, 0.0, 1.0]  # N m; the ground is 0.05 m below the joint
    assert max(moment - 15.0, 0.0) - 1e-6 <= held_up <= moment + 15.0
    assert run.solver[-1, 2] == 0


@cases
def test_a_held_tip_inside_the_ground_comes_out(model, time_step):
    robot = RobotModel.from_urdf(LEVER.format(height=0.04), base="fixed")
    sim = simulator(robot, model, time_step)
    sim.run(0.5)
    assert sim.contacts.gap[0] > -1e-6


@cases
@pytest.mark.parametrize("turned", ["0 0 0", "0.3 0.7 0.2"])  # rounding gives the point a trace of mobility
def test_a_point_on_the_axis_of_its_joint_pushes_with_a_bounded_force(model, time_step, turned):
    """A disc that turns about an upright axis, 1 mm in the ground: nothing can bring it out."""
    disc = f"""<robot name="disc"><link name="world"/>
<link name="disc"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="axle" type="continuous"><parent link="world"/><child link="disc"/><origin xyz="0 0 0.049" rpy="{turned}"/>
<axis xyz="{" ".join(str(x) for x in upright_in(turned))}"/></joint></robot>"""
    sim = simulator(RobotModel.from_urdf(disc, base="fixed"), model, time_step)
    sim.reset([0.0], [1.0])
    assert np.abs(sim.run(0.2).q).max() < 0.5
    assert np.linalg.norm(sim.contacts.force[0]) < 1e6


def upright_in(rpy):
    """Return the world's z axis in a frame that is turned by roll, pitch and yaw, rad."""
    roll, pitch, _ = (float(angle) for angle in rpy.split())
    return -np.sin(pitch), np.cos(pitch) * np.sin(roll), np.cos(pitch) * np.cos(roll)
