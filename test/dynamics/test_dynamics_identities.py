"""What must hold between the algorithms, whatever the robot: no oracle but mechanics."""

import numpy as np
import pytest
from dynamics_oracle import (
    assert_close,
    chain,
    random_position,
    random_robots,
    random_state,
    robot_named,
    with_links,
    with_points,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from random_urdf import ALL_KINDS
from scipy.spatial.transform import Rotation

import legged_contact_sim.dynamics as dyn
from legged_contact_sim import RobotModel, robots
from legged_contact_sim.dynamics.series import energies_of, poses_of

seeds = st.integers(0, 2**32 - 1)
examples = settings(max_examples=50, deadline=None)


def jacobian_of_points(robot, q):
    rows = [dyn.point_jacobian(robot, q, int(point["link"]), point["position"]) for point in robot.contact_points]
    return np.vstack([np.zeros((0, robot.nv)), *rows])


def check_contact_inertia(robot, q):
    """Compare with dense algebra on mass matrix and Jacobians, which share nothing with it but the kinematics."""
    mass, jacobian = dyn.mass_matrix(robot, q), jacobian_of_points(robot, q)
    response = np.linalg.solve(mass, jacobian.T)
    tolerance = max(1e-11, 1e-14 * np.linalg.cond(mass))
    inverse = dyn.inverse_contact_inertia(robot, q)
    assert_close(dyn.contact_response(robot, q), response, tolerance)
    assert_close(inverse, jacobian @ response, tolerance)
    assert np.array_equal(inverse, inverse.T)
    if inverse.size:
        eigenvalues = np.linalg.eigvalsh(inverse)
        assert eigenvalues[0] >= -tolerance * eigenvalues[-1]


@pytest.mark.parametrize("name", robots())
def test_contact_inertia_of_packaged_robots(name):
    robot = robot_named(name)
    for seed in range(3):
        check_contact_inertia(robot, random_position(robot, np.random.default_rng(seed)))


@examples
@given(robot=random_robots(), seed=seeds, count=st.integers(0, 5))
def test_contact_inertia_of_random_trees(robot, seed, count):
    random = np.random.default_rng(seed)
    check_contact_inertia(
        with_points(robot, random, random.integers(len(robot.links), size=count)), random_position(robot, random)
    )


@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_contact_inertia_across_free_joints(base):
    """A force on one side of a floating joint moves nothing on the other."""
    random = np.random.default_rng(0)
    robot = chain(["revolute", "floating", "prismatic", "floating", "revolute"], base)
    points = np.repeat(np.arange(len(robot.links)), 2)
    for _ in range(3):
        check_contact_inertia(with_points(robot, random, points), random_position(robot, random))


@examples
@given(robot=random_robots(kinds=("prismatic",), links=(2, 5)), seed=seeds)
def test_contact_inertia_of_prismatic_chains(robot, seed):
    random = np.random.default_rng(seed)
    check_contact_inertia(
        with_points(robot, random, random.integers(len(robot.links), size=3)), random_position(robot, random)
    )


def test_contact_inertia_of_chosen_points_is_a_part_of_the_whole():
    robot = robot_named("quadruped12")
    q = random_position(robot, np.random.default_rng(0))
    chosen = [7, 2, 12]
    rows = np.concatenate([np.arange(3 * k, 3 * k + 3) for k in chosen])
    names = [robot.contact_names[k] for k in chosen]
    whole = dyn.inverse_contact_inertia(robot, q)
    assert_close(dyn.inverse_contact_inertia(robot, q, names), whole[np.ix_(rows, rows)], 1e-13)
    assert_close(dyn.contact_response(robot, q, names), dyn.contact_response(robot, q)[:, rows], 1e-13)


@examples
@given(robot=random_robots(), seed=seeds)
def test_inverse_dynamics_undoes_forward_dynamics(robot, seed):
    q, v, acceleration, random = random_state(robot, seed)
    forces = random.normal(scale=5.0, size=(len(robot.links), 6))
    effort = dyn.inverse_dynamics(robot, q, v, acceleration, forces)
    tolerance = max(1e-11, 1e-14 * np.linalg.cond(dyn.mass_matrix(robot, q)))
    cancelled = np.abs(dyn.forward_dynamics(robot, q, v, None, forces)).max()  # what the efforts take back
    assert_close(dyn.forward_dynamics(robot, q, v, effort, forces), acceleration, tolerance, max(1e-3, cancelled))


@examples
@given(robot=random_robots(), seed=seeds)
def test_inverse_dynamics_holds_the_mass_matrix_in_its_columns(robot, seed):
    q, v, _, _ = random_state(robot, seed)
    at_rest = dyn.inverse_dynamics(robot, q, v, np.zeros(robot.nv))
    columns = [dyn.inverse_dynamics(robot, q, v, unit) - at_rest for unit in np.eye(robot.nv)]
    mass = dyn.mass_matrix(robot, q)
    scale = max(np.abs(mass).max(), np.abs(at_rest).max())
    assert_close(np.transpose(columns), mass, 1e-12, scale)
    assert np.array_equal(mass, mass.T)
    assert np.linalg.eigvalsh(mass)[0] > 0.0
    assert_close(dyn.kinetic_energy(robot, q, v), 0.5 * v @ mass @ v, 1e-12)


@examples
@given(robot=random_robots(kinds=ALL_KINDS), seed=seeds)
def test_gravity_is_the_slope_of_the_potential_energy(robot, seed):
    q, v, _, _ = random_state(robot, seed)
    rest = np.zeros(robot.nv)
    power = dyn.inverse_dynamics(robot, q, rest, rest) @ v
    step = 1e-5
    ahead, behind = (dyn.integrate(moved(robot), q, s * v, step, step, "rk4")[0] for s in (1, -1))
    slope = (dyn.potential_energy(robot, ahead) - dyn.potential_energy(robot, behind)) / (2.0 * step)
    assert_close(slope, power, 1e-6, scale=10.0)


def moved(robot):
    """Return the robot without gravity; a short motion of it goes along its rates up to even powers of time."""
    from dataclasses import replace

    gravity = np.zeros(3)
    gravity.setflags(write=False)
    return replace(robot, gravity=gravity)


def world_acceleration(robot, q, v, effort, forces=None):
    """Return the acceleration with the base's linear part as the world sees it."""
    acceleration = dyn.forward_dynamics(robot, q, v, effort, forces)
    acceleration[:3] = Rotation.from_quat(q[3:7]).apply(acceleration[:3] + np.cross(v[3:6], v[:3]))
    return acceleration


FLOATING = ["quadruped12", "quadruped16", "jumping_leg"]


@pytest.mark.parametrize("name", FLOATING)
def test_forward_dynamics_is_the_same_far_away_and_in_a_fast_train(name):
    robot = robot_named(name)
    for seed in range(5):
        q, v, effort, random = random_state(robot, seed)
        forces = random.normal(size=(len(robot.links), 6))
        away, fast = q.copy(), v.copy()
        away[:3] += 1e3 * random.normal(size=3)
        fast[:3] += Rotation.from_quat(q[3:7]).inv().apply(100.0 * random.normal(size=3))
        expected = world_acceleration(robot, q, v, effort, forces)
        assert_close(world_acceleration(robot, away, fast, effort, forces), expected, 1e-11)


@pytest.mark.parametrize("name", ["bicycle", "biped_planar", "planar_leg"])
def test_planar_robots_are_the_same_far_away_and_in_a_fast_train(name):
    robot = robot_named(name)
    for seed in range(5):
        q, v, effort, random = random_state(robot, seed)
        away, fast = q.copy(), v.copy()
        away[:2] += 1e4 * random.normal(size=2)
        fast[:2] += 100.0 * random.normal(size=2)
        assert_close(dyn.mass_matrix(robot, away), dyn.mass_matrix(robot, q), 1e-12)
        expected = dyn.forward_dynamics(robot, q, v, effort)
        assert_close(dyn.forward_dynamics(robot, away, fast, effort), expected, 1e-11)


def test_a_robot_bolted_down_far_away_moves_as_it_does_at_the_origin():
    robot = chain(["prismatic", "revolute", "prismatic", "revolute"], "fixed")
    placement = robot.links["placement"].copy()
    placement[0] += 1e4
    away = with_links(robot, placement=placement)
    q, v, effort, _ = random_state(robot, 0)
    assert_close(dyn.mass_matrix(away, q), dyn.mass_matrix(robot, q), 1e-12)
    assert_close(dyn.forward_dynamics(away, q, v, effort), dyn.forward_dynamics(robot, q, v, effort), 1e-11)
    assert_close(dyn.center_of_mass(away, q), dyn.center_of_mass(robot, q) + 1e4, 1e-14)
    for total in (dyn.kinetic_energy, dyn.centroidal_momentum):
        assert_close(total(away, q, v), total(robot, q, v), 1e-11)


@pytest.mark.parametrize("name", FLOATING)
def test_forward_dynamics_is_the_same_in_a_room_turned_with_the_robot(name):
    for seed in range(3):
        turn = Rotation.random(random_state=seed)
        upright, robot = robot_named(name), RobotModel.from_urdf(name, gravity=turn.apply([0.0, 0.0, -9.81]))
        q, v, effort, _ = random_state(robot, seed)
        turned = q.copy()
        turned[:3], turned[3:7] = turn.apply(q[:3]), (turn * Rotation.from_quat(q[3:7])).as_quat()
        expected = dyn.forward_dynamics(upright, q, v, effort)
        assert_close(dyn.forward_dynamics(robot, turned, v, effort), expected, 1e-11)


@pytest.mark.parametrize("name", robots())
def test_acceleration_is_linear_in_efforts_and_forces(name):
    robot = robot_named(name)
    q, v, effort, random = random_state(robot, 0)
    forces = random.normal(size=(len(robot.links), 6))
    start = dyn.forward_dynamics(robot, q, v)
    by_effort = dyn.forward_dynamics(robot, q, v, effort) - start
    by_forces = dyn.forward_dynamics(robot, q, v, None, forces) - start
    both = dyn.forward_dynamics(robot, q, v, 2.0 * effort, -3.0 * forces)
    scale = np.abs(by_effort).max() + np.abs(by_forces).max() + np.abs(start).max()
    assert_close(both, start + 2.0 * by_effort - 3.0 * by_forces, 1e-11, scale)
    assert_close(by_effort, np.linalg.solve(dyn.mass_matrix(robot, q), effort), 1e-11, scale)


def test_a_quaternion_of_nearly_unit_length_counts_as_its_direction():
    robot = robot_named("quadruped12")
    q, v, effort, _ = random_state(robot, 0)
    longer = q.copy()
    longer[3:7] *= 1.3
    assert_close(dyn.forward_dynamics(robot, longer, v, effort), dyn.forward_dynamics(robot, q, v, effort), 1e-13)
    assert np.linalg.norm(longer[3:7]) == pytest.approx(1.3)  # and the caller's array is left alone


@pytest.mark.parametrize("name", robots())
def test_arguments_are_left_alone(name):
    robot = robot_named(name)
    q, v, effort, random = random_state(robot, 0)
    forces = random.normal(size=(len(robot.links), 6))
    before = [a.copy() for a in (q, v, effort, forces)]
    dyn.forward_dynamics(robot, q, v, effort, forces)
    dyn.inverse_dynamics(robot, q, v, effort, forces)
    dyn.integrate(robot, q, v, 1e-3, effort=1e-3 * effort, external_forces=1e-3 * forces)
    for now, then in zip((q, v, effort, forces), before, strict=True):
        assert np.array_equal(now, then)


@pytest.mark.parametrize("name", ["quadruped12", "planar_leg"])
def test_a_series_of_states_has_the_poses_and_energies_of_each(name):
    robot = robot_named(name)
    q, v = (np.array(rows) for rows in zip(*(random_state(robot, seed)[:2] for seed in range(4)), strict=True))
    rotation, position = poses_of(robot, q)
    for k in range(4):
        one = dyn.forward_kinematics(robot, q[k])
        assert_close(rotation[k], one.rotation, 1e-14)
        assert_close(position[k], one.position, 1e-14)
        expected = [dyn.kinetic_energy(robot, q[k], v[k]), dyn.potential_energy(robot, q[k])]
        assert_close(energies_of(robot, q, v)[k, :2], expected, 1e-14)
