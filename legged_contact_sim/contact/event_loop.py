"""The loop of an event-driven output step: smooth motion to the next event, an impact or new modes, and on.

What happened is noted in rows of numbers, which Python turns into `Event` records.
"""

from ..compilation import inlined
from .bookkeeping import world_impulse
from .constrained_motion import CONTACT_COUNT, DAMPED, IGNORING
from .contact_modes import choose_modes, jam
from .event_driven import FAILED, REACHED_END, SMALLEST_STEP, START, fill_values, integrate_to_event, is_gap
from .event_steps import begin_step, finish_step, visible_mode
from .impact_law import FRICTIONLESS, TOUCH_GAP, resolve_impact, total_energy
from .records import ENERGY_LIMITED, IMPACTS, ITERATIONS, OPEN, SLIP, STICK, UNCONVERGED
from .system import ACTIVE, IMPULSE, SOLVER

# Kinds of event.
IMPACT, CONTACT, SEPARATION, STICKING, SLIPPING, LIMIT, UNRESOLVED = range(7)
KINDS = ("impact", "contact", "separation", "stick", "slip", "limit", "unresolved")

# Notes, added up.
ATTENUATED, NO_REBOUND, WITHOUT_FRICTION, REVERSAL, NO_MODES, CHATTERING, STUCK = (1 << k for k in range(7))
UNBOUNDED, NOT_DRY = 1 << 7, 1 << 8
NOTES = {
    ATTENUATED: "rates attenuated to the energetic restitution",
    NO_REBOUND: "slower than the impact threshold: no rebound",
    WITHOUT_FRICTION: "no impulses within friction: resolved without friction",
    REVERSAL: "slip reversal",
    NO_MODES: "no accelerations fit contact and friction: resolved as an impact",
    CHATTERING: "too many events in one step: no rebound, then modes held to its end",
    STUCK: "the integrator's step vanished: the rest of the step is left out",
    UNBOUNDED: "the energy constraint could not be met",
    NOT_DRY: "dry joint friction goes in circles: from here on it is damping near rest",
}

# Columns of a row of the event log; then a flag per point, then three impulses per point, N s, in world axes.
TIME, KIND, BEFORE, AFTER, NOTE = range(5)
EVENT_COLUMNS = 5

# Places in the array of counters.
EVENTS, FRESH = range(2)
JOINT_PATIENCE = 12  # events of dry joints in one step, more of which mean that no distribution of friction fits
ROWS_PER_EVENT = 6  # an event may be noted as so many
SOFTEST = 1e-9  # m/s or rad/s; what arrives slower does not strike


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
def strike(system, motion, impact, settings, log, counters, time, bounce, note):
    """Resolve an impact of all that touches and note it."""
    m, ledger = len(system.contacts), system.ledger
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
    points = motion.counts[CONTACT_COUNT]
    kind = LIMIT if points == 0 else (IMPACT if lively else CONTACT)
    row = log_event(log, counters, time, kind, before, after, note)
    for k in range(points):
        index = system.indices[ACTIVE, k]
        push = world_impulse(system.contacts[index], system.vectors[IMPULSE], 3 * k)
        if system.vectors[IMPULSE, 3 * k] > 0.0:
            log[row, EVENT_COLUMNS + index] = 1.0
            for c in range(3):
                log[row, EVENT_COLUMNS + m + 3 * index + c] = push[c]


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
def settle(system, motion, impact, settings, log, counters, time, code):
    """Find modes that fit; where there are none, strike without restitution and look again."""
    if choose_modes(system, motion, code):
        return
    strike(system, motion, impact, settings, log, counters, time, False, NO_MODES)
    if not choose_modes(system, motion, -1):
        jam(system, motion)
        log_unresolved(system, motion, log, counters, time, NO_MODES)


@inlined
def begin_fresh(system, motion, impact, settings, log, counters, time):
    """Find contacts and modes of a state that was set from outside; points that touch and come on strike."""
    for contact in system.contacts:
        contact.closed, contact.mode = 0, OPEN
    for i in range(len(motion.stops)):
        motion.stops[i], system.slides[i] = 0.0, 0.0
    energy_now(system, motion)
    fill_values(system, motion, motion.y, motion.values[START])
    strikes = False
    for contact in system.contacts:
        strikes = strikes or (contact.end_velocity[0] < -SOFTEST and contact.gap <= TOUCH_GAP)
    if strikes:
        strike(system, motion, impact, settings, log, counters, time, True, 0)
    settle(system, motion, impact, settings, log, counters, time, -1)
    counters[FRESH] = 0


@inlined
def advance(system, motion, impact, settings, h, time, log, counters, modes):
    """One output step of length ``h``, s, from ``time`` on, with the events inside it."""
    begin_step(system, motion)
    if counters[FRESH]:
        begin_fresh(system, motion, impact, settings, log, counters, time)
    left, events, dry = h, 0, 0
    while left > SMALLEST_STEP:
        code, elapsed = integrate_to_event(system, motion, left)
        left -= elapsed
        if code == REACHED_END:
            break
        events += 1
        now = time + (h - left)
        if code == FAILED or events > settings.max_events:
            log_unresolved(system, motion, log, counters, now, STUCK if code == FAILED else CHATTERING)
            counters[FRESH], motion.step[IGNORING] = 1, 1.0
            if code == FAILED:
                break
            continue
        if code >= 2 * len(system.contacts) and code % 2 == 1:
            dry += 1
            if dry > JOINT_PATIENCE:
                log_unresolved(system, motion, log, counters, now, NOT_DRY)
                motion.step[DAMPED], code = 1.0, REACHED_END
        keep_modes(system, motion, modes)
        stopping = slips(system, code)
        if code != REACHED_END and is_arrival(system, motion, code):
            if comes_on(system, motion, code):
                bounce = 2 * events <= settings.max_events
                strike(system, motion, impact, settings, log, counters, now, bounce, 0 if bounce else CHATTERING)
            code = REACHED_END
        settle(system, motion, impact, settings, log, counters, now, code)
        log_changes(system, motion, modes, log, counters, now, stopping)
    finish_step(system, motion)
    system.ledger[SOLVER + ITERATIONS] = events
