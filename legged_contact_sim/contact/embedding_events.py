"""What happens at an event: impact, contact or separation (Singh eq. 2.1), and which points stick or slip afterwards.

A point on the ground that comes on faster than the threshold makes an impact of all points that touch, resolved in the
impulse domain. Then every point that touches and does not leave faster than the threshold may bear: all are assumed to
stick if they have no slip, and the complementarity of `stick_slip` on accelerations tells which bear, which stick and
which slip. Those that bear come to rest along the rows that they hold, which ends bouncing below the threshold.

What cannot be resolved (no forces fit, an impact does not end, events follow one another without end) has a
fallback each, and is noted in the event log.
"""

import math

import numpy as np

from ..actuation.joint_laws import add_contact_hold
from ..actuation.rows import ADDED, APPLIED, CHANGE, HOLD
from ..compilation import inlined
from ..dynamics.articulated_body import gather_inertias
from ..dynamics.contact_inertia import invert_roots
from ..dynamics.energy import elastic, gravitational, kinetic
from ..dynamics.kinematics import copy, place_bodies
from ..model.records import FREE
from .constrained_motion import (
    CONTACT_COUNT,
    RIGHT,
    ROW_OF,
    STOP_COUNT,
    UNKNOWN_COUNT,
    free_motion,
    list_constraints,
    put_components,
)
from .contact_shape import material_velocity, measure_shape
from .detection import lay_tangents
from .event_driven import constraint_rows_metric, push_rows
from .impulse_impact import CUT_OFF, JAMMED, collide
from .records import (
    CONTACT_NORMAL,
    CONTACT_TANGENTIAL,
    IMPACTS,
    LIMITS,
    OPEN,
    SLIP,
    STICK,
    UNCONVERGED,
    WORK_TERMS,
)
from .stick_slip import LOOSE, RESTING, SLIPPING, classify, solve_forces, solve_without_friction
from .system import ACTIVE, IMPULSE, JOINTED, OFFSET, SIDE
from .time_stepping import SOLVER, apply_impulses, release_joints, world_impulse

# Kinds of event, and the columns of a row of the log: then a flag per point, then its impulse (3, world axes, N s).
KINDS = ("impact", "contact", "separation", "stick", "slip", "limit", "unresolved")
IMPACT, CONTACT, SEPARATION, STICKING, SLIDING, LIMIT, UNRESOLVED = range(7)
TIME, KIND, BEFORE, AFTER, NOTE = range(5)
EVENT_COLUMNS = 5

# Notes, added up.
NOTES = (
    "the slip jammed (Painleve) and was stopped by impulses",
    "the impact did not end: the rest of it without friction",
    "no forces fit contact and friction: no friction until the end of the step",
    "too many events in a step: no rebound",
    "too many events in a step: modes kept to its end",
    "the integrator's step vanished: no friction until the end of the step",
    "the integrator's step vanished: the rest of the step is left out",
)
JAM, ENDLESS, NO_FORCES, NO_REBOUND, CHATTER, VANISHED, LEFT_OUT = (1 << k for k in range(len(NOTES)))

EMBEDDING = np.dtype(
    [
        ("static_friction", "f8"),  # coefficient up to which a point sticks
        ("dynamic_friction", "f8"),  # coefficient of a point that slips
        ("restitution", "f8"),  # Stronge's energetic coefficient
        ("impact_threshold", "f8"),  # m/s (limits: rad/s); slower arrivals are no impacts
        ("max_events", "i8"),  # in an output step
        ("bounce", "i8"),  # 0: too many events, no rebound in this step
    ],
    align=True,
)

TOUCHING = 1e-9  # m (rad); a point nearer to the ground (a joint nearer to its limit) touches it
RESTING_RATE = 1e-9  # rad/s or m/s; a slower joint with dry friction is at rest
FALLING = 1e-7  # m/s^2; acceleration into the ground at which a point that was let go bears after all
MAX_STRIKES = 8  # impacts at one instant


