"""The dynamics against Pinocchio: packaged robots and random trees, at random states."""

import numpy as np
import pytest
from dynamics_oracle import Oracle, assert_close, chain, random_robots, random_state, robot_named
from hypothesis import given, settings
from hypothesis import strategies as st

import legged_contact_sim.dynamics as dyn
from legged_contact_sim import robots
from legged_contact_sim.model.records import FREE

seeds = st.integers(0, 2**32 - 1)


def forces_on(oracle, random):
    """Return external forces on the bodies that Pinocchio knows too."""
    return random.normal(scale=5.0, size=(len(oracle.known), 6)) * np.array(oracle.known)[:, None]


def check_forward_dynamics(robot, oracle, seed):
    q, v, _, random = random_state(robot, seed)
    effort, forces = random.normal(scale=10.0, size=robot.nv), forces_on(oracle, random)
    # Both solve with the mass matrix, so both lose its condition number.
    tolerance = max(1e-10, 1e-14 * np.linalg.cond(oracle.mass_matrix(q)))
    for pushed in (None, forces):
        expected = oracle.forward_dynamics(q, v, effort, pushed)
        assert_close(dyn.forward_dynamics(robot, q, v, effort, pushed), expected, tolerance)
    joints_only = np.zeros(robot.nv)
    joints_only[robot.velocity_indices] = effort[robot.velocity_indices]
    found = dyn.forward_dynamics(robot, q, v, effort[robot.velocity_indices])
    assert_close(found, oracle.forward_dynamics(q, v, joints_only), tolerance)


def check_inverse_dynamics(robot, oracle, seed):
    q, v, acceleration, random = random_state(robot, seed)
    for pushed in (None, forces_on(oracle, random)):
        expected = oracle.inverse_dynamics(q, v, acceleration, pushed)
        assert_close(dyn.inverse_dynamics(robot, q, v, acceleration, pushed), expected)


def check_mass_matrix(robot, oracle, seed):
    q, *_ = random_state(robot, seed)
    assert_close(dyn.mass_matrix(robot, q), oracle.mass_matrix(q))


def check_points(robot, oracle, seed):
    q, v, _, random = random_state(robot, seed)
    for name, frame in robot.frames.items():
        if frame.link < 0 or not oracle.model.existFrame(name):
            continue
        point = random.normal(size=3)
        jacobian = oracle.link_jacobian(q, name, point)
        assert_close(dyn.link_jacobian(robot, q, name, point), jacobian)
        assert_close(dyn.point_jacobian(robot, q, name, point), jacobian[:3])
        bias = oracle.point_bias_acceleration(q, v, name, point)
        assert_close(dyn.point_bias_acceleration(robot, q, v, name, point), bias, scale=1.0)


def check_poses(robot, oracle, seed):
    q, *_ = random_state(robot, seed)
    rotations, positions, known = oracle.poses(q)
    found = dyn.forward_kinematics(robot, q)
    assert_close(found.rotation[known], rotations, 1e-13)
    assert_close(found.position[known], positions, 1e-13, scale=1.0)


def check_totals(robot, oracle, seed):
    q, v, *_ = random_state(robot, seed)
    assert_close(dyn.center_of_mass(robot, q), oracle.center_of_mass(q))
    assert_close(dyn.centroidal_momentum(robot, q, v), oracle.centroidal_momentum(q, v))
    assert_close(dyn.kinetic_energy(robot, q, v), oracle.kinetic_energy(q, v))
    assert_close(dyn.potential_energy(robot, q), oracle.potential_energy(q), scale=1.0)


CHECKS = [check_forward_dynamics, check_inverse_dynamics, check_mass_matrix, check_points, check_poses, check_totals]
checks = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))


@checks
@pytest.mark.parametrize("name", robots())
def test_packaged_robots_agree_with_pinocchio(name, check):
    robot = robot_named(name)
    oracle = Oracle(robot)
    for seed in range(4):
        check(robot, oracle, seed)


@checks
@settings(max_examples=60, deadline=None)
@given(robot=random_robots(), seed=seeds)
def test_random_trees_agree_with_pinocchio(check, robot, seed):
    check(robot, Oracle(robot), seed)


@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_all_kinds_of_joint_in_one_chain_agree_with_pinocchio(base):
    robot = chain(["revolute", "planar", "prismatic", "floating", "continuous", "fixed", "prismatic"], base)
    assert np.count_nonzero(robot.links["joint_kind"] == FREE) == (2 if base == "floating" else 1)
    oracle = Oracle(robot)
    for check in CHECKS:
        for seed in range(4):
            check(robot, oracle, seed)


@pytest.mark.parametrize("angle", [0.7, 2e4, -5e4, 9e5])
def test_a_wheel_that_has_turned_far_stands_where_it_should(angle):
    robot = robot_named("double_pendulum")
    rotation, position = dyn.forward_kinematics(robot, [angle, 0.0])
    c, s = np.cos(angle), np.sin(angle)
    assert_close(rotation[1], [[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]], 1e-15)
    assert_close(position[1], [c, 0.0, 1.5 + s], 1e-15)
