"""What a controller asks of all feet at once: their motion, joint accelerations that move them, forces they may give.

One call each instead of many per foot: at every control step, converting arguments would take longer than the numbers.
"""

import math

from ..jit import compiled, inlined
from .jacobians import fill_jacobian
from .kinematics import (
    accelerations_to_outer_axes,
    carry_acceleration,
    place_bodies,
    point_acceleration,
    point_position,
    velocities_to_outer_axes,
    world_position,
)
from .record_fields import put_vector, spatial, vector
from .spatial import rotate, stretch, sym_inverse, vdot, vsub

STEEPEST = 15.0  # joint acceleration per acceleration of a foot, times the limb's length
BASE_VELOCITIES = 6  # of a floating base, which come first in v


@compiled
def foot_motion_entry(links, bodies, q, v, rest, work, ends, offsets, feet, jacobians):
    """Write positions, velocities and J' v of points, feet (3, n, 3), and their Jacobians (n, 6, nv), in world axes.

    Point k lies at ``offsets[k]`` in the frame of body ``ends[k]``; ``rest`` (nv,) is zero, work is (2, nv).
    """
    velocities_to_outer_axes(links, q, v, work[0])
    accelerations_to_outer_axes(links, q, work[0], rest, work[1])
    place_bodies(links, bodies, q, work[0])
    for i in range(len(links)):
        carry_acceleration(bodies[i], links[i], bodies[links[i].parent], work[1])
    for k in range(len(ends)):
        i = ends[k]
        position = point_position(bodies[i], vector(offsets[k]))
        put_vector(feet[0, k], world_position(bodies, position))
        fallen = point_acceleration(bodies[i], position)
        put_vector(feet[2, k], vsub(fallen, spatial(bodies[-1].acceleration).linear))
        fill_jacobian(links, bodies, i, position, jacobians[k])
        put_vector(feet[1, k], times(jacobians[k], v))


@compiled
def reach_entry(jacobians, biases, wanted, damping, lengths, rate):
    """Add to ``rate`` = dv/dt (nv,) the least joint accelerations that give the points accelerations ``wanted`` (n, 3).

    ``J^T (J J^T + d^2)^-1`` of what is missing, with the columns of the joints; limbs share none. ``damping`` is d, m.
    A limb that is nearly straight would need boundless accelerations: there d grows until none is more than
    STEEPEST times what is missing over the limb's length, ``lengths`` (n,), m.
    """
    for k in range(len(wanted)):
        J = jacobians[k]
        missing = vsub(vsub(vector(wanted[k]), vector(biases[k])), times(J, rate))
        most = STEEPEST * math.sqrt(vdot(missing, missing)) / lengths[k]
        square = damping * damping
        pull = stretch(sym_inverse(joint_square(J, square)), missing)
        while largest_pulled(J, pull) > most:
            square *= 2.0
            pull = stretch(sym_inverse(joint_square(J, square)), missing)
        for j in range(BASE_VELOCITIES, len(rate)):
            rate[j] += J[0, j] * pull[0] + J[1, j] * pull[1] + J[2, j] * pull[2]


@inlined
def largest_pulled(jacobian, pull):
    """Return the largest size of ``J^T pull`` in the joints."""
    largest = 0.0
    for j in range(BASE_VELOCITIES, jacobian.shape[1]):
        largest = max(largest, abs(jacobian[0, j] * pull[0] + jacobian[1, j] * pull[1] + jacobian[2, j] * pull[2]))
    return largest


@compiled
def force_problem_entry(rotation, effort, feet, position, standing, edges, least, weights, rows, goal):
    """Write rows (6, 4 m) and goal (6,) of the forces of the m standing feet about the trunk, each row weighted.

    Forces are ``edges`` (3, 4) times amounts, plus ``least`` (N) upward each. The goal is the base's generalised effort
    (6,), which is in the base's axes with the ``rotation`` (3, 3); all else is in world axes.
    """
    turn = (rotation[0, 0], rotation[0, 1], rotation[0, 2], rotation[1, 0], rotation[1, 1], rotation[1, 2],
            rotation[2, 0], rotation[2, 1], rotation[2, 2])  # fmt: skip
    put_vector(goal[:3], rotate(turn, vector(effort)))
    put_vector(goal[3:], rotate(turn, vector(effort[3:])))
    for m in range(len(standing)):
        x, y, z = vsub(vector(feet[standing[m]]), vector(position))
        goal[2] -= least
        goal[3] -= y * least
        goal[4] += x * least
        for e in range(4):
            fx, fy, fz = edges[0, e], edges[1, e], edges[2, e]
            column = rows[:, 4 * m + e]
            put_vector(column, (fx, fy, fz))
            put_vector(column[3:], (y * fz - z * fy, z * fx - x * fz, x * fy - y * fx))
            for r in range(6):
                column[r] *= weights[r]
    for r in range(6):
        goal[r] *= weights[r]


@inlined
def times(jacobian, velocities):
    """Return the first three rows of a Jacobian times velocities (nv,)."""
    x = y = z = 0.0
    for j in range(len(velocities)):
        x += jacobian[0, j] * velocities[j]
        y += jacobian[1, j] * velocities[j]
        z += jacobian[2, j] * velocities[j]
    return (x, y, z)


@inlined
def joint_square(jacobian, damping):
    """Return ``J J^T + damping`` of the joints' columns, symmetric."""
    xx = yy = zz = damping
    xy = xz = yz = 0.0
    for j in range(BASE_VELOCITIES, jacobian.shape[1]):
        x, y, z = jacobian[0, j], jacobian[1, j], jacobian[2, j]
        xx, xy, xz = xx + x * x, xy + x * y, xz + x * z
        yy, yz, zz = yy + y * y, yz + y * z, zz + z * z
    return (xx, xy, xz, yy, yz, zz)
