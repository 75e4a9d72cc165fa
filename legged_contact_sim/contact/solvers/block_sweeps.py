"""Block Gauss-Seidel for contacts with Coulomb friction: every 3x3 block is solved exactly with the others held."""

from ...dynamics.spatial import stretch, sym_inverse
from ...jit import inlined
from ..records import OPEN, SLIP, STICK
from .problem import block_velocity, project_row, row_velocity
from .slip_root import slip_root


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
    """Return the impulse of a slipping block and its share; with w_n = 0, H is G_tt - G_tn G_nt / G_nn."""
    nn, n1, n2 = G[r, r], G[r, r + 1], G[r, r + 2]
    h11 = G[r + 1, r + 1] - n1 * n1 / nn
    h12 = G[r + 1, r + 2] - n1 * n2 / nn
    h22 = G[r + 2, r + 2] - n2 * n2 / nn
    u1, u2 = w[1] - n1 * w[0] / nn, w[2] - n2 * w[0] / nn
    return slip_root((h11, h12, h22), (u1, u2), (w[0], n1, n2, nn), mu, nu, share)


@inlined
def solve_block(G, r, w, mu, nu, share, pressed):
    """Return impulse, mode and share of one contact whose velocity without its own impulse is ``w``.

    A contact that would open may stick as well where friction wedges it. One that was ``pressed`` then stays: with the
    other choice, sweeps could open and close it for ever.
    """
    if w[0] >= 0.0 and not pressed:
        return 0.0, 0.0, 0.0, OPEN, share
    z0, z1, z2 = stretch(sym_inverse(diagonal_block(G, r)), (-w[0], -w[1], -w[2]))
    if z0 >= 0.0 and z1 * z1 + z2 * z2 <= mu * mu * z0 * z0:
        return z0, z1, z2, STICK, share
    if w[0] >= 0.0:
        return 0.0, 0.0, 0.0, OPEN, share
    if mu <= 0.0 and nu <= 0.0:
        return -w[0] / G[r, r], 0.0, 0.0, SLIP, share
    z0, z1, z2, share = slip_impulse(G, r, w, mu, nu, share)
    if z0 < 0.0:  # the tangential impulse lifts the point (Painleve): frictionless is the impulse that still closes it
        return -w[0] / G[r, r], 0.0, 0.0, SLIP, share
    return z0, z1, z2, SLIP, share


@inlined
def relaxed(old, new, relaxation):
    """Return a number between an old and a new one; with 1, the new one to the last bit."""
    return new if relaxation == 1.0 else old + relaxation * (new - old)


@inlined
def sweep(problem, relaxation):
    """One Gauss-Seidel sweep over all contacts and scalar rows; return the largest change of an impulse, N s.

    Each block goes as far as the relaxation says, 1 or less, on its way to where it would be solved.
    """
    G, b, z, rows, shares = problem.G, problem.b, problem.z, problem.rows, problem.work.shares
    change = 0.0
    for k in range(problem.contacts):
        r = 3 * k
        w = without_own(G, z, r, block_velocity(G, b, z, r, rows))
        z0, z1, z2, problem.modes[k], shares[k] = solve_block(G, r, w, problem.mu[k], problem.nu, shares[k], z[r] > 0.0)
        change = max(change, abs(z0 - z[r]), abs(z1 - z[r + 1]), abs(z2 - z[r + 2]))
        z[r], z[r + 1], z[r + 2] = (
            relaxed(z[r], z0, relaxation),
            relaxed(z[r + 1], z1, relaxation),
            relaxed(z[r + 2], z2, relaxation),
        )
    for r in range(3 * problem.contacts, rows):
        w = row_velocity(G, b, z, r, rows)
        wanted = project_row(z[r] - w / G[r, r], problem.work.bounds[r])
        change = max(change, abs(wanted - z[r]))
        z[r] = relaxed(z[r], wanted, relaxation)
    return change


@inlined
def block_gauss_seidel(problem, tolerance, max_sweeps, sweep):
    """Sweep until no impulse changes by more than ``tolerance`` of the largest; return the number of sweeps.

    Where it gives up, the number is larger than ``max_sweeps``. ``sweep(problem, relaxation)`` returns the largest
    change of an impulse, N s.
    """
    for k in range(1, max_sweeps + 1):
        change = sweep(problem, 1.0)
        largest = 0.0
        for r in range(problem.rows):
            largest = max(largest, abs(problem.z[r]))
        if change <= tolerance * largest:
            return k
    return max_sweeps + 1
