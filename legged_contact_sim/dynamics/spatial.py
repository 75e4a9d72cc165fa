"""Spatial algebra on tuples, after Featherstone's "Rigid Body Dynamics Algorithms", chapter 2.

All quantities are in world axes about one common origin, so that nothing is ever transformed between bodies.

- vector: ``(x, y, z)``; matrix: nine numbers by rows; symmetric: ``(xx, xy, xz, yy, yz, zz)``.
- `Spatial`: a motion (velocity, acceleration, joint axis) or a force (wrench, momentum).
- `Inertia`: a rigid or articulated inertia, 6x6 symmetric, as three 3x3 blocks.

Functions are ordinary Python that compiled code may call too.
"""

import math
from typing import NamedTuple

from ..jit import anywhere, choose, inlined, inlined_as_written

Vector = tuple[float, float, float]
Symmetric = tuple[float, float, float, float, float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]

ZERO = (0.0, 0.0, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class Spatial(NamedTuple):
    """A motion (angular velocity, velocity of the body's point at the origin) or a force (moment about it, force)."""

    angular: Vector
    linear: Vector


class Inertia(NamedTuple):
    """The 6x6 inertia ``[[rotational, coupling], [coupling^T, linear]]`` that maps a motion to a force."""

    rotational: Symmetric
    coupling: Matrix
    linear: Symmetric


# vectors and matrices


@inlined
def vadd(a, b):
    """Return ``a + b``."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inlined
def vsub(a, b):
    """Return ``a - b``."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inlined
def vscale(a, k):
    """Return ``k a``."""
    return (a[0] * k, a[1] * k, a[2] * k)


@inlined
def vdot(a, b):
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def vcross(a, b):
    """Return the cross product ``a x b``."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inlined
def rotate(m, a):
    """Return the matrix times the vector."""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
        m[6] * a[0] + m[7] * a[1] + m[8] * a[2],
    )


@inlined
def rotate_back(m, a):
    """Return the transposed matrix times the vector."""
    return (
        m[0] * a[0] + m[3] * a[1] + m[6] * a[2],
        m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
        m[2] * a[0] + m[5] * a[1] + m[8] * a[2],
    )


@inlined
def product(a, b):
    """Return the matrix product ``a b``."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@inlined
def stretch(s, a):
    """Return the symmetric matrix times the vector."""
    return (
        s[0] * a[0] + s[1] * a[1] + s[2] * a[2],
        s[1] * a[0] + s[3] * a[1] + s[4] * a[2],
        s[2] * a[0] + s[4] * a[1] + s[5] * a[2],
    )


@inlined
def congruence(m, s):
    """Return ``m s m^T`` for a symmetric ``s``."""
    x, y, z = m[0:3], m[3:6], m[6:9]
    sx, sy, sz = stretch(s, x), stretch(s, y), stretch(s, z)
    return (vdot(sx, x), vdot(sx, y), vdot(sx, z), vdot(sy, y), vdot(sy, z), vdot(sz, z))


@inlined
def sym_sub(a, b):
    """Return the difference of two symmetric matrices."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5])


@inlined
def sym_inverse(s):
    """Return the inverse of a symmetric matrix, by cofactors."""
    a = s[3] * s[5] - s[4] * s[4]
    b = s[2] * s[4] - s[1] * s[5]
    c = s[1] * s[4] - s[2] * s[3]
    k = 1.0 / (s[0] * a + s[1] * b + s[2] * c)
    return (
        a * k,
        b * k,
        c * k,
        (s[0] * s[5] - s[2] * s[2]) * k,
        (s[1] * s[2] - s[0] * s[4]) * k,
        (s[0] * s[3] - s[1] * s[1]) * k,
    )


# rotations


@inlined_as_written
def without_quarters(x):
    """Return how many quarter turns an angle is nearest to, and the angle left when they are taken off, rad.

    pi/2 is split in three parts whose products are exact up to a million radians; beyond, the error grows with the
    angle (1e-10 at 1e9 rad).
    """
    y = math.floor(x * 0.6366197723675814 + 0.5)
    return y, ((x - y * 1.570796326850541) + y * 5.5644316763895155e-11) - y * 2.0222662487959506e-21


@inlined
def sincos(x):
    """Return sine and cosine together, to 1 ulp of 1: one range reduction to pi/4 and two polynomials.

    The coefficients interpolate ``(sin x / x - 1) / x^2`` and ``(cos x - 1 + x^2 / 2) / x^4`` in ``x^2`` at
    Chebyshev nodes (remainders 2e-17 and 1e-18).
    """
    y, r = without_quarters(x)
    w = r * r
    p = 1.591810123167728e-10
    p = (((p * w - 2.5051131455447428e-08) * w + 2.755731610068312e-06) * w - 0.0001984126983675497) * w
    s = r + r * w * ((p + 0.008333333333330946) * w - 0.16666666666666666)
    p = -1.1382614869434128e-11
    p = (((p * w + 2.087614602470193e-09) * w - 2.7557317270560385e-07) * w + 2.4801587298763433e-05) * w
    c = 1.0 - 0.5 * w + w * w * ((p - 0.0013888888888887395) * w + 0.041666666666666664)
    if anywhere(y != 0.0):
        odd, half = y != 2.0 * math.floor(0.5 * y), y - 4.0 * math.floor(0.25 * y) >= 2.0
        s, c = choose(odd, c, s), choose(odd, -s, c)
        s, c = choose(half, -s, s), choose(half, -c, c)
    return s, c


@inlined
def turn(home, sine_part, cosine_part, s, c):
    """Return the joint's rotation ``home + s sine_part + (1 - c) cosine_part`` for its sine and cosine (Rodrigues)."""
    k = 1.0 - c
    return (
        home[0] + s * sine_part[0] + k * cosine_part[0],
        home[1] + s * sine_part[1] + k * cosine_part[1],
        home[2] + s * sine_part[2] + k * cosine_part[2],
        home[3] + s * sine_part[3] + k * cosine_part[3],
        home[4] + s * sine_part[4] + k * cosine_part[4],
        home[5] + s * sine_part[5] + k * cosine_part[5],
        home[6] + s * sine_part[6] + k * cosine_part[6],
        home[7] + s * sine_part[7] + k * cosine_part[7],
        home[8] + s * sine_part[8] + k * cosine_part[8],
    )


@inlined
def quaternion_matrix(x, y, z, w):
    """Return the rotation matrix of a unit quaternion (scalar last)."""
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


# spatial vectors


@inlined
def add(a, b):
    """Return ``a + b``."""
    return Spatial(vadd(a.angular, b.angular), vadd(a.linear, b.linear))


@inlined
def sub(a, b):
    """Return ``a - b``."""
    return Spatial(vsub(a.angular, b.angular), vsub(a.linear, b.linear))


@inlined
def scale(a, k):
    """Return ``k a``."""
    return Spatial(vscale(a.angular, k), vscale(a.linear, k))


@inlined
def dot(motion, force):
    """Return the power of a force on a motion."""
    return vdot(motion.angular, force.angular) + vdot(motion.linear, force.linear)


@inlined
def cross_motion(velocity, motion):
    """Return ``velocity x motion``: the rate of a motion vector that is carried along."""
    return Spatial(
        vcross(velocity.angular, motion.angular),
        vadd(vcross(velocity.angular, motion.linear), vcross(velocity.linear, motion.angular)),
    )


@inlined
def force_at(point, force):
    """Return the spatial force of a vector force that acts at a point."""
    return Spatial(vcross(point, force), force)


@inlined
def wrench_at(point, force, moment):
    """Return the spatial force of a force and a moment that act at a point."""
    return Spatial(vadd(moment, vcross(point, force)), force)


@inlined
def twist_at(point, linear, angular):
    """Return the motion of a body whose point moves with ``linear`` while it turns with ``angular``."""
    return Spatial(angular, vadd(linear, vcross(point, angular)))


@inlined
def velocity_at(motion, point):
    """Return the velocity vector that a motion gives to the body's point."""
    return vadd(motion.linear, vcross(motion.angular, point))


# inertias


@inlined
def rigid_inertia(mass, com, about_com):
    """Return a rigid body's inertia from its mass, centre of mass and rotational inertia about that centre."""
    x, y, z = com
    mx, my, mz = mass * x, mass * y, mass * z
    return Inertia(
        (
            about_com[0] + my * y + mz * z,
            about_com[1] - mx * y,
            about_com[2] - mx * z,
            about_com[3] + mx * x + mz * z,
            about_com[4] - my * z,
            about_com[5] + mx * x + my * y,
        ),
        (0.0, -mz, my, mz, 0.0, -mx, -my, mx, 0.0),
        (mass, 0.0, 0.0, mass, 0.0, mass),
    )


@inlined
def apply(inertia, motion):
    """Return the force (or momentum) ``inertia motion``."""
    w, v = motion
    return Spatial(
        vadd(stretch(inertia.rotational, w), rotate(inertia.coupling, v)),
        vadd(rotate_back(inertia.coupling, w), stretch(inertia.linear, v)),
    )


@inlined
def remove_rank_one(inertia, force, k):
    """Return ``inertia - k force force^T``."""
    A, B, M = inertia
    n, f = force
    a, b, c = vscale(n, k)
    x, y, z = vscale(f, k)
    return Inertia(
        (A[0] - a * n[0], A[1] - a * n[1], A[2] - a * n[2], A[3] - b * n[1], A[4] - b * n[2], A[5] - c * n[2]),
        (
            B[0] - a * f[0],
            B[1] - a * f[1],
            B[2] - a * f[2],
            B[3] - b * f[0],
            B[4] - b * f[1],
            B[5] - b * f[2],
            B[6] - c * f[0],
            B[7] - c * f[1],
            B[8] - c * f[2],
        ),
        (M[0] - x * f[0], M[1] - x * f[1], M[2] - x * f[2], M[3] - y * f[1], M[4] - y * f[2], M[5] - z * f[2]),
    )


@inlined
def solve(inertia, force):
    """Return the motion with ``inertia motion = force``, by the Schur complement of the linear block."""
    mobility = sym_inverse(inertia.linear)
    schur = sym_sub(inertia.rotational, congruence(inertia.coupling, mobility))
    moment = vsub(force.angular, rotate(inertia.coupling, stretch(mobility, force.linear)))
    angular = stretch(sym_inverse(schur), moment)
    return Spatial(angular, stretch(mobility, vsub(force.linear, rotate_back(inertia.coupling, angular))))


@inlined
def inverse(inertia):
    """Return the 6x6 inverse in the same blocks: it maps a force to the motion that `solve` finds."""
    mobility = sym_inverse(inertia.linear)
    B = inertia.coupling
    lever = stretch(mobility, B[0:3]) + stretch(mobility, B[3:6]) + stretch(mobility, B[6:9])  # B M^-1, by rows
    turning = sym_inverse(sym_sub(inertia.rotational, congruence(B, mobility)))
    first, second, third = turning[0:3], (turning[1], turning[3], turning[4]), (turning[2], turning[4], turning[5])
    coupling = rotate_back(lever, first) + rotate_back(lever, second) + rotate_back(lever, third)
    columns = (lever[0], lever[3], lever[6], lever[1], lever[4], lever[7], lever[2], lever[5], lever[8])
    extra = congruence(columns, turning)
    linear = (
        mobility[0] + extra[0],
        mobility[1] + extra[1],
        mobility[2] + extra[2],
        mobility[3] + extra[3],
        mobility[4] + extra[4],
        mobility[5] + extra[5],
    )
    return Inertia(
        turning,
        (
            -coupling[0],
            -coupling[1],
            -coupling[2],
            -coupling[3],
            -coupling[4],
            -coupling[5],
            -coupling[6],
            -coupling[7],
            -coupling[8],
        ),
        linear,
    )
