"""Integrators: order, tolerance, and motions whose formula is known."""

import math

import numpy as np
import pinocchio
import pytest
from dynamics_oracle import Oracle, assert_close, free_starts, robot_named, with_links
from scipy.integrate import solve_ivp

import legged_contact_sim.dynamics as dyn
from legged_contact_sim import RobotModel

ORDERS = {"semi_implicit_euler": 1, "midpoint": 2, "rk4": 4}
methods = pytest.mark.parametrize("method", dyn.INTEGRATORS)


def swinging(name):
    """Return a robot in lively motion."""
    robot = robot_named(name)
    random = np.random.default_rng(3)
    q, v = robot.home.copy(), random.uniform(-2.0, 2.0, robot.nv)
    q[robot.position_indices] += random.uniform(-0.5, 0.5, robot.joint_count)
    return robot, q, v


def with_effort(robot):
    return 0.1 * np.cos(np.arange(robot.joint_count))


@pytest.mark.parametrize("name", ["double_pendulum", "quadruped12"])
@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.parametrize("pushed", [False, True])
def test_error_shrinks_with_the_order_of_the_method(name, method, pushed):
    robot, q, v = swinging(name)
    # A push on the base also turns off what keeps momentum.
    forces = np.zeros((len(robot.links), 6)) if pushed else None
    if pushed:
        forces[0] = 3.0, -2.0, 1.0, 0.3, -0.2, 0.1

    def reached(*arguments, **options):
        given = {"effort": with_effort(robot), "external_forces": forces, **options}
        return np.concatenate(dyn.integrate(robot, q, v, 0.4, *arguments, **given))

    exact = reached(0.01, "dormand_prince", absolute_tolerance=1e-13, relative_tolerance=1e-13)
    steps = np.array([0.01, 0.005, 0.0025]) if method == "rk4" else np.array([4e-3, 2e-3, 1e-3])
    errors = [np.abs(reached(step, method) - exact).max() for step in steps]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders[-1] == pytest.approx(ORDERS[method], abs=0.25)
    assert errors[-1] < {1: 0.1, 2: 1e-3, 4: 1e-5}[ORDERS[method]]


