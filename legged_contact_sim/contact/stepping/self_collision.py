"""The time step of robots whose bodies collide with one another: a contact between two bodies, not body and ground.

A pair's contact has the rows of any other: a normal and two tangents, along which the first body moves relative to the
second. Its impulses act on both, J = J_first - J_second, and the same solver finds them together with all others.
The motion of one body relative to the other is kept in a body record of the pair's own, so that everything that asks
for the velocity of a contact finds it as it does for a point on the ground. A row is the chain of the first body,
completed by that of the second one:

    y = y_first - y_second in the joints,  f = f_first - f_second at the FREE body that carries both.
"""

import math

from ...actuation.rows import CHANGE
from ...dynamics.contact_inertia import common_ancestor, spread_jumps
from ...dynamics.record_fields import inertia, put_spatial, spatial, vector
from ...dynamics.spatial import apply, dot, force_at, scale, sub, sym_inverse
from ...jit import inlined, inlined_always, shared
from ...model.records import FREE
from ..impulses import gather_impulses
from ..pair_detection import measure_pair
from ..records import OPEN
from .acting_contacts import activate, acts_now, carry_free, find_contacts, speed_bound
from .impacts import IMPACT, STOP
from .time_stepping import add_changes, advance_parts, detect_by, iterate_impulses, need_all_rows, predict, revise

YIELDING = 1e-4  # of a pair's inverse inertia, along directions in which its bodies cannot move


@inlined
def pair_number(system, k):
    """Return the number of the pair whose contact is the ``k``-th that acts; negative: it is a point's."""
    return system.active[k] - (len(system.contacts) - len(system.pairs))


@inlined
def relate(system, p):
    """Write the motion of a pair's first body relative to its second one: at the start, and at the end or its jump."""
    pair, bodies = system.pairs[p], system.bodies
    first, second, relative = bodies[pair.first], bodies[pair.second], bodies[len(system.links) + p]
    put_spatial(relative.velocity, sub(spatial(first.velocity), spatial(second.velocity)))
    put_spatial(relative.jump, sub(spatial(first.jump), spatial(second.jump)))


@inlined
def relate_near(system):
    """Bring the relative motions of all pairs that are near up to date."""
    points = len(system.contacts) - len(system.pairs)
    for p in range(len(system.pairs)):
        if system.contacts[points + p].near:
            relate(system, p)


@inlined
def carry_free_pairs(system):
    """Let every body's and every pair's ``jump`` be its motion at the free end."""
    carry_free(system)
    relate_near(system)


@shared
def find_pairs(system, h, settings, arrivals, count, first):
    """List the pairs that act, too, after ``count`` contacts on the ground; see `find_contacts`."""
    points = len(system.contacts) - len(system.pairs)
    reach = 2.0 * h * speed_bound(system, settings.extent) if arrivals != IMPACT else math.inf
    for p in range(len(system.pairs)):
        contact = system.contacts[points + p]
        contact.mode = OPEN
        contact.clearance -= reach
        if contact.clearance > reach or not measure_pair(contact, system.pairs[p], system.bodies, reach):
            contact.near, contact.arrival = 0, math.inf
            continue
        relate(system, p)
        if acts_now(contact, system.bodies[contact.motion], h, settings, arrivals):
            activate(contact, system.bodies[contact.motion])
            if count < len(system.active):
                system.active[count] = points + p
            count += 1
        if arrivals == STOP:
            first = min(first, contact.arrival)
    return count, first


@inlined
def find_all(system, h, settings, arrivals):
    """List the points and pairs that act; see `find_contacts`."""
    count, first = find_contacts(system, h, settings, arrivals)
    return find_pairs(system, h, settings, arrivals, count, first)


@inlined
def hand_in_side(links, bodies, i, force, efforts):
    """Add to the efforts (n,) what a force on body ``i`` leaves in its chain; return what reaches its end."""
    while i >= 0 and links[i].joint_kind != FREE:
        effort = dot(spatial(bodies[i].axis), force)
        efforts[i] += effort
        force = sub(force, scale(spatial(bodies[i].push), effort * bodies[i].inverse_inertia))
        i = links[i].parent
    return force


@inlined
def hand_in_pair(system, pair, contact, r):
    """Hand a pair's three unit forces inward on both sides, as rows ``r`` to ``r + 2``; efforts elsewhere are zero."""
    links, bodies, position = system.links, system.bodies, vector(contact.position)
    for m in range(3):
        row, efforts = system.rows[r + m], system.row_efforts[r + m]
        for i in range(len(links)):
            efforts[i] = 0.0
        along = vector(contact.normal)
        if m == 1:
            along = vector(contact.first_tangent)
        elif m == 2:
            along = vector(contact.second_tangent)
        force = force_at(position, along)
        reached = hand_in_side(links, bodies, pair.first, force, efforts)
        back = hand_in_side(links, bodies, pair.second, scale(force, -1.0), efforts)
        total = sub(reached, scale(back, -1.0))
        put_spatial(row.force, total)
        if row.end >= 0:
            put_spatial(row.response, apply(inertia(bodies[row.end].inertia), total))


