"""Inverse dynamics by the recursive Newton-Euler method (Featherstone, table 5.1)."""

from ..jit import compiled, inlined
from ..model.records import FREE
from .articulated_body import apply_external_forces
from .kinematics import (
    accelerations_to_outer_axes,
    carry_acceleration,
    outer_frame,
    place_bodies,
    velocities_to_base_axes,
    velocities_to_outer_axes,
)
from .record_fields import increase_spatial, inertia, put_vector_at, spatial, vector
from .spatial import apply, dot, rotate_back, vcross, vsub


@inlined
def hand_in_force(body, link, parent, rotor_inertia, acceleration, effort):
    """Pass 3, inward: take the joint's effort from the force that the body needs, and hand this on to the parent."""
    j, force = link.velocity_index, spatial(body.bias)
    if link.joint_kind == FREE:
        frame = outer_frame(link, parent)
        moment = vsub(force.angular, vcross(vector(body.position), force.linear))
        put_vector_at(effort, j, rotate_back(frame, force.linear))
        put_vector_at(effort, j + 3, rotate_back(frame, moment))
    else:
        effort[j] = dot(spatial(body.axis), force) + rotor_inertia * acceleration[j]
    increase_spatial(parent.bias, force)


@inlined
def newton_euler(links, bodies, q, v, acceleration, forces, effort):
    """Inverse dynamics of the whole forest, FREE joints in outer axes; ``forces`` may have zero rows."""
    place_bodies(links, bodies, q, v)
    if len(forces) > 0:
        apply_external_forces(links, bodies, forces)
    for i in range(len(links)):
        carried = carry_acceleration(bodies[i], links[i], bodies[links[i].parent], acceleration)
        increase_spatial(bodies[i].bias, apply(inertia(bodies[i].inertia), carried))
    for i in range(len(links) - 1, -1, -1):
        link = links[i]
        hand_in_force(bodies[i], link, bodies[link.parent], link.rotor_inertia, acceleration, effort)


@compiled
def inverse_dynamics_entry(links, bodies, q, v, acceleration, forces, work, effort):
    """Inverse dynamics in public axes: effort (nv,) for an acceleration (nv,); work is (3, nv)."""
    velocities_to_outer_axes(links, q, v, work[0])
    accelerations_to_outer_axes(links, q, work[0], acceleration, work[1])
    newton_euler(links, bodies, q, work[0], work[1], forces, work[2])
    velocities_to_base_axes(links, q, work[2], effort)
