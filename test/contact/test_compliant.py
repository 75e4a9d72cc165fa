"""Compliant contact: closed forms of the damped spring, Coulomb friction with stick anchors, standing, energy."""

import numpy as np
import pytest
from contact_cases import (
    GRAVITY,
    ball_xml,
    box_xml,
    drop_state,
    pendulum_xml,
    simulator,
    tilted,
    wheel_xml,
    world_velocity,
)

from legged_contact_sim import RobotModel
from legged_contact_sim.terrain import Slope

STIFFNESS, MASS, RADIUS = 30000.0, 2.0, 0.1


def compliant(robot, time_step=5e-4, **parameters):
    return simulator(robot, "compliant", time_step, **parameters)


def restitution(ratio):
    """Return the rebound of a damped spring that lets go when its force is zero (Schwager and Poeschel 2007)."""
    root = np.sqrt(1.0 - ratio**2)
    return np.exp(-ratio / root * np.arctan2(2.0 * ratio * root, 2.0 * ratio**2 - 1.0))


def on_slope(angle, time_step, friction):
    """Return a box that lies on a slope, its corners in the ground as deep as its weight presses them."""
    sim = compliant(box_xml(mass=MASS), time_step, terrain=Slope(angle=angle), friction=friction)
    depth = MASS * GRAVITY * np.cos(angle) / (4.0 * STIFFNESS)
    normal = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    sim.reset(np.concatenate([(0.05 - depth) * normal, tilted(angle)]))
    return sim


@pytest.mark.parametrize("time_step", [5e-4, 2.5e-3])
def test_a_ball_sinks_by_its_weight_over_the_stiffness(time_step):
    sim = compliant(ball_xml(RADIUS, MASS), time_step, normal_damping=400.0)
    report = sim.run(1.0) and sim.step()
    assert report.contacts[0].gap == pytest.approx(-MASS * GRAVITY / STIFFNESS, rel=1e-9)
    assert report.contacts[0].force == pytest.approx([0.0, 0.0, MASS * GRAVITY], rel=1e-9)
    assert report.contacts[0].mode == "stick"


