"""Contacts by pivoting: normal impulses by Lemke's method (Ayit's alternative to sweeps), friction by the disc.

Without friction the normal impulses and the joint limits are one linear complementarity problem, which Lemke's method
solves in finitely many exchanges. With friction, that problem with the tangential impulses held and the tangential
impulses of each contact with the normal ones held are solved in turn until neither changes: a fixed point solves both.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...jit import inlined, shared
from .lemke import SOLVED, lemke_kernel
from .problem import FrictionWork, friction_work, problem_of_step, project_row, row_velocity
from .residuals import complementarity_residual
from .slip_root import slip_root
from .solver import Solver

EXCHANGES = 10_000  # at most, of one complementarity problem


class PivotingWork(NamedTuple):
    """Work of `solve_by_pivoting`; r rows."""

    M: Any  # of the unilateral rows, (r, r)
    q: Any  # their velocities with the tangential impulses held, (r,)
    solution: Any  # their impulses, (r,)
    tableau: Any  # Lemke's, (r + 2, r + 2)
    basis: Any  # Lemke's, (2 r + 1,)
    friction: FrictionWork


def pivoting_work(rows: int) -> PivotingWork:
    """Return the work of `solve_by_pivoting` for at most so many rows."""
    return PivotingWork(
        M=np.zeros((rows, rows)),
        q=np.zeros(rows),
        solution=np.zeros(rows),
        tableau=np.zeros((rows + 2, rows + 2)),
        basis=np.zeros(2 * rows + 1, dtype=np.int64),
        friction=friction_work(rows),
    )


@inlined
def normal_row(k, contacts):
    """Return the row of the ``k``-th unilateral impulse: contacts' normals first, then joint limits."""
    return 3 * k if k < contacts else 2 * contacts + k


@inlined
def fill_normal_problem(problem, count, M, q):
    """Fill M (count, count) and q (count,) of the unilateral rows with all other impulses held."""
    G, b, z, contacts = problem.G, problem.b, problem.z, problem.contacts
    for k in range(count):
        r = normal_row(k, contacts)
        q[k] = b[r]
        for m in range(contacts):
            q[k] += G[r, 3 * m + 1] * z[3 * m + 1] + G[r, 3 * m + 2] * z[3 * m + 2]
        for s in range(2 * contacts + count, problem.rows):
            q[k] += G[r, s] * z[s]
        for m in range(count):
            M[k, m] = G[r, normal_row(m, contacts)]


@inlined
def friction_impulse(G, r, u1, u2, radius, nu):
    """Return the tangential impulse that ends slip, or the one on the disc that opposes it (`slip_root`).

    ``u`` is the tangential velocity without this impulse; the disc's radius, N s, does not depend on it.
    """
    if radius <= 0.0 and nu <= 0.0:
        return 0.0, 0.0
    h11, h12, h22 = G[r + 1, r + 1], G[r + 1, r + 2], G[r + 2, r + 2]
    k = 1.0 / (h11 * h22 - h12 * h12)
    z1, z2 = -(h22 * u1 - h12 * u2) * k, -(h11 * u2 - h12 * u1) * k
    if math.sqrt(z1 * z1 + z2 * z2) <= radius:
        return z1, z2
    _, z1, z2, _ = slip_root((h11, h12, h22), (u1, u2), (-radius, 0.0, 0.0, 1.0), 1.0, nu, 0.0)
    return z1, z2


@inlined
def renew_friction(problem, first_bounded):
    """Renew every contact's tangential impulse, one after another, the normal ones held; then rows with bounds."""
    G, b, z, rows = problem.G, problem.b, problem.z, problem.rows
    for k in range(problem.contacts):
        r = 3 * k
        u1, u2 = b[r + 1], b[r + 2]
        for s in range(rows):
            if s != r + 1 and s != r + 2:
                u1 += G[r + 1, s] * z[s]
                u2 += G[r + 2, s] * z[s]
        z[r + 1], z[r + 2] = friction_impulse(G, r, u1, u2, problem.mu[k] * z[r], problem.nu)
    for r in range(first_bounded, rows):
        z[r] = project_row(z[r] - row_velocity(G, b, z, r, rows) / G[r, r], problem.work.bounds[r])


@shared
def solve_by_pivoting(system, contacts, rows, h, settings):
    """Solve the contact problem; return the exchanges, the residual, and whether it is solved."""
    work = system.work
    problem = problem_of_step(system, work.friction, contacts, rows, h, settings)
    count = contacts
    while count < rows - 2 * contacts and system.bounds[normal_row(count, contacts)] == 0.0:
        count += 1
    M, q, solution = work.M[:count, :count], work.q[:count], work.solution
    iterations, residual = 0, math.inf
    for _ in range(settings.max_iterations):
        fill_normal_problem(problem, count, M, q)
        status, exchanges = lemke_kernel(M, q, work.tableau, work.basis, solution, EXCHANGES)
        iterations += exchanges
        if status != SOLVED:
            break
        for k in range(count):
            problem.z[normal_row(k, contacts)] = solution[k]
        renew_friction(problem, 2 * contacts + count)
        residual = complementarity_residual(problem)
        if residual <= settings.tolerance:
            break
    return iterations, residual, residual <= settings.tolerance


SOLVER = Solver(solve_by_pivoting, pivoting_work)
