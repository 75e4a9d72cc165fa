"""What touches: ellipsoids around the contact points' centres, and how the touching point wanders on them.

With the semi-axes D^(1/2) along the body's axes and the ground's normal n, the touching point is the support point
against the normal, at ``r = -D n / sqrt(n . D n)`` from the centre (body axes). A sphere has three equal semi-axes, a
point three zeros, a planar ellipse two. URDF knows no ellipses: they come with a contact model's configuration.

As the body turns by w, the support point runs on the surface with r' (body axes, n' = -w x n over a plane), and the
velocity V = v_c + w x r of the touching material changes by

    dV/dt = a + w x r',        a: acceleration of the material point that touches just now.

The second part is what keeps a wheel from leaving the ground: the material point has the acceleration w^2 R toward
the centre, the point of contact has not.
"""

import math

import numpy as np

from ...dynamics.kinematics import point_position, world_position, world_velocity
from ...dynamics.record_fields import matrix, put_vector, spatial, vector
from ...dynamics.spatial import ZERO, rotate, rotate_back, vadd, vcross, vdot, velocity_at, vscale, vsub
from ...jit import inlined
from ...terrain.records import INCLINE
from ...terrain.surface import surface

# What an event-driven model knows of a contact point besides its CONTACT record.
POINT = np.dtype(
    [
        ("center", "f8", 3),  # in the body's frame, m
        ("semi_axes", "f8", 3),  # of the ellipsoid along the body's axes, m
        ("slip_direction", "f8", 2),  # along the two tangents; where it slips or would slip next
        ("armed", "i8"),  # 1: since it began to slip it has been fast enough to stop again
        ("idle", "i8"),  # 1: it slips by its force only: other points hold it
        ("tried", "i8"),  # directions in which it has been tried to slip from rest
        ("speed", "f8"),  # normal speed at the start of the step, m/s
    ],
    align=True,
)

PROBE = 1e-6  # m; how far along its way the ground's normal is looked up for its rate of change


def point_records(contact_points: np.ndarray) -> np.ndarray:
    """Return POINT records of CONTACT_POINT records: spheres."""
    points = np.zeros(len(contact_points), dtype=POINT)
    points["center"] = contact_points["position"]
    points["semi_axes"] = contact_points["radius"][:, None]
    points["slip_direction"][:, 0] = 1.0
    return points


@inlined
def support(semi_axes, normal):
    """Return the support point against a unit normal, both in body axes, and its distance along the normal, m."""
    a, b, c = semi_axes[0] * semi_axes[0], semi_axes[1] * semi_axes[1], semi_axes[2] * semi_axes[2]
    stretched = (a * normal[0], b * normal[1], c * normal[2])
    reach = math.sqrt(vdot(stretched, normal))
    if reach == 0.0:
        return ZERO, 0.0
    return vscale(stretched, -1.0 / reach), reach


@inlined
def support_rate(semi_axes, normal, turning):
    """Return how fast the support point runs on the surface, m/s, while the normal turns by ``turning``, 1/s."""
    a, b, c = semi_axes[0] * semi_axes[0], semi_axes[1] * semi_axes[1], semi_axes[2] * semi_axes[2]
    stretched = (a * normal[0], b * normal[1], c * normal[2])
    square = vdot(stretched, normal)
    if square == 0.0:
        return ZERO
    change = (a * turning[0], b * turning[1], c * turning[2])
    along = vscale(stretched, vdot(stretched, turning) / square)
    return vscale(vsub(along, change), 1.0 / math.sqrt(square))


@inlined
def measure_shape(contact, point, bodies, terrain, heights):
    """Set gap, normal and touching point of a contact point in the bodies' present pose.

    The record's offset and radius become those of the sphere that touches in the same point along the same normal.
    """
    body = bodies[contact.link]
    center, rotation = point_position(body, vector(point.center)), matrix(body.rotation)
    x, y, z = world_position(bodies, center)
    gap, nx, ny, nz = surface(terrain, heights, x, y, z)
    normal = (nx, ny, nz)
    arm, reach = support(point.semi_axes, rotate_back(rotation, normal))
    put_vector(contact.normal, normal)
    put_vector(contact.position, vadd(center, rotate(rotation, arm)))
    put_vector(contact.offset, vadd(vector(point.center), vadd(arm, vscale(rotate_back(rotation, normal), reach))))
    contact.radius = reach
    contact.gap = gap - reach
    contact.end_gap = contact.gap
    contact.near = 1


@inlined
def material_velocity(contact, bodies):
    """Return the velocity in the world of the material that touches, m/s."""
    return world_velocity(bodies, velocity_at(spatial(bodies[contact.link].velocity), vector(contact.position)))


@inlined
def normal_rate(contact, point, bodies, terrain, heights):
    """Return how fast the ground's normal under a contact point turns as it moves, 1/s."""
    if terrain.kind == INCLINE:
        return ZERO
    body = bodies[contact.link]
    center = point_position(body, vector(point.center))
    velocity = world_velocity(bodies, velocity_at(spatial(body.velocity), center))
    speed = math.sqrt(vdot(velocity, velocity))
    if speed == 0.0:
        return ZERO
    place, shift = world_position(bodies, center), vscale(velocity, PROBE / speed)
    ahead, behind = vadd(place, shift), vsub(place, shift)
    _, ax, ay, az = surface(terrain, heights, ahead[0], ahead[1], ahead[2])
    _, bx, by, bz = surface(terrain, heights, behind[0], behind[1], behind[2])
    return vscale((ax - bx, ay - by, az - bz), 0.5 * speed / PROBE)


@inlined
def wandering(contact, point, bodies, turning):
    """Return ``w x r'``, m/s^2: what the running of the touching point adds to its material's acceleration."""
    body = bodies[contact.link]
    rotation, spin = matrix(body.rotation), spatial(body.velocity).angular
    normal = vector(contact.normal)
    relative = rotate_back(rotation, vsub(turning, vcross(spin, normal)))
    run = support_rate(point.semi_axes, rotate_back(rotation, normal), relative)
    return vcross(spin, rotate(rotation, run))