@pytest.mark.parametrize("name", ["double_pendulum", "quadruped12"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
def test_dormand_prince_meets_its_tolerance(name, tolerance):
    robot, q, v = swinging(name)
    given = {"method": "dormand_prince", "effort": with_effort(robot)}
    tight = dyn.integrate(robot, q, v, 1.0, absolute_tolerance=1e-13, relative_tolerance=1e-13, **given)
    found = dyn.integrate(robot, q, v, 1.0, absolute_tolerance=tolerance, relative_tolerance=tolerance, **given)
    error = max(np.abs(f - t).max() for f, t in zip(found, tight, strict=True))
    assert 0.0 < error < 100.0 * tolerance  # per step it is below the tolerance; steps add up
    other_start = dyn.integrate(
        robot, q, v, 1.0, 0.3, absolute_tolerance=tolerance, relative_tolerance=tolerance, **given
    )
    assert max(np.abs(f - t).max() for f, t in zip(other_start, tight, strict=True)) < 100.0 * tolerance


@pytest.mark.parametrize("name", ["double_pendulum", "quadruped12", "bicycle"])
def test_dormand_prince_agrees_with_scipy_on_pinocchio(name):
    robot, q, v = swinging(name)
    oracle, effort = Oracle(robot), np.zeros(robot.nv)
    effort[robot.velocity_indices] = with_effort(robot)
    start = oracle.position(q)

    def slope(_, state):  # state: displacement from the start as Pinocchio integrates it, joint by joint, and rates
        position, rates = state[: robot.nq], state[robot.nq :]
        change = rates if robot.base == "fixed" else np.concatenate([velocity_of_base(position, rates), rates[6:]])
        return np.concatenate([change, oracle.forward_dynamics(position, rates, effort)])

    solution = solve_ivp(slope, (0.0, 0.5), np.concatenate([q, v]), method="DOP853", rtol=1e-11, atol=1e-11)
    found = dyn.integrate(robot, q, v, 0.5, method="dormand_prince", effort=effort)
    assert start.shape == (oracle.model.nq,)
    assert_close(np.concatenate(found), solution.y[:, -1], 1e-8)


def velocity_of_base(position, rates):
    """Return the rates of a floating base's seven coordinates, by Pinocchio's quaternion."""
    quaternion = pinocchio.Quaternion(position[3:7])
    spin = pinocchio.Quaternion(0.0, *rates[3:6])
    return np.concatenate([quaternion.toRotationMatrix() @ rates[:3], 0.5 * (quaternion * spin).coeffs()])


@pytest.mark.parametrize("method", ["midpoint", "rk4", "dormand_prince"])
def test_free_fall_is_exact(method):
    robot = robot_named("quadruped12")
    q, v = robot.home.copy(), np.zeros(robot.nv)
    v[:3] = 1.0, -2.0, 3.0
    reached, rates = dyn.integrate(robot, q, v, 2.0, 0.01, method)
    expected, expected_rates = q.copy(), v.copy()
    expected[:3] += 2.0 * v[:3] + 0.5 * robot.gravity * 2.0**2
    expected_rates[:3] += 2.0 * robot.gravity
    assert_close(reached, expected, 1e-13)
    assert_close(rates, expected_rates, 1e-13)


def test_a_lone_block_on_a_prismatic_joint_falls_exactly_by_midpoint():
    robot = with_links(robot_named("friction_block_ground"), stiffness=0.0)
    q, v = dyn.integrate(robot, [0.5, 3.0], [0.25, 1.0], 1.0, 0.05)
    assert_close(q, [0.75, 4.0 - 0.5 * 9.81], 1e-13)
    assert_close(v, [0.25, 1.0 - 9.81], 1e-13)


def test_semi_implicit_euler_moves_with_the_new_rates():
    robot = robot_named("friction_block_ground")
    h = 0.01
    q, v = dyn.integrate(robot, [0.0, 3.0], [0.0, 1.0], h, h, "semi_implicit_euler")
    assert v[1] == pytest.approx(1.0 - 9.81 * h, rel=1e-14)
    assert q[1] == pytest.approx(3.0 + h * v[1], rel=1e-14)


@pytest.mark.parametrize(("method", "tolerance"), [("midpoint", 2e-4), ("rk4", 1e-10), ("dormand_prince", 1e-8)])
def test_a_mass_on_a_spring_keeps_its_period(method, tolerance):
    robot = robot_named("friction_block")
    period = 2.0 * math.pi * math.sqrt(robot.total_mass / robot.links[0]["stiffness"])
    for turns in (0.25, 0.5, 1.0, 3.0):
        q, v = dyn.integrate(robot, [0.02], [0.0], turns * period, period / 4000.0, method)
        assert q[0] == pytest.approx(0.02 * math.cos(2.0 * math.pi * turns), abs=0.02 * tolerance)
        speed = 0.02 * 2.0 * math.pi / period
        assert v[0] == pytest.approx(-speed * math.sin(2.0 * math.pi * turns), abs=speed * tolerance)


@pytest.mark.parametrize("rotor", [0.0, 0.2])
def test_a_damped_mass_on_a_shifted_spring_under_a_held_effort(rotor):
    plain = robot_named("friction_block")
    robot = with_links(plain, damping=3.0, rest_position=0.01, rotor_inertia=rotor)
    mass, stiffness, push, time = plain.total_mass + rotor, plain.links[0]["stiffness"], 0.7, 0.3
    rest, decay = 0.01 + push / stiffness, 1.5 / mass
    rate = math.sqrt(stiffness / mass - decay**2)
    expected = rest - rest * math.exp(-decay * time) * (math.cos(rate * time) + decay / rate * math.sin(rate * time))
    q, _ = dyn.integrate(robot, [0.0], [0.0], time, 1e-4, "rk4", effort=[push])
    assert q[0] == pytest.approx(expected, rel=1e-9)


@methods
def test_quaternions_stay_of_unit_length(method):
    robot, q, v = swinging("quadruped12")
    v[3:6] = 10.0, -20.0, 15.0
    q, v = dyn.integrate(robot, q, v, 0.5, 1e-3, method)
    for start in free_starts(robot):
        assert np.linalg.norm(q[start + 3 : start + 7]) == pytest.approx(1.0, abs=1e-15)


def test_a_ball_spins_at_a_constant_rate():
    robot = RobotModel.from_urdf(
        '<robot name="ball"><link name="ball"><inertial><mass value="2"/>'
        '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        gravity=(0.0, 0.0, 0.0),
    )
    spin = np.array([1.0, -2.0, 2.0])
    for method in dyn.INTEGRATORS:
        q, v = dyn.integrate(robot, [0, 0, 0, 0, 0, 0, 1], [0, 0, 0, *spin], math.pi / 3.0, math.pi / 3e4, method)
        assert_close(q[3:], [*spin / 3.0, 0.0], 1e-7)  # half a turn
        assert_close(v[3:], spin, 1e-9)


@methods
def test_no_time_no_motion(method):
    robot, q, v = swinging("quadruped12")
    reached, rates = dyn.integrate(robot, q, v, 0.0, method=method)
    assert_close(reached, q, 1e-15)
    assert_close(rates, v, 1e-15)


@methods
def test_forces_of_no_size_are_no_forces(method):
    robot, q, v = swinging("quadruped12")
    found = dyn.integrate(robot, q, v, 0.05, 1e-3, method, external_forces=np.zeros((len(robot.links), 6)))
    for with_zeros, without in zip(found, dyn.integrate(robot, q, v, 0.05, 1e-3, method), strict=True):
        assert np.array_equal(with_zeros, without)


@pytest.mark.parametrize("method", ORDERS)
def test_two_halves_make_a_whole(method):
    robot, q, v = swinging("quadruped16")
    whole = dyn.integrate(robot, q, v, 0.02, 1e-3, method)
    halves = dyn.integrate(robot, *dyn.integrate(robot, q, v, 0.01, 1e-3, method), 0.01, 1e-3, method)
    assert_close(np.concatenate(halves), np.concatenate(whole), 1e-12)


def test_damped_robot_only_loses_energy():
    robot, q, v = swinging("quadruped16")
    assert robot.links["damping"].any()

    def energy(q, v):
        return dyn.kinetic_energy(robot, q, v) + dyn.potential_energy(robot, q) + dyn.spring_energy(robot, q)

    energies = [energy(q, v)]
    for _ in range(50):
        q, v = dyn.integrate(robot, q, v, 2e-3, 5e-4)
        energies.append(energy(q, v))
    assert (np.diff(energies) < 0.0).all()
