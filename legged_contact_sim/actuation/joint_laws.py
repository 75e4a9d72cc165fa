"""What acts in the joints within a time step: drives, implicit damping and springs, dry friction that can hold.

Damping and springs, and likewise the gains of a drive toward its target, act on the mean of the step's end states
(implicit midpoint: never unstable, energy exact for a linear spring): with q_m = q + h v / 2 the joint gets the effort
``effort - d v - k (q_m - q_rest)`` and the added inertia ``rotor + h d / 2 + h^2 k / 4``. A drive whose gains ask
for more than its limit gives just that: a set-valued law like dry friction.

Such laws are solved by cases together with the contacts. A joint that holds is welded: it costs less than a free one,
and the effort of the weld shows whether it holds. A joint that slides gets the constant effort against its direction,
and its end rate shows whether it goes on; likewise the mean effort of a drive shows whether it is at its limit. Cases
that turn out wrong are revised and the step is solved again; usually the last step's cases are right at once.
"""

import math

from ..dynamics.record_fields import increase_spatial, spatial
from ..dynamics.spatial import dot, scale
from ..jit import anywhere, choose, inlined
from ..model.records import FREE
from .rows import ADDED, APPLIED, BOUND, COMPLIANCE, DAMPING, EFFORT, FEED, HOLD, POSITION, STIFFNESS, TARGET

BY_ROW = 2.0  # instead of a side: the law is a row of the contact problem (`contact.joint_rows`)
STANDSTILL = 1e-9  # rad/s (m/s); a slower reversal is none where joints are revised one at a time
ALL_AT_ONCE = 5  # passes over a step in which all cases that are wrong are revised, later ones one at a time
MARGIN = 1e-6  # relative excess over its friction or limit at which a joint still holds, so that rest is rest


@inlined
def effort_bound(link, rate, side):
    """Return the largest effort of a drive toward a side, -1 or 1, at a rate: its torque-speed curve.

    Up to its corner a drive gives its limit; from there on, what speeds it up falls to zero at its top speed.
    """
    if link.corner_velocity == math.inf:
        return link.effort_limit
    speed = rate * side
    left = (link.velocity_limit - speed) / (link.velocity_limit - link.corner_velocity)
    slowed = choose(left > 0.0, link.effort_limit * left, 0.0)  # a limit without bounds times 0 is no number
    return choose(speed <= link.corner_velocity, link.effort_limit, slowed)


@inlined
def limit_effort(link, effort, rate):
    """Return the effort within the drive's bounds at a rate that is nearest to one."""
    return min(effort_bound(link, rate, 1.0), max(-effort_bound(link, rate, -1.0), effort))


@inlined
def guess_slides(links, slides, v):
    """Begin with the direction in which every joint with dry friction moves; one that rests holds."""
    for i in range(len(links)):
        if links[i].joint_kind != FREE and links[i].friction > 0.0:
            rate = v[links[i].velocity_index]
            slides[i] = 1.0 if rate > 0.0 else (-1.0 if rate < 0.0 else slides[i])


@inlined
def wanted_effort(system, link, rate, h):
    """Return what a drive's command and gains ask for at a rate, and what the gains add to the joint's inertia."""
    dofs, j = system.dofs, link.velocity_index
    stiffness, damping = dofs[STIFFNESS, j], dofs[DAMPING, j]
    effort = dofs[FEED, j] + stiffness * (dofs[TARGET, j] - dofs[POSITION, j]) - damping * rate
    return effort, h * (0.5 * damping + 0.25 * h * stiffness)


@inlined
def drive_effort(system, link, rate, h):
    """Return the effort of a joint's drive at the middle of the step and what it adds to the joint's inertia.

    Beyond its top speed a drive gives no effort that would speed it up.
    """
    effort, compliance = wanted_effort(system, link, rate, h)
    side = system.dofs[BOUND, link.velocity_index]
    rigid, bound = compliance == 0.0, side != 0.0
    if anywhere(rigid):
        effort = choose(rigid, limit_effort(link, effort, rate), effort)
    if anywhere(bound):
        effort = choose(bound, side * effort_bound(link, rate, side), effort)
        compliance = choose(bound, 0.0, compliance)
    idle = (side == BY_ROW) | ((abs(rate) > link.velocity_limit) & (effort * rate > 0.0))
    if anywhere(idle):
        effort, compliance = choose(idle, 0.0, effort), choose(idle, 0.0, compliance)
    return effort, compliance


@inlined
def drive_joints(system, q, v, h):
    """Fill the applied efforts and added inertias of a step of length ``h``, s; hold the joints that stick."""
    links, bodies, dofs = system.links, system.bodies, system.dofs
    for i in range(len(links)):
        link, j = links[i], links[i].velocity_index
        if link.joint_kind == FREE:
            for k in range(j, j + 6):
                dofs[EFFORT, k] = dofs[FEED, k]
                dofs[APPLIED, k] = dofs[FEED, k]
                dofs[ADDED, k] = 0.0
            continue
        dofs[POSITION, j] = q[link.position_index]
        dofs[EFFORT, j], dofs[COMPLIANCE, j] = drive_effort(system, link, v[j], h)
        spring = link.stiffness * (q[link.position_index] - link.rest_position)
        applied = dofs[EFFORT, j] - link.damping * v[j] - spring
        own = h * (0.5 * link.damping + 0.25 * h * link.stiffness)
        dofs[ADDED, j] = link.rotor_inertia + own + dofs[COMPLIANCE, j]
        bodies[i].locked = 0
        if link.friction > 0.0:
            if system.slides[i] == 0.0:
                bodies[i].locked = 1
                increase_spatial(bodies[i].coriolis, scale(spatial(bodies[i].axis), -v[j] / h))
            elif system.slides[i] != BY_ROW:
                applied -= link.friction * system.slides[i]
        dofs[APPLIED, j] = applied


