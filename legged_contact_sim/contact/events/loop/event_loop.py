"""The loop of an event-driven output step: smooth motion to the next event, an impact or new modes, and on.

What happened is noted in rows of numbers, which Python turns into `Event` records.
"""

from ....jit import inlined
from ...bookkeeping import world_impulse
from ...records import ENERGY_LIMITED, IMPACTS, ITERATIONS, OPEN, SLIP, STICK, UNCONVERGED
from ...system import SOLVER
from ..flow.event_driven import FAILED, REACHED_END, SMALLEST_STEP, START, fill_values, integrate_to_event, is_gap
from ..impact.friction_impact import stop_slip
from ..impact.impact_law import FRICTIONLESS, resolve_impact
from ..impact_rows import TOUCH_GAP, total_energy
from ..motion import CONTACT_COUNT, DAMPED, FIRST_TRIAL, TRIAL
from .contact_modes import choose_modes
from .event_steps import begin_step, finish_step, visible_mode

# Kinds of event.
IMPACT, CONTACT, SEPARATION, STICKING, SLIPPING, LIMIT, UNRESOLVED = range(7)
KINDS = ("impact", "contact", "separation", "stick", "slip", "limit", "unresolved")

# Notes, added up.
ATTENUATED, NO_REBOUND, WITHOUT_FRICTION, REVERSAL, JAMMED, NO_MODES, CHATTERING, CALMED, STUCK = (
    1 << k for k in range(9)
)
LEFT_OUT, UNBOUNDED, NOT_DRY = 1 << 9, 1 << 10, 1 << 11
NOTES = {
    ATTENUATED: "rates attenuated to the energetic restitution",
    NO_REBOUND: "slower than the impact threshold: no rebound",
    WITHOUT_FRICTION: "no impulses within friction: resolved without friction",
    REVERSAL: "slip reversal",
    JAMMED: "the slip jammed (Painleve) and was stopped by impulses",
    NO_MODES: "no forces fit contact and friction: no friction until the end of the step",
    CALMED: "too many events in a step: no rebound until its end",
    CHATTERING: "too many events in a step: no friction until its end",
    STUCK: "the integrator's step vanished: no friction until the end of the step",
    LEFT_OUT: "not resolved without friction either: the rest of the step is left out",
    UNBOUNDED: "the energy constraint could not be met",
    NOT_DRY: "dry joint friction goes in circles: from here on it is damping near rest",
}

# Columns of a row of the event log; then a flag per point, then three impulses per point, N s, in world axes.
TIME, KIND, BEFORE, AFTER, NOTE = range(5)
EVENT_COLUMNS = 5

# Places in the array of counters, and in the one of a step's events.
EVENTS, FRESH = range(2)
IN_STEP, AT_ONCE, FAILURES = range(3)
NO_CODE = -3  # of an event that no event function tells
JOINT_PATIENCE = 12  # events of dry joints in one step, more of which mean that no distribution of friction fits
ROWS_PER_EVENT = 6  # an event may be noted as so many
SOFTEST = 1e-9  # m/s or rad/s; what arrives slower does not strike
INSTANT = 1e-11  # s; events closer together than this happen at one instant,
MOST_AT_ONCE = 20  # and no more than these are resolved there
MOST_JAMS = 4  # impacts by friction at one event


@inlined
def log_event(log, counters, time, kind, before, after, note):
    """Begin a row of the event log and return its index; none of its points is flagged yet."""
    row = min(counters[EVENTS], len(log) - 1)
    counters[EVENTS] = row + 1
    for k in range(log.shape[1]):
        log[row, k] = 0.0
    log[row, TIME], log[row, KIND], log[row, BEFORE], log[row, AFTER], log[row, NOTE] = time, kind, before, after, note
    return row


@inlined
def energy_now(system, motion):
    """Return the energy of the present state, J; leaves the bodies placed."""
    nv = system.rates.shape[1]
    nq = len(system.state) - nv
    return total_energy(system, motion.y[:nq], motion.y[nq : nq + nv])[1]


@inlined
def log_unresolved(system, motion, log, counters, time, note):
    """Note and count what could not be resolved."""
    energy = energy_now(system, motion)
    log_event(log, counters, time, UNRESOLVED, energy, energy, note)
    system.ledger[SOLVER + UNCONVERGED] += 1.0


@inlined
def log_changes(system, motion, modes, log, counters, time, stopping):
    """Note which points began to stick, to slip or to separate since ``modes`` (m,) was filled.

    The point ``stopping`` (-1: none) has come to rest: if it slips on, its slip has reversed.
    """
    for kind in (SEPARATION, STICKING, SLIPPING):
        row = -1
        for k in range(len(modes)):
            before, now = modes[k], visible_mode(system.contacts[k], motion.points[k])
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
                    row = log_event(log, counters, time, kind, energy, energy, 0 if changed else REVERSAL)
                log[row, EVENT_COLUMNS + k] = 1.0


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


