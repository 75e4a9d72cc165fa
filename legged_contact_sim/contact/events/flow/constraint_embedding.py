"""Online constraint embedding (Singh 3.3): motion with closed contacts in as many equations as there is freedom.

Every closed contact holds one row of the contact Jacobian while it slips (the normal), three while it sticks; a joint
at its limit holds one. With J the held rows, b their accelerations without contact forces, and x what the forces add to
the free acceleration,

    J x + b = 0,        A x = B^T f,

where f are the unknown forces and B their rows: those of J, with ``n - mu_d x_i`` in place of n where a point slips
(``S_c^T J_c``, eq. 3.22). A QR factorisation of J with column pivoting, ``J P = Q R``, shows how many rows are
independent and which speeds depend on which,

    x = K x_I + x_b,    K = [-R_D^-1 R_I; 1],   x_b = [-R_D^-1 Q^T b; 0]         (eqs. 3.24 to 3.26),

and the forces leave the equations of motion when these are multiplied by a matrix L with B L = 0:

    L^T A K x_I = -L^T A x_b,        L = [-B_D^-1 B_I; 1].

(The document multiplies by K, eq. 3.29, as if a slipping point's constraint were ``S_c^T J_c v = 0``; what holds is
that its normal velocity is zero. Without slip, or without friction, L = K.) The reaction forces follow from the
dependent equations: ``B_D^T y = (A x)_D`` and f = Q y. Where rows are redundant, these are the admissible forces that
are nearest to those given (while points slip: the smallest). All rows are multiplied by weights w beforehand, so that
near means a small ``sum (df / w)^2``: light points take little of a change.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ....actuation.rows import CHANGE
from ....dynamics.composite_body import fill_mass_matrix, joint_freedom, motion_in_outer_axes
from ....dynamics.kinematics import place_bodies
from ....dynamics.record_fields import vector
from ....dynamics.spatial import vdot, velocity_at
from ....dynamics.workspace import workspace
from ....jit import inlined
from ....model import RobotModel

RANK = 1e-9  # of the largest pivot; rows with a smaller one are redundant


class Reduction(NamedTuple):
    """Work of the embedding; n velocities, r rows (three per contact point, one per joint)."""

    bodies: Any  # BODY records whose inertias become composite ones
    A: Any  # mass matrix, outer axes, (n, n)
    J: Any  # Jacobian of all rows (normal, tangents, limits), (r, n)
    table: Any  # what the reflections of the QR factorisation act on: J, b, B and the unit matrix, (r, 2 n + 1 + r)
    K: Any  # (n, n + 1): K, then x_b
    L: Any  # (n, n)
    equations: Any  # a linear system and its right-hand sides, (n, 2 n + 1)
    x: Any  # (2, n): x, then A x
    order: Any  # (n,): velocities, the dependent ones first
    shares: Any  # forces of the held rows, (r,)
    drags: Any  # ``mu_d x_i`` of every held row along the two tangents, zero where nothing slips, (2, r)
    weights: Any  # w, in what proportion held rows share what is redundant, (r,)


def reduction_of(robot: RobotModel) -> Reduction:
    """Return the work of a robot's constraint embedding."""
    n, r = robot.nv, max(1, 3 * len(robot.contact_points) + robot.joint_count)
    return Reduction(
        bodies=workspace(robot),
        A=np.zeros((n, n)),
        J=np.zeros((r, n)),
        table=np.zeros((r, 2 * n + 1 + r)),
        K=np.zeros((n, n + 1)),
        L=np.zeros((n, n)),
        equations=np.zeros((n, 2 * n + 1)),
        x=np.zeros((2, n)),
        order=np.zeros(n, dtype=np.int64),
        shares=np.zeros(r),
        drags=np.zeros((2, r)),
        weights=np.zeros(r),
    )


@inlined
def fill_jacobian(system, contacts, limits, J):
    """Write the rows of all closed contacts (normal, tangents) and of the limits, as listed in the system."""
    links, bodies = system.links, system.bodies
    for r in range(3 * contacts + limits):
        for j in range(J.shape[1]):
            J[r, j] = 0.0
    for k in range(contacts):
        contact, r = system.contacts[system.active[k]], 3 * k
        position, i = vector(contact.position), contact.link
        while i >= 0:
            for m in range(joint_freedom(links[i])):
                j = links[i].velocity_index + m
                velocity = velocity_at(motion_in_outer_axes(links, bodies, i, m), position)
                J[r, j] = vdot(vector(contact.normal), velocity)
                J[r + 1, j] = vdot(vector(contact.first_tangent), velocity)
                J[r + 2, j] = vdot(vector(contact.second_tangent), velocity)
            i = links[i].parent
    for k in range(limits):
        r = 3 * contacts + k
        J[r, links[system.limited[k]].velocity_index] = system.sides[r]


