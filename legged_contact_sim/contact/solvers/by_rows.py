"""Residual and sweeps of a friction problem whose G is not symmetric, as where points slip: all velocities by rows.

Between the rows of a contact itself G must still be symmetric; `newton` and scalar rows read G by rows anyway.
"""

from ...jit import inlined
from .block_sweeps import relaxed, solve_block, without_own
from .problem import project_row, row_velocity
from .residuals import complementarity_residual_of


@inlined
def residual_by_rows(problem):
    """Return the residual (see `residuals.complementarity_residual`); fill velocities and modes."""
    for r in range(problem.rows):
        problem.w[r] = row_velocity(problem.G, problem.b, problem.z, r, problem.rows)
    return complementarity_residual_of(problem)


@inlined
def sweep_by_rows(problem, relaxation):
    """One Gauss-Seidel sweep (see `block_sweeps.sweep`)."""
    G, b, z, rows, shares = problem.G, problem.b, problem.z, problem.rows, problem.work.shares
    change = 0.0
    for k in range(problem.contacts):
        r = 3 * k
        w0, w1 = row_velocity(G, b, z, r, rows), row_velocity(G, b, z, r + 1, rows)
        w = without_own(G, z, r, (w0, w1, row_velocity(G, b, z, r + 2, rows)))
        z0, z1, z2, problem.modes[k], shares[k] = solve_block(G, r, w, problem.mu[k], problem.nu, shares[k], z[r] > 0.0)
        change = max(change, abs(z0 - z[r]), abs(z1 - z[r + 1]), abs(z2 - z[r + 2]))
        z[r] = relaxed(z[r], z0, relaxation)
        z[r + 1], z[r + 2] = relaxed(z[r + 1], z1, relaxation), relaxed(z[r + 2], z2, relaxation)
    for r in range(3 * problem.contacts, rows):
        wanted = project_row(z[r] - row_velocity(G, b, z, r, rows) / G[r, r], problem.work.bounds[r])
        change = max(change, abs(wanted - z[r]))
        z[r] = relaxed(z[r], wanted, relaxation)
    return change
