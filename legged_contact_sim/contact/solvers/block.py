"""Block Gauss-Seidel for contacts with Coulomb friction, 3x3 blocks, the friction disc exact.

Unknown impulses z and velocities w = G z + b, in blocks (normal, two tangents):

    w_n >= 0,  z_n >= 0,  w_n z_n = 0;      |z_t| <= mu z_n + nu |w_t|,  with w_t opposite to z_t where it is reached.

Each block is solved exactly with the others held. After the contacts' blocks come scalar rows (joint limits):
w >= 0, z >= 0, w z = 0.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...dynamics.spatial import stretch, sym_inverse
from ...jit import inlined, shared
from ..records import OPEN, SLIP, STICK
from .newton import BLUNT, SHARP, newton_step, row_velocity
from .solver import Solver

ACCEPTABLE = 100.0  # times the tolerance
SETTLING = 0.25  # relaxation of the prox step that ends a step without any other


class BlockWork(NamedTuple):
    """Work of `solve_by_blocks`; r rows."""

    matrix: Any  # of a Newton step, (r + 2, r + 3)
    kept: Any  # impulses before a Newton step, (r,)
    shares: Any  # per contact: memory of the slip solution, (r,)


def block_work(rows: int) -> BlockWork:
    """Return the work of `solve_by_blocks` for at most so many rows."""
    return BlockWork(np.zeros((rows + 2, rows + 3)), np.zeros(rows), np.zeros(rows))


@inlined
def block_velocity(G, b, z, r, rows):
    """Return the velocities w of the block that begins at row ``r``.

    G is symmetric and is read by columns, since LLVM makes vectors of sums along rows, which for so few is slower.
    """
    w0, w1, w2 = b[r], b[r + 1], b[r + 2]
    for s in range(rows):
        w0 += G[s, r] * z[s]
        w1 += G[s, r + 1] * z[s]
        w2 += G[s, r + 2] * z[s]
    return w0, w1, w2


@inlined
def without_own(G, z, r, w):
    """Return the velocities of a block without the part of its own impulse."""
    x, y, t = z[r], z[r + 1], z[r + 2]
    return (
        w[0] - G[r, r] * x - G[r, r + 1] * y - G[r, r + 2] * t,
        w[1] - G[r + 1, r] * x - G[r + 1, r + 1] * y - G[r + 1, r + 2] * t,
        w[2] - G[r + 2, r] * x - G[r + 2, r + 1] * y - G[r + 2, r + 2] * t,
    )


@inlined
def diagonal_block(G, r):
    """Return the symmetric 3x3 block of a contact."""
    return (G[r, r], G[r, r + 1], G[r, r + 2], G[r + 1, r + 1], G[r + 1, r + 2], G[r + 2, r + 2])


@inlined
def slip_impulse(G, r, w, mu, nu, share):
    """Return the impulse of a slipping block and its share.

    With w_n = 0 the normal impulse follows from the tangential one, and w_t = -s z_t gives z_t = -(H + s)^-1 u with
    the 2x2 matrix H = G_tt - G_tn G_nt / G_nn; the root of |z_t| (1 - nu s) = mu z_n in s > 0 is found by Newton's
    method inside a bracket, from the share of the last solve.
    """
    nn, n1, n2 = G[r, r], G[r, r + 1], G[r, r + 2]
    h11 = G[r + 1, r + 1] - n1 * n1 / nn
    h12 = G[r + 1, r + 2] - n1 * n2 / nn
    h22 = G[r + 2, r + 2] - n2 * n2 / nn
    u1, u2 = w[1] - n1 * w[0] / nn, w[2] - n2 * w[0] / nn
    low, high = 0.0, math.inf
    s = share if share > 0.0 else 0.5 * (h11 + h22)
    z0, z1, z2 = 0.0, 0.0, 0.0
    for _ in range(60):
        a, c = h11 + s, h22 + s
        k = 1.0 / (a * c - h12 * h12)
        z1, z2 = -(c * u1 - h12 * u2) * k, -(a * u2 - h12 * u1) * k
        z0 = -(w[0] + n1 * z1 + n2 * z2) / nn
        length = math.sqrt(z1 * z1 + z2 * z2)
        drag = 1.0 - nu * s
        excess = length * drag - mu * z0
        if excess > 0.0:
            low = s
        else:
            high = s
        # dz_t/ds = -(H + s)^-1 z_t
        d1, d2 = -(c * z1 - h12 * z2) * k, -(a * z2 - h12 * z1) * k
        slope = (z1 * d1 + z2 * d2) / max(length, 1e-300) * drag - nu * length + mu * (n1 * d1 + n2 * d2) / nn
        trial = s - excess / slope
        if not low < trial < high:
            trial = 0.5 * (low + high) if high < math.inf else 4.0 * s
        if abs(trial - s) <= 1e-15 * s:
            break
        s = trial
    return z0, z1, z2, s


@inlined
def solve_block(G, r, w, mu, nu, share):
    """Return impulse, mode and share of one contact whose velocity without its own impulse is ``w``."""
    if w[0] >= 0.0:
        return 0.0, 0.0, 0.0, OPEN, share
    z0, z1, z2 = stretch(sym_inverse(diagonal_block(G, r)), (-w[0], -w[1], -w[2]))
    if z0 >= 0.0 and z1 * z1 + z2 * z2 <= mu * mu * z0 * z0:
        return z0, z1, z2, STICK, share
    if mu <= 0.0 and nu <= 0.0:
        return -w[0] / G[r, r], 0.0, 0.0, SLIP, share
    z0, z1, z2, share = slip_impulse(G, r, w, mu, nu, share)
    if z0 < 0.0:  # the tangential impulse lifts the point (Painleve): frictionless is the impulse that still closes it
        return -w[0] / G[r, r], 0.0, 0.0, SLIP, share
    return z0, z1, z2, SLIP, share


@inlined
def sweep(G, b, z, contacts, rows, mu, nu, modes, shares):
    """One Gauss-Seidel sweep over all contacts and scalar rows; return the largest change of an impulse."""
    change = 0.0
    for k in range(contacts):
        r = 3 * k
        w = without_own(G, z, r, block_velocity(G, b, z, r, rows))
        z0, z1, z2, modes[k], shares[k] = solve_block(G, r, w, mu, nu, shares[k])
        change = max(change, abs(z0 - z[r]), abs(z1 - z[r + 1]), abs(z2 - z[r + 2]))
        z[r], z[r + 1], z[r + 2] = z0, z1, z2
    for r in range(3 * contacts, rows):
        w = row_velocity(G, b, z, r, rows)
        wanted = max(0.0, z[r] - w / G[r, r])
        change = max(change, abs(wanted - z[r]))
        z[r] = wanted
    return change


@inlined
def block_gauss_seidel(G, b, z, contacts, rows, mu, nu, modes, shares, tolerance, max_sweeps):
    """Sweep until no impulse changes by more than ``tolerance`` of the largest; return the number of sweeps.

    Args:
        G: inverse contact inertia, (>= rows, >= rows), 1/kg.
        b: velocities without impulses, (>= rows,), m/s.
        z: impulses, (>= rows,), N s: first guess in, solution out.
        contacts: number of 3x3 blocks, first in G.
        rows: all rows, scalar ones included.
        mu: Coulomb friction coefficient.
        nu: viscous friction times the time step, kg.
        modes: OPEN, STICK or SLIP of each contact, written.
        shares: memory of the slip solution of each contact, read and written.
        tolerance: relative to the largest impulse.
        max_sweeps: where to give up; the return value is then larger.
    """
    for k in range(1, max_sweeps + 1):
        change = sweep(G, b, z, contacts, rows, mu, nu, modes, shares)
        largest = 0.0
        for r in range(rows):
            largest = max(largest, abs(z[r]))
        if change <= tolerance * largest:
            return k
    return max_sweeps + 1


@inlined
def solve_contacts(G, b, z, w, contacts, rows, mu, nu, modes, shares, tolerance, max_sweeps, matrix, kept):
    """Solve the contact problem: Newton steps from the first guess, sweeps where they fail; return the number of both.

    A Newton step that does not halve the residual is taken back, and a blunter one is tried; after that some sweeps,
    ever more, come before the next one.
    Feet that a stiff robot cannot move apart ask for velocities that fit only to rounding: there the residual stays a
    little above the tolerance, and one that is `ACCEPTABLE` and does not go down is accepted.

    Arguments as for `block_gauss_seidel`; ``w`` (>= rows,) are the velocities of the solution, ``matrix``
    (>= rows + 2, >= rows + 3) and ``kept`` (>= rows,) are work.
    """
    iterations, patience, proximal = 0, 0, SHARP
    before = complementarity_residual(G, b, z, w, contacts, rows, mu, nu, modes)
    while iterations < max_sweeps and before > tolerance:
        if patience > 0:
            sweeps = block_gauss_seidel(G, b, z, contacts, rows, mu, nu, modes, shares, tolerance, patience)
            iterations += min(sweeps, patience)
            before = complementarity_residual(G, b, z, w, contacts, rows, mu, nu, modes)
            if before <= tolerance:
                break
        for r in range(rows):
            kept[r] = z[r]
        newton_step(G, z, w, contacts, rows, mu, nu, matrix, proximal)
        iterations += 1
        after = complementarity_residual(G, b, z, w, contacts, rows, mu, nu, modes)
        if after <= 0.5 * before:
            before = after
            continue
        for r in range(rows):
            z[r] = kept[r]
        if proximal == SHARP:
            proximal = BLUNT
            before = complementarity_residual(G, b, z, w, contacts, rows, mu, nu, modes)
            continue
        if before <= ACCEPTABLE * tolerance:
            break
        patience = min(max(2, 2 * patience), 64)
    if iterations == 0:
        settle(G, z, w, contacts, rows, mu, nu)
    return iterations, before


@inlined
def settle(G, z, w, contacts, rows, mu, nu):
    """Take a small prox step from impulses that are good enough as they are, to where they would come to rest.

    A robot that stands starts every step with the right impulses but for an error below the tolerance. Without this
    step the errors of such steps would add up until Newton's method has to take them back, every few steps for ever.
    """
    for k in range(contacts):
        r = 3 * k
        p0, p1, p2, _ = prox_contact(G, z, r, w[r], w[r + 1], w[r + 2], mu, nu)
        z[r] += SETTLING * (p0 - z[r])
        z[r + 1] += SETTLING * (p1 - z[r + 1])
        z[r + 2] += SETTLING * (p2 - z[r + 2])
    for r in range(3 * contacts, rows):
        z[r] += SETTLING * (max(0.0, z[r] - w[r] / G[r, r]) - z[r])


@inlined
def prox_contact(G, z, r, w0, w1, w2, mu, nu):
    """Return where a prox step takes a contact's impulse, which has the velocity ``w``, and the contact's mode."""
    scale = 1.0 / G[r, r]
    p0, p1, p2 = max(0.0, z[r] - scale * w0), z[r + 1] - scale * w1, z[r + 2] - scale * w2
    length = math.sqrt(p1 * p1 + p2 * p2)
    bound = mu * z[r] + nu * math.sqrt(w1 * w1 + w2 * w2)
    mode = STICK
    if length > bound:
        p1, p2, mode = p1 * bound / length, p2 * bound / length, SLIP
    return p0, p1, p2, mode if p0 > 0.0 else OPEN


@inlined
def complementarity_residual(G, b, z, w, contacts, rows, mu, nu, modes):
    """Return how far the impulses are from solving the contact problem, relative to the step's largest impulse.

    For every row the velocity error is turned into an impulse by the row's own diagonal: the prox residual
    ``|z - proj(z - w / G_rr)|`` (Gehring's fixed point), with the disc for the tangents. Sets the contacts' modes and
    all velocities ``w``.
    """
    worst, largest = 0.0, 1e-300
    for k in range(contacts):
        r = 3 * k
        w0, w1, w2 = block_velocity(G, b, z, r, rows)
        w[r], w[r + 1], w[r + 2] = w0, w1, w2
        p0, p1, p2, modes[k] = prox_contact(G, z, r, w0, w1, w2, mu, nu)
        worst = max(worst, abs(p0 - z[r]), abs(p1 - z[r + 1]), abs(p2 - z[r + 2]))
        largest = max(largest, z[r], abs(z[r + 1]), abs(z[r + 2]))
    for r in range(3 * contacts, rows):
        w[r] = row_velocity(G, b, z, r, rows)
        worst = max(worst, abs(max(0.0, z[r] - w[r] / G[r, r]) - z[r]))
        largest = max(largest, abs(z[r]))
    return worst / largest


@shared
def solve_by_blocks(system, contacts, rows, h, settings):
    """Solve the contact problem of a step; return the iterations, the residual, and whether it is solved."""
    G, b, z, w = system.G, system.offsets, system.impulses, system.row_velocities
    mu, nu, tolerance = settings.friction, settings.viscous_friction * h, settings.tolerance
    modes, work, most = system.modes, system.work, settings.max_iterations
    iterations, residual = solve_contacts(
        G, b, z, w, contacts, rows, mu, nu, modes, work.shares, tolerance, most, work.matrix, work.kept
    )
    return iterations, residual, residual <= ACCEPTABLE * tolerance


SOLVER = Solver(solve_by_blocks, block_work)
