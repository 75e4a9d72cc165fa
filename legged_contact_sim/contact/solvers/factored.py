"""Friction problems of few degrees of freedom and many contacts: all that costs goes through the degrees of freedom.

G is given as a product, ``G = F^T X + diag(s)``, with F and X of m rows, one per degree of freedom. Velocities are
w = F^T (X z) + s z + b, and a Newton step, which in `newton` is a linear system of all rows,

    D_k dz_k + S_k (G dz)_k = a_k       for every contact k, D_k and S_k of size 3x3,

becomes one of the size m (Woodbury's formula): with T_k = D_k^-1 S_k, c_k = D_k^-1 a_k and u = X dz,

    (1 + X T F^T) u = X c,              dz = c - T F^T u.

Its cost is r m^2 for r rows, where the other's is r^3. D of a contact that sticks is only the small proximal term, so
that the difference loses digits: about as many as the term takes away from the step. The next step gains them.
"""

import math
from typing import Any, NamedTuple

from ...dynamics.spatial import ZERO
from ...jit import inlined
from .block_sweeps import relaxed, solve_block, without_own
from .elimination import eliminate_with_pivots
from .problem import project_row
from .residuals import complementarity_residual_of, natural_map_of

COARSER = 100.0  # times `newton.SHARP` or BLUNT of the diagonal is added: rounding and the term's error are then alike


class FactoredProblem(NamedTuple):
    """A `FrictionProblem` whose G holds only the blocks on its diagonal; the whole is ``F^T X + diag(softness)``."""

    G: Any  # of each contact its own 3x3 block, of scalar rows the diagonal, (>= rows, >= rows), 1/kg
    b: Any  # velocities without impulses, (>= rows,), m/s
    z: Any  # impulses, (>= rows,), N s: first guess in, solution out
    w: Any  # velocities of the impulses z, (>= rows,), m/s: written
    mu: Any  # Coulomb friction coefficient of each contact, (>= contacts,)
    nu: Any  # viscous friction times the time step, kg
    modes: Any  # OPEN, STICK or SLIP of each contact, (>= contacts,): written
    work: Any  # FrictionWork; the number of rows must be twice that of F at least
    contacts: Any  # number of 3x3 blocks, first in G
    rows: Any  # all rows, scalar ones included
    efforts: Any  # F, (width, >= rows)
    motions: Any  # X, (width, >= rows)
    softness: Any  # s, added to the diagonal, (>= rows,), 1/kg
    width: Any  # number of degrees of freedom


@inlined
def as_product(problem, efforts, motions, softness, width):
    """Return a friction problem with G as the product of two factors; of its own G only the diagonal blocks count."""
    p = problem
    return FactoredProblem(
        p.G, p.b, p.z, p.w, p.mu, p.nu, p.modes, p.work, p.contacts, p.rows, efforts, motions, softness, width
    )


@inlined
def carry(problem, z, carried):
    """Write the motion X z of the degrees of freedom into ``carried``, (width,)."""
    for j in range(problem.width):
        motions, total = problem.motions[j], 0.0
        for r in range(problem.rows):
            total += motions[r] * z[r]
        carried[j] = total


@inlined
def fill_velocities(problem):
    """Write the velocities of the impulses."""
    w, carried = problem.w, problem.work.direction
    carry(problem, problem.z, carried)
    for r in range(problem.rows):
        w[r] = problem.b[r] + problem.softness[r] * problem.z[r]
    for j in range(problem.width):
        efforts, motion = problem.efforts[j], carried[j]
        for r in range(problem.rows):
            w[r] += efforts[r] * motion


@inlined
def factored_residual(problem):
    """Return the residual of a step (see `residuals.complementarity_residual`)."""
    fill_velocities(problem)
    return complementarity_residual_of(problem)


@inlined
def factored_natural_map(problem):
    """Return the natural map, m/s (see `residuals.natural_map`)."""
    fill_velocities(problem)
    return natural_map_of(problem)


