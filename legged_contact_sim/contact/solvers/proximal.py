"""Proximal Newton method for friction problems with many redundant contacts.

Redundant contacts (a plate on 64 points, a stack of boxes) leave impulses undetermined: G is singular, and Newton's
method wanders. The proximal method solves a row of better problems, each drawn to a centre c, the last solution:

    w = (G + alpha D) z + b - alpha D c,       D: each contact's own inverse inertia, alpha falling to zero;

G + alpha D is regular, and where c solves the original problem, z = c solves this one. From zero impulses the solution
comes out close to that of the least norm. Inside, semi-smooth Newton steps (Alart and Curnier, 1991) with a line
search: with s = 1 / (D (1 + alpha)) the laws are the fixed points

    z_n = max(0, z_n - s w_n),     z_t = z_t - s w_t, shortened to mu z_n where it is longer (plus nu |w_t|),

and the step solves for closed contacts alone. Where Newton's method fails, alpha is raised again, and sweeps over the
contacts find other ones to be closed. For the method see Acary, Bremond, Huber, "On solving contact problems with
Coulomb friction" (2018), section 6.
"""

import math

from ...jit import inlined
from .block_sweeps import sweep
from .elimination import eliminate, eliminate_with_pivots, put_unit_row
from .problem import own_inverse_inertia, project_row

FIRST_WEIGHT, LEAST_WEIGHT, LARGEST_WEIGHT = 1e-2, 1e-9, 1.0  # alpha
LOWERED, RAISED = 0.1, 10.0  # factor on alpha after a success and after a failure
NEWTON_STEPS = 12  # for one centre
REDUCTION = 1e-3  # of the merit, at which a centre is done with
NEAREST_WEIGHT = 1e-6  # alpha that draws to the nearest solution
ONLY_ONE = 1e-3  # of the largest impulse; a solution that moves less is the only one
STALLS = 5  # proximal steps in a row that do not halve the residual although they are solved
ROUNDING = 1e-15  # a smaller merit is zero
DECREASE, HALVINGS = 0.1, 8  # of the line search
FIRST_PATIENCE = 4  # proximal steps with a raised weight before it is lowered again; twice as many every time
FIRST_SWEEPS, MOST_SWEEPS = 4, 64  # after two failures in a row
DAMPING = 0.5  # relaxation of these sweeps: full ones may go in circles
FEW_ROWS = 24  # for which contacts' own blocks as pivots save time
RESTART = 400  # iterations, after which a search begins anew from zero impulses


@inlined
def own_scale(problem, r):
    """Return D of row ``r``, 1/kg."""
    return own_inverse_inertia(problem.G, r - r % 3) if r < 3 * problem.contacts else problem.G[r, r]


@inlined
def friction_bound(problem, k, z, w):
    """Return how large contact ``k``'s tangential impulse may be, N s."""
    r = 3 * k
    bound = problem.mu[k] * max(z[r], 0.0)
    if problem.nu > 0.0:
        bound += problem.nu * math.sqrt(w[r + 1] * w[r + 1] + w[r + 2] * w[r + 2])
    return bound


@inlined
def merit(problem, z, w, alpha):
    """Return how far impulses with (proximal) velocities ``w`` are from the fixed points, and their size, sqrt(J)."""
    total, size = 0.0, 0.0
    for k in range(problem.contacts):
        r = 3 * k
        D = own_inverse_inertia(problem.G, r)
        s = 1.0 / (D * (1.0 + alpha))
        square = z[r] * z[r] + z[r + 1] * z[r + 1] + z[r + 2] * z[r + 2]
        size += D * square
        if z[r] - s * w[r] <= 0.0:
            total += D * square
            continue
        f0, f1, f2 = s * w[r], s * w[r + 1], s * w[r + 2]
        p1, p2 = z[r + 1] - f1, z[r + 2] - f2
        length, bound = math.sqrt(p1 * p1 + p2 * p2), friction_bound(problem, k, z, w)
        if length >= bound:
            shrink = bound / length if length > 0.0 else 0.0
            f1, f2 = z[r + 1] - shrink * p1, z[r + 2] - shrink * p2
        total += D * (f0 * f0 + f1 * f1 + f2 * f2)
    for r in range(3 * problem.contacts, problem.rows):
        D = problem.G[r, r]
        f = z[r] - project_row(z[r] - w[r] / (D * (1.0 + alpha)), problem.work.bounds[r])
        total += D * f * f
        size += D * z[r] * z[r]
    return math.sqrt(total), math.sqrt(size)


