"""The loop of an event-driven output step: smooth motion to the next event, an impact or new modes, and on.

It serves all event-driven models: which impact law acts, and how contact forces are found between events, is given as
`Laws`.
"""

from ....jit import inlined
from ...bookkeeping import book_failure
from ...records import ENERGY_LIMITED, IMPACTS, ITERATIONS, NOTED, OPEN, SLIP
from ...system import SOLVER
from ..flow.event_driven import FAILED, REACHED_END, START, fill_values, integrate_to_event, is_gap
from ..impact.impulse_law import stop_slip
from ..impact_rows import energy_now
from ..motion import CONTACT_COUNT, DAMPED, FIRST_TRIAL, TRIAL
from ..notes import (
    ATTENUATED,
    CALMED,
    CHATTERING,
    CONTACT,
    ENDLESS,
    IMPACT,
    JAMMED,
    LEFT_OUT,
    LIMIT,
    LOWERED,
    NO_MODES,
    NO_REBOUND,
    NOT_DRY,
    STUCK,
    WITHOUT_FRICTION,
)
from ..tolerances import INSTANT, MOST_AT_ONCE, SMALLEST_STEP, SOFTEST, TOUCHING
from .contact_modes import choose_modes, kind_of_change, redistributes
from .event_log import (
    AT_ONCE,
    ATTENUATION,
    FAILURES,
    FRESH,
    IN_STEP,
    keep_modes,
    keep_velocities,
    log_changes,
    log_event,
    log_impulses,
    log_unresolved,
)
from .event_steps import begin_step, finish_step

NO_CODE = -3  # of an event that no event function finds
JOINT_PATIENCE = 12  # events of dry joints in one step, more of which mean that no distribution of friction fits
MOST_JAMS = 4  # impacts by friction at one event


@inlined
def strike(system, motion, events, laws, time, bounce):
    """Resolve an impact of all that touches and note it; ``bounce``: whether restitution acts."""
    ledger, settings = system.ledger, events.settings[0]
    keep_velocities(system, motion, events)
    struck = laws.strike(system, motion, events.impact, settings, bounce)
    lively = struck.approach > settings.impact_threshold
    note = struck.note if bounce else struck.note | CALMED
    if note & (ATTENUATED | LOWERED):
        ledger[SOLVER + ENERGY_LIMITED] += 1.0
    if note & (WITHOUT_FRICTION | ENDLESS):
        book_failure(ledger, NOTED)
    if settings.restitution > 0.0 and not (lively and bounce):
        note |= NO_REBOUND
    if lively:
        ledger[SOLVER + IMPACTS] += 1.0
    kind = LIMIT if motion.counts[CONTACT_COUNT] == 0 else (IMPACT if lively else CONTACT)
    row = log_event(system, motion, events, time, kind, struck.before, struck.after, note)
    events.log[row, ATTENUATION] = struck.attenuation
    log_impulses(system, motion, events.log, row)


