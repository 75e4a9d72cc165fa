"""Impulses of a slip that jams (Painleve): points go into the ground faster, and their slip slower, until it stops.

Where friction outweighs the normal inertia no impulses make all points compress together. A jam is what drives a set of
points into the ground at one rate, and no other point faster:

    (G f)_n = -1 where f_n > 0,   (G f)_n >= -1 elsewhere,   friction as ever, joint limits hold.

It is the ray on which Lemke's pivoting ends where the complementarity problem has no solution. With few points it is
found by trying all sets; with many, or where there is none, shares are those of smooth ground, and friction on top.
"""

import math

from ....jit import inlined
from ...solvers.rank_revealing import factor, solve
from ...solvers.stick_slip import JAM, LOOSE, RESTING, SLIPPING, fill_response, solve_without_friction

FRICTION_SWEEPS = 200
MOST_MEMBERS = 8  # points and limits among which all sets are tried
EXACT = 1e-9  # of the rate into the ground


@inlined
def list_members(problem, contacts, rows, mask):
    """List the rows of a set of points and limits (a bit for each that is not loose); return how many rows."""
    order, motion, size, bit = problem.order[0], problem.motion, 0, 0
    for k in range(rows - 2 * contacts):
        if motion[k] == LOOSE:
            continue
        if (mask >> bit) & 1:
            first = 3 * k if k < contacts else k + 2 * contacts
            for m in range(3 if k < contacts and motion[k] == RESTING else 1):
                order[size] = first + m
                size += 1
        bit += 1
    return size


@inlined
def press_members(problem, contacts, rows, size, dynamic):
    """Find the forces of the listed rows that drive their points into the ground at a rate of 1, and the response."""
    G, M, order, z = problem.G, problem.matrix, problem.order[0], problem.unknowns[1]
    for c in range(size):
        s, first, second = order[c], 0.0, 0.0
        slips = s < 3 * contacts and problem.motion[s // 3] == SLIPPING
        if slips:
            first, second = dynamic * problem.heading[s // 3, 0], dynamic * problem.heading[s // 3, 1]
        for a in range(size):
            M[a, c] = G[order[a], s]
            if slips:
                M[a, c] -= first * G[order[a], s + 1] + second * G[order[a], s + 2]
        problem.unknowns[0, c] = -1.0 if s < 3 * contacts and s % 3 == 0 else 0.0
    rank = factor(M, size, problem.pivots, problem.normal)
    solve(M, size, rank, problem.pivots, problem.normal, problem.unknowns[0], z, problem.unknowns[2])
    for r in range(rows):
        problem.force[r] = 0.0
    for c in range(size):
        s = order[c]
        problem.force[s] = z[c]
        if s < 3 * contacts and problem.motion[s // 3] == SLIPPING:
            problem.force[s + 1] = -dynamic * problem.heading[s // 3, 0] * z[c]
            problem.force[s + 2] = -dynamic * problem.heading[s // 3, 1] * z[c]
    fill_response(problem, rows)


@inlined
def is_jam(problem, contacts, rows, static):
    """Return whether forces and responses are those of a jam."""
    force, response, pressed = problem.force, problem.response, False
    for k in range(contacts):
        r = 3 * k
        if problem.motion[k] == LOOSE:
            continue
        if response[r] < -1.0 - EXACT or force[r] < 0.0 or (force[r] > 0.0 and response[r] > -1.0 + EXACT):
            return False
        pressed = pressed or force[r] > 0.0
        if problem.motion[k] == RESTING and force[r] > 0.0:
            size = math.sqrt(force[r + 1] ** 2 + force[r + 2] ** 2)
            creep = abs(response[r + 1]) + abs(response[r + 2])
            if size > static * force[r] or creep > EXACT:
                return False
    for r in range(3 * contacts, rows):
        if problem.motion[r - 2 * contacts] != LOOSE and (force[r] < 0.0 or response[r] < -EXACT):
            return False
    return pressed


@inlined
def find_jam(problem, contacts, rows, static, dynamic):
    """Find the impulses of a jam; return whether there is one."""
    members = 0
    for k in range(rows - 2 * contacts):
        members += 1 if problem.motion[k] != LOOSE else 0
    if members > MOST_MEMBERS:
        return False
    for mask in range(1, 1 << members):
        size = list_members(problem, contacts, rows, mask)
        press_members(problem, contacts, rows, size, dynamic)
        if is_jam(problem, contacts, rows, static):
            return True
    return False


@inlined
def press_on(problem, contacts, rows, static, dynamic, compressing, still):
    """Find impulses where friction leaves no compatible ones: shares as on smooth ground, and friction on top.

    A slip that jams like this makes points go into the ground faster, and itself slower, until it stops. What friction
    takes away from the ground or a limit meanwhile gets no impulse, since that would give energy.
    """
    solve_without_friction(problem, contacts, rows)
    force, heading = problem.force, problem.heading
    for k in range(contacts):
        if problem.motion[k] == SLIPPING:
            force[3 * k + 1] = -dynamic * heading[k, 0] * force[3 * k]
            force[3 * k + 2] = -dynamic * heading[k, 1] * force[3 * k]
    for _ in range(FRICTION_SWEEPS):
        change = 0.0
        for k in range(contacts):
            if problem.motion[k] == RESTING:
                change = max(change, hold_back(problem, 3 * k, rows, static * force[3 * k]))
        if change <= 1e-14:
            break
    fill_response(problem, rows)
    for _ in range(rows):
        if not let_go(problem, contacts, rows, compressing, still):
            break
        fill_response(problem, rows)


@inlined
def let_go(problem, contacts, rows, compressing, still):
    """Take the impulses off the first row at a standstill (limits; in compression contacts, too) that would leave."""
    for r in range(rows):
        if r < 3 * contacts and (r % 3 != 0 or not compressing):
            continue
        leaves = problem.response[r] > JAM * problem.G[r, r] * problem.force[r]
        if problem.force[r] > 0.0 and problem.velocity[r] >= -still and leaves:
            for m in range(3 if r < 3 * contacts else 1):
                problem.force[r + m] = 0.0
            return True
    return False


@inlined
def hold_back(problem, r, rows, bound):
    """Change a resting point's tangential force so that it stays, within its bound; return the relative change."""
    G, force = problem.G, problem.force
    stiffest = max(G[r + 1, r + 1], G[r + 2, r + 2])
    if stiffest <= 0.0 or bound <= 0.0:
        return 0.0
    first, second = problem.offset[r + 1], problem.offset[r + 2]
    for s in range(rows):
        first += G[r + 1, s] * force[s]
        second += G[r + 2, s] * force[s]
    # half of the smallest step that could be needed: the two tangents may share their inertia
    first, second = force[r + 1] - 0.5 * first / stiffest, force[r + 2] - 0.5 * second / stiffest
    size = math.sqrt(first * first + second * second)
    if size > bound:
        first, second = first * bound / size, second * bound / size
    change = max(abs(first - force[r + 1]), abs(second - force[r + 2])) / bound
    force[r + 1], force[r + 2] = first, second
    return change
