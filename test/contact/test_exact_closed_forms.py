"""Hard contact against closed forms: sliding blocks, slopes, bouncing and rolling balls, at two time steps."""

import numpy as np
import pytest
from contact_cases import GRAVITY, HARD_MODELS, TIME_STEPS, ball_xml, box_xml, gaps, simulator, tilted, total_energy

from legged_contact_sim.dynamics import forward_kinematics
from legged_contact_sim.terrain import Slope

cases = pytest.mark.parametrize(("model", "time_step"), [(m, h) for m in HARD_MODELS for h in TIME_STEPS])


def block_on_slope(model, time_step, degrees, **parameters):
    """Return a simulator with a block that rests on a slope rising along x, and the slope's angle."""
    angle = np.radians(degrees)
    sim = simulator(box_xml(), model, time_step, terrain=Slope(angle), friction=0.5, **parameters)
    sim.reset([-0.05 * np.sin(angle), 0.0, 0.05 * np.cos(angle), *tilted(angle)])
    return sim, angle


def stop_block(model, time_step, direction=(1.0, 0.0), **parameters):
    """Slide a block at 1 m/s until it rests; return the distance, the time of rest, and the trajectory."""
    sim = simulator(box_xml(), model, time_step, friction=0.5, **parameters)
    sim.reset([0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0], [*direction, 0.0, 0.0, 0.0, 0.0])
    run = sim.run(0.5)
    speed = np.abs(run.v).max(axis=1)
    at_rest = np.argmax(speed < 1e-10)
    assert speed[at_rest] < 1e-10
    return np.linalg.norm(run.q[-1, :2]), run.time[at_rest], run


@cases
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.6, 0.8)])
def test_a_sliding_block_stops_where_and_when_coulomb_says(model, time_step, direction):
    distance, time, run = stop_block(model, time_step, direction)
    assert distance == pytest.approx(1.0 / (2.0 * 0.5 * GRAVITY), rel=5e-4)
    assert abs(time - 1.0 / (0.5 * GRAVITY)) <= time_step
    assert np.abs(run.v[run.time > time]).max() < 1e-10
    assert run.gaps[:, run.robot.contact_points["position"][:, 2] < 0].min() > -1e-9
    assert np.abs(run.q[-1, :2] / distance - direction).max() < 1e-9  # straight on
    assert run.solver[-1, 2] == 0  # unconverged


@cases
def test_friction_takes_the_kinetic_energy_of_a_sliding_block(model, time_step):
    _, _, run = stop_block(model, time_step)
    normal, tangential = run.works[-1, 2:4]
    assert tangential == pytest.approx(-0.5 * 2.0, rel=1e-9)
    assert abs(normal) < 1e-12
    assert np.abs(run.remainder).max() < 1e-12


