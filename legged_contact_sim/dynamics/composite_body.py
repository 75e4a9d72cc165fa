"""Mass matrix by the composite rigid body method (Featherstone, table 6.2), in public or in the kernels' axes."""

from ..jit import compiled, inlined
from ..model.records import FREE
from .kinematics import outer_frame, place_bodies
from .record_fields import increase_inertia, inertia, matrix, spatial, vector
from .spatial import ZERO, Spatial, apply, dot, twist_at


@inlined
def joint_freedom(link):
    """Return the number of velocities of a body's joint."""
    return 6 if link.joint_kind == FREE else 1


@inlined
def free_motion(body, frame, k):
    """Return the motion of a FREE joint's body at unit velocity ``k`` (linear, then angular) in the axes of a frame."""
    axis = (frame[k % 3], frame[3 + k % 3], frame[6 + k % 3])
    if k < 3:
        return Spatial(ZERO, axis)
    return twist_at(vector(body.position), ZERO, axis)


@inlined
def motion_in_base_axes(links, bodies, i, k):
    """Return the motion that unit velocity ``k`` of body ``i``'s joint gives it, FREE joints in the body's own axes."""
    if links[i].joint_kind == FREE:
        return free_motion(bodies[i], matrix(bodies[i].rotation), k)
    return spatial(bodies[i].axis)


@inlined
def motion_in_outer_axes(links, bodies, i, k):
    """Return the motion that unit velocity ``k`` of body ``i``'s joint gives it, FREE joints in outer axes."""
    if links[i].joint_kind == FREE:
        return free_motion(bodies[i], outer_frame(links[i], bodies[links[i].parent]), k)
    return spatial(bodies[i].axis)


@inlined
def fill_rows(links, bodies, i, motion_of, out):
    """Fill the mass matrix's entries between body ``i``'s joint and those that carry it."""
    link = links[i]
    for k in range(joint_freedom(link)):
        row = link.velocity_index + k
        force = apply(inertia(bodies[i].inertia), motion_of(links, bodies, i, k))
        carrier = i
        while carrier >= 0:
            other = links[carrier]
            for m in range(joint_freedom(other)):
                column = other.velocity_index + m
                out[row, column] = dot(motion_of(links, bodies, carrier, m), force)
                out[column, row] = out[row, column]
            carrier = other.parent


@inlined
def fill_mass_matrix(links, bodies, motion_of, out):
    """Write the mass matrix, (nv, nv), rotor inertias included (after `place_bodies`, whose inertias are used up).

    ``motion_of(links, bodies, i, k)`` says in which axes: `motion_in_base_axes` or `motion_in_outer_axes`.
    """
    for a in range(len(out)):
        for b in range(len(out)):
            out[a, b] = 0.0
    for i in range(len(links) - 1, -1, -1):
        fill_rows(links, bodies, i, motion_of, out)
        if links[i].joint_kind != FREE:
            out[links[i].velocity_index, links[i].velocity_index] += links[i].rotor_inertia
        increase_inertia(bodies[links[i].parent].inertia, inertia(bodies[i].inertia))


@compiled
def mass_matrix_entry(links, bodies, q, v, out):
    """Write the mass matrix, (nv, nv), in public axes."""
    place_bodies(links, bodies, q, v)
    fill_mass_matrix(links, bodies, motion_in_base_axes, out)
