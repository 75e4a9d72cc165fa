"""A spring that keeps a dent: a share of the greatest depth."""

from dataclasses import dataclass

from legged_contact_sim.contact.parameters import Parameters, number
from legged_contact_sim.contact.records import OPEN, extended
from legged_contact_sim.contact.stepping.anchors import (
    SPRING_CONTACT,
    carry_or_drag,
    hold_by_anchor,
    revise_friction,
    touch_down,
)
from legged_contact_sim.contact.stepping.force_stepping import ForceModel, advance
from legged_contact_sim.contact.stepping.rollout import rollout_entry
from legged_contact_sim.jit import inlined


@dataclass(frozen=True)
class MyParameters(Parameters):
    """Parameters of `my_ground`."""

    stiffness: float = number(1e5, 0.0, 1e9, "N/m", open_low=True)
    dent: float = number(0.5, 0.0, 0.99)
    damping: float = number(200.0, 0.0, 1e6, "N s/m")
    friction: float = number(0.7, 0.0, 10.0)
    tangential_stiffness: float = number(5e4, 0.0, 1e9, "N/m", open_low=True)
    tangential_damping: float = number(200.0, 0.0, 1e6, "N s/m")


@inlined
def land(contact):
    """Begin without a dent."""
    touch_down(contact)
    contact.deepest = 0.0


@inlined
def press(contact, h, law, passes):
    """Set the normal force at the middle of the step, linear in the end velocity, and hold the point."""
    depth = -contact.gap - law.dent * max(contact.deepest, -contact.gap)
    contact.force[0], contact.resistance[0] = 0.0, 0.0
    if depth > 0.0:
        contact.resistance[0] = h * (0.5 * law.damping + 0.25 * h * law.stiffness)
        contact.force[0] = law.stiffness * depth - law.damping * contact.start_velocity[0]
    hold_by_anchor(contact, h, law)


@inlined
def revise(system, h, law):
    """Bring friction up to date; a point that would pull lets go."""
    changed = False
    for contact in system.contacts:
        if contact.mode != OPEN:
            changed = revise_friction(contact, h, law) or changed
            if contact.force[0] < 0.0:
                contact.mode, changed = OPEN, True
    return changed


@inlined
def carry(contact, h, law):
    """Deepen the dent, and take the tangential spring to the end."""
    contact.deepest = max(contact.deepest, -contact.gap)
    carry_or_drag(contact, h, law)


@inlined
def advance_my_ground(system, h, law):
    """One step of length ``h``, s."""
    advance(system, h, law, False, land, press, revise, carry)


class MyGround(ForceModel):
    """A spring that keeps a dent."""

    name = "my_ground"
    summary = "a spring that keeps a dent (somebody else's package)"
    Parameters = MyParameters
    cannot_honour = {"restitution": "the dent decides"}  # noqa: RUF012
    contact_record = extended(SPRING_CONTACT, [("deepest", "f8")])  # m
    entry = staticmethod(rollout_entry(advance_my_ground))