@inlined
def slip_response(problem, k, d0, d1, d2):
    """Return T of a contact's two tangents that slip, by rows, and their c.

    The law is that of `newton.put_slip_rows`; ``d`` is the diagonal that is added.
    """
    r, z, w, nu = 3 * k, problem.z, problem.w, problem.nu
    scale, w1, w2 = 1.0 / problem.G[r, r], problem.w[r + 1], problem.w[r + 2]
    p1, p2 = z[r + 1] - scale * w1, z[r + 2] - scale * w2
    length, speed = math.sqrt(p1 * p1 + p2 * p2), max(math.sqrt(w1 * w1 + w2 * w2), 1e-300)
    bound = problem.mu[k] * z[r] + nu * speed
    if not bound > 0.0:
        return ZERO, ZERO, (-z[r + 1], -z[r + 2])
    e1, e2, turn = p1 / length, p2 / length, bound / length
    k11, k12, k22 = turn * (1.0 - e1 * e1), -turn * e1 * e2, turn * (1.0 - e2 * e2)
    f1, f2 = nu * w1 / speed, nu * w2 / speed
    s11, s12 = scale * k11 - e1 * f1, scale * k12 - e1 * f2
    s21, s22 = scale * k12 - e2 * f1, scale * k22 - e2 * f2
    m11, m12, m21, m22 = 1.0 - k11 + s11 * d1, s12 * d2 - k12, s21 * d1 - k12, 1.0 - k22 + s22 * d2
    inverse = 1.0 / (m11 * m22 - m12 * m21)
    m11, m12, m21, m22 = m22 * inverse, -m12 * inverse, -m21 * inverse, m11 * inverse
    push1, push2 = problem.mu[k] * (m11 * e1 + m12 * e2), problem.mu[k] * (m21 * e1 + m22 * e2)
    a1, a2 = bound * e1 - z[r + 1], bound * e2 - z[r + 2]
    return (
        (push1 / d0, m11 * s11 + m12 * s21, m11 * s12 + m12 * s22),
        (push2 / d0, m21 * s11 + m22 * s21, m21 * s12 + m22 * s22),
        (m11 * a1 + m12 * a2 - push1 * w[r] / d0, m21 * a1 + m22 * a2 - push2 * w[r] / d0),
    )


@inlined
def contact_response(problem, k, proximal):
    """Return the rows of a contact's T and its c."""
    r, G, z, w = 3 * k, problem.G, problem.z, problem.w
    scale = 1.0 / G[r, r]
    if z[r] - scale * w[r] <= 0.0:
        return ZERO, ZERO, ZERO, (-z[r], -z[r + 1], -z[r + 2])
    d0 = proximal * G[r, r] + problem.softness[r]
    d1, d2 = proximal * G[r + 1, r + 1] + problem.softness[r + 1], proximal * G[r + 2, r + 2] + problem.softness[r + 2]
    p1, p2 = z[r + 1] - scale * w[r + 1], z[r + 2] - scale * w[r + 2]
    bound = problem.mu[k] * z[r] + problem.nu * math.sqrt(w[r + 1] * w[r + 1] + w[r + 2] * w[r + 2])
    normal = (1.0 / d0, 0.0, 0.0)
    if p1 * p1 + p2 * p2 < bound * bound:
        return normal, (0.0, 1.0 / d1, 0.0), (0.0, 0.0, 1.0 / d2), (-w[r] / d0, -w[r + 1] / d1, -w[r + 2] / d2)
    first, second, c = slip_response(problem, k, d0, d1, d2)
    return normal, first, second, (-w[r] / d0, c[0], c[1])


@inlined
def row_response(problem, r, proximal):
    """Return T and c of a scalar row."""
    G, z, w = problem.G, problem.z, problem.w
    wanted = z[r] - w[r] / G[r, r]
    allowed = project_row(wanted, problem.work.bounds[r])
    if wanted == 0.0 or allowed != wanted:
        return 0.0, allowed - z[r]
    d = proximal * G[r, r] + problem.softness[r]
    return 1.0 / d, -w[r] / d


