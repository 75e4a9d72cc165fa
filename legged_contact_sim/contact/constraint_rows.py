"""Rows of the contact problem: contacts and joint limits, their inverse inertia and free velocities."""

from ..compilation import inlined
from ..dynamics.contact_inertia import common_ancestor, hand_inward, hand_inward_effort, invert_roots
from ..dynamics.spatial import dot, force_at, spatial, vector
from ..model.records import FREE
from .system import ACTIVE, FREE_RATES, IMPULSE, JOINTED, OFFSET, SIDE


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
        response = spatial(rows[a].response)
        for b in range(s, min(s + width, a + 1)):
            G[a, b] = dot(response, spatial(rows[b].force)) if end >= 0 else 0.0
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
def find_limits(system, q_middle, h, contacts):
    """List the joints that would pass a limit by the end of the step, as rows after ``contacts`` blocks; count them."""
    count = 0
    for i in range(len(system.links)):
        link = system.links[i]
        if link.joint_kind == FREE or system.bodies[i].locked:
            continue
        reached = q_middle[link.position_index] + 0.5 * h * system.rates[FREE_RATES, link.velocity_index]
        if reached < link.lower_limit or reached > link.upper_limit:
            system.indices[JOINTED, count] = i
            system.vectors[SIDE, 3 * contacts + count] = 1.0 if reached < link.lower_limit else -1.0
            count += 1
    return count


@inlined
def fill_limit_offsets(system, contacts, joints, q_middle, h):
    """Fill the limit rows' rates without impulses; the room left enters as the speed that uses it up by the end."""
    for k in range(joints):
        r, link = 3 * contacts + k, system.links[system.indices[JOINTED, k]]
        side, q = system.vectors[SIDE, r], q_middle[link.position_index]
        room = q - link.lower_limit if side > 0.0 else link.upper_limit - q
        system.vectors[OFFSET, r] = side * system.rates[FREE_RATES, link.velocity_index] + 2.0 * room / h
        system.vectors[IMPULSE, r] = 0.0
