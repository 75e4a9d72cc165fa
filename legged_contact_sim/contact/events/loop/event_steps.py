"""Begin and end of an output step of event-driven motion."""

from ....dynamics.kinematics import copy
from ....jit import inlined
from ...bookkeeping import clear_report
from ...records import CONTACTS, SLIP, STICK, WORK_TERMS
from ...system import SOLVER


@inlined
def visible_mode(contact, point):
    """Return the mode that is reported: a point that slips by its force only, held by others, sticks."""
    return STICK if contact.mode == SLIP and point.idle else contact.mode


@inlined
def begin_step(system, motion):
    """Take over the state and forget the last step's work and impulses."""
    clear_report(system)
    copy(system.state, motion.y[: len(system.state)])
    for k in range(len(system.state), len(motion.y)):
        motion.y[k] = 0.0
    for k in range(len(system.contacts)):
        if motion.points[k].idle and system.contacts[k].closed:
            system.contacts[k].mode = SLIP


@inlined
def finish_step(system, motion):
    """Hand over state, work and impulses of the step."""
    n, terms = len(system.state), len(WORK_TERMS)
    copy(motion.y[:n], system.state)
    for k in range(terms):
        system.ledger[k] += motion.y[n + k]
    for k in range(len(system.contacts)):
        contact = system.contacts[k]
        contact.mode = visible_mode(contact, motion.points[k])
        for m in range(3):
            contact.impulse[m] = motion.y[n + terms + 3 * k + m]
        system.ledger[SOLVER + CONTACTS] += contact.closed
