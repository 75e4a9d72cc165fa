"""Output steps of event-driven motion: smooth motion until something happens, which Python resolves."""

from ....dynamics.kinematics import copy
from ....jit import compiled_long, inlined
from ...bookkeeping import clear_report
from ...commands import take_command
from ...log import record
from ...records import CONTACTS, SLIP, STICK, WORK_TERMS
from ...system import SOLVER
from ..flow.event_driven import REACHED_END, START, fill_values, integrate_to_event, note_floors

FRESH = -3  # returned by `steps_entry` before the first step after a reset: contacts have to be found

# Places in the counters of a run: steps done; 1 after a reset.
STEP, RESET = range(2)


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


@inlined
def evaluate(system, motion):
    """Let bodies, contacts, forces, G and event functions be those of the state ``motion.y`` in the present modes."""
    integrate_to_event(system, motion, 0.0)
    fill_values(system, motion, motion.y, motion.values[START])
    note_floors(system, motion)


@compiled_long
def steps_entry(system, motion, commands, log, left, counters, h, steps, every, log_every, look):
    """Advance by output steps of ``h``, s, to the next event; return its code, FAILED, FRESH, or REACHED_END.

    ``left`` (1,) holds what is left of the step, s; 0: a new one begins. With ``look`` nothing moves: the present state
    is evaluated.
    """
    if look:
        evaluate(system, motion)
        return REACHED_END
    while counters[STEP] < steps:
        if left[0] <= 0.0:
            take_command(system, commands[min(counters[STEP] // every, len(commands) - 1)])
            begin_step(system, motion)
            left[0] = h
        if counters[RESET]:
            counters[RESET] = 0
            return FRESH
        code, passed = integrate_to_event(system, motion, left[0])
        left[0] -= passed
        if code != REACHED_END:
            return code
        finish_step(system, motion)
        left[0] = 0.0
        counters[STEP] += 1
        if len(log) > 0 and counters[STEP] % log_every == 0:
            record(system, h, log[counters[STEP] // log_every - 1])
    return REACHED_END
