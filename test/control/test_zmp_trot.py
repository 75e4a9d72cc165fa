"""The trot in simulation: upright, at the commanded velocity, diagonal pairs in turn, on every contact model."""

import numpy as np
import pytest
from control_cases import STUDY_GROUND, STUDY_PID, distance_to_hull, foot_places, robot_named, tilt, trot, yaw

from legged_contact_sim import ModelError, ParameterError, RobotModel, Simulator
from legged_contact_sim.control import BaseState, InProcess, Observation, make_controller

ROBOTS = ("quadruped16", "quadruped12")
robots = pytest.mark.parametrize("name", ROBOTS)


def feet_columns(robot, controller):
    return [robot.contact_names.index(leg.name) for leg in controller.legs]


@pytest.fixture(scope="module", params=ROBOTS)
def walk(request):
    """A robot that trots for 4.5 s at 0.3 m/s with feedback, and the planned zero moment point at every sample."""
    robot = robot_named(request.param)
    sim = Simulator(robot, **STUDY_GROUND)
    controller = make_controller("zmp_trot", robot, {"velocity": [0.3, 0.0, 0.0], "start_delay": 0.1})
    law, planned = InProcess(controller, sim), []

    def drive(time, q, v):
        effort = law(time, q, v)
        planned.append(controller.reference.pendulum.zmp)
        return effort

    return sim.run(4.5, drive, sample_every=10), controller, np.array(planned)[9::10]


def test_it_trots_upright_at_the_commanded_velocity(walk):
    run, _, _ = walk
    late = run.time > 2.1
    speed = (run.q[-1, 0] - run.q[late][0, 0]) / (run.time[-1] - run.time[late][0])
    assert speed == pytest.approx(0.3, rel=0.1)
    assert tilt(run.q).max() < 0.1 and tilt(run.q[late]).max() < 0.02
    assert np.abs(run.q[:, 1]).max() < 0.05
    assert (np.abs(run.effort) <= run.robot.links["effort_limit"][run.robot.joint_links]).all()


def test_diagonal_pairs_carry_in_turn(walk):
    run, controller, _ = walk
    columns = feet_columns(run.robot, controller)
    first, second = controller.reference.pairs
    carried = run.forces[run.time > 1.0][:, columns, 2]
    one = (carried[:, first] > 0.0).all(axis=1) & (carried[:, second] == 0.0).all(axis=1)
    other = (carried[:, second] > 0.0).all(axis=1) & (carried[:, first] == 0.0).all(axis=1)
    assert one.mean() > 0.25 and other.mean() > 0.25
    turns = np.diff((1 * one + 2 * other)[one | other])
    assert np.count_nonzero(turns) >= 6


def test_the_simulated_zero_moment_point_is_in_the_support_and_near_the_planned_one(walk):
    run, controller, planned = walk
    columns = feet_columns(run.robot, controller)
    far = []
    for k in np.flatnonzero(run.time > 0.5)[::4]:
        force = run.forces[k, columns, 2]
        places = foot_places(run.robot, controller.legs, run.q[k])
        point = force @ places / force.sum()
        assert distance_to_hull(point, places[force > 0.0]) < 1e-6
        far.append(np.linalg.norm(point - planned[k]))
    assert np.median(far) < 0.05  # heavy legs that swing move it along the diagonal


def test_contact_creates_no_energy_and_the_audit_closes(walk):
    run, _, _ = walk
    assert np.diff(run.works[:, 2:4].sum(axis=1)).max() < 1e-3
    assert abs(run.remainder[-1]) < 1e-3 * run.start_energy


def test_the_study_s_trot_needs_joint_pid_only():
    run, _ = trot("quadruped16", 3.5, ground=STUDY_GROUND, period=5e-4, velocity=[0.09, 0.0, 0.0], **STUDY_PID)
    assert tilt(run.q).max() < 0.03
    assert run.q[-1, 0] == pytest.approx(0.09 * 2.9, abs=0.06)
    assert np.abs(run.q[:, 1]).max() < 0.03


