"""Scales of a linear complementarity problem, and the residual that is measured in them.

What counts as zero is decided in scaled units, ``z_i = s_i z'_i`` and ``w_i = w'_i / s_i``, in which M' = S M S has a
diagonal of about 1: neither the masses nor a mixture of metres and radians matters then. The s_i are powers of two,
so that scaling rounds nothing.
"""

import math

from ...jit import inlined

# Numbers below count as zero where a scale is searched: their inverse may overflow.
TINY = 1e-300


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
