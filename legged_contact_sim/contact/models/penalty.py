"""Penalty contact (Ayit, section 5.3): plain explicit springs and dampers, with an ad hoc spring for friction."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...jit import inlined
from ..parameters import Parameters, number
from ..records import SLIP, STICK
from ..stepping.anchors import carry_or_drag, middle_stretch, resize_tangential, tangential_size, touch_down
from ..stepping.force_stepping import ForceModel, advance
from ..stepping.rollout import rollout_entry


@dataclass(frozen=True)
class PenaltyParameters(Parameters):
    """Parameters of `penalty`.

    Friction and viscous friction are Ayit's (table 5.2). The thesis gives no gains: these sink his quadruped of
    96.8 kg 2 mm and are stable in its trot at his time step, 0.5 ms.
    """

    normal_stiffness: float = number(120000.0, 0.0, 1e12, "N/m", open_low=True)
    normal_damping: float = number(800.0, 0.0, 1e9, "N s/m")
    tangential_stiffness: float = number(60000.0, 0.0, 1e12, "N/m", open_low=True)
    tangential_damping: float = number(400.0, 0.0, 1e9, "N s/m")
    friction: float = number(0.3, 0.0, 100.0)
    viscous_friction: float = number(0.4, 0.0, 1e6, "N s/m")


@inlined
def press(contact, h, law, passes):
    """Set the force of a touching point at the middle of the step, from the velocity that the last step predicts.

    Once: further passes, for the joints' friction, know the end velocity, which an explicit force does not.
    """
    if passes > 0:
        return
    start, end, force = contact.start_velocity, contact.end_velocity, contact.force
    w0, w1, w2 = 0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1]), 0.5 * (start[2] + end[2])
    contact.resistance[0], contact.resistance[1] = 0.0, 0.0
    force[0] = max(0.0, -law.normal_stiffness * contact.gap - law.normal_damping * w0)
    first, second = middle_stretch(contact, h)
    force[1] = -law.tangential_stiffness * first - law.tangential_damping * w1
    force[2] = -law.tangential_stiffness * second - law.tangential_damping * w2
    size = tangential_size(contact)
    bound = law.friction * force[0] + law.viscous_friction * math.sqrt(w1 * w1 + w2 * w2) * (force[0] > 0.0)
    contact.mode = STICK
    if size > bound:
        resize_tangential(contact, size, bound)
        contact.mode = SLIP


@inlined
def leave(system, h, law):
    """Take the forces as they were set, whatever the end velocities: change nothing."""
    return False


@inlined
def advance_penalty(system, h, law):
    """One step of length ``h``, s."""
    advance(system, h, law, False, touch_down, press, leave, carry_or_drag)


class Penalty(ForceModel):
    """Explicit springs and dampers, stable only at small steps, with the energy errors of the method."""

    name: ClassVar[str] = "penalty"
    summary: ClassVar[str] = "plain explicit springs and dampers with a friction spring (Ayit's comparison)"
    Parameters: ClassVar[type[Parameters]] = PenaltyParameters
    cannot_honour: ClassVar[Mapping[str, str]] = {"restitution": "the rebound follows from normal_damping and the mass"}
    entry = staticmethod(rollout_entry(advance_penalty))