@inlined
def list_free_velocities(system, order):
    """List the velocities of all joints that dry friction does not hold; return how many."""
    count = 0
    for i in range(len(system.links)):
        if not system.bodies[i].locked:
            for k in range(joint_freedom(system.links[i])):
                order[count] = system.links[i].velocity_index + k
                count += 1
    return count


@inlined
def fill_table(table, J, b, rows, drags, weights, held, order, n):
    """Fill the columns J, b, B and 1 of the held rows, weighted, J and B over the free velocities in their order."""
    for a in range(held):
        r = rows[a]
        for c in range(n):
            j = order[c]
            table[a, c] = weights[a] * J[r, j]
            table[a, n + 1 + c] = table[a, c]
            if drags[0, a] != 0.0 or drags[1, a] != 0.0:
                table[a, n + 1 + c] -= weights[a] * (drags[0, a] * J[r + 1, j] + drags[1, a] * J[r + 2, j])
        table[a, n] = weights[a] * b[r]
        for s in range(held):
            table[a, 2 * n + 1 + s] = 1.0 if s == a else 0.0


@inlined
def bring_largest_forward(table, order, held, n, k):
    """Exchange column ``k`` of J (and of B) with the one that is largest below row ``k``; return its length."""
    best, largest = k, -1.0
    for c in range(k, n):
        length = 0.0
        for a in range(k, held):
            length += table[a, c] * table[a, c]
        if length > largest:
            best, largest = c, length
    if best != k:
        order[k], order[best] = order[best], order[k]
        for a in range(held):
            table[a, k], table[a, best] = table[a, best], table[a, k]
            table[a, n + 1 + k], table[a, n + 1 + best] = table[a, n + 1 + best], table[a, n + 1 + k]
    return math.sqrt(largest)


@inlined
def reflect(table, held, width, k, length):
    """Turn column ``k`` below row ``k`` into (R_kk, 0, ...) by a Householder reflection of the whole table."""
    pivot = table[k, k]
    r = -length if pivot > 0.0 else length
    head = pivot - r
    scale = 1.0 / (-r * head)  # 2 / |u|^2 of u = column - r e_k
    for c in range(k + 1, width):
        total = head * table[k, c]
        for a in range(k + 1, held):
            total += table[a, k] * table[a, c]
        total *= scale
        table[k, c] -= total * head
        for a in range(k + 1, held):
            table[a, c] -= total * table[a, k]
    table[k, k] = r
    for a in range(k + 1, held):
        table[a, k] = 0.0


@inlined
def factor(table, order, held, n):
    """Factor the held rows, ``J P = Q R``, in place; return how many are independent. The other columns become Q^T."""
    first = 0.0
    for k in range(min(held, n)):
        length = bring_largest_forward(table, order, held, n, k)
        first = max(first, length)
        if length <= RANK * first:
            return k
        reflect(table, held, 2 * n + 1 + held, k, length)
    return min(held, n)


@inlined
def solve_equations(equations, size, columns):
    """Solve a linear system with several right-hand sides in place, by elimination with row exchange."""
    for c in range(size):
        pivot = c
        for r in range(c + 1, size):
            if abs(equations[r, c]) > abs(equations[pivot, c]):
                pivot = r
        if pivot != c:
            for s in range(c, size + columns):
                equations[c, s], equations[pivot, s] = equations[pivot, s], equations[c, s]
        for r in range(c + 1, size):
            share = equations[r, c] / equations[c, c]
            if share != 0.0:
                for s in range(c + 1, size + columns):
                    equations[r, s] -= share * equations[c, s]
    for s in range(size, size + columns):
        for c in range(size - 1, -1, -1):
            total = equations[c, s]
            for m in range(c + 1, size):
                total -= equations[c, m] * equations[m, s]
            equations[c, s] = total / equations[c, c]


