"""The friction problem that all solvers share, as one named tuple: arrays, their room for work, and their sizes.

Unknown impulses z and velocities w = G z + b. First come contacts in blocks (normal, two tangents),

    w_n >= 0,  z_n >= 0,  w_n z_n = 0;      |z_t| <= mu z_n + nu |w_t|,  with w_t opposite to z_t where it is reached,

and z_t = 0 where w_n > 0 (on a point that only grazes, a part of nu |w_t| may drag), then scalar rows, w >= 0, z >= 0,
w z = 0 (joint limits), or, with a bound, |z| <= bound, w = 0 inside, w opposite to z on the bound (laws of joints). All
of them say z = projection of z - w / G_rr.
"""

from typing import Any, NamedTuple

import numpy as np

from ...jit import inlined

GRAZING = 1e-9  # m/s; a point that leaves no faster, and is pressed by no more than would stop that, only grazes


class FrictionWork(NamedTuple):
    """Room for the solvers of a friction problem with at most r rows, (r,) where nothing else is said."""

    matrix: Any  # of the linear systems, (r + 2, r + 3)
    kept: Any  # impulses to go back to, N s
    shares: Any  # per contact: memory of its slip solution, 1/kg
    mu: Any  # per contact: Coulomb friction coefficient
    bounds: Any  # per scalar row: 0 for a limit, else the largest size of its impulse, N s
    # of the proximal method:
    centre: Any  # impulses to which a solution should be near, N s
    weight: Any  # of the proximal term, 1/kg
    impulse: Any  # of the iterate, N s
    velocity: Any  # of the iterate, proximal term included, m/s
    direction: Any  # of the Newton step, N s
    response: Any  # change of the velocities along it, m/s
    order: Any  # rows of the unknowns of its linear system, integers


class FrictionProblem(NamedTuple):
    """A friction problem with first guess and room for work. Arrays may be larger than the problem."""

    G: Any  # inverse contact inertia, symmetric, (>= rows, >= rows), 1/kg
    b: Any  # velocities without impulses, (>= rows,), m/s
    z: Any  # impulses, (>= rows,), N s: first guess in, solution out
    w: Any  # velocities of the impulses z, (>= rows,), m/s: written
    mu: Any  # Coulomb friction coefficient of each contact, (>= contacts,)
    nu: Any  # viscous friction times the time step, kg
    modes: Any  # OPEN, STICK or SLIP of each contact, (>= contacts,): written
    work: Any  # FrictionWork
    contacts: Any  # number of 3x3 blocks, first in G
    rows: Any  # all rows, scalar ones included


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
def row_velocity(G, b, z, r, rows):
    """Return the velocity w of row ``r``."""
    w = b[r]
    for s in range(rows):
        w += G[r, s] * z[s]
    return w


@inlined
def own_inverse_inertia(G, r):
    """Return the mean inverse inertia, 1/kg, of the contact whose rows begin at ``r``, whatever its tangents."""
    return (G[r, r] + G[r + 1, r + 1] + G[r + 2, r + 2]) / 3.0


@inlined
def project_row(impulse, bound):
    """Return the allowed impulse of a scalar row that is nearest to one; the bound of a limit is 0."""
    return max(0.0, impulse) if bound == 0.0 else min(bound, max(-bound, impulse))


@inlined
def problem_with_one_friction(G, b, z, w, modes, work, contacts, rows, mu, nu):
    """Return a friction problem whose contacts all have the same friction."""
    for k in range(contacts):
        work.mu[k] = mu
    return FrictionProblem(G, b, z, w, work.mu, nu, modes, work, contacts, rows)


@inlined
def problem_of_step(system, work, contacts, rows, h, settings):
    """Return the friction problem of a time step of length ``h``, s."""
    for r in range(3 * contacts, rows):
        work.bounds[r] = system.bounds[r]
    return problem_with_one_friction(
        system.G, system.offsets, system.impulses, system.row_velocities, system.modes, work, contacts, rows,
        settings.friction, settings.viscous_friction * h,
    )  # fmt: skip


def friction_work(rows: int) -> FrictionWork:
    """Return room for problems of at most so many rows."""
    vectors = [np.zeros(rows) for _ in range(len(FrictionWork._fields) - 2)]
    return FrictionWork._make([np.zeros((rows + 2, rows + 3)), *vectors, np.zeros(rows, dtype=np.int64)])
