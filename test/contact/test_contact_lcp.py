"""LCPs against enumeration, projection on a cone, the physics of contact, and a naive rule that cycles."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from lcp_cases import (
    CYCLING_M,
    CYCLING_Q,
    assert_complementary,
    closest_separating,
    definite,
    eighths,
    enumerate_solutions,
    factors,
    few,
    friction_pyramid,
    many,
    naive_lemke,
    random_definite,
    random_pyramid,
    seeds,
    small_integers,
)

from legged_contact_sim.contact.lcp import solve_lcp
from legged_contact_sim.errors import ParameterError

# --- Lemke ------------------------------------------------------------------------------------------------------------


@many
@given(definite())
def test_definite_problem_has_the_one_solution_that_enumeration_finds(problem):
    M, q = problem
    solution = solve_lcp(M, q)
    assert_complementary(M, q, solution)
    for z in enumerate_solutions(M, q):
        np.testing.assert_allclose(solution.z, z, rtol=0, atol=1e-7)
    assert enumerate_solutions(M, q)


@many
@given(definite(small_integers))
def test_ties_and_zeros_in_q_are_solved(problem):
    M, q = problem
    assert_complementary(M, q, solve_lcp(M, q))


@many
@given(st.sampled_from([eighths, small_integers]).flatmap(factors))
def test_redundant_contacts_project_the_velocity(problem):
    # M = J J^T, q = J v: the velocity v + J^T z after impact is the closest to v that does not penetrate.
    J, v = problem
    solution = solve_lcp(J @ J.T, J @ v, tolerance=1e-9)
    assert_complementary(J @ J.T, J @ v, solution, 1e-9)
    np.testing.assert_allclose(v + J.T @ solution.z, closest_separating(J, v), rtol=0, atol=1e-9)


@few
@given(seeds, st.integers(2, 6), st.integers(1, 5))
def test_a_contact_listed_several_times_carries_the_same_total(seed, n, copies):
    M, q = random_definite(seed, n)
    repeat = np.repeat(np.arange(n), copies)
    solution = solve_lcp(M[np.ix_(repeat, repeat)], q[repeat])
    assert solution.converged
    np.testing.assert_allclose(solution.z.reshape(n, copies).sum(axis=1), solve_lcp(M, q).z, rtol=0, atol=1e-11)


@many
@given(seeds, st.integers(1, 7), st.sampled_from([3, 6, 18]))
def test_friction_pyramid_is_solved_and_obeys_coulomb(seed, m, freedoms):
    A, v, friction, M, q, rows = random_pyramid(seed, m, freedoms)
    solution = solve_lcp(M, q, tolerance=1e-9)
    assert_complementary(M, q, solution, 1e-9)
    impulse = solution.z[: 5 * m]
    after = v + np.linalg.solve(A, rows.T @ impulse)
    assert after @ A @ after <= (v @ A @ v) * (1 + 1e-9)
    unit = np.abs(A @ v).max()
    normal, tangential, slip = impulse[:m], impulse[m:].reshape(m, 4), solution.z[5 * m :]
    velocity = (rows @ after)[m:].reshape(m, 4)
    assert (tangential.sum(axis=1) <= friction * normal + 1e-8 * unit).all()
    # Maximal dissipation: where a contact slides, friction is at its limit and acts against the fastest direction.
    sliding = (slip > 1e-6) & (normal > 1e-6 * unit)
    np.testing.assert_allclose(tangential[sliding].sum(axis=1), (friction * normal)[sliding], rtol=0, atol=1e-8 * unit)
    np.testing.assert_allclose(velocity[sliding].min(axis=1), -slip[sliding], rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed, m, freedoms", [(216, 4, 3), (11019, 4, 3), (5379, 4, 6), (5783, 4, 6), (6577, 4, 6)])
def test_path_lost_by_rounding_is_walked_again(seed, m, freedoms):
    # With ties taken narrowly, these redundant contacts end on a false ray (216) or go round in circles.
    M, q = random_pyramid(seed, m, freedoms)[3:5]
    assert_complementary(M, q, solve_lcp(M, q))


def test_small_numbers_are_not_taken_for_zero():
    M = np.array([[3.5, 2.5, 0.0, -1.5], [2.5, 2.25, 0.0, -1.0], [0.0, 0.0, 0.25, 0.0], [-1.5, -1.0, 0.0, 1.25]])
    q = np.array([0.0, 0.0, 1.0, -1.138e-11])
    solution = solve_lcp(M, q)
    assert_complementary(M, q, solution)
    (z,) = {tuple(np.round(z, 14)) for z in enumerate_solutions(M, 1e11 * q)}
    np.testing.assert_allclose(1e11 * solution.z, z, rtol=0, atol=1e-9)


@pytest.mark.parametrize("friction, lost", [(0.0, 0.0), (0.3, 0.6), (2.0, 1.0)])
def test_particle_that_lands_while_sliding(friction, lost):
    # Normal impulse m v_n; friction takes min(m v_x, mu m v_n): Coulomb's law for an impact without restitution.
    mass, v = 5.0, np.array([-2.0, 1.0, 0.0])
    M, q, _ = friction_pyramid(np.eye(3)[None], mass * np.eye(3), v, np.array([friction]))
    z = solve_lcp(M, q).z
    np.testing.assert_allclose(z[0], 10.0, rtol=1e-14)
    np.testing.assert_allclose(z[1:5], [0.0, 0.0, mass * lost, 0.0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(z[5], 1.0 - lost, rtol=0, atol=1e-14)


def test_contradictory_contacts_end_on_a_ray_with_the_best_point():
    # Contacts 1 and 2 squeeze the same body: w_1 + w_2 = -2 whatever z. Contact 0 alone could be satisfied.
    M = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, -1.0, 1.0]])
    q = np.array([-5.0, -1.0, -1.0])
    solution = solve_lcp(M, q)
    assert (solution.status, solution.converged) == ("ray", False)
    np.testing.assert_array_equal(solution.w, M @ solution.z + q)
    np.testing.assert_allclose(solution.w.min(), -1.0, rtol=1e-12)  # no z violates less; z = 0 violates by 5
    assert solution.residual == pytest.approx(0.2)


@pytest.mark.parametrize("M, q", [([[0.0, 1.0], [-1.0, 0.0]], [-1.0, -1.0]), ([[0.0]], [-1.0]), ([[-1.0]], [-1e-9])])
def test_infeasible_problem_ends_on_a_ray(M, q):
    solution = solve_lcp(M, q)
    assert (solution.status, solution.converged) == ("ray", False)
    assert solution.residual > 0.1


def test_example_on_which_a_naive_rule_cycles_is_solved():
    assert naive_lemke(CYCLING_M, CYCLING_Q) == "cycle"
    solution = solve_lcp(CYCLING_M, CYCLING_Q, max_iterations=20)
    assert_complementary(CYCLING_M, CYCLING_Q, solution)
    np.testing.assert_allclose(solution.z, 1.0 / 3.0, rtol=1e-15)


@settings(max_examples=300, deadline=None)
@given(st.integers(2, 4), st.data())
def test_degenerate_paths_of_any_matrix_end(n, data):
    M = data.draw(arrays(float, (n, n), elements=small_integers))
    q = data.draw(arrays(float, n, elements=st.sampled_from([-1.0, 0.0])))
    solution = solve_lcp(M, q, max_iterations=200)
    assert solution.status in ("solved", "ray")
    if solution.status == "solved":
        assert_complementary(M, q, solution)


@few
@given(seeds, st.integers(1, 40), st.integers(-60, 60))
def test_powers_of_two_change_no_digit(seed, n, exponent):
    M, q = random_definite(seed, n)
    factor = 2.0**exponent
    plain, more, stiffer = solve_lcp(M, q), solve_lcp(M, factor * q), solve_lcp(4.0**exponent * M, q)
    np.testing.assert_array_equal(more.z, factor * plain.z)
    np.testing.assert_array_equal(stiffer.z, plain.z / 4.0**exponent)
    assert plain.residual == more.residual == stiffer.residual
    assert plain.iterations == more.iterations == stiffer.iterations


@few
@given(seeds, st.floats(-9.0, 9.0), st.sampled_from(["lemke", "pgs"]))
def test_size_of_q_does_not_matter(seed, exponent, method):
    M, q = random_definite(seed, 12)
    plain, scaled = solve_lcp(M, q, method), solve_lcp(M, 10.0**exponent * q, method)
    assert scaled.converged
    np.testing.assert_allclose(scaled.z, 10.0**exponent * plain.z, rtol=1e-9, atol=1e-10 * 10.0**exponent)


@few
@given(seeds, st.integers(1, 7))
def test_units_of_each_row_do_not_matter(seed, m):
    # Metres and radians, grams and tons: z_i in units of s_i, w_i in units of 1 / s_i.
    M, q = random_pyramid(seed, m, 18)[3:5]
    s = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, len(q))
    plain, scaled = solve_lcp(M, q, tolerance=1e-9), solve_lcp(s[:, None] * M * s, s * q, tolerance=1e-9)
    assert plain.converged and scaled.converged
    z = s * scaled.z
    w = M @ z + q
    assert np.abs(np.minimum(z * np.abs(M).max(), w)).max() <= 1e-7 * np.abs(M).max() * np.abs(plain.z).max() + 1e-12


def test_no_unknown():
    for method in ("lemke", "pgs"):
        solution = solve_lcp(np.zeros((0, 0)), [], method)
        assert solution.z.shape == solution.w.shape == (0,)
        assert solution.converged and solution.residual == 0.0


@many
@given(st.floats(1e-6, 1e6), st.floats(-1e6, 1e6, allow_subnormal=False), st.sampled_from(["lemke", "pgs"]))
def test_one_unknown(m, q, method):
    solution = solve_lcp([[m]], [q], method)
    assert solution.converged
    assert solution.z[0] == pytest.approx(max(0.0, -q / m), rel=1e-14)


@few
@given(arrays(float, 5, elements=st.floats(0.0, 10.0)))
def test_nonnegative_q_needs_no_pivot(q):
    solution = solve_lcp(-np.ones((5, 5)), q)
    assert (solution.status, solution.iterations, solution.residual) == ("solved", 0, 0.0)
    np.testing.assert_array_equal(solution.z, 0.0)
    np.testing.assert_array_equal(solution.w, q)


def test_iteration_limit_is_reported():
    for method in ("lemke", "pgs"):
        solution = solve_lcp(*random_definite(0, 10), method, max_iterations=2)
        assert (solution.status, solution.converged, solution.iterations) == ("iteration_limit", False, 2)
        assert solution.residual > 1e-6


# --- projected Gauss-Seidel -------------------------------------------------------------------------------------------


@few
@given(seeds, st.integers(1, 40), st.floats(0.7, 1.5))
def test_sweeps_agree_with_pivots(seed, n, relaxation):
    M, q = random_definite(seed, n)
    swept = solve_lcp(M, q, "pgs", relaxation=relaxation)
    assert_complementary(M, q, swept)
    np.testing.assert_allclose(swept.z, solve_lcp(M, q).z, rtol=0, atol=1e-9)


@pytest.mark.parametrize("relaxation, after_one, after_two", [(1.0, 1.0, 1.0), (1.5, 1.5, 0.75), (0.5, 0.5, 0.75)])
def test_relaxation_scales_every_step(relaxation, after_one, after_two):
    for sweeps, expected in [(1, after_one), (2, after_two)]:
        solution = solve_lcp([[2.0]], [-2.0], "pgs", relaxation=relaxation, max_iterations=sweeps)
        assert solution.z[0] == expected


def test_warm_start_saves_the_sweeps():
    M, q = random_definite(3, 20)
    cold = solve_lcp(M, q, "pgs")
    warm = solve_lcp(M, q, "pgs", start=cold.z)
    assert cold.iterations > 20 and warm.iterations <= 2
    np.testing.assert_allclose(warm.z, cold.z, rtol=0, atol=1e-11)


def test_start_below_zero_is_projected_and_left_alone():
    M, q = random_definite(3, 4)
    start = -np.ones(4)
    from_below = solve_lcp(M, q, "pgs", start=start)
    np.testing.assert_array_equal(start, -1.0)
    np.testing.assert_array_equal(from_below.z, solve_lcp(M, q, "pgs").z)


def test_diverging_sweeps_are_reported():
    solution = solve_lcp([[1.0, -3.0], [-3.0, 1.0]], [-1.0, -1.0], "pgs")
    assert (solution.status, solution.converged) == ("iteration_limit", False)
    assert solution.residual > 1e100 and solution.iterations < 1000


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, options, culprit",
    [
        (([[1.0, 0.0]], [1.0]), {}, r"M: expected a square matrix, found shape \(1, 2\)"),
        (([1.0, 2.0], [1.0, 2.0]), {}, r"M: expected a square matrix, found shape \(2,\)"),
        (([], [1.0]), {}, "M: expected a square matrix"),
        (([["a"]], [1.0]), {}, "M: expected a matrix of numbers"),
        (([[1.0, 2.0], [3.0]], [1.0, 2.0]), {}, "M: expected a matrix of numbers"),
        ((np.eye(2), [1.0]), {}, r"q: expected shape \(2,\), found \(1,\)"),
        ((np.eye(2), [[1.0, 1.0]]), {}, r"q: expected shape \(2,\)"),
        ((np.eye(2), [1.0, math.nan]), {}, "q: every number must be finite, found nan"),
        (([[1.0, 0.0], [math.inf, 1.0]], [1.0, 1.0]), {}, r"M: every number must be finite, found inf at \[1, 0\]"),
        ((np.eye(1), [1.0], "simplex"), {}, "method is 'simplex'; expected one of 'lemke', 'pgs'"),
        ((np.eye(1), [1.0]), {"tolerance": 0.0}, "tolerance is 0.0"),
        ((np.eye(1), [1.0]), {"tolerance": math.nan}, "tolerance is nan"),
        ((np.eye(1), [1.0]), {"max_iterations": 0}, "max_iterations is 0"),
        ((np.eye(1), [1.0]), {"max_iterations": 1.5}, "max_iterations is 1.5"),
        ((np.eye(1), [1.0], "pgs"), {"relaxation": 2.0}, "relaxation is 2.0"),
        ((np.eye(1), [1.0]), {"relaxation": 1.2}, "relaxation is 1.2; method 'lemke' has none"),
        ((np.eye(1), [1.0]), {"start": [0.0]}, "start: method 'lemke' takes no starting point"),
        ((np.eye(1), [1.0], "pgs"), {"start": [0.0, 0.0]}, r"start: expected shape \(1,\)"),
        (([[1.0, 0.0], [0.0, 0.0]], [1.0, 1.0], "pgs"), {}, r"M\[1, 1\]: method 'pgs' .* found 0.0"),
        (([[-2.0]], [1.0], "pgs"), {}, r"M\[0, 0\]: method 'pgs' .* found -2.0"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, options, culprit):
    with pytest.raises(ParameterError, match=culprit):
        solve_lcp(*arguments, **options)


def test_input_is_left_alone():
    M, q = random_definite(5, 6)
    copies = M.copy(), q.copy()
    solve_lcp(M, q)
    solve_lcp(M, q, "pgs")
    np.testing.assert_array_equal(M, copies[0])
    np.testing.assert_array_equal(q, copies[1])
