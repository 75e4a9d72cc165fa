"""LCPs: how they are drawn at random, and solved by enumeration, by projection and by a naive rule."""

import itertools
from fractions import Fraction

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from legged_contact_sim.contact.solvers.scaling import find_scales

many = settings(max_examples=200, deadline=None)
few = settings(max_examples=60, deadline=None)
seeds = st.integers(0, 2**32 - 1)
numbers = st.floats(-2.0, 2.0, allow_subnormal=False)
small_integers = st.integers(-2, 2).map(float)
eighths = st.integers(-16, 16).map(lambda k: k / 8)

# Kostreva (1979): a P-matrix, hence one solution, on which Lemke's method with ties broken by the first row cycles.
CYCLING_M = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]])
CYCLING_Q = -np.ones(3)


@st.composite
def factors(draw, elements, smallest=1, largest=6):
    """Draw J (n, r) and v (r,): n contacts of a system with r degrees of freedom and unit inertia."""
    n, r = draw(st.integers(smallest, largest)), draw(st.integers(smallest, largest))
    return draw(arrays(float, (n, r), elements=elements)), draw(arrays(float, r, elements=elements))


@st.composite
def definite(draw, elements=numbers):
    """Draw a symmetric positive definite M, its condition number bounded by a ridge, and any q."""
    J, _ = draw(factors(elements))
    n = len(J)
    return J @ J.T + 0.25 * np.eye(n), draw(arrays(float, n, elements=elements))


def random_definite(seed, n):
    rng = np.random.default_rng(seed)
    J = rng.standard_normal((n, n))
    return J @ J.T / n + 0.1 * np.eye(n), rng.standard_normal(n)


def enumerate_solutions(M, q):
    """Return every solution that has a nonsingular active set, by trying all 2^n of them."""
    n = len(q)
    found = []
    for active in itertools.product([False, True], repeat=n):
        a = np.flatnonzero(active)
        z = np.zeros(n)
        z[a] = np.linalg.solve(M[np.ix_(a, a)], -q[a])
        if z.min() >= -1e-9 and (M @ z + q).min() >= -1e-9:
            found.append(z)
    return found


def closest_separating(J, v):
    """Return the u with J u >= 0 closest to v: its projection on the span of one of the cone's faces."""
    closest = np.zeros_like(v)
    for active in itertools.product([False, True], repeat=len(J)):
        face = J[np.array(active)]
        u = v - np.linalg.pinv(face, rcond=1e-10) @ (face @ v)
        if (J @ u).min() >= -1e-10 and np.linalg.norm(u - v) < np.linalg.norm(closest - v):
            closest = u
    return closest


def assert_complementary(M, q, solution, tolerance=1e-12):
    """The definition, term by term, in units in which M has entries of about 1."""
    rounding = 1e-14 * (np.abs(M) @ solution.z + np.abs(q)).max(initial=0.0)
    assert solution.status == "solved" and solution.converged
    assert solution.residual <= tolerance
    assert solution.z.min(initial=0.0) >= 0.0
    np.testing.assert_allclose(solution.w, M @ solution.z + q, rtol=0, atol=rounding)
    scale = np.empty(len(q))
    find_scales(M, scale)
    misses = np.minimum(solution.z / scale, solution.w * scale)
    assert np.abs(misses).max(initial=0.0) <= 10 * tolerance * np.abs(q * scale).max(initial=0.0) + 1e-300


def friction_pyramid(J, A, v, friction):
    """Return M, q of Stewart and Trinkle (1996) for contact Jacobians J (m, 3, n) with rows normal, x, y.

    The unknowns are normal impulses (m,), impulses along +x, +y, -x, -y of each contact (4 m,), and slip speeds (m,).
    """
    m = len(J)
    N = J[:, 0]
    D = np.concatenate([J[:, 1:], -J[:, 1:]], axis=1).reshape(4 * m, -1)
    E = np.kron(np.eye(m), np.ones((4, 1)))
    rows = np.concatenate([N, D])
    G = rows @ np.linalg.solve(A, rows.T)
    M = np.zeros((6 * m, 6 * m))
    M[: 5 * m, : 5 * m] = G
    M[m : 5 * m, 5 * m :] = E
    M[5 * m :, :m] = np.diag(friction)
    M[5 * m :, m : 5 * m] = -E.T
    return M, np.concatenate([rows @ v, np.zeros(m)]), rows


def random_pyramid(seed, m, freedoms):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((freedoms, freedoms))
    A = (root @ root.T + 0.3 * np.eye(freedoms)) * 10.0 ** rng.uniform(-3, 3)
    J, v = rng.standard_normal((m, 3, freedoms)), rng.standard_normal(freedoms)
    friction = rng.uniform(0.0, 1.5, m)
    return A, v, friction, *friction_pyramid(J, A, v, friction)


def naive_lemke(M, q):
    """Lemke's method in exact arithmetic, ties broken by the first row; "cycle" when a basis comes back."""
    n = len(q)
    T = [[Fraction(x) for x in (*M[i], 1, q[i])] for i in range(n)]
    basic, nonbasic, seen = list(range(n)), list(range(n, 2 * n + 1)), set()
    row, column = int(np.argmin(q)), n
    while True:
        pivot = T[row][column]
        T[row] = [-x / pivot for x in T[row]]
        T[row][column] = 1 / pivot
        for i in set(range(n)) - {row}:
            factor, T[i][column] = T[i][column], Fraction(0)
            T[i] = [a + factor * b for a, b in zip(T[i], T[row], strict=True)]
        basic[row], nonbasic[column] = nonbasic[column], basic[row]
        leaving = nonbasic[column]
        if leaving == 2 * n:
            return "solved"
        if (frozenset(basic), leaving) in seen:
            return "cycle"
        seen.add((frozenset(basic), leaving))
        column = nonbasic.index(leaving + n if leaving < n else leaving - n)
        ratios = [(T[i][-1] / -T[i][column], basic[i] != 2 * n, i) for i in range(n) if T[i][column] < 0]
        if not ratios:
            return "ray"
        row = min(ratios)[2]
