"""How redundant points share friction in an impact: in the ratio of their normal impulses, as far as that is possible.

The points of one rigid foot can divide its tangential impulse in many ways that all move the robot alike: what they
differ by is an inner stress z with J_t^T z = 0, or G_tt z = 0. Rigid-body dynamics does not tell them apart, and the
path of an impact through its phases may leave one end of a foot pushing against the other. Of all of them the one is
taken that uses the least friction,

    minimise  sum over points of |p_t|^2 / p_n        with G_tt p_t given,

the rule by which the same points share their friction between impacts. In one direction it is ``p_t`` in proportion to
``p_n``: the points of a foot come to the bound of their friction together, and none pushes against the others. With
x = p_t / sqrt(p_n) and S = sqrt(p_n) G_tt sqrt(p_n) it is the projection ``S^+ S x``. Normal impulses, velocities and
works stay as they are, since an inner stress does none.
"""

import math

from ....jit import inlined
from ..flow.constrained_motion import solve_rows
from ..motion import CONTACT_COUNT, RIGHT, ROW_OF, SOLUTION

SLACK = 1e-12  # of the largest impulse


@inlined
def list_pressed(motion, p):
    """List the tangential rows of all points that are pressed; return how many."""
    count, rows = 0, motion.unknowns[ROW_OF]
    for k in range(motion.counts[CONTACT_COUNT]):
        if p[3 * k] > 0.0:
            rows[count], rows[count + 1] = 3 * k + 1, 3 * k + 2
            count += 2
    return count


@inlined
def weight(p, r):
    """Return ``sqrt(p_n)`` of the point to which a tangential row belongs."""
    return math.sqrt(p[r - r % 3])


@inlined
def friction_used(p, points):
    """Return the largest ratio of tangential to normal impulse of any pressed point."""
    largest = 0.0
    for k in range(points):
        if p[3 * k] > 0.0:
            largest = max(largest, math.sqrt(p[3 * k + 1] ** 2 + p[3 * k + 2] ** 2) / p[3 * k])
    return largest


@inlined
def share_friction(system, motion, p):
    """Change the tangential impulses of the listed points to the shares of least friction; velocities stay.

    Where that would ask more of some point's friction than before, shares stay as they are.
    """
    count, rows, z = list_pressed(motion, p), motion.unknowns[ROW_OF], motion.vectors[SOLUTION]
    if count < 4:
        return
    for a in range(count):
        motion.vectors[RIGHT, a] = 0.0
        for b in range(count):
            inertia = system.G[rows[a], rows[b]]
            motion.M[a, b] = weight(p, rows[a]) * inertia * weight(p, rows[b])
            motion.vectors[RIGHT, a] += weight(p, rows[a]) * inertia * p[rows[b]]
    solve_rows(motion, count)
    points = motion.counts[CONTACT_COUNT]
    used = friction_used(p, points)
    for a in range(count):  # exchange, so that the old shares can come back
        old = p[rows[a]]
        p[rows[a]] = z[a] * weight(p, rows[a])
        z[a] = old
    if friction_used(p, points) > used + SLACK:
        for a in range(count):
            p[rows[a]] = z[a]
