"""Dense linear systems of the solvers: in 3x3 blocks without a search for pivots, or row by row with one."""

from ...dynamics.spatial import product, rotate
from ...jit import inlined

PANEL = 8  # rows that are eliminated together


@inlined
def put_unit_row(matrix, r, size, value):
    """Let unknown ``r`` of a system with so many unknowns have just this value."""
    for s in range(size):
        matrix[r, s] = 0.0
    matrix[r, r] = 1.0
    matrix[r, size] = value


@inlined
def block_at(a, r, s):
    """Read the 3x3 block of an array that begins at row ``r`` and column ``s``."""
    return (
        a[r, s], a[r, s + 1], a[r, s + 2],
        a[r + 1, s], a[r + 1, s + 1], a[r + 1, s + 2],
        a[r + 2, s], a[r + 2, s + 1], a[r + 2, s + 2],
    )  # fmt: skip


@inlined
def put_block_at(a, r, s, m):
    """Store a 3x3 block."""
    a[r, s], a[r, s + 1], a[r, s + 2] = m[0], m[1], m[2]
    a[r + 1, s], a[r + 1, s + 1], a[r + 1, s + 2] = m[3], m[4], m[5]
    a[r + 2, s], a[r + 2, s + 1], a[r + 2, s + 2] = m[6], m[7], m[8]


@inlined
def subtract_product(a, r, s, left, right):
    """Subtract the product of two 3x3 matrices from the block at row ``r`` and column ``s``."""
    p = product(left, right)
    a[r, s] -= p[0]
    a[r, s + 1] -= p[1]
    a[r, s + 2] -= p[2]
    a[r + 1, s] -= p[3]
    a[r + 1, s + 1] -= p[4]
    a[r + 1, s + 2] -= p[5]
    a[r + 2, s] -= p[6]
    a[r + 2, s + 1] -= p[7]
    a[r + 2, s + 2] -= p[8]


@inlined
def column_at(a, r, c):
    """Read three numbers of a column."""
    return (a[r, c], a[r + 1, c], a[r + 2, c])


@inlined
def subtract_column(a, r, c, x):
    """Subtract three numbers from a column."""
    a[r, c] -= x[0]
    a[r + 1, c] -= x[1]
    a[r + 2, c] -= x[2]


@inlined
def general_inverse(m):
    """Return the inverse of a 3x3 matrix (by rows), by cofactors."""
    a, b, c, d, e, f, g, h, i = m
    x, y, z = e * i - f * h, f * g - d * i, d * h - e * g
    k = 1.0 / (a * x + b * y + c * z)
    return (
        x * k, (c * h - b * i) * k, (b * f - c * e) * k,
        y * k, (a * i - c * g) * k, (c * d - a * f) * k,
        z * k, (b * g - a * h) * k, (a * e - b * d) * k,
    )  # fmt: skip


@inlined
def fill_up(matrix, rows):
    """Append empty rows until the system consists of 3x3 blocks; return its size and move the right-hand side there."""
    size = rows + (3 - rows % 3) % 3
    if size > rows:
        for r in range(rows):
            matrix[r, size] = matrix[r, rows]
            for s in range(rows, size):
                matrix[r, s] = 0.0
        for r in range(rows, size):
            put_unit_row(matrix, r, size, 0.0)
    return size


@inlined
def eliminate(matrix, size):
    """Solve the system by elimination of 3x3 blocks; the solution replaces the last column.

    The blocks on the diagonal take the pivots' place: for contacts that stick they are those of a positive definite
    matrix. Where slipping spoils one, the step is bad, the residual tells, and sweeps take over.
    """
    for c in range(0, size, 3):
        inverse = general_inverse(block_at(matrix, c, c))
        put_block_at(matrix, c, c, inverse)
        side = column_at(matrix, c, size)
        for r in range(c + 3, size, 3):
            factor = product(block_at(matrix, r, c), inverse)
            for s in range(c + 3, size, 3):
                subtract_product(matrix, r, s, factor, block_at(matrix, c, s))
            subtract_column(matrix, r, size, rotate(factor, side))
    for c in range(size - 3, -1, -3):
        for s in range(c + 3, size, 3):
            subtract_column(matrix, c, size, rotate(block_at(matrix, c, s), column_at(matrix, s, size)))
        x, y, z = rotate(block_at(matrix, c, c), column_at(matrix, c, size))
        matrix[c, size], matrix[c + 1, size], matrix[c + 2, size] = x, y, z


@inlined
def bring_largest(matrix, size, k):
    """Exchange row ``k`` with the row below that has the largest entry in column ``k``."""
    row, largest = k, abs(matrix[k, k])
    for r in range(k + 1, size):
        if abs(matrix[r, k]) > largest:
            row, largest = r, abs(matrix[r, k])
    if row != k:
        for s in range(size + 1):
            matrix[k, s], matrix[row, s] = matrix[row, s], matrix[k, s]


@inlined
def factor_panel(matrix, size, first, end):
    """Eliminate the columns from ``first`` to ``end`` within themselves; the factors take the zeros' place."""
    for k in range(first, end):
        bring_largest(matrix, size, k)
        inverse = 1.0 / matrix[k, k]
        for r in range(k + 1, size):
            factor = matrix[r, k] * inverse
            matrix[r, k] = factor
            if factor != 0.0:
                for s in range(k + 1, end):
                    matrix[r, s] -= factor * matrix[k, s]
    for k in range(first, end):
        for r in range(k + 1, end):
            factor = matrix[r, k]
            for s in range(end, size + 1):
                matrix[r, s] -= factor * matrix[k, s]


@inlined
def subtract_panel(matrix, size, first):
    """Subtract a whole panel's rows from all rows below it, which takes most of the time of a large system.

    A row without entries in the panel is passed by: contacts of a stack touch only those of their neighbours.
    """
    u0, u1, u2, u3 = matrix[first], matrix[first + 1], matrix[first + 2], matrix[first + 3]
    u4, u5, u6, u7 = matrix[first + 4], matrix[first + 5], matrix[first + 6], matrix[first + 7]
    for r in range(first + PANEL, size):
        row = matrix[r]
        a, b, c, d = row[first], row[first + 1], row[first + 2], row[first + 3]
        e, f, g, h = row[first + 4], row[first + 5], row[first + 6], row[first + 7]
        if a == 0.0 and b == 0.0 and c == 0.0 and d == 0.0 and e == 0.0 and f == 0.0 and g == 0.0 and h == 0.0:
            continue
        for s in range(first + PANEL, size + 1):
            upper = a * u0[s] + b * u1[s] + c * u2[s] + d * u3[s]
            row[s] -= upper + e * u4[s] + f * u5[s] + g * u6[s] + h * u7[s]


@inlined
def eliminate_with_pivots(matrix, size):
    """Solve the system with the largest pivot of each column; the solution replaces the last column, ``size``.

    A singular matrix leaves numbers that are not finite.
    """
    for first in range(0, size, PANEL):
        end = min(first + PANEL, size)
        factor_panel(matrix, size, first, end)
        if end < size:
            subtract_panel(matrix, size, first)
    for k in range(size - 1, -1, -1):
        total = matrix[k, size]
        for s in range(k + 1, size):
            total -= matrix[k, s] * matrix[s, size]
        matrix[k, size] = total / matrix[k, k]
