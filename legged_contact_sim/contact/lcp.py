"""Linear complementarity problems: Lemke's complementary pivoting and projected Gauss-Seidel.

Given M (n, n) and q (n,), find z (n,) with

    w = M z + q,    z >= 0,    w >= 0,    z . w = 0                       (Ayit eq. 4.14, 4.21, 4.33)

In a frictionless contact M is the inverse contact inertia, z the impulses and w the separation velocities.

Lemke (Ayit 4.3.1; Cottle, Pang, Stone, *The Linear Complementarity Problem*, Algorithm 4.4.5 with the lexicographic
rule of section 4.9) covers q by an artificial variable, w = q + M z + d z0 with d > 0, and follows the path of
almost complementary solutions until z0 leaves. The dictionary ``basic = rhs + T nonbasic`` is kept condensed,
(n, n + 2) numbers, and moves by Jordan exchanges. It ends at a solution whenever M is copositive-plus and the
problem feasible, and for the friction pyramids of Stewart and Trinkle; otherwise it may end on a ray.

Projected Gauss-Seidel (Ayit eq. 4.34 to 4.39; Cottle, Pang, Stone, section 5.2) sweeps
``z_i <- max(0, z_i - relaxation w_i / M_ii)``; it converges for symmetric positive semidefinite M with positive
diagonal and 0 < relaxation < 2 if the problem has a solution.

What counts as zero is decided in scaled units, ``z_i = s_i z'_i`` and ``w_i = w'_i / s_i``, in which M' = S M S has a
diagonal of about 1: neither the masses nor a mixture of metres and radians matters then. The s_i are powers of two,
so that scaling rounds nothing.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compilation import compiled, inlined
from ..dynamics.functions import checked
from ..errors import ParameterError

Array = NDArray[np.float64]

METHODS = ("lemke", "pgs")

# How Lemke's path ended, best first.
SOLVED, RAY, ITERATION_LIMIT = 0, 1, 2
STATUS = ("solved", "ray", "iteration_limit")

# Relative to the largest entry of its column (or 1), a pivot below this is the rounding left by a singular M.
SMALLEST_PIVOT = 1e-11
# Two rows that reach zero this close together, in units of the largest q', reach it together. The narrow one keeps
# small numbers apart from zero; where it takes rounding for a number and loses the path, the wide one does not.
NARROW_TIE, WIDE_TIE = 1e-15, 1e-12
# Residual that needs no second path.
CLEAN = 1e-12
# Numbers below count as zero where a scale is looked for: their inverse may overflow.
TINY = 1e-300


class LcpSolution(NamedTuple):
    """What `solve_lcp` found.

    Attributes:
        z: the solution (n,), or the best point found.
        w: M z + q (n,).
        converged: solved, and the residual within the tolerance (with an ill-conditioned M, z can be so
            large that the rounding of M z alone misses a tight tolerance).
        status: "solved"; "ray", Lemke's path went to infinity and the problem may have no solution; "iteration_limit".
        iterations: pivots or sweeps.
        residual: the largest abs(min(z'_i, w'_i)) over the largest abs(q'_i), in scaled units; 0 is exact.
    """

    z: Array
    w: Array
    converged: bool
    status: str
    iterations: int
    residual: float


def solve_lcp(
    M: ArrayLike,
    q: ArrayLike,
    method: str = "lemke",
    *,
    tolerance: float = 1e-12,
    max_iterations: int = 10_000,
    relaxation: float = 1.0,
    start: ArrayLike | None = None,
) -> LcpSolution:
    """Find z with ``w = M z + q``, ``z >= 0``, ``w >= 0``, ``z . w = 0``.

    Args:
        M: matrix (n, n); "pgs" wants a positive diagonal.
        q: vector (n,).
        method: "lemke" (exact, any M) or "pgs" (iterative, for symmetric positive semidefinite M).
        tolerance: residual below which the solution counts as converged, relative to q.
        max_iterations: most pivots or sweeps.
        relaxation: over-relaxation factor of "pgs", between 0 and 2.
        start: z (n,) from which "pgs" starts, projected on z >= 0; zero if None.

    Returns:
        An `LcpSolution`. A problem that could not be solved is reported by its status, with the best z found: for
        "lemke" the point of its path with the least artificial variable z0, by which w (scaled) may be negative.
    """
    M, q = _checked_problem(M, q)
    _check_options(method, tolerance, max_iterations, relaxation, start)
    if method == "lemke":
        return _solve_by_pivoting(M, q, tolerance, max_iterations)
    z = np.zeros(len(q)) if start is None else np.maximum(checked("start", start, len(q)), 0.0)
    return _solve_by_sweeps(M, q, z, tolerance, max_iterations, relaxation)


def lemke_workspace(n: int) -> tuple[Array, NDArray[np.int64]]:
    """Return the tableau (n + 2, n + 2) and the basis (2 n + 1,) that `lemke_kernel` works in, for up to n unknowns."""
    return np.zeros((n + 2, n + 2)), np.zeros(2 * n + 1, dtype=np.int64)


def _solve_by_pivoting(M: Array, q: Array, tolerance: float, max_iterations: int) -> LcpSolution:
    z, w = np.zeros_like(q), np.empty_like(q)
    tableau, basis = lemke_workspace(len(q))
    status, iterations, residual = lemke_entry(M, q, tableau, basis, z, w, max_iterations)
    return LcpSolution(z, w, status == SOLVED and residual <= tolerance, STATUS[status], iterations, residual)


def _solve_by_sweeps(
    M: Array, q: Array, z: Array, tolerance: float, max_iterations: int, relaxation: float
) -> LcpSolution:
    for i in range(len(q)):
        if not M[i, i] > 0.0:
            raise ParameterError(f"M[{i}, {i}]: method 'pgs' divides by it and expects it positive, found {M[i, i]}")
    w, scale = np.empty_like(q), np.empty_like(q)
    iterations, change, residual = 0, 1.0, math.inf
    # The change within a sweep is a residual too, but of a z that moves: the last z may need a few sweeps more.
    while residual > tolerance and iterations < max_iterations and 0.0 < change < math.inf:
        left = max_iterations - iterations
        sweeps, change, residual = pgs_entry(M, q, z, w, scale, relaxation, tolerance, left)
        iterations += sweeps
    status = SOLVED if residual <= tolerance else ITERATION_LIMIT
    return LcpSolution(z, w, status == SOLVED, STATUS[status], iterations, residual)


def _checked_problem(M: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    try:
        matrix = np.array(M, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ParameterError(f"M: expected a matrix of numbers, found {M!r:.80}") from None
    if matrix.size == 0 and np.size(q) == 0:
        matrix = matrix.reshape(0, 0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ParameterError(f"M: expected a square matrix, found shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0]
        raise ParameterError(f"M: every number must be finite, found {matrix[i, j]} at [{i}, {j}]")
    return matrix, checked("q", q, len(matrix))


def _check_options(
    method: str, tolerance: float, max_iterations: int, relaxation: float, start: ArrayLike | None
) -> None:
    if method not in METHODS:
        raise ParameterError(f"method is {method!r}; expected one of {', '.join(map(repr, METHODS))}")
    if not 0.0 < tolerance < math.inf:
        raise ParameterError(f"tolerance is {tolerance!r}; expected a positive number")
    if not (isinstance(max_iterations, int | np.integer) and max_iterations >= 1):
        raise ParameterError(f"max_iterations is {max_iterations!r}; expected an integer of at least 1")
    if not 0.0 < relaxation < 2.0:
        raise ParameterError(f"relaxation is {relaxation!r}; expected a number between 0 and 2")
    if method == "lemke" and relaxation != 1.0:
        raise ParameterError(f"relaxation is {relaxation!r}; method 'lemke' has none, it belongs to 'pgs'")
    if method == "lemke" and start is not None:
        raise ParameterError("start: method 'lemke' takes no starting point, it belongs to 'pgs'")


# --- scales and residual ----------------------------------------------------------------------------------------------


@inlined
def power_of_two(x):
    """Return the least power of two above x > 0; 1 for zero, NaN and infinity."""
    if not TINY < x < 1.0 / TINY:
        return 1.0
    return math.ldexp(1.0, math.frexp(x)[1])


@inlined
def is_number(x):
    """Return whether x is finite; math.isfinite looks at x - x, which reassociation makes 0 whatever x is."""
    return abs(x) < math.inf


@inlined
def largest_coupling(M, scale, i):
    """Return the largest entry of row and column i of S M S, apart from s_i itself."""
    largest = 0.0
    for j in range(M.shape[0]):
        largest = max(largest, scale[j] * abs(M[i, j]), scale[j] * abs(M[j, i]))
    return largest


@inlined
def find_scales(M, scale):
    """Fill scale (n,) with powers of two s such that S M S has entries of size 1 (its diagonal, where positive).

    Rows without a diagonal (the cone rows of a friction pyramid) are scaled by their largest coupling instead; rows
    that still exceed 1 (never so for a symmetric positive semidefinite M) are scaled down.
    """
    n = M.shape[0]
    for i in range(n):
        scale[i] = 0.0
        if M[i, i] > 0.0:
            scale[i] = 1.0 / power_of_two(math.sqrt(M[i, i]))
    for i in range(n):
        if scale[i] == 0.0:
            scale[i] = 1.0 / power_of_two(largest_coupling(M, scale, i))
    for i in range(n):
        excess = scale[i] * largest_coupling(M, scale, i)
        if 4.0 < excess < math.inf:
            scale[i] /= power_of_two(math.sqrt(excess))


@inlined
def largest_scaled(q, scale):
    """Return the largest abs(s_i q_i)."""
    largest = 0.0
    for i in range(q.shape[0]):
        largest = max(largest, scale[i] * abs(q[i]))
    return largest


@inlined
def row_value(M, q, z, i):
    """Return w_i = q_i + sum_j M_ij z_j."""
    value = q[i]
    for j in range(q.shape[0]):
        value += M[i, j] * z[j]
    return value


@inlined
def residual_kernel(M, q, z, w, scale):
    """Fill w = M z + q and return max abs(min(z_i / s_i, s_i w_i)) / max abs(s_i q_i); scale from `find_scales`."""
    worst = 0.0
    for i in range(q.shape[0]):
        w[i] = row_value(M, q, z, i)
        miss = abs(min(z[i] / scale[i], scale[i] * w[i])) if is_number(w[i]) else math.inf
        worst = max(worst, miss)
    size = largest_scaled(q, scale)
    return worst / size if TINY < size < math.inf else worst


# --- Lemke ------------------------------------------------------------------------------------------------------------
#
# Labels of the variables: w_i is i, z_i is n + i, z0 is 2 n. basis[:n] names the basic variable of each row,
# basis[n:] the nonbasic variable of each column; column n + 1 is the right-hand side, row n keeps the scales and
# row n + 1 the z of an earlier path.


@inlined
def set_up(M, q, tableau, basis):
    """Write the first dictionary w' = q' + M' z' + 1 z0 with max abs(q') about 1; return the unit of q'."""
    n = q.shape[0]
    scale = tableau[n]
    find_scales(M, scale)
    unit = power_of_two(largest_scaled(q, scale))
    for i in range(n):
        for j in range(n):
            tableau[i, j] = scale[i] * M[i, j] * scale[j]
        tableau[i, n] = 1.0
        tableau[i, n + 1] = scale[i] * q[i] / unit
    for label in range(2 * n + 1):
        basis[label] = label
    return unit


@inlined
def holds_numbers(tableau, n):
    """Return whether the first dictionary is free of NaN and infinity: either would show in the sum."""
    total = 0.0
    for i in range(n):
        for j in range(n + 2):
            total += abs(tableau[i, j])
    return is_number(total)


@inlined
def exchange(tableau, basis, n, row, column):
    """Jordan exchange: the basic variable of the row and the nonbasic one of the column change places."""
    inverse = 1.0 / tableau[row, column]
    pivot_row = tableau[row]
    for j in range(n + 2):
        pivot_row[j] *= -inverse
    pivot_row[column] = inverse
    for i in range(n):
        if i != row:
            other = tableau[i]
            factor = other[column]
            if factor != 0.0:
                other[column] = 0.0
                for j in range(n + 2):
                    other[j] += factor * pivot_row[j]
    leaving = basis[row]
    basis[row] = basis[n + column]
    basis[n + column] = leaving


@inlined
def first_row(tableau, n, tie):
    """Return the row that z0 replaces first, the lexicographically least of (q'_i, e_i); -1 if q >= 0."""
    least = 0.0
    for i in range(n):
        least = min(least, tableau[i, n + 1])
    row = -1
    for i in range(n):
        # Of equal values the last: e_i is the smaller the later its one comes.
        if tableau[i, n + 1] < 0.0 and tableau[i, n + 1] <= least + tie:
            row = i
    return row


@inlined
def position(basis, n, label):
    """Return where a variable stands: its row if basic, n + its column if not."""
    for k in range(2 * n + 1):
        if basis[k] == label:
            return k
    return -1


@inlined
def perturbation(tableau, n, row, place):
    """Return row's entry of the basis inverse for the variable w_i that stands at ``place``."""
    if place >= n:
        return -tableau[row, place - n]
    return 1.0 if place == row else 0.0


@inlined
def lexicographically_less(tableau, basis, n, a, b, column):
    """Compare rows a and b that tie in the ratio test by the rest of (rhs, basis inverse) / pivot.

    This is the ratio test for q + (e, e^2, ..., e^n) with an infinitesimal e, which no two rows pass together:
    no basis comes back, so the path cannot cycle.
    """
    pivot_a, pivot_b = -tableau[a, column], -tableau[b, column]
    for i in range(n):
        place = position(basis, n, i)
        entry_a, entry_b = perturbation(tableau, n, a, place), perturbation(tableau, n, b, place)
        difference = entry_a * pivot_b - entry_b * pivot_a
        rounding = SMALLEST_PIVOT * ((1.0 + abs(entry_a)) * pivot_b + (1.0 + abs(entry_b)) * pivot_a)
        if abs(difference) > rounding:
            return difference < 0.0
    return False


@inlined
def leaving_row(tableau, basis, n, column, tie):
    """Return the row that reaches zero first as the column's variable grows, z0's if it ties; -1 on a ray."""
    largest = 1.0
    for i in range(n):
        largest = max(largest, abs(tableau[i, column]))
    blocking = -SMALLEST_PIVOT * largest
    reach = math.inf
    for i in range(n):
        if tableau[i, column] < blocking:
            reach = min(reach, max(tableau[i, n + 1], 0.0) / -tableau[i, column])
    row = -1
    for i in range(n):
        if tableau[i, column] < blocking:
            value = tableau[i, n + 1]
            if value + tableau[i, column] * reach <= tie * (1.0 + value):
                if basis[i] == 2 * n:
                    return i
                if row < 0 or lexicographically_less(tableau, basis, n, i, row, column):
                    row = i
    return row


@inlined
def read_solution(tableau, basis, n, unit, z):
    """Write the values that the dictionary gives to z, in the caller's units."""
    for i in range(n):
        z[i] = 0.0
    for row in range(n):
        i = basis[row] - n
        if 0 <= i < n:
            z[i] = max(tableau[row, n + 1], 0.0) * tableau[n, i] * unit


@inlined
def follow_path(M, q, tableau, basis, z, tie, max_iterations):
    """Follow Lemke's path from z0 = infinity to its end; return (status, iterations)."""
    n = q.shape[0]
    unit = set_up(M, q, tableau, basis)
    read_solution(tableau, basis, n, unit, z)
    if not holds_numbers(tableau, n):
        return RAY, 0
    row = first_row(tableau, n, tie)
    if row < 0:
        return SOLVED, 0
    column = n  # z0
    least = math.inf
    for iteration in range(1, max_iterations + 1):
        leaving = basis[row]
        exchange(tableau, basis, n, row, column)
        if leaving == 2 * n:
            read_solution(tableau, basis, n, unit, z)
            return SOLVED, iteration
        artificial = tableau[position(basis, n, 2 * n), n + 1]
        if artificial < least:
            least = artificial
            read_solution(tableau, basis, n, unit, z)
        complement = leaving + n if leaving < n else leaving - n
        column = position(basis, n, complement) - n
        row = leaving_row(tableau, basis, n, column, tie)
        if row < 0:
            return (SOLVED if least <= 10.0 * tie else RAY), iteration
    return ITERATION_LIMIT, max_iterations


@inlined
def lemke_kernel(M, q, tableau, basis, z, max_iterations=10_000):
    """Solve the LCP by complementary pivoting; return (status, iterations). Nothing is allocated.

    If rounding has spoilt the path, a second one that takes more for a tie is tried, and the better of the two kept.

    Args:
        M: matrix (n, n).
        q: vector (n,).
        tableau: work, at least (n + 2, n + 2); its row n holds the scales afterwards (see `residual_kernel`).
        basis: work, integers, at least (2 n + 1,).
        z: result (n,); on a ray or at the limit, the point of the path with the least z0.
        max_iterations: most exchanges.

    Returns:
        SOLVED, RAY or ITERATION_LIMIT, and the number of exchanges; RAY and none if M or q is not finite.
    """
    n = q.shape[0]
    scale, kept, w = tableau[n], tableau[n + 1], tableau[0]  # once the path has ended its rows are free
    status, first = follow_path(M, q, tableau, basis, z, NARROW_TIE, min(max_iterations, 50 + 10 * n))
    residual = residual_kernel(M, q, z, w, scale)
    if (status == SOLVED and residual <= CLEAN) or first == 0 or first >= max_iterations:
        return status, first
    for i in range(n):
        kept[i] = z[i]
    other, second = follow_path(M, q, tableau, basis, z, WIDE_TIE, max_iterations - first)
    if other < status or (other == status and residual_kernel(M, q, z, w, scale) <= residual):
        return other, first + second
    for i in range(n):
        z[i] = kept[i]
    return status, first + second


@compiled
def lemke_entry(M, q, tableau, basis, z, w, max_iterations):
    """Run `lemke_kernel`, fill w and return (status, iterations, residual)."""
    status, iterations = lemke_kernel(M, q, tableau, basis, z, max_iterations)
    return status, iterations, residual_kernel(M, q, z, w, tableau[q.shape[0]])


# --- projected Gauss-Seidel -------------------------------------------------------------------------------------------


@inlined
def pgs_kernel(M, q, z, relaxation, tolerance, max_iterations):
    """Sweep z towards the solution of the LCP; return (iterations, change). Nothing is allocated.

    One sweep is ``z_i <- max(0, z_i - relaxation w_i / M_ii)`` for every i in turn, w being up to date (Ayit eq. 4.36
    to 4.38). The change of z_i is -min(z_i, relaxation w_i / M_ii), itself the complementarity residual; hence
    change = max(sqrt(M_ii) abs(change_i)) / max(abs(q_i) / sqrt(M_ii)), where Ayit's eq. 4.39 compares with z. A w that
    is no longer finite ends the sweeps with an infinite change.

    Args:
        M: matrix (n, n) with a positive diagonal.
        q: vector (n,).
        z: start and result (n,).
        relaxation: over-relaxation factor, between 0 and 2.
        tolerance: change of a sweep that ends the sweeps.
        max_iterations: most sweeps.
    """
    n = q.shape[0]
    size = 0.0
    for i in range(n):
        size = max(size, abs(q[i]) / math.sqrt(M[i, i]))
    unit = 1.0 / size if size > TINY else 1.0
    change = 0.0
    for iteration in range(1, max_iterations + 1):
        change = 0.0
        for i in range(n):
            value = row_value(M, q, z, i)
            if not is_number(value):
                return iteration, math.inf
            moved = max(0.0, z[i] - relaxation * value / M[i, i])
            change = max(change, abs(moved - z[i]) * math.sqrt(M[i, i]) * unit)
            z[i] = moved
        if change <= tolerance:
            return iteration, change
    return max_iterations, change


@compiled
def pgs_entry(M, q, z, w, scale, relaxation, tolerance, max_iterations):
    """Run `pgs_kernel`, fill w and scale and return (iterations, change, residual)."""
    iterations, change = pgs_kernel(M, q, z, relaxation, tolerance, max_iterations)
    find_scales(M, scale)
    return iterations, change, residual_kernel(M, q, z, w, scale)