@inlined
def is_arrival(system, motion, code):
    """Return whether an event is an arrival, of a point at the ground or of a joint at a limit."""
    if code < 2 * len(system.contacts):
        return is_gap(system, code)
    return code % 2 == 0 and motion.stops[(code - 2 * len(system.contacts)) // 2] == 0.0


@inlined
def comes_on(system, motion, code):
    """Return whether what arrives does so fast enough to strike; slower than rounding it only touches."""
    if code < 2 * len(system.contacts):
        return system.contacts[code // 2].end_velocity[0] < -SOFTEST
    nq = len(system.state) - system.dofs.shape[1]
    link = system.links[(code - 2 * len(system.contacts)) // 2]
    return abs(motion.y[nq + link.velocity_index]) > SOFTEST


@inlined
def slips(system, code):
    """Return the point whose slip speed is the event function ``code``; -1: none."""
    if 0 <= code < 2 * len(system.contacts) and code % 2 == 1 and system.contacts[code // 2].mode == SLIP:
        return code // 2
    return -1


@inlined
def leave_friction_out(system, motion, events, time, note):
    """Let the ground be smooth until the end of the step, and say so: then there always are forces that fit."""
    motion.flow[0].static_friction, motion.flow[0].dynamic_friction = 0.0, 0.0
    motion.step[TRIAL] = FIRST_TRIAL
    log_unresolved(system, motion, events, time, note)


@inlined
def settle(system, motion, events, laws, time, code):
    """Find modes that fit; where there are none, stop the slip that jams and try again, at last without friction."""
    needs_loads = events.settings[0].loads_first > 0 and redistributes(kind_of_change(system, motion, code))
    thoroughly = code == FAILED or needs_loads
    for attempt in range(MOST_JAMS + 2):
        sure = code if attempt == 0 else NO_CODE
        if choose_modes(system, motion, events, laws.find_forces, time, sure, thoroughly or attempt > 0):
            break
        jammed = False
        if attempt < MOST_JAMS and motion.flow[0].dynamic_friction > 0.0:
            keep_velocities(system, motion, events)
            jammed, before, after = stop_slip(system, motion, events.problem, events.settings[0])
            if jammed:
                row = log_event(system, motion, events, time, CONTACT, before, after, JAMMED)
                log_impulses(system, motion, events.log, row)
        if not jammed and motion.flow[0].static_friction > 0.0:
            leave_friction_out(system, motion, events, time, NO_MODES)


@inlined
def begin_fresh(system, motion, counters):
    """Forget contacts and modes of a state that was set from outside; return whether a point that touches comes on."""
    for contact in system.contacts:
        contact.closed, contact.mode = 0, OPEN
    for i in range(len(motion.stops)):
        motion.stops[i], system.slides[i] = 0.0, 0.0
    energy_now(system, motion)
    fill_values(system, motion, motion.y, motion.values[START])
    strikes = False
    for contact in system.contacts:
        strikes = strikes or (contact.end_velocity[0] < -SOFTEST and contact.gap <= TOUCHING)
    counters[FRESH] = 0
    return strikes


@inlined
def give_back_friction(motion, settings, counters):
    """Let friction act again where a fallback has taken it until the end of the last step."""
    flow = motion.flow[0]
    if flow.static_friction != settings.friction or flow.dynamic_friction != settings.dynamic_friction:
        flow.static_friction, flow.dynamic_friction = settings.friction, settings.dynamic_friction
        counters[FRESH] = 1


@inlined
def bound_events(system, motion, events, time):
    """Leave friction out where there are too many events; return whether even that was of no use before."""
    crowd = events.crowd
    vanished = crowd[FAILURES] > MOST_JAMS
    if crowd[IN_STEP] <= events.settings[0].max_events and crowd[AT_ONCE] <= MOST_AT_ONCE and not vanished:
        return False
    if motion.flow[0].static_friction <= 0.0:
        log_unresolved(system, motion, events, time, LEFT_OUT)
        events.counters[FRESH] = 1
        return True
    leave_friction_out(system, motion, events, time, STUCK if vanished else CHATTERING)
    for k in range(len(crowd)):
        crowd[k] = 0
    return False


@inlined
def next_event(system, motion, events, laws, left):
    """Go on to the next event, at most ``left``, s; return its code, the time that passed, s, and if a point comes on.

    A state that was set from outside is an event of its own, without a code.
    """
    if events.counters[FRESH]:
        return NO_CODE, 0.0, begin_fresh(system, motion, events.counters)
    code, elapsed = integrate_to_event(system, motion, laws.find_forces, left)
    crowd = events.crowd
    crowd[IN_STEP] += 1
    crowd[AT_ONCE] = crowd[AT_ONCE] + 1 if elapsed < INSTANT else 0
    crowd[FAILURES] += 1 if code == FAILED else 0
    return code, elapsed, code >= 0 and is_arrival(system, motion, code) and comes_on(system, motion, code)


@inlined
def advance(system, motion, events, laws, h, time):
    """One output step of length ``h``, s, from ``time`` on, with the events inside it."""
    settings = events.settings[0]
    begin_step(system, motion)
    give_back_friction(motion, settings, events.counters)
    for k in range(len(events.crowd)):
        events.crowd[k] = 0
    left, number, dry = h, 0, 0
    while left > SMALLEST_STEP:
        fresh = events.counters[FRESH] > 0
        keep_modes(system, motion, events.modes)
        code, elapsed, strikes = next_event(system, motion, events, laws, left)
        left -= elapsed
        if code == REACHED_END:
            break
        number += 0 if fresh else 1
        now, bounce, stopping = time + (h - left), 2 * number <= settings.max_events, slips(system, code)
        if bound_events(system, motion, events, now):
            break
        if code >= 2 * len(system.contacts) and code % 2 == 1:
            dry += 1
            if dry > JOINT_PATIENCE:
                log_unresolved(system, motion, events, now, NOT_DRY)
                motion.step[DAMPED], code = 1.0, NO_CODE
        if strikes:
            strike(system, motion, events, laws, now, bounce)
        if code >= 0 and is_arrival(system, motion, code):
            code = NO_CODE
        settle(system, motion, events, laws, now, code)
        if not fresh:
            log_changes(system, motion, events, now, stopping)
    finish_step(system, motion)
    system.ledger[SOLVER + ITERATIONS] = number
