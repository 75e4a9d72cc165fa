"""The barrier method of the slip optimisation: Newton steps on ``t f - sum log(room)`` for a set of points that stick.

Unknowns are the tangential impulses x of the points that move; impulses and velocities are affine in them, ``p = p_0 +
P x`` and ``v_t = v_0 + S x`` (`slip_optimisation.reduce`), so the objective f is quadratic, and the room in a friction
cone is ``mu^2 p_n^2 - |p_t|^2``. In a first phase a slack widens all bounds, and f is that slack.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ....jit import inlined
from ...solvers.rank_revealing import factor_positive, substitute


class SlipWork(NamedTuple):
    """Work of the optimisation; R rows: three per contact point, then one per joint at a limit."""

    M: Any  # (R, R): G between the rows whose velocity is prescribed
    normal: Any  # (2, R, R): of its factors
    order: Any  # (2, R): of its rows and columns
    P: Any  # (R, R + 1): impulses per unknown
    S: Any  # (R, R): tangential velocities per unknown
    Q: Any  # (R, R): kinetic energy, second order in the unknowns
    H: Any  # (R + 1, R + 1): Hessian
    vectors: Any  # (SLIP_ROWS, R + 1)
    lists: Any  # (2, R): rows that are prescribed, rows that are unknown
    mu: Any  # (2, R): coefficient of a point that moves; the one of the set that is tried
    scales: Any  # impulse, velocity, energy; the energy's constant term and its bound


FIRST, OFFSET_VELOCITY, LINEAR, X, TRIAL_X, GRADIENT, DIRECTION, BEST, SIDE_ROW, COLUMN, SCRATCH, SPARE = range(12)
SLIP_ROWS = 12
IMPULSE_SCALE, VELOCITY_SCALE, ENERGY_SCALE, ENERGY, ENERGY_BOUND = range(5)
MOVING, TRIED = range(2)


def build_slip_work(rows: int) -> SlipWork:
    """Return the work of an optimisation with at most so many rows."""
    return SlipWork(
        M=np.zeros((rows, rows)),
        normal=np.zeros((2, rows, rows)),
        order=np.zeros((2, rows), dtype=np.int64),
        P=np.zeros((rows, rows + 1)),
        S=np.zeros((rows, rows)),
        Q=np.zeros((rows, rows)),
        H=np.zeros((rows + 1, rows + 1)),
        vectors=np.zeros((SLIP_ROWS, rows + 1)),
        lists=np.zeros((2, rows), dtype=np.int64),
        mu=np.zeros((2, rows)),
        scales=np.zeros(5),
    )


@inlined
def affine(work, x, r, free):
    """Return the impulse of a row in units of the impulse scale."""
    total = work.vectors[FIRST, r] / work.scales[IMPULSE_SCALE]
    for b in range(free):
        total += work.P[r, b] * x[b]
    return total


@inlined
def energy_room(work, x, free, slack):
    """Return how far the kinetic energy is below its bound, in units of its scale."""
    scale = work.scales[IMPULSE_SCALE]
    total = work.scales[ENERGY]
    for a in range(free):
        total += work.vectors[LINEAR, a] * scale * x[a]
        for b in range(free):
            total += 0.5 * scale * scale * x[a] * work.Q[a, b] * x[b]
    return (work.scales[ENERGY_BOUND] - total) / work.scales[ENERGY_SCALE] + slack


@inlined
def objective(work, x, free):
    """Return the sum of the squared tangential velocities in units of the velocity scale."""
    total = 0.0
    for a in range(free):
        velocity = work.vectors[OFFSET_VELOCITY, a]
        for b in range(free):
            velocity += work.S[a, b] * work.scales[IMPULSE_SCALE] * x[b]
        total += (velocity / work.scales[VELOCITY_SCALE]) ** 2
    return total


@inlined
def barrier(work, points, free, x, weight, first_phase):
    """Return the value that a Newton step lessens: weight times the objective (the slack) minus logarithms of room."""
    slack = x[free] if first_phase else 0.0
    total = weight * (slack if first_phase else objective(work, x, free))
    for k in range(points):
        reach = work.mu[TRIED, k] * affine(work, x, 3 * k, free) + slack
        first, second = affine(work, x, 3 * k + 1, free), affine(work, x, 3 * k + 2, free)
        room = reach * reach - first * first - second * second
        if not (reach > 0.0 and room > 0.0):
            return math.inf
        total -= math.log(room)
    if work.scales[ENERGY_BOUND] < math.inf:
        room = energy_room(work, x, free, slack)
        if not room > 0.0:
            return math.inf
        total -= math.log(room)
    return total


@inlined
def add_outer(work, size, column, factor):
    """Add ``factor c c^T`` to the Hessian, lower half."""
    for a in range(size):
        for b in range(a + 1):
            work.H[a, b] += factor * column[a] * column[b]


@inlined
def add_objective(work, free, x, weight):
    """Add the objective's gradient and Hessian."""
    g, scale = work.vectors[GRADIENT], work.scales[IMPULSE_SCALE] / work.scales[VELOCITY_SCALE]
    for r in range(free):
        velocity = work.vectors[OFFSET_VELOCITY, r] / work.scales[VELOCITY_SCALE]
        for b in range(free):
            work.vectors[COLUMN, b] = work.S[r, b] * scale
            velocity += work.vectors[COLUMN, b] * x[b]
        for b in range(free):
            g[b] += 2.0 * weight * velocity * work.vectors[COLUMN, b]
        add_outer(work, free, work.vectors[COLUMN], 2.0 * weight)


