"""Distributed contact (Bruneau and Ouezdou): a sole of testing points that stick, break away together and stick again.

All points of one link are one foot. Equation numbers are the paper's.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...dynamics.record_fields import increase_spatial, put_spatial, put_vector, spatial, vector
from ...dynamics.spatial import ZERO, Spatial, vdot, vscale, vsub
from ...jit import inlined, inlined_always
from ..bookkeeping import world_impulse
from ..parameters import Parameters, number
from ..records import OPEN, SLIP, STICK, extended
from ..stepping.anchors import (
    SPRING_CONTACT,
    carry_stretch,
    middle_stretch,
    put_stretch,
    touch_down,
)
from ..stepping.force_stepping import ForceModel, advance, count_acting
from ..stepping.rollout import rollout_entry

TESTING_POINT = extended(
    SPRING_CONTACT,
    [
        (
            "slide",
            "f8",
            3,
        ),  # direction of the sliding force, world axes; of an open point: its foot's, 0 if that sticks
        ("drag", "f8"),  # size of the sliding force, N
        ("phase_time", "f8"),  # since the last change between sticking and sliding, s
        ("idle", "i8"),  # 1: it would pull in this step, and has no force; inside the ground it keeps its mode
    ],
)
DRAG_TOLERANCE = 1e-9  # relative error of a point's sliding force at which a step is settled


@dataclass(frozen=True)
class DistributedParameters(Parameters):
    """Parameters of `distributed`, per testing point; the defaults are Bruneau's (section 4.1).

    ``friction`` is that of a point that slides; a foot breaks away at ``static_ratio`` times as much (0.7 over 0.4).
    """

    normal_stiffness: float = number(9950.0, 0.0, 1e12, "N/m^normal_exponent", open_low=True)
    normal_damping: float = number(450.0, 0.0, 1e9, "N s/m^(1 + damping_exponent)")
    normal_exponent: float = number(1.2, 1.0, 5.0)
    damping_exponent: float = number(0.02, 0.0, 5.0)
    tangential_stiffness: float = number(90.0, 0.0, 1e12, "N/m", open_low=True)
    tangential_damping: float = number(950.0, 0.0, 1e9, "N s/m")
    sliding_damping: float = number(1.0, 0.0, 1e6, "N s/m")
    friction: float = number(0.4, 0.0, 100.0)
    static_ratio: float = number(1.75, 0.0, 100.0)
    breakaway_time: float = number(0.01, 0.0, 10.0, "s", open_low=True)
    restick_time: float = number(0.01, 0.0, 10.0, "s", open_low=True)

    @property
    def static_friction(self) -> float:
        """The ratio of tangential to normal force at which a foot breaks away."""
        return self.static_ratio * self.friction


@inlined
def along(contact, velocity, direction):
    """Return the part along a direction, world axes, of a point's velocity (normal, two tangents), m/s."""
    first = velocity[1] * vdot(direction, vector(contact.first_tangent))
    return first + velocity[2] * vdot(direction, vector(contact.second_tangent))


@inlined
def land(contact):
    """Begin a point's contact with all its force: it slides with a foot that slides, and sticks where it is otherwise.

    Its foot's direction is in ``slide`` (`show_slides`), its velocity that of the start of the step.
    """
    touch_down(contact)
    contact.phase_time, contact.drag = math.inf, 0.0
    if along(contact, contact.start_velocity, vector(contact.slide)) < 0.0:
        contact.mode = SLIP


@inlined
def sticking_share(contact, time, law):
    """Return the weight of the sticking force at a time, s, from the last change; sliding has the rest (27, 29)."""
    if contact.mode == SLIP:
        return 1.0 - min(1.0, (contact.phase_time + time) / law.breakaway_time)
    return min(1.0, (contact.phase_time + time) / law.restick_time)


@inlined
def sliding_force(contact, law):
    """Return the size of the sliding force along ``slide``, N (22, 25): it works against the sliding velocity."""
    slide = vector(contact.slide)
    speed = 0.5 * (along(contact, contact.start_velocity, slide) + along(contact, contact.end_velocity, slide))
    return law.friction * contact.force[0] - law.sliding_damping * speed


@inlined
def press(contact, h, law, passes):
    """Set f_0 and the resistances of a touching point; ``drag`` is its sliding force."""
    if passes == 0:
        contact.idle = 0
    if contact.idle == 1:
        contact.force[0], contact.force[1], contact.force[2] = 0.0, 0.0, 0.0
        contact.resistance[0], contact.resistance[1] = 0.0, 0.0
        return
    depth, start = -contact.gap, contact.start_velocity
    elastic, damping = law.normal_stiffness * depth**law.normal_exponent, depth**law.damping_exponent
    damping *= law.normal_damping
    stiffness = law.normal_exponent * elastic / depth if depth > 0.0 else 0.0
    contact.force[0] = elastic - damping * start[0]  # (16)
    contact.resistance[0] = h * (0.5 * damping + 0.25 * h * stiffness)
    share = sticking_share(contact, 0.5 * h, law)
    first, second = middle_stretch(contact, h)
    contact.force[1] = -share * (law.tangential_stiffness * first + law.tangential_damping * start[1])  # (17)
    contact.force[2] = -share * (law.tangential_stiffness * second + law.tangential_damping * start[2])  # (18)
    contact.resistance[1] = share * h * (0.5 * law.tangential_damping + 0.25 * h * law.tangential_stiffness)
    if share < 1.0:
        sliding = vscale(vector(contact.slide), (1.0 - share) * contact.drag)
        contact.force[1] += vdot(sliding, vector(contact.first_tangent))
        contact.force[2] += vdot(sliding, vector(contact.second_tangent))


