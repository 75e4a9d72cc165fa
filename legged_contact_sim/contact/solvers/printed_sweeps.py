"""Ayit's projected Gauss-Seidel as the thesis prints it (section 4.4), for comparison with `scalar`.

It starts at zero. Every contact's velocity is found once per sweep, before its normal impulse is changed; a contact
that would pull is open and has no friction; both tangents are divided by the mean eigenvalue of their block; sweeps end
by the change of the impulses, ``|z_new - z| <= tolerance |z_new|`` (4.39), not by how well they solve the problem.
"""

import math

from ...jit import compiled, inlined, shared
from .problem import (
    block_velocity,
    friction_work,
    problem_of_step,
    problem_with_one_friction,
    project_row,
    row_velocity,
)
from .residuals import complementarity_residual
from .solver import Solver

GOOD_ENOUGH = 1e-8  # residual at which sweeps that ran out count as solved all the same


@inlined
def printed_contact(problem, k):
    """Renew the impulse of contact ``k`` (steps 5 to 11 of the thesis); return the square of its change."""
    G, z, r = problem.G, problem.z, 3 * k
    w0, w1, w2 = block_velocity(G, problem.b, z, r, problem.rows)
    normal, first, second = z[r] - w0 / G[r, r], 0.0, 0.0
    if normal > 0.0:
        divisor = 0.5 * (G[r + 1, r + 1] + G[r + 2, r + 2])
        first, second = z[r + 1] - w1 / divisor, z[r + 2] - w2 / divisor
        bound = problem.mu[k] * normal + problem.nu * math.sqrt(w1 * w1 + w2 * w2)
        length = math.sqrt(first * first + second * second)
        if length > bound:
            first, second = first * bound / length, second * bound / length
    normal = max(0.0, normal)
    d0, d1, d2 = normal - z[r], first - z[r + 1], second - z[r + 2]
    z[r], z[r + 1], z[r + 2] = normal, first, second
    return d0 * d0 + d1 * d1 + d2 * d2


@inlined
def printed_sweep(problem):
    """Renew all impulses once; return their change relative to their size (4.39)."""
    G, b, z, rows, change, size = problem.G, problem.b, problem.z, problem.rows, 0.0, 0.0
    for k in range(problem.contacts):
        change += printed_contact(problem, k)
    for r in range(3 * problem.contacts, rows):
        new = project_row(z[r] - row_velocity(G, b, z, r, rows) / G[r, r], problem.work.bounds[r])
        change += (new - z[r]) * (new - z[r])
        z[r] = new
    for r in range(rows):
        size += z[r] * z[r]
    return math.sqrt(change / size) if size > 0.0 else 0.0


@inlined
def sweep_from_zero(problem, tolerance, max_iterations):
    """Sweep from zero impulses until they change by less than the tolerance; return the sweeps and the last change."""
    for r in range(problem.rows):
        problem.z[r] = 0.0
    sweeps, change = 0, math.inf
    while sweeps < max_iterations and change > tolerance:
        change = printed_sweep(problem)
        sweeps += 1
    return sweeps, change


@shared
def solve_as_printed(system, contacts, rows, h, settings):
    """Solve the contact problem of a step; return the sweeps, the residual, and whether it is solved."""
    problem = problem_of_step(system, system.work, contacts, rows, h, settings)
    sweeps, change = sweep_from_zero(problem, settings.tolerance, settings.max_iterations)
    residual = complementarity_residual(problem)
    return sweeps, residual, change <= settings.tolerance or residual <= GOOD_ENOUGH


@compiled
def printed_entry(G, b, z, w, modes, work, mu, tolerance, max_iterations):
    """Solve a problem of contacts alone, (3n, 3n), by sweeps from zero; return the sweeps and the residual."""
    contacts = len(b) // 3
    problem = problem_with_one_friction(G, b, z, w, modes, work, contacts, len(b), mu, 0.0)
    sweeps, _ = sweep_from_zero(problem, tolerance, max_iterations)
    return sweeps, complementarity_residual(problem)


SOLVER = Solver(solve_as_printed, friction_work)
