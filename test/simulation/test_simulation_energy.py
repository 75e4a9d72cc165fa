"""The energy audit of moving robots: works against closed forms, the remainder shrinks with the time step."""

import itertools

import numpy as np
import pytest
from contact_cases import HARD_MODELS, box_xml, robot_named, simulator, total_energy, wheel_xml

models = pytest.mark.parametrize("model", HARD_MODELS)


def trot_targets(robot, duration, every, time_step, height=0.3, frequency=2.5):
    """Return joint targets that lift diagonal pairs of feet in turn, one row per control period."""
    time = np.arange(round(duration / (every * time_step))) * every * time_step
    phase = np.sin(2.0 * np.pi * frequency * time)
    home = robot.home[robot.position_indices]
    targets = np.tile(home, (len(time), 1))
    for k, name in enumerate(robot.joint_names):
        pair = 1.0 if name[:2] in ("lf", "rh") else -1.0
        lift = height * np.maximum(0.0, pair * phase) * (1.0 - np.exp(-time / 0.2))
        sign = np.sign(home[k])
        if name.endswith("hfe"):
            targets[:, k] += sign * lift
        elif name.endswith("kfe"):
            targets[:, k] += 2.0 * sign * lift
    return targets


def trot(model, time_step, duration=4.0):
    """Trot in place; return simulator and trajectory."""
    robot = robot_named("quadruped12")
    sim = simulator(robot, model, time_step)
    sim.hold(150.0, 4.0)
    every = round(2e-3 / time_step)
    return sim, sim.follow(trot_targets(robot, duration, every, time_step), None, every)


@models
def test_the_remainder_of_a_trot_is_small(model):
    sim, run = trot(model, 5e-4)
    feet = [k for k, name in enumerate(sim.robot.contact_names) if name.endswith("foot")]
    touching = run.modes[:, feet] > 0
    flights = (np.diff(touching.astype(int), axis=0) == -1).sum(axis=0)
    assert (flights >= 3).all()  # it does trot
    assert 0.3 < run.q[-1, 2] < 0.5
    step_work = np.diff(run.works[:, 0], prepend=0.0)
    actuator = np.abs(step_work).sum()
    assert np.abs(run.remainder).max() < 0.01 * actuator
    assert run.solver[-1, 2] == 0


@models
def test_the_remainder_of_a_trot_shrinks_with_the_time_step(model):
    remainders = [np.abs(trot(model, h, duration=2.0)[1].remainder).max() for h in (2e-3, 1e-3, 5e-4, 2.5e-4)]
    for coarse, fine in itertools.pairwise(remainders):
        assert fine < 0.5 * coarse  # between first order (impacts) and second (all else)


@models
def test_contact_never_adds_energy_in_a_trot(model):
    _, run = trot(model, 5e-4, duration=2.0)
    contact = run.works[:, 2] + run.works[:, 3]
    assert np.diff(contact, prepend=0.0).max() < 1e-5  # the curvature of a foot's path, second order
    assert contact[-1] < 0.0


@models
def test_the_audit_names_every_joule(model):
    sim = simulator("quadruped12", model, 5e-4)
    sim.hold(150.0, 4.0)
    q = sim.home()
    q[2] += 0.1
    sim.reset(q)
    start = total_energy(sim)
    sim.run(0.5)
    audit = sim.step().energy
    assert audit.start == pytest.approx(start)
    assert audit.total == pytest.approx(total_energy(sim))
    assert audit.total == pytest.approx(audit.kinetic + audit.potential + audit.spring)
    assert audit.remainder == pytest.approx(audit.total - audit.start - audit.work, abs=1e-12)
    assert audit.contact == pytest.approx(audit.contact_normal + audit.contact_tangential)
    assert audit.contact < 0.0
    assert audit.joint_limits == 0.0
    assert audit.external == 0.0


@models
def test_a_push_is_external_work(model):
    sim = simulator(box_xml(), model, 5e-4, friction=0.0)
    sim.push("box", [3.0, 0.0, 0.0], duration=0.2)
    run = sim.run(0.2)
    speed = 3.0 / 2.0 * 0.2
    assert run.v[-1, 0] == pytest.approx(speed, rel=1e-9)
    assert run.works[-1, 4] == pytest.approx(0.5 * 2.0 * speed**2, rel=1e-9)
    assert np.abs(run.remainder).max() < 1e-12


@models
def test_a_drive_is_actuator_work(model):
    sim = simulator(wheel_xml(), model, 5e-4)
    for _ in range(200):
        sim.step([2.0])
    audit = sim.step([2.0]).energy
    rate = 2.0 / 0.5 * 201 * 5e-4
    assert audit.actuators == pytest.approx(0.5 * 0.5 * rate**2, rel=1e-9)
    assert abs(audit.remainder) < 1e-12


@models
def test_flight_keeps_energy_and_momentum(model):
    robot = robot_named("quadruped12")
    sim = simulator(robot, model, 5e-4)
    random = np.random.default_rng(5)
    q = sim.home()
    q[2] = 5.0
    sim.reset(q, random.normal(scale=1.0, size=robot.nv))
    run = sim.run(0.5)
    assert (run.modes == 0).all()
    assert np.abs(run.remainder).max() < 1e-3 * abs(sim.start_energy)
    assert (run.works == 0.0).all()


@models
def test_feet_that_stick_under_a_swaying_trunk_do_work_of_second_order_only(model):
    """A sticking foot is at rest at the end pose: friction's work shrinks with the square of the time step."""
    works = []
    for time_step in (2e-3, 1e-3):
        robot = robot_named("quadruped12")
        sim = simulator(robot, model, time_step, friction=5.0)
        sim.hold(400.0, 10.0)
        sim.run(0.5)
        time = np.arange(round(1.0 / time_step)) * time_step
        targets = np.tile(robot.home[robot.position_indices], (len(time), 1))
        hips = [k for k, name in enumerate(robot.joint_names) if name.endswith("hfe")]
        targets[:, hips] += 0.15 * np.sin(2.0 * np.pi * time)[:, None]
        run = sim.follow(targets, None, 1)
        assert np.ptp(run.q[:, 0]) > 0.05
        works.append(np.ptp(run.works[:, 3]))
    assert works[0] < 1e-4
    assert works[1] < 0.35 * works[0]
