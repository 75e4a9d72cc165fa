"""Inverse contact inertia ``G = J A^-1 J^T`` and the response ``A^-1 J^T f``, without ever forming A or J.

After the articulated body method has run, a unit force is handed inward along its chain: at every joint it leaves
its effort y = S^T f, and f - U D^-1 y goes on to the parent; at the FREE joint where the chain ends, all of it stays.
Two such rows r and s then have (Featherstone's A^-1 = L^-T D^-1 L^-1, read as an energy)

    G_rs = sum over common joints of y_r y_s / D  +  f_r^T IA^-1 f_s  at the common FREE joint,

summed from the lowest common ancestor inward, since rows share nothing farther out. A row may also start as a
unit effort in a joint (joint limits).
"""

import numpy as np

from ..jit import compiled, inlined
from ..model.records import FREE
from .articulated_body import gather_inertias
from .kinematics import outer_frame, place_bodies, point_position, velocities_to_base_axes
from .record_fields import increase_spatial, inertia, put_inertia, put_spatial, put_vector_at, spatial, vector
from .spatial import ZERO, Spatial, add, apply, dot, force_at, inverse, rotate_back, scale, sub, velocity_at

# One row of the contact Jacobian, as the effort that its unit force leaves behind.
ROW = np.dtype(
    [
        ("link", "i8"),  # where the force acts
        ("branch", "i8"),  # contact rows: the last joint before the end, -1 if there is none
        ("end", "i8"),  # the FREE body that the force reaches, -1 for the world
        ("force", "f8", 6),  # what reaches it
        ("response", "f8", 6),  # the motion that it gives it
    ]
)


@inlined
def invert_roots(links, bodies):
    """Replace the articulated inertia of every FREE joint's body by its inverse, once for all rows."""
    for i in range(len(links)):
        if links[i].joint_kind == FREE:
            put_inertia(bodies[i].inertia, inverse(inertia(bodies[i].inertia)))


@inlined
def hand_inward(links, bodies, i, force, row, efforts):
    """Hand a spatial force on body ``i`` inward along its chain; keep the efforts (n,) and what reaches the end."""
    row.link = i
    row.end = -1
    while i >= 0:
        body = bodies[i]
        if links[i].joint_kind == FREE:
            row.end = i
            put_spatial(row.force, force)
            put_spatial(row.response, apply(inertia(body.inertia), force))
            return
        effort = dot(spatial(body.axis), force)
        efforts[i] = effort
        force = sub(force, scale(spatial(body.push), effort * body.inverse_inertia))
        i = links[i].parent


@inlined
def hand_inward_effort(links, bodies, i, effort, row, efforts):
    """Start a row as an effort (1 or -1) in the joint of body ``i`` (revolute or prismatic, not held)."""
    recoil = scale(spatial(bodies[i].push), -effort * bodies[i].inverse_inertia)
    hand_inward(links, bodies, links[i].parent, recoil, row, efforts)
    efforts[i] = effort
    row.link = i


@inlined
def common_ancestor(links, i, k):
    """Return the nearest body that carries both, -1 for the world; bodies come after those that carry them."""
    while i != k:
        if i > k:
            i = links[i].parent
        else:
            k = links[k].parent
    return i


@inlined
def coupling(links, bodies, first, first_efforts, second, second_efforts):
    """Return ``G_rs`` of two rows: the velocity along one per unit impulse along the other."""
    total = 0.0
    if first.end != second.end:  # one of them stayed at a FREE joint that does not carry the other
        return total
    i = common_ancestor(links, first.link, second.link)
    while i >= 0 and links[i].joint_kind != FREE:
        total += first_efforts[i] * second_efforts[i] * bodies[i].inverse_inertia
        i = links[i].parent
    if i >= 0:
        total += dot(spatial(first.response), spatial(second.force))
    return total


@inlined
def respond(links, bodies, change):
    """Write the change of velocities (nv,), FREE joints in outer axes, due to the impulses in the bodies' ``bias``.

    The bias records must hold *minus* the spatial impulse on each body (the world's is ignored), ``drive`` the impulse
    in its joint; both are used up.
    """
    for i in range(len(links) - 1, -1, -1):
        body, link = bodies[i], links[i]
        if link.joint_kind != FREE:
            body.drive -= dot(spatial(body.axis), spatial(body.bias))
            passed_on = add(spatial(body.bias), scale(spatial(body.push), body.drive * body.inverse_inertia))
            increase_spatial(bodies[link.parent].bias, passed_on)
    spread_jumps(links, bodies, change)


@inlined
def spread_jumps(links, bodies, change):
    """Write the change of velocities by impulses that reached joints (``drive``) and FREE bodies (minus ``bias``)."""
    put_spatial(bodies[-1].jump, Spatial(ZERO, ZERO))
    for i in range(len(links)):
        body, link, carried = bodies[i], links[i], spatial(bodies[links[i].parent].jump)
        if link.joint_kind == FREE:
            jump = apply(inertia(body.inertia), scale(spatial(body.bias), -1.0))
            relative, frame = sub(jump, carried), outer_frame(link, bodies[link.parent])
            put_vector_at(change, link.velocity_index, rotate_back(frame, velocity_at(relative, vector(body.position))))
            put_vector_at(change, link.velocity_index + 3, rotate_back(frame, relative.angular))
            put_spatial(body.jump, jump)
        else:
            rate = (body.drive - dot(carried, spatial(body.push))) * body.inverse_inertia
            change[link.velocity_index] = rate
            put_spatial(body.jump, add(carried, scale(spatial(body.axis), rate)))


@inlined
def unit_vector(k):
    """Return the world axis ``k``."""
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@inlined
def fill_contact_inertia(links, bodies, points, rows, efforts, out):
    """Write G (3m, 3m) of m contact points in world axes after the articulated body method; lower half mirrored."""
    for r in range(3 * len(points)):
        body = bodies[points[r // 3].link]
        position = point_position(body, vector(points[r // 3].position))
        hand_inward(links, bodies, points[r // 3].link, force_at(position, unit_vector(r % 3)), rows[r], efforts[r])
        for s in range(r + 1):
            out[r, s] = coupling(links, bodies, rows[r], efforts[r], rows[s], efforts[s])
            out[s, r] = out[r, s]


@compiled
def inverse_contact_inertia_entry(links, bodies, points, rows, efforts, q, dofs, out):
    """Write G (3m, 3m) at the centres of m CONTACT_POINT records; dofs (3, nv): zero, zero, added inertia."""
    place_bodies(links, bodies, q, dofs[0])
    gather_inertias(links, bodies, dofs[1], dofs[2])
    invert_roots(links, bodies)
    fill_contact_inertia(links, bodies, points, rows, efforts, out)


@compiled
def contact_response_entry(links, bodies, points, q, dofs, change, out):
    """Write ``A^-1 J^T`` (nv, 3m) in public axes, a column per unit force; dofs as for the inverse inertia."""
    place_bodies(links, bodies, q, dofs[0])
    gather_inertias(links, bodies, dofs[1], dofs[2])
    invert_roots(links, bodies)
    for r in range(3 * len(points)):
        for body in bodies:
            body.bias[:] = 0.0
            body.drive = 0.0
        i = points[r // 3].link
        position = point_position(bodies[i], vector(points[r // 3].position))
        put_spatial(bodies[i].bias, scale(force_at(position, unit_vector(r % 3)), -1.0))
        respond(links, bodies, change)
        velocities_to_base_axes(links, q, change, out[:, r])