@pytest.mark.parametrize("model", ["moreau", "compliant", "penalty", "distributed"])
def test_it_trots_on_every_contact_model(model):
    run, _ = trot("quadruped16", 2.5, model, velocity=[0.3, 0.0, 0.0], start_delay=0.1)
    assert tilt(run.q).max() < 0.25
    assert run.q[-1, 0] == pytest.approx(0.59, abs=0.08)


def test_it_turns_goes_sideways_and_stops_on_command():
    commands = [(0.0, (0.0, 0.1, 0.6)), (2.5, (0.0, 0.0, 0.0))]
    run, controller = trot("quadruped12", 5.5, time_step=1e-3, start_delay=0.0, commands=commands)
    assert yaw(run.q)[-1] == pytest.approx(controller.reference.path.yaw, abs=0.02)
    assert 1.2 < yaw(run.q)[-1] < 1.6
    assert controller.reference.standing
    assert np.abs(run.v[-1]).max() < 1e-2
    assert tilt(run.q).max() < 0.15


@robots
def test_a_push_while_trotting_is_caught(name):
    robot = robot_named(name)
    sim = Simulator(robot, time_step=1e-3)
    controller = make_controller("zmp_trot", robot, {"velocity": [0.2, 0.0, 0.0], "start_delay": 0.0})
    law = InProcess(controller, sim)
    sim.run(1.5, law, 10)
    sim.push(robot.link_names[0], [0.0, 0.15 * robot.total_mass * 9.81, 0.0], duration=0.2)
    run = sim.run(2.5, law, 10)
    assert tilt(run.q).max() < 0.3
    assert np.abs(run.v[-100:, 1]).mean() < 0.1


def test_fallen_over_it_goes_limp_until_a_reset():
    robot = robot_named("quadruped12")
    controller, rest = make_controller("zmp_trot", robot, {"velocity": [0.3, 0.0, 0.0]}), np.zeros(3)

    def seen(time, tilt):
        base = BaseState(robot.home[:3], np.array([np.sin(tilt / 2.0), 0.0, 0.0, np.cos(tilt / 2.0)]), rest, rest)
        return Observation(time, robot.home[robot.position_indices], np.zeros(robot.joint_count), base)

    controller.reset(seen(0.0, 0.0))
    assert controller.effort(seen(0.002, 0.0)).any()
    assert not controller.effort(seen(0.004, 1.0)).any()
    assert not controller.effort(seen(0.006, 0.0)).any()
    controller.reset(seen(0.008, 0.0))
    assert controller.effort(seen(0.008, 0.0)).any()


def test_robots_without_four_legs_or_joints_to_walk_with_and_bad_commands_are_refused():
    with pytest.raises(ModelError, match="four legs"):
        make_controller("zmp_trot", robot_named("jumping_leg"))
    text = robot_named("quadruped12").urdf.replace('axis xyz="0 1 0"', 'axis xyz="1 0 0"')
    with pytest.raises(ModelError, match="walks along x"):
        make_controller("zmp_trot", RobotModel.from_urdf(text))
    controller = make_controller("zmp_trot", robot_named("quadruped12"))
    with pytest.raises(ParameterError, match="velocity"):
        controller.command_velocity(float("nan"), 0.0, 0.0)
    controller.command_velocity(3.0, 0.0, 0.0)
    own = controller.parameters
    fastest = own.longest_step / (2.0 * (own.swing_time + own.double_support))
    assert controller.velocity == pytest.approx([fastest, 0.0, 0.0])
    controller.command_velocity(0.1, 0.0, -0.1)
    assert controller.velocity == pytest.approx([0.1, 0.0, -0.1])
    with pytest.raises(ParameterError, match="swing_time"):
        make_controller("zmp_trot", robot_named("quadruped12"), {"swing_time": -0.1})
