"""Rows of the contact problem: contacts, joint limits and dry joints; their inverse inertia and free velocities."""

import math

from ..compilation import inlined
from ..dynamics.contact_inertia import common_ancestor, hand_inward, hand_inward_effort, invert_roots
from ..dynamics.spatial import dot, force_at, spatial, vector
from ..model.records import FREE
from .system import ACTIVE, FREE_RATES, HIGH, IMPULSE, JOINTED, LOW, OFFSET, SIDE


@inlined
def hand_in_contact(system, k, r):
    """Hand the contact point's three unit forces inward as rows ``r`` to ``r + 2``."""
    contact = system.contacts[k]
    position, links, bodies = vector(contact.position), system.links, system.bodies
    force = force_at(position, vector(contact.normal))
    hand_inward(links, bodies, contact.link, force, system.rows[r], system.row_efforts[r])
    force = force_at(position, vector(contact.first_tangent))
    hand_inward(links, bodies, contact.link, force, system.rows[r + 1], system.row_efforts[r + 1])
    force = force_at(position, vector(contact.second_tangent))
    hand_inward(links, bodies, contact.link, force, system.rows[r + 2], system.row_efforts[r + 2])


@inlined
def couple(system, r, s, height, width):
    """Fill the block of G between ``height`` rows from ``r`` and ``width`` rows from ``s`` <= r, and its mirror."""
    links, bodies, rows, efforts, G = system.links, system.bodies, system.rows, system.row_efforts, system.G
    i = common_ancestor(links, rows[r].link, rows[s].link)
    end = rows[r].end if i >= 0 else -1
    for a in range(r, r + height):
        for b in range(s, min(s + width, a + 1)):
            G[a, b] = dot(spatial(rows[a].response), spatial(rows[b].force)) if end >= 0 else 0.0
    while i != end:
        for a in range(r, r + height):
            y = efforts[a, i] * bodies[i].inverse_inertia
            for b in range(s, min(s + width, a + 1)):
                G[a, b] += y * efforts[b, i]
        i = links[i].parent
    for a in range(r, r + height):
        for b in range(s, min(s + width, a + 1)):
            G[b, a] = G[a, b]


@inlined
def fill_rows(system, contacts, joints):
    """Build G of the active contacts (3 rows each) and, after them, of the joints' rows (1 each)."""
    invert_roots(system.links, system.bodies)
    for k in range(contacts):
        hand_in_contact(system, system.indices[ACTIVE, k], 3 * k)
        for m in range(k + 1):
            couple(system, 3 * k, 3 * m, 3, 3)
    for k in range(joints):
        r, i = 3 * contacts + k, system.indices[JOINTED, k]
        side = system.vectors[SIDE, r]
        hand_inward_effort(system.links, system.bodies, i, side, system.rows[r], system.row_efforts[r])
        for m in range(contacts):
            couple(system, r, 3 * m, 1, 3)
        for m in range(k + 1):
            couple(system, r, 3 * contacts + m, 1, 1)


@inlined
def put_joint_row(system, r, k, i, side, low, high):
    """List link ``i``'s joint as the ``k``-th joint row, ``r`` of all, acting toward ``side`` within bounds, N s."""
    system.indices[JOINTED, k] = i
    system.vectors[SIDE, r] = side
    system.vectors[LOW, r] = low
    system.vectors[HIGH, r] = high


@inlined
def find_joint_rows(system, q_middle, h, contacts, dry):
    """List the joints that need a row after ``contacts`` blocks; return how many.

    A joint that would pass a limit by the end of the step gets a one-sided row; if ``dry``, every joint with dry friction
    gets a row that holds it within the friction's impulse.
    """
    count = 0
    for i in range(len(system.links)):
        link = system.links[i]
        if link.joint_kind == FREE or system.bodies[i].locked:
            continue
        if dry and link.friction > 0.0:
            put_joint_row(system, 3 * contacts + count, count, i, 1.0, -h * link.friction, h * link.friction)
            count += 1
        reached = q_middle[link.position_index] + 0.5 * h * system.rates[FREE_RATES, link.velocity_index]
        if reached < link.lower_limit or reached > link.upper_limit:
            side = 1.0 if reached < link.lower_limit else -1.0
            put_joint_row(system, 3 * contacts + count, count, i, side, 0.0, math.inf)
            count += 1
    return count


@inlined
def fill_joint_offsets(system, contacts, joints, q_middle, h):
    """Fill the joint rows' rates without impulses; a limit's room is the speed that uses it up by the end."""
    for k in range(joints):
        r, link = 3 * contacts + k, system.links[system.indices[JOINTED, k]]
        side, q = system.vectors[SIDE, r], q_middle[link.position_index]
        system.vectors[OFFSET, r] = side * system.rates[FREE_RATES, link.velocity_index]
        system.vectors[IMPULSE, r] = 0.0
        if system.vectors[HIGH, r] == math.inf:
            room = q - link.lower_limit if side > 0.0 else link.upper_limit - q
            system.vectors[OFFSET, r] += 2.0 * room / h
