"""`solve_friction`: Coulomb's law holds for every contact, however redundant; what cannot be solved is told."""

import numpy as np
import pytest
from friction_cases import GRAVITY, STEP, assert_coulomb, contact_rows, heap, plate, problem, scattered, stack
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from legged_contact_sim.contact import friction, solve_friction
from legged_contact_sim.contact.solvers.interior_point import convex_iterates
from legged_contact_sim.errors import ParameterError


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.integers(3, 40), st.sampled_from([0.0, 0.1, 0.6, 1.2]))
def test_coulombs_law_holds_in_any_heap(seed, bodies, contacts, mu):
    W, q = heap(np.random.default_rng(seed), bodies, contacts)
    found = solve_friction(W, q, mu)
    if found.status == "infeasible":
        return
    assert found.converged
    assert found.residual <= 1e-10
    assert found.iterations <= 2000
    assert_coulomb(W, q, mu, found.impulses, 1e-8)


def scattered_problem(seed):
    """Return W, q and mu of contacts on bodies whose inertias differ by up to four decades."""
    random = np.random.default_rng(seed)
    contacts, bodies = int(random.integers(5, 28)), int(random.integers(1, 6))
    W, q = scattered(random, contacts, bodies, [0.5, 1.5, 2.0][seed % 3])
    return W, q, random.uniform(0.0, 1.2, contacts)


@pytest.mark.parametrize("seed", [307, 485, 1171, 1246, 2216])
def test_convex_problems_lead_to_solutions_that_newton_steps_do_not_find(seed):
    W, q, mu = scattered_problem(seed)
    assert not friction._solve_dense(W, q, mu, 1e-10, None, 2000).converged
    found = solve_friction(W, q, mu)
    assert found.converged
    assert_coulomb(W, q, mu, found.impulses, 1e-8)


def test_a_convex_problem_without_friction_is_solved_at_once():
    W, q, mu = scattered_problem(3)
    impulses, _ = next(convex_iterates(W, q, 0.0 * mu))
    assert not impulses[1::3].any() and not impulses[2::3].any()
    assert_coulomb(W, q, 0.0, impulses, 1e-8)


def test_the_iterations_of_all_methods_together_are_limited():
    W, q, mu = scattered_problem(307)
    assert solve_friction(W, q, mu, max_iterations=100).status == "iteration_limit"


@pytest.mark.parametrize("points", [2, 5, 8])
def test_a_plate_on_many_points_is_carried_evenly(points):
    W, q = plate(points)
    found = solve_friction(W, q, 0.6)
    assert found.converged
    normal = found.impulses[::3]
    assert normal.sum() == pytest.approx(20.0 * GRAVITY * STEP, rel=1e-8)
    # the choice among the solutions: the one of least norm, which is the same for all points
    np.testing.assert_allclose(normal, normal.mean(), rtol=1e-4)


def test_the_least_norm_is_that_of_the_pseudoinverse_where_all_points_stick():
    for points in (3, 7):  # of a rank that is nearly full, and one that is low
        W, q = plate(points, v=(0.003, -0.002, 0.0, 0.0, 0.0, 0.001))
        found = solve_friction(W, q, 1.0)
        assert found.converged
        np.testing.assert_allclose(found.impulses, -np.linalg.pinv(W, rcond=1e-10) @ q, atol=1e-9)


def test_contacts_that_part_get_no_impulses():
    W, q = plate(3)
    found = solve_friction(W, np.abs(q), 0.5)
    assert found.converged and not found.impulses.any()
    np.testing.assert_array_equal(found.velocities, np.abs(q))


def test_a_start_beside_many_contacts_is_kept_to():
    W, q = plate(6)
    start = np.zeros(len(q))
    start[:: 3 * 7] = 20.0 * GRAVITY * STEP / 6.0  # the diagonal carries the plate
    found = solve_friction(W, q, 0.6, start=start)
    assert found.converged
    np.testing.assert_allclose(found.impulses, start, atol=1e-9)


