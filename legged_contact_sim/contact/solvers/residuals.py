"""How far impulses are from solving the friction problem, in two measures; both fill velocities and modes."""

import math

from ...jit import inlined
from ..records import OPEN, SLIP, STICK
from .problem import GRAZING, block_velocity, own_inverse_inertia, project_row, row_velocity

STILL = 1e-12  # m/s (rad/s); no impulse is asked for by slower velocities


@inlined
def larger(worst, error):
    """Return the larger of two errors; one that is no number counts as infinite, and stays."""
    return worst if error <= worst else (error if error < math.inf else math.inf)


@inlined
def prox_contact(G, z, r, w0, w1, w2, mu, nu):
    """Return where a prox step takes a contact's impulse, which has the velocity ``w``, and the contact's mode."""
    scale = 1.0 / G[r, r]
    p0, p1, p2 = max(0.0, z[r] - scale * w0), z[r + 1] - scale * w1, z[r + 2] - scale * w2
    length = math.sqrt(p1 * p1 + p2 * p2)
    bound, mode = mu * z[r], STICK
    if nu > 0.0:
        drag, pressed = nu * math.sqrt(w1 * w1 + w2 * w2), p0 > scale * GRAZING
        if pressed:
            bound += drag
        elif w0 <= GRAZING:
            bound += min(drag, math.sqrt(z[r + 1] * z[r + 1] + z[r + 2] * z[r + 2]))
    if length > bound:
        p1, p2, mode = p1 * bound / length, p2 * bound / length, SLIP
    return p0, p1, p2, mode if p0 > 0.0 else OPEN


@inlined
def error_of_contact(G, b, z, r, w0, w1, w2, mu, nu):
    """Return how far a contact's impulse is from where a prox step takes it, the size of its impulses, and its mode."""
    p0, p1, p2, mode = prox_contact(G, z, r, w0, w1, w2, mu, nu)
    e0, e1, e2 = abs(p0 - z[r]), abs(p1 - z[r + 1]), abs(p2 - z[r + 2])
    error = max(e0, e1, e2) if e0 + e1 + e2 < math.inf else math.inf
    return error, max(z[r], abs(z[r + 1]), abs(z[r + 2]), max(abs(b[r]), STILL) / G[r, r]), mode


@inlined
def error_of_row(G, b, z, r, w, bound):
    """Return how far a scalar row's impulse is from where a prox step takes it, and its size."""
    error = abs(project_row(z[r] - w / G[r, r], bound) - z[r])
    return error, max(abs(z[r]), max(abs(b[r]), STILL) / G[r, r])


@inlined
def complementarity_residual(problem):
    """Return how far the impulses are from solving the problem, relative to the impulses that it asks for.

    For every row the velocity error is turned into an impulse by the row's own diagonal: the prox residual
    ``|z - proj(z - w / G_rr)|`` (Gehring's fixed point), with the disc for the tangents. The scale is the largest
    impulse or, where nothing presses, the largest that would stop a row's free velocity on its own.
    """
    G, b, z, w, rows = problem.G, problem.b, problem.z, problem.w, problem.rows
    worst, largest = 0.0, 0.0
    for k in range(problem.contacts):
        r = 3 * k
        w0, w1, w2 = block_velocity(G, b, z, r, rows)
        w[r], w[r + 1], w[r + 2] = w0, w1, w2
        error, size, problem.modes[k] = error_of_contact(G, b, z, r, w0, w1, w2, problem.mu[k], problem.nu)
        worst, largest = larger(worst, error), max(largest, size)
    for r in range(3 * problem.contacts, rows):
        w[r] = row_velocity(G, b, z, r, rows)
        error, size = error_of_row(G, b, z, r, w[r], problem.work.bounds[r])
        worst, largest = larger(worst, error), max(largest, size)
    return worst / max(largest, 1e-300)


@inlined
def complementarity_residual_of(problem):
    """Return the residual of impulses whose velocities are known (see `complementarity_residual`); fill the modes."""
    G, b, z, w, nu = problem.G, problem.b, problem.z, problem.w, problem.nu
    worst, largest = 0.0, 0.0
    for k in range(problem.contacts):
        r = 3 * k
        error, size, problem.modes[k] = error_of_contact(G, b, z, r, w[r], w[r + 1], w[r + 2], problem.mu[k], nu)
        worst, largest = larger(worst, error), max(largest, size)
    for r in range(3 * problem.contacts, problem.rows):
        error, size = error_of_row(G, b, z, r, w[r], problem.work.bounds[r])
        worst, largest = larger(worst, error), max(largest, size)
    return worst / max(largest, 1e-300)


@inlined
def project_on_cone(z0, z1, z2, mu):
    """Return the point of Coulomb's cone that is nearest to an impulse, and the contact's mode."""
    length = math.sqrt(z1 * z1 + z2 * z2)
    if mu * length <= -z0:  # first: without friction, the next line holds for a pull straight away, too
        return 0.0, 0.0, 0.0, OPEN
    if length <= mu * z0:
        return z0, z1, z2, STICK
    normal = (z0 + mu * length) / (1.0 + mu * mu)
    shrink = mu * normal / length
    return normal, shrink * z1, shrink * z2, SLIP


@inlined
def natural_map(problem):
    """Return the largest ``|z - P(z - s v)| / s`` over contacts and scalar rows, m/s; viscous friction has no part.

    P projects on Coulomb's cone, v is the velocity with De Saxce's term mu |w_t| added to its normal part, and s is
    the contact's own inertia, three over the trace of its block of G.
    """
    G, b, z, w, rows = problem.G, problem.b, problem.z, problem.w, problem.rows
    for r in range(0, 3 * problem.contacts, 3):
        w[r], w[r + 1], w[r + 2] = block_velocity(G, b, z, r, rows)
    for r in range(3 * problem.contacts, rows):
        w[r] = row_velocity(G, b, z, r, rows)
    return natural_map_of(problem)


@inlined
def natural_map_of(problem):
    """Return the natural map of impulses whose velocities are known, m/s (see `natural_map`); fill the modes."""
    G, z, w = problem.G, problem.z, problem.w
    worst = 0.0
    for k in range(problem.contacts):
        r, mu, w0, w1, w2 = 3 * k, problem.mu[k], w[3 * k], w[3 * k + 1], w[3 * k + 2]
        inverse = own_inverse_inertia(G, r)
        raised = w0 + mu * math.sqrt(w1 * w1 + w2 * w2)
        p0, p1, p2, problem.modes[k] = project_on_cone(
            z[r] - raised / inverse, z[r + 1] - w1 / inverse, z[r + 2] - w2 / inverse, mu
        )
        p0, p1, p2 = p0 - z[r], p1 - z[r + 1], p2 - z[r + 2]
        worst = larger(worst, inverse * math.sqrt(p0 * p0 + p1 * p1 + p2 * p2))
    for r in range(3 * problem.contacts, problem.rows):
        projected = project_row(z[r] - w[r] / G[r, r], problem.work.bounds[r])
        worst = larger(worst, G[r, r] * abs(projected - z[r]))
    return worst
