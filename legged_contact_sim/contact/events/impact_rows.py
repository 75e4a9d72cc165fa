"""What takes part in an impact: points that touch and joints at a limit, their inertia and velocities, and the books.

An impact takes no time: drives, dampers and dry joint friction are finite and do not act, so all joints are free in it.
"""

from ...actuation.rows import ADDED, APPLIED
from ...dynamics.articulated_body import gather_inertias
from ...dynamics.contact_inertia import hand_inward_effort, invert_roots
from ...dynamics.energy import elastic, gravitational, kinetic
from ...dynamics.kinematics import place_bodies
from ...jit import inlined
from ..bookkeeping import world_impulse
from ..constraint_rows import couple_contacts, couple_limit, hand_in_contact
from ..detection import lay_tangents
from ..impulses import release_joints
from ..records import CONTACT_NORMAL, CONTACT_TANGENTIAL, LIMITS, OPEN, WORK_TERMS
from .contact_shape import material_velocity, measure_shape
from .flow.constrained_motion import put_components
from .motion import CONTACT_COUNT, STOP_COUNT

TOUCH_GAP = 1e-9  # m (or rad); points closer to the ground than this take part in an impact


@inlined
def total_energy(system, q, v):
    """Return kinetic energy and the sum of all energies, J; leaves the bodies placed."""
    place_bodies(system.links, system.bodies, q, v)
    moving = kinetic(system.links, system.bodies, v)
    return moving, moving + gravitational(system.links, system.bodies) + elastic(system.links, q)


@inlined
def list_touching(system, motion):
    """List all points that touch and all joints at a limit, with their G and their velocities (row OFFSET)."""
    links, bodies, contacts, b = system.links, system.bodies, system.contacts, system.offsets
    rows, efforts, G = system.rows, system.row_efforts, system.G
    nq = len(system.state) - system.rates.shape[1]
    release_joints(system)
    gather_inertias(links, bodies, system.rates[APPLIED], system.rates[ADDED])
    invert_roots(links, bodies)
    count = 0
    for k in range(len(contacts)):
        measure_shape(contacts[k], motion.points[k], bodies, system.terrain[0], system.heights)
        lay_tangents(contacts[k])
        contacts[k].closed = 0
        if contacts[k].gap > TOUCH_GAP:
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
        if min(q - link.lower_limit, link.upper_limit - q) > TOUCH_GAP or link.lower_limit >= link.upper_limit:
            continue
        r = 3 * count + stops
        system.limited[stops] = i
        system.sides[r] = 1.0 if q - link.lower_limit < link.upper_limit - q else -1.0
        b[r] = system.sides[r] * motion.y[nq + link.velocity_index]
        hand_inward_effort(links, bodies, i, system.sides[r], rows[r], efforts[r])
        couple_limit(links, bodies, rows, efforts, G, r)
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
def book_impact(system, motion, p, points, rows, factor, change):
    """Enter impulses and work of an impact in the extended state; the normal work takes what attenuation adds, J."""
    before, n = system.offsets, len(system.state)
    works, impulses = motion.y[n : n + len(WORK_TERMS)], motion.y[n + len(WORK_TERMS) :]
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
    works[CONTACT_NORMAL] += change - tangential - limits
    works[CONTACT_TANGENTIAL] += tangential
    works[LIMITS] += limits
    for k in range(points):
        index = system.active[k]
        for m in range(3):
            p[3 * k + m] *= factor
        push = world_impulse(system.contacts[index], p, 3 * k)
        for m in range(3):
            impulses[3 * index + m] += push[m]
