"""The solvers of exact contact find the same impulses, by blocks, by rows and by pivoting."""

import numpy as np
import pytest
from contact_cases import box_xml, robot_named, simulator
from hypothesis import given, settings
from hypothesis import strategies as st

from legged_contact_sim.contact.solvers.block_sweeps import sweep
from legged_contact_sim.contact.solvers.elimination import eliminate, eliminate_with_pivots, fill_up
from legged_contact_sim.contact.solvers.pivoting import friction_impulse
from legged_contact_sim.contact.solvers.problem import friction_work, problem_with_one_friction
from legged_contact_sim.contact.solvers.residuals import complementarity_residual
from legged_contact_sim.contact.solvers.scalar import scalar_sweep
from legged_contact_sim.errors import ParameterError
from legged_contact_sim.terrain import Slope

ALTERNATIVES = pytest.mark.parametrize("solver", ["pgs", "lemke"])


@settings(max_examples=50)
@given(st.integers(1, 14), st.integers(0, 2**32 - 1))
def test_block_elimination_solves_any_size(rows, seed):
    random = np.random.default_rng(seed)
    A = random.normal(size=(rows, rows))
    A, b = A @ A.T + 0.1 * np.eye(rows), random.normal(size=rows)
    matrix = np.full((rows + 2, rows + 3), np.nan)
    matrix[:rows, :rows], matrix[:rows, rows] = A, b
    size = fill_up(matrix, rows)
    assert size % 3 == 0
    eliminate(matrix, size)
    np.testing.assert_allclose(matrix[:rows, size], np.linalg.solve(A, b), rtol=1e-7, atol=1e-9)


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 2.0), st.floats(0.0, 0.5))
def test_friction_opposes_the_slip_that_it_leaves(seed, radius, nu):
    random = np.random.default_rng(seed)
    A = random.normal(size=(3, 3))
    G, u = A @ A.T + 0.05 * np.eye(3), random.normal(size=2)
    z = np.array(friction_impulse(G, 0, *u, radius, nu))
    w = u + G[1:, 1:] @ z
    bound = radius + nu * np.linalg.norm(w)
    assert np.linalg.norm(z) <= bound * (1.0 + 1e-9) + 1e-12
    if np.linalg.norm(w) > 1e-9:
        assert np.linalg.norm(z) == pytest.approx(bound, rel=1e-7, abs=1e-12)
        assert z @ w == pytest.approx(-np.linalg.norm(z) * np.linalg.norm(w), rel=1e-7, abs=1e-12)


@ALTERNATIVES
def test_a_standing_quadruped_is_carried_by_the_same_forces(solver):
    runs = []
    for name in ("block_pgs", solver):
        sim = simulator(robot_named("quadruped12"), "exact_lcp", 2.5e-3, solver=name, max_iterations=100_000)
        sim.hold(300.0, 8.0)
        runs.append(sim.run(0.3))
    assert runs[1].solver[-1, 2] == 0
    assert runs[1].solver[:, 1].max() <= 1e-10
    np.testing.assert_allclose(runs[1].forces, runs[0].forces, atol=1e-3)
    np.testing.assert_allclose(runs[1].q, runs[0].q, atol=1e-8)


@ALTERNATIVES
@pytest.mark.parametrize(("angle", "viscous"), [(20.0, 0.0), (30.0, 0.0), (30.0, 0.4)])
def test_a_block_slides_or_rests_on_a_slope(solver, angle, viscous):
    slope = Slope(np.radians(angle))
    runs = []
    for name in ("block_pgs", solver):
        sim = simulator(
            box_xml(), "exact_lcp", 2.5e-3, terrain=slope, friction=0.5, viscous_friction=viscous, solver=name,
            max_iterations=100_000,
        )  # fmt: skip
        q = np.array([0.0, 0.0, 0.05 / np.cos(np.radians(angle)), 0.0, -np.sin(np.radians(angle / 2)), 0.0, 1.0])
        q[6] = np.cos(np.radians(angle / 2))
        sim.reset(q)
        runs.append(sim.run(0.2))
    np.testing.assert_allclose(runs[1].q, runs[0].q, atol=1e-7)
    slid = np.linalg.norm(runs[0].q[-1, :3] - runs[0].q[0, :3])
    assert slid < 1e-9 if angle == 20.0 else slid > 5e-3


