"""The event log: what happened, in rows of numbers, which Python turns into `Event` records."""

from typing import Any, NamedTuple

import numpy as np

from ....dynamics.functions import to_base_axes
from ....dynamics.kinematics import copy
from ....jit import inlined
from ....model import RobotModel
from ...bookkeeping import book_failure, world_impulse
from ...model import Event
from ...records import NOTED, OPEN, SLIP, STICK
from ..impact_rows import energy_now
from ..motion import CONTACT_COUNT, STOP_COUNT
from ..notes import KINDS, NOTES, REVERSAL, SEPARATION, SLIPPING, STICKING, UNRESOLVED
from .event_steps import visible_mode

# Columns of a row of the event log; then a flag per point, three impulses per point, N s, in world axes, q,
# velocities before and after, and impulses of joint limits, N m s (velocities and impulses in outer axes).
TIME, KIND, BEFORE, AFTER, NOTE, ATTENUATION = range(6)
EVENT_COLUMNS = 6
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
    velocities: Any  # before an event, (nv,)


def build_events(settings: np.ndarray, impact: Any, problem: Any, robot: RobotModel) -> Events:
    """Return what the loop works on, with room in the log for two steps full of events."""
    points = len(robot.contact_points)
    width = EVENT_COLUMNS + 4 * points + robot.nq + 3 * robot.nv
    return Events(
        settings=settings,
        impact=impact,
        problem=problem,
        log=np.zeros((2 * ROWS_PER_EVENT * (int(settings["max_events"][0]) + 2), width)),
        counters=np.zeros(2, dtype=np.int64),
        crowd=np.zeros(3, dtype=np.int64),
        modes=np.zeros(points, dtype=np.int64),
        velocities=np.zeros(robot.nv),
    )


def take_events(events: Events, robot: RobotModel) -> list[Event]:
    """Return the events of the log's rows, and empty it."""
    names, found = np.array(robot.contact_names, dtype=object), []
    m, nq, nv = len(names), robot.nq, robot.nv
    for row in events.log[: events.counters[LOGGED]]:
        parts = np.split(row, np.cumsum([EVENT_COLUMNS, m, 3 * m, nq, nv, nv]))
        flags, impulses, q = parts[1] > 0.0, parts[2].reshape(m, 3), parts[3].copy()
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
                q=q,
                v_before=to_base_axes(robot, q, parts[4]),
                v_after=to_base_axes(robot, q, parts[5]),
                limit_impulses=parts[6].copy(),
                attenuation=float(row[ATTENUATION]),
            )
        )
    events.counters[LOGGED] = 0
    return found


@inlined
def keep_velocities(system, motion, events):
    """Note the velocities before an event."""
    nq = len(system.state) - len(events.velocities)
    copy(motion.y[nq : nq + len(events.velocities)], events.velocities)


@inlined
def log_event(system, motion, events, time, kind, before, after, note):
    """Begin a row of the event log and return its index; no point is flagged yet (after `keep_velocities`)."""
    log, nv = events.log, len(events.velocities)
    nq, state = len(system.state) - nv, EVENT_COLUMNS + 4 * len(system.contacts)
    row = min(events.counters[LOGGED], len(log) - 1)
    events.counters[LOGGED] = row + 1
    for k in range(log.shape[1]):
        log[row, k] = 0.0
    log[row, TIME], log[row, KIND], log[row, BEFORE], log[row, AFTER], log[row, NOTE] = time, kind, before, after, note
    log[row, ATTENUATION] = 1.0
    copy(motion.y[:nq], log[row, state : state + nq])
    copy(events.velocities, log[row, state + nq : state + nq + nv])
    copy(motion.y[nq : nq + nv], log[row, state + nq + nv : state + nq + 2 * nv])
    return row


@inlined
def log_unresolved(system, motion, events, time, note):
    """Note and count what could not be resolved."""
    energy = energy_now(system, motion)
    keep_velocities(system, motion, events)
    log_event(system, motion, events, time, UNRESOLVED, energy, energy, note)
    book_failure(system.ledger, NOTED)


@inlined
def log_changes(system, motion, events, time, stopping):
    """Note which points began to stick, to slip or to separate since the modes were kept.

    The point ``stopping`` (-1: none) has come to rest: if it slips on, its slip has reversed.
    """
    keep_velocities(system, motion, events)
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
                    row = log_event(system, motion, events, time, kind, energy, energy, 0 if changed else REVERSAL)
                events.log[row, EVENT_COLUMNS + k] = 1.0


@inlined
def keep_modes(system, motion, modes):
    """Note the present modes."""
    for k in range(len(modes)):
        modes[k] = visible_mode(system.contacts[k], motion.points[k])


@inlined
def log_impulses(system, motion, log, row):
    """Enter the impulses of all points that were pushed, and of joint limits, in a row of the event log."""
    m, points = len(system.contacts), motion.counts[CONTACT_COUNT]
    limits = log.shape[1] - system.dofs.shape[1]
    for k in range(motion.counts[STOP_COUNT]):
        r = 3 * points + k
        j = system.links[system.limited[k]].velocity_index
        log[row, limits + j] = system.sides[r] * system.impulses[r]
    for k in range(motion.counts[CONTACT_COUNT]):
        index = system.active[k]
        push = world_impulse(system.contacts[index], system.impulses, 3 * k)
        if system.impulses[3 * k] != 0.0:
            log[row, EVENT_COLUMNS + index] = 1.0
            for c in range(3):
                log[row, EVENT_COLUMNS + m + 3 * index + c] = push[c]
