"""Joints that are cut: the dual basis of each cut, the trees' motion without it, the joints' velocities out of theirs.

Every cut has a dual basis of six spatial forces, each acting on the body and, reversed, on its carrier: first one per
freedom, whose velocity is the joint's rate, then the constraints, which the joint's motions do not touch.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...actuation.rows import ADDED, APPLIED
from ...dynamics.kinematics import carry_velocities
from ...dynamics.record_fields import increase_spatial, put_spatial, put_vector_at, spatial, vector, vector_at
from ...dynamics.spatial import Spatial, add, dot, scale, sub, velocity_at, wrench_at
from ...jit import inlined
from ...model.records import FREE
from .row_blocks import row_blocks

LEAST_RESIDUAL = 0.1  # of a unit vector, squared, to make part of the constraints' basis; below 1/6, so enough do
FIXED = 1e300  # added inertia that keeps a body without inertia on its parent


class Cuts(NamedTuple):
    """The joints that are cut, c of them, and what a step works on; r rows of the contact problem."""

    joints: Any  # CUT (c,)
    duals: Any  # dual basis of each, (c, 6, 6)
    parting: Any  # velocities along the duals with which the free trees come apart, (c, 6)
    reactions: Any  # forces along the duals that held the trees together in the last step, (c, 6)
    labels: Any  # which cut and dual a bilateral row belongs to, 6 cut + dual, (r,)
    blocks: Any  # `RowBlocks` of contacts and bilateral rows
    poses: Any  # of the cut bodies, integrated on their own: position, m, and quaternion, scalar last, (c, 7)
    motions: Any  # velocities with which the last step ended: of the bodies' origins, then angular, world axes, (c, 6)


def cut_work(joints: np.ndarray, contacts: int, rows: int) -> Cuts:
    """Return the work of a step for CUT records and at most so many contacts and rows."""
    count = len(joints)
    duals, parting, reactions = np.zeros((count, 6, 6)), np.zeros((count, 6)), np.zeros((count, 6))
    poses, motions = np.zeros((count, 7)), np.zeros((count, 6))
    labels, blocks = np.zeros(rows, dtype=np.int64), row_blocks(contacts + count, rows)
    return Cuts(joints, duals, parting, reactions, labels, blocks, poses, motions)


@inlined
def joint_link(links, cut, m):
    """Return the body whose own joint is freedom ``m`` of a cut."""
    return cut.body if m == 0 else links[cut.body].parent


@inlined
def take_away(x, unit):
    """Take the part along a unit vector off the vector ``x`` (6,); return its length."""
    along = 0.0
    for k in range(6):
        along += x[k] * unit[k]
    for k in range(6):
        x[k] -= along * unit[k]
    return along


@inlined
def make_unit(x):
    """Scale the vector ``x`` (6,) to length 1; return the length that it had."""
    square = 0.0
    for k in range(6):
        square += x[k] * x[k]
    length = math.sqrt(square)
    for k in range(6):
        x[k] /= length
    return length


@inlined
def unit_axes(links, bodies, cut, duals):
    """Write the joint's motions, about the body's origin, as orthonormal rows; return lengths and the part shared."""
    lengths, shared, origin = (1.0, 1.0), 0.0, vector(bodies[cut.body].position)
    for m in range(cut.freedoms):
        axis = spatial(bodies[joint_link(links, cut, m)].axis)
        put_spatial(duals[m], Spatial(axis.angular, velocity_at(axis, origin)))
        if m == 0:
            lengths = (make_unit(duals[0]), 1.0)
        else:
            shared = take_away(duals[1], duals[0])
            lengths = (lengths[0], make_unit(duals[1]))
    return lengths[0], lengths[1], shared


@inlined
def fill_duals(links, bodies, cut, duals):
    """Write the dual basis (6, 6) of a cut, spatial forces about the reference point: freedoms, then constraints."""
    first, second, shared = unit_axes(links, bodies, cut, duals)
    count = cut.freedoms
    for k in range(6):  # complete the basis, points (linear) before rotations
        if count == 6:
            break
        candidate = duals[count]
        for m in range(6):
            candidate[m] = 1.0 if m == (k + 3) % 6 else 0.0
        left = 1.0
        for m in range(count):
            along = take_away(candidate, duals[m])
            left -= along * along
        if left > LEAST_RESIDUAL:
            make_unit(candidate)
            count += 1
    for k in range(6):
        if cut.freedoms == 2:
            duals[1, k] /= second
        duals[0, k] = (duals[0, k] - (shared * duals[1, k] if cut.freedoms == 2 else 0.0)) / first
    for m in range(6):
        origin = vector(bodies[cut.body].position)
        put_spatial(duals[m], wrench_at(origin, vector_at(duals[m], 3), vector(duals[m])))


@inlined
def carried_bias(links, bodies, i):
    """Return the acceleration of body ``i`` when all joint velocities are constant, from its tree's root outward."""
    total = spatial(bodies[i].coriolis)
    while links[i].joint_kind != FREE:
        i = links[i].parent
        total = add(total, spatial(bodies[i].coriolis))
    return total


