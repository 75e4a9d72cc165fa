"""Compliant contact (Gehring, Algorithm 1): spring and damper along the normal, and from where the foot sticks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...jit import inlined
from ..parameters import Parameters, choice, number
from ..records import OPEN
from ..stepping.anchors import FORCE_TOLERANCE, carry_or_drag, hold_by_anchor, revise_friction, touch_down
from ..stepping.force_stepping import ForceModel, advance
from ..stepping.printed_compliance import advance_as_printed
from ..stepping.rollout import rollout_entry

SCHEMES = ("implicit", "printed")  # ours, and Algorithm 1 line by line


@dataclass(frozen=True)
class CompliantParameters(Parameters):
    """Parameters of `compliant`; the defaults are Gehring's."""

    normal_stiffness: float = number(30000.0, 0.0, 1e12, "N/m", open_low=True)
    normal_damping: float = number(50.0, 0.0, 1e9, "N s/m")
    tangential_stiffness: float = number(30000.0, 0.0, 1e12, "N/m", open_low=True)
    tangential_damping: float = number(50.0, 0.0, 1e9, "N s/m")
    friction: float = number(0.8, 0.0, 100.0)
    scheme: str = choice("implicit", SCHEMES)


@inlined
def elastic_force(contact, h, stiffness):
    """Return the spring's mean force over the step, N, for the end velocity of the last pass, and its slope, N/m.

    The force is what the spring's energy U loses on the way from the gap g_0 at the start to g_1 at the end,
    ``-(U(g_1) - U(g_0)) / (g_1 - g_0)``: a point that arrives or leaves in the step takes exactly U with it. Inside
    the ground this is the force at the mean gap. The slope is the derivative with respect to g_1.
    """
    start_gap = contact.gap - 0.5 * h * contact.start_velocity[0]
    end_gap = contact.gap + 0.5 * h * contact.end_velocity[0]
    if start_gap <= 0.0 and end_gap <= 0.0:
        return -0.5 * stiffness * (start_gap + end_gap), -0.5 * stiffness
    if start_gap >= 0.0 and end_gap >= 0.0:
        return 0.0, 0.0
    before, after, way = min(start_gap, 0.0), min(end_gap, 0.0), end_gap - start_gap
    force = -0.5 * stiffness * (after * after - before * before) / way
    return force, -(stiffness * after + force) / way


@inlined
def touching_share(contact, h):
    """Return the part of the step, 0 to 1, in which a point touches if it keeps its velocity."""
    speed = contact.start_velocity[0]
    gap = contact.gap - 0.5 * h * speed
    if gap > 0.0:
        return max(0.0, 1.0 + gap / (h * speed)) if speed < 0.0 else 0.0
    return min(1.0, -gap / (h * speed)) if speed > 0.0 else 1.0


@inlined
def press(contact, h, law, passes):
    """Set f_0 and the resistances of a touching point (Algorithm 1, lines 1 and 7); friction of a slip stays.

    The spring's force is linear in the end velocity around that of the last pass: Newton's method, pass by pass.
    """
    start, end, damping = contact.start_velocity, contact.end_velocity, law.normal_damping * touching_share(contact, h)
    elastic, slope = elastic_force(contact, h, law.normal_stiffness)
    contact.resistance[0] = 0.5 * h * (damping - h * slope)
    contact.force[0] = elastic - 0.5 * h * slope * (end[0] - start[0]) - damping * start[0]
    hold_by_anchor(contact, h, law)


@inlined
def revise_spring(contact, h, law):
    """Return whether the spring's force, linear in the solved end velocity, differs from what belongs to it."""
    mean = 0.5 * (contact.start_velocity[0] + contact.end_velocity[0])
    damping = law.normal_damping * touching_share(contact, h)
    elastic = elastic_force(contact, h, law.normal_stiffness)[0]
    return abs(elastic - damping * mean - contact.force[0]) > FORCE_TOLERANCE * (elastic + abs(damping * mean))


@inlined
def revise_touch(contact, h):
    """Open a point that would pull (Algorithm 1, line 1), close one that dives; return whether anything changed."""
    if contact.mode != OPEN:
        if contact.force[0] <= 0.0:
            contact.mode = OPEN
            return True
        return False
    sinks = contact.start_velocity[0] + contact.end_velocity[0] < 0.0
    if sinks and contact.gap + 0.5 * h * contact.end_velocity[0] < 0.0:
        touch_down(contact)
        return True
    return False


@inlined
def revise(system, h, law):
    """Bring forces up to date with the solved end velocities; return whether anything changed.

    Which points touch is asked only once springs and friction are right: a foot that sticks in vain may lift another.
    """
    changed = False
    for contact in system.contacts:
        if contact.mode != OPEN:
            changed = revise_spring(contact, h, law) or changed
            changed = revise_friction(contact, h, law) or changed
    if not changed:
        for contact in system.contacts:
            changed = revise_touch(contact, h) or changed
    return changed


@inlined
def advance_compliant(system, h, law):
    """One step of length ``h``, s."""
    advance(system, h, law, True, touch_down, press, revise, carry_or_drag)


run_entry = rollout_entry(advance_compliant)
run_printed_entry = rollout_entry(advance_as_printed)


class Compliant(ForceModel):
    """Springs and dampers in the ground with Coulomb friction, stable at any stiffness."""

    name: ClassVar[str] = "compliant"
    summary: ClassVar[str] = "springs and dampers with stick anchors and exact friction disc (Gehring, Algorithm 1)"
    Parameters: ClassVar[type[Parameters]] = CompliantParameters
    passive: ClassVar[bool] = True
    cannot_honour: ClassVar[Mapping[str, str]] = {"restitution": "the rebound follows from normal_damping and the mass"}

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        self.entry: Callable[..., int] = run_printed_entry if parameters.scheme == "printed" else run_entry
