"""Jacobians of points that move with a body, and the acceleration a point has when all velocities are constant."""

from ..jit import compiled, inlined
from .composite_body import joint_freedom, motion_in_base_axes
from .kinematics import (
    accelerations_to_outer_axes,
    carry_acceleration,
    place_bodies,
    point_acceleration,
    point_position,
    velocities_to_outer_axes,
)
from .record_fields import put_vector, spatial, vector
from .spatial import velocity_at, vsub


@inlined
def fill_jacobian(links, bodies, i, position, out):
    """Write the Jacobian (6, nv) of body ``i`` at a point: linear velocity of the point, then angular velocity."""
    out[:] = 0.0
    while i >= 0:
        link = links[i]
        for k in range(joint_freedom(link)):
            motion = motion_in_base_axes(links, bodies, i, k)
            column = out[:, link.velocity_index + k]
            put_vector(column, velocity_at(motion, position))
            put_vector(column[3:], motion.angular)
        i = link.parent


@compiled
def point_jacobian_entry(links, bodies, q, v, i, offset, out):
    """Write the Jacobian (6, nv) in world axes of the point at ``offset`` (3,) in body ``i``'s frame."""
    place_bodies(links, bodies, q, v)
    fill_jacobian(links, bodies, i, point_position(bodies[i], vector(offset)), out)


@compiled
def point_acceleration_entry(links, bodies, q, v, acceleration, work, i, offset, out):
    """Write the acceleration (3,) of a body's point in world axes, J a + J' v; work is (2, nv)."""
    velocities_to_outer_axes(links, q, v, work[0])
    accelerations_to_outer_axes(links, q, work[0], acceleration, work[1])
    place_bodies(links, bodies, q, work[0])
    for k in range(i + 1):
        carry_acceleration(bodies[k], links[k], bodies[links[k].parent], work[1])
    fallen = point_acceleration(bodies[i], point_position(bodies[i], vector(offset)))
    put_vector(out, vsub(fallen, spatial(bodies[-1].acceleration).linear))
