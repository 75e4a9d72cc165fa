"""How a frame on a robot moves, as an IMU there feels it: the kernel of `imu`."""

from math import sqrt

import numpy as np

from ..dynamics.kinematics import place_bodies, point_position, velocities_to_outer_axes, world_velocity
from ..dynamics.record_fields import matrix, put_vector, spatial, vector
from ..dynamics.spatial import product, quaternion_matrix, rotate_back, velocity_at, vscale, vsub
from ..jit import compiled, inlined

MOUNT = np.dtype(
    [
        ("link", "i8"),  # the body that carries the frame; -1: the world
        ("rotation", "f8", 9),  # of the frame in the body, by rows
        ("position", "f8", 3),  # of its origin in the body, m
        ("orientation", "f8", 4),  # of the frame in the world now, x y z w
        ("velocity", "f8", 3),  # of its origin in the world now, world axes, m/s
        ("angular_velocity", "f8", 3),  # in the frame's axes, rad/s
        ("specific_force", "f8", 3),  # mean since the last reading, in the frame's axes, m/s^2
    ],
    align=True,
)


@inlined
def matrix_quaternion(r):
    """Return the unit quaternion (scalar last) of a rotation matrix, by its largest component (Shepperd 1978)."""
    trace = r[0] + r[4] + r[8]
    if trace >= max(r[0], r[4], r[8]):
        s = 2.0 * sqrt(max(1.0 + trace, 0.0))
        return (r[7] - r[5]) / s, (r[2] - r[6]) / s, (r[3] - r[1]) / s, 0.25 * s
    if r[0] >= max(r[4], r[8]):
        s = 2.0 * sqrt(max(1.0 + r[0] - r[4] - r[8], 0.0))
        return 0.25 * s, (r[1] + r[3]) / s, (r[2] + r[6]) / s, (r[7] - r[5]) / s
    if r[4] >= r[8]:
        s = 2.0 * sqrt(max(1.0 + r[4] - r[0] - r[8], 0.0))
        return (r[1] + r[3]) / s, 0.25 * s, (r[5] + r[7]) / s, (r[2] - r[6]) / s
    s = 2.0 * sqrt(max(1.0 + r[8] - r[0] - r[4], 0.0))
    return (r[2] + r[6]) / s, (r[5] + r[7]) / s, 0.25 * s, (r[3] - r[1]) / s


@inlined
def halfway(first, second):
    """Return the rotation matrix halfway between two unit quaternions, along the shorter way."""
    along = first[0] * second[0] + first[1] * second[1] + first[2] * second[2] + first[3] * second[3]
    side = 1.0 if along >= 0.0 else -1.0
    x, y, z, w = (
        second[0] + side * first[0],
        second[1] + side * first[1],
        second[2] + side * first[2],
        second[3] + side * first[3],
    )
    length = sqrt(x * x + y * y + z * z + w * w)
    return quaternion_matrix(x / length, y / length, z / length, w / length)


@compiled
def move_mount_entry(links, bodies, q, v, rates, mount, gravity, elapsed):
    """Bring a MOUNT record (1,) to the state q (nq,), v (nv,), ``elapsed`` s after the one that it has.

    The mean specific force is ``R^T ((v1 - v0) / T - g)`` with R halfway between both orientations. Without time
    elapsed it is that of a frame whose velocity does not change. ``rates`` (nv,) is work.
    """
    velocities_to_outer_axes(links, q, v, rates)
    place_bodies(links, bodies, q, rates)
    body = bodies[mount[0].link]
    axes = product(matrix(body.rotation), matrix(mount[0].rotation))
    position = point_position(body, vector(mount[0].position))
    moving = spatial(body.velocity)
    velocity = world_velocity(bodies, velocity_at(moving, position))
    orientation = matrix_quaternion(axes)
    felt, middle = vscale(vector(gravity), -1.0), axes
    if elapsed > 0.0:
        gained = vsub(velocity, vector(mount[0].velocity))
        felt = vsub(vscale(gained, 1.0 / elapsed), vector(gravity))
        before = mount[0].orientation
        middle = halfway((before[0], before[1], before[2], before[3]), orientation)
    put_vector(mount[0].specific_force, rotate_back(middle, felt))
    put_vector(mount[0].angular_velocity, rotate_back(axes, moving.angular))
    put_vector(mount[0].velocity, velocity)
    for k in range(4):
        mount[0].orientation[k] = orientation[k]
