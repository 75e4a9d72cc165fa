"""Contact detection: where every contact point is relative to the ground, and when it would reach it."""

import math

from ..dynamics.kinematics import point_position, world_position
from ..dynamics.record_fields import put_vector, vector
from ..dynamics.spatial import vcross, vdot, velocity_at, vscale, vsub
from ..jit import inlined
from ..terrain.motion import ground_velocity
from ..terrain.records import AT_REST
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
        if terrain.motion != AT_REST:
            r = contact.radius
            put_vector(contact.ground_velocity, ground_velocity(terrain, x - r * nx, y - r * ny, z - r * nz))
    return contact.near == 1


@inlined
def set_tangents(contact):
    """Set two unit tangents, the first as close to the world's x axis as the normal allows (to y on a wall)."""
    n = vector(contact.normal)
    guide = (1.0, 0.0, 0.0) if abs(n[0]) < 0.9 else (0.0, 1.0, 0.0)
    along = vsub(guide, vscale(n, vdot(n, guide)))
    first = vscale(along, 1.0 / math.sqrt(vdot(along, along)))
    put_vector(contact.first_tangent, first)
    put_vector(contact.second_tangent, vcross(n, first))


@inlined
def relative_velocity(contact, motion):
    """Return the touching point's velocity relative to the ground's there, world axes, m/s, under a body's motion."""
    return vsub(velocity_at(motion, vector(contact.position)), vector(contact.ground_velocity))


@inlined
def normal_speed(contact, motion):
    """Return the speed, m/s, at which a body's motion takes the touching point away from the ground."""
    return vdot(vector(contact.normal), relative_velocity(contact, motion))


@inlined
def normal_change(contact, change):
    """Return what a change of a body's motion adds to `normal_speed`, m/s."""
    return vdot(vector(contact.normal), velocity_at(change, vector(contact.position)))


@inlined
def put_velocity(contact, motion, out):
    """Store the touching point's velocity relative to the ground (normal, two tangents) under a body's motion."""
    put_components(contact, relative_velocity(contact, motion), out, 0)


@inlined
def put_change(contact, change, out):
    """Store what a change of a body's motion adds to the touching point's velocity (normal, two tangents)."""
    put_components(contact, velocity_at(change, vector(contact.position)), out, 0)


@inlined
def put_components(contact, value, out, r):
    """Store a vector's components along the normal and the two tangents at ``out[r:]``."""
    out[r] = vdot(vector(contact.normal), value)
    out[r + 1] = vdot(vector(contact.first_tangent), value)
    out[r + 2] = vdot(vector(contact.second_tangent), value)


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
