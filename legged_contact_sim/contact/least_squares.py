"""Small linear systems that may be singular: least squares of smallest norm, by a proximal term and refinement.

Redundant contacts (four corners of a box) leave their forces undetermined, immovable directions (out of the plane of a
planar mechanism) leave rows of zeros. Of ``min |M x - b|`` the solution of smallest norm is taken:

    x <- x + (M^T M + s I)^-1 M^T (b - M x),        s = PROXIMAL * trace(M^T M) / n,     from x = 0,

whose error in a direction with the singular value m shrinks by s / (m^2 + s) with every repetition.
"""

import math

from ..compilation import inlined

PROXIMAL = 1e-13  # of the mean square of the singular values
REPETITIONS = 4


@inlined
def factor_normal(M, n, normal):
    """Write the Cholesky factor, lower half, of ``M^T M + s I`` to ``normal``; M is n x n."""
    trace = 0.0
    for a in range(n):
        for b in range(a + 1):
            total = 0.0
            for k in range(n):
                total += M[k, a] * M[k, b]
            normal[a, b] = total
        trace += normal[a, a]
    shift = PROXIMAL * trace / n + 1e-300
    for a in range(n):
        normal[a, a] += shift
        for b in range(a + 1):
            total = normal[a, b]
            for k in range(b):
                total -= normal[a, k] * normal[b, k]
            normal[a, b] = math.sqrt(max(total, shift)) if a == b else total / normal[b, b]


@inlined
def substitute(factor, n, x):
    """Solve ``L L^T x = x`` in place with the lower factor L."""
    for a in range(n):
        for k in range(a):
            x[a] -= factor[a, k] * x[k]
        x[a] /= factor[a, a]
    for a in range(n - 1, -1, -1):
        for k in range(a + 1, n):
            x[a] -= factor[k, a] * x[k]
        x[a] /= factor[a, a]


@inlined
def solve_least_squares(M, normal, n, b, x, residual, step):
    """Write the x of smallest norm that makes ``|M x - b|`` smallest (after `factor_normal`); b is kept."""
    for a in range(n):
        x[a] = 0.0
    for _ in range(REPETITIONS):
        for a in range(n):
            residual[a] = b[a]
            for k in range(n):
                residual[a] -= M[a, k] * x[k]
        for a in range(n):
            step[a] = 0.0
            for k in range(n):
                step[a] += M[k, a] * residual[k]
        substitute(normal, n, step)
        for a in range(n):
            x[a] += step[a]