@inlined
def revise_drag(contact, h, law):
    """Bring a point's sliding force up to date with its normal force and velocity; return whether it changed."""
    if contact.idle == 1 or sticking_share(contact, 0.5 * h, law) >= 1.0:
        return False
    old, contact.drag = contact.drag, sliding_force(contact, law)
    return abs(contact.drag - old) > DRAG_TOLERANCE * (abs(contact.drag) + abs(old))


@inlined
def revise(system, h, law):
    """Bring sliding forces up to date, then relieve points that would pull; return whether anything changed."""
    changed = False
    for contact in system.contacts:
        if contact.mode != OPEN:
            changed = revise_drag(contact, h, law) or changed
    if not changed:
        for contact in system.contacts:
            if contact.mode != OPEN and contact.idle == 0 and contact.force[0] <= 0.0:
                contact.idle = 1
                changed = True
    return changed


@inlined
def sum_feet(system):
    """Sum every foot's tangential and normal forces, N, in its body's ``jump`` (35), which is free between steps."""
    for body in system.bodies:
        put_spatial(body.jump, Spatial(ZERO, ZERO))
    for contact in system.contacts:
        if contact.mode != OPEN:
            normal = vscale(vector(contact.normal), contact.force[0])
            tangential = vsub(world_impulse(contact, contact.force, 0), normal)
            increase_spatial(system.bodies[contact.link].jump, Spatial(tangential, normal))


@inlined
def breaks_away(contact, foot, direction, law):
    """Return whether the foot's total force, (tangential, normal), lets a point slide against a direction (40)."""
    tangential, normal = foot
    reached = vdot(tangential, tangential) >= (law.static_ratio * law.friction) ** 2 * vdot(normal, normal)
    return reached and along(contact, contact.end_velocity, direction) < 0.0


@inlined
def force_direction(contact, foot):
    """Return the unit vector of the tangential force in world axes (20): a point without force takes its foot's."""
    force = foot[0]
    if contact.idle == 0:
        force = vsub(world_impulse(contact, contact.force, 0), vscale(vector(contact.normal), contact.force[0]))
    size = math.sqrt(vdot(force, force))
    return vscale(force, 1.0 / size) if size > 0.0 else ZERO


@inlined
def change_phases(system, h, law):
    """Let feet break away and points stick again, after a step of length ``h``, s.

    A foot breaks away when its total tangential force reaches the static limit; of its points, those that move against
    their force then slide, each along its own force. A point sticks again when its sliding velocity has reversed. A
    change in the middle of a transition goes on from the share and the direction reached, so that no force jumps. A
    point without force has none to blend: it slides at once.
    """
    sum_feet(system)
    for contact in system.contacts:
        if contact.mode == OPEN:
            continue
        share = sticking_share(contact, h, law)
        contact.phase_time += h
        if contact.mode == SLIP:
            if along(contact, contact.end_velocity, vector(contact.slide)) >= 0.0:
                contact.mode, contact.phase_time = STICK, share * law.restick_time
                if share == 0.0:
                    put_stretch(contact, 0.0, 0.0)
            continue
        foot = spatial(system.bodies[contact.link].jump)
        direction = force_direction(contact, foot) if share >= 1.0 else vector(contact.slide)
        if breaks_away(contact, foot, direction, law):
            share *= 1 - contact.idle
            contact.mode, contact.phase_time = SLIP, (1.0 - share) * law.breakaway_time
            put_vector(contact.slide, direction)
            contact.drag = sliding_force(contact, law)


@inlined
def show_slides(system):
    """Tell every open point the direction in which its foot slides, the mean of its sliding points'; 0: it sticks."""
    if count_acting(system.contacts) == len(system.contacts):
        return
    for body in system.bodies:
        put_spatial(body.jump, Spatial(ZERO, ZERO))
    for contact in system.contacts:
        if contact.mode == SLIP:
            increase_spatial(system.bodies[contact.link].jump, Spatial(ZERO, vector(contact.slide)))
    for contact in system.contacts:
        if contact.mode == OPEN:
            total = spatial(system.bodies[contact.link].jump).linear
            size = math.sqrt(vdot(total, total))
            put_vector(contact.slide, vscale(total, 1.0 / size) if size > 0.0 else ZERO)


@inlined
def carry(contact, h, law):
    """Let a touching point's stretch follow it, whether it sticks or slides."""
    carry_stretch(contact, h)


@inlined_always
def advance_distributed(system, h, law):
    """One step of length ``h``, s."""
    advance(system, h, law, False, land, press, revise, carry)
    change_phases(system, h, law)
    show_slides(system)


class Distributed(ForceModel):
    """Soles of testing points with nonlinear springs, macroscopic breakaway and blended stick and slide."""

    name: ClassVar[str] = "distributed"
    summary: ClassVar[str] = "soles of testing points, nonlinear springs, breakaway of whole feet (Bruneau)"
    Parameters: ClassVar[type[Parameters]] = DistributedParameters
    cannot_honour: ClassVar[Mapping[str, str]] = {"restitution": "the rebound follows from normal_damping and the mass"}
    contact_record: ClassVar[np.dtype] = TESTING_POINT
    entry = staticmethod(rollout_entry(advance_distributed))
