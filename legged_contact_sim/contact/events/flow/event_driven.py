"""Event-driven motion: Dormand-Prince steps of the constrained motion, stopped at the instant something changes.

While no event happens, every contact point keeps its mode and every joint its case, so the motion is smooth. Each has
event functions that are positive meanwhile (two per contact point, two per link):

    open point      gap                          bearing point    normal force
    sticking point  mu_s f_n - |f_t|             slipping point   slip speed along its direction
    free joint      room to its limits           joint at a limit force of the limit
    held joint      friction - |effort to hold|  sliding joint    rate along its direction

A step at whose end one of them is negative is taken again, shorter and shorter by a bracketing root finder, until it
ends at the zero: the state there is a Runge-Kutta result like any other, not an interpolation. A gap that closes and
opens within a step (a graze), or opens and closes (a small bounce), is found through the zero of its normal speed.

What drifts off the constraints is projected back at the end of every step, a correction within the tolerances.
"""

import math
from typing import NamedTuple

from ....actuation.rows import HOLD
from ....dynamics.integrators import (
    DORMAND_PRINCE,
    RESULT_ROW,
    STAGE_MATRIX,
    STATE_ROW,
    combine,
    next_step_size,
    scaled_error,
)
from ....dynamics.kinematics import copy
from ....dynamics.manifold import normalize
from ....dynamics.record_fields import vector
from ....dynamics.spatial import vdot
from ....jit import inlined
from ....model.records import FREE
from ...detection import set_tangents
from ...records import STICK
from ..contact_shape import material_velocity, measure_shape
from ..motion import CONTACT_COUNT, DAMPED, STOP_COUNT, TRIAL
from ..tolerances import GAP_TOLERANCE, SMALLEST_STEP, TIME_TOLERANCE
from .constrained_motion import derivative
from .drift import project

# What `integrate_to_event` returns besides the code of an event function.
REACHED_END, FAILED = -1, -2

# Rows of Motion.values: at the start of the step, now, and the depth below which a touching point arrives again.
START, NOW, FLOOR = range(3)

MAX_BRACKETING = 100


class Watched(NamedTuple):
    """What a root finder follows within a step: an event function plus a shift, or the normal speed of its point."""

    code: int
    speed: bool
    shift: float


class Bracket(NamedTuple):
    """Two lengths of a step, s, between which what is watched changes its sign, and its values there."""

    low: float
    value_low: float
    high: float
    value_high: float


@inlined
def slip_along(contact, point):
    """Return the slip speed along the point's direction of slip, m/s."""
    return contact.end_velocity[1] * point.slip_direction[0] + contact.end_velocity[2] * point.slip_direction[1]


@inlined
def point_values(contact, point, friction, bodies, terrain, heights):
    """Return the two event functions of a contact point (after `derivative`)."""
    if contact.closed == 0:
        measure_shape(contact, point, bodies, terrain, heights)
        set_tangents(contact)
        contact.end_velocity[0] = vdot(vector(contact.normal), material_velocity(contact, bodies))
        return contact.gap, math.inf
    force = contact.force
    if contact.mode == STICK:
        return force[0], friction * force[0] - math.sqrt(force[1] * force[1] + force[2] * force[2])
    return force[0], slip_along(contact, point)


@inlined
def fill_values(system, motion, y, out):
    """Evaluate all event functions at the state ``y`` (after `derivative` there)."""
    nv = system.dofs.shape[1]
    nq, m = len(system.state) - nv, len(system.contacts)
    friction = motion.flow[0].static_friction
    for k in range(m):
        out[2 * k], out[2 * k + 1] = point_values(
            system.contacts[k], motion.points[k], friction, system.bodies, system.terrain[0], system.heights
        )
        if system.contacts[k].closed == 0:
            out[2 * k] -= motion.values[FLOOR, 2 * k]
    for i in range(len(system.links)):
        link, c = system.links[i], 2 * (m + i)
        out[c], out[c + 1] = math.inf, math.inf
        if link.joint_kind == FREE:
            continue
        q, rate = y[link.position_index], y[nq + link.velocity_index]
        if motion.stops[i] == 0.0:
            out[c] = min(q - link.lower_limit, link.upper_limit - q) - motion.values[FLOOR, c]
        if link.friction > 0.0 and not motion.step[DAMPED]:
            if system.slides[i] == 0.0:
                out[c + 1] = link.friction - abs(system.dofs[HOLD, link.velocity_index])
            else:
                out[c + 1] = rate * system.slides[i]
    for k in range(motion.counts[STOP_COUNT]):
        force = system.impulses[3 * motion.counts[CONTACT_COUNT] + k]
        out[2 * (m + system.limited[k])] = force


@inlined
def note_floors(system, motion):
    """Note how deep the ground, or a joint's limit, is for what touches only (after `fill_values`)."""
    for k in range(len(system.contacts)):
        motion.values[FLOOR, 2 * k] = min(0.0, system.contacts[k].gap)
    for i in range(len(system.links)):
        link = system.links[i]
        if link.joint_kind != FREE:
            q = motion.y[link.position_index]
            room = min(q - link.lower_limit, link.upper_limit - q)
            motion.values[FLOOR, 2 * (len(system.contacts) + i)] = min(0.0, room)