@inlined
def total_energy(system, y):
    """Return kinetic, potential and elastic energy together, J; leaves the bodies placed."""
    nv = system.rates.shape[1]
    nq = len(system.state) - nv
    place_bodies(system.links, system.bodies, y[:nq], y[nq : nq + nv])
    moving = kinetic(system.links, system.bodies, y[nq : nq + nv])
    return moving + gravitational(system.links, system.bodies) + elastic(system.links, y[:nq])


@inlined
def log_event(log, count, time, kind, before, after, note):
    """Begin a row of the event log, with no points yet; return its index."""
    row = min(count[0], len(log) - 1)
    count[0] = row + 1
    for k in range(log.shape[1]):
        log[row, k] = 0.0
    log[row, TIME], log[row, KIND], log[row, BEFORE], log[row, AFTER], log[row, NOTE] = time, kind, before, after, note
    return row


@inlined
def log_impulses(system, motion, log, row):
    """Enter the points and impulses of the rows that were pushed last."""
    z, m = system.vectors[IMPULSE], len(system.contacts)
    for k in range(motion.counts[CONTACT_COUNT]):
        index = system.indices[ACTIVE, k]
        push = world_impulse(system.contacts[index], z, 3 * k)
        if z[3 * k] > 0.0:
            log[row, EVENT_COLUMNS + index] = 1.0
        for c in range(3):
            log[row, EVENT_COLUMNS + m + 3 * index + c] = push[c]


@inlined
def log_changes(system, modes, log, count, time, energy):
    """Enter which points separated, began to stick or began to slip since the modes were kept."""
    for kind in (SEPARATION, STICKING, SLIDING):
        wanted = OPEN if kind == SEPARATION else (STICK if kind == STICKING else SLIP)
        row = -1
        for k in range(len(system.contacts)):
            if modes[k] != wanted and system.contacts[k].mode == wanted:
                if row < 0:
                    row = log_event(log, count, time, kind, energy, energy, 0)
                log[row, EVENT_COLUMNS + k] = 1.0


@inlined
def find_touching(system, motion):
    """Measure all points in the present state; those on the ground are closed, joints at a limit stop."""
    nv = system.rates.shape[1]
    nq = len(system.state) - nv
    place_bodies(system.links, system.bodies, motion.y[:nq], motion.y[nq : nq + nv])
    for k in range(len(system.contacts)):
        contact = system.contacts[k]
        measure_shape(contact, motion.points[k], system.bodies, system.terrain[0], system.heights)
        lay_tangents(contact)
        put_components(contact, material_velocity(contact, system.bodies), contact.end_velocity, 0)
        contact.closed = 1 if contact.gap <= TOUCHING else 0
    for i in range(len(system.links)):
        link = system.links[i]
        motion.stops[i] = 0.0
        if link.joint_kind != FREE and link.lower_limit < link.upper_limit:
            q = motion.y[link.position_index]
            if q - link.lower_limit <= TOUCHING:
                motion.stops[i] = 1.0
            elif link.upper_limit - q <= TOUCHING:
                motion.stops[i] = -1.0


@inlined
def arrives(system, motion, threshold):
    """Return whether a touching point or a joint at its limit comes on faster than the threshold."""
    start = len(system.state) - system.rates.shape[1]
    for contact in system.contacts:
        if contact.closed and contact.end_velocity[0] < -threshold:
            return True
    for i in range(len(system.links)):
        if motion.stops[i] * motion.y[start + system.links[i].velocity_index] < -threshold:
            return True
    return False


@inlined
def fill_problem(system, motion, problem):
    """Copy G and the velocities of the listed rows; return the number of contacts and of rows."""
    contacts = motion.counts[CONTACT_COUNT]
    rows = 3 * contacts + motion.counts[STOP_COUNT]
    start = len(system.state) - system.rates.shape[1]
    for r in range(rows):
        for s in range(rows):
            problem.G[r, s] = system.G[r, s]
    for k in range(contacts):
        for m in range(3):
            problem.velocity[3 * k + m] = system.contacts[system.indices[ACTIVE, k]].end_velocity[m]
    for k in range(motion.counts[STOP_COUNT]):
        r, j = 3 * contacts + k, system.links[system.indices[JOINTED, k]].velocity_index
        problem.velocity[r] = system.vectors[SIDE, r] * motion.y[start + j]
    return contacts, rows