@inlined
def list_closed(problem, alpha):
    """List the rows of closed contacts and limits; the others' impulses go. Return how many, contacts' first."""
    work = problem.work
    x, w, d, order = work.impulse, work.velocity, work.direction, work.order
    count = 0
    for k in range(problem.contacts):
        r = 3 * k
        closed = x[r] - w[r] / (own_inverse_inertia(problem.G, r) * (1.0 + alpha)) > 0.0
        for m in range(r, r + 3):
            d[m] = 0.0 if closed else -x[m]
            if closed:
                order[count] = m
                count += 1
    tripled = count
    for r in range(3 * problem.contacts, problem.rows):
        wanted = x[r] - w[r] / (problem.G[r, r] * (1.0 + alpha))
        allowed = project_row(wanted, work.bounds[r])
        closed = wanted != 0.0 and allowed == wanted
        d[r] = 0.0 if closed else allowed - x[r]
        if closed:
            order[count] = r
            count += 1
    return tripled, count


@inlined
def put_velocity_rows(problem, alpha, size):
    """Fill the reduced system with s w = 0 of every row, as if all contacts stuck."""
    work = problem.work
    G, matrix, order, d = problem.G, work.matrix, work.order, work.direction
    for i in range(size):
        r = order[i]
        g, dropped = G[r], 0.0
        s = 1.0 / (own_scale(problem, r) * (1.0 + alpha))
        for m in range(problem.rows):
            dropped += g[m] * d[m]
        for j in range(size):
            matrix[i, j] = s * g[order[j]]
        matrix[i, i] += s * work.weight[r]
        matrix[i, size] = -s * (work.velocity[r] + dropped)


@inlined
def turn_to_slip(problem, alpha, i, size):
    """Replace the two tangential rows of the contact in rows ``i`` to ``i + 2`` by those of slip, if it slips."""
    work = problem.work
    matrix, x, w = work.matrix, work.impulse, work.velocity
    r = work.order[i]
    k, s = r // 3, 1.0 / (own_inverse_inertia(problem.G, r) * (1.0 + alpha))
    p1, p2 = x[r + 1] - s * w[r + 1], x[r + 2] - s * w[r + 2]
    length, bound = math.sqrt(p1 * p1 + p2 * p2), friction_bound(problem, k, x, w)
    if length < bound:
        return
    if not bound > 0.0:
        put_unit_row(matrix, i + 1, size, -x[r + 1])
        put_unit_row(matrix, i + 2, size, -x[r + 2])
        return
    e1, e2, turn = p1 / length, p2 / length, bound / length
    # z_t - bound e, e = p / |p|, and d e = (1 - e e^T) dp / |p|
    k11, k12, k22 = turn * (1.0 - e1 * e1), -turn * e1 * e2, turn * (1.0 - e2 * e2)
    speed = max(math.sqrt(w[r + 1] * w[r + 1] + w[r + 2] * w[r + 2]), 1e-300)
    d1, d2 = problem.nu * w[r + 1] / (s * speed), problem.nu * w[r + 2] / (s * speed)
    a11, a12, a21, a22 = k11 - e1 * d1, k12 - e1 * d2, k12 - e2 * d1, k22 - e2 * d2
    for j in range(size):
        g1, g2 = matrix[i + 1, j], matrix[i + 2, j]
        matrix[i + 1, j], matrix[i + 2, j] = a11 * g1 + a12 * g2, a21 * g1 + a22 * g2
    b1, b2 = matrix[i + 1, size] + s * w[r + 1], matrix[i + 2, size] + s * w[r + 2]  # of the impulses that go
    matrix[i + 1, size] = bound * e1 - x[r + 1] + a11 * b1 + a12 * b2
    matrix[i + 2, size] = bound * e2 - x[r + 2] + a21 * b1 + a22 * b2
    matrix[i + 1, i] -= problem.mu[k] * e1
    matrix[i + 2, i] -= problem.mu[k] * e2
    matrix[i + 1, i + 1] += 1.0 - k11
    matrix[i + 1, i + 2] -= k12
    matrix[i + 2, i + 1] -= k12
    matrix[i + 2, i + 2] += 1.0 - k22