@pytest.mark.parametrize("ratio", [0.05, 0.3, 0.6])
def test_rebound_of_a_damped_spring(ratio):
    damping = 2.0 * ratio * np.sqrt(STIFFNESS * MASS)
    robot = RobotModel.from_urdf(ball_xml(RADIUS, MASS), gravity=(0.0, 0.0, 0.0))
    sim = compliant(robot, 1e-4, normal_damping=damping)
    sim.reset([0.0, 0.0, RADIUS + 1e-4, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    run = sim.run(0.1)
    assert run.v[-1, 2] == pytest.approx(restitution(ratio), rel=5e-3)
    assert run.forces[:, 0, 2].min() >= 0.0
    kinetic = 0.5 * MASS * (run.v[-1, 2] ** 2 - 1.0)
    assert run.works[-1, 2] == pytest.approx(kinetic, rel=1e-12)


@pytest.mark.parametrize("stiffness", [3e4, 1e9])
def test_an_undamped_spring_gives_all_energy_back_at_any_stiffness(stiffness):
    sim = compliant(ball_xml(RADIUS, MASS), 2.5e-3, normal_stiffness=stiffness, normal_damping=0.0)
    sim.reset([0.0, 0.0, 0.6, 0.0, 0.0, 0.0, 1.0])
    run = sim.run(3.0)
    stored = 0.5 * stiffness * np.minimum(run.q[:, 2] - RADIUS, 0.0) ** 2
    assert stored.max() > 1.0
    assert np.abs(run.energies.sum(axis=1) + stored - sim.start_energy).max() < 1e-8
    assert run.solver[-1, 2] == 0.0


def test_no_creep_below_the_friction_angle():
    sim = on_slope(np.deg2rad(20.0), 1e-3, friction=0.5)
    sim.run(3.0)
    before = sim.state.q
    run = sim.run(2.0, sample_every=100)
    assert np.abs(sim.state.q - before).max() < 1e-11
    assert np.abs(run.v).max() < 1e-11
    assert (run.modes[:, run.modes[0] > 0] == 1).all()
    assert run.forces[-1].sum(axis=0) == pytest.approx([0.0, 0.0, MASS * GRAVITY], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("time_step", [5e-4, 2.5e-3])
def test_slides_above_the_friction_angle(time_step):
    angle, friction = np.deg2rad(35.0), 0.5
    sim = on_slope(angle, time_step, friction)
    sim.run(0.5)
    speeds = []
    for _ in range(2):
        state = sim.state
        speeds.append(-world_velocity(sim.robot, state.q, state.v) @ [np.cos(angle), 0.0, np.sin(angle)])
        run = sim.run(0.5)
    acceleration = (speeds[1] - speeds[0]) / 0.5
    assert acceleration == pytest.approx(GRAVITY * (np.sin(angle) - friction * np.cos(angle)), rel=1e-3)
    tangential = run.forces @ [np.cos(angle), 0.0, np.sin(angle)]
    normal = run.forces @ [-np.sin(angle), 0.0, np.cos(angle)]
    assert np.abs(tangential) == pytest.approx(friction * normal, rel=1e-6, abs=1e-6)


def test_a_sliding_ball_ends_up_rolling():
    sim = compliant(ball_xml(RADIUS, MASS), 5e-4, normal_damping=400.0, friction=0.3)
    depth = MASS * GRAVITY / STIFFNESS
    sim.reset([0.0, 0.0, RADIUS - depth, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    sim.run(1.0)
    start = sim.state.q[0]
    sim.run(1.0)
    # a sphere that has sunk rolls on a smaller radius; the anchor must not hold it back
    rolling = 1.0 / (1.0 + 0.4 * RADIUS**2 / RADIUS**2)
    assert sim.state.q[0] - start == pytest.approx(rolling, rel=3e-3)


def test_standing_quadruped_sinks_evenly():
    sim = compliant("quadruped12", 1.25e-3)
    sim.hold(150.0, 4.0)
    run = sim.run(4.0, sample_every=80)
    weight = sim.robot.total_mass * GRAVITY
    feet = [k for k, name in enumerate(sim.robot.contact_names) if name.endswith("foot")]
    assert run.forces[-1, :, 2].sum() == pytest.approx(weight, rel=1e-3)
    assert run.gaps[-1, feet] == pytest.approx(-weight / (4.0 * STIFFNESS), rel=1e-2)
    assert np.abs(run.v[-1]).max() < 1e-8
    assert run.solver[-1, 2] == 0.0


def landing(time_step):
    """Return the run of a quadruped that drops 5 cm onto its feet, obliquely and turning."""
    sim = compliant("quadruped12", time_step)
    sim.hold(150.0, 4.0)
    q = sim.home()
    q[2] += 0.05
    sim.reset(q, np.concatenate([[0.5, 0.2, 0.0, 0.5, -0.5, 1.0], np.zeros(12)]))
    return sim.run(0.5)


def test_energy_audit_closes_with_the_square_of_the_time_step():
    coarse, fine = landing(1e-3), landing(2.5e-4)
    exchanged = np.abs(fine.works).max()
    assert exchanged > 1.0
    assert np.abs(coarse.remainder).max() < 1e-3 * exchanged
    assert np.abs(fine.remainder).max() < np.abs(coarse.remainder).max() / 8.0


@pytest.mark.parametrize("name", ["quadruped12", "quadruped16"])
def test_falls_gain_nothing_and_stay_in_the_cone(name):
    unsettled = 0
    for seed in range(10):
        sim = compliant(name, 1e-3)
        sim.reset(*drop_state(sim.robot, np.random.default_rng(seed), speed=1.0))
        run = sim.run(1.0)
        assert np.isfinite(run.q).all()
        assert (run.works[:, 2] + run.works[:, 3]).max() <= 1e-9
        assert (run.forces[:, :, 2] >= 0.0).all()
        excess = np.linalg.norm(run.forces[:, :, :2], axis=2) - 0.8 * run.forces[:, :, 2]
        assert excess.max() < 1e-6
        unsettled += run.solver[-1, 2]
    assert unsettled <= 10  # of 10 000 steps


def test_a_joint_stops_at_its_limit_and_dry_friction_holds():
    sim = compliant(pendulum_xml(lower=-0.5, upper=0.5), 1e-3)
    run = sim.run(2.0)
    assert run.q.min() > -0.5 - 1e-9 and run.q.max() < 0.5 + 1e-9
    assert np.abs(run.v[-1]).max() < 1e-9
    sim = compliant(wheel_xml(friction=1.0), 1e-3)
    for _ in range(10):
        sim.step([0.99])
    assert sim.state.v[0] == 0.0
    for _ in range(1000):
        sim.step([1.5])
    assert sim.state.v[0] == pytest.approx(1.0, rel=1e-6)


def test_on_stiff_springs_a_robot_stands_where_it_stands_on_hard_ground():
    stands = [simulator("quadruped12", "moreau", 2.5e-3)]
    stands.append(compliant("quadruped12", 1.25e-3, normal_stiffness=1e6, tangential_stiffness=1e6))
    for sim in stands:
        sim.hold(150.0, 4.0)
        sim.run(2.0)
    hard, soft = (sim.state.q[:3] for sim in stands)
    weight = stands[0].robot.total_mass * GRAVITY
    assert soft == pytest.approx(hard, abs=1e-4)
    assert hard[2] - soft[2] == pytest.approx(weight / 4e6, rel=0.1)


def test_the_printed_algorithm_carries_a_ball_and_needs_small_steps():
    """Explicit: damped beyond 2 m / h, a ball gains energy where the implicit form does not."""
    sim = compliant(ball_xml(mass=MASS, radius=RADIUS), scheme="printed", normal_damping=300.0)
    sim.run(2.0)
    assert sim.q[2] == pytest.approx(RADIUS - MASS * GRAVITY / STIFFNESS, abs=1e-7)
    heights = {}
    for scheme in ("implicit", "printed"):
        sim = compliant(ball_xml(mass=MASS, radius=RADIUS), 5e-3, scheme=scheme, normal_damping=900.0)
        start = sim.home()
        start[2] += 0.2
        sim.reset(start)
        run = sim.run(2.0)
        heights[scheme] = run.q[len(run.q) // 4 :, 2].max()
    assert heights["implicit"] < RADIUS + 0.15 < heights["printed"]


def test_the_printed_friction_stops_a_block_roughly_where_coulomb_does():
    """No line renews the friction of a slip while the corners' loads change: the way is 17 % too short."""
    sim = compliant(box_xml(mass=MASS), scheme="printed", friction=0.5, tangential_damping=50.0)
    sim.run(0.5)
    velocity = np.zeros(6)
    velocity[0] = 1.0
    sim.set_state(sim.q.copy(), velocity)
    run = sim.run(1.0)
    assert abs(run.v[-1, 0]) < 0.05
    assert run.q[-1, 0] == pytest.approx(1.0 / (2.0 * 0.5 * GRAVITY), rel=0.25)
