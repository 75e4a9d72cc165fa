"""Small linear systems that may be singular: the least-squares solution of smallest norm from a rank-revealing factor.

Redundant contacts (four corners of a box) leave their forces undetermined, immovable directions (out of the plane of a
planar mechanism) leave rows of zeros. Gaussian elimination with complete pivoting stops where no pivot is left,

    M = P^T L D U Q^T,      L (n x k) and U (k x n) unit trapezoidal, D the k pivots,

and of all x that make ``|M x - b|`` smallest, the smallest is

    x = Q U^T (U U^T)^-1 D^-1 (L^T L)^-1 L^T P b.

L and U are well conditioned, however small the pivots are. The cost is n^2 k: many points on few bodies are cheap.
"""

import math

from ...jit import inlined

RANK_TOLERANCE = 1e-11  # of the largest pivot
ROW_ORDER, COLUMN_ORDER = range(2)
LEFT, RIGHT_SIDE = range(2)


@inlined
def factor_positive(A, n, shift):
    """Replace the lower half of a symmetric A (n x n) by its Cholesky factor; ``shift`` is added to the diagonal.

    A pivot that rounding has made smaller than the shift is raised to it.
    """
    for a in range(n):
        A[a, a] += shift
        for b in range(a + 1):
            total = A[a, b]
            for k in range(b):
                total -= A[a, k] * A[b, k]
            A[a, b] = math.sqrt(max(total, shift)) if a == b else total / A[b, b]


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
def bring_pivot(M, n, k, order):
    """Bring the largest entry that is left to place (k, k); return its size."""
    row, column, largest = k, k, 0.0
    for a in range(k, n):
        for b in range(k, n):
            if abs(M[a, b]) > largest:
                row, column, largest = a, b, abs(M[a, b])
    if row != k:
        order[ROW_ORDER, k], order[ROW_ORDER, row] = order[ROW_ORDER, row], order[ROW_ORDER, k]
        for b in range(n):
            M[k, b], M[row, b] = M[row, b], M[k, b]
    if column != k:
        order[COLUMN_ORDER, k], order[COLUMN_ORDER, column] = order[COLUMN_ORDER, column], order[COLUMN_ORDER, k]
        for a in range(n):
            M[a, k], M[a, column] = M[a, column], M[a, k]
    return largest


@inlined
def factor(M, n, order, normal):
    """Replace M (n x n) by L, D and U; return the rank.

    Args:
        M: the matrix; below the diagonal L, on it D, above it U without their ones.
        n: its size.
        order: (2, n or more): where rows and columns went.
        normal: (2, n or more, n or more): Cholesky factors of L^T L and U U^T, where the rank is not full.
    """
    rank, first = n, 0.0
    for k in range(n):
        order[ROW_ORDER, k], order[COLUMN_ORDER, k] = k, k
    for k in range(n):
        pivot = bring_pivot(M, n, k, order)
        first = max(first, pivot)
        if not pivot > RANK_TOLERANCE * first:
            rank = k
            break
        inverse = 1.0 / M[k, k]
        for a in range(k + 1, n):
            M[a, k] *= inverse
            if M[a, k] != 0.0:
                for b in range(k + 1, n):
                    M[a, b] -= M[a, k] * M[k, b]
        for b in range(k + 1, n):
            M[k, b] *= inverse
    if rank < n:
        for a in range(rank):
            for b in range(a + 1):
                left = 1.0 if a == b else M[a, b]
                right = 1.0 if a == b else M[b, a]
                for k in range(a + 1, n):
                    left += M[k, a] * M[k, b]
                    right += M[a, k] * M[b, k]
                normal[LEFT, a, b], normal[RIGHT_SIDE, a, b] = left, right
        factor_positive(normal[LEFT], rank, 0.0)
        factor_positive(normal[RIGHT_SIDE], rank, 0.0)
    return rank


@inlined
def solve(M, n, rank, order, normal, b, x, work):
    """Write the x of smallest norm that makes ``|M x - b|`` smallest, after `factor`; b is kept."""
    for a in range(n):
        work[a] = b[order[ROW_ORDER, a]]
    if rank == n:
        for a in range(n):
            for k in range(a):
                work[a] -= M[a, k] * work[k]
        for a in range(n - 1, -1, -1):
            work[a] /= M[a, a]
            for k in range(a + 1, n):
                work[a] -= M[a, k] * work[k]
    else:
        for k in range(rank):
            for a in range(k + 1, n):
                work[k] += M[a, k] * work[a]
        substitute(normal[LEFT], rank, work)
        for k in range(rank):
            work[k] /= M[k, k]
        substitute(normal[RIGHT_SIDE], rank, work)
        for a in range(n - 1, -1, -1):
            total = work[a] if a < rank else 0.0
            for k in range(min(a, rank)):
                total += M[k, a] * work[k]
            work[a] = total
    for a in range(n):
        x[order[COLUMN_ORDER, a]] = work[a]