@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_viscous_friction_adds_to_coulomb(time_step):
    """Four corners, each with the viscous term c |v_t|: m dv/dt = -(mu m g + 4 c v)."""
    mass, drag = 2.0, 4 * 0.4
    sim = simulator(box_xml(), "exact_lcp", time_step, friction=0.3, viscous_friction=0.4)
    sim.reset([0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    run = sim.run(0.2)
    steady = 0.3 * mass * GRAVITY / drag
    expected = (1.0 + steady) * np.exp(-drag * run.time / mass) - steady
    assert np.abs(run.v[:, 0] - expected).max() < 2.0 * time_step  # the law acts on the end of the step: first order


@cases
@pytest.mark.parametrize("degrees", [20, 25])
def test_a_block_does_not_creep_down_a_slope_within_the_cone(model, time_step, degrees):
    sim, _ = block_on_slope(model, time_step, degrees)
    start = sim.state.q
    sim.run(0.1)
    run = sim.run(5.0, sample_every=10)
    assert np.abs(run.v).max() < 1e-10
    assert np.abs(sim.state.q - start).max() < 1e-9
    force = run.forces[-1].sum(axis=0)
    assert np.abs(force - (0.0, 0.0, 2.0 * GRAVITY)).max() < 1e-6


@cases
def test_a_block_slides_down_a_slope_beyond_the_cone(model, time_step):
    sim, angle = block_on_slope(model, time_step, 30)
    start = sim.state.q
    run = sim.run(1.0)
    down = np.array([-np.cos(angle), 0.0, -np.sin(angle)])
    normal = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    force = run.forces.sum(axis=1)
    weight = 2.0 * GRAVITY
    assert np.abs(-force @ down / (0.5 * weight * np.cos(angle)) - 1.0).max() < 1e-4
    assert np.abs(force @ normal / (weight * np.cos(angle)) - 1.0).max() < 1e-4
    acceleration = GRAVITY * (np.sin(angle) - 0.5 * np.cos(angle))
    travelled = (run.q[:, :3] - start[:3]) @ down
    assert travelled[-1] == pytest.approx(0.5 * acceleration * run.time[-1] ** 2, rel=1e-6)
    below = sim.robot.contact_points["position"][:, 2] < 0
    assert np.abs(run.gaps[:, below]).max() < 1e-9
    assert np.abs(gaps(sim)[below]).max() < 1e-9
    assert np.abs(run.remainder).max() < 1e-9


@cases
@pytest.mark.parametrize(("restitution", "height"), [(0.0, 0.0), (0.5, 0.25), (1.0, 1.0)])
def test_a_ball_rebounds_to_the_height_of_its_restitution(model, time_step, restitution, height):
    sim = simulator(ball_xml(), model, time_step, restitution=restitution)
    sim.reset([0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 1.0])
    run = sim.run(1.3)
    fallen = np.sqrt(2.0 / GRAVITY)
    rebound = run.q[run.time > fallen + time_step, 2].max() - 0.1
    assert run.gaps.min() > -1e-9
    assert gaps(sim).min() > -1e-9
    assert abs(rebound - height) <= (0.005 if time_step < 1e-3 else 0.015)
    if restitution == 0.0:
        assert np.abs(run.v[-1]).max() < 1e-10


@cases
def test_an_elastic_ball_never_gains_energy(model, time_step):
    sim = simulator(ball_xml(), model, time_step, restitution=1.0)
    sim.reset([0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 1.0])
    start = total_energy(sim)
    run = sim.run(10.5)  # ten bounces take 9.5 s
    impacts = int(run.solver[:, 3].sum())
    total = run.energies.sum(axis=1)
    assert impacts == 11 or impacts == 12
    assert total.max() <= start * (1.0 + 1e-12)
    assert total[-1] > start * (1.0 - 0.02)
    assert run.works[:, 2].max() <= 1e-12


@cases
def test_bounces_accumulate_and_end(model, time_step):
    """With restitution e the ball rests at time t (1 + e) / (1 - e), t the time of the fall."""
    sim = simulator(ball_xml(), model, time_step, restitution=0.5)
    sim.reset([0.0, 0.0, 0.6, 0.0, 0.0, 0.0, 1.0])
    run = sim.run(1.5)
    rest = np.sqrt(2.0 * 0.5 / GRAVITY) * 3.0
    assert np.abs(run.v[run.time > rest + 2.0 * time_step]).max() < 1e-9
    assert np.abs(run.v[(run.time > rest - 0.05) & (run.time < rest - 0.02)]).max() > 1e-2
    assert run.gaps.min() > -1e-9


@cases
def test_a_sliding_ball_begins_to_roll_at_five_sevenths(model, time_step):
    sim = simulator(ball_xml(), model, time_step, friction=0.3)
    sim.reset([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    run = sim.run(0.5)
    rolling = 2.0 / (7.0 * 0.3 * GRAVITY)  # when slip ends
    velocity = forward_kinematics(sim.robot, sim.state.q).rotation[0] @ sim.state.v[:3]
    spin = forward_kinematics(sim.robot, sim.state.q).rotation[0] @ sim.state.v[3:]
    assert velocity[0] == pytest.approx(5.0 / 7.0, rel=1e-3)
    assert spin[1] * 0.1 == pytest.approx(velocity[0], rel=1e-9)
    assert np.abs(velocity[1:]).max() < 1e-10
    slip = run.modes[:, 0] == 2
    assert abs(run.time[slip].max() - rolling) <= 2.0 * time_step
    assert run.gaps.min() > -1e-9
    assert run.q[-1, 0] == pytest.approx(rolling * 6.0 / 7.0 + (run.time[-1] - rolling) * 5.0 / 7.0, rel=1e-3)


@cases
def test_a_ball_rolls_on_for_ever(model, time_step):
    sim = simulator(ball_xml(), model, time_step, friction=0.3)
    sim.reset([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 10.0, 0.0])
    run = sim.run(5.0, sample_every=10)
    assert run.q[-1, 0] == pytest.approx(5.0, rel=1e-9)
    assert np.abs(run.remainder).max() < 1e-9
    assert abs(run.works[-1, 3]) < 1e-9


@cases
def test_a_ball_rolls_down_a_slope_at_five_sevenths_of_gravity(model, time_step):
    angle = np.radians(20.0)
    sim = simulator(ball_xml(), model, time_step, terrain=Slope(angle), friction=0.5)
    sim.reset([-0.1 * np.sin(angle), 0.0, 0.1 * np.cos(angle), 0.0, 0.0, 0.0, 1.0])
    start = sim.state.q
    run = sim.run(1.0)
    down = np.array([-np.cos(angle), 0.0, -np.sin(angle)])
    travelled = (run.q[-1, :3] - start[:3]) @ down
    assert travelled == pytest.approx(0.5 * 5.0 / 7.0 * GRAVITY * np.sin(angle), rel=1e-3)
    assert np.abs(run.remainder).max() < 1e-6
    assert run.gaps.min() > -1e-9


@cases
def test_a_pushed_block_sticks_below_and_slides_above_its_friction(model, time_step):
    weight = 2.0 * GRAVITY
    for share, acceleration in ((0.9, 0.0), (1.1, 0.1 * 0.5 * GRAVITY)):
        sim = simulator(box_xml(), model, time_step, friction=0.5)
        sim.push("box", [0.0, share * 0.5 * weight, 0.0], duration=0.5)
        run = sim.run(0.5)
        travelled = run.q[-1, 1]
        assert travelled == pytest.approx(0.5 * acceleration * 0.25, rel=1e-6, abs=1e-10)
        assert np.abs(run.remainder).max() < 1e-9