@inlined
def add_cone(work, k, free, size, x):
    """Add gradient and Hessian of ``-log(c)``, c = reach^2 - |p_t|^2, of one friction cone."""
    g, column, slack = work.vectors[GRADIENT], work.vectors[COLUMN], 1.0 if size > free else 0.0
    mu = work.mu[TRIED, k]
    reach = mu * affine(work, x, 3 * k, free) + (x[free] if size > free else 0.0)
    first, second = affine(work, x, 3 * k + 1, free), affine(work, x, 3 * k + 2, free)
    inverse = 1.0 / (reach * reach - first * first - second * second)
    for part in range(3):  # -1/c times the second derivative of c
        for b in range(free):
            column[b] = mu * work.P[3 * k, b] if part == 0 else work.P[3 * k + part, b]
        column[free] = slack if part == 0 else 0.0
        add_outer(work, size, column, (-2.0 if part == 0 else 2.0) * inverse)
    for b in range(free):
        column[b] = 2.0 * reach * mu * work.P[3 * k, b]
        column[b] -= 2.0 * (first * work.P[3 * k + 1, b] + second * work.P[3 * k + 2, b])
    column[free] = 2.0 * reach * slack
    for b in range(size):
        g[b] -= column[b] * inverse
    add_outer(work, size, column, inverse * inverse)


@inlined
def add_energy(work, free, size, x):
    """Add gradient and Hessian of minus the logarithm of the energy's room."""
    g, column, scale = work.vectors[GRADIENT], work.vectors[COLUMN], work.scales[IMPULSE_SCALE]
    inverse = 1.0 / energy_room(work, x, free, x[free] if size > free else 0.0)
    unit = scale / work.scales[ENERGY_SCALE]
    for a in range(free):
        column[a] = -unit * work.vectors[LINEAR, a]
        for b in range(free):
            column[a] -= unit * scale * work.Q[a, b] * x[b]
        for b in range(a + 1):
            work.H[a, b] += inverse * unit * scale * work.Q[a, b]
    column[free] = 1.0
    for b in range(size):
        g[b] -= column[b] * inverse
    add_outer(work, size, column, inverse * inverse)


@inlined
def newton_step(work, points, free, weight, first_phase):
    """Take one damped Newton step of the barrier function in X; return its decrement squared."""
    v, x, size = work.vectors, work.vectors[X], free + 1 if first_phase else free
    for a in range(size):
        v[GRADIENT, a] = 0.0
        for b in range(a + 1):
            work.H[a, b] = 0.0
    if first_phase:
        v[GRADIENT, free] = weight
    else:
        add_objective(work, free, x, weight)
    for k in range(points):
        add_cone(work, k, free, size, x)
    if work.scales[ENERGY_BOUND] < math.inf:
        add_energy(work, free, size, x)
    trace = 0.0
    for a in range(size):
        trace += work.H[a, a]
        v[DIRECTION, a] = -v[GRADIENT, a]
    factor_positive(work.H, size, 1e-14 * trace / size + 1e-300)
    substitute(work.H, size, v[DIRECTION])
    decrement = 0.0
    for a in range(size):
        decrement -= v[GRADIENT, a] * v[DIRECTION, a]
    share, value = 1.0, barrier(work, points, free, x, weight, first_phase)
    for _ in range(50):
        for a in range(size):
            v[TRIAL_X, a] = x[a] + share * v[DIRECTION, a]
        trial = barrier(work, points, free, v[TRIAL_X], weight, first_phase)
        if trial <= value - 0.1 * share * decrement:
            for a in range(size):
                x[a] = v[TRIAL_X, a]
            return decrement
        share *= 0.5
    return 0.0