@inlined
def find_direction(problem, alpha, quick):
    """Fill the direction of a Newton step and the change of the proximal velocities along it.

    The ``quick`` elimination takes the contacts' own blocks as pivots.
    """
    work, d = problem.work, problem.work.direction
    tripled, size = list_closed(problem, alpha)
    put_velocity_rows(problem, alpha, size)
    for i in range(0, tripled, 3):
        turn_to_slip(problem, alpha, i, size)
    if quick and size == tripled:
        eliminate(work.matrix, size)
    else:
        eliminate_with_pivots(work.matrix, size)
    for i in range(size):
        d[work.order[i]] = work.matrix[i, size]
    for r in range(problem.rows):
        total, g = work.weight[r] * d[r], problem.G[r]
        for m in range(problem.rows):
            total += g[m] * d[m]
        work.response[r] = total


@inlined
def search_line(problem, alpha, before):
    """Go along the direction as far as the merit falls; return the merit there and the size of the impulses.

    The iterate stays where it is if no part of the step has a merit (it is not finite).
    """
    work = problem.work
    z, w, x, v = problem.z, problem.w, work.impulse, work.velocity
    length, best, lowest, size = 1.0, 0.0, math.inf, 0.0
    for _ in range(HALVINGS):
        for r in range(problem.rows):
            z[r] = x[r] + length * work.direction[r]
            w[r] = v[r] + length * work.response[r]
        found, large = merit(problem, z, w, alpha)
        if found < lowest:
            best, lowest, size = length, found, large
        if found < (1.0 - DECREASE * length) * before:
            break
        length *= 0.5
    for r in range(problem.rows if best > 0.0 else 0):
        x[r] += best * work.direction[r]
        v[r] += best * work.response[r]
    return lowest, size


@inlined
def weigh_by_inertia(problem, alpha):
    """Set the proximal term's weights to alpha D."""
    for r in range(problem.rows):
        problem.work.weight[r] = alpha * own_scale(problem, r)


@inlined
def weigh_evenly(problem, alpha):
    """Set all weights of the proximal term to alpha times the mean of D."""
    mean = 0.0
    for r in range(problem.rows):
        mean += own_scale(problem, r) / problem.rows
    for r in range(problem.rows):
        problem.work.weight[r] = alpha * mean


@inlined
def solve_near(problem, centre, alpha, most, quick):
    """Solve the problem that the weights draw to a centre; return the Newton steps and whether it is solved.

    For ``quick`` see `find_direction`.
    """
    work = problem.work
    for r in range(problem.rows):
        work.impulse[r] = problem.z[r]
        work.velocity[r] = problem.w[r] + work.weight[r] * (problem.z[r] - centre[r])
    first, _ = merit(problem, work.impulse, work.velocity, alpha)
    found = first
    for step in range(1, min(NEWTON_STEPS, most) + 1):
        find_direction(problem, alpha, quick)
        found, size = search_line(problem, alpha, found)
        if found == math.inf:
            return step, False
        if found <= max(REDUCTION * first, ROUNDING * size):
            return step, True
    return min(NEWTON_STEPS, most), False


