"""The published runs of the hybrid simulations: double pendulum, bicycle on a wedge, block with spring and friction."""

from functools import cache

import numpy as np
import pytest

from legged_contact_sim import Simulator
from legged_contact_sim.dynamics import potential_energy
from legged_contact_sim.studies.flickinger import friction_block
from legged_contact_sim.studies.flickinger import runs as flickinger
from legged_contact_sim.studies.flickinger.runs import do_run, drift, friction_used, normal_forces

PENDULUM = {run.title: run for run in flickinger.PENDULUM_RUNS}
BICYCLE = {run.title: run for run in flickinger.BICYCLE_RUNS}


@cache
def pendulum(title):
    return do_run(PENDULUM[title])


@cache
def bicycle(title):
    return do_run(BICYCLE[title])


def gains(outcome):
    return np.array([event.energy_after - event.energy_before for event in outcome.impacts])


@pytest.mark.parametrize("title", PENDULUM)
def test_first_impact_of_the_pendulum(title):
    expected = 0.5080 if PENDULUM[title].q == flickinger.BENT else 0.5154
    assert pendulum(title).impacts[0].time == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("title", PENDULUM)
def test_pendulum_pushes_only_and_keeps_its_energy_between_events(title):
    outcome = pendulum(title)
    assert normal_forces(outcome).min() >= 0.0
    assert all((event.impulses[:, 2] >= 0.0).all() for event in outcome.trajectory.events)
    assert drift(outcome.trajectory) < 1e-8
    assert outcome.trajectory.gaps.min() > -1e-8


def test_pendulum_without_control_gains_energy_and_never_rests():
    outcome = pendulum("no energy control")
    assert (gains(outcome) > 0.1).sum() >= 2
    assert np.abs(outcome.trajectory.v[-200:]).max() > 1.0
    assert (outcome.trajectory.modes == 0).all()


@pytest.mark.parametrize("title", [title for title in PENDULUM if "no energy control" not in title])
def test_pendulum_with_control_never_gains(title):
    assert gains(pendulum(title)).max() <= 1e-9


@pytest.mark.parametrize(
    ("title", "by"), [("low restitution", 2.0), ("moderate energy control", 10.0), ("moderate, low restitution", 10.0)]
)
def test_pendulum_rests_sticking(title, by):
    trajectory = pendulum(title).trajectory
    late = trajectory.time > min(by, 9.0)
    assert np.abs(trajectory.v[late]).max() < 1e-6
    assert (trajectory.modes[late] == 1).all()


def test_plastic_pendulum_does_not_rebound():
    assert len(pendulum("low restitution").impacts) == 1


def test_low_restitution_rests_after_two_rebounds():
    assert len(pendulum("moderate, low restitution").impacts) == 2  # both rebound; the next arrival does not


def test_moderate_control_has_slip_reversals():
    pushes = [event.impulses[0, 0] for event in pendulum("moderate energy control").impacts]
    assert (np.diff(np.sign(pushes)) != 0).sum() >= 2


def test_moderate_control_halves_the_kinetic_energy():
    run = PENDULUM["moderate energy control"]
    sim = Simulator("double_pendulum", "hybrid", 1e-3, **run.parameters)
    sim.reset(run.q)
    trajectory, checked = sim.run(2.0), 0
    for event in sim.events:
        k = int(event.time / 1e-3) - 1  # the last sample before it
        q = trajectory.q[k] + (event.time - trajectory.time[k]) * trajectory.v[k]
        kinetic = event.energy_before - potential_energy(sim.robot, q)
        if event.kind == "impact" and kinetic > 0.5:
            checked += 1
            assert event.energy_before - event.energy_after >= 0.5 * kinetic - 0.01
    assert checked >= 4


def test_attenuation_and_constraint_agree_until_the_last_bounces():
    first, second = pendulum("velocity attenuation"), pendulum("energy constraint")
    assert [event.time for event in first.impacts[:4]] == pytest.approx([event.time for event in second.impacts[:4]])


@pytest.mark.parametrize("title", BICYCLE)
def test_bicycle_pushes_only_and_never_gains(title):
    outcome = bicycle(title)
    assert normal_forces(outcome).min() >= -1e-9
    assert outcome.trajectory.gaps.min() > -1e-8
    assert drift(outcome.trajectory) < 1e-8
    if title != "no energy control, ellipses":
        assert gains(outcome).max() <= 1e-9


