"""Joint PID: the law in closed form, trajectories, limits, and a robot that stands on it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legged_contact_sim import ParameterError, RobotModel, Simulator
from legged_contact_sim.control import InProcess, JointTrajectory, Observation, controllers, make_controller

ROBOT = RobotModel.from_urdf("quadruped12")
HOME = ROBOT.home[ROBOT.position_indices]
unit = st.floats(-1.0, 1.0)


def seen(time, positions=HOME, velocities=None):
    return Observation(time, positions, np.zeros(12) if velocities is None else velocities)


def pid(**parameters):
    controller = make_controller("joint_pid", ROBOT, parameters)
    controller.reset(seen(0.0))
    return controller


@settings(deadline=None)
@given(offset=unit, rate=unit)
def test_the_law_is_linear_within_the_limits(offset, rate):
    controller = pid(stiffness=[7.0], damping=[0.5])
    effort = controller.effort(seen(0.0, HOME + offset, np.full(12, rate)))
    assert effort == pytest.approx(np.full(12, -7.0 * offset - 0.5 * rate))


def test_a_leg_s_worth_of_gains_serves_every_leg():
    effort = pid(stiffness=[1.0, 2.0, 3.0], damping=[0.0]).effort(seen(0.0, HOME - 1.0))
    assert effort == pytest.approx(np.tile([1.0, 2.0, 3.0], 4))


def test_efforts_stay_within_the_urdf_s_limits_and_lower_ones():
    assert np.abs(pid(stiffness=1e6).effort(seen(0.0, HOME - 1.0))).max() == 30.0
    assert pid(stiffness=1e6, effort_limit=[5.0]).effort(seen(0.0, HOME - 1.0)) == pytest.approx(np.full(12, 5.0))


def test_the_integral_grows_with_the_error_up_to_its_clamp_and_comes_back_at_once():
    controller = pid(stiffness=0.0, damping=0.0, integral=10.0, integral_limit=2.0)
    efforts = [controller.effort(seen(0.01 * k, HOME - 0.5))[0] for k in range(1, 101)]
    assert efforts[9] == pytest.approx(10.0 * 0.5 * 0.1)
    assert max(efforts) == 2.0
    assert controller.effort(seen(1.01, HOME + 0.5))[0] == pytest.approx(2.0 - 10.0 * 0.5 * 0.01)


@settings(deadline=None, max_examples=30)
@given(part=st.floats(0.0, 1.0), begin=unit, end=unit, first=unit, last=unit)
def test_cubic_pieces_meet_positions_and_velocities(part, begin, end, first, last):
    names, times = ["rf_kfe"], [0.5, 1.5]
    trajectory = JointTrajectory.from_points(ROBOT, names, times, [[begin], [end]], [[first], [last]])
    index, step = ROBOT.joint_names.index("rf_kfe"), 1e-6
    assert trajectory.sample(0.5 + 1e-9)[0][index] == pytest.approx(begin, abs=1e-6)
    assert trajectory.sample(0.5 + 1e-9)[1][index] == pytest.approx(first, abs=1e-6)
    assert trajectory.sample(1.5 - 1e-9)[1][index] == pytest.approx(last, abs=1e-6)
    time = 0.5 + 0.9 * part + 0.05
    slope = (trajectory.sample(time + step)[0] - trajectory.sample(time - step)[0]) / (2.0 * step)
    assert trajectory.sample(time)[1] == pytest.approx(slope, abs=1e-6)
    assert np.delete(trajectory.sample(time)[0] - HOME, index) == pytest.approx(np.zeros(11))


def test_a_trajectory_begins_with_the_next_observation_and_ends_at_rest():
    controller = pid(stiffness=1.0, damping=0.0)
    controller.follow(JointTrajectory.from_points(ROBOT, ["lf_haa"], [0.0, 1.0], [[0.0], [0.4]]))
    assert controller.effort(seen(7.0))[0] == pytest.approx(0.0)
    assert controller.effort(seen(7.5))[0] == pytest.approx(0.2)
    assert controller.effort(seen(9.0))[0] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("parameters", "culprit"),
    [
        ({"stifness": 1.0}, "stifness"),
        ({"stiffness": [1.0] * 5}, "stiffness"),
        ({"stiffness": [-1.0]}, "stiffness"),
        ({"stiffness": "high"}, "stiffness"),
        ({"damping": [float("nan")]}, "damping"),
        ({"target": [0.0] * 3}, "target"),
    ],
)
def test_bad_parameters_are_refused_by_name(parameters, culprit):
    with pytest.raises(ParameterError, match=culprit):
        make_controller("joint_pid", ROBOT, parameters)


def test_unknown_controllers_and_bad_trajectories_are_refused():
    assert "joint_pid" in controllers()
    with pytest.raises(ParameterError, match="joint_pd"):
        make_controller("joint_pd", ROBOT)
    with pytest.raises(ParameterError, match="knee"):
        JointTrajectory.from_points(ROBOT, ["knee"], [0.0], [[0.0]])
    with pytest.raises(ParameterError, match="times"):
        JointTrajectory.from_points(ROBOT, ["lf_haa"], [1.0, 0.5], [[0.0], [0.0]])
    with pytest.raises(ParameterError, match="every joint once"):
        JointTrajectory.from_points(ROBOT, ["lf_haa", "lf_haa"], [1.0], [[0.0, 0.0]])


def test_a_dropped_quadruped_lands_and_stands_on_its_weight_at_500_hz():
    sim = Simulator(ROBOT, time_step=1e-3)
    q = sim.home()
    q[2] += 0.1
    sim.reset(q)
    run = sim.run(2.0, InProcess(make_controller("joint_pid", ROBOT, {"stiffness": 150.0, "damping": 4.0}), sim))
    assert np.abs(run.v[-100:]).max() < 1e-2
    assert run.forces[-100:].sum(axis=1)[:, 2].mean() == pytest.approx(ROBOT.total_mass * 9.81, rel=0.01)
    assert run.q[-1, 2] > 0.35
