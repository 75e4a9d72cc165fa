"""Closures of the tree, loops and coupled joints, as equations C v = 0 that impulses keep.

With the articulated body method's factors, every equation is a row of C, whose unit impulse is handed inward as a
contact's is (`contact_inertia`), on both its sides. Then

    G = C A^-1 C^T,    v_closed = v - A^-1 C^T G^-1 C v,

and likewise for accelerations, where C a + C' v = 0. A planar loop in space has equations that say nothing (no motion
of the tree violates them): G is factored with pivoting, and what has no pivot gets no impulse.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..jit import compiled, inlined
from ..model.closures import CONNECTION, row_count
from ..model.records import FREE
from .articulated_body import articulated_body
from .contact_inertia import ROW, coupling, hand_inward, hand_inward_effort, invert_roots, spread_jumps, unit_vector
from .kinematics import (
    accelerations_to_base_axes,
    carry_velocities,
    point_position,
    velocities_to_outer_axes,
)
from .record_fields import increase_spatial, put_spatial, put_vector_at, spatial, vector
from .spatial import ZERO, Spatial, add, cross_motion, force_at, scale, vadd, vcross, velocity_at, vsub

RANK_TOLERANCE = 1e-12  # of the largest pivot


class Closures(NamedTuple):
    """The closures of a robot, e equations in all, and room for work on at most u other rows."""

    records: Any  # CLOSURE (c,)
    rows: Any  # ROW (2 e,): the first sides of all equations, then the second ones
    efforts: Any  # (2 e, n): what their unit impulses leave in the joints
    factor: Any  # of G, lower half, pivots in order, (e, e)
    order: Any  # which equation each pivot is, then the rank, (e + 1,)
    velocities: Any  # (e,): C v and whatever else is to be taken away
    bias: Any  # C' v, (e,)
    impulses: Any  # (e,)
    couplings: Any  # with other rows: C A^-1 J^T, (u, e)
    responses: Any  # G^-1 of these, (u, e)


def closure_work(records: np.ndarray, links: int, others: int) -> Closures:
    """Return the work for CLOSURE records of a robot with so many links beside so many other rows."""
    e = row_count(records)
    return Closures(
        records=records,
        rows=np.zeros(2 * e, dtype=ROW),
        efforts=np.zeros((2 * e, links)),
        factor=np.zeros((e, e)),
        order=np.zeros(e + 1, dtype=np.int64),
        velocities=np.zeros(e),
        bias=np.zeros(e),
        impulses=np.zeros(e),
        couplings=np.zeros((others, e)),
        responses=np.zeros((others, e)),
    )


@inlined
def displacement(links, closure, q):
    """Return x - x_0 of a coupling's second joint; 0 if there is none."""
    if closure.second < 0:
        return 0.0
    return q[links[closure.second].position_index] - closure.second_reference


@inlined
def slope(closure, x):
    """Return the derivative of a coupling's polynomial."""
    c = closure.coefficients
    return c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]))


@inlined
def closure_ends(bodies, closure):
    """Return where the two points of a connection are, relative to the reference point, m."""
    first = point_position(bodies[closure.first], vector(closure.first_point))
    return first, point_position(bodies[closure.second], vector(closure.second_point))


@inlined
def fill_gaps(links, bodies, closures, q, out):
    """Write what is left of each equation in the present pose, (e,), m or rad."""
    for closure in closures.records:
        if closure.kind == CONNECTION:
            first, second = closure_ends(bodies, closure)
            put_vector_at(out, closure.row, vsub(first, second))
        else:
            x, c = displacement(links, closure, q), closure.coefficients
            y = q[links[closure.first].position_index] - closure.first_reference
            out[closure.row] = y - (c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4]))))


@inlined
def fill_velocities(links, bodies, closures, q, velocities, out):
    """Write C times velocities (nv,), of which the bodies' ``jump`` is the motion, (e,)."""
    for closure in closures.records:
        if closure.kind == CONNECTION:
            first, second = closure_ends(bodies, closure)
            one = velocity_at(spatial(bodies[closure.first].jump), first)
            put_vector_at(out, closure.row, vsub(one, velocity_at(spatial(bodies[closure.second].jump), second)))
        else:
            out[closure.row] = velocities[links[closure.first].velocity_index]
            if closure.second >= 0:
                turn = slope(closure, displacement(links, closure, q))
                out[closure.row] -= turn * velocities[links[closure.second].velocity_index]


