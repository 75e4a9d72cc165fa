"""Gehring's prox iterations, JOR and SOR: relaxed Jacobi and Gauss-Seidel steps, each followed by a projection.

Unknown impulses z and velocities w = G z + b: first contacts in blocks (normal, two tangents), then scalar rows with
bounds. The contact laws as fixed points (equations 13 and 14 of the study), with r = alpha / G_ll:

    z_n = max(0, z_n - r w_n),    z_t = z_t - r w_t, projected on the disc of radius mu z_n,
    z = z - r w, kept within its bounds: 0 and infinity at a limit, none in a bilateral constraint.

JOR projects all rows and then renews the velocities, SOR renews them after every contact. Both stop when every
component changes by at most ``|z| T_rel + T_abs``.

Beyond a critical alpha, which differs from pose to pose, neither converges. When ``patience`` iterations have not
brought the largest change down, the relaxation is halved (Studer, "Numerics of unilateral contacts and friction"), and
the tolerance with it, since smaller steps are no better ones.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...jit import compiled, inlined, inlined_always, shared
from ..records import OPEN, SETTINGS, SLIP, STICK, extended
from .block import ACCEPTABLE, PATIENCE, solve_any
from .problem import FrictionWork, block_velocity, friction_work, problem_with_one_friction, row_velocity
from .residuals import complementarity_residual

JOR, SOR = 0, 1  # codes of solvers
PROX_SETTINGS = extended(
    SETTINGS,
    [
        ("solver", "i8"),  # JOR or SOR
        ("relaxation", "f8"),  # alpha
        ("absolute_tolerance", "f8"),  # N s
        ("patience", "i8"),  # iterations without progress, after which the relaxation is halved
        ("finish", "i8"),  # 1: what the iterations do not solve goes to the solver of exact contact
    ],
)
LEAST_SHARE = 1.0 / 64.0  # of alpha, to which the relaxation is halved at most
FINISH_TOLERANCE = 1e-10  # of the Newton steps that finish an iteration, relative to the largest impulse


class ProxWork(NamedTuple):
    """Work of `solve_by_prox`; r rows."""

    relaxations: Any  # r of every row, kg, (r,)
    bounds: Any  # lowest and highest impulse of scalar rows, N s, (2, r)
    friction: FrictionWork  # of the solver that finishes


class Rows(NamedTuple):
    """How iterations go through the rows of G: as they are, or as a set of rows that is mostly zeros allows.

    All but the last are inlined functions that take it as their last argument.
    """

    prepare: Any  # as `leave_rows`: before the first iteration, and whenever the relaxations have changed
    contact_velocity: Any  # as `contact_velocity`
    fill_scalars: Any  # as `fill_scalars`
    take_scalars: Any  # as `take_scalars`
    sweep_scalars: Any  # as `sweep_scalars`
    layout: Any


def prox_work(rows: int) -> ProxWork:
    """Return the work of `solve_by_prox` for at most so many rows."""
    return ProxWork(np.zeros(rows), np.zeros((2, rows)), friction_work(rows))


@inlined
def fill_relaxations(G, contacts, rows, alpha, out):
    """Fill r = alpha / G_ll of every row, kg; both tangents take the larger of their diagonals."""
    for k in range(contacts):
        r = 3 * k
        out[r] = alpha / G[r, r]
        out[r + 1] = alpha / max(G[r + 1, r + 1], G[r + 2, r + 2])
        out[r + 2] = out[r + 1]
    for r in range(3 * contacts, rows):
        out[r] = alpha / G[r, r]


@inlined
def project_contact(z, w0, w1, w2, r, mu, normal_relaxation, tangential_relaxation):
    """Return the projected impulse and the mode of the contact whose rows begin at ``r``."""
    z0 = max(0.0, z[r] - normal_relaxation * w0)
    z1, z2 = z[r + 1] - tangential_relaxation * w1, z[r + 2] - tangential_relaxation * w2
    bound, square = mu * z0, z1 * z1 + z2 * z2
    mode = STICK
    if square > bound * bound:
        shrink, mode = bound / math.sqrt(square), SLIP
        z1, z2 = z1 * shrink, z2 * shrink
    return z0, z1, z2, mode if z0 > 0.0 else OPEN


@inlined
def take_impulse(z, r, new, relative, absolute, progress):
    """Replace the impulse of row ``r``; return progress: the largest change and the largest excess so far."""
    change = abs(new - z[r])
    allowed = abs(z[r]) * relative + absolute
    z[r] = new
    return max(progress[0], change), max(progress[1], change - allowed)


@inlined
def take_contact(z, r, z0, z1, z2, relative, absolute, progress):
    """Replace a contact's impulse; return progress (see `take_impulse`)."""
    progress = take_impulse(z, r, z0, relative, absolute, progress)
    progress = take_impulse(z, r + 1, z1, relative, absolute, progress)
    return take_impulse(z, r + 2, z2, relative, absolute, progress)


