"""Hunt and Crossley's contact: a nonlinear spring whose damping grows with its force and gives a chosen restitution."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...jit import inlined
from ..parameters import Parameters, number
from ..records import OPEN, extended
from ..stepping.anchors import (
    FORCE_TOLERANCE,
    SPRING_CONTACT,
    carry_or_drag,
    hold_by_anchor,
    revise_friction,
    touch_down,
)
from ..stepping.force_stepping import ForceModel, advance, law_record
from ..stepping.rollout import rollout_entry

CONTACT_STATE = extended(SPRING_CONTACT, [("arrival_speed", "f8")])  # m/s, by which the damping is scaled
LEAST_RESTITUTION = 0.01  # less would need endless damping
NEARLY_EQUAL = 1e-3  # relative difference of two depths below which a difference quotient loses digits


@dataclass(frozen=True)
class HuntCrossleyParameters(Parameters):
    """Parameters of `hunt_crossley`; the stiffness sinks a quadruped of 96.8 kg 2.4 mm."""

    normal_stiffness: float = number(2e6, 0.0, 1e15, "N/m^normal_exponent", open_low=True)
    normal_exponent: float = number(1.5, 1.0, 5.0)
    restitution: float = number(0.3, 0.0, 1.0)
    slow_speed: float = number(0.1, 0.0, 1e3, "m/s", open_low=True)
    friction: float = number(0.8, 0.0, 100.0)
    tangential_stiffness: float = number(1e5, 0.0, 1e12, "N/m", open_low=True)
    tangential_damping: float = number(500.0, 0.0, 1e9, "N s/m")


def dissipation(restitution: float) -> float:
    """Return d, the damping factor times the arrival speed, that gives a restitution e.

    The force k x^n (1 + d x' / v) lets a mass leave with e v if (1 + d) / (1 - e d) = exp(d (1 + e)) (Gonthier 2004),
    whatever k, n and the mass. The root lies between 0 and 1 / e and is found by bisection.
    """
    e = max(restitution, LEAST_RESTITUTION)
    low, high = 0.0, 1.0 / e
    for _ in range(200 if e < 1.0 else 0):
        middle = 0.5 * (low + high)
        enough = e * middle >= 1.0 or math.log1p(middle) - math.log1p(-e * middle) > (1.0 + e) * middle
        low, high = (low, middle) if enough else (middle, high)
    return low


@inlined
def land(contact):
    """Let a point stick where it is, and note how fast it comes."""
    touch_down(contact)
    contact.arrival_speed = -contact.start_velocity[0]


@inlined
def elastic_force(contact, h, stiffness, n):
    """Return the spring's mean force over the step, N, for the last end velocity, and its slope by the end gap, N/m.

    It is what the energy k x^(n + 1) / (n + 1) loses on the way, over the way: no energy is lost or won.
    """
    start_gap = contact.gap - 0.5 * h * contact.start_velocity[0]
    end_gap = contact.gap + 0.5 * h * contact.end_velocity[0]
    before, after, way = max(0.0, -start_gap), max(0.0, -end_gap), end_gap - start_gap
    total = before + after
    if total == 0.0:
        return 0.0, 0.0
    if abs(after - before) < NEARLY_EQUAL * total:
        force = stiffness * (0.5 * total) ** n
        return force, -n * force / total
    force = stiffness * (before ** (n + 1.0) - after ** (n + 1.0)) / ((n + 1.0) * way)
    return force, (stiffness * after**n - force) / way


@inlined
def normal_force(contact, h, law):
    """Return the mean normal force over the step, N, and its derivative by the end velocity, N s/m."""
    elastic, slope = elastic_force(contact, h, law.normal_stiffness, law.normal_exponent)
    damping = law.dissipation / max(contact.arrival_speed, law.slow_speed)
    factor = 1.0 - 0.5 * damping * (contact.start_velocity[0] + contact.end_velocity[0])
    if factor <= 0.0:
        return 0.0, 0.0
    return elastic * factor, 0.5 * (h * slope * factor - damping * elastic)


@inlined
def press(contact, h, law, passes):
    """Set f_0 and the resistances of a touching point: Newton's method around the last end velocity."""
    force, slope = normal_force(contact, h, law)
    contact.force[0] = force - slope * (contact.end_velocity[0] - contact.start_velocity[0])
    contact.resistance[0] = -h * slope
    hold_by_anchor(contact, h, law)


@inlined
def revise(system, h, law):
    """Bring forces up to date with the solved end velocities; return whether anything changed."""
    changed = False
    for contact in system.contacts:
        if contact.mode != OPEN:
            force = normal_force(contact, h, law)[0]
            changed = abs(force - contact.force[0]) > FORCE_TOLERANCE * (force + abs(contact.force[0])) or changed
            if force == 0.0 and contact.gap > 0.0:
                contact.mode = OPEN
            else:
                changed = revise_friction(contact, h, law) or changed
    return changed


@inlined
def carry(contact, h, law):
    """Take the tangential spring to the end; a point that turns inward again without having left comes slowly."""
    if contact.start_velocity[0] >= 0.0 and contact.end_velocity[0] < 0.0:
        contact.arrival_speed = 0.0
    carry_or_drag(contact, h, law)


@inlined
def advance_hunt_crossley(system, h, law):
    """One step of length ``h``, s."""
    advance(system, h, law, True, land, press, revise, carry)


class HuntCrossley(ForceModel):
    """Nonlinear springs with damping for a chosen restitution, and Coulomb friction with stick anchors."""

    name: ClassVar[str] = "hunt_crossley"
    summary: ClassVar[str] = "nonlinear springs, damping for a chosen restitution, stick anchors (Hunt and Crossley)"
    Parameters: ClassVar[type[Parameters]] = HuntCrossleyParameters
    passive: ClassVar[bool] = True
    contact_record: ClassVar[np.dtype] = CONTACT_STATE
    entry = staticmethod(rollout_entry(advance_hunt_crossley))

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        self.settings = law_record(parameters, dissipation=dissipation(parameters.restitution))
