"""The slipping impact: post-impact tangential velocities by Flickinger's constrained optimisation (sections 4.1, 5.4).

If the points of an impact cannot all stick, their tangential velocities v_t are those that

    minimise    sum over points of (mu_s - mu_i)^2 + |v_ti|^2            (velocities in m/s taken as numbers)
    subject to  |p_ti| <= mu_i p_ni,   p_ni >= 0,   and, if asked for, T+ <= e* T-,
    with        mu_i = mu_min + (mu_s - mu_min) exp(-(|v_ti| / v_s)^alpha),   mu_min = min(mu_d, mu_f),

where the impulses p follow from the velocities, the normal ones obey the restitution, and mu_f is the coefficient that
sticking would need. Since v_s is tiny, mu_i is mu_min for a point that moves and mu_s for one that does not: for a
given set of points that stick, the problem is a convex quadratic one over friction cones. It is solved by a barrier
method: Newton steps on ``t f - sum log(mu^2 p_n^2 - |p_t|^2)`` with growing t. Of all sets that stick the best is taken
(all sets of up to three points, beyond that one point after the other is tried).

Unknowns are the tangential impulses x of the points that move; everything else is affine in them, ``p = p_0 + P x``.
The frictionless impact x = 0 is strictly inside the cones unless a normal impulse or the energy bound forbids it; then
a first phase looks for such a point, and says so if there is none.
"""

import math
from typing import Any, NamedTuple

from ....jit import inlined
from ...solvers.rank_revealing import factor, solve
from .slip_barrier import (
    BEST,
    COLUMN,
    ENERGY,
    ENERGY_BOUND,
    ENERGY_SCALE,
    FIRST,
    IMPULSE_SCALE,
    LINEAR,
    MOVING,
    OFFSET_VELOCITY,
    SCRATCH,
    SIDE_ROW,
    SPARE,
    TRIED,
    VELOCITY_SCALE,
    X,
    affine,
    energy_room,
    newton_step,
)

FIXED, FREE_ROWS = range(2)
EXHAUSTIVE_POINTS = 3
FINAL_GAP = 1e-11  # of the barrier method, in the objective's own scale
MARGIN = 1e-8  # by how much of the largest impulse a start has to be inside all cones
MAX_NEWTON = 60
NARROWEST = 1e-6  # coefficient of the narrowest cone: it needs an inside


class SlipProblem(NamedTuple):
    """An impact in which not all points can stick; R rows: (normal, two tangents) per point, then joint stops."""

    G: Any  # inverse contact inertia, (R, R)
    before: Any  # the rows' velocities before the impact, (R,), m/s (rad/s for a joint)
    target: Any  # what the prescribed rows' become, (R,): normals, joint stops, and tangents of points that stick
    points: int  # number of contact points
    rows: int  # R


class FrictionLaw(NamedTuple):
    """The coefficient of friction as a function of the slip speed after an impact (eq. 4.10)."""

    static: float  # mu_s
    dynamic: float  # mu_d
    speed: float  # v_s, m/s, within which the coefficient falls from static to dynamic
    exponent: float  # alpha of that fall


class EnergyBound(NamedTuple):
    """How far the kinetic energy may change at most, J (inf: no matter), and what it is before, J."""

    most: float
    kinetic: float


@inlined
def blended_friction(speed, least, law):
    """Return the coefficient at a slip speed, m/s: static at rest, falling exponentially to the least (eq. 4.10)."""
    return least + (law.static - least) * math.exp(-((speed / law.speed) ** law.exponent))


@inlined
def list_rows(work, points, rows, mask):
    """List prescribed rows (normals, tangents of the set that sticks, joint stops) and unknown rows; count both."""
    fixed, free = 0, 0
    for r in range(rows):
        k = r // 3
        if r >= 3 * points or r % 3 == 0 or (mask >> k) & 1:
            work.lists[FIXED, fixed] = r
            fixed += 1
        else:
            work.lists[FREE_ROWS, free] = r
            free += 1
    return fixed, free


@inlined
def reduce(problem, mask, work):
    """Write impulses and tangential velocities as affine functions of the unknowns; return the number of unknowns."""
    G, before, target, points, rows = problem
    fixed, free = list_rows(work, points, rows, mask)
    held, moved, v = work.lists[FIXED], work.lists[FREE_ROWS], work.vectors
    for a in range(fixed):
        for b in range(fixed):
            work.M[a, b] = G[held[a], held[b]]
        v[SIDE_ROW, a] = target[held[a]] - before[held[a]]
    rank = factor(work.M, fixed, work.order, work.normal)
    solve(work.M, fixed, rank, work.order, work.normal, v[SIDE_ROW], v[COLUMN], v[SCRATCH])
    for r in range(rows):
        v[FIRST, r] = 0.0
        for b in range(free):
            work.P[r, b] = 0.0
    for a in range(fixed):
        v[FIRST, held[a]] = v[COLUMN, a]
    for b in range(free):
        for a in range(fixed):
            v[SIDE_ROW, a] = -G[held[a], moved[b]]
        solve(work.M, fixed, rank, work.order, work.normal, v[SIDE_ROW], v[COLUMN], v[SCRATCH])
        for a in range(fixed):
            work.P[held[a], b] = v[COLUMN, a]
        work.P[moved[b], b] = 1.0
    for a in range(free):
        v[OFFSET_VELOCITY, a] = before[moved[a]]
        for r in range(rows):
            v[OFFSET_VELOCITY, a] += G[moved[a], r] * v[FIRST, r]
        for b in range(free):
            work.S[a, b] = 0.0
            for r in range(rows):
                work.S[a, b] += G[moved[a], r] * work.P[r, b]
    return free


