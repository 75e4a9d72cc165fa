"""Springs along the ground: a point that sticks stretches one from where it sticks; one that slips drags it along."""

import math

from ...dynamics.record_fields import put_vector, vector
from ...dynamics.spatial import vadd, vdot, vscale
from ...jit import inlined
from ..records import CONTACT, SLIP, STICK, extended

SPRING_CONTACT = extended(
    CONTACT,
    [
        ("stretch", "f8", 3),  # how far the point has gone from where it sticks, world axes, m
        ("resistance", "f8", 2),  # what the force adds to the body's inertia (normal, tangential), kg
    ],
)
FORCE_TOLERANCE = 1e-9  # relative error of a contact's force at which a step is settled


@inlined
def touch_down(contact):
    """Let a point stick where it is."""
    contact.mode = STICK
    contact.stretch[0], contact.stretch[1], contact.stretch[2] = 0.0, 0.0, 0.0


@inlined
def middle_stretch(contact, h):
    """Return how far a point that sticks has gone along the two tangents by the middle of the step, m.

    The stretch grows with the velocity of the touching material, so that a foot which rolls does not stretch it.
    """
    stretch, start = vector(contact.stretch), contact.start_velocity
    first = vdot(stretch, vector(contact.first_tangent)) + 0.5 * h * start[1]
    return first, vdot(stretch, vector(contact.second_tangent)) + 0.5 * h * start[2]


@inlined
def put_stretch(contact, first, second):
    """Store a stretch along the two tangents, m."""
    along = vscale(vector(contact.first_tangent), first)
    put_vector(contact.stretch, vadd(along, vscale(vector(contact.second_tangent), second)))


@inlined
def carry_stretch(contact, h):
    """Let the stretch of a point that sticks follow its mean velocity to the end of the step."""
    first, second = middle_stretch(contact, h)
    put_stretch(contact, first + 0.5 * h * contact.end_velocity[1], second + 0.5 * h * contact.end_velocity[2])


@inlined
def drag_stretch(contact, stiffness):
    """Move the point where a slipping contact sticks so that the spring alone, N/m, has the force of friction."""
    put_stretch(contact, -contact.force[1] / stiffness, -contact.force[2] / stiffness)


@inlined
def carry_or_drag(contact, h, law):
    """Let the stretch of a touching point follow it, or its friction where it slips."""
    if contact.mode == STICK:
        carry_stretch(contact, h)
    else:
        drag_stretch(contact, law.tangential_stiffness)


@inlined
def tangential_size(contact):
    """Return the size of the tangential force, N."""
    return math.sqrt(contact.force[1] * contact.force[1] + contact.force[2] * contact.force[2])


@inlined
def resize_tangential(contact, size, wanted):
    """Change the tangential force from one size to another, N."""
    factor = wanted / size if size > 0.0 else 0.0
    contact.force[1] *= factor
    contact.force[2] *= factor


@inlined
def hold_by_anchor(contact, h, law):
    """Set the tangential part of f_0 and of the resistance of a point that sticks; friction of a slip stays."""
    contact.resistance[1] = 0.0
    if contact.mode == STICK:
        start = contact.start_velocity
        first, second = middle_stretch(contact, h)
        contact.resistance[1] = h * (0.5 * law.tangential_damping + 0.25 * h * law.tangential_stiffness)
        contact.force[1] = -law.tangential_stiffness * first - law.tangential_damping * start[1]
        contact.force[2] = -law.tangential_stiffness * second - law.tangential_damping * start[2]


@inlined
def revise_friction(contact, h, law):
    """Let a point slip or stick (Gehring, Algorithm 1, lines 3, 8 and 9); return whether mode or friction changed.

    A point sticks while the force of its tangential spring and damper is inside the cone. Otherwise it slips, and its
    friction has the direction of that force and the size of the cone.
    """
    start, end, old_first, old_second = contact.start_velocity, contact.end_velocity, contact.force[1], contact.force[2]
    first, second = middle_stretch(contact, h)
    first += 0.25 * h * (end[1] - start[1])
    second += 0.25 * h * (end[2] - start[2])
    contact.force[1] = -law.tangential_stiffness * first - 0.5 * law.tangential_damping * (start[1] + end[1])
    contact.force[2] = -law.tangential_stiffness * second - 0.5 * law.tangential_damping * (start[2] + end[2])
    size, bound = tangential_size(contact), law.friction * max(0.0, contact.force[0])
    old_mode, contact.mode = contact.mode, STICK
    if size > bound:
        contact.mode = SLIP
        resize_tangential(contact, size, bound)
    change = abs(contact.force[1] - old_first) + abs(contact.force[2] - old_second)
    return contact.mode != old_mode or change > FORCE_TOLERANCE * size
