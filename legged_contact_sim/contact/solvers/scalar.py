"""Projected Gauss-Seidel row by row, as Ayit solves the contact problem: normal first, then the tangents, projected."""

import math

from ...jit import inlined, shared
from .problem import friction_work, problem_of_step, project_row, row_velocity
from .residuals import complementarity_residual
from .solver import Solver


@inlined
def scalar_sweep(problem):
    """One sweep (Ayit 4.4): every contact's normal impulse, then its tangents, projected on the disc; then the limits.

    Both tangents are divided by the larger of their diagonals. With one divisor for each, as in a sweep of single rows,
    the projection does not end opposite to the slip: four corners of a sliding block then miss a tenth of the friction.
    """
    G, b, z, contacts, rows, nu = problem.G, problem.b, problem.z, problem.contacts, problem.rows, problem.nu
    for k in range(contacts):
        r = 3 * k
        z[r] = max(0.0, z[r] - row_velocity(G, b, z, r, rows) / G[r, r])
        w1, w2 = row_velocity(G, b, z, r + 1, rows), row_velocity(G, b, z, r + 2, rows)
        divisor = max(G[r + 1, r + 1], G[r + 2, r + 2])
        first, second = z[r + 1] - w1 / divisor, z[r + 2] - w2 / divisor
        drag = nu if z[r] > 0.0 else 0.0
        bound = problem.mu[k] * z[r] + drag * math.sqrt(w1 * w1 + w2 * w2)
        length = math.sqrt(first * first + second * second)
        shrink = bound / length if length > bound else 1.0
        z[r + 1], z[r + 2] = first * shrink, second * shrink
    for r in range(3 * contacts, rows):
        z[r] = project_row(z[r] - row_velocity(G, b, z, r, rows) / G[r, r], problem.work.bounds[r])


@shared
def solve_by_rows(system, contacts, rows, h, settings):
    """Solve the contact problem by scalar sweeps alone; return their number, the residual, and whether it is solved."""
    problem = problem_of_step(system, system.work, contacts, rows, h, settings)
    sweeps, residual = 0, math.inf
    while sweeps < settings.max_iterations and residual > settings.tolerance:
        scalar_sweep(problem)
        residual = complementarity_residual(problem)
        sweeps += 1
    return sweeps, residual, residual <= settings.tolerance


SOLVER = Solver(solve_by_rows, friction_work)
