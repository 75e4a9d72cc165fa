"""Friction problems island by island: contacts that move one another, each island by the methods that it needs."""

import math

import numpy as np

from ...jit import compiled, inlined
from .block import solve_any
from .block_sweeps import sweep
from .factored import factored_natural_map, factored_sweep
from .low_rank import FEWEST_ROWS, choose_nearest_of_low_rank, low_rank_problem, solve_low_rank
from .problem import FrictionProblem, FrictionWork
from .proximal import choose_nearest
from .residuals import natural_map

ASYMMETRY = 1e-8  # of W, relative to its largest number
TILE = 8  # rows and columns that are compared with their mirror images together

CONTRACTING = 0.6  # a sweep that changes more than this part of what the last one did ends the first sweeps
BOUNDLESS = 1e6  # times what stops the fastest contact where least moves: a sweep that finds more found nothing
SETTLED = 0.1  # of the tolerance: the velocity of a last change that ends them, too

VECTORS = 14  # of a problem's size: ten of its work, four of an island
SHARING = 1e-3  # of the fastest contact's velocity; a contact that parts faster has no part in another solution


@inlined
def is_sound(W, q, mu):
    """Return whether sizes fit, all numbers are finite, W is symmetric, its diagonal positive and no friction negative.

    So large numbers that their sum overflows are not sound either.
    """
    rows, smallest, largest, asymmetry, total = len(q), math.inf, 0.0, 0.0, 0.0
    if W.shape[0] != rows or W.shape[1] != rows or rows != 3 * len(mu):
        return False
    for r in range(rows):
        smallest, largest, total = min(smallest, W[r, r]), max(largest, W[r, r]), total + abs(q[r]) + abs(W[r, r])
    for first in range(0, rows, TILE):
        for other in range(0, first + 1, TILE):
            for r in range(first, min(first + TILE, rows)):
                for s in range(other, min(other + TILE, r)):
                    asymmetry, total = max(asymmetry, abs(W[r, s] - W[s, r])), total + abs(W[r, s]) + abs(W[s, r])
    for k in range(len(mu)):
        total = math.inf if mu[k] < 0.0 else total + mu[k]
    return total < math.inf and smallest > 0.0 and asymmetry <= ASYMMETRY * largest


@inlined
def all_part(q):
    """Return whether no contact closes without impulses."""
    for r in range(0, len(q), 3):
        if q[r] < 0.0:
            return False
    return True


@inlined
def are_coupled(W, a, c):
    """Return whether contacts ``a`` and ``c`` move one another."""
    for r in range(3 * a, 3 * a + 3):
        for s in range(3 * c, 3 * c + 3):
            if W[r, s] != 0.0:
                return True
    return False


@inlined
def label_islands(W, labels, order):
    """Number the islands of contacts that W couples, and list the contacts by islands; return how many."""
    contacts, islands, listed = len(labels), 0, 0
    for k in range(contacts):
        labels[k] = -1
    for first in range(contacts):
        if labels[first] >= 0:
            continue
        labels[first], order[listed] = islands, first
        at, listed = listed, listed + 1
        while at < listed:
            for k in range(contacts):
                if labels[k] < 0 and are_coupled(W, order[at], k):
                    labels[k], order[listed] = islands, k
                    listed += 1
            at += 1
        islands += 1
    listed = 0
    for island in range(islands):
        for k in range(contacts):
            if labels[k] == island:
                order[listed] = k
                listed += 1
    return islands


@inlined
def drop_unless_below(problem, bound):
    """Take back impulses that are not all smaller than a bound, N s, or are no numbers; return whether they were."""
    z, sound = problem.z, True
    for r in range(problem.rows):
        sound = sound and abs(z[r]) < bound
    for r in range(0 if sound else problem.rows):
        z[r] = 0.0
    return not sound


@inlined
def sweep_from_none(problem, tolerance, sweep, measure):
    """Sweep from a start that is none, as long as the impulses settle well; return the sweeps and the natural map, m/s.

    Where they do not, what the first sweep found is left: more of them may only lead away. Where a contact's own block
    is singular, a sweep's impulses may be without bounds: then they are dropped. Of few contacts a Newton step costs
    no more than a sweep.
    """
    kept, rows = problem.work.kept, problem.rows
    before, largest, smallest, speed = sweep(problem, 1.0), 0.0, math.inf, 0.0
    most = problem.contacts if rows >= FEWEST_ROWS else problem.contacts // 3
    for r in range(rows):
        kept[r], speed = problem.z[r], max(speed, abs(problem.b[r]))
        largest, smallest = max(largest, problem.G[r, r]), min(smallest, problem.G[r, r])
    dropped, residual = drop_unless_below(problem, BOUNDLESS * speed / smallest), measure(problem)
    if dropped or residual <= tolerance:
        return 1, residual
    sweeps = 1
    while sweeps <= most:
        change = sweep(problem, 1.0)
        sweeps += 1
        if change * largest <= SETTLED * tolerance:
            break
        if change > CONTRACTING * before:
            for r in range(rows):
                problem.z[r] = kept[r]
            break
        before = change
    return sweeps, measure(problem)


@inlined
def may_be_shared(problem):
    """Return whether more than one contact carries something, or would if it took over from another."""
    speed, carrying = 0.0, 0
    for r in range(problem.rows):
        speed = max(speed, abs(problem.b[r]))
    for r in range(0, problem.rows, 3):
        carrying += 0 if problem.w[r] > SHARING * speed and problem.z[r] == 0.0 else 1
    return carrying > 1


