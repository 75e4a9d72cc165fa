"""Rows of the contact problem: contacts and joint limits, their inverse inertia and free velocities."""

from ..actuation.rows import FREE_VELOCITY, LOWER, POSITION, UPPER
from ..dynamics.contact_inertia import common_ancestor, coupling, hand_inward_effort
from ..dynamics.record_fields import inertia, put_spatial, spatial, vector
from ..dynamics.spatial import ZERO, Spatial, apply, dot, force_at, scale, sub
from ..jit import inlined, shared
from ..model.records import FREE

CLOSED_GAP = 1e-9  # m (or rad of room to a joint's limit); a smaller gap counts as none
SOFTNESS = 1e-9  # relative to a contact's inverse inertia
RIGID = 1e-20  # 1/kg; a point with less mobility than that has none but for rounding
HELD_MOBILITY = 1.0  # 1/kg; of a point that nothing moves: its impulse must be finite, so that held joints may give way
LIMIT_RECOVERY = 10.0  # rad/s or m/s; fastest way back for a joint that began beyond its limit


@inlined
def hand_in_contact(links, bodies, contact, rows, efforts, r):
    """Hand the contact point's three unit forces inward together, as rows ``r`` to ``r + 2`` (see `hand_inward`)."""
    position, i, branch = vector(contact.position), contact.link, -1
    normal = force_at(position, vector(contact.normal))
    first = force_at(position, vector(contact.first_tangent))
    second = force_at(position, vector(contact.second_tangent))
    while i >= 0 and links[i].joint_kind != FREE:
        axis, push, inverse = spatial(bodies[i].axis), spatial(bodies[i].push), bodies[i].inverse_inertia
        y0, y1, y2 = dot(axis, normal), dot(axis, first), dot(axis, second)
        efforts[r, i], efforts[r + 1, i], efforts[r + 2, i] = y0, y1, y2
        x0, x1, x2 = y0 * inverse, y1 * inverse, y2 * inverse
        normal, first, second = sub(normal, scale(push, x0)), sub(first, scale(push, x1)), sub(second, scale(push, x2))
        branch, i = i, links[i].parent
    for m in range(r, r + 3):
        rows[m].link, rows[m].branch, rows[m].end = contact.link, branch, i
    put_spatial(rows[r].force, normal)
    put_spatial(rows[r + 1].force, first)
    put_spatial(rows[r + 2].force, second)


@inlined
def put_column(columns, k, s, x):
    """Store a spatial vector in column ``s`` of an array, from row ``k`` on."""
    columns[k, s], columns[k + 1, s], columns[k + 2, s] = x.angular
    columns[k + 3, s], columns[k + 4, s], columns[k + 5, s] = x.linear


@inlined
def fill_columns(bodies, rows, columns, count):
    """Write, in a column per row, the force that reaches the FREE body at its end and the motion that it gives it."""
    for s in range(count):
        force, moved = Spatial(ZERO, ZERO), Spatial(ZERO, ZERO)
        if rows[s].end >= 0:
            force = spatial(rows[s].force)
            moved = apply(inertia(bodies[rows[s].end].inertia), force)
        put_column(columns, 0, s, force)
        put_column(columns, 6, s, moved)


@inlined
def couple_contacts(links, bodies, rows, efforts, G, contacts, columns):
    """Fill G of the contacts' rows, (3 contacts, 3 contacts), all at once; ``columns`` (>= 12, >= 3 contacts) is work.

    First what rows share at the FREE bodies where they end, as a product of matrices, then what they share in joints.
    """
    count = 3 * contacts
    fill_columns(bodies, rows, columns, count)
    for a in range(count):
        x0, x1, x2 = columns[6, a], columns[7, a], columns[8, a]
        y0, y1, y2 = columns[9, a], columns[10, a], columns[11, a]
        for s in range(count):
            turned = x0 * columns[0, s] + x1 * columns[1, s] + x2 * columns[2, s]
            G[a, s] = turned + y0 * columns[3, s] + y1 * columns[4, s] + y2 * columns[5, s]
    for r in range(0, count, 3):
        add_own_joints(links, bodies, rows, efforts, G, r)
        for s in range(0, r, 3):
            if rows[r].end != rows[s].end:
                clear_block(G, r, s)
            elif rows[r].branch == rows[s].branch and rows[r].branch >= 0:
                add_shared_joints(links, bodies, rows, efforts, G, r, s)


