"""Mass matrix by the composite rigid body method (Featherstone, table 6.2), in public axes."""

from ..jit import compiled, inlined
from ..model.records import FREE
from .kinematics import place_bodies
from .record_fields import increase_inertia, inertia, spatial, vector
from .spatial import ZERO, Spatial, apply, dot, twist_at


@inlined
def motion_column(body, link, k):
    """Return the motion that unit rate ``k`` of the body's joint gives it (FREE joints: in the body's own axes)."""
    if link.joint_kind == FREE:
        axis = (body.rotation[k % 3], body.rotation[3 + k % 3], body.rotation[6 + k % 3])
        if k < 3:
            return Spatial(ZERO, axis)
        return twist_at(vector(body.position), ZERO, axis)
    return spatial(body.axis)


@inlined
def joint_freedom(link):
    """Return the number of velocities of a body's joint."""
    return 6 if link.joint_kind == FREE else 1


@inlined
def fill_rows(links, bodies, i, out):
    """Fill the mass matrix's entries between body ``i``'s joint and those that carry it."""
    link = links[i]
    for k in range(joint_freedom(link)):
        row = link.velocity_index + k
        force = apply(inertia(bodies[i].inertia), motion_column(bodies[i], link, k))
        carrier = i
        while carrier >= 0:
            other = links[carrier]
            for m in range(joint_freedom(other)):
                column = other.velocity_index + m
                out[row, column] = dot(motion_column(bodies[carrier], other, m), force)
                out[column, row] = out[row, column]
            carrier = other.parent


@compiled
def mass_matrix_entry(links, bodies, q, v, out):
    """Write the mass matrix, (nv, nv), rotor inertias included."""
    place_bodies(links, bodies, q, v)
    out[:] = 0.0
    for i in range(len(links) - 1, -1, -1):
        fill_rows(links, bodies, i, out)
        if links[i].joint_kind != FREE:
            out[links[i].velocity_index, links[i].velocity_index] += links[i].rotor_inertia
        increase_inertia(bodies[links[i].parent].inertia, inertia(bodies[i].inertia))