@inlined
def carried_acceleration(links, bodies, i, point, velocities):
    """Return the acceleration of a point of body ``i`` at constant velocities (after `place_bodies` with them)."""
    velocity, total, k = spatial(bodies[i].velocity), Spatial(ZERO, ZERO), i
    while k >= 0:
        if links[k].joint_kind == FREE:
            total = add(total, spatial(bodies[k].coriolis))
        else:
            own = scale(spatial(bodies[k].axis), velocities[links[k].velocity_index])
            total = add(total, cross_motion(spatial(bodies[links[k].parent].velocity), own))
        k = links[k].parent
    return vadd(velocity_at(total, point), vcross(velocity.angular, velocity_at(velocity, point)))


@inlined
def fill_bias(links, bodies, closures, q, velocities):
    """Write C' v of all equations (after `place_bodies` with these velocities), (e,), m/s^2 or rad/s^2."""
    out = closures.bias
    for closure in closures.records:
        if closure.kind == CONNECTION:
            first, second = closure_ends(bodies, closure)
            one = carried_acceleration(links, bodies, closure.first, first, velocities)
            other = carried_acceleration(links, bodies, closure.second, second, velocities)
            put_vector_at(out, closure.row, vsub(one, other))
        else:
            out[closure.row] = 0.0
            if closure.second >= 0:
                x, c = displacement(links, closure, q), closure.coefficients
                rate = velocities[links[closure.second].velocity_index]
                out[closure.row] = -(2.0 * c[2] + x * (6.0 * c[3] + x * 12.0 * c[4])) * rate * rate


@inlined
def hand_in_closures(links, bodies, closures, q):
    """Hand the unit impulses of all equations inward, on both their sides."""
    rows, efforts = closures.rows, closures.efforts
    others = len(closures.impulses)
    for closure in closures.records:
        r, mirror = closure.row, others + closure.row
        if closure.kind == CONNECTION:
            first, second = closure_ends(bodies, closure)
            for k in range(3):
                axis = unit_vector(k)
                hand_inward(links, bodies, closure.first, force_at(first, axis), rows[r + k], efforts[r + k])
                back = scale(force_at(second, axis), -1.0)
                hand_inward(links, bodies, closure.second, back, rows[mirror + k], efforts[mirror + k])
        else:
            hand_inward_effort(links, bodies, closure.first, 1.0, rows[r], efforts[r])
            rows[mirror].link, rows[mirror].end = -1, -1
            if closure.second >= 0:
                turn = -slope(closure, displacement(links, closure, q))
                hand_inward_effort(links, bodies, closure.second, turn, rows[mirror], efforts[mirror])


@inlined
def sides_coupling(links, bodies, closures, r, row, efforts):
    """Return what both sides of equation ``r`` have in common with another row."""
    own, left, other = closures.rows, closures.efforts, len(closures.impulses) + r
    one = coupling(links, bodies, own[r], left[r], row, efforts)
    return one + coupling(links, bodies, own[other], left[other], row, efforts)


@inlined
def bring_pivot(A, order, k, n):
    """Bring the largest diagonal entry that is left to place ``k``; return it."""
    largest = k
    for m in range(k + 1, n):
        if A[m, m] > A[largest, largest]:
            largest = m
    if largest != k:
        order[k], order[largest] = order[largest], order[k]
        for m in range(n):
            A[k, m], A[largest, m] = A[largest, m], A[k, m]
        for m in range(n):
            A[m, k], A[m, largest] = A[m, largest], A[m, k]
    return A[k, k]