@inlined
def book_impulses(system, motion, contacts, rows, normal, tangential, limits):
    """Apply the impulses in ``system.vectors`` to the rates; enter them and their work in the extended state."""
    z, n, nv = system.vectors[IMPULSE], len(system.state), system.rates.shape[1]
    apply_impulses(system, contacts, rows, z)
    for j in range(nv):
        motion.y[n - nv + j] += system.rates[CHANGE, j]
    motion.y[n + CONTACT_NORMAL] += normal
    motion.y[n + CONTACT_TANGENTIAL] += tangential
    motion.y[n + LIMITS] += limits
    for k in range(contacts):
        index = system.indices[ACTIVE, k]
        push = world_impulse(system.contacts[index], z, 3 * k)
        for c in range(3):
            motion.y[n + len(WORK_TERMS) + 3 * index + c] += push[c]


@inlined
def strike(system, motion, problem, law, friction, log, count, time):
    """Resolve an impact of all that touches, with or without friction (1 or 0), and log it."""
    links, bodies, rates, works = system.links, system.bodies, system.rates, problem.works
    before = total_energy(system, motion.y)
    release_joints(system)
    gather_inertias(links, bodies, rates[APPLIED], rates[ADDED])
    invert_roots(links, bodies)
    list_constraints(system, motion)
    contacts, rows = fill_problem(system, motion, problem)
    bounce = law.restitution if law.bounce and friction else 0.0
    static, dynamic = friction * law.static_friction, friction * law.dynamic_friction
    outcome, _ = collide(problem, contacts, rows, static, dynamic, bounce)
    copy(problem.impulse[:rows], system.vectors[IMPULSE, :rows])
    book_impulses(system, motion, contacts, rows, works[0], works[1], works[2])
    note = JAM if outcome == JAMMED else (ENDLESS if outcome == CUT_OFF or not friction else 0)
    if outcome == CUT_OFF or not friction:
        system.ledger[SOLVER + UNCONVERGED] += 1.0
    if contacts > 0:
        system.ledger[SOLVER + IMPACTS] += 1.0
    after = total_energy(system, motion.y)
    row = log_event(log, count, time, IMPACT if contacts > 0 else LIMIT, before, after, note)
    log_impulses(system, motion, log, row)


@inlined
def begin_joints(system, motion, code):
    """Let joints with dry friction slide the way they move, hold those at rest, and let go the one of the event."""
    start = len(system.state) - system.rates.shape[1]
    for i in range(len(system.links)):
        link, j = system.links[i], system.links[i].velocity_index
        if link.joint_kind == FREE or link.friction <= 0.0:
            continue
        rate, held = motion.y[start + j], system.slides[i] == 0.0
        system.slides[i] = 1.0 if rate > RESTING_RATE else (-1.0 if rate < -RESTING_RATE else 0.0)
        if system.slides[i] == 0.0:
            motion.y[start + j] = 0.0
            if held and code == 2 * (len(system.contacts) + i) + 1:
                system.slides[i] = -1.0 if system.rates[HOLD, j] > 0.0 else 1.0


@inlined
def revise_joints(system, motion):
    """Let joints slide that their dry friction cannot hold; return whether there were any."""
    changed = False
    for i in range(len(system.links)):
        link = system.links[i]
        if link.joint_kind != FREE and link.friction > 0.0 and system.slides[i] == 0.0:
            hold = system.rates[HOLD, link.velocity_index]
            if abs(hold) > link.friction + motion.flow[0].force_tolerance:
                system.slides[i] = -1.0 if hold > 0.0 else 1.0
                changed = True
    return changed


