"""Energy control of impacts: attenuation scales all rates, the constraint optimises anew; redundant impulses."""

from functools import cache

import numpy as np
import pytest
from contact_cases import box_xml, robot_named, simulator

from legged_contact_sim.dynamics import kinetic_energy, mass_matrix, point_jacobian
from legged_contact_sim.studies.flickinger.runs import PENDULUM_RUNS, do_run

PENDULUM = robot_named("double_pendulum")
STATIC, DYNAMIC = 0.3, 0.2


@cache
def gaining_slip():
    """Return q, v and J of the pendulum's tip just above the ground, about to slip in an impact that gains energy.

    With e_n = 1 the change of kinetic energy is p_t (w_t- + w_t+) / 2: a slip gains where the normal impulse turns it
    round, since friction then pushes the way it came.
    """
    random = np.random.default_rng(0)
    while True:
        first = random.uniform(-1.4, -0.6)
        q = np.array([first, 0.0])
        q[1] = -np.arcsin(1.5 - 1e-9 + np.sin(first)) - first
        v = random.normal(scale=3.0, size=2)
        J = point_jacobian(PENDULUM, q, "bar_2", [1.0, 0.0, 0.0])[[2, 0]]
        G = J @ np.linalg.solve(mass_matrix(PENDULUM, q), J.T)
        before = J @ v
        if not before[0] < -1.0:
            continue
        stick = np.linalg.solve(G, [-2.0 * before[0], -before[1]])
        if stick[0] > 0.0 and abs(stick[1]) < STATIC * stick[0]:
            continue
        for side in (-1.0, 1.0):
            normal = -2.0 * before[0] / (G[0] @ [1.0, side * DYNAMIC])
            p = normal * np.array([1.0, side * DYNAMIC])
            after = before + G @ p
            if normal > 0.0 and after[1] * p[1] < 0.0 and p @ (before + after) > 1.0:
                return q, v, J


def rates_after(control):
    """Return the pendulum's rates just after its impact, and the impact."""
    q, v, _ = gaining_slip()
    given = {"friction": STATIC, "dynamic_friction": DYNAMIC, "restitution": 1.0, "energetic_restitution": 1.0}
    sim = simulator(PENDULUM, "hybrid", 1e-8, energy_control=control, **given)
    sim.reset(q, v)
    while not sim.events:
        sim.step()
    return sim.state.v.copy(), sim.events[0]


def test_attenuation_scales_all_rates_and_breaks_the_restitution():
    q, v, J = gaining_slip()
    free, gained = rates_after("none")
    scaled, _ = rates_after("attenuation")
    assert gained.energy_after - gained.energy_before > 0.5
    share = np.sqrt(kinetic_energy(PENDULUM, q, v) / kinetic_energy(PENDULUM, q, free))
    np.testing.assert_allclose(scaled, share * free, rtol=1e-5)
    assert J[0] @ scaled == pytest.approx(-share * (J[0] @ v), rel=1e-4)


def test_lower_restitution_keeps_the_energy_by_contact_impulses_within_friction():
    """Between the plastic and the elastic impact; the tip leaves slower than it came, and nothing else is touched."""
    q, v, J = gaining_slip()
    lowered, event = rates_after("restitution")
    M = mass_matrix(PENDULUM, q)
    np.testing.assert_allclose(M @ (lowered - v), J.T @ event.impulses[0][[2, 0]], rtol=1e-4, atol=1e-6)
    assert kinetic_energy(PENDULUM, q, lowered) == pytest.approx(kinetic_energy(PENDULUM, q, v), rel=1e-5)
    assert 0.0 < J[0] @ lowered < -(J[0] @ v)
    assert abs(event.impulses[0][0]) <= STATIC * event.impulses[0][2] + 1e-9
    assert "restitution lowered" in event.note


def test_constraint_keeps_the_restitution_and_takes_the_slowest_slip_that_does_not_gain():
    """No energy is gained between the slip without friction and the one that friction would turn round elastically."""
    q, v, J = gaining_slip()
    bounded, _ = rates_after("constraint")
    scaled, _ = rates_after("attenuation")
    G = J @ np.linalg.solve(mass_matrix(PENDULUM, q), J.T)
    before = J @ v
    smooth = before[1] - 2.0 * before[0] * G[1, 0] / G[0, 0]
    slowest = min(smooth, -before[1], key=abs)
    np.testing.assert_allclose(J @ bounded, [-before[0], slowest], rtol=1e-4)
    assert kinetic_energy(PENDULUM, q, bounded) == pytest.approx(kinetic_energy(PENDULUM, q, v), rel=1e-4)
    assert np.abs(bounded - scaled).max() > 0.1


def test_published_runs_agree_since_only_impacts_that_stick_would_gain():
    """The constraint concerns slip (section 5.4); an impact that sticks and gains is attenuated either way."""
    run = next(run for run in PENDULUM_RUNS if run.title == "energy constraint")
    limited = [event for event in do_run(run).impacts if "attenuated" in event.note]
    assert limited
    for event in limited:
        assert abs(event.impulses[0, 0]) < 0.99 * run.parameters["dynamic_friction"] * event.impulses[0, 2]


def test_the_documents_objective_does_not_tell_redundant_impulses_apart():
    """Equation 3.25 minimises p.Gp with given velocities and work; both are the same for all p that give them."""
    random = np.random.default_rng(1)
    A = random.normal(size=(6, 6))
    A = A @ A.T + np.eye(6)
    J = random.normal(size=(12, 6))  # four points on one body
    G = J @ np.linalg.solve(A, J.T)
    before, after = J @ random.normal(size=6), J @ random.normal(size=6)
    smallest = np.linalg.pinv(G, rcond=1e-10) @ (after - before)
    inner = np.linalg.svd(J.T)[2][6:].T  # stresses that move nothing
    for _ in range(10):
        other = smallest + inner @ random.normal(size=6)
        assert other @ G @ other == pytest.approx(smallest @ G @ smallest, rel=1e-9)
        assert other @ (before + after) == pytest.approx(smallest @ (before + after), rel=1e-9)
        assert np.linalg.norm(other) > np.linalg.norm(smallest)


def test_redundant_impulses_of_a_box_push_and_are_shared_evenly():
    sim = simulator(box_xml(), "hybrid", 1e-2, friction=0.5)
    sim.reset([0.0, 0.0, 0.15, 0.0, 0.0, 0.0, 1.0])
    sim.run(0.2)
    event = sim.events[0]
    assert len(event.points) == 4
    np.testing.assert_allclose(event.impulses[:, 2], event.impulses[:, 2].mean(), rtol=1e-9)
    assert event.impulses[:, 2].sum() == pytest.approx(2.0 * np.sqrt(2.0 * 9.81 * 0.1), rel=1e-7)
