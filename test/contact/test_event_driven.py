"""What both event-driven models owe: one landing, told alike by both and by exact contact, and a run of every robot."""

import itertools

import numpy as np
import pytest
from contact_cases import GRAVITY, box_xml, simulator

from legged_contact_sim import Simulator
from legged_contact_sim.model import robots

EVENT_DRIVEN = ("hybrid", "embedding")
START = [4.0, 0.01, 0.0, 2.0944, -0.4363, -0.6981]  # of the planar leg, at rest (Singh 5.2)


def fall(model, friction, time_step):
    """Return the planar leg's plastic landing, sampled every millisecond."""
    sim = simulator("planar_leg", model, time_step, friction=friction)
    sim.reset(START)
    return sim.run(0.25, sample_every=round(1e-3 / time_step))


@pytest.mark.parametrize("friction", [0.3, 0.8])
def test_event_driven_models_and_exact_contact_agree_after_a_plastic_landing(friction):
    runs = [fall("exact_lcp", friction, 2e-4), *(fall(model, friction, 1e-3) for model in EVENT_DRIVEN)]
    for one, other in itertools.combinations(runs, 2):
        assert np.abs(one.q - other.q).max() < 1e-2 * np.abs(one.q - one.q[0]).max()
        after = one.time > 0.06
        assert np.abs(one.v - other.v)[after].max() < 1e-2 * np.abs(one.v).max()


def test_both_find_the_same_instants_and_losses_of_a_landing():
    landings = [fall(model, 0.8, 1e-3).events[0] for model in EVENT_DRIVEN]
    for landing in landings:
        assert landing.kind == "impact"
        assert set(landing.points) == {"E", "F"}
    one, other = landings
    assert one.time == pytest.approx(other.time, abs=1e-9)
    loss = one.energy_before - one.energy_after
    assert loss > 1.0
    assert other.energy_before - other.energy_after == pytest.approx(loss, rel=1e-6)
    assert one.impulses.sum(axis=0) == pytest.approx(other.impulses.sum(axis=0), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("model", EVENT_DRIVEN)
@pytest.mark.parametrize("name", sorted(robots()))
def test_every_robot_runs_with_the_defaults(name, model):
    sim = Simulator(name, contact_model=model)
    run = sim.run(0.2)
    assert np.isfinite(run.q).all()
    assert np.isfinite(run.v).all()
    assert np.isfinite(run.forces).all()
    assert isinstance(run.events, list)
    assert all(np.isfinite([event.time, event.energy_before, event.energy_after]).all() for event in run.events)
    assert all(0.0 <= event.time <= 0.2 + 1e-9 for event in run.events)
    assert np.abs(run.remainder).max() < 1e-6 * (1.0 + abs(run.start_energy))


@pytest.mark.parametrize("model", EVENT_DRIVEN)
def test_coming_out_of_soft_ground_is_work_of_the_contact(model):
    sim = Simulator("quadruped12", "distributed", 1e-3, normal_stiffness=1e4)
    sim.hold(300.0, 10.0)
    sim.run(1.0)
    sim.switch_contact_model(model)
    energy = [sim.step() for _ in range(40)][-1].energy
    assert energy.contact_normal > 0.05  # lifted by some millimetres
    assert abs(energy.remainder) < 0.01 * energy.contact_normal


def test_the_corners_of_a_pulled_box_break_away_together_under_constraint_embedding():
    """Redundant friction is shared by the loads, so all corners reach their cones at the pull mu m g."""
    sim, growth = simulator(box_xml(), "embedding", 1e-3, friction=0.5), 20.0  # N/s

    def pull(time, q, v):
        sim.push("box", (growth * (time + 0.5e-3), 0.0, 0.0))
        return []

    slips = [event for event in sim.run(0.6, pull).events if event.kind == "slip"]
    assert len(slips) == 1 and len(slips[0].points) == 4
    assert slips[0].time == pytest.approx(0.5 * sim.robot.total_mass * GRAVITY / growth, abs=2e-3)