@inlined
def find_forces(system, motion, problem, released):
    """Find the forces of all rows that may bear but the ``released`` contact's (-1: none); return whether any fit."""
    flow, acts = motion.flow[0], True
    free_motion(system, motion, motion.y)
    contacts, rows = fill_problem(system, motion, problem)
    for k in range(contacts):
        classify(problem, k, flow.stick_speed, flow.static_friction)
        if system.indices[ACTIVE, k] == released:
            problem.motion[k] = LOOSE
    for r in range(3 * contacts, rows):
        problem.motion[r - 2 * contacts] = RESTING
    for r in range(rows):
        problem.offset[r] = system.vectors[OFFSET, r]
    if flow.static_friction > 0.0:
        acts = solve_forces(problem, contacts, rows, flow.static_friction, flow.dynamic_friction)
    else:
        solve_without_friction(problem, contacts, rows)
    for r in range(rows):
        system.vectors[IMPULSE, r] = problem.force[r]
    if rows > 0:
        apply_impulses(system, contacts, rows, system.vectors[IMPULSE])
        add_contact_hold(system, 1.0)
    return acts


@inlined
def falls(system, motion, problem, released):
    """Return whether the released contact accelerates into the ground without its force."""
    for k in range(motion.counts[CONTACT_COUNT]):
        if system.indices[ACTIVE, k] == released:
            return problem.offset[3 * k] + problem.response[3 * k] < -FALLING
    return False


@inlined
def adopt(system, motion, problem):
    """Let points bear, stick and slip, and joints stay at their limits, as the forces of the problem say."""
    contacts, least = motion.counts[CONTACT_COUNT], motion.flow[0].force_tolerance
    for k in range(contacts):
        index = system.indices[ACTIVE, k]
        contact, point = system.contacts[index], motion.points[index]
        contact.closed = 1 if problem.force[3 * k] > least else 0
        contact.mode = OPEN
        if contact.closed:
            contact.mode = SLIP if problem.motion[k] == SLIPPING else STICK
            for m in range(3):
                contact.force[m] = problem.force[3 * k + m]
        if contact.mode == SLIP:
            slip = math.sqrt(contact.end_velocity[1] ** 2 + contact.end_velocity[2] ** 2)
            point.armed = 1 if slip > motion.flow[0].stick_speed else 0
            point.slip_direction[0], point.slip_direction[1] = problem.heading[k, 0], problem.heading[k, 1]
    for k in range(motion.counts[STOP_COUNT]):
        if problem.force[3 * contacts + k] <= least:
            motion.stops[system.indices[JOINTED, k]] = 0.0