@inlined
def fill_responses(problem, proximal, responses, constants):
    """Write T F^T, (width, rows), and c, (rows,), of all contacts and scalar rows."""
    efforts = problem.efforts
    for k in range(problem.contacts):
        r = 3 * k
        t0, t1, t2, c = contact_response(problem, k, proximal)
        constants[r], constants[r + 1], constants[r + 2] = c
        for j in range(problem.width):
            f0, f1, f2 = efforts[j, r], efforts[j, r + 1], efforts[j, r + 2]
            responses[j, r] = t0[0] * f0
            responses[j, r + 1] = t1[0] * f0 + t1[1] * f1 + t1[2] * f2
            responses[j, r + 2] = t2[0] * f0 + t2[1] * f1 + t2[2] * f2
    for r in range(3 * problem.contacts, problem.rows):
        t, constants[r] = row_response(problem, r, proximal)
        for j in range(problem.width):
            responses[j, r] = t * efforts[j, r]


@inlined
def factored_step(problem, proximal):
    """Add one Newton step to the impulses ``z``, whose velocities are ``w``; arguments as for `newton.newton_step`."""
    width, rows, matrix, z = problem.width, problem.rows, problem.work.matrix, problem.z
    responses, constants = matrix[width : 2 * width], problem.work.response
    fill_responses(problem, COARSER * proximal, responses, constants)
    for i in range(width):
        motions = problem.motions[i]
        for j in range(width):
            response, total = responses[j], 0.0
            for r in range(rows):
                total += motions[r] * response[r]
            matrix[i, j] = total
        matrix[i, i] += 1.0
        total = 0.0
        for r in range(rows):
            total += motions[r] * constants[r]
        matrix[i, width] = total
    eliminate_with_pivots(matrix, width)
    for j in range(width):
        response, motion = responses[j], matrix[j, width]
        for r in range(rows):
            constants[r] -= response[r] * motion
    for r in range(rows):
        z[r] += constants[r]


@inlined
def column_velocity(problem, carried, r):
    """Return the velocity of row ``r`` for the motion of the degrees of freedom."""
    total = problem.b[r] + problem.softness[r] * problem.z[r]
    for j in range(problem.width):
        total += problem.efforts[j, r] * carried[j]
    return total


@inlined
def factored_sweep(problem, relaxation):
    """One Gauss-Seidel sweep (see `block_sweeps.sweep`); the motion of the degrees of freedom follows every impulse."""
    G, z, shares, carried, motions = problem.G, problem.z, problem.work.shares, problem.work.direction, problem.motions
    change = 0.0
    carry(problem, z, carried)
    for k in range(problem.contacts):
        r = 3 * k
        w = (
            column_velocity(problem, carried, r),
            column_velocity(problem, carried, r + 1),
            column_velocity(problem, carried, r + 2),
        )
        w = without_own(G, z, r, w)
        z0, z1, z2, problem.modes[k], shares[k] = solve_block(G, r, w, problem.mu[k], problem.nu, shares[k], z[r] > 0.0)
        change = max(change, abs(z0 - z[r]), abs(z1 - z[r + 1]), abs(z2 - z[r + 2]))
        z0, z1, z2 = relaxed(z[r], z0, relaxation), relaxed(z[r + 1], z1, relaxation), relaxed(z[r + 2], z2, relaxation)
        d0, d1, d2 = z0 - z[r], z1 - z[r + 1], z2 - z[r + 2]
        for j in range(problem.width):
            carried[j] += motions[j, r] * d0 + motions[j, r + 1] * d1 + motions[j, r + 2] * d2
        z[r], z[r + 1], z[r + 2] = z0, z1, z2
    for r in range(3 * problem.contacts, problem.rows):
        wanted = project_row(z[r] - column_velocity(problem, carried, r) / G[r, r], problem.work.bounds[r])
        change = max(change, abs(wanted - z[r]))
        step = relaxed(z[r], wanted, relaxation) - z[r]
        for j in range(problem.width):
            carried[j] += motions[j, r] * step
        z[r] += step
    return change
