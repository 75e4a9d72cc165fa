"""Standing balance: pushes from eight directions, symmetry, weight."""

import numpy as np
import pytest
from control_cases import GRAVITY, robot_named, simulate, tilt

from legged_contact_sim import ParameterError, Simulator
from legged_contact_sim.control import BaseState, InProcess, Observation, make_controller


@pytest.mark.parametrize("eighth", range(8))
def test_quadruped12_takes_60_n_for_half_a_second_from_any_side(eighth):
    robot = robot_named("quadruped12")
    sim = Simulator(robot, time_step=1e-3)
    law = InProcess(make_controller("balance", robot), sim)
    angle = eighth * np.pi / 4.0
    sim.push("base_link", [60.0 * np.cos(angle), 60.0 * np.sin(angle), 0.0], duration=0.5)
    run = sim.run(1.1, law, 5)
    assert tilt(run.q).max() < 0.02
    assert np.linalg.norm(run.q[:, :2], axis=1).max() < 0.03  # 60 N / (25 kg 150 / s^2) = 16 mm and a little
    assert np.linalg.norm(run.q[-1, :2]) < 2e-3
    assert np.abs(run.effort).max() <= 30.0


@pytest.mark.parametrize("name", ["quadruped12", "quadruped16"])
def test_it_stands_still_on_its_weight_and_at_another_height(name):
    robot = robot_named(name)
    sim = Simulator(robot, time_step=1e-3)
    run = simulate(sim, make_controller("balance", robot, {"height": -0.05}), 1.5)
    assert run.q[-1, 2] == pytest.approx(robot.home[2] - 0.05, abs=5e-3)
    assert run.forces[-1].sum(axis=0) == pytest.approx([0.0, 0.0, robot.total_mass * GRAVITY], abs=0.02 * 9.81 * 25)
    assert np.abs(run.v[-1]).max() < 0.02


def test_without_odometry_it_says_what_is_missing():
    robot = robot_named("quadruped12")
    blind = Observation(0.0, robot.home[robot.position_indices], np.zeros(12))
    with pytest.raises(ParameterError, match="odometry"):
        make_controller("balance", robot).reset(blind)


def test_fallen_over_it_goes_limp_until_a_reset():
    robot = robot_named("quadruped12")
    controller, rest = make_controller("balance", robot), np.zeros(3)

    def seen(time, lean):
        base = BaseState(robot.home[:3], np.array([0.0, np.sin(lean / 2.0), 0.0, np.cos(lean / 2.0)]), rest, rest)
        return Observation(time, robot.home[robot.position_indices], np.zeros(robot.joint_count), base)

    controller.reset(seen(0.0, 0.0))
    assert controller.effort(seen(0.002, 0.3)).any()
    assert not controller.effort(seen(0.004, 1.0)).any()
    assert controller.fallen
    assert not controller.effort(seen(0.006, 0.0)).any()
    controller.reset(seen(0.008, 0.0))
    assert controller.effort(seen(0.008, 0.0)).any()