@inlined
def settle(system, motion, problem, law, code):
    """Find which of the touching points bear, stick and slip in the present state; return whether forces were found.

    ``code`` is the event function that reached zero (-1: none). Its force is still within its bound to the last digit,
    so its point is let go, or slips, for sure.
    """
    m = len(system.contacts)
    released, slipped = -1, -1
    if 0 <= code < 2 * m and system.contacts[code // 2].mode != OPEN:
        released = code // 2 if code % 2 == 0 else -1
        slipped = code // 2 if code % 2 == 1 and system.contacts[code // 2].mode == STICK else -1
    start = len(system.state) - system.rates.shape[1]
    for contact in system.contacts:
        if contact.closed and contact.end_velocity[0] > law.impact_threshold:
            contact.closed = 0
        contact.mode = OPEN
    for i in range(len(system.links)):
        if motion.stops[i] * motion.y[start + system.links[i].velocity_index] > law.impact_threshold:
            motion.stops[i] = 0.0
    begin_joints(system, motion, code)
    for _ in range(2 * len(system.links) + 4):
        if not find_forces(system, motion, problem, released):
            return False
        if released >= 0 and falls(system, motion, problem, released):
            released = -1
        elif not revise_joints(system, motion):
            break
    adopt(system, motion, problem)
    if slipped >= 0 and system.contacts[slipped].mode == STICK:
        give_way(system.contacts[slipped], motion.points[slipped])
    return True


@inlined
def give_way(contact, point):
    """Let a sticking point slip against the force that has held it."""
    first, second = contact.force[1], contact.force[2]
    size = math.sqrt(first * first + second * second)
    if size > 0.0:
        contact.mode, point.armed = SLIP, 0
        point.slip_direction[0], point.slip_direction[1] = -first / size, -second / size


@inlined
def come_to_rest(system, motion, modes, log, count, time):
    """Take what is left of velocity off the rows that are held now, by impulses; log the points that were open."""
    before = total_energy(system, motion.y)
    free_motion(system, motion, motion.y)
    contacts = motion.counts[CONTACT_COUNT]
    rows = 3 * contacts + motion.counts[STOP_COUNT]
    if rows == 0:
        return
    constraint_rows_metric(system, motion)
    start, works = len(system.state) - system.rates.shape[1], (0.0, 0.0, 0.0)
    held, right, z = motion.unknowns[ROW_OF], motion.vectors[RIGHT], system.vectors[IMPULSE]
    for a in range(motion.counts[UNKNOWN_COUNT]):
        right[a] = -row_velocity(system, motion, held[a], contacts, start)
    push_rows(system, motion)
    for r in range(rows):
        work = 0.5 * z[r] * row_velocity(system, motion, r, contacts, start)
        if r >= 3 * contacts:
            works = (works[0], works[1], works[2] + work)
        elif r % 3 == 0:
            works = (works[0] + work, works[1], works[2])
        else:
            works = (works[0], works[1] + work, works[2])
    book_impulses(system, motion, contacts, rows, works[0], works[1], works[2])
    row = -1
    for k in range(contacts):
        index = system.indices[ACTIVE, k]
        if modes[index] == OPEN:
            if row < 0:
                row = log_event(log, count, time, CONTACT, before, total_energy(system, motion.y), 0)
                log_impulses(system, motion, log, row)
                for c in range(len(system.contacts)):
                    log[row, EVENT_COLUMNS + c] = 0.0
            log[row, EVENT_COLUMNS + index] = 1.0


@inlined
def row_velocity(system, motion, r, contacts, start):
    """Return the velocity of a listed row, m/s (limits: rad/s)."""
    if r < 3 * contacts:
        return system.contacts[system.indices[ACTIVE, r // 3]].end_velocity[r % 3]
    i = system.indices[JOINTED, r - 3 * contacts]
    return system.vectors[SIDE, r] * motion.y[start + system.links[i].velocity_index]


@inlined
def leave_friction_out(motion):
    """Let the ground be smooth until the end of the step."""
    motion.flow[0].static_friction, motion.flow[0].dynamic_friction = 0.0, 0.0


@inlined
def log_fallback(system, motion, log, count, time, note):
    """Enter a fallback in the event log and count it."""
    energy = total_energy(system, motion.y)
    log_event(log, count, time, UNRESOLVED, energy, energy, note)
    system.ledger[SOLVER + UNCONVERGED] += 1.0


@inlined
def resolve(system, motion, problem, law, modes, log, count, time, code):
    """Do what an event asks for: impacts, then the modes of all touching points; ``code`` as for `settle`."""
    for k in range(len(system.contacts)):
        modes[k] = system.contacts[k].mode
    find_touching(system, motion)
    strikes = 0
    while arrives(system, motion, law.impact_threshold) and strikes <= MAX_STRIKES:
        strike(system, motion, problem, law, 1 if strikes < MAX_STRIKES else 0, log, count, time)
        find_touching(system, motion)
        strikes += 1
    if not settle(system, motion, problem, law, code):
        find_touching(system, motion)
        strike(system, motion, problem, law, 1, log, count, time)
        find_touching(system, motion)
        if not settle(system, motion, problem, law, -1):
            log_fallback(system, motion, log, count, time, NO_FORCES)
            leave_friction_out(motion)
            find_touching(system, motion)
            settle(system, motion, problem, law, -1)
    come_to_rest(system, motion, modes, log, count, time)
    log_changes(system, modes, log, count, time, total_energy(system, motion.y))
