"""Friction problems whose matrix has a low rank: many contacts on few bodies, solved through what they share.

A plate on 64 points moves in six ways. A Cholesky factor with pivots, W = L L^T, finds out: it ends after as many
columns as the rank of W. With it the cost of sweeps and Newton steps is linear in the contacts (`factored`). Of the
solutions, the one nearest to a centre c is chosen as in `proximal`, by a small weight that draws to it,

    w = (L L^T + s) z + b - s c,

whose trace the same step with the last solution as the centre takes away again.
"""

import math

from ...jit import inlined
from .block import QUICK, step_and_sweep
from .factored import FactoredProblem, as_product, factored_natural_map, factored_step, factored_sweep
from .proximal import NEAREST_WEIGHT, NEWTON_STEPS, ONLY_ONE, STALLS, own_scale
from .residuals import natural_map

FEWEST_ROWS = 24  # of a problem for which a low rank is worth looking for
SHARE = 4  # times the rank, at least so many rows
EMPTY = 0.75  # part of a contact's row; where so much is zero, bodies are many, and the rank is not low
NOTHING_LEFT = 1e-14  # of the largest diagonal element, at which the factor is complete


@inlined
def count_zeros(row, rows):
    """Return how many of a row's first numbers are zero."""
    count = 0
    for r in range(rows):
        count += 1 if row[r] == 0.0 else 0
    return count


@inlined
def factor_low_rank(W, rows, factor, left):
    """Write L^T into ``factor`` (>= rank, >= rows); return the rank, or 0 where it is too large to be worth it."""
    largest = 0.0
    for r in range(rows):
        left[r] = W[r, r]
        largest = max(largest, left[r])
    for k in range(rows // SHARE + 1):
        pivot = 0
        for r in range(rows):
            pivot = r if left[r] > left[pivot] else pivot
        if left[pivot] <= NOTHING_LEFT * largest:
            return k
        if k == rows // SHARE:
            return 0
        column, row = factor[k], W[pivot]
        if k == 0 and count_zeros(row, rows) > EMPTY * rows:
            return 0
        inverse = 1.0 / math.sqrt(left[pivot])
        for r in range(rows):
            column[r] = row[r]
        for other in range(k):
            earlier, share = factor[other], factor[other, pivot]
            for r in range(rows):
                column[r] -= share * earlier[r]
        for r in range(rows):
            column[r] *= inverse
            left[r] -= column[r] * column[r]
    return 0


@inlined
def low_rank_problem(problem):
    """Return the problem with W as a product of its factors; of the width 0 where the rank is not low."""
    work, rows = problem.work, problem.rows
    factor = work.matrix[rows // 2 :]  # Newton steps of the product use twice its rank of rows, half of them at most
    width = factor_low_rank(problem.G, rows, factor, work.weight) if rows >= FEWEST_ROWS else 0
    for r in range(rows):
        work.impulse[r] = 0.0
    return as_product(problem, factor, factor, work.impulse, width)


@inlined
def draw(problem, centre, softness, offsets):
    """Draw a problem to a centre: fill its softness and its offsets; return the problem."""
    p, mean = problem, 0.0
    for r in range(p.rows):
        mean += NEAREST_WEIGHT * own_scale(p, r) / p.rows
    for r in range(p.rows):
        softness[r], offsets[r] = mean, p.b[r] - mean * centre[r]
    return FactoredProblem(
        p.G, offsets, p.z, p.w, p.mu, p.nu, p.modes, p.work, p.contacts, p.rows, p.efforts, p.motions, softness, p.width
    )


@inlined
def step_near(problem, tolerance):
    """Solve a problem drawn to a centre by Newton steps alone; return their number, and whether it is solved."""
    for k in range(NEWTON_STEPS):
        if factored_natural_map(problem) <= tolerance:
            return k, True
        factored_step(problem, 0.0)
    return NEWTON_STEPS, factored_natural_map(problem) <= tolerance


@inlined
def choose_nearest_of_low_rank(problem, tolerance):
    """Move a solution to the one nearest to ``work.centre``; return the Newton steps and the residual.

    As `proximal.choose_nearest`: a solution that is the only one stays, so does any where this fails.
    """
    z, work, rows = problem.z, problem.work, problem.rows
    kept, last = work.kept, work.velocity
    for r in range(rows):
        kept[r] = z[r]
    iterations, solved = step_near(draw(problem, work.centre, work.impulse, work.weight), tolerance)
    moved, size = 0.0, 0.0
    for r in range(rows):
        moved, size = max(moved, abs(z[r] - kept[r])), max(size, abs(kept[r]))
    tries = STALLS if solved and moved > ONLY_ONE * size else 0
    for _ in range(tries):
        residual = natural_map(problem)
        if residual <= tolerance:
            return iterations, residual
        for r in range(rows):
            last[r] = z[r]
        steps, _ = step_near(draw(problem, last, work.impulse, work.weight), 0.1 * tolerance)
        iterations += steps
    for r in range(rows):
        z[r] = kept[r]
    return iterations, natural_map(problem)


@inlined
def solve_low_rank(problem, tolerance):
    """Solve a problem whose rank is low from its impulses; return the Newton steps and sweeps, and the residual."""
    iterations, residual = step_and_sweep(
        problem, tolerance, tolerance, QUICK, factored_natural_map, factored_step, factored_sweep
    )
    if residual <= tolerance:
        residual = natural_map(problem)
    return iterations, residual