@inlined
def expand_energy(problem, free, work):
    """Write the change of kinetic energy, ``p . w + p . G p / 2``, as a quadratic function of the unknowns."""
    G, before, rows = problem.G, problem.before, problem.rows
    v, first = work.vectors, work.vectors[FIRST]
    constant = 0.0
    for r in range(rows):
        v[SCRATCH, r] = before[r]
        for s in range(rows):
            v[SCRATCH, r] += G[r, s] * first[s]
        constant += 0.5 * first[r] * (before[r] + v[SCRATCH, r])
    work.scales[ENERGY] = constant
    for a in range(free):
        v[LINEAR, a] = 0.0
        for r in range(rows):
            v[LINEAR, a] += work.P[r, a] * v[SCRATCH, r]
    for b in range(free):
        for r in range(rows):
            v[COLUMN, r] = 0.0
            for s in range(rows):
                v[COLUMN, r] += G[r, s] * work.P[s, b]
        for a in range(free):
            work.Q[a, b] = 0.0
            for r in range(rows):
                work.Q[a, b] += work.P[r, a] * v[COLUMN, r]


@inlined
def least_slack(work, points, free, x):
    """Return a slack, in units of the impulse scale, with which x is inside all cones and below the energy bound."""
    slack = 0.0
    for k in range(points):
        first, second = affine(work, x, 3 * k + 1, free), affine(work, x, 3 * k + 2, free)
        size = math.sqrt(first * first + second * second)
        slack = max(slack, size - work.mu[TRIED, k] * affine(work, x, 3 * k, free) + MARGIN)
    if work.scales[ENERGY_BOUND] < math.inf:
        slack = max(slack, MARGIN - energy_room(work, x, free, 0.0))
    return slack


@inlined
def solve_set(problem, mask, work):
    """Solve the convex problem in which the points of ``mask`` stick; return whether it has a solution (in X)."""
    points, rows = problem.points, problem.rows
    free = reduce(problem, mask, work)
    largest = 0.0
    for r in range(rows):
        largest = max(largest, abs(work.vectors[FIRST, r]))
    work.scales[IMPULSE_SCALE] = largest if largest > 0.0 else 1.0
    if work.scales[ENERGY_BOUND] < math.inf:
        expand_energy(problem, free, work)
    x = work.vectors[X]
    for b in range(free):
        x[b] = 0.0
    slack = least_slack(work, points, free, x)
    x[free] = 2.0 * slack + 1.0
    first_phase, weight, steps = slack > 0.0, 1.0, 0
    while weight * FINAL_GAP < 2.0 * points + 1.0:
        decrement = newton_step(work, points, free, weight, first_phase)
        steps += 1
        if first_phase and x[free] < -MARGIN:
            first_phase, weight, steps = False, 1.0, 0
        elif decrement < 1e-8 or steps > MAX_NEWTON:
            weight, steps = 10.0 * weight, 0
    return not first_phase


@inlined
def rate_set(problem, law, free, mask, work, p):
    """Write the impulses of X to ``p`` and return the objective of the whole problem."""
    G, before, points, rows, total = problem.G, problem.before, problem.points, problem.rows, 0.0
    for r in range(rows):
        p[r] = affine(work, work.vectors[X], r, free) * work.scales[IMPULSE_SCALE]
    for k in range(points):
        first, second = before[3 * k + 1], before[3 * k + 2]
        for s in range(rows):
            first += G[3 * k + 1, s] * p[s]
            second += G[3 * k + 2, s] * p[s]
        square = first * first + second * second
        if not (mask >> k) & 1:
            total += (law.static - blended_friction(math.sqrt(square), work.mu[MOVING, k], law)) ** 2
            total += square
    return total


@inlined
def optimise_slip(problem, law, bound, work, p):
    """Find the impulses of an impact in which not all points can stick; return the objective, inf: there are none.

    Args:
        problem: the impact, a `SlipProblem`.
        law: of friction, a `FrictionLaw`.
        bound: on the kinetic energy, an `EnergyBound`.
        work: of the optimisation.
        p: impulses, (R,), N s; in: those of sticking.
    """
    before, points, rows = problem.before, problem.points, problem.rows
    scale = 0.0
    for k in range(points):
        size = math.sqrt(p[3 * k + 1] ** 2 + p[3 * k + 2] ** 2)
        needed = size / p[3 * k] if p[3 * k] > 0.0 else math.inf
        work.mu[MOVING, k] = max(min(law.dynamic, needed), NARROWEST)
        for m in range(3):
            scale = max(scale, abs(before[3 * k + m]))
    work.scales[VELOCITY_SCALE] = scale if scale > 0.0 else 1.0
    work.scales[ENERGY_BOUND] = bound.most
    work.scales[ENERGY_SCALE] = bound.kinetic if bound.kinetic > 0.0 else 1.0
    best, best_mask = math.inf, 0
    every = points <= EXHAUSTIVE_POINTS
    last = (1 << points) - 1 if every else points + 1
    for trial in range(last):
        mask = trial
        if not every and trial > 0:  # one point after the other, kept if that is better
            mask = best_mask | (1 << (trial - 1))
        for k in range(points):
            work.mu[TRIED, k] = law.static if (mask >> k) & 1 else work.mu[MOVING, k]
        if solve_set(problem, mask, work):
            free = 2 * points
            for k in range(points):
                free -= 2 * ((mask >> k) & 1)
            value = rate_set(problem, law, free, mask, work, work.vectors[SPARE])
            if value < best:
                best, best_mask = value, mask
                for r in range(rows):
                    work.vectors[BEST, r] = work.vectors[SPARE, r]
    if best < math.inf:
        for r in range(rows):
            p[r] = work.vectors[BEST, r]
    return best