@inlined
def hold_efforts(system, v, h):
    """Note the effort that every held joint needs before contacts act (after the outward pass)."""
    for i in range(len(system.links)):
        if system.bodies[i].locked:
            body, j = system.bodies[i], system.links[i].velocity_index
            need = dot(spatial(body.push), spatial(body.acceleration)) - body.drive
            system.dofs[HOLD, j] = need - system.dofs[ADDED, j] * v[j] / h


@inlined
def add_contact_hold(system, h):
    """Add what contact impulses ask of the held joints (after `respond`)."""
    for i in range(len(system.links)):
        if system.bodies[i].locked:
            body, j = system.bodies[i], system.links[i].velocity_index
            system.dofs[HOLD, j] += (dot(spatial(body.push), spatial(body.jump)) - body.drive) / h


@inlined
def revise_slides(system, v_end, passes):
    """Let go the joints that cannot hold, hold those whose rate would reverse; return whether anything changed.

    From the pass ALL_AT_ONCE on, only the first such joint is revised: changing all is faster but can go in circles,
    one at a time ends (Murty's least-index rule). It ends only if rounding does not count as a rate: where feet that
    stick leave a joint no room to move, the effort that holds it is undetermined, and its rate, if it were free, is
    zero but for rounding.
    """
    one = passes >= ALL_AT_ONCE
    changed, reversal = False, STANDSTILL if one else 0.0
    for i in range(len(system.links)):
        link, j = system.links[i], system.links[i].velocity_index
        if link.joint_kind == FREE or link.friction <= 0.0 or (one and changed):
            continue
        if system.slides[i] == BY_ROW:
            continue
        if system.slides[i] == 0.0:
            hold = system.dofs[HOLD, j]
            if abs(hold) > link.friction * (1.0 + MARGIN):
                system.slides[i] = -1.0 if hold > 0.0 else 1.0
                changed = True
        elif v_end[j] * system.slides[i] < -reversal:
            system.slides[i] = 0.0
            changed = True
    return changed


@inlined
def revised_side(system, link, rate, end_rate, h):
    """Return the side of its limit, -1 or 1, that a drive should be at by the rates of a step that was solved; 0: none.

    One that gives more than its limit on the mean of the step is bound, one whose gains ask for less is freed.
    """
    dofs, j, acceleration = system.dofs, link.velocity_index, (end_rate - rate) / h
    side = dofs[BOUND, j]
    free, bound, revised = side == 0.0, side != 0.0, side
    if anywhere(free):
        given = dofs[EFFORT, j] - dofs[COMPLIANCE, j] * acceleration
        toward = choose(given > 0.0, 1.0, -1.0)
        exceeds = abs(given) > effort_bound(link, rate, toward) * (1.0 + MARGIN)
        revised = choose(free, choose(exceeds, toward, 0.0), revised)
    if anywhere(bound):
        effort, compliance = wanted_effort(system, link, rate, h)
        eased = side * (effort - compliance * acceleration) < effort_bound(link, rate, side) * (1.0 - MARGIN)
        revised = choose(bound & eased, 0.0, revised)
    return revised


@inlined
def revise_drives(system, v, v_end, h, passes):
    """Bound the drives that on the mean of the step give more than their limit, free those whose gains ask for less.

    Returns whether anything changed; ``passes``: see `revise_slides`.
    """
    links, dofs, changed, one = system.links, system.dofs, False, passes >= ALL_AT_ONCE
    for i in range(len(links)):
        j = links[i].velocity_index
        if links[i].joint_kind == FREE or (one and changed) or dofs[BOUND, j] == BY_ROW:
            continue
        side = revised_side(system, links[i], v[j], v_end[j], h)
        if side != dofs[BOUND, j]:
            dofs[BOUND, j], changed = side, True
    return changed


@inlined
def joint_work(system, v, v_end, h):
    """Return the work of drives and the (negative) work of damping and dry friction over a step, J.

    Leaves in the row EFFORT what the drives gave on the mean.
    """
    drives, losses = 0.0, 0.0
    for i in range(len(system.links)):
        link, j = system.links[i], system.links[i].velocity_index
        if link.joint_kind == FREE:
            for k in range(j, j + 6):
                drives += system.dofs[EFFORT, k] * 0.5 * (v[k] + v_end[k]) * h
            continue
        mean = 0.5 * (v[j] + v_end[j])
        system.dofs[EFFORT, j] -= system.dofs[COMPLIANCE, j] * (v_end[j] - v[j]) / h
        drives += system.dofs[EFFORT, j] * mean * h
        losses -= link.damping * mean * mean * h
        if link.friction > 0.0:
            slide = system.slides[i]
            friction = system.dofs[HOLD, j] if slide == 0.0 else -link.friction * slide
            losses += friction * mean * h
    return drives, losses