@inlined
def project_scalar(z, w, r, relaxation, bounds):
    """Return the projected impulse of the scalar row ``r``, within its bounds (2, rows)."""
    return min(bounds[1, r], max(bounds[0, r], z[r] - relaxation * w))


@inlined
def leave_rows(G, b, contacts, rows, relaxations, solver, layout):
    """Do nothing: rows are used as they are."""


@inlined
def contact_velocity(G, b, z, r, rows, layout):
    """Return the velocities of the contact whose rows begin at ``r``."""
    return block_velocity(G, b, z, r, rows)


@inlined
def fill_scalars(G, b, z, w, contacts, rows, layout):
    """Fill the velocities w of scalar rows."""
    for r in range(3 * contacts, rows):
        w[r] = row_velocity(G, b, z, r, rows)


@inlined
def take_scalars(z, w, contacts, rows, relaxations, bounds, relative, absolute, progress, layout):
    """Renew the impulses of scalar rows by their velocities w; return progress (see `take_impulse`)."""
    for r in range(3 * contacts, rows):
        new = project_scalar(z, w[r], r, relaxations[r], bounds)
        progress = take_impulse(z, r, new, relative, absolute, progress)
    return progress


@inlined
def sweep_scalars(G, b, z, w, contacts, rows, relaxations, bounds, relative, absolute, progress, layout):
    """Renew the impulses of scalar rows one after another; return progress (see `take_impulse`)."""
    for r in range(3 * contacts, rows):
        new = project_scalar(z, row_velocity(G, b, z, r, rows), r, relaxations[r], bounds)
        progress = take_impulse(z, r, new, relative, absolute, progress)
    return progress


@inlined
def jacobi_sweep(G, b, z, w, contacts, rows, mu, modes, relaxations, bounds, relative, absolute, through):
    """One JOR iteration: all velocities, then all projections; return its largest change and largest excess, N s."""
    progress, layout = (0.0, -math.inf), through.layout
    for r in range(0, 3 * contacts, 3):
        w[r], w[r + 1], w[r + 2] = through.contact_velocity(G, b, z, r, rows, layout)
    through.fill_scalars(G, b, z, w, contacts, rows, layout)
    for k in range(contacts):
        r = 3 * k
        z0, z1, z2, modes[k] = project_contact(z, w[r], w[r + 1], w[r + 2], r, mu, relaxations[r], relaxations[r + 1])
        progress = take_contact(z, r, z0, z1, z2, relative, absolute, progress)
    return through.take_scalars(z, w, contacts, rows, relaxations, bounds, relative, absolute, progress, layout)


@inlined
def gauss_seidel_sweep(G, b, z, w, contacts, rows, mu, modes, relaxations, bounds, relative, absolute, through):
    """One SOR iteration: velocities and projection contact after contact; return as `jacobi_sweep`."""
    progress, layout = (0.0, -math.inf), through.layout
    for k in range(contacts):
        r = 3 * k
        w0, w1, w2 = through.contact_velocity(G, b, z, r, rows, layout)
        z0, z1, z2, modes[k] = project_contact(z, w0, w1, w2, r, mu, relaxations[r], relaxations[r + 1])
        progress = take_contact(z, r, z0, z1, z2, relative, absolute, progress)
    return through.sweep_scalars(G, b, z, w, contacts, rows, relaxations, bounds, relative, absolute, progress, layout)


@inlined
def iterate(G, b, z, w, contacts, rows, mu, modes, relaxations, bounds, settings, through):
    """Iterate until every impulse changes by at most ``|z| T_rel + T_abs``; return the number of iterations.

    Args:
        G: inverse contact inertia, (>= rows, >= rows), 1/kg.
        b: velocities without impulses, (>= rows,), m/s.
        z: impulses, (>= rows,), N s: first guess in, solution out.
        w: work, (>= rows,).
        contacts: number of 3x3 blocks, first in G.
        rows: all rows, scalar ones included.
        mu: Coulomb friction coefficient.
        modes: OPEN, STICK or SLIP of each contact, written.
        relaxations: r of every row, (>= rows,), kg; halved where the iteration stalls.
        bounds: lowest and highest impulse of scalar rows, (2, >= rows), N s.
        settings: PROX_SETTINGS record; more iterations than its maximum are returned when it gives up.
        through: `Rows`, how it goes through them.
    """
    relative, absolute = settings.tolerance, settings.absolute_tolerance
    smallest, before, share = math.inf, math.inf, 1.0
    through.prepare(G, b, contacts, rows, relaxations, settings.solver, through.layout)
    for k in range(1, settings.max_iterations + 1):
        if settings.solver == JOR:
            progress = jacobi_sweep(
                G, b, z, w, contacts, rows, mu, modes, relaxations, bounds, relative, absolute, through
            )
        else:
            progress = gauss_seidel_sweep(
                G, b, z, w, contacts, rows, mu, modes, relaxations, bounds, relative, absolute, through
            )
        if progress[1] <= 0.0:
            return k
        smallest = min(smallest, progress[0])
        if k % settings.patience == 0:
            if not smallest < before and share > LEAST_SHARE:
                share, relative, absolute = 0.5 * share, 0.5 * relative, 0.5 * absolute
                for r in range(rows):
                    relaxations[r] *= 0.5
                through.prepare(G, b, contacts, rows, relaxations, settings.solver, through.layout)
            smallest, before = math.inf, smallest
    return settings.max_iterations + 1


