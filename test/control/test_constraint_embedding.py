"""Constraint embedding and efforts for tasks, against the full equations with multipliers and another solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from legged_contact_sim.control.constraint_embedding import (
    Task,
    bounded,
    consistent,
    product,
    reactions,
    reduce,
    square,
    stacked,
)

SIZE, MOTORS = 6, 3
seeds = st.integers(0, 10_000)


def problem(seed, rows):
    """Return A, bias, G, J, curvature of random equations of motion with sticking contacts."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(SIZE, SIZE))
    A = root @ root.T + 0.5 * np.eye(SIZE)
    G = np.eye(SIZE)[SIZE - MOTORS :]
    return A, rng.normal(size=SIZE), G, rng.normal(size=(rows, SIZE)), rng.normal(size=rows), rng


def with_multipliers(A, bias, G, J, curvature, effort):
    """Return acceleration and contact forces from the full equations."""
    rows = len(J)
    full = np.block([[A, -J.T], [J, np.zeros((rows, rows))]])
    solution = np.linalg.solve(full, np.concatenate([G.T @ effort - bias, -curvature]))
    return solution[:SIZE], solution[SIZE:]


@settings(deadline=None, max_examples=40)
@given(seed=seeds, rows=st.integers(0, 3))
def test_reduced_equations_give_the_motion_and_forces_of_the_full_ones(seed, rows):
    A, bias, G, J, curvature, rng = problem(seed, rows)
    effort = rng.normal(size=MOTORS)
    system = reduce(A, bias, G, J, curvature)
    assert np.abs(J @ system.K).max(initial=0.0) < 1e-9
    acceleration = system.K @ np.linalg.solve(system.M, system.B @ effort - system.h) + system.k
    expected, forces = with_multipliers(A, bias, G, J, curvature, effort)
    assert acceleration == pytest.approx(expected, abs=1e-6, rel=1e-6)
    if rows:
        f0, S = reactions(system)
        assert f0 + S @ effort == pytest.approx(forces, abs=1e-6, rel=1e-6)


def reached(system, task, effort):
    acceleration = system.K @ np.linalg.solve(system.M, system.B @ effort - system.h) + system.k
    return task.J @ acceleration + task.bias


@settings(deadline=None, max_examples=40)
@given(seed=seeds, contacts=st.sampled_from([2, 3]))
def test_every_kind_of_jacobian_reaches_its_task(seed, contacts):
    A, bias, G, J, curvature, rng = problem(seed, contacts)
    system = reduce(A, bias, G, J, curvature)
    tasks = [Task(rng.normal(size=(k, SIZE)), rng.normal(size=k), rng.normal(size=k)) for k in (2, 1)]
    three = stacked(*tasks)
    efforts = [(three, product(system, three)), (tasks[0], consistent(system, tasks[0], rng.normal(size=MOTORS)))]
    if contacts == 3:  # as many independent speeds as motors
        efforts.append((three, square(system, three)))
    for task, effort in efforts:
        assert reached(system, task, effort) == pytest.approx(task.acceleration, abs=1e-5, rel=1e-5)


@settings(deadline=None, max_examples=30)
@given(seed=seeds)
def test_the_consistent_inverse_is_khatib_s_where_every_speed_has_a_motor(seed):
    A, bias, G, J, curvature, rng = problem(seed, 3)
    system = reduce(A, bias, G, J, curvature)
    task, rest = Task(rng.normal(size=(2, SIZE)), rng.normal(size=2), rng.normal(size=2)), rng.normal(size=MOTORS)
    Jr = task.J @ system.K
    inertia = np.linalg.inv(Jr @ np.linalg.solve(system.M, Jr.T))
    Jbar = np.linalg.solve(system.M, Jr.T) @ inertia
    force = inertia @ (task.acceleration - task.bias - task.J @ system.k) + Jbar.T @ system.h
    khatib = np.linalg.solve(system.B, Jr.T @ force + (np.eye(3) - Jr.T @ Jbar.T) @ (system.B @ rest))
    assert consistent(system, task, rest) == pytest.approx(khatib, abs=1e-5, rel=1e-5)


@settings(deadline=None, max_examples=30)
@given(seed=seeds)
def test_bounded_efforts_are_the_nearest_that_keep_all_conditions(seed):
    rng = np.random.default_rng(seed)
    wanted, metric, limit = 3.0 * rng.normal(size=3), rng.normal(size=(4, 3)), np.full(3, rng.uniform(0.5, 3.0))
    rows, bounds = rng.normal(size=(4, 3)), rng.uniform(0.1, 1.0, size=4)
    found = bounded(wanted, metric, limit, rows, bounds)
    assert (np.abs(found) <= limit + 1e-12).all()
    assert (rows @ found <= bounds + 1e-7).all()
    other = minimize(
        lambda u: 0.5 * np.sum((metric @ (u - wanted)) ** 2),
        np.zeros(3),
        jac=lambda u: metric.T @ metric @ (u - wanted),
        bounds=[(-limit[0], limit[0])] * 3,
        constraints={"type": "ineq", "fun": lambda u: bounds - rows @ u, "jac": lambda u: -rows},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    ).x
    assert np.linalg.norm(metric @ (found - wanted)) <= np.linalg.norm(metric @ (other - wanted)) + 1e-5


def test_limits_outlive_conditions_that_cannot_be_kept():
    found = bounded(np.array([5.0]), np.eye(1), np.array([1.0]), np.array([[-1.0]]), np.array([-2.0]))
    assert found == pytest.approx([1.0])
