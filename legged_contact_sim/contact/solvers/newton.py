"""Semi-smooth Newton steps on the contact problem (Alart and Curnier, 1991): from nearly right to the last digit.

The contact laws are written as fixed points, with r = 1 / G_nn of the contact and p = z_t - r w_t:

    z_n = max(0, z_n - r w_n),        z_t = p                        where |p| < bound  (stick),
                                      z_t = bound p / |p|            elsewhere (slip), bound = mu z_n + nu |w_t|.

and a scalar row as z = max(0, z - w / G_rr). Each step linearises them at the present impulses and solves
the linear system. Redundant contacts make it singular: a small multiple of the diagonal is added, which leaves the
solutions where they are and picks the nearest one.
"""

import math

from ...dynamics.spatial import product, rotate
from ...jit import inlined

# Multiples of the diagonal that are added: a first step with the small one solves most problems at once; where
# contacts are redundant it fails, and the other follows.
SHARP, BLUNT = 1e-10, 1e-7


@inlined
def row_velocity(G, b, z, r, rows):
    """Return the velocity w of row ``r``."""
    w = b[r]
    for s in range(rows):
        w += G[r, s] * z[s]
    return w


@inlined
def put_closed_row(matrix, G, r, rows, w, proximal):
    """Linearise w_r = 0 into row ``r`` of the system, with so much of the diagonal added."""
    for s in range(rows):
        matrix[r, s] = G[r, s]
    matrix[r, r] += proximal * G[r, r]
    matrix[r, rows] = -w


@inlined
def put_fixed_row(matrix, r, rows, change):
    """Let the impulse of row ``r`` change by just this much."""
    for s in range(rows):
        matrix[r, s] = 0.0
    matrix[r, r] = 1.0
    matrix[r, rows] = change


@inlined
def put_slip_rows(matrix, G, r, rows, z, w1, w2, scale, mu, nu):
    """Linearise z_t = bound p / |p| into rows ``r + 1`` and ``r + 2`` (r: the contact's normal row)."""
    p1, p2 = z[r + 1] - scale * w1, z[r + 2] - scale * w2
    length = math.sqrt(p1 * p1 + p2 * p2)
    e1, e2 = p1 / length, p2 / length
    speed = max(math.sqrt(w1 * w1 + w2 * w2), 1e-300)
    bound = mu * z[r] + nu * speed
    turn = bound / length
    # d(p / |p|) = (1 - e e^T) dp / |p|
    k11, k12, k22 = turn * (1.0 - e1 * e1), -turn * e1 * e2, turn * (1.0 - e2 * e2)
    for s in range(rows):
        g1, g2 = G[r + 1, s], G[r + 2, s]
        drag = nu * (w1 * g1 + w2 * g2) / speed
        matrix[r + 1, s] = scale * (k11 * g1 + k12 * g2) - e1 * drag
        matrix[r + 2, s] = scale * (k12 * g1 + k22 * g2) - e2 * drag
    matrix[r + 1, r] -= mu * e1
    matrix[r + 2, r] -= mu * e2
    matrix[r + 1, r + 1] += 1.0 - k11
    matrix[r + 1, r + 2] -= k12
    matrix[r + 2, r + 1] -= k12
    matrix[r + 2, r + 2] += 1.0 - k22
    matrix[r + 1, rows] = bound * e1 - z[r + 1]
    matrix[r + 2, rows] = bound * e2 - z[r + 2]


@inlined
def linearize(G, z, w, contacts, rows, mu, nu, matrix, proximal):
    """Fill the system ``matrix[:, :rows] dz = matrix[:, rows]`` of one Newton step at ``z`` with velocities ``w``."""
    for k in range(contacts):
        r = 3 * k
        w0, w1, w2 = w[r], w[r + 1], w[r + 2]
        scale = 1.0 / G[r, r]
        if z[r] - scale * w0 <= 0.0:
            for m in range(3):
                put_fixed_row(matrix, r + m, rows, -z[r + m])
            continue
        put_closed_row(matrix, G, r, rows, w0, proximal)
        p1, p2 = z[r + 1] - scale * w1, z[r + 2] - scale * w2
        bound = mu * z[r] + nu * math.sqrt(w1 * w1 + w2 * w2)
        if p1 * p1 + p2 * p2 < bound * bound:
            put_closed_row(matrix, G, r + 1, rows, w1, proximal)
            put_closed_row(matrix, G, r + 2, rows, w2, proximal)
        elif bound > 0.0:
            put_slip_rows(matrix, G, r, rows, z, w1, w2, scale, mu, nu)
        else:
            put_fixed_row(matrix, r + 1, rows, -z[r + 1])
            put_fixed_row(matrix, r + 2, rows, -z[r + 2])
    for r in range(3 * contacts, rows):
        if z[r] - w[r] / G[r, r] <= 0.0:
            put_fixed_row(matrix, r, rows, -z[r])
        else:
            put_closed_row(matrix, G, r, rows, w[r], proximal)


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
            put_fixed_row(matrix, r, size, 0.0)
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
def newton_step(G, z, w, contacts, rows, mu, nu, matrix, proximal):
    """Add one Newton step to the impulses ``z``, whose velocities are ``w``.

    ``matrix`` (>= rows + 2, >= rows + 3) is work; ``proximal`` is SHARP or BLUNT.
    """
    linearize(G, z, w, contacts, rows, mu, nu, matrix, proximal)
    size = fill_up(matrix, rows)
    eliminate(matrix, size)
    for r in range(rows):
        z[r] += matrix[r, size]