@inlined
def prox_residual(G, b, z, contacts, rows, mu, bounds, settings):
    """Return how far the impulses are from the fixed point with alpha = 1, relative to the largest of them.

    Impulses below T_abs / T_rel, where the absolute tolerance takes over, are measured by that.
    """
    worst, largest = 0.0, settings.absolute_tolerance / max(settings.tolerance, 1e-16)
    for k in range(contacts):
        r = 3 * k
        w0, w1, w2 = block_velocity(G, b, z, r, rows)
        tangential = 1.0 / max(G[r + 1, r + 1], G[r + 2, r + 2])
        z0, z1, z2, _ = project_contact(z, w0, w1, w2, r, mu, 1.0 / G[r, r], tangential)
        worst = max(worst, abs(z0 - z[r]), abs(z1 - z[r + 1]), abs(z2 - z[r + 2]))
        largest = max(largest, z[r], abs(z[r + 1]), abs(z[r + 2]))
    for r in range(3 * contacts, rows):
        wanted = z[r] - row_velocity(G, b, z, r, rows) / G[r, r]
        worst = max(worst, abs(min(bounds[1, r], max(bounds[0, r], wanted)) - z[r]))
        largest = max(largest, abs(z[r]))
    return worst / largest


@inlined_always
def solve_unilateral(G, b, z, w, contacts, rows, modes, work, settings):
    """Solve contacts and, after them, limits; return the number of iterations, the residual, and whether it is solved.

    Where ``settings.finish`` is 1, a problem that the prox iterations leave unsolved is finished by the solver of exact
    contact from where they got to. Arguments as for `iterate`;
    ``work`` is a ProxWork, its relaxations come from `fill_relaxations`.
    """
    mu, bounds, most = settings.friction, work.bounds, settings.max_iterations
    for r in range(3 * contacts, rows):
        bound = work.friction.bounds[r]
        bounds[0, r], bounds[1, r] = -bound, bound if bound > 0.0 else math.inf
    through = Rows(leave_rows, contact_velocity, fill_scalars, take_scalars, sweep_scalars, 0)
    iterations = iterate(G, b, z, w, contacts, rows, mu, modes, work.relaxations, bounds, settings, through)
    residual, solved = prox_residual(G, b, z, contacts, rows, mu, bounds, settings), iterations <= most
    if not solved and settings.finish == 1:
        problem = problem_with_one_friction(G, b, z, w, modes, work.friction, contacts, rows, mu, 0.0)
        accepted = ACCEPTABLE * FINISH_TOLERANCE
        more, residual = solve_any(problem, FINISH_TOLERANCE, accepted, most, PATIENCE, complementarity_residual)
        iterations, solved = iterations + more, residual <= accepted
    return iterations, residual, solved


@shared
def solve_by_prox(system, contacts, rows, h, settings):
    """Solve the contact problem of a step; return the iterations, the residual, and whether it is solved."""
    G, b, z, w = system.G, system.offsets, system.impulses, system.row_velocities
    fill_relaxations(G, contacts, rows, settings.relaxation, system.work.relaxations)
    for r in range(3 * contacts, rows):
        system.work.friction.bounds[r] = system.bounds[r]
    return solve_unilateral(G, b, z, w, contacts, rows, system.modes, system.work, settings)


@compiled
def prox_entry(G, b, z, w, contacts, rows, modes, work, settings):
    """Solve a contact problem, first guess ``z``; return the iterations. Arguments as for `solve_unilateral`."""
    fill_relaxations(G, contacts, rows, settings[0].relaxation, work.relaxations)
    return solve_unilateral(G, b, z, w, contacts, rows, modes, work, settings[0])[0]