@pytest.mark.parametrize("angle", [0, 15, 30])
def test_sticking_is_feasible_at_the_first_impact(angle):
    outcome = bicycle(f"wedge {angle} deg")
    first = [mu for time, mu in friction_used(outcome) if time == outcome.impacts[0].time]
    assert max(first) < 0.5
    assert flickinger.friction_curves(angle, np.zeros(1), np.array([0.5]))[2][0] < 0.5


def test_sticking_is_infeasible_at_the_first_impact_on_45_degrees():
    outcome = bicycle("wedge 45 deg")
    assert friction_used(outcome)[0][1] == pytest.approx(0.25, rel=1e-6)
    assert flickinger.friction_curves(45, np.zeros(1), np.array([0.5]))[2][0] > 0.5


@pytest.mark.parametrize("title", [title for title in BICYCLE if title.startswith("20 deg")])
def test_bicycle_bounces_then_rolls_down_the_wedge(title):
    outcome = bicycle(title)
    modes, time = outcome.trajectory.modes, outcome.trajectory.time
    height = outcome.trajectory.gaps.min(axis=1)
    assert (modes[time < outcome.impacts[0].time] == 0).all()
    assert len(outcome.impacts) >= 5
    assert (modes[-100:] > 0).any(axis=1).mean() > 0.5  # elliptic wheels hop now and then
    assert height[-100:].max() < 0.1 * height[time > outcome.impacts[0].time].max()


def test_soft_wedge_stops_the_bouncing_soon():
    outcome = bicycle("20 deg, e_n 0.25")
    assert outcome.impacts[-1].time < 2.5
    assert (outcome.trajectory.modes[-100:] == 1).all()
    assert np.ptp(outcome.trajectory.q[-100:, 0]) < 0.5


@pytest.mark.parametrize("title", ["e_n 0.5, e* 1", "e_n 0, e* 1"])
def test_circular_wheels_roll_without_slip(title):
    trajectory = bicycle(title).trajectory
    x, z, rod, back, front = trajectory.v[-1]
    assert (trajectory.modes[-1] == 1).all()
    assert x == pytest.approx(-0.25 * (rod + back), abs=1e-9)
    assert x == pytest.approx(-0.25 * (rod + front), abs=1e-9)
    assert x == pytest.approx(2.0 * 5.0 / 7.0, rel=1e-9)  # 5 m v and 2 discs of m r^2 / 2 each that begin to roll
    assert abs(z) < 1e-9


def test_bicycle_without_control_never_rests():
    outcome = bicycle("no energy control")
    assert (outcome.trajectory.modes == 0).mean() > 0.95
    assert np.abs(outcome.trajectory.v[-100:]).max() > 1.0


def test_elliptic_wheels_gain_energy_without_control_as_round_ones_cannot():
    assert gains(bicycle("no energy control, ellipses")).max() > 1.0
    assert gains(bicycle("no energy control")).max() <= 1e-9


def test_friction_curves_change_shape_with_the_angle():
    speeds, restitutions = np.linspace(-60.0, 60.0, 1201), np.array([0.0, 0.5, 1.0])
    flat, flat_pushes, _ = flickinger.friction_curves(0, speeds, restitutions)
    steep, steep_pushes, sticking = flickinger.friction_curves(45, speeds, restitutions)
    assert flat_pushes.all()  # on the plane every velocity is feasible, along two straight lines
    assert np.abs(np.diff(flat[1][speeds > 2.5], 2)).max() < 1e-6  # beyond the speed before the impact, 2 m/s
    assert not steep_pushes.all()
    assert np.abs(np.diff(steep[1][(speeds > 0.5) & steep_pushes[1]], 2)).max() > 1e-4
    assert sticking[0] > sticking[1] > sticking[2]


def test_block_moves_alike_by_events_and_by_fixed_steps():
    events = friction_block.event_driven_block(1.0)
    steps = friction_block.fixed_step_block(1.0, substeps=20)
    amplitude = np.abs(events.position).max()
    assert amplitude > 1e-3
    np.testing.assert_allclose(steps.position[19::20], events.position, atol=0.01 * amplitude)


def test_block_sticks_for_shorter_intervals_by_events():
    events, steps = friction_block.event_driven_block(2.0), friction_block.fixed_step_block(2.0)
    resolved = sum(end - begin for begin, end in events.sticking)
    projected = sum(end - begin for begin, end in steps.sticking)
    assert 0.0 < resolved <= projected
    assert any(abs(begin / 1e-3 - round(begin / 1e-3)) > 1e-6 for begin, _ in events.sticking[1:])
