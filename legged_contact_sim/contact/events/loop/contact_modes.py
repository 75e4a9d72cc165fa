"""Which points bear, stick or slip after an event: cases that fit the accelerations, found by trial.

Every point that touches and does not leave the ground begins as bearing, sticking if it has come to rest, else slipping
along its velocity. The forces of these cases show what does not fit, and cases are changed one by one:

    a bearing point that pulls is let go,               one that is let go and accelerates into the ground bears,
    a sticking point beyond mu_s begins to slip         (along the force that would have held it),
    a point that begins to slip against its direction slips the other way, or sticks,
    a joint that accelerates into its limit is stopped, a held joint beyond its friction slides.

Changing cases one by one is quick and nearly always ends; where it goes in circles, the forces are found as a
complementarity problem (`stick_slip`), and its cases are where the search goes on. Friction on a rigid body can leave
no case that fits (Painleve). The caller learns that by the result.
"""

import math

from ....actuation.rows import ACCELERATION, CHANGE, HOLD
from ....dynamics.kinematics import place_bodies, point_acceleration
from ....dynamics.record_fields import spatial, vector
from ....dynamics.spatial import vadd, vdot, velocity_at, vsub
from ....jit import inlined
from ....model.records import FREE
from ...detection import put_components, set_tangents
from ...records import OPEN, SLIP, STICK
from ...solvers.stick_slip import RESTING, SLIPPING, classify, solve_forces
from ..contact_shape import material_velocity, measure_shape, normal_rate, wandering
from ..flow.constrained_motion import derivative
from ..flow.drift import close_held_gaps, stop_held_rows
from ..flow.event_driven import note_floors
from ..impact_rows import book_rest, energy_now
from ..motion import CONTACT_COUNT, DAMPED, STOP_COUNT
from ..notes import CONTACT
from ..tolerances import ACCELERATION_TOLERANCE, LEAVING_SPEED, RESTING_RATE, SOFTEST, TOUCHING
from .event_log import AFTER, BEFORE, keep_velocities, log_event, log_impulses

TRIALS_PER_POINT = 6
BEYOND = 1e-6  # share of the static friction that is left out where a point has just used it up
NOTHING, LETS_GO, BREAKS_AWAY, LEAVES_LIMIT, GIVES_WAY = range(5)  # what an event says for sure


@inlined
def side_of_limit(link, q, rate):
    """Return 1 or -1 if a joint rests at its lower or upper limit, else 0."""
    if abs(rate) > LEAVING_SPEED:
        return 0.0
    if q - link.lower_limit <= TOUCHING:
        return 1.0
    return -1.0 if link.upper_limit - q <= TOUCHING else 0.0


@inlined
def touches(contact):
    """Return whether a point is on the ground, neither coming on nor leaving (after `derivative` or `begin_cases`)."""
    return contact.gap <= TOUCHING and abs(contact.end_velocity[0]) <= LEAVING_SPEED


@inlined
def begin_cases(system, motion):
    """Give every touching point and every joint its first case in the present state."""
    nv = system.dofs.shape[1]
    nq, speed_limit = len(system.state) - nv, motion.flow[0].stick_speed
    place_bodies(system.links, system.bodies, motion.y[:nq], motion.y[nq : nq + nv])
    for k in range(len(system.contacts)):
        contact, point = system.contacts[k], motion.points[k]
        measure_shape(contact, point, system.bodies, system.terrain[0], system.heights)
        set_tangents(contact)
        put_components(contact, material_velocity(contact, system.bodies), contact.end_velocity, 0)
        contact.closed = 1 if touches(contact) else 0
        contact.mode = OPEN
        point.armed, point.tried = 0, 0
        if contact.closed:
            x, y = contact.end_velocity[1], contact.end_velocity[2]
            speed = math.sqrt(x * x + y * y)
            contact.mode = STICK if speed <= speed_limit else SLIP
            if contact.mode == SLIP:
                point.slip_direction[0], point.slip_direction[1], point.armed = x / speed, y / speed, 1
    for i in range(len(system.links)):
        link, j = system.links[i], system.links[i].velocity_index
        if link.joint_kind == FREE:
            continue
        q, rate = motion.y[link.position_index], motion.y[nq + j]
        motion.stops[i] = side_of_limit(link, q, rate)
        system.slides[i] = 0.0
        if link.friction > 0.0 and not motion.step[DAMPED]:
            if abs(rate) > RESTING_RATE:
                system.slides[i] = 1.0 if rate > 0.0 else -1.0
            else:
                motion.y[nq + j] = 0.0


