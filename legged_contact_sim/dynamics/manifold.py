"""The configuration manifold: how coordinates q move along velocities v (FREE joints in outer axes)."""

import math

from ..jit import anywhere, choose, inlined
from ..model.records import FREE
from .spatial import sincos


@inlined
def quaternion_product(a, b):
    """Return the Hamilton product of two quaternions, scalar last."""
    return (
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


@inlined
def rotation_quaternion(x, y, z):
    """Return the unit quaternion, scalar last, of a rotation vector, rad."""
    half = 0.5 * math.sqrt(x * x + y * y + z * z)
    k, c = 0.5 * (1.0 - half * half / 6.0), 1.0 - 0.5 * half * half  # of small ones, to the last digit
    large = half > 1e-4
    if anywhere(large):
        sine, cosine = sincos(half)
        k, c = choose(large, 0.5 * sine / half, k), choose(large, cosine, c)
    return (k * x, k * y, k * z, c)


@inlined
def put_unit_quaternion(out, k, x):
    """Store a quaternion, scaled to unit length, at ``out[k:]``."""
    inverse = 1.0 / math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3])
    out[k], out[k + 1], out[k + 2], out[k + 3] = x[0] * inverse, x[1] * inverse, x[2] * inverse, x[3] * inverse


@inlined
def quaternion_of(q, k):
    """Read the quaternion at ``q[k:]``."""
    return (q[k], q[k + 1], q[k + 2], q[k + 3])


@inlined
def move(links, q, v, duration, out):
    """Write coordinates (nq,) reached from ``q`` at constant velocities after a duration, s; ``out`` may be ``q``."""
    for link in links:
        k, j = link.position_index, link.velocity_index
        if link.joint_kind == FREE:
            for m in range(3):
                out[k + m] = q[k + m] + duration * v[j + m]
            turned = rotation_quaternion(duration * v[j + 3], duration * v[j + 4], duration * v[j + 5])
            put_unit_quaternion(out, k + 3, quaternion_product(turned, quaternion_of(q, k + 3)))
        else:
            out[k] = q[k] + duration * v[j]


@inlined
def coordinate_rates(links, q, v, out):
    """Write dq/dt (nq,), quaternions as plain numbers: ``(w, 0) q / 2``."""
    for link in links:
        k, j = link.position_index, link.velocity_index
        if link.joint_kind == FREE:
            for m in range(3):
                out[k + m] = v[j + m]
            spin = (0.5 * v[j + 3], 0.5 * v[j + 4], 0.5 * v[j + 5], 0.0)
            out[k + 3], out[k + 4], out[k + 5], out[k + 6] = quaternion_product(spin, quaternion_of(q, k + 3))
        else:
            out[k] = v[j]


@inlined
def normalize(links, q):
    """Scale every quaternion in q to unit length."""
    for link in links:
        if link.joint_kind == FREE:
            put_unit_quaternion(q, link.position_index + 3, quaternion_of(q, link.position_index + 3))
