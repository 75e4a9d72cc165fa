"""Gehring's Algorithm 1 line by line: explicit springs and dampers with a slip flag and an anchor that is reset.

Forces come from the middle pose and the velocities at the start of the step. While a point slips, its friction stays
what it was when the slip began (no line changes it) until the point nearly stops or the cone has room for it; then its
anchor is where it is, and it sticks from the next step on. `compliant` mends both, and is implicit.
"""

import math

from ...jit import inlined
from ..records import SLIP, STICK
from .anchors import carry_stretch, middle_stretch, tangential_size, touch_down
from .force_stepping import advance

NEARLY_ZERO = 1e-3  # m/s; the size of a slip velocity that the algorithm takes for zero


@inlined
def slip_speed(contact):
    """Return the tangential speed at the start of the step, m/s."""
    return math.sqrt(contact.start_velocity[1] ** 2 + contact.start_velocity[2] ** 2)


@inlined
def stretch_anchor(contact, h, law):
    """Let a point that sticks pull on its anchor, and slip where the cone is left (lines 7 to 10)."""
    start, force, bound = contact.start_velocity, contact.force, law.friction * contact.force[0]
    first, second = middle_stretch(contact, h)
    force[1] = -law.tangential_stiffness * first - law.tangential_damping * start[1]
    force[2] = -law.tangential_stiffness * second - law.tangential_damping * start[2]
    speed = slip_speed(contact)
    if tangential_size(contact) >= bound and speed > 0.0:
        force[1], force[2] = -bound * start[1] / speed, -bound * start[2] / speed
        contact.mode = SLIP


@inlined
def press_as_printed(contact, h, law, passes):
    """Set the force of a touching point; once, since an explicit force does not know the end velocity."""
    if passes > 0:
        return
    contact.resistance[0], contact.resistance[1] = 0.0, 0.0
    normal = -law.normal_stiffness * contact.gap - law.normal_damping * contact.start_velocity[0]
    contact.force[0] = max(0.0, normal)
    if contact.mode == STICK:
        stretch_anchor(contact, h, law)
    elif slip_speed(contact) < NEARLY_ZERO or tangential_size(contact) <= law.friction * contact.force[0]:
        touch_down(contact)  # line 4; the friction of this step is still that of the slip


@inlined
def leave(system, h, law):
    """Take the forces as they were set, whatever the end velocities: change nothing."""
    return False


@inlined
def carry_anchor(contact, h, law):
    """Let the stretch of a point that sticks follow it; one that slips has no anchor."""
    if contact.mode == STICK:
        carry_stretch(contact, h)


@inlined
def advance_as_printed(system, h, law):
    """One step of length ``h``, s."""
    advance(system, h, law, False, touch_down, press_as_printed, leave, carry_anchor)