@inlined
def add_own_joints(links, bodies, rows, efforts, G, r):
    """Add to a contact's own block of G what the joints that carry it contribute."""
    nn, n1, n2, g11, g12, g22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    i = rows[r].link
    while i != rows[r].end:
        y0, y1, y2, inverse = efforts[r, i], efforts[r + 1, i], efforts[r + 2, i], bodies[i].inverse_inertia
        x0, x1, x2 = y0 * inverse, y1 * inverse, y2 * inverse
        nn, n1, n2 = nn + y0 * x0, n1 + y0 * x1, n2 + y0 * x2
        g11, g12, g22 = g11 + y1 * x1, g12 + y1 * x2, g22 + y2 * x2
        i = links[i].parent
    n1, n2, g12 = n1 + G[r, r + 1], n2 + G[r, r + 2], g12 + G[r + 1, r + 2]
    G[r, r], G[r, r + 1], G[r, r + 2] = G[r, r] + nn, n1, n2
    G[r + 1, r], G[r + 1, r + 1], G[r + 1, r + 2] = n1, G[r + 1, r + 1] + g11, g12
    G[r + 2, r], G[r + 2, r + 1], G[r + 2, r + 2] = n2, g12, G[r + 2, r + 2] + g22


@inlined
def clear_block(G, r, s):
    """Let two contacts' rows have nothing in common."""
    for a in range(r, r + 3):
        for c in range(s, s + 3):
            G[a, c], G[c, a] = 0.0, 0.0


@inlined
def add_shared_joints(links, bodies, rows, efforts, G, r, s):
    """Add to the block between two contacts what the joints that carry both contribute."""
    i = common_ancestor(links, rows[r].link, rows[s].link)
    while i != rows[r].end:
        inverse = bodies[i].inverse_inertia
        for a in range(r, r + 3):
            for c in range(s, s + 3):
                G[a, c] += efforts[a, i] * efforts[c, i] * inverse
                G[c, a] = G[a, c]
        i = links[i].parent


@inlined
def soften(G, r):
    """Add a trace of compliance to a contact's block if it is singular: the robot cannot move the point that way.

    A point whose joints are all held by dry friction, on a fixed base, or one on the axis of its joint, cannot move at
    all. It pushes like a point mass; what that asks of held joints decides whether they go on holding.
    """
    a, b, c, d, e, f = G[r, r], G[r, r + 1], G[r, r + 2], G[r + 1, r + 1], G[r + 1, r + 2], G[r + 2, r + 2]
    determinant = a * (d * f - e * e) - b * (b * f - e * c) + c * (b * e - d * c)
    trace = a + d + f
    if determinant <= SOFTNESS * trace * trace * trace:
        own = SOFTNESS * trace if trace > RIGID else HELD_MOBILITY
        G[r, r] += own
        G[r + 1, r + 1] += own
        G[r + 2, r + 2] += own


@inlined
def couple_limit(links, bodies, rows, efforts, G, r):
    """Fill row ``r`` of G, a joint limit's, up to the diagonal, and its mirror."""
    for s in range(r + 1):
        G[r, s] = coupling(links, bodies, rows[r], efforts[r], rows[s], efforts[s])
        G[s, r] = G[r, s]


@inlined
def fill_joint_row(system, i, side, r):
    """Fill row ``r``, a unit effort of sign ``side`` in the joint of body ``i``, and its G, up to the diagonal."""
    links, bodies, rows, efforts = system.links, system.bodies, system.rows, system.row_efforts
    hand_inward_effort(links, bodies, i, side, rows[r], efforts[r])
    couple_limit(links, bodies, rows, efforts, system.G, r)