@inlined
def point_accelerations(system, motion, k):
    """Return the acceleration of a touching point along its normal and its direction of slip, m/s^2."""
    contact, point, bodies = system.contacts[k], motion.points[k], system.bodies
    body = bodies[contact.link]
    turning = normal_rate(contact, point, bodies, system.terrain[0], system.heights)
    fall = spatial(bodies[-1].acceleration).linear
    total = vsub(point_acceleration(body, vector(contact.position)), fall)
    total = vadd(total, wandering(contact, point, bodies, turning))
    if motion.counts[CONTACT_COUNT] + motion.counts[STOP_COUNT] > 0:
        total = vadd(total, velocity_at(spatial(body.jump), vector(contact.position)))
    along = point.slip_direction[0] * vdot(vector(contact.first_tangent), total)
    along += point.slip_direction[1] * vdot(vector(contact.second_tangent), total)
    return vdot(vector(contact.normal), total) + vdot(turning, material_velocity(contact, bodies)), along


@inlined
def start_slip(contact, point):
    """Let a sticking point slip against the force that would have held it."""
    x, y = contact.force[1], contact.force[2]
    size = math.sqrt(x * x + y * y)
    contact.mode, point.armed, point.tried = SLIP, 0, max(point.tried, 1)
    if size > 0.0:
        point.slip_direction[0], point.slip_direction[1] = -x / size, -y / size


@inlined
def turn_back(contact, point):
    """Let a point that does not slip from rest as was tried slip the other way, or stick if that was tried too."""
    contact.mode = STICK
    if point.tried == 1:
        contact.mode, point.tried = SLIP, 2
        point.slip_direction[0], point.slip_direction[1] = -point.slip_direction[0], -point.slip_direction[1]


@inlined
def release_weakest(system, motion):
    """Let go the bearing point or joint stop that pulls hardest; return whether there was one."""
    worst, least, at_stop = -1, -motion.flow[0].force_tolerance, False
    for k in range(len(system.contacts)):
        if system.contacts[k].closed and system.contacts[k].force[0] < least:
            worst, least = k, system.contacts[k].force[0]
    for s in range(motion.counts[STOP_COUNT]):
        force = system.impulses[3 * motion.counts[CONTACT_COUNT] + s]
        if force < least:
            worst, least, at_stop = system.limited[s], force, True
    if worst >= 0:
        if at_stop:
            motion.stops[worst] = 0.0
        else:
            system.contacts[worst].closed, system.contacts[worst].mode = 0, OPEN
    return worst >= 0


@inlined
def revise_points(system, motion):
    """Change the case of one point that does not fit its acceleration; return whether there was one."""
    tolerance, friction = motion.flow[0].force_tolerance, motion.flow[0].static_friction
    for k in range(len(system.contacts)):
        contact, point = system.contacts[k], motion.points[k]
        if not touches(contact):
            continue
        if contact.closed == 0:
            if point_accelerations(system, motion, k)[0] < -ACCELERATION_TOLERANCE:
                contact.closed = 1
                if point.armed:
                    contact.mode = SLIP
                elif point.tried == 0:
                    start_slip(contact, point)
                else:
                    turn_back(contact, point)
                return True
        elif contact.mode == STICK:
            size = math.sqrt(contact.force[1] ** 2 + contact.force[2] ** 2)
            if size > friction * contact.force[0] + tolerance:
                start_slip(contact, point)
                return True
        elif point.armed == 0 and point_accelerations(system, motion, k)[1] < -ACCELERATION_TOLERANCE:
            turn_back(contact, point)
            return True
    return False


