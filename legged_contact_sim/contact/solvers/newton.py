"""Semi-smooth Newton steps on the contact problem (Alart and Curnier, 1991): from nearly right to the last digit.

The contact laws are written as fixed points, with r = 1 / G_nn of the contact and p = z_t - r w_t:

    z_n = max(0, z_n - r w_n),        z_t = p                        where |p| < bound  (stick),
                                      z_t = bound p / |p|            elsewhere (slip), bound = mu z_n + nu |w_t|.

and a scalar row as the projection of z - w / G_rr. Each step linearises them at the present impulses and solves
the linear system. Redundant contacts make it singular: a small multiple of the diagonal is added, which leaves the
solutions where they are and picks the nearest one.
"""

import math

from ...jit import inlined
from .elimination import eliminate, eliminate_with_pivots, fill_up, put_unit_row
from .problem import project_row

# Multiples of the diagonal that are added: a first step with the small one solves most problems at once; where
# contacts are redundant it fails, and the other follows.
SHARP, BLUNT = 1e-10, 1e-7
FEW_ROWS = 96  # more are faster in panels than in 3x3 blocks


@inlined
def put_closed_row(matrix, G, r, rows, w, proximal):
    """Linearise w_r = 0 into row ``r`` of the system, with so much of the diagonal added."""
    for s in range(rows):
        matrix[r, s] = G[r, s]
    matrix[r, r] += proximal * G[r, r]
    matrix[r, rows] = -w


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
def linearize(problem, proximal):
    """Fill the system ``matrix[:, :rows] dz = matrix[:, rows]`` of one Newton step at ``z`` with velocities ``w``."""
    G, z, w, matrix, rows, nu = problem.G, problem.z, problem.w, problem.work.matrix, problem.rows, problem.nu
    for k in range(problem.contacts):
        r, mu = 3 * k, problem.mu[k]
        w0, w1, w2 = w[r], w[r + 1], w[r + 2]
        scale = 1.0 / G[r, r]
        if z[r] - scale * w0 <= 0.0:
            for m in range(3):
                put_unit_row(matrix, r + m, rows, -z[r + m])
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
            put_unit_row(matrix, r + 1, rows, -z[r + 1])
            put_unit_row(matrix, r + 2, rows, -z[r + 2])
    for r in range(3 * problem.contacts, rows):
        wanted = z[r] - w[r] / G[r, r]
        allowed = project_row(wanted, problem.work.bounds[r])
        if wanted == 0.0 or allowed != wanted:
            put_unit_row(matrix, r, rows, allowed - z[r])
        else:
            put_closed_row(matrix, G, r, rows, w[r], proximal)


@inlined
def newton_step(problem, proximal):
    """Add one Newton step to the impulses ``z``, whose velocities are ``w``; ``proximal`` is SHARP or BLUNT."""
    linearize(problem, proximal)
    matrix = problem.work.matrix
    size = fill_up(matrix, problem.rows)
    if size > FEW_ROWS:
        eliminate_with_pivots(matrix, size)
    else:
        eliminate(matrix, size)
    for r in range(problem.rows):
        problem.z[r] += matrix[r, size]