@inlined
def hand_in_rows(system, contacts, joints):
    """Fill the rows of the active contacts (3 each) and, after them, of the joint limits that act (1 each)."""
    links, bodies, rows, efforts = system.links, system.bodies, system.rows, system.row_efforts
    for k in range(contacts):
        hand_in_contact(links, bodies, system.contacts[system.active[k]], rows, efforts, 3 * k)
    for k in range(joints):
        r = 3 * contacts + k
        hand_inward_effort(links, bodies, system.limited[k], system.sides[r], rows[r], efforts[r])


@shared
def fill_rows(system, contacts, joints):
    """Fill the rows of contacts and joint limits that act, and build their G."""
    links, bodies, rows, efforts, G = system.links, system.bodies, system.rows, system.row_efforts, system.G
    hand_in_rows(system, contacts, joints)
    couple_contacts(links, bodies, rows, efforts, G, contacts, system.columns)
    for k in range(contacts):
        soften(G, 3 * k)
    for r in range(3 * contacts, 3 * contacts + joints):
        couple_limit(links, bodies, rows, efforts, G, r)


@inlined
def closing_speed(gap, h):
    """Return how fast, m/s, a point may go toward the ground at the end of a step, for a gap (m) at its middle.

    ``h`` is the whole time step, s, also where impacts split it: a short rest of it would kick points out.
    A point that is inside comes out by the end of the step (2 gap / h). One that is outside may use up half of what is
    left: of a small bounce nothing is left after two steps, while with all of it, it would go on for ever. Gaps below
    CLOSED_GAP are none: a stiff robot on redundant feet cannot close them all.
    """
    if gap < -CLOSED_GAP:
        return 2.0 * gap / h
    return gap / h if gap > CLOSED_GAP else 0.0


@inlined
def passes_limit(dofs, v, h):
    """Return whether velocities ``v`` take any joint beyond a limit by the end of the step (after `drive_joints`)."""
    beyond = False
    for j in range(len(v)):
        reached = dofs[POSITION, j] + 0.5 * h * v[j]
        beyond = beyond | (reached < dofs[LOWER, j]) | (reached > dofs[UPPER, j])
    return beyond


@inlined
def find_limits(system, q_middle, v, h, contacts, listed):
    """List joints that velocities ``v`` take beyond a limit by the end of the step, as rows after ``contacts`` blocks.

    Those listed before, ``listed`` of them, stay in the list, and their rows are moved where they belong now; returns
    the new number. In an impact (h = 0), the joints that are at a limit are listed.
    """
    links, indices, sides = system.links, system.limited, system.sides
    count = listed
    for i in range(len(links)):
        link = links[i]
        if link.joint_kind == FREE or system.bodies[i].locked:
            continue
        reached = q_middle[link.position_index] + 0.5 * h * v[link.velocity_index]
        margin = 0.0 if h > 0.0 else 100.0 * CLOSED_GAP
        if reached < link.lower_limit + margin or reached > link.upper_limit - margin:
            known = False
            for k in range(listed):
                known = known or indices[k] == i
            if not known:
                indices[count] = i
                count += 1
    for k in range(count):
        link = links[indices[k]]
        q = q_middle[link.position_index]
        sides[3 * contacts + k] = 1.0 if q - link.lower_limit < link.upper_limit - q else -1.0
    return count


@inlined
def fill_limit_offsets(system, contacts, joints, q_middle, h):
    """Fill the limit rows' velocities without impulses; the room left enters as a gap does."""
    for k in range(joints):
        r, link = 3 * contacts + k, system.links[system.limited[k]]
        side, q = system.sides[r], q_middle[link.position_index]
        system.offsets[r] = side * system.dofs[FREE_VELOCITY, link.velocity_index]
        system.impulses[r], system.bounds[r] = 0.0, 0.0
        if h > 0.0:
            room = q - link.lower_limit if side > 0.0 else link.upper_limit - q
            system.offsets[r] += max(closing_speed(room, h), -LIMIT_RECOVERY)
