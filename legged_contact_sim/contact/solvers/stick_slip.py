"""Forces of touching points by cases: each rests along the ground or slips in a known direction.

All rows obey ``a = G f + b``: forces f and accelerations a, or, in an impact, impulses per unit of the impact's
parameter and the velocities that they change. Rows come in threes (normal, two tangents), one triple per contact, then
one per joint limit. With x = v_t / |v_t| the direction of slip, the laws are

    0 <= f_n, a_n >= 0, a_n f_n = 0                            every point that touches, and every limit (one row),
    |f_t| <= mu_s f_n, with a_t = 0 inside of the cone,        a point that rests along the ground
        and a_t opposite to f_t on it
    f_t = -mu_d x f_n                                          a point that slips (Singh eq. 3.22, the matrix S_c).

A slipping point has one unknown, so its three columns of G become one, ``G (n - mu_d x)``; what is left is a problem
for `step_and_sweep`: blocks of three for the points that rest, scalar rows for all others. It is not symmetric, and
where friction outweighs the normal inertia (Painleve) it may have no solution.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...jit import inlined
from ..records import SLIP
from .block import ACCEPTABLE, step_and_sweep
from .by_rows import residual_by_rows, sweep_by_rows
from .newton import newton_step
from .problem import FrictionWork, friction_work, problem_with_one_friction

LOOSE, RESTING, SLIPPING = 0, 1, 2  # what a row's point does; LOOSE: nothing acts on it. Limits are LOOSE or RESTING.

TOLERANCE, ACCEPTED, MAX_SWEEPS = 1e-12, 1e-8, 500  # of the solver: residuals aimed at and accepted, sweeps
SINGULAR = 1e-9  # relative to a contact's inverse inertia: below it, the robot cannot move the point that way
HELD = 1e-8  # of the largest offset; a smaller acceleration along the ground is none
JAM = 1e-6  # smallest inverse inertia of a slipping point, relative to the one without friction


class Problem(NamedTuple):
    """Rows that touch at an instant: r rows of m contacts and l limits, r = 3 m + l."""

    G: Any  # inverse inertia of the rows, (r, r)
    velocity: Any  # of the rows, (r,), m/s (limits: rad/s)
    offset: Any  # b, (r,)
    force: Any  # f, (r,)
    response: Any  # G f, (r,)
    motion: Any  # per contact, then per limit: LOOSE, RESTING or SLIPPING, (m + l,)
    heading: Any  # direction of slip along the two tangents; zero: no friction, (m, 2)
    matrix: Any  # of the unknowns, (r, r)
    work: FrictionWork  # of the solver
    unknowns: Any  # (3, r): offsets, solution, its velocities
    order: Any  # (2, r): row of each unknown; modes of the blocks
    pivots: Any  # (2, r): of rows and columns, where a jam is searched
    normal: Any  # (2, r, r): of the factors there
    # of an impact:
    impulse: Any  # of the rows, (r,), N s
    arrival: Any  # speed at which each contact comes to the ground, (m,), m/s
    works: Any  # of the normal impulses, of friction and of the limits, (3,), J


def problem_of(contacts: int, limits: int) -> Problem:
    """Return a problem with room for some contacts and joint limits."""
    rows = max(1, 3 * contacts + limits)
    return Problem(
        G=np.zeros((rows, rows)),
        velocity=np.zeros(rows),
        offset=np.zeros(rows),
        force=np.zeros(rows),
        response=np.zeros(rows),
        motion=np.zeros(max(1, contacts + limits), dtype=np.int64),
        heading=np.zeros((max(1, contacts), 2)),
        matrix=np.zeros((rows, rows)),
        work=friction_work(rows),
        unknowns=np.zeros((3, rows)),
        order=np.zeros((2, rows), dtype=np.int64),
        pivots=np.zeros((2, rows), dtype=np.int64),
        normal=np.zeros((2, rows, rows)),
        impulse=np.zeros(rows),
        arrival=np.zeros(max(1, contacts)),
        works=np.zeros(3),
    )


@inlined
def classify(problem, k, slowest, friction):
    """Let contact ``k`` rest or slip, by the size of its tangential velocity; without friction it always slips."""
    first, second = problem.velocity[3 * k + 1], problem.velocity[3 * k + 2]
    speed = math.sqrt(first * first + second * second)
    if friction <= 0.0:
        problem.motion[k], problem.heading[k, 0], problem.heading[k, 1] = SLIPPING, 0.0, 0.0
    elif speed <= slowest:
        problem.motion[k] = RESTING
    else:
        problem.motion[k] = SLIPPING
        problem.heading[k, 0], problem.heading[k, 1] = first / speed, second / speed


@inlined
def list_unknowns(problem, contacts, rows):
    """List the rows of the unknowns: points that rest, points that slip, limits; return how many of each."""
    order, motion = problem.order[0], problem.motion
    size = 0
    for k in range(contacts):
        if motion[k] == RESTING:
            order[size], order[size + 1], order[size + 2] = 3 * k, 3 * k + 1, 3 * k + 2
            size += 3
    resting = size // 3
    for k in range(contacts):
        if motion[k] == SLIPPING:
            order[size] = 3 * k
            size += 1
    slipping = size - 3 * resting
    for r in range(3 * contacts, rows):
        if motion[contacts + r - 3 * contacts] != LOOSE:
            order[size] = r
            size += 1
    return resting, slipping, size


@inlined
def fill_matrix(problem, resting, slipping, size, friction):
    """Fill the unknowns' matrix and offsets; return whether every slipping point can be pushed off by its force."""
    G, M, order, pushes = problem.G, problem.matrix, problem.order[0], True
    for c in range(size):
        s = order[c]
        slips = 3 * resting <= c < 3 * resting + slipping
        first = friction * problem.heading[s // 3, 0] if slips else 0.0
        second = friction * problem.heading[s // 3, 1] if slips else 0.0
        for a in range(size):
            M[a, c] = G[order[a], s]
            if slips:
                M[a, c] -= first * G[order[a], s + 1] + second * G[order[a], s + 2]
        if slips and M[c, c] <= JAM * G[s, s]:
            pushes = False
        problem.unknowns[0, c], problem.unknowns[1, c] = problem.offset[s], 0.0
    for k in range(resting):
        soften(M, 3 * k)
    return pushes


@inlined
def soften(M, r):
    """Add a trace of compliance where the robot cannot move a resting point at all: there no force is needed."""
    a, b, c, d, e, f = M[r, r], M[r, r + 1], M[r, r + 2], M[r + 1, r + 1], M[r + 1, r + 2], M[r + 2, r + 2]
    determinant = a * (d * f - e * e) - b * (b * f - e * c) + c * (b * e - d * c)
    trace = a + d + f
    if determinant >= SINGULAR * trace * trace * trace:
        return
    along_an_axis = min(a, d, f) < SINGULAR * trace
    for m in range(3):
        if M[r + m, r + m] < SINGULAR * trace or (m > 0 and not along_an_axis):
            M[r + m, r + m] += SINGULAR * trace


@inlined
def spread_forces(problem, resting, slipping, size, rows, friction):
    """Write the forces of all rows from the unknowns, and the response G f."""
    z, order, force = problem.unknowns[1], problem.order[0], problem.force
    for r in range(rows):
        force[r] = 0.0
    for c in range(size):
        s = order[c]
        if c >= 3 * resting or c % 3 == 0:
            z[c] = max(z[c], 0.0)  # rounding
        force[s] = z[c]
        if 3 * resting <= c < 3 * resting + slipping:
            force[s + 1] = -friction * problem.heading[s // 3, 0] * z[c]
            force[s + 2] = -friction * problem.heading[s // 3, 1] * z[c]
    fill_response(problem, rows)


@inlined
def fill_response(problem, rows):
    """Write the response G f of all rows."""
    for r in range(rows):
        total = 0.0
        for s in range(rows):
            total += problem.G[r, s] * problem.force[s]
        problem.response[r] = total


@inlined
def begin_to_slip(problem, resting, rows):
    """Let points slip whose friction is used up and that move along the ground; return how many there are.

    A point that begins to slip does so against its friction, in the direction of its acceleration (the same one). One
    whose neighbour holds it stays where it is, whatever its share of the friction.
    """
    count, least = 0, 0.0
    for r in range(rows):
        least = max(least, HELD * abs(problem.offset[r]))
    for c in range(resting):
        r = problem.order[0, 3 * c]
        size = math.sqrt(problem.force[r + 1] ** 2 + problem.force[r + 2] ** 2)
        first, second = problem.offset[r + 1] + problem.response[r + 1], problem.offset[r + 2] + problem.response[r + 2]
        if problem.order[1, c] == SLIP and size > 0.0 and math.sqrt(first * first + second * second) > least:
            problem.motion[r // 3] = SLIPPING
            problem.heading[r // 3, 0] = -problem.force[r + 1] / size
            problem.heading[r // 3, 1] = -problem.force[r + 2] / size
            count += 1
    return count


@inlined
def solve_unknowns(problem, resting, size, friction):
    """Solve for the unknowns, blocks of points that rest and then scalar rows; return the residual."""
    b, z, w = problem.unknowns[0], problem.unknowns[1], problem.unknowns[2]
    unknowns = problem_with_one_friction(
        problem.matrix, b, z, w, problem.order[1], problem.work, resting, size, friction, 0.0
    )
    for k in range(resting):
        problem.work.shares[k] = 0.0  # of other points, in another call: forces depend on nothing that was before
    accepted = ACCEPTABLE * TOLERANCE
    return step_and_sweep(unknowns, TOLERANCE, accepted, MAX_SWEEPS, residual_by_rows, newton_step, sweep_by_rows)[1]


@inlined
def solve_forces(problem, contacts, rows, static, dynamic):
    """Find the forces that all laws ask for; return whether there are any. Points that cannot rest are set to slip.

    Args:
        problem: G, offset, motion and heading are read; force and response are written.
        contacts: number of contacts.
        rows: all rows, those of limits included.
        static: coefficient of friction of a point that rests.
        dynamic: coefficient of friction of a point that slips.
    """
    for _ in range(contacts + 1):
        resting, slipping, size = list_unknowns(problem, contacts, rows)
        if not fill_matrix(problem, resting, slipping, size, dynamic):
            return False
        residual = solve_unknowns(problem, resting, size, static)
        if not residual <= ACCEPTED:
            return False
        spread_forces(problem, resting, slipping, size, rows, dynamic)
        if begin_to_slip(problem, resting, rows) == 0:
            return True
    return True


@inlined
def solve_without_friction(problem, contacts, rows):
    """Find the normal forces that smooth ground would have; there always are some (G is positive semi-definite)."""
    resting, slipping, size = 0, 0, 0
    for k in range(contacts):
        if problem.motion[k] != LOOSE:
            problem.order[0, size] = 3 * k
            size += 1
    slipping = size
    for r in range(3 * contacts, rows):
        if problem.motion[contacts + r - 3 * contacts] != LOOSE:
            problem.order[0, size] = r
            size += 1
    fill_matrix(problem, resting, slipping, size, 0.0)
    solve_unknowns(problem, 0, size, 0.0)
    spread_forces(problem, resting, slipping, size, rows, 0.0)
