"""Penalty contact: closed forms of the explicit spring and damper, friction, standing, and the energy it creates."""

import numpy as np
import pytest
from contact_cases import GRAVITY, ball_xml, box_xml, simulator, tilted, world_velocity

from legged_contact_sim import RobotModel
from legged_contact_sim.terrain import Slope

STIFFNESS, MASS, RADIUS = 120000.0, 20.0, 0.1
GAINS = np.tile([6000.0, 20000.0, 70000.0, 30000.0], 4)  # of the joints, Ayit's table 5.3


def penalty(robot, time_step=5e-4, **parameters):
    return simulator(robot, "penalty", time_step, **parameters)


def on_slope(angle, **parameters):
    sim = penalty(box_xml(mass=MASS), terrain=Slope(angle=angle), **parameters)
    depth = MASS * GRAVITY * np.cos(angle) / (4.0 * STIFFNESS)
    normal = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    sim.reset(np.concatenate([(0.05 - depth) * normal, tilted(angle)]))
    return sim


def test_a_ball_sinks_by_its_weight_over_the_stiffness():
    sim = penalty(ball_xml(RADIUS, MASS))
    sim.run(2.0)
    contact = sim.step().contacts[0]
    assert contact.gap == pytest.approx(-MASS * GRAVITY / STIFFNESS, rel=1e-9)
    assert contact.force == pytest.approx([0.0, 0.0, MASS * GRAVITY], rel=1e-9)


def test_rebound_of_a_damped_spring():
    ratio = 0.3
    robot = RobotModel.from_urdf(ball_xml(RADIUS, MASS), gravity=(0.0, 0.0, 0.0))
    sim = penalty(robot, 1e-4, normal_damping=2.0 * ratio * np.sqrt(STIFFNESS * MASS))
    sim.reset([0.0, 0.0, RADIUS + 1e-4, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    run = sim.run(0.2)
    root = np.sqrt(1.0 - ratio**2)
    rebound = np.exp(-ratio / root * np.arctan2(2.0 * ratio * root, 2.0 * ratio**2 - 1.0))
    assert run.v[-1, 2] == pytest.approx(rebound, rel=1e-2)
    assert run.works[-1, 2] == pytest.approx(0.5 * MASS * (run.v[-1, 2] ** 2 - 1.0), rel=1e-12)


def test_the_friction_spring_holds_below_the_friction_angle():
    sim = on_slope(np.deg2rad(12.0))
    sim.run(3.0)
    before = sim.state.q
    sim.run(1.0)
    assert np.abs(sim.state.q - before).max() < 1e-10


def test_slides_above_the_friction_angle_with_viscous_drag():
    angle, drag = np.deg2rad(25.0), 2.0
    sim = on_slope(angle, viscous_friction=drag)
    down = -np.array([np.cos(angle), 0.0, np.sin(angle)])
    sim.run(0.5)
    start = world_velocity(sim.robot, *sim.state) @ down
    sim.run(0.5)
    pull = GRAVITY * (np.sin(angle) - 0.3 * np.cos(angle))
    rate = 4.0 * drag / MASS  # four corners
    expected = pull / rate + (start - pull / rate) * np.exp(-rate * 0.5)
    assert world_velocity(sim.robot, *sim.state) @ down == pytest.approx(expected, rel=2e-3)
    assert expected < start + 0.93 * 0.5 * pull


def landing(time_step, height=0.1, duration=1.0):
    sim = penalty("quadruped16", time_step)
    sim.hold(GAINS, 1.0)
    q = sim.home()
    q[2] += height
    sim.reset(q)
    return sim.run(duration)


def test_the_quadruped_lands_and_stands():
    run = landing(5e-4, duration=3.0)
    weight = run.robot.total_mass * GRAVITY
    assert run.forces[-1, :, 2].sum() == pytest.approx(weight, rel=1e-6)
    assert run.gaps[-1, :4] == pytest.approx(-weight / (4.0 * STIFFNESS), rel=1e-2)
    assert np.abs(run.v[-1]).max() < 1e-8
    assert (run.forces[:, :, 2] >= 0.0).all()
    tangential = np.linalg.norm(run.forces[:, :, :2], axis=2)
    assert (tangential <= 0.3 * run.forces[:, :, 2] + 0.4 * 10.0).all()


def test_energy_audit_closes_with_the_square_of_the_time_step():
    coarse, fine = landing(5e-4), landing(1.25e-4)
    exchanged = np.abs(fine.works).max()
    assert exchanged > 50.0
    assert np.abs(coarse.remainder).max() < 1e-3 * exchanged
    assert np.abs(fine.remainder).max() < np.abs(coarse.remainder).max() / 6.0


def test_energy_that_a_spring_creates_is_in_the_report():
    """Too stiff for the time step, an explicit spring throws the ball up."""
    sim = penalty(ball_xml(RADIUS, MASS), 2e-3, normal_stiffness=2e7, normal_damping=0.0)
    sim.reset([0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0])
    run = sim.run(2.0)
    gained = run.energies[-1].sum() - sim.start_energy
    assert gained > 1.0
    assert run.works[-1, 2] == pytest.approx(gained, rel=1e-9)
    assert sim.step().energy.contact > 1.0
