"""Linear complementarity problems: Lemke's complementary pivoting and projected Gauss-Seidel.

Given M (n, n) and q (n,), find z (n,) with

    w = M z + q,    z >= 0,    w >= 0,    z . w = 0                       (Ayit eq. 4.14, 4.21, 4.33)

In a frictionless contact M is the inverse contact inertia, z the impulses and w the separation velocities.

`solvers.lemke` and `solvers.gauss_seidel` are the methods; `solvers.scaling` says what counts as zero.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..dynamics.functions import checked
from ..errors import ParameterError
from .solvers.gauss_seidel import pgs_entry
from .solvers.lemke import ITERATION_LIMIT, SOLVED, lemke_entry

Array = NDArray[np.float64]

METHODS = ("lemke", "pgs")

# How the search for a solution ended, best first.
STATUS = ("solved", "ray", "iteration_limit")


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
