"""Semi-smooth Newton steps on the contact problem (Alart and Curnier, 1991): from nearly right to the last digit.

The contact laws are written as fixed points, with r = 1 / G_nn of the contact and p = z_t - r w_t:

    z_n = max(0, z_n - r w_n),        z_t = p                        where |p| < bound  (stick),
                                      z_t = bound p / |p|            elsewhere (slip), bound = mu z_n + nu |w_t|.

and a scalar row as z = max(0, z - w / G_rr). Each step linearises them at the present impulses and solves
the linear system. Redundant contacts make it singular: a small multiple of the diagonal is added, which leaves the
solutions where they are and picks the nearest one.
"""

import math

from ..compilation import inlined

PROXIMAL = 1e-7  # relative to the diagonal


@inlined
def row_velocity(G, b, z, r, rows):
    """Return the velocity w of row ``r``."""
    w = b[r]
    for s in range(rows):
        w += G[r, s] * z[s]
    return w


@inlined
def put_closed_row(matrix, G, r, rows, w):
    """Linearise w_r = 0 into row ``r`` of the system, with the proximal diagonal."""
    for s in range(rows):
        matrix[r, s] = G[r, s]
    matrix[r, r] += PROXIMAL * G[r, r]
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
def linearize(G, b, z, contacts, rows, mu, nu, matrix):
    """Fill the system ``matrix[:, :rows] dz = matrix[:, rows]`` of one Newton step at ``z``."""
    for k in range(contacts):
        r = 3 * k
        w0, w1, w2 = (
            row_velocity(G, b, z, r, rows),
            row_velocity(G, b, z, r + 1, rows),
            row_velocity(G, b, z, r + 2, rows),
        )
        if z[r] - w0 / G[r, r] <= 0.0:
            for m in range(3):
                put_fixed_row(matrix, r + m, rows, -z[r + m])
            continue
        put_closed_row(matrix, G, r, rows, w0)
        scale = 1.0 / G[r, r]
        p1, p2 = z[r + 1] - scale * w1, z[r + 2] - scale * w2
        bound = mu * z[r] + nu * math.sqrt(w1 * w1 + w2 * w2)
        if p1 * p1 + p2 * p2 < bound * bound:
            put_closed_row(matrix, G, r + 1, rows, w1)
            put_closed_row(matrix, G, r + 2, rows, w2)
        elif bound > 0.0:
            put_slip_rows(matrix, G, r, rows, z, w1, w2, scale, mu, nu)
        else:
            put_fixed_row(matrix, r + 1, rows, -z[r + 1])
            put_fixed_row(matrix, r + 2, rows, -z[r + 2])
    for r in range(3 * contacts, rows):
        w = row_velocity(G, b, z, r, rows)
        if z[r] - w / G[r, r] <= 0.0:
            put_fixed_row(matrix, r, rows, -z[r])
        else:
            put_closed_row(matrix, G, r, rows, w)


@inlined
def eliminate(matrix, size):
    """Solve the system in place by Gaussian elimination with pivoting; the solution replaces the last column."""
    for c in range(size):
        pivot = c
        for r in range(c + 1, size):
            if abs(matrix[r, c]) > abs(matrix[pivot, c]):
                pivot = r
        if pivot != c:
            for s in range(c, size + 1):
                matrix[c, s], matrix[pivot, s] = matrix[pivot, s], matrix[c, s]
        inverse = 1.0 / matrix[c, c]
        for r in range(c + 1, size):
            factor = matrix[r, c] * inverse
            if factor != 0.0:
                for s in range(c + 1, size + 1):
                    matrix[r, s] -= factor * matrix[c, s]
    for c in range(size - 1, -1, -1):
        total = matrix[c, size]
        for s in range(c + 1, size):
            total -= matrix[c, s] * matrix[s, size]
        matrix[c, size] = total / matrix[c, c]


@inlined
def newton_step(G, b, z, contacts, rows, mu, nu, matrix):
    """Add one Newton step to the impulses ``z``; ``matrix`` is work, (>= rows, >= rows + 1)."""
    linearize(G, b, z, contacts, rows, mu, nu, matrix)
    eliminate(matrix, rows)
    for r in range(rows):
        z[r] += matrix[r, rows]