def test_a_sliding_plate_is_braked_by_mu_times_its_weight():
    W, q = plate(6, v=np.array([2.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
    found = solve_friction(W, q, 0.3)
    assert found.converged
    n, x, y = found.impulses.reshape(-1, 3).sum(axis=0)
    assert n == pytest.approx(20.0 * GRAVITY * STEP, rel=1e-8)
    assert np.hypot(x, y) == pytest.approx(0.3 * n, rel=1e-6)


def test_a_stack_with_large_ratios_of_mass_carries_what_lies_above():
    masses = [0.3, 30.0, 1.0, 100.0, 0.5]
    W, q = stack(masses)
    found = solve_friction(W, q, 0.7)
    assert found.converged
    carried = found.impulses[::3].reshape(len(masses), 4).sum(axis=1)
    above = np.cumsum(masses[::-1])[::-1] * GRAVITY * STEP
    np.testing.assert_allclose(carried, above, rtol=1e-7)


def test_each_contact_has_its_own_friction():
    W, q = plate(2, v=np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    mu = np.array([0.0, 0.1, 0.2, 0.4])
    found = solve_friction(W, q, mu)
    assert found.converged
    assert_coulomb(W, q, mu, found.impulses, 1e-9)
    r = found.impulses.reshape(-1, 3)
    np.testing.assert_allclose(np.hypot(r[:, 1], r[:, 2]), mu * r[:, 0], atol=1e-9)


def test_a_sparse_matrix_of_islands_gives_what_the_dense_one_does():
    random = np.random.default_rng(5)
    parts = [heap(random, 3, 12) for _ in range(4)]
    W, q = sparse.block_diag([W for W, _ in parts], format="csr"), np.concatenate([q for _, q in parts])
    whole, dense = solve_friction(W, q, 0.5), solve_friction(W.toarray(), q, 0.5)
    assert whole.converged
    np.testing.assert_allclose(whole.impulses, dense.impulses, atol=1e-12)
    for k, (single, offset) in enumerate(parts):
        alone = solve_friction(single, offset, 0.5)
        np.testing.assert_allclose(W[36 * k : 36 * k + 36] @ whole.impulses, single @ alone.impulses, atol=1e-8)


def test_a_problem_that_cannot_be_written_to_is_solved_as_any_other():
    W, q = stack([2.0, 5.0])
    expected = solve_friction(W, q, 0.7).impulses
    W.flags.writeable = q.flags.writeable = False
    np.testing.assert_array_equal(solve_friction(W, q, 0.7).impulses, expected)


def test_a_warm_start_at_the_solution_stays_there():
    W, q = stack([2.0, 5.0, 1.0])
    first = solve_friction(W, q, 0.7)
    again = solve_friction(W, q, 0.7, start=first.impulses)
    assert again.iterations <= 2
    np.testing.assert_allclose(again.impulses, first.impulses, atol=1e-9)


def test_no_contacts_have_no_impulses():
    for W in (np.zeros((0, 0)), sparse.csr_matrix((0, 0))):
        found = solve_friction(W, np.zeros(0), 0.5)
        assert found.converged and found.status == "solved"
        assert found.impulses.shape == found.velocities.shape == (0,)


@pytest.mark.parametrize("size", [1e6, 1e200])
def test_a_start_that_is_nonsense_does_not_spoil_the_solution(size):
    W, q = stack([2.0, 5.0, 1.0])
    found = solve_friction(W, q, 0.7, start=size * np.random.default_rng(1).normal(size=len(q)))
    assert found.converged
    assert_coulomb(W, q, 0.7, found.impulses, 1e-8)


@pytest.mark.parametrize("mu", [0.0, 1e3, 1e6])
def test_extreme_friction_is_solved(mu):
    W, q = plate(4, v=(1.0, 0.3, 0.0, 0.0, 0.0, 2.0))
    found = solve_friction(W, q, mu, 1e-9)
    assert found.converged
    along, slip = found.impulses.reshape(-1, 3)[:, 1:], found.velocities.reshape(-1, 3)[:, 1:]
    assert not along.any() if mu == 0.0 else np.abs(slip).max() < 1e-6


@pytest.mark.parametrize("mu", [0.0, [0.0, 0.5], 0.5])
def test_a_smooth_contact_that_is_pushed_straight_off_parts(mu):
    W = np.eye(6)
    W[0, 3] = W[3, 0] = 0.5
    found = solve_friction(W, np.array([10.0, 0.0, 0.0, -1.0, 0.0, 0.0]), mu)
    assert found.converged and found.iterations <= 5
    np.testing.assert_allclose(found.impulses, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], atol=1e-12)


def test_coincident_contacts_share_evenly_also_beside_one_that_parts():
    J = np.vstack(
        [contact_rows(1, 0, place, -1, None) for place in ((0.0, 0.0, -0.1), (0.0, 0.0, -0.1), (0.4, 0.0, 0.1))]
    )
    W, q = problem(J, [2.0], [(0.1, 0.1, 0.1)], np.zeros(6))
    q[6] = 1.0
    impulses = solve_friction(W, q, 0.5).impulses
    assert impulses[0] == pytest.approx(impulses[3]) and impulses[0] > 0.0 == impulses[6]


@pytest.mark.parametrize(
    ("tolerance", "limit"), [(np.float32(1e-8), 10000), (1, 10000), (np.float64(1e-8), np.int32(500)), (1e-8, 10**30)]
)
def test_the_kind_of_a_number_compiles_nothing(tolerance, limit):
    W, q = stack([2.0, 5.0, 1.0])
    solve_friction(W, q, 0.7)
    before = len(friction.friction_entry.signatures)
    solve_friction(W, q, 0.7, tolerance, max_iterations=limit)
    assert len(friction.friction_entry.signatures) == before


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e160, 1e200])
def test_velocities_that_no_tolerance_fits_are_told(size):
    W, q = stack([2.0, 5.0, 1.0])
    found = solve_friction(W, size * q, 0.7)
    assert not found.converged and found.residual > 1.0


def test_a_contact_that_can_move_in_one_way_only_is_solved_or_told():
    W, q = np.ones((3, 3)), np.array([-1.0, 2.0, 0.0])  # a bead on a wire: all rows are the same motion
    found = solve_friction(W, q, 0.5)
    assert np.isfinite(found.impulses).all()
    assert found.converged
    assert_coulomb(W, q, 0.5, found.impulses, 1e-8)


def test_what_rounding_leaves_is_told_at_once_and_is_no_proof_against_a_solution():
    masses = [38.0, 0.0013, 2800.0, 0.15, 6000.0, 0.0005, 1100.0, 0.0008, 390.0]
    W, q = stack(masses)
    found = solve_friction(W, q, 1.0, 1e-14)
    assert found.status == "rounding" and not found.converged
    assert found.residual <= 1e-6 * GRAVITY * STEP
    assert found.iterations <= 500
    assert found.impulses[::12].sum() + found.impulses[3::12].sum() > 0.0
    ground = found.impulses[:12:3].sum()
    assert ground == pytest.approx(sum(masses) * GRAVITY * STEP, rel=1e-6)


def test_a_matrix_of_32_bits_is_not_called_indefinite():
    W, q = stack([0.3, 7.0, 1.1, 2.3], np.random.default_rng(1).normal(size=24))
    narrow = W.astype(np.float32)
    assert np.linalg.eigvalsh(narrow.astype(float))[0] < -1e-8 * W.max()
    found = solve_friction(narrow, q.astype(np.float32), 1.0, 1e-12)
    assert np.isfinite(found.impulses).all() and found.residual < 1e-6


def test_a_body_squeezed_between_two_walls_that_close_has_no_solution():
    J = np.vstack([
        contact_rows(1, 0, (0.0, 0.0, -0.1), -1, None, (0.0, 0.0, 1.0)),
        contact_rows(1, 0, (0.0, 0.0, 0.1), -1, None, (0.0, 0.0, -1.0)),
    ])  # fmt: skip
    W, q = problem(J, [1.0], [(0.01, 0.01, 0.01)], np.zeros(6))
    q[[0, 3]] -= 1.0  # both walls come on at 1 m/s
    found = solve_friction(W, q, 0.5)
    assert not found.converged
    assert found.status == "infeasible"
    assert found.residual > 0.1
    assert np.isfinite(found.impulses).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"W": np.zeros((3, 4))}, "W: expected a square matrix"),
        ({"W": np.eye(4)}, "three rows per contact"),
        ({"W": np.diag([1.0, np.nan, 1.0])}, "W: every number must be finite"),
        ({"W": np.diag([1.0, 0.0, 1.0])}, r"W\[1, 1\]: expected a positive number"),
        ({"W": np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])}, "symmetric"),
        ({"W": "nonsense"}, "W: expected a matrix of numbers"),
        ({"W": np.eye(3) + 0j}, "W: expected a matrix of numbers"),
        ({"W": sparse.csr_matrix(np.eye(3) + 0j)}, "W: expected a matrix of numbers, found the type complex128"),
        ({"W": np.eye(6)}, "q: expected shape|mu: expected shape"),
        ({"mu": "0.5"}, "mu: expected 1 numbers"),
        ({"q": np.full(3, -1.5e308)}, "the sum of their numbers overflows"),
        ({"q": np.zeros((3, 1))}, "q: expected shape"),
        ({"q": np.zeros(2)}, "expected shape"),
        ({"q": np.zeros(0), "mu": np.zeros(0)}, "expected shape"),
        ({"q": np.array([0.0, np.inf, 0.0])}, "q: every number must be finite"),
        ({"mu": [0.5, 0.5]}, "mu: expected shape"),
        ({"mu": -0.1}, r"mu\[0\]: expected a number of at least 0"),
        ({"start": np.zeros(4)}, "start: expected shape"),
        ({"W": np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])}, "W: expected a positive semidefinite"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"tolerance": "small"}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
    ],
)
def test_bad_input_is_refused_by_name(change, message):
    given_ = {"W": np.eye(3), "q": -np.ones(3), "mu": 0.5} | change
    with pytest.raises(ParameterError, match=message):
        solve_friction(**given_)