@inlined
def choose_nearest(problem, tolerance, measure):
    """Move a solution to the one nearest to ``work.centre``; return the Newton steps and the residual.

    One small weight draws to the centre (Tikhonov), then proximal steps take its trace away. A solution that is the
    only one, to one part in a thousand, stays; so does any where this fails.
    """
    z, work, kept, rows = problem.z, problem.work, problem.work.kept, problem.rows
    for r in range(rows):
        kept[r] = z[r]
    weigh_evenly(problem, NEAREST_WEIGHT)
    quick = rows <= FEW_ROWS
    iterations, solved = solve_near(problem, work.centre, NEAREST_WEIGHT, NEWTON_STEPS, quick)
    if quick and not solved:
        quick = False
        steps, solved = solve_near(problem, work.centre, NEAREST_WEIGHT, NEWTON_STEPS, quick)
        iterations += steps
    moved, size = 0.0, 0.0
    for r in range(rows):
        moved, size = max(moved, abs(work.impulse[r] - kept[r])), max(size, abs(kept[r]))
    tries = STALLS if solved and moved > ONLY_ONE * size else 0
    weigh_evenly(problem, LEAST_WEIGHT)
    for _ in range(tries):
        for r in range(rows):
            z[r] = work.impulse[r]
        residual = measure(problem)
        if residual <= tolerance:
            return iterations, residual
        steps, _ = solve_near(problem, z, LEAST_WEIGHT, NEWTON_STEPS, quick)
        iterations += steps
    for r in range(rows):
        z[r] = kept[r]
    return iterations, measure(problem)


@inlined
def solve_proximal(problem, tolerance, accepted, max_iterations, measure):
    """Solve a friction problem by proximal steps; return the Newton steps and sweeps together, and the residual.

    Args:
        problem: a `FrictionProblem`; its impulses are the start and the result.
        tolerance: residual that is aimed at.
        accepted: residual that is accepted where it does not fall any more.
        max_iterations: where to give up; at most `NEWTON_STEPS` or `MOST_SWEEPS` more are done.
        measure: ``measure(problem)`` is the residual, which fills velocities and modes, too.
    """
    z, work, kept, rows = problem.z, problem.work, problem.work.kept, problem.rows
    alpha, sweeps, patience, iterations, stalls, restart = FIRST_WEIGHT, FIRST_SWEEPS, FIRST_PATIENCE, 0, 0, RESTART
    residual, waits, failed = measure(problem), 0, False
    while residual > tolerance and iterations < max_iterations:
        if iterations >= restart:
            alpha, sweeps, patience, restart = FIRST_WEIGHT, FIRST_SWEEPS, FIRST_PATIENCE, 2 * restart
            for r in range(rows):
                z[r] = 0.0
            residual, waits, failed = measure(problem), 0, False
        for r in range(rows):
            kept[r] = z[r]
        weigh_by_inertia(problem, alpha)
        steps, solved = solve_near(problem, kept, alpha, max_iterations - iterations, False)
        iterations += steps
        for r in range(rows):
            z[r] = work.impulse[r]
        after = measure(problem)
        if solved or after < 0.5 * residual:
            stalls = 0 if after < 0.5 * residual or alpha > LEAST_WEIGHT else stalls + 1
            residual, failed, waits = after, False, waits - 1
            if stalls > 0 and (residual <= accepted or stalls == STALLS):
                break  # what is left is rounding
            if waits < 0:
                alpha = max(LOWERED * alpha, LEAST_WEIGHT)
            continue
        if not after < residual:
            for r in range(rows):
                z[r] = kept[r]
        alpha, waits, patience = min(RAISED * alpha, LARGEST_WEIGHT), patience, 2 * patience
        if failed:
            for _ in range(sweeps):
                sweep(problem, DAMPING)
            iterations += sweeps
            sweeps = min(2 * sweeps, MOST_SWEEPS)
        failed, residual = True, measure(problem)
    return iterations, residual
