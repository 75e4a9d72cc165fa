"""Dynamic capability: against a linear program and forward dynamics; the optimised jump; stance over capability."""

import numpy as np
import pytest
from control_cases import robot_named
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import spearmanr

from legged_contact_sim import ModelError, ParameterError, Simulator
from legged_contact_sim.control import InProcess, make_controller
from legged_contact_sim.control.capability import JumpingLeg
from legged_contact_sim.dynamics import forward_dynamics, point_bias_acceleration, point_jacobian

ROBOT = robot_named("jumping_leg")
LEG = JumpingLeg(ROBOT)
DIRECTION = np.array([-1.0, 0.0, 1.0]) / np.sqrt(2.0)
GUESS = LEG.standing(np.zeros(3), np.array([0.0, 0.09, -0.61]))
REST = np.array([0.0, 5.0 * np.pi / 36.0, -np.pi / 4.0])  # of the springs, 5 N m/rad
small = st.floats(-0.4, 0.4)


def jump(q, duration, time_step=1e-4):
    sim = Simulator(ROBOT, time_step=time_step, friction=0.5)
    sim.reset(q)
    return sim.run(duration, InProcess(make_controller("capability_jump", ROBOT), sim, time_step))


@settings(deadline=None, max_examples=20)
@given(roll=small, pitch=small, coxa=small, femur=small, effort=st.tuples(small, small, small), seed=st.integers(0, 99))
def test_body_and_ground_answer_the_motors_as_forward_dynamics_says(roll, pitch, coxa, femur, effort, seed):
    q = LEG.standing(np.array([roll, pitch, 0.0]), np.array([coxa, femur, -0.9]))
    link, tip = LEG.leg.link, LEG.tip
    J = point_jacobian(ROBOT, q, link, tip)
    v = np.random.default_rng(seed).normal(size=9)
    v -= np.linalg.pinv(J) @ (J @ v)
    push = LEG.push(q, v)
    force = push.f + push.S @ np.array(effort)
    full = J.T @ force
    full[6:] += effort - 5.0 * (q[7:] - REST)
    found = forward_dynamics(ROBOT, q, v, full)
    assert J @ found + point_bias_acceleration(ROBOT, q, v, link, tip) == pytest.approx(np.zeros(3), abs=1e-5)
    body = point_jacobian(ROBOT, q, 0) @ found + point_bias_acceleration(ROBOT, q, v, 0)
    assert body == pytest.approx(push.P @ np.array(effort) + push.c, abs=1e-5)


@settings(deadline=None, max_examples=20)
@given(femur=st.floats(0.0, 0.8), tibia=st.floats(-1.2, -0.5))
def test_the_capability_is_the_optimum_of_a_linear_program(femur, tibia):
    q = LEG.standing(np.zeros(3), np.array([0.0, femur, tibia]))
    push, value = LEG.push(q, np.zeros(9)), LEG.capability(q, DIRECTION)
    equal = np.hstack([push.P, -DIRECTION[:, None]])
    bounds = [(-2.5, 2.5)] * 3 + [(None, None)]
    best = linprog([0.0, 0.0, 0.0, -1.0], A_eq=equal, b_eq=-push.c, bounds=bounds)
    if value > 0.0:
        assert value == pytest.approx(best.x[3], rel=1e-6)


def test_the_optimised_configuration_jumps_ten_times_higher_than_the_guess():
    best = LEG.optimise(DIRECTION, friction=0.5, starts=3)
    assert best.capability > 2.0 * LEG.capability(GUESS, DIRECTION)
    first, last = jump(GUESS, 0.3), jump(best.q, 0.3)
    rises = [run.q[:, 2].max() - q[2] for run, q in ((first, GUESS), (last, best.q))]
    assert rises[1] > 10.0 * rises[0] > 0.0
    assert max(np.abs(first.effort).max(), np.abs(last.effort).max()) <= 2.5


def test_stance_time_grows_with_capability():
    rng, values, stances = np.random.default_rng(0), [], []
    while len(values) < 200:
        q = LEG.standing(np.zeros(3), np.array([0.0, rng.uniform(-0.3, 0.95), rng.uniform(-1.3, -0.25)]))
        value = LEG.capability(q, DIRECTION)
        if value > 0.0:
            run = jump(q, 0.012, 2e-4)
            touching = run.forces[:, 0, 2] > 0.0
            values.append(value)
            stances.append(len(touching) if touching.all() else int(np.argmin(touching)))
    assert spearmanr(values, stances).statistic > 0.5


def test_motors_rest_in_flight():
    high = GUESS.copy()
    high[2] += 0.1
    run = jump(high, 0.02)
    assert (run.effort[1:] == 0.0).all()


def test_other_robots_and_no_direction_are_refused():
    with pytest.raises(ModelError, match="one leg"):
        make_controller("capability_jump", robot_named("quadruped12"))
    with pytest.raises(ParameterError, match="direction"):
        make_controller("capability_jump", ROBOT, {"direction": [0.0, 0.0, 0.0]})
