"""What takes part in an impact: points that touch and joints at a limit, their inertia and velocities, and the books.

An impact takes no time: drives, dampers and dry joint friction are finite and do not act, so all joints are free in it.
"""

from ...actuation.rows import ADDED, APPLIED
from ...dynamics.articulated_body import gather_inertias
from ...dynamics.contact_inertia import invert_roots
from ...dynamics.energy import elastic, gravitational, kinetic
from ...dynamics.kinematics import place_bodies
from ...jit import inlined
from ..bookkeeping import world_impulse
from ..constraint_rows import couple_contacts, fill_joint_row, hand_in_contact
from ..detection import put_components, set_tangents
from ..impulses import release_joints
from ..records import CONTACT_NORMAL, CONTACT_TANGENTIAL, LIMITS, OPEN, WORK_TERMS
from .contact_shape import material_velocity, measure_shape
from .motion import CONTACT_COUNT, RIGHT, ROW_OF, STOP_COUNT, UNKNOWN_COUNT
from .tolerances import TOUCHING


@inlined
def total_energy(system, q, v):
    """Return kinetic energy and the sum of all energies, J; leaves the bodies placed."""
    place_bodies(system.links, system.bodies, q, v)
    moving = kinetic(system.links, system.bodies, v)
    return moving, moving + gravitational(system.links, system.bodies) + elastic(system.links, q)


@inlined
def energy_now(system, motion):
    """Return the sum of all energies of the state in ``motion.y``, J; leaves the bodies placed."""
    nv = system.dofs.shape[1]
    nq = len(system.state) - nv
    return total_energy(system, motion.y[:nq], motion.y[nq : nq + nv])[1]


@inlined
def list_touching(system, motion):
    """List all points that touch and all joints at a limit, with their G and their velocities (offsets)."""
    links, bodies, contacts, b = system.links, system.bodies, system.contacts, system.offsets
    rows, efforts, G = system.rows, system.row_efforts, system.G
    nq = len(system.state) - system.dofs.shape[1]
    release_joints(system)
    gather_inertias(links, bodies, system.dofs[APPLIED], system.dofs[ADDED])
    invert_roots(links, bodies)
    count = 0
    for k in range(len(contacts)):
        measure_shape(contacts[k], motion.points[k], bodies, system.terrain[0], system.heights)
        set_tangents(contacts[k])
        contacts[k].closed = 0
        if contacts[k].gap > TOUCHING:
            contacts[k].mode = OPEN
            continue
        put_components(contacts[k], material_velocity(contacts[k], bodies), b, 3 * count)
        system.active[count] = k
        hand_in_contact(links, bodies, contacts[k], rows, efforts, 3 * count)
        count += 1
    couple_contacts(links, bodies, rows, efforts, G, count, system.columns)
    stops = 0
    for i in range(len(links)):
        link, q = links[i], motion.y[links[i].position_index]
        if min(q - link.lower_limit, link.upper_limit - q) > TOUCHING or link.lower_limit >= link.upper_limit:
            continue
        r, side = 3 * count + stops, 1.0 if q - link.lower_limit < link.upper_limit - q else -1.0
        system.limited[stops], system.sides[r] = i, side
        fill_joint_row(system, i, side, r)
        b[r] = side * motion.y[nq + link.velocity_index]
        stops += 1
    motion.counts[CONTACT_COUNT], motion.counts[STOP_COUNT] = count, stops


@inlined
def impulse_work(G, before, p, rows):
    """Return the work of impulses, ``p . (w- + w+) / 2``, J."""
    total = 0.0
    for r in range(rows):
        change = 0.0
        for s in range(rows):
            change += G[r, s] * p[s]
        total += p[r] * (before[r] + 0.5 * change)
    return total


@inlined
def book_works(system, motion, p, factor, change):
    """Enter the works of an impact in the extended state; the normal one takes what attenuation adds, J."""
    points, before, n = motion.counts[CONTACT_COUNT], system.offsets, len(system.state)
    rows = 3 * points + motion.counts[STOP_COUNT]
    tangential, limits = 0.0, 0.0
    for r in range(rows):
        after = before[r]
        for s in range(rows):
            after += system.G[r, s] * p[s]
        work = factor * p[r] * 0.5 * (before[r] + factor * after)
        if r >= 3 * points:
            limits += work
        elif r % 3 != 0:
            tangential += work
    motion.y[n + CONTACT_NORMAL] += change - tangential - limits
    motion.y[n + CONTACT_TANGENTIAL] += tangential
    motion.y[n + LIMITS] += limits


@inlined
def book_rest(system, motion):
    """Book works and impulses that have brought the held rows to rest (row RIGHT: their velocities, negative).

    Returns the work of all, J.
    """
    points, n, total = motion.counts[CONTACT_COUNT], len(system.state), 0.0
    for a in range(motion.counts[UNKNOWN_COUNT]):
        r = motion.unknowns[ROW_OF, a]
        work = -0.5 * system.impulses[r] * motion.vectors[RIGHT, a]
        term = LIMITS if r >= 3 * points else (CONTACT_NORMAL if r % 3 == 0 else CONTACT_TANGENTIAL)
        motion.y[n + term] += work
        total += work
    book_impulses(system, motion, system.impulses, points)
    return total


@inlined
def book_impulses(system, motion, p, points):
    """Enter the points' impulses, three rows each, in the extended state."""
    impulses = motion.y[len(system.state) + len(WORK_TERMS) :]
    for k in range(points):
        index = system.active[k]
        push = world_impulse(system.contacts[index], p, 3 * k)
        for m in range(3):
            impulses[3 * index + m] += push[m]
