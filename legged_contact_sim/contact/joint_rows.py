"""Dry friction and limited drives as rows of the contact problem, for steps in which their cases do not settle.

A step solves these laws by cases (`actuation.joint_laws`), which nearly always fit at once. Where joints, joint limits
and contacts push one another from case to case for ever, the laws become scalar rows of the problem instead, with the
impulse z of friction or drive as the unknown, kept within bounds:

    dry friction:  |z| <= f h,  rate 0 inside, opposite to z on the bound;
    drive:         |z| <= L h,  z = h (wanted effort) - c (v_end - v) inside, c being what its gains add to the inertia.

Both are the projection z = clamp(z - w) with w = rate, and w = v_end - v + (z - h (wanted effort)) / c.
"""

import math

from ..actuation.joint_laws import BY_ROW, STANDSTILL, effort_bound, wanted_effort
from ..actuation.rows import BOUND, EFFORT, FREE_VELOCITY, HOLD
from ..jit import inlined, shared
from ..model.records import FREE
from .constraint_rows import fill_joint_row
from .records import JOINT_ROWS
from .system import SOLVER

ON_BOUND = 1e-9  # relative distance from its bound at which an impulse is on it


@inlined
def joint_laws_are_rows(system):
    """Return whether the laws of joints are rows in the present part of a step."""
    return system.ledger[SOLVER + JOINT_ROWS] > 0.0


@inlined
def give_to_rows(system, v, h):
    """Let rows decide about all dry joints, and about drives with gains and a limit; return how many rows."""
    given = 0.0
    for i in range(len(system.links)):
        link, j = system.links[i], system.links[i].velocity_index
        if link.joint_kind == FREE:
            continue
        if link.friction > 0.0:
            system.slides[i], given = BY_ROW, given + 1.0
        effort, compliance = wanted_effort(system, link, v[j], h)
        overspeed = abs(v[j]) > link.velocity_limit and effort * v[j] > 0.0
        if compliance > 0.0 and 0.0 < link.effort_limit < math.inf and not overspeed:
            system.dofs[BOUND, j], given = BY_ROW, given + 1.0
    return given


@inlined
def put_joint_row(system, i, r, bound):
    """Fill row ``r`` of the joint of body ``i``, whose impulse is at most ``bound``."""
    fill_joint_row(system, i, 1.0, r)
    system.bounds[r], system.impulses[r] = bound, 0.0


@shared
def append_joint_rows(system, v, h, first):
    """Append the rows of the laws that were given to rows, from row ``first`` on; return how many they are."""
    r = first
    for i in range(len(system.links)):
        link, j = system.links[i], system.links[i].velocity_index
        if link.joint_kind == FREE:
            continue
        if system.slides[i] == BY_ROW:
            put_joint_row(system, i, r, link.friction * h)
            system.offsets[r] = system.dofs[FREE_VELOCITY, j]
            r += 1
        if system.dofs[BOUND, j] == BY_ROW:
            effort, compliance = wanted_effort(system, link, v[j], h)
            put_joint_row(system, i, r, effort_bound(link, v[j], 1.0 if effort > 0.0 else -1.0) * h)
            system.G[r, r] += 1.0 / compliance
            system.offsets[r] = system.dofs[FREE_VELOCITY, j] - v[j] - h * effort / compliance
            r += 1
    return r - first


@inlined
def side_of(impulse, bound):
    """Return on which bound an impulse is, 1 or -1; 0: inside."""
    if abs(impulse) < bound * (1.0 - ON_BOUND):
        return 0.0
    return 1.0 if impulse > 0.0 else -1.0


@inlined
def take_from_rows(system, v_end, h, first):
    """Turn the rows' impulses into efforts, and into the cases with which the next step begins."""
    r = first
    for i in range(len(system.links)):
        link, j = system.links[i], system.links[i].velocity_index
        if link.joint_kind == FREE:
            continue
        if system.slides[i] == BY_ROW:
            system.dofs[HOLD, j] = system.impulses[r] / h
            system.slides[i] = -side_of(system.impulses[r], system.bounds[r])
            if abs(v_end[j]) <= STANDSTILL:  # on its bound or not, a joint that does not move holds
                system.slides[i] = 0.0
            if system.slides[i] == 0.0:
                v_end[j] = 0.0
            system.bounds[r] = 0.0
            r += 1
        if system.dofs[BOUND, j] == BY_ROW:
            system.dofs[EFFORT, j] = system.impulses[r] / h
            system.dofs[BOUND, j] = side_of(system.impulses[r], system.bounds[r])
            system.bounds[r] = 0.0
            r += 1
    system.ledger[SOLVER + JOINT_ROWS] = 0.0


@inlined
def drop_rows(system):
    """Go back to cases without a solution: everything holds, no drive is at its limit."""
    if not joint_laws_are_rows(system):
        return
    system.ledger[SOLVER + JOINT_ROWS] = 0.0
    for i in range(len(system.links)):
        j = system.links[i].velocity_index
        if system.slides[i] == BY_ROW:
            system.slides[i] = 0.0
        if system.links[i].joint_kind != FREE and system.dofs[BOUND, j] == BY_ROW:
            system.dofs[BOUND, j] = 0.0
    for r in range(len(system.bounds)):
        system.bounds[r] = 0.0
