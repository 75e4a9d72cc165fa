"""Output steps of event-driven motion: smooth motion until something happens, which Python resolves."""

from ..compilation import compiled_long, inlined
from ..dynamics.kinematics import copy
from .commands import record, take_command
from .event_driven import REACHED_END, integrate_to_event
from .records import CONTACTS, WORK_TERMS
from .time_stepping import SOLVER, clear_report

FRESH = -3  # returned by `steps_entry` before the first step after a reset: contacts have to be found

# Places in the counters of a run: steps done; 1 after a reset.
STEP, RESET = range(2)


@inlined
def begin_step(system, motion):
    """Take over the state for an output step, with nothing booked yet."""
    clear_report(system)
    copy(system.state, motion.y[: len(system.state)])
    for k in range(len(system.state), len(motion.y)):
        motion.y[k] = 0.0


@inlined
def end_step(system, motion):
    """Hand the state back, and what was booked."""
    n, w = len(system.state), len(WORK_TERMS)
    copy(motion.y[:n], system.state)
    for k in range(w):
        system.ledger[k] += motion.y[n + k]
    for k in range(len(system.contacts)):
        for m in range(3):
            system.contacts[k].impulse[m] = motion.y[n + w + 3 * k + m]
        system.ledger[SOLVER + CONTACTS] += system.contacts[k].closed


@compiled_long
def steps_entry(system, motion, commands, log, left, counters, h, steps, every, log_every, look):
    """Advance by output steps of ``h``, s, to the next event; return its code, FAILED, FRESH, or REACHED_END.

    ``left`` (1,) holds what is left of the step, s; 0: a new one begins. With ``look`` nothing moves: bodies, contacts,
    forces, G and event functions become those of the state ``motion.y`` in the present modes.
    """
    while counters[STEP] < steps:
        if left[0] <= 0.0 and not look:
            take_command(system, commands[min(counters[STEP] // every, len(commands) - 1)])
            begin_step(system, motion)
            left[0] = h
        if counters[RESET] and not look:
            counters[RESET] = 0
            return FRESH
        code, passed = integrate_to_event(system, motion, 0.0 if look else left[0])
        if look:
            return REACHED_END
        left[0] -= passed
        if code != REACHED_END:
            return code
        end_step(system, motion)
        left[0] = 0.0
        counters[STEP] += 1
        if len(log) > 0 and counters[STEP] % log_every == 0:
            record(system, log[counters[STEP] // log_every - 1])
    return REACHED_END