@inlined
def shared_motion(system, r, s, chain):
    """Return ``G_rs`` of a pair's row ``r`` and another row: a chain's, or (``chain`` False) another pair's."""
    links, bodies, row, other = system.links, system.bodies, system.rows[r], system.rows[s]
    total = 0.0
    if row.end != other.end:
        return total
    if chain:
        i = other.link
        while i != other.end:
            total += system.row_efforts[r, i] * system.row_efforts[s, i] * bodies[i].inverse_inertia
            i = links[i].parent
    else:
        for i in range(len(links)):
            total += system.row_efforts[r, i] * system.row_efforts[s, i] * bodies[i].inverse_inertia
    if row.end >= 0:
        total += dot(spatial(row.response), spatial(other.force))
    return total


@inlined
def give_way(G, r):
    """Let a pair's contact give a little along directions in which its bodies cannot move relative to each other.

    Few joints stand between two bodies of a robot: a gap that none of them can open would ask for boundless impulses,
    which jam. With c a trace of the block's size, G + c^2 (G + c)^-1 adds c where G is zero, and next to nothing, c^2
    over G, where the bodies move freely.
    """
    xx, xy, xz = G[r, r], G[r, r + 1], G[r, r + 2]
    yy, yz, zz = G[r + 1, r + 1], G[r + 1, r + 2], G[r + 2, r + 2]
    trace = YIELDING * (xx + yy + zz)
    added = sym_inverse((xx + trace, xy, xz, yy + trace, yz, zz + trace))
    square = trace * trace
    G[r, r], G[r, r + 1], G[r, r + 2] = xx + square * added[0], xy + square * added[1], xz + square * added[2]
    G[r + 1, r], G[r + 1, r + 1], G[r + 1, r + 2] = G[r, r + 1], yy + square * added[3], yz + square * added[4]
    G[r + 2, r], G[r + 2, r + 1], G[r + 2, r + 2] = G[r, r + 2], G[r + 1, r + 2], zz + square * added[5]


@shared
def complete_pairs(system, contacts, rows):
    """Let the rows of pairs, which are those of their first bodies so far, act on the second ones, too."""
    for k in range(contacts):
        p = pair_number(system, k)
        if p >= 0:
            hand_in_pair(system, system.pairs[p], system.contacts[system.active[k]], 3 * k)
    for k in range(contacts):
        if pair_number(system, k) < 0:
            continue
        for r in range(3 * k, 3 * k + 3):
            for s in range(rows):
                chain = s >= 3 * contacts or pair_number(system, s // 3) < 0
                system.G[r, s] = shared_motion(system, r, s, chain)
                system.G[s, r] = system.G[r, s]
        give_way(system.G, 3 * k)


@inlined
def apply_on_both(system, contacts, rows):
    """Change the velocities by the impulses of contacts and limits; those of pairs act on both bodies."""
    links, bodies, z = system.links, system.bodies, system.impulses
    gather_impulses(system, contacts, rows, z)
    for k in range(contacts):
        p, r = pair_number(system, k), 3 * k
        if p >= 0:
            i = system.pairs[p].second
            above = common_ancestor(links, system.pairs[p].first, i)
            while i != above:
                efforts = system.row_efforts[r, i] * z[r] + system.row_efforts[r + 1, i] * z[r + 1]
                bodies[i].drive += efforts + system.row_efforts[r + 2, i] * z[r + 2]
                i = links[i].parent
    spread_jumps(links, bodies, system.dofs[CHANGE])
    relate_near(system)
    add_changes(system)


@inlined_always
def detect(system, method, part, settings):
    """List the points, pairs and joint limits that act with the free velocities; return `Acting`."""
    return detect_by(system, part, settings, find_all)


@inlined_always
def solve_impulses(system, solve, part, acting, settings):
    """Find the impulses and the end velocities; return what acts in the end."""
    return iterate_impulses(
        system, solve, part, acting, settings, need_all_rows, complete_pairs, apply_on_both, carry_free_pairs
    )


@inlined_always
def advance_colliding(system, h, settings, solve):
    """One whole step of length ``h``, s, of a robot whose bodies collide; arguments and result as of `advance`."""
    return advance_parts(system, solve, h, settings, predict, detect, solve_impulses, revise)
