"""Kernels of LCPs: the same in plain Python, in a larger workspace, with bad numbers, without allocation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lcp_cases import few, random_definite, random_pyramid, seeds
from numba.core.runtime import _nrt_python, rtsys

from legged_contact_sim.contact.lcp import lemke_workspace, solve_lcp
from legged_contact_sim.contact.solvers.gauss_seidel import pgs_entry, pgs_kernel
from legged_contact_sim.contact.solvers.lemke import ITERATION_LIMIT, RAY, SOLVED, lemke_entry, lemke_kernel
from legged_contact_sim.contact.solvers.scaling import residual_kernel


def compiled_and_plain(M, q):
    n = len(q)
    z, w, plain = np.zeros(n), np.zeros(n), np.zeros(n)
    compiled = lemke_entry(M, q, *lemke_workspace(n), z, w, 1000)
    return compiled, z, lemke_entry.py_func(M, q, *lemke_workspace(n), plain, w, 1000), plain


@few
@given(seeds, st.integers(1, 12))
def test_compiled_pivots_equal_plain_python(seed, n):
    compiled, z, python, plain = compiled_and_plain(*random_definite(seed, n))
    assert compiled[:2] == python[:2]
    np.testing.assert_allclose(z, plain, rtol=0, atol=1e-10)
    assert max(compiled[2], python[2]) <= 1e-12


@few
@given(seeds, st.integers(1, 3))
def test_compiled_and_plain_python_both_solve_friction(seed, m):
    # Ties may be broken otherwise, since fused products round otherwise, and friction has more than one solution.
    M, q = random_pyramid(seed, m, 18)[3:5]
    compiled, _, python, plain = compiled_and_plain(M, q)
    assert compiled[0] == python[0] == SOLVED
    assert max(compiled[2], python[2]) <= 1e-11
    tableau, basis = lemke_workspace(len(q))
    z = np.zeros(len(q))
    assert lemke_kernel(M, q, tableau, basis, z) == python[:2]
    np.testing.assert_array_equal(z, plain)
    assert residual_kernel(M, q, z, np.zeros(len(q)), tableau[len(q)]) == python[2]


@few
@given(seeds, st.integers(1, 8))
def test_compiled_sweeps_equal_plain_python(seed, n):
    M, q = random_definite(seed, n)
    z, plain = np.zeros(n), np.zeros(n)
    iterations, change, _ = pgs_entry(M, q, z, np.zeros(n), np.zeros(n), 1.2, 1e-8, 40)
    plain_iterations, plain_change = pgs_kernel(M, q, plain, 1.2, 1e-8, 40)
    assert abs(plain_iterations - iterations) <= 1  # the last change may round to either side of the tolerance
    np.testing.assert_allclose(plain, z, rtol=0, atol=1e-7)
    assert plain_change == pytest.approx(change, rel=1e-3, abs=1e-8)


def test_kernel_works_in_a_larger_workspace():
    M, q = random_definite(1, 5)
    z = np.full(5, np.nan)
    tableau, basis = np.full((30, 40), np.nan), np.full(70, -7)
    status, _, _ = lemke_entry(M, q, tableau, basis, z, np.zeros(5), 1000)
    assert status == SOLVED
    np.testing.assert_array_equal(z, solve_lcp(M, q).z)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("place", [0, 2])
def test_kernels_do_not_call_a_bad_number_solved(bad, place):
    M, q = random_definite(2, 3)
    bad_M, bad_q = M.copy(), q.copy()
    bad_M[place, 1] = bad_q[place] = bad
    for problem in [(bad_M, q), (M, bad_q)]:
        assert lemke_entry(*problem, *lemke_workspace(3), np.zeros(3), np.zeros(3), 100)[0] == RAY
        assert pgs_entry(*problem, np.ones(3), np.zeros(3), np.zeros(3), 1.0, 1e-9, 100)[1:] == (math.inf, math.inf)


def test_limit_of_the_kernel():
    M, q = random_definite(0, 10)
    assert lemke_kernel(M, q, *lemke_workspace(10), np.zeros(10), 1) == (ITERATION_LIMIT, 1)


def test_pivots_allocate_nothing():
    def allocations(n):
        M, q = random_definite(0, n)
        q[0] = -1.0
        arguments = (M, q, *lemke_workspace(n), np.zeros(n), np.zeros(n), 1000)
        _, pivots, _ = lemke_entry(*arguments)
        before = rtsys.get_allocation_stats().alloc
        lemke_entry(*arguments)
        return pivots, rtsys.get_allocation_stats().alloc - before

    _nrt_python.memsys_enable_stats()
    try:
        (few_pivots, least), (many_pivots, most) = allocations(1), allocations(40)
    finally:
        _nrt_python.memsys_disable_stats()
    assert few_pivots == 2 and many_pivots > 10
    assert least == most  # numba's own, one per array argument
