"""A robot that tumbles freely keeps its energy and its momentum."""

import numpy as np
import pytest
from dynamics_oracle import with_links

import legged_contact_sim.dynamics as dyn
from legged_contact_sim import RobotModel

DURATION, TIME_STEP = 10.0, 5e-4
ENERGY_DRIFT = {"midpoint": 1e-6, "rk4": 1e-10}
WEIGHTLESS = RobotModel.from_urdf("quadruped12", gravity=(0.0, 0.0, 0.0))
FALLING = RobotModel.from_urdf("quadruped12")

methods = pytest.mark.parametrize("method", ENERGY_DRIFT)
seeds = pytest.mark.parametrize("seed", range(4))


def thrown(robot, seed):
    """Return the robot's home pose and random rates: base and joints at 1 to 2 rad/s."""
    random = np.random.default_rng(seed)
    v = random.uniform(1.0, 2.0, robot.nv) * random.choice([-1.0, 1.0], robot.nv)
    v[:3] = random.normal(scale=0.3, size=3)
    return robot.home, v


def energy(robot, q, v):
    return dyn.kinetic_energy(robot, q, v) + dyn.potential_energy(robot, q) + dyn.spring_energy(robot, q)


def relative_change(now, then):
    return np.linalg.norm(now - then) / np.linalg.norm(then)


@methods
@seeds
def test_energy_and_momentum_stay_without_gravity(method, seed):
    q, v = thrown(WEIGHTLESS, seed)
    start, momentum = dyn.kinetic_energy(WEIGHTLESS, q, v), dyn.centroidal_momentum(WEIGHTLESS, q, v)
    for _ in range(10):  # the worst drift, not only the last
        q, v = dyn.integrate(WEIGHTLESS, q, v, DURATION / 10, TIME_STEP, method)
        assert abs(dyn.kinetic_energy(WEIGHTLESS, q, v) - start) < ENERGY_DRIFT[method] * start
    now = dyn.centroidal_momentum(WEIGHTLESS, q, v)
    assert relative_change(now[:3], momentum[:3]) < 1e-12
    assert relative_change(now[3:], momentum[3:]) < 1e-8


@methods
@seeds
def test_energy_and_momentum_stay_in_free_fall(method, seed):
    start_q, start_v = thrown(FALLING, seed)
    q, v = dyn.integrate(FALLING, start_q, start_v, DURATION, TIME_STEP, method)
    change = energy(FALLING, q, v) - energy(FALLING, start_q, start_v)
    assert abs(change) < 1e-6 * dyn.kinetic_energy(FALLING, q, v)
    momentum, now = (dyn.centroidal_momentum(FALLING, *state) for state in ((start_q, start_v), (q, v)))
    expected = momentum[:3] + FALLING.total_mass * FALLING.gravity * DURATION
    assert relative_change(now[:3], expected) < 1e-12
    assert relative_change(now[3:], momentum[3:]) < 1e-8


@methods
def test_center_of_mass_falls_as_a_point_does(method):
    q, v = thrown(FALLING, 0)
    start, momentum = dyn.center_of_mass(FALLING, q), dyn.centroidal_momentum(FALLING, q, v)
    q, v = dyn.integrate(FALLING, q, v, 1.0, TIME_STEP, method)
    expected = start + momentum[:3] / FALLING.total_mass + 0.5 * FALLING.gravity
    assert np.abs(dyn.center_of_mass(FALLING, q) - expected).max() < {"midpoint": 1e-6, "rk4": 1e-12}[method]


@methods
def test_springs_and_rotors_keep_energy_and_momentum_too(method):
    robot = with_links(WEIGHTLESS, stiffness=2.0, rest_position=0.1, rotor_inertia=0.01)
    q, v = thrown(robot, 0)
    start, momentum = energy(robot, q, v), dyn.centroidal_momentum(robot, q, v)
    q, v = dyn.integrate(robot, q, v, 5.0, TIME_STEP, method)
    assert abs(energy(robot, q, v) - start) < {"midpoint": 1e-5, "rk4": 1e-9}[method] * start
    now = dyn.centroidal_momentum(robot, q, v)
    assert relative_change(now[:3], momentum[:3]) < 1e-12
    assert relative_change(now[3:], momentum[3:]) < 1e-8


def test_a_push_changes_momentum_by_force_times_time():
    q, v = thrown(WEIGHTLESS, 1)
    forces = np.zeros((len(WEIGHTLESS.links), 6))
    forces[5, :3] = 3.0, -2.0, 1.0
    before = dyn.centroidal_momentum(WEIGHTLESS, q, v)[:3]
    q, v = dyn.integrate(WEIGHTLESS, q, v, 0.5, TIME_STEP, "rk4", external_forces=forces)
    assert np.abs(dyn.centroidal_momentum(WEIGHTLESS, q, v)[:3] - before - 0.5 * forces[5, :3]).max() < 1e-9


def test_damping_takes_energy_at_every_step_and_no_momentum():
    robot = with_links(WEIGHTLESS, damping=np.linspace(0.0, 0.3, len(WEIGHTLESS.links)))
    q, v = thrown(robot, 2)
    momentum, energies = dyn.centroidal_momentum(robot, q, v), [energy(robot, q, v)]
    for _ in range(200):
        q, v = dyn.integrate(robot, q, v, 5e-3, TIME_STEP)
        energies.append(energy(robot, q, v))
    assert (np.diff(energies) < 0.0).all()
    assert energies[-1] < 0.95 * energies[0]
    assert relative_change(dyn.centroidal_momentum(robot, q, v), momentum) < 1e-8
