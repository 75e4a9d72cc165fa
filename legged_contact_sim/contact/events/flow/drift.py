"""Drift of event-driven motion: constraints that hold for accelerations only are kept by projection.

Accelerations that vanish leave a drift of velocities and gaps. It is taken off in the metric of the mass matrix, by
impulses along the rows that are held.
"""

from ....actuation.rows import CHANGE
from ....dynamics.manifold import move
from ....jit import inlined
from ...impulses import apply_impulses
from ...records import CONTACT_NORMAL
from ..impact_rows import total_energy
from ..motion import CONTACT_COUNT, RIGHT, ROW_OF, SOLUTION, STOP_COUNT, UNKNOWN_COUNT
from ..tolerances import DEEP, GAP_TOLERANCE
from .constrained_motion import factor_rows, list_unknowns, solve_factored

RECOVERY_SPEED = 0.5  # m/s; fastest way out for a point that begins inside the ground


@inlined
def factor_held_rows(system, motion):
    """Fill and factor ``G`` between the rows that are held (normals, sticking tangents, joint stops)."""
    n, rows = list_unknowns(system, motion), motion.unknowns[ROW_OF]
    for a in range(n):
        for b in range(n):
            motion.M[a, b] = system.G[rows[a], rows[b]]
    factor_rows(motion, n)


@inlined
def push_rows(system, motion):
    """Write the change of velocities (row CHANGE) that changes the held rows' velocities by the right-hand side."""
    n, rows, z = motion.counts[UNKNOWN_COUNT], motion.unknowns[ROW_OF], system.impulses
    contacts = motion.counts[CONTACT_COUNT]
    size, p = 3 * contacts + motion.counts[STOP_COUNT], motion.vectors[SOLUTION]
    solve_factored(motion, n)
    for r in range(size):
        z[r] = 0.0
    for a in range(n):
        z[rows[a]] = p[a]
    apply_impulses(system, contacts, size, z)


@inlined
def stop_held_rows(system, motion):
    """Let the velocities of held rows become zero by impulses (after `derivative`); return the fastest before, m/s.

    The impulses stay in the system, the rows' velocities, negative, in the row RIGHT.
    """
    nv = system.dofs.shape[1]
    nq, contacts, fastest = len(system.state) - nv, motion.counts[CONTACT_COUNT], 0.0
    v, rows, right = motion.y[nq : nq + nv], motion.unknowns[ROW_OF], motion.vectors[RIGHT]
    factor_held_rows(system, motion)
    for a in range(motion.counts[UNKNOWN_COUNT]):
        k = rows[a] // 3
        if rows[a] < 3 * contacts:
            contact = system.contacts[system.active[k]]
            right[a] = -contact.end_velocity[rows[a] - 3 * k]
        else:
            i = system.limited[rows[a] - 3 * contacts]
            right[a] = -motion.stops[i] * v[system.links[i].velocity_index]
        fastest = max(fastest, abs(right[a]))
    push_rows(system, motion)
    for j in range(nv):
        v[j] += system.dofs[CHANGE, j]
    return fastest


@inlined
def close_held_gaps(system, motion, h):
    """Let the gaps of held rows become zero, as far as a point may come out of the ground in a step of ``h``, s.

    Follows `stop_held_rows`, whose factors it needs.
    """
    nv = system.dofs.shape[1]
    nq, contacts = len(system.state) - nv, motion.counts[CONTACT_COUNT]
    q, v = motion.y[:nq], motion.y[nq : nq + nv]
    rows, right, most = motion.unknowns[ROW_OF], motion.vectors[RIGHT], GAP_TOLERANCE + RECOVERY_SPEED * h
    farthest = 0.0
    for a in range(motion.counts[UNKNOWN_COUNT]):
        right[a] = 0.0
        if rows[a] >= 3 * contacts:
            i = system.limited[rows[a] - 3 * contacts]
            link = system.links[i]
            place = q[link.position_index]
            room = place - link.lower_limit if motion.stops[i] > 0.0 else link.upper_limit - place
            right[a] = min(max(-room, -most), most)
        elif rows[a] % 3 == 0:
            right[a] = min(max(-system.contacts[system.active[rows[a] // 3]].gap, -most), most)
            farthest = max(farthest, abs(right[a]))
    push_rows(system, motion)
    move_out(system, q, v, farthest > DEEP)


@inlined
def project(system, motion, h):
    """Take the drift of a step of length ``h``, s, off the state ``y`` (after `derivative` there)."""
    if motion.counts[CONTACT_COUNT] + motion.counts[STOP_COUNT] > 0:
        stop_held_rows(system, motion)
        close_held_gaps(system, motion, h)


@inlined
def move_out(system, q, v, deep):
    """Move the robot by the row CHANGE; that is work where it comes from deep in the ground (of a softer model)."""
    before = total_energy(system, q, v)[1] if deep else 0.0
    move(system.links, q, system.dofs[CHANGE], 1.0, q)
    if deep:
        system.ledger[CONTACT_NORMAL] += total_energy(system, q, v)[1] - before
