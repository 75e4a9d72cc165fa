"""How far two bodies of the robot are apart: capsules, whose axes are segments (a sphere's has no length)."""

import math

from ..dynamics.kinematics import point_position
from ..dynamics.record_fields import put_vector, vector, vector_at
from ..dynamics.spatial import vadd, vdot, vscale, vsub
from ..jit import inlined

PARALLEL = 1e-12  # squared sine of the angle below which two axes count as parallel
COINCIDENT = 1e-12  # m; axes that are nearer cross, and have no normal of their own


@inlined
def clamped(x):
    """Return x, at least 0 and at most 1."""
    return min(max(x, 0.0), 1.0)


@inlined
def nearest_shares(start, along, other_start, other_along):
    """Return where two segments are nearest to each other, as shares of their lengths (Ericson, 5.1.9).

    Of parallel segments the middle of the first one decides.
    """
    apart = vsub(start, other_start)
    a, b, e = vdot(along, along), vdot(along, other_along), vdot(other_along, other_along)
    c, f = vdot(along, apart), vdot(other_along, apart)
    if a == 0.0:
        return 0.0, clamped(f / e) if e > 0.0 else 0.0
    if e == 0.0:
        return clamped(-c / a), 0.0
    area = a * e - b * b
    s = clamped((b * f - c * e) / area) if area > PARALLEL * a * e else 0.5
    t = (b * s + f) / e
    if t < 0.0 or t > 1.0:
        t = clamped(t)
        s = clamped((b * t - c) / a)
    return s, t


@inlined
def placed_axis(body, ends):
    """Return where the axis of a capsule, ``ends`` (6,) in the body's frame, begins, and the vector to its end, m."""
    start = point_position(body, vector(ends))
    return start, vsub(point_position(body, vector_at(ends, 3)), start)


@inlined
def measure_pair(contact, pair, bodies, reach):
    """Set gap, normal and touching point of a pair in the bodies' present pose; return whether it is near.

    The normal points from the second body to the first. The touching point is halfway between the two surfaces, one
    point for both bodies, so that their impulses have no moment.
    """
    start, along = placed_axis(bodies[pair.first], pair.first_ends)
    other_start, other_along = placed_axis(bodies[pair.second], pair.second_ends)
    s, t = nearest_shares(start, along, other_start, other_along)
    point, other = vadd(start, vscale(along, s)), vadd(other_start, vscale(other_along, t))
    apart = vsub(point, other)
    distance = math.sqrt(vdot(apart, apart))
    contact.gap = distance - pair.first_radius - pair.second_radius
    contact.near = 1 if contact.gap <= reach else 0
    contact.clearance = contact.gap
    if contact.near:
        if distance > COINCIDENT:
            put_vector(contact.normal, vscale(apart, 1.0 / distance))
        put_vector(
            contact.position, vadd(other, vscale(vector(contact.normal), pair.second_radius + 0.5 * contact.gap))
        )
    return contact.near == 1