@inlined
def open_cut(system, forest, cut, duals, v, h):
    """Let a cut's efforts act on both ends, and give the free body the acceleration of its moving chain."""
    links, bodies, dofs = system.links, system.bodies, system.dofs
    chain = carried_bias(forest.links, bodies, cut.carrier)
    for m in range(cut.freedoms):
        i = joint_link(links, cut, m)
        j = links[i].velocity_index
        chain = add(chain, spatial(bodies[i].coriolis))
        if bodies[i].locked:  # a held cut has a row of its own
            chain = add(chain, scale(spatial(bodies[i].axis), v[j] / h))
            bodies[i].locked = 0
        wrench = scale(spatial(duals[m]), dofs[APPLIED, j])
        increase_spatial(bodies[cut.body].bias, scale(wrench, -1.0))
        increase_spatial(bodies[cut.carrier].bias, wrench)
        if m > 0:
            forest.dofs[ADDED, j] = FIXED
    put_spatial(bodies[cut.body].coriolis, chain)


@inlined
def open_cuts(system, forest, cuts, v, h):
    """Turn the placed and driven robot into its forest: velocities, efforts across the cuts, chain accelerations."""
    for j in range(system.dofs.shape[1]):
        forest.dofs[APPLIED, j], forest.dofs[ADDED, j] = system.dofs[APPLIED, j], system.dofs[ADDED, j]
        forest.state[j] = v[j]
    carry_velocities(system.links, system.bodies, v)
    for c in range(len(cuts.joints)):
        cut, duals = cuts.joints[c], cuts.duals[c]
        body, j = system.bodies[cut.body], forest.links[cut.body].velocity_index
        put_vector_at(forest.state, j, velocity_at(spatial(body.jump), vector(body.position)))
        put_vector_at(forest.state, j + 3, spatial(body.jump).angular)
        fill_duals(system.links, system.bodies, cut, duals)
        open_cut(system, forest, cut, duals, v, h)


@inlined
def relative_motion(bodies, cut):
    """Return the motion of a cut body relative to its carrier, from the bodies' ``jump``."""
    return sub(spatial(bodies[cut.body].jump), spatial(bodies[cut.carrier].jump))


@inlined
def gather_velocities(system, forest, cuts, row):
    """Read the robot's velocities off the forest's: those of uncut joints, and the relative motion at the cuts.

    Args:
        system: the robot; row ``row`` of its ``dofs`` is written.
        forest: the forest; the bodies' ``jump`` is the motion that row ``row`` of its ``dofs`` gives.
        cuts: `Cuts`.
        row: of ``dofs``, FREE_VELOCITY or CHANGE.
    """
    for j in range(system.dofs.shape[1]):
        system.dofs[row, j] = forest.dofs[row, j]
    for c in range(len(cuts.joints)):
        motion = relative_motion(system.bodies, cuts.joints[c])
        for m in range(cuts.joints[c].freedoms):
            i = joint_link(system.links, cuts.joints[c], m)
            system.dofs[row, system.links[i].velocity_index] = dot(motion, spatial(cuts.duals[c, m]))


@inlined
def part_cuts(bodies, cuts):
    """Write the velocities along all duals with which the free trees come apart."""
    for c in range(len(cuts.joints)):
        motion = relative_motion(bodies, cuts.joints[c])
        for m in range(6):
            cuts.parting[c, m] = dot(motion, spatial(cuts.duals[c, m]))
