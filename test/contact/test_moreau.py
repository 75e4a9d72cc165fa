"""Moreau's scheme in minimal coordinates: against exact contact, restitution, activation rules, prox iterations."""

import numpy as np
import pytest
from contact_cases import ball_xml, box_xml, simulator, world_velocity

from legged_contact_sim.contact.records import OPEN, SLIP, STICK
from legged_contact_sim.contact.solvers.prox import (
    JOR,
    PROX_SETTINGS,
    SOR,
    fill_relaxations,
    prox_work,
    solve_unilateral,
)
from legged_contact_sim.errors import ParameterError
from legged_contact_sim.studies.gehring.alpha import iterations_over_alpha


def drop(model, **parameters):
    """Drop a standing quadruped by 2 cm; return the trajectory."""
    sim = simulator("quadruped12", model, 2.5e-3, **parameters)
    q = sim.home()
    q[2] += 0.02
    sim.reset(q)
    sim.hold(150.0, 4.0)
    return sim.run(0.5)


def settings_of(prox, **values):
    """Return a PROX_SETTINGS record for the prox iterations, as uncompiled kernels take it."""
    settings = np.zeros(1, dtype=PROX_SETTINGS)
    settings["solver"], settings["relaxation"], settings["friction"] = prox, 0.6, 0.8
    settings["tolerance"], settings["absolute_tolerance"] = 1e-12, 1e-14
    settings["max_iterations"], settings["patience"] = 2000, 20
    for name, value in values.items():
        settings[name] = value
    return settings.view(np.recarray)[0]


def solve(G, b, contacts, settings):
    """Run the uncompiled prox iterations; return impulses, velocities, modes and the number of iterations."""
    rows = len(b)
    z, velocities, work = np.zeros(rows), np.zeros(rows), prox_work(rows)
    modes = np.zeros(max(contacts, 1), dtype=int)
    fill_relaxations(G, contacts, rows, settings.relaxation, work.relaxations)
    iterations = solve_unilateral(G, b, z, velocities, contacts, rows, modes, work, settings)[0]
    return z, G @ z + b, modes, iterations


@pytest.mark.parametrize("prox", [JOR, SOR])
def test_the_fixed_point_is_coulombs_law(prox):
    random = np.random.default_rng(3)
    J = random.normal(size=(9, 12))
    G, b = J @ J.T + 6.0 * np.eye(9), random.normal(size=9)
    b[[0, 3]] = -2.0, -0.5
    b[6] = 3.0
    z, w, modes, iterations = solve(G, b, 3, settings_of(prox))
    assert iterations <= 2000
    for k in range(3):
        n, t = 3 * k, slice(3 * k + 1, 3 * k + 3)
        assert z[n] >= 0.0
        assert w[n] >= -1e-10
        assert abs(z[n] * w[n]) < 1e-10
        bound, size = 0.8 * z[n], np.linalg.norm(z[t])
        assert size <= bound + 1e-12
        if modes[k] == STICK:
            assert np.abs(w[t]).max() < 1e-9
        elif modes[k] == SLIP:
            assert z[t] @ w[t] == pytest.approx(-size * np.linalg.norm(w[t]), rel=1e-9)
            assert size == pytest.approx(bound)
        else:
            assert z[n] == 0.0
    assert OPEN in modes


@pytest.mark.parametrize("prox", [JOR, SOR])
def test_scalar_rows_are_limits(prox):
    G, b = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([-1.0, 3.0])
    z, w, _, _ = solve(G, b, 0, settings_of(prox))
    assert z == pytest.approx([0.5, 0.0])
    assert w == pytest.approx([0.0, 3.25])


def test_a_relaxation_too_large_is_halved_until_it_converges():
    G, b = np.ones((4, 4)) + 0.1 * np.eye(4), np.full(4, -1.0)
    stubborn, patient = settings_of(JOR, relaxation=1.0, patience=10**9), settings_of(JOR, relaxation=1.0)
    assert solve(G, b, 0, stubborn)[3] > 2000
    z, w, _, effort = solve(G, b, 0, patient)
    assert effort < 2000
    assert np.abs(w).max() < 1e-9
    assert z == pytest.approx(np.full(4, 1.0 / 4.1))