@inlined
def solve_island(problem, tolerance, max_iterations, cold):
    """Solve one problem, by sweeps first from a ``cold`` start; return the iterations and the natural map, m/s.

    Of many solutions the one nearest to the start is taken.
    """
    work, sweeps = problem.work, 0
    for r in range(problem.rows):
        work.centre[r], work.shares[r] = problem.z[r], 0.0
    if problem.contacts == 1:  # a sweep solves it, but where its block is singular
        sweep(problem, 1.0)
        residual = natural_map(problem)
        if residual <= tolerance:
            return 1, residual
        problem.z[0], problem.z[1], problem.z[2], work.shares[0] = work.centre[0], work.centre[1], work.centre[2], 0.0
    product = low_rank_problem(problem)
    if product.width > 0:
        if cold:
            sweeps, _ = sweep_from_none(product, tolerance, factored_sweep, factored_natural_map)
        steps, residual = solve_low_rank(product, tolerance)
        sweeps += steps
        if residual <= tolerance:
            steps, residual = choose_nearest_of_low_rank(product, tolerance)
            return sweeps + steps, residual
    if cold and product.width == 0:
        sweeps, residual = sweep_from_none(problem, tolerance, sweep, natural_map)
    else:
        residual = natural_map(problem)
    iterations = 0
    if not residual <= tolerance:
        iterations, _ = solve_any(problem, tolerance, tolerance, max_iterations, max_iterations, natural_map)
        residual = natural_map(problem)
    if residual <= tolerance:
        if may_be_shared(problem):
            steps, residual = choose_nearest(problem, tolerance, natural_map)
            iterations += steps
    if drop_unless_below(problem, math.inf):
        residual = natural_map(problem)
    return iterations + sweeps, residual


@inlined
def gather_island(W, q, mu, z, own, problem):
    """Copy the part of the contacts ``own`` into a problem of their own."""
    for c in range(problem.contacts):
        k = own[c]
        problem.mu[c] = mu[k]
        for m in range(3):
            r, source, row = 3 * c + m, W[3 * k + m], problem.G[3 * c + m]
            problem.b[r], problem.z[r] = q[3 * k + m], z[3 * k + m]
            for other in range(problem.contacts):
                s, t = 3 * other, 3 * own[other]
                row[s], row[s + 1], row[s + 2] = source[t], source[t + 1], source[t + 2]


def room_for(rows: int) -> int:
    """Return how many numbers `friction_entry` needs room for."""
    return (2 * rows + VECTORS + 12) * rows + rows // 3 + 12


@compiled
def friction_entry(W, q, mu, z, w, room, tolerance, max_iterations, cold):
    """Solve a problem island by island; return the most iterations of an island and the residual; -1: it is not sound.

    Args:
        W: symmetric matrix (3n, 3n), 1/kg.
        q: velocities without impulses (3n,), m/s.
        mu: friction coefficients (n,).
        z: impulses (3n,), N s: first guess in, solution out.
        w: velocities (3n,), m/s, written.
        room: for work, (room_for(3n),); its first n numbers are written, the natural map of every contact's island,
            m/s; the next n, too, as integers: the number of that island.
        tolerance: of the natural map, m/s.
        max_iterations: of an island.
        cold: whether the first guess is none.
    """
    contacts, rows = len(mu), len(q)
    if not is_sound(W, q, mu):
        return -1, math.inf
    if cold and all_part(q):
        for r in range(rows):
            w[r] = q[r]
        return 0, 0.0
    errors, integers = room[:contacts], room[contacts : contacts + 2 * rows].view(np.int64)
    labels, order = integers[:contacts], integers[contacts : 2 * contacts]
    modes, listed = integers[2 * contacts : rows], integers[rows:]
    vectors = room[contacts + 2 * rows : contacts + (2 + VECTORS) * rows].reshape((VECTORS, rows))
    matrices = room[contacts + (2 + VECTORS) * rows :].reshape((2, rows + 2, rows + 3))
    vectors[:] = 0.0
    work = FrictionWork(
        matrices[0], vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5], vectors[6], vectors[7],
        vectors[8], vectors[9], listed,
    )  # fmt: skip
    if label_islands(W, labels, order) == 1:
        iterations, error = solve_island(
            FrictionProblem(W, q, z, w, mu, 0.0, modes, work, contacts, rows), tolerance, max_iterations, cold
        )
        errors[:] = error
        return iterations, error
    most, first, worst = 0, 0, 0.0
    while first < contacts:
        last = first + 1
        while last < contacts and labels[order[last]] == labels[order[first]]:
            last += 1
        own, size = order[first:last], last - first
        island = FrictionProblem(
            matrices[1], vectors[10], vectors[11], vectors[12], vectors[13], 0.0, modes, work, size, 3 * size
        )
        gather_island(W, q, mu, z, own, island)
        iterations, error = solve_island(island, tolerance, max_iterations, cold)
        for c in range(size):
            k = own[c]
            errors[k] = error
            for m in range(3):
                z[3 * k + m], w[3 * k + m] = island.z[3 * c + m], island.w[3 * c + m]
        most, first, worst = max(most, iterations), last, max(worst, error)
    return most, worst