@inlined
def revise_joints(system, motion):
    """Stop joints that accelerate into a limit, let slide what friction cannot hold; return whether any changed."""
    changed = False
    nv = system.dofs.shape[1]
    nq = len(system.state) - nv
    for i in range(len(system.links)):
        link, j = system.links[i], system.links[i].velocity_index
        if link.joint_kind != FREE and motion.stops[i] == 0.0:
            side = side_of_limit(link, motion.y[link.position_index], motion.y[nq + j])
            if side * (system.dofs[ACCELERATION, j] + system.dofs[CHANGE, j]) < -ACCELERATION_TOLERANCE:
                motion.stops[i], changed = side, True
    for i in range(0 if motion.step[DAMPED] else len(system.links)):
        link = system.links[i]
        if link.joint_kind != FREE and link.friction > 0.0 and system.slides[i] == 0.0:
            hold = system.dofs[HOLD, link.velocity_index]
            if abs(hold) > link.friction + motion.flow[0].force_tolerance:
                system.slides[i] = -1.0 if hold > 0.0 else 1.0
                changed = True
    return changed


@inlined
def close_cases(system, motion, shares):
    """Note which slipping points are held by others, and how deep the ground is for points that touch only.

    None is where points share redundant friction by their loads (``shares``): they break away together.
    """
    for k in range(len(system.contacts)):
        contact, point = system.contacts[k], motion.points[k]
        point.idle = 0
        if contact.closed and contact.mode == SLIP and point.armed == 0 and not shares:
            point.idle = 1 if point_accelerations(system, motion, k)[1] <= 10.0 * ACCELERATION_TOLERANCE else 0
    note_floors(system, motion)


