"""Projected Gauss-Seidel row by row, as Ayit solves the contact problem: normal first, then the tangents, projected."""

import math

from ..compilation import inlined
from .block_solver import block_velocity, complementarity_residual
from .system import IMPULSE, MODE, OFFSET, VELOCITY


@inlined
def scalar_sweep(G, b, z, contacts, rows, mu, nu):
    """One sweep row by row (Ayit 4.4): every normal impulse, then its tangents, projected on the disc."""
    for r in range(rows):
        tangent = r < 3 * contacts and r % 3 > 0
        w = b[r]
        for s in range(rows):
            w += G[r, s] * z[s]
        wanted = z[r] - w / G[r, r]
        if not tangent:
            wanted = max(0.0, wanted)
        z[r] = wanted
        if tangent and r % 3 == 2:
            first, second = z[r - 1], z[r]
            _, w1, w2 = block_velocity(G, b, z, r - 2, rows)
            bound = mu * z[r - 2] + nu * math.sqrt(w1 * w1 + w2 * w2)
            length = math.sqrt(first * first + second * second)
            if length > bound:
                z[r - 1], z[r] = first * bound / length, second * bound / length


@inlined
def solve_by_rows(system, contacts, rows, h, settings):
    """Solve the contact problem by scalar sweeps alone; return their number, the residual, and whether it is solved."""
    G, b, z, w = system.G, system.vectors[OFFSET], system.vectors[IMPULSE], system.vectors[VELOCITY]
    mu, nu, modes = settings.friction, settings.viscous_friction * h, system.indices[MODE]
    sweeps, residual = 0, math.inf
    while sweeps < settings.max_iterations and residual > settings.tolerance:
        scalar_sweep(G, b, z, contacts, rows, mu, nu)
        residual = complementarity_residual(G, b, z, w, contacts, rows, mu, nu, modes)
        sweeps += 1
    return sweeps, residual, residual <= settings.tolerance
