"""The jumping quadruped: ballistic apex, limits, landing, and the word when it falls."""

import itertools

import numpy as np
import pytest
from control_cases import GRAVITY, STUDY_GROUND, robot_named, tilt

from legged_contact_sim import ParameterError, Simulator
from legged_contact_sim.control import BaseState, InProcess, Observation, make_controller
from legged_contact_sim.dynamics import center_of_mass


@pytest.fixture(scope="module")
def jump():
    robot = robot_named("quadruped16")
    sim = Simulator(robot, **STUDY_GROUND)
    controller = make_controller("quadruped_jump", robot, {"start_delay": 0.1, "crouch_time": 0.5})
    law, phases = InProcess(controller, sim), []

    def drive(time, q, v):
        effort = law(time, q, v)
        phases.append(controller.phase)
        return effort

    return sim.run(3.2, drive, sample_every=4), controller, phases[3::4]


def test_the_trunk_rises_to_two_metres_within_the_effort_limits(jump):
    run, controller, _ = jump
    assert run.q[:, 2].max() > 2.0
    assert controller.apex == pytest.approx(run.q[:, 2].max(), abs=0.01)
    assert (np.abs(run.effort) <= run.robot.links["effort_limit"][run.robot.joint_links]).all()


def test_phases_follow_one_another_and_end_upright(jump):
    run, controller, phases = jump
    order = [phases[0], *(b for a, b in itertools.pairwise(phases) if a != b)]
    assert order == ["stand", "crouch", "thrust", "flight", "landing", "landed"]
    assert controller.phase == "landed"
    assert tilt(run.q).max() < 0.1
    assert np.abs(run.v[-1]).max() < 0.05


def test_in_flight_the_centre_of_mass_falls_freely(jump):
    run, _, phases = jump
    flight = np.array(phases) == "flight"
    open_air = flight & (run.forces.sum(axis=(1, 2)) == 0.0)
    times, heights = run.time[open_air], [center_of_mass(run.robot, q)[2] for q in run.q[open_air]]
    assert times[-1] - times[0] > 0.9
    assert 2.0 * np.polyfit(times, heights, 2)[0] == pytest.approx(-GRAVITY, rel=1e-3)


def test_a_robot_that_tips_over_says_so_and_only_damps():
    robot = robot_named("quadruped16")
    sim = Simulator(robot, time_step=1e-3)
    q = sim.home()
    q[2], q[3:7] = 1.0, (np.sin(0.5), 0.0, 0.0, np.cos(0.5))
    sim.reset(q)
    controller = make_controller("quadruped_jump", robot)
    sim.run(0.01, InProcess(controller, sim))
    assert controller.phase == "fallen"


def test_without_contact_forces_it_says_what_is_missing():
    robot = robot_named("quadruped16")
    q = robot.home
    base = BaseState(q[:3], q[3:7], np.zeros(3), np.zeros(3))
    numb = Observation(0.0, q[robot.position_indices], np.zeros(16), base)
    controller = make_controller("quadruped_jump", robot)
    controller.reset(numb)
    with pytest.raises(ParameterError, match="lf_foot"):
        controller.effort(numb)