def test_pivoting_alone_solves_contact_without_friction():
    sim = simulator(robot_named("quadruped12"), "exact_lcp", 2.5e-3, solver="lemke", friction=0.0)
    sim.hold(300.0, 8.0)
    sim.run(0.1)
    report = sim.step()
    assert report.unconverged == 0
    assert 1 <= report.iterations <= 40  # exchanges
    weight = 9.81 * sum(sim.robot.links["mass"])
    assert sum(contact.force[2] for contact in report.contacts) == pytest.approx(weight, rel=0.05)


@settings(max_examples=50)
@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_elimination_with_pivots_solves_what_has_zeros_on_its_diagonal(rows, seed):
    random = np.random.default_rng(seed)
    A, b = random.normal(size=(rows, rows)), random.normal(size=rows)
    A = np.linalg.qr(A)[0]
    if rows > 1:
        np.fill_diagonal(A, 0.0)
    matrix = np.full((rows + 2, rows + 3), np.nan)
    matrix[:rows, :rows], matrix[:rows, rows] = A, b
    eliminate_with_pivots(matrix, rows)
    np.testing.assert_allclose(A @ matrix[:rows, rows], b, atol=1e-9 * max(1.0, np.abs(matrix[:rows, rows]).max()))


def test_a_cold_start_finds_the_same_impulses_in_more_iterations():
    runs = []
    for warm in (True, False):
        sim = simulator(robot_named("quadruped12"), "exact_lcp", 2.5e-3, warm_start=warm)
        sim.hold(300.0, 8.0)
        runs.append(sim.run(0.3))
    np.testing.assert_allclose(runs[1].q, runs[0].q, atol=1e-8)
    assert runs[1].solver[-1, 0] > 1.0
    assert runs[1].solver[50:, 0].mean() > 2.0 * runs[0].solver[50:, 0].mean()


def test_sweeps_as_printed_carry_a_standing_robot_and_stop_by_change():
    """They solve the problem less well than ours, but a robot stands on them with its weight."""
    robot = robot_named("quadruped12")
    sim = simulator(robot, "exact_lcp", 2.5e-3, solver="printed_pgs", tolerance=1e-20, max_iterations=100)
    sim.hold(300.0, 8.0)
    run = sim.run(0.5)
    assert run.forces[-1, :, 2].sum() == pytest.approx(9.81 * robot.total_mass, rel=1e-3)
    assert run.solver[:, 0].max() == 100
    loose = simulator(robot, "exact_lcp", 2.5e-3, solver="printed_pgs", tolerance=1e-3, max_iterations=100)
    loose.hold(300.0, 8.0)
    assert loose.run(0.5).solver[:, 0].mean() < 60
    with pytest.raises(ParameterError, match="warm_start"):
        simulator(robot, "exact_lcp", 2.5e-3, warm_start="yes")


RENEWALS = (lambda asked: sweep(asked, 1.0), scalar_sweep)


@pytest.mark.parametrize("renew", RENEWALS)
def test_nothing_drags_on_a_point_that_the_ground_does_not_press(renew):
    """A foot of `quadruped16` that leaves the ground at 28 um/s while it slides, with viscous friction."""
    G = np.array([[0.637, 0.103, -0.007], [0.103, 0.182, 0.014], [-0.007, 0.014, 0.264]])
    z, w, modes = np.zeros(3), np.zeros(3), np.zeros(1, dtype=np.int64)
    leaving = np.array([2.8e-5, -0.42, -0.012])
    asked = problem_with_one_friction(G, leaving, z, w, modes, friction_work(3), 1, 3, 0.3, 0.4 * 5e-4)
    assert complementarity_residual(asked) == 0.0
    renew(asked)
    assert (z == 0.0).all()