@inlined
def is_gap(system, code):
    """Return whether an event function is the gap of an open point."""
    return code < 2 * len(system.contacts) and code % 2 == 0 and system.contacts[code // 2].closed == 0


@inlined
def tolerance_of(system, motion, code):
    """Return how far below zero an event function that begins at zero has to go before it counts."""
    m = len(system.contacts)
    if is_gap(system, code):
        return GAP_TOLERANCE
    if code < 2 * m:
        slips = code % 2 == 1 and system.contacts[code // 2].mode != STICK
        return motion.flow[0].stick_speed if slips else motion.flow[0].force_tolerance
    i = (code - 2 * m) // 2
    if code % 2 == 0:
        return GAP_TOLERANCE if motion.stops[i] == 0.0 else motion.flow[0].force_tolerance
    return motion.flow[0].force_tolerance if system.slides[i] == 0.0 else motion.flow[0].stick_speed


@inlined
def shift_of(system, motion, code):
    """Return what is added to an event function in this step: its tolerance if it begins at zero."""
    tolerance = tolerance_of(system, motion, code)
    if code < 2 * len(system.contacts) and code % 2 == 1:  # slip that has not yet been fast
        if system.contacts[code // 2].mode != STICK and motion.points[code // 2].armed:
            return 0.0
    return tolerance if motion.values[START, code] <= tolerance else 0.0


@inlined
def start_step(system, motion):
    """Note the event functions and normal speeds at the start of a step; arm the points that slip fast enough."""
    fill_values(system, motion, motion.y, motion.values[START])
    for code in range(motion.values.shape[1]):  # what has left the ground or its limit arrives there again
        if motion.values[START, code] + motion.values[FLOOR, code] > GAP_TOLERANCE:
            motion.values[START, code] += motion.values[FLOOR, code]
            motion.values[FLOOR, code] = 0.0
    for k in range(len(system.contacts)):
        contact, point = system.contacts[k], motion.points[k]
        point.speed = contact.end_velocity[0]
        if contact.closed and contact.mode != STICK:
            x, y = contact.end_velocity[1], contact.end_velocity[2]
            speed = math.sqrt(x * x + y * y)
            if speed > motion.flow[0].stick_speed:
                point.slip_direction[0], point.slip_direction[1] = x / speed, y / speed
                motion.values[START, 2 * k + 1] = speed
                point.armed = 1


@inlined
def take_step(system, motion, find_forces, h):
    """Fill the stages of a step of length ``h``, s, after the first; its end state is the result row."""
    nq, stages = len(system.state) - system.dofs.shape[1], motion.stages
    for k in range(1, 7):
        combine(motion.y, h, STAGE_MATRIX[DORMAND_PRINCE, k], k, stages, stages[STATE_ROW])
        normalize(system.links, stages[STATE_ROW, :nq])
        derivative(system, motion, find_forces, stages[STATE_ROW], stages[k])
    copy(stages[STATE_ROW], stages[RESULT_ROW])  # the last stage is taken at the end of the step


@inlined
def value_at(system, motion, find_forces, h, watched):
    """Return what is watched after a step of length ``h``, s."""
    take_step(system, motion, find_forces, h)
    fill_values(system, motion, motion.stages[RESULT_ROW], motion.values[NOW])
    value = system.contacts[watched.code // 2].end_velocity[0] if watched.speed else motion.values[NOW, watched.code]
    return value + watched.shift


@inlined
def find_zero(system, motion, find_forces, watched, bracket):
    """Return where what is watched changes its sign within the bracket, s.

    Chandrupatla's method (1997): inverse quadratic steps where they are safe, halving where they are not. The step that
    was taken last ends there, on the far side of the zero.
    """
    begins_positive = bracket.value_low > 0.0
    x1, f1, x2, f2, share = bracket.low, bracket.value_low, bracket.high, bracket.value_high, 0.5
    for _ in range(MAX_BRACKETING):
        x = x1 + share * (x2 - x1)
        f = value_at(system, motion, find_forces, x, watched)
        if (f > 0.0) == (f1 > 0.0):
            x3, f3 = x1, f1
        else:
            x3, f3, x2, f2 = x2, f2, x1, f1
        x1, f1 = x, f
        width = abs(x2 - x1)
        if width <= TIME_TOLERANCE or f == 0.0:
            break
        xi, phi = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        share = 0.5
        if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            share = f1 / (f2 - f1) * f3 / (f2 - f3)
            share += (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        edge = min(0.5, 0.5 * TIME_TOLERANCE / width)
        share = min(max(share, edge), 1.0 - edge)
    if (f1 > 0.0) == begins_positive and f1 != 0.0:
        x1 = x2
        value_at(system, motion, find_forces, x1, watched)
    return x1


@inlined
def turning_point(system, motion, find_forces, code, h):
    """Return when within a step the gap's normal speed changes its sign, s; a step that ends there is taken."""
    start, end = motion.points[code // 2].speed, system.contacts[code // 2].end_velocity[0]
    return find_zero(system, motion, find_forces, Watched(code, True, 0.0), Bracket(0.0, start, h, end))


@inlined
def is_violated(system, motion, code):
    """Return whether an event function says, at the end of a step, that something happened within it."""
    return motion.values[NOW, code] + shift_of(system, motion, code) < 0.0


@inlined
def may_graze(system, motion, code, h):
    """Return whether an open point may have been in the ground within a step at whose ends it is outside."""
    if not is_gap(system, code) or motion.values[START, code] <= GAP_TOLERANCE:
        return False
    approach = motion.points[code // 2].speed
    rising = system.contacts[code // 2].end_velocity[0] > 0.0
    return approach < 0.0 and rising and motion.values[START, code] < -h * approach


@inlined
def first_event(system, motion, find_forces, h):
    """Return the code of an event within the step of length ``h`` (REACHED_END: none) and a length by which it shows.

    The step that was taken last ends where it shows.
    """
    for code in range(motion.values.shape[1]):
        if is_violated(system, motion, code):
            return code, h
    for code in range(0, 2 * len(system.contacts), 2):
        if may_graze(system, motion, code, h):
            lowest = turning_point(system, motion, find_forces, code, h)
            if motion.values[NOW, code] < 0.0:
                return code, lowest
            value_at(system, motion, find_forces, h, Watched(code, False, 0.0))
    return REACHED_END, h


@inlined
def locate(system, motion, find_forces, code, h):
    """Return code and instant, s, of the first event in the step of length ``h``, at whose end ``code`` shows.

    The step that was taken last ends at that instant.
    """
    for _ in range(motion.values.shape[1]):
        shift, low, start = shift_of(system, motion, code), 0.0, motion.values[START, code]
        end = motion.values[NOW, code]
        if is_gap(system, code) and start <= GAP_TOLERANCE and motion.points[code // 2].speed > 0.0:
            apex = turning_point(system, motion, find_forces, code, h)
            if motion.values[NOW, code] > 0.0:
                low, start, shift = apex, motion.values[NOW, code], 0.0
        if start + shift <= 0.0:  # it was so from the start
            value_at(system, motion, find_forces, 0.0, Watched(code, False, 0.0))
            return code, 0.0
        bracket = Bracket(low, start + shift, h, end + shift)
        h = find_zero(system, motion, find_forces, Watched(code, False, shift), bracket)
        other = REACHED_END
        for candidate in range(motion.values.shape[1]):
            if candidate != code and is_violated(system, motion, candidate):
                other = candidate
        if other == REACHED_END:
            break
        code = other
    return code, h


@inlined
def accepted_step(system, motion, find_forces, longest):
    """Take a step within the tolerances, at most ``longest``, s, and up to the first event (after `start_step`).

    Returns the event's code, REACHED_END or FAILED, and the length of the step, s. Where friction jams, forces have a
    pole, and a normal force changes its sign there, too: a step that ends in it is not within the tolerances.
    """
    flow, n = motion.flow[0], len(system.state)
    while True:
        trial = min(motion.step[TRIAL], longest, flow.longest_step)
        take_step(system, motion, find_forces, trial)
        error = scaled_error(motion.y[:n], trial, flow.absolute_tolerance, flow.relative_tolerance, motion.stages)
        wanted = next_step_size(trial, error)
        if error <= 1.0:
            fill_values(system, motion, motion.stages[RESULT_ROW], motion.values[NOW])
            code, taken = first_event(system, motion, find_forces, trial)
            if code != REACHED_END:
                code, taken = locate(system, motion, find_forces, code, taken)
                error = scaled_error(
                    motion.y[:n], taken, flow.absolute_tolerance, flow.relative_tolerance, motion.stages
                )
            if error <= 1.0:
                break
            wanted = 0.5 * taken
        if trial <= SMALLEST_STEP:
            return FAILED, 0.0
        motion.step[TRIAL] = wanted
    if trial == motion.step[TRIAL] or wanted > motion.step[TRIAL]:
        motion.step[TRIAL] = wanted
    return code, taken


@inlined
def integrate_to_event(system, motion, find_forces, duration):
    """Advance ``motion.y`` by at most ``duration``, s, up to the first event.

    Returns the code of the event function that reached zero, REACHED_END, or FAILED (the step size vanished), and the
    time that passed, s. Bodies, contacts and forces are those of the end, in the modes before the event.
    """
    code, elapsed = REACHED_END, 0.0
    while True:
        derivative(system, motion, find_forces, motion.y, motion.stages[0])
        if code != REACHED_END or duration - elapsed <= SMALLEST_STEP:
            return code, elapsed
        start_step(system, motion)
        code, taken = accepted_step(system, motion, find_forces, duration - elapsed)
        if code != FAILED:
            copy(motion.stages[RESULT_ROW], motion.y)
            elapsed += taken
            project(system, motion, taken)