@inlined
def factor_closures(links, bodies, closures):
    """Factor G by Cholesky's method with pivoting; the rank is that of the equations that say something."""
    A, order, n = closures.factor, closures.order, len(closures.impulses)
    for r in range(n):
        order[r] = r
        for s in range(r + 1):
            first = sides_coupling(links, bodies, closures, r, closures.rows[s], closures.efforts[s])
            second = sides_coupling(links, bodies, closures, r, closures.rows[n + s], closures.efforts[n + s])
            A[r, s] = first + second
            A[s, r] = A[r, s]
    rank, least = n, 0.0
    for k in range(n):
        pivot = bring_pivot(A, order, k, n)
        if k == 0:
            least = RANK_TOLERANCE * pivot
        if pivot <= least:
            rank = k
            break
        root = math.sqrt(pivot)
        A[k, k] = root
        for m in range(k + 1, n):
            A[m, k] /= root
        for m in range(k + 1, n):
            for s in range(k + 1, n):
                A[m, s] -= A[m, k] * A[s, k]
    order[n] = rank


@inlined
def solve_closures(closures, b, x):
    """Write x = G^-1 b, both (e,) and not the same array; what has no pivot gets 0."""
    A, order, n = closures.factor, closures.order, len(b)
    rank = order[n]
    for k in range(n):
        x[k] = 0.0
    for k in range(rank):  # forward, in the order of the pivots; x holds the result by equation
        total = b[order[k]]
        for m in range(k):
            total -= A[k, m] * x[order[m]]
        x[order[k]] = total / A[k, k]
    for k in range(rank - 1, -1, -1):
        total = x[order[k]]
        for m in range(k + 1, rank):
            total -= A[m, k] * x[order[m]]
        x[order[k]] = total / A[k, k]


@inlined
def clear_impulses(links, bodies):
    """Forget the impulses in joints and on FREE bodies."""
    for i in range(len(links)):
        bodies[i].drive = 0.0
        if links[i].joint_kind == FREE:
            put_spatial(bodies[i].bias, Spatial(ZERO, ZERO))


@inlined
def add_closure_impulses(links, bodies, closures, impulses):
    """Add to joints and FREE bodies what the equations' impulses (e,) leave in them."""
    e = len(impulses)
    for r in range(2 * e):
        row, z = closures.rows[r], impulses[r % e]
        i = row.link
        while i != row.end:
            bodies[i].drive += closures.efforts[r, i] * z
            i = links[i].parent
        if i >= 0:
            increase_spatial(bodies[i].bias, scale(spatial(row.force), -z))


@inlined
def take_away(links, bodies, closures, change):
    """Write the change of velocities (nv,) by the impulses that take ``closures.velocities`` away."""
    solve_closures(closures, closures.velocities, closures.impulses)
    for r in range(len(closures.impulses)):
        closures.impulses[r] = -closures.impulses[r]
    clear_impulses(links, bodies)
    add_closure_impulses(links, bodies, closures, closures.impulses)
    spread_jumps(links, bodies, change)


@compiled
def closed_forward_dynamics_entry(links, bodies, closures, state, forces):
    """Forward dynamics with closures, in public axes; ``state`` as for `forward_dynamics_entry`."""
    nv = links[-1].velocity_index + (6 if links[-1].joint_kind == FREE else 1)
    nq = len(state) - 6 * nv
    q, v, effort = state[:nq], state[nq : nq + nv], state[nq + nv : nq + 2 * nv]
    added, velocities = state[nq + 2 * nv : nq + 3 * nv], state[nq + 3 * nv : nq + 4 * nv]
    derivative, acceleration = state[nq + 4 * nv : nq + 5 * nv], state[nq + 5 * nv :]
    velocities_to_outer_axes(links, q, v, velocities)
    velocities_to_outer_axes(links, q, effort, acceleration)
    articulated_body(links, bodies, q, velocities, acceleration, added, forces, derivative)
    fill_bias(links, bodies, closures, q, velocities)
    invert_roots(links, bodies)
    hand_in_closures(links, bodies, closures, q)
    factor_closures(links, bodies, closures)
    carry_velocities(links, bodies, derivative)
    fill_velocities(links, bodies, closures, q, derivative, closures.velocities)
    for r in range(len(closures.bias)):
        closures.velocities[r] += closures.bias[r]
    take_away(links, bodies, closures, acceleration)
    for j in range(nv):
        derivative[j] += acceleration[j]
    accelerations_to_base_axes(links, q, velocities, derivative, acceleration)
