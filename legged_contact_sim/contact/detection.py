"""Contact detection: where every contact point is relative to the ground, and when it would reach it."""

import math

from ..dynamics.kinematics import point_position, world_position
from ..dynamics.spatial import put_vector, vcross, vdot, vector, velocity_at, vscale, vsub
from ..jit import inlined
from ..terrain.surface import surface


@inlined
def measure_gap(contact, bodies, terrain, heights, reach):
    """Set gap, normal and touching point of a contact point in the bodies' present pose; return whether it is near.

    A point farther from the ground than ``reach``, m, gets only its gap, which is also its clearance: how far it can
    travel before it has to be measured again.
    """
    center = point_position(bodies[contact.link], vector(contact.offset))
    x, y, z = world_position(bodies, center)
    gap, nx, ny, nz = surface(terrain, heights, x, y, z)
    contact.gap = gap - contact.radius
    contact.near = 1 if contact.gap <= reach else 0
    contact.clearance = contact.gap
    if contact.near:
        put_vector(contact.normal, (nx, ny, nz))
        put_vector(contact.position, vsub(center, vscale((nx, ny, nz), contact.radius)))
    return contact.near == 1


@inlined
def lay_tangents(contact):
    """Set two unit tangents, the first as close to the world's x axis as the normal allows (to y on a wall)."""
    n = vector(contact.normal)
    guide = (1.0, 0.0, 0.0) if abs(n[0]) < 0.9 else (0.0, 1.0, 0.0)
    along = vsub(guide, vscale(n, vdot(n, guide)))
    first = vscale(along, 1.0 / math.sqrt(vdot(along, along)))
    put_vector(contact.first_tangent, first)
    put_vector(contact.second_tangent, vcross(n, first))


@inlined
def normal_speed(contact, motion):
    """Return the speed, m/s, at which a body's motion takes the touching point away from the ground."""
    return vdot(vector(contact.normal), velocity_at(motion, vector(contact.position)))


@inlined
def put_velocity(contact, motion, out):
    """Store the touching point's velocity (normal, first tangent, second tangent) under a body's motion."""
    velocity = velocity_at(motion, vector(contact.position))
    out[0] = vdot(vector(contact.normal), velocity)
    out[1] = vdot(vector(contact.first_tangent), velocity)
    out[2] = vdot(vector(contact.second_tangent), velocity)


@inlined
def time_to_ground(gap, speed, acceleration):
    """Return the first time t > 0, s, at which ``gap + speed t + acceleration t^2 / 2`` falls to zero; inf: never.

    A point on the ground (gap 0) that comes on is there at once, one that leaves it comes back.
    """
    if gap <= 0.0 and speed < 0.0:
        return 0.0
    discriminant = speed * speed - 2.0 * acceleration * gap
    if discriminant < 0.0:
        return math.inf
    root = math.sqrt(discriminant)
    # the smaller positive root, in the form that does not cancel
    if speed < 0.0:
        return 2.0 * gap / (root - speed)
    return -(speed + root) / acceleration if acceleration < 0.0 else math.inf