@inlined
def kind_of_change(system, motion, code):
    """Return what the event function ``code`` (negative: none), which has just reached zero, says for sure."""
    m = len(system.contacts)
    if code < 0:
        return NOTHING
    if code < 2 * m:
        if system.contacts[code // 2].closed == 0:
            return NOTHING
        if code % 2 == 0:
            return LETS_GO
        return BREAKS_AWAY if system.contacts[code // 2].mode == STICK else NOTHING
    if code % 2 == 0:
        return LEAVES_LIMIT
    return GIVES_WAY if system.slides[code // 2 - m] == 0.0 else NOTHING


@inlined
def redistributes(change):
    """Return whether points may share their load anew after a change: one arrives, breaks away or comes to rest."""
    return change in (NOTHING, BREAKS_AWAY)


@inlined
def make_change(system, motion, change, code):
    """Make a change that an event asks for, from the forces in the old modes, which contacts and joints still hold."""
    k = code // 2
    i = k - len(system.contacts)
    if change == LETS_GO:
        system.contacts[k].closed, system.contacts[k].mode = 0, OPEN
    elif change == BREAKS_AWAY and system.contacts[k].closed:
        start_slip(system.contacts[k], motion.points[k])
    elif change == LEAVES_LIMIT:
        motion.stops[i] = 0.0
    elif change == GIVES_WAY:
        system.slides[i] = -1.0 if system.dofs[HOLD, system.links[i].velocity_index] > 0.0 else 1.0


@inlined
def pose_problem(system, motion, problem):
    """Copy G, the velocities and the free accelerations of all listed rows (after `derivative`)."""
    contacts = motion.counts[CONTACT_COUNT]
    rows, nq = 3 * contacts + motion.counts[STOP_COUNT], len(system.state) - system.dofs.shape[1]
    flow = motion.flow[0]
    for r in range(rows):
        problem.offset[r] = system.offsets[r]
        for s in range(rows):
            problem.G[r, s] = system.G[r, s]
    for k in range(contacts):
        for m in range(3):
            problem.velocity[3 * k + m] = system.contacts[system.active[k]].end_velocity[m]
        classify(problem, k, flow.stick_speed, flow.static_friction)
    for k in range(motion.counts[STOP_COUNT]):
        i = system.limited[k]
        problem.velocity[3 * contacts + k] = motion.stops[i] * motion.y[nq + system.links[i].velocity_index]
        problem.motion[contacts + k] = RESTING
    return contacts, rows


@inlined
def adopt_cases(system, motion, problem, contacts):
    """Let points bear, stick and slip, and joints stay at their limits, as the forces of the problem say."""
    least = motion.flow[0].force_tolerance
    for k in range(contacts):
        contact, point = system.contacts[system.active[k]], motion.points[system.active[k]]
        contact.closed = 1 if problem.force[3 * k] > least else 0
        contact.mode = OPEN
        if contact.closed:
            contact.mode = SLIP if problem.motion[k] == SLIPPING else STICK
        if problem.motion[k] == SLIPPING and point.armed == 0:
            point.slip_direction[0], point.slip_direction[1] = problem.heading[k, 0], problem.heading[k, 1]
            point.tried = 1
        for m in range(3):
            contact.force[m] = problem.force[3 * k + m]
    for k in range(motion.counts[STOP_COUNT]):
        if problem.force[3 * contacts + k] <= least:
            motion.stops[system.limited[k]] = 0.0


@inlined
def fit_cases(system, motion, problem, change):
    """Find the cases of all points that are closed by complementarity; return whether there are any that fit."""
    contacts, rows = pose_problem(system, motion, problem)
    static, dynamic = motion.flow[0].static_friction, motion.flow[0].dynamic_friction
    if change == BREAKS_AWAY:
        static *= 1.0 - BEYOND
    if not solve_forces(problem, contacts, rows, static, dynamic):
        return False
    adopt_cases(system, motion, problem, contacts)
    return True


@inlined
def come_to_rest(system, motion, events, time):
    """Take what is left of velocity off the rows that are held (after `derivative`), by impulses that are booked.

    An event is logged where it was more than rounding: a point that was about to leave and stays.
    """
    if motion.counts[CONTACT_COUNT] + motion.counts[STOP_COUNT] == 0:
        return
    keep_velocities(system, motion, events)
    fastest = stop_held_rows(system, motion)
    work = book_rest(system, motion)
    if fastest > SOFTEST:
        row = log_event(system, motion, events, time, CONTACT, 0.0, 0.0, 0)
        log_impulses(system, motion, events.log, row)
        energy = energy_now(system, motion)
        events.log[row, BEFORE], events.log[row, AFTER] = energy - work, energy
    close_held_gaps(system, motion, 0.0)


@inlined
def choose_modes(system, motion, events, find_forces, time, code, thoroughly):
    """Find modes that fit the present state at a time, s; return whether there are any.

    ``code`` is the event function that just reached zero (negative: none): its point changes for sure, though its force
    is still within its bound to the last digit. ``thoroughly``: complementarity has the first word, not the last.
    """
    change = kind_of_change(system, motion, code)
    begin_cases(system, motion)
    if not thoroughly:
        make_change(system, motion, change, code)
    most = TRIALS_PER_POINT * (len(system.contacts) + len(system.links)) + 4
    settled, resting, fit, passes = False, False, thoroughly, 0
    while not settled and passes < 2 * most:
        if passes == most and not thoroughly:
            begin_cases(system, motion)
            fit = True
        derivative(system, motion, find_forces, motion.y, motion.stages[0])
        if not resting:  # what is left of velocity would turn the friction of a point that begins to slip
            come_to_rest(system, motion, events, time)
            resting = True
            continue
        if fit:
            fit = False
            if not fit_cases(system, motion, events.problem, change):
                break
            if change == BREAKS_AWAY and system.contacts[code // 2].mode == STICK:
                make_change(system, motion, change, code)
        else:
            settled = not (
                release_weakest(system, motion) or revise_points(system, motion) or revise_joints(system, motion)
            )
        passes += 1
    if settled:
        close_cases(system, motion, events.settings[0].loads_first > 0)
    return settled
