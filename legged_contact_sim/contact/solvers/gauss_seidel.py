"""Projected Gauss-Seidel for linear complementarity problems.

It sweeps ``z_i <- max(0, z_i - relaxation w_i / M_ii)`` (Ayit eq. 4.34 to 4.39; Cottle, Pang, Stone, section 5.2) and
converges for symmetric positive semidefinite M with positive diagonal and 0 < relaxation < 2 if the problem has a
solution.
"""

import math

from ...jit import compiled, inlined
from .scaling import TINY, find_scales, is_number, residual_kernel, row_value


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