@pytest.mark.parametrize("prox", ["jor", "sor"])
def test_it_agrees_with_exact_contact_on_a_drop(prox):
    exact, moreau = drop("exact_lcp"), drop("moreau", prox=prox)
    assert np.abs(moreau.q - exact.q).max() < 1e-6
    assert moreau.solver[:, 1].max() < 1e-8  # residual
    assert moreau.solver[-1, 2] == 0  # unconverged


@pytest.mark.parametrize("prox", ["jor", "sor"])
def test_it_agrees_with_exact_contact_on_a_slide(prox):
    runs = []
    for model, parameters in (("exact_lcp", {}), ("moreau", {"prox": prox})):
        sim = simulator(box_xml(), model, 2.5e-3, friction=0.5, **parameters)
        sim.reset([0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0], [0.6, 0.8, 0.0, 0.0, 0.0, 0.0])
        runs.append(sim.run(0.3))
    assert np.abs(runs[1].q - runs[0].q).max() < 1e-8
    assert np.abs(runs[1].v[-1]).max() < 1e-10


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_tangential_restitution_reverses_the_slip(restitution):
    sim = simulator(ball_xml(), "moreau", restitution=0.5, tangential_restitution=restitution, friction=10.0)
    sim.reset([0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 1.0], [0.3, 0.0, 0.0, 0.0, 5.0, 0.0])
    report = sim.step()
    while report.impacts == 0:
        report = sim.step()
    slip = world_velocity(sim.robot, *sim.state)[0] - 0.1 * sim.state.v[4]
    assert slip == pytest.approx(-restitution * (0.3 - 0.5), abs=1e-9)
    assert report.energy.contact < 0.0


@pytest.mark.parametrize("time_step", [5e-4, 2.5e-3])
@pytest.mark.parametrize(("restitution", "height"), [(0.0, 0.0), (0.5, 0.25), (1.0, 1.0)])
def test_the_midpoint_rule_sinks_by_at_most_a_step_of_travel(time_step, restitution, height):
    sim = simulator(ball_xml(), "moreau", time_step, restitution=restitution, activation="midpoint")
    sim.reset([0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 1.0])
    run = sim.run(1.0)
    travel = np.sqrt(2.0 * 9.81) * time_step
    assert run.q[:, 2].min() - 0.1 > -travel
    assert run.q[run.time > 0.5, 2].max() - 0.1 == pytest.approx(height, abs=1.1 * travel)


def test_an_unconverged_step_is_counted():
    run = drop("moreau", max_iterations=2, finish="none")
    assert run.solver[-1, 2] > 0
    assert run.solver[:, 1].max() > 1e-8


def test_newton_steps_finish_what_the_iteration_leaves():
    run = drop("moreau", max_iterations=2)
    assert run.solver[-1, 2] == 0
    assert run.solver[:, 1].max() <= 1e-8
    assert np.abs(run.q - drop("moreau").q).max() < 1e-6


def test_iterations_grow_toward_a_critical_relaxation():
    sim = simulator("quadruped12", "moreau", 2.5e-3)
    sim.hold(150.0, 4.0)
    sim.run(0.05)
    alphas = np.array([0.2, 0.4, 0.6, 0.8, 2.0])
    iterations = iterations_over_alpha(sim.model, alphas)
    assert (np.diff(iterations[:3]) < 0.0).all()  # slower, the smaller
    assert np.isnan(iterations[-1])  # beyond the critical one
    with pytest.raises(ParameterError, match=r"alphas: expected numbers in \]0, 2\], found 0"):
        iterations_over_alpha(sim.model, [0.0])


def test_the_curve_needs_contacts():
    sim = simulator(ball_xml(), "moreau")
    sim.reset([0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0])
    sim.step()
    with pytest.raises(ParameterError, match="expected a step in which contacts acted"):
        iterations_over_alpha(sim.model, [0.6])