@inlined
def fill_bases(reduction, n, k):
    """Fill K with x_b, and L, for ``k`` dependent velocities among ``n``, in the order of the factorisation."""
    table, K, L, equations = reduction.table, reduction.K, reduction.L, reduction.equations
    free = n - k
    for a in range(k):
        for c in range(n + 1):
            equations[a, c] = table[a, c]
    solve_equations(equations, k, free + 1)
    for a in range(n):
        for c in range(free + 1):
            K[a, c] = -equations[a, k + c] if a < k else (1.0 if a - k == c else 0.0)
    for a in range(k):
        for c in range(n):
            equations[a, c] = table[a, n + 1 + c]
    solve_equations(equations, k, free)
    for a in range(n):
        for c in range(free):
            L[a, c] = -equations[a, k + c] if a < k else (1.0 if a - k == c else 0.0)


@inlined
def solve_reduced(reduction, n, k):
    """Solve ``L^T A K x_I = -L^T A x_b``; write x (in the order of the factorisation) and A x."""
    A, K, L, order, equations = reduction.A, reduction.K, reduction.L, reduction.order, reduction.equations
    free, x = n - k, reduction.x
    for c in range(free + 1):
        for a in range(n):
            total = 0.0
            for b in range(n):
                total += A[order[a], order[b]] * K[b, c]
            x[1, a] = total
        for a in range(free):
            total = 0.0
            for b in range(n):
                total += L[b, a] * x[1, b]
            equations[a, c] = total if c < free else -total
    solve_equations(equations, free, 1)
    for a in range(n):
        x[0, a] = K[a, free]
        for c in range(free):
            x[0, a] += K[a, c] * equations[c, free]
    for a in range(n):
        total = 0.0
        for b in range(n):
            total += A[order[a], order[b]] * x[0, b]
        x[1, a] = total


@inlined
def read_forces(reduction, n, k, weights, held, slips, out):
    """Write the forces of the held rows, (held,), from the dependent equations: ``B_D^T y = (A x)_D``, f = w Q y.

    What redundant rows leave open stays as it was in ``out``, unless a point slips.
    """
    table, equations = reduction.table, reduction.equations
    for a in range(k):
        for b in range(k):
            equations[a, b] = table[b, n + 1 + a]
        equations[a, k] = reduction.x[1, a]
    solve_equations(equations, k, 1)
    for a in range(k):  # y, less the last forces' part along Q
        for s in range(held):
            equations[a, k] -= 0.0 if slips else table[a, 2 * n + 1 + s] * out[s] / weights[s]
    for s in range(held):
        total = 0.0 if slips else out[s] / weights[s]
        for a in range(k):
            total += table[a, 2 * n + 1 + s] * equations[a, k]
        reduction.shares[s] = weights[s] * total
    for s in range(held):
        out[s] = reduction.shares[s]


@inlined
def embed(system, reduction, y, contacts, limits, rows, held, out):
    """Find the forces of the held rows and the accelerations that they add (row CHANGE of ``dofs``).

    Args:
        system: with bodies, listed contacts and limits, and the offsets b of all rows.
        reduction: work; with drags and weights of the held rows.
        y: q and v, (nq + nv,).
        contacts: number of closed contacts.
        limits: number of joints at a limit.
        rows: index of every held row among all rows, (held,).
        held: number of held rows.
        out: forces of the held rows, (held,): the last ones in, the present ones out.
    """
    links, dofs, bodies = system.links, system.dofs, reduction.bodies
    drags, weights, nv = reduction.drags, reduction.weights, dofs.shape[1]
    nq = len(system.state) - nv
    place_bodies(links, bodies, y[:nq], y[nq : nq + nv])
    fill_mass_matrix(links, bodies, motion_in_outer_axes, reduction.A)
    fill_jacobian(system, contacts, limits, reduction.J)
    n = list_free_velocities(system, reduction.order)
    fill_table(reduction.table, reduction.J, system.offsets, rows, drags, weights, held, reduction.order, n)
    k = factor(reduction.table, reduction.order, held, n)
    fill_bases(reduction, n, k)
    solve_reduced(reduction, n, k)
    slips = False
    for a in range(held):
        slips = slips or drags[0, a] != 0.0 or drags[1, a] != 0.0
    read_forces(reduction, n, k, weights, held, slips, out)
    for j in range(nv):
        dofs[CHANGE, j] = 0.0
    for a in range(n):
        dofs[CHANGE, reduction.order[a]] = reduction.x[0, a]