@inlined
def strike(system, motion, impact, settings, log, counters, time, bounce, note):
    """Resolve an impact of all that touches and note it."""
    ledger = system.ledger
    approach, found, factor, bounded, before, after = resolve_impact(system, motion, impact, settings, bounce)
    lively = approach > settings.impact_threshold
    if factor < 1.0:
        note += ATTENUATED
        ledger[SOLVER + ENERGY_LIMITED] += 1.0
    if found == FRICTIONLESS:
        note += WITHOUT_FRICTION
        ledger[SOLVER + UNCONVERGED] += 1.0
    if not bounded:
        note += UNBOUNDED
    if settings.restitution > 0.0 and not (lively and bounce):
        note += NO_REBOUND
    if lively:
        ledger[SOLVER + IMPACTS] += 1.0
    kind = LIMIT if motion.counts[CONTACT_COUNT] == 0 else (IMPACT if lively else CONTACT)
    log_impulses(system, motion, log, log_event(log, counters, time, kind, before, after, note))


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
    nq = len(system.state) - system.rates.shape[1]
    link = system.links[(code - 2 * len(system.contacts)) // 2]
    return abs(motion.y[nq + link.velocity_index]) > SOFTEST


@inlined
def slips(system, code):
    """Return the point whose slip speed is the event function ``code``; -1: none."""
    if 0 <= code < 2 * len(system.contacts) and code % 2 == 1 and system.contacts[code // 2].mode == SLIP:
        return code // 2
    return -1


@inlined
def leave_friction_out(system, motion, log, counters, time, note):
    """Let the ground be smooth until the end of the step, and say so: then there always are forces that fit."""
    motion.flow[0].static_friction, motion.flow[0].dynamic_friction = 0.0, 0.0
    motion.step[TRIAL] = FIRST_TRIAL
    log_unresolved(system, motion, log, counters, time, note)


@inlined
def settle(system, motion, problem, settings, log, counters, time, code):
    """Find modes that fit; where there are none, stop the slip that jams and look again, at last without friction."""
    for attempt in range(MOST_JAMS + 2):
        if choose_modes(system, motion, problem, code if attempt == 0 else NO_CODE, code == FAILED or attempt > 0):
            break
        jammed = False
        if attempt < MOST_JAMS and motion.flow[0].dynamic_friction > 0.0:
            jammed, before, after = stop_slip(system, motion, problem, settings)
            if jammed:
                log_impulses(system, motion, log, log_event(log, counters, time, CONTACT, before, after, JAMMED))
        if not jammed and motion.flow[0].static_friction > 0.0:
            leave_friction_out(system, motion, log, counters, time, NO_MODES)


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
        strikes = strikes or (contact.end_velocity[0] < -SOFTEST and contact.gap <= TOUCH_GAP)
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
def bound_events(system, motion, settings, log, counters, time, crowd):
    """Leave friction out where there are too many events; return whether even that was of no use before.

    ``crowd`` (3,) counts events in this step, events at this instant, and steps of the integrator that vanished.
    """
    vanished = crowd[FAILURES] > MOST_JAMS
    if crowd[IN_STEP] <= settings.max_events and crowd[AT_ONCE] <= MOST_AT_ONCE and not vanished:
        return False
    if motion.flow[0].static_friction <= 0.0:
        log_unresolved(system, motion, log, counters, time, LEFT_OUT)
        counters[FRESH] = 1
        return True
    leave_friction_out(system, motion, log, counters, time, STUCK if vanished else CHATTERING)
    for k in range(len(crowd)):
        crowd[k] = 0
    return False


@inlined
def next_event(system, motion, counters, left, crowd):
    """Go on to the next event, at most ``left``, s; return its code, the time that passed, s, and if a point comes on.

    A state that was set from outside is an event of its own, without a code.
    """
    if counters[FRESH]:
        return NO_CODE, 0.0, begin_fresh(system, motion, counters)
    code, elapsed = integrate_to_event(system, motion, left)
    crowd[IN_STEP] += 1
    crowd[AT_ONCE] = crowd[AT_ONCE] + 1 if elapsed < INSTANT else 0
    crowd[FAILURES] += 1 if code == FAILED else 0
    return code, elapsed, code >= 0 and is_arrival(system, motion, code) and comes_on(system, motion, code)


@inlined
def advance(system, motion, impact, problem, settings, h, time, log, counters, crowd, modes):
    """One output step of length ``h``, s, from ``time`` on, with the events inside it."""
    begin_step(system, motion)
    give_back_friction(motion, settings, counters)
    for k in range(len(crowd)):
        crowd[k] = 0
    left, events, dry = h, 0, 0
    while left > SMALLEST_STEP:
        fresh = counters[FRESH] > 0
        keep_modes(system, motion, modes)
        code, elapsed, strikes = next_event(system, motion, counters, left, crowd)
        left -= elapsed
        if code == REACHED_END:
            break
        events += 0 if fresh else 1
        now, bounce, stopping = time + (h - left), 2 * events <= settings.max_events, slips(system, code)
        if bound_events(system, motion, settings, log, counters, now, crowd):
            break
        if code >= 2 * len(system.contacts) and code % 2 == 1:
            dry += 1
            if dry > JOINT_PATIENCE:
                log_unresolved(system, motion, log, counters, now, NOT_DRY)
                motion.step[DAMPED], code = 1.0, NO_CODE
        if strikes:
            strike(system, motion, impact, settings, log, counters, now, bounce, 0 if bounce else CALMED)
        if code >= 0 and is_arrival(system, motion, code):
            code = NO_CODE
        settle(system, motion, problem, settings, log, counters, now, code)
        if not fresh:
            log_changes(system, motion, modes, log, counters, now, stopping)
    finish_step(system, motion)
    system.ledger[SOLVER + ITERATIONS] = events
