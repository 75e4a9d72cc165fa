"""The event log: what happened, in rows of numbers, which Python turns into `Event` records."""

from typing import Any, NamedTuple

import numpy as np

from ....jit import inlined
from ...bookkeeping import world_impulse
from ...model import Event
from ...records import OPEN, SLIP, STICK, UNCONVERGED
from ...system import SOLVER
from ..impact_rows import energy_now
from ..motion import CONTACT_COUNT
from ..notes import KINDS, NOTES, REVERSAL, SEPARATION, SLIPPING, STICKING, UNRESOLVED
from .event_steps import visible_mode

# Columns of a row of the event log; then a flag per point, then three impulses per point, N s, in world axes.
TIME, KIND, BEFORE, AFTER, NOTE = range(5)
EVENT_COLUMNS = 5
ROWS_PER_EVENT = 6  # an event may be noted as so many

# Places in the array of counters, and in the one of a step's events.
LOGGED, FRESH = range(2)
IN_STEP, AT_ONCE, FAILURES = range(3)


class Events(NamedTuple):
    """What the loop of events works on besides a `System` and a `Motion`; m contact points."""

    settings: Any  # EVENT_SETTINGS, or a record with more fields, (1,)
    impact: Any  # work of the impact law
    problem: Any  # of the forces of touching points, a `stick_slip.Problem`
    log: Any  # rows of the event log
    counters: Any  # (2,): rows that are filled; 1 after the state was set from outside
    crowd: Any  # (3,): events in this step, events at this instant, steps of the integrator that vanished
    modes: Any  # of the contacts before an event, (m,)


def build_events(settings: np.ndarray, impact: Any, problem: Any, points: int) -> Events:
    """Return what the loop works on, with room in the log for two steps full of events."""
    return Events(
        settings=settings,
        impact=impact,
        problem=problem,
        log=np.zeros((2 * rows_per_step(settings), EVENT_COLUMNS + 4 * points)),
        counters=np.zeros(2, dtype=np.int64),
        crowd=np.zeros(3, dtype=np.int64),
        modes=np.zeros(points, dtype=np.int64),
    )


def rows_per_step(settings: np.ndarray) -> int:
    """Return how many rows of the log a step may fill."""
    return ROWS_PER_EVENT * (int(settings["max_events"][0]) + 2)


def take_events(events: Events, contact_names: tuple[str, ...]) -> list[Event]:
    """Return the events of the log's rows, and empty it."""
    names, found = np.array(contact_names, dtype=object), []
    for row in events.log[: events.counters[LOGGED]]:
        flags = row[EVENT_COLUMNS : EVENT_COLUMNS + len(names)] > 0.0
        impulses = row[EVENT_COLUMNS + len(names) :].reshape(len(names), 3)
        notes = [text for bit, text in NOTES.items() if int(row[NOTE]) & bit]
        found.append(
            Event(
                time=float(row[TIME]),
                kind=KINDS[int(row[KIND])],
                points=tuple(names[flags]),
                impulses=impulses[flags].copy(),
                energy_before=float(row[BEFORE]),
                energy_after=float(row[AFTER]),
                note="; ".join(notes),
            )
        )
    events.counters[LOGGED] = 0
    return found


@inlined
def log_event(events, time, kind, before, after, note):
    """Begin a row of the event log and return its index; none of its points is flagged yet."""
    log = events.log
    row = min(events.counters[LOGGED], len(log) - 1)
    events.counters[LOGGED] = row + 1
    for k in range(log.shape[1]):
        log[row, k] = 0.0
    log[row, TIME], log[row, KIND], log[row, BEFORE], log[row, AFTER], log[row, NOTE] = time, kind, before, after, note
    return row


@inlined
def log_unresolved(system, motion, events, time, note):
    """Note and count what could not be resolved."""
    energy = energy_now(system, motion)
    log_event(events, time, UNRESOLVED, energy, energy, note)
    system.ledger[SOLVER + UNCONVERGED] += 1.0


@inlined
def log_changes(system, motion, events, time, stopping):
    """Note which points began to stick, to slip or to separate since the modes were kept.

    The point ``stopping`` (-1: none) has come to rest: if it slips on, its slip has reversed.
    """
    for kind in (SEPARATION, STICKING, SLIPPING):
        row = -1
        for k in range(len(events.modes)):
            before, now = events.modes[k], visible_mode(system.contacts[k], motion.points[k])
            changed = before != now
            if kind == SEPARATION:
                hit = changed and now == OPEN
            elif kind == STICKING:
                hit = changed and now == STICK
            else:
                hit = (changed or k == stopping) and now == SLIP
            if hit:
                if row < 0:
                    energy = energy_now(system, motion)
                    row = log_event(events, time, kind, energy, energy, 0 if changed else REVERSAL)
                events.log[row, EVENT_COLUMNS + k] = 1.0


@inlined
def keep_modes(system, motion, modes):
    """Note the present modes."""
    for k in range(len(modes)):
        modes[k] = visible_mode(system.contacts[k], motion.points[k])


@inlined
def log_impulses(system, motion, log, row):
    """Enter the impulses of all points that were pushed in a row of the event log."""
    m = len(system.contacts)
    for k in range(motion.counts[CONTACT_COUNT]):
        index = system.active[k]
        push = world_impulse(system.contacts[index], system.impulses, 3 * k)
        if system.impulses[3 * k] > 0.0:
            log[row, EVENT_COLUMNS + index] = 1.0
            for c in range(3):
                log[row, EVENT_COLUMNS + m + 3 * index + c] = push[c]
