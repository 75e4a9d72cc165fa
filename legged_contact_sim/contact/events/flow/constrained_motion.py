"""Smooth motion between events: accelerations and contact forces while every point keeps its mode.

A point that sticks has three unknown forces and three accelerations that vanish; one that slips has its normal force
(the tangential one is ``-mu_d f_n`` along the slip) and its normal acceleration. Flickinger's selection matrices say
the same (eqs. 3.17 to 3.21): with B_2 from the unknowns f to all forces and the rows of vanishing accelerations picked,

    (J A^-1 J^T B_2) f = -(J a_free + dJ/dt v),

solved by least squares of smallest norm, since redundant contacts leave f undetermined. A joint at its limit is one
more row with one unknown. A joint that its dry friction holds is welded.

`embedded_motion` finds the same accelerations by constraint embedding instead.
"""

import math

from ....actuation.joint_laws import add_contact_hold, hold_efforts, limit_effort
from ....actuation.rows import ACCELERATION, ADDED, APPLIED, CHANGE, DAMPING, EFFORT, FEED, HOLD, STIFFNESS, TARGET
from ....dynamics.articulated_body import apply_external_forces, gather_inertias, spread_accelerations
from ....dynamics.contact_inertia import invert_roots
from ....dynamics.kinematics import place_bodies, point_acceleration, world_velocity
from ....dynamics.manifold import coordinate_rates
from ....dynamics.record_fields import spatial, vector, vector_at
from ....dynamics.spatial import vadd, vdot, velocity_at, vsub
from ....jit import inlined
from ....model.records import FREE
from ...bookkeeping import world_impulse
from ...constraint_rows import couple_contacts, fill_joint_row, hand_in_contact
from ...detection import put_components, set_tangents
from ...impulses import apply_impulses, external_forces_act
from ...records import (
    ACTUATORS,
    CONTACT_NORMAL,
    CONTACT_TANGENTIAL,
    EXTERNAL,
    JOINT_LOSSES,
    SLIP,
    STICK,
    WORK_TERMS,
)
from ...solvers.rank_revealing import factor, solve
from ..contact_shape import material_velocity, measure_shape, normal_rate, wandering
from ..motion import CONTACT_COUNT, DAMPED, RANK, RIGHT, ROW_OF, SLIPPING, SOLUTION, STOP_COUNT, UNKNOWN_COUNT, WORK

SPEED_RAMP = 0.02  # of a drive's top speed
DAMPED_RATE = 2e-3  # rad/s or m/s; within it, dry friction that is damped instead grows with the rate
CREEP_SPEED = 1e-6  # m/s; slower slip hardly turns


@inlined
def remaining_push(link, effort, rate):
    """Return the share of its effort that a drive can still give: none beyond its top speed, where that speeds it up.

    The share falls to zero within the last part of the speed range, since a jump would make the integrator crawl.
    """
    left, ramp = link.velocity_limit - abs(rate), SPEED_RAMP * link.velocity_limit
    if effort * rate <= 0.0 or left >= ramp:  # also without a top speed, where both are infinite
        return 1.0
    return max(0.0, left / ramp)


@inlined
def dry_effort(link, slide, rate, damped):
    """Return the effort of a joint's dry friction while it slides in the direction ``slide``, or is damped instead."""
    if damped:
        return -link.friction * min(1.0, max(-1.0, rate / DAMPED_RATE))
    return -link.friction * slide


@inlined
def load_joints(system, motion, q, v):
    """Fill efforts and inertias of the joints: drives with their gains, damping, springs, friction; weld what holds."""
    links, bodies, dofs = system.links, system.bodies, system.dofs
    for i in range(len(links)):
        link, j = links[i], links[i].velocity_index
        if link.joint_kind == FREE:
            for k in range(j, j + 6):
                dofs[EFFORT, k], dofs[APPLIED, k], dofs[ADDED, k] = dofs[FEED, k], dofs[FEED, k], 0.0
            continue
        position = q[link.position_index]
        drive = dofs[FEED, j] + dofs[STIFFNESS, j] * (dofs[TARGET, j] - position) - dofs[DAMPING, j] * v[j]
        dofs[EFFORT, j] = limit_effort(link, drive, v[j]) * remaining_push(link, drive, v[j])
        applied = dofs[EFFORT, j] - link.damping * v[j] - link.stiffness * (position - link.rest_position)
        damped = motion.step[DAMPED] > 0.0
        bodies[i].locked = 1 if link.friction > 0.0 and system.slides[i] == 0.0 and not damped else 0
        dofs[APPLIED, j] = applied + dry_effort(link, system.slides[i], v[j], damped)
        dofs[ADDED, j] = link.rotor_inertia
        dofs[HOLD, j] = 0.0


@inlined
def list_constraints(system, motion):
    """List the contacts that bear and the joints at a limit, place the contacts, and fill G of all their rows."""
    links, bodies, contacts = system.links, system.bodies, system.contacts
    rows, efforts, G = system.rows, system.row_efforts, system.G
    count = 0
    for k in range(len(contacts)):
        if contacts[k].closed:
            measure_shape(contacts[k], motion.points[k], bodies, system.terrain[0], system.heights)
            set_tangents(contacts[k])
            system.active[count] = k
            hand_in_contact(links, bodies, contacts[k], rows, efforts, 3 * count)
            count += 1
    couple_contacts(links, bodies, rows, efforts, G, count, system.columns)
    stops = 0
    for i in range(len(links)):
        if motion.stops[i] != 0.0 and not bodies[i].locked:
            r = 3 * count + stops
            system.limited[stops], system.sides[r] = i, motion.stops[i]
            fill_joint_row(system, i, motion.stops[i], r)
            stops += 1
    motion.counts[CONTACT_COUNT], motion.counts[STOP_COUNT] = count, stops


@inlined
def free_accelerations(system, motion):
    """Fill ``J a + dJ/dt v`` of all rows without contact forces (after the articulated body method)."""
    bodies, b = system.bodies, system.offsets
    fall = spatial(bodies[-1].acceleration).linear
    for k in range(motion.counts[CONTACT_COUNT]):
        contact, point = system.contacts[system.active[k]], motion.points[system.active[k]]
        turning = normal_rate(contact, point, bodies, system.terrain[0], system.heights)
        material = vsub(point_acceleration(bodies[contact.link], vector(contact.position)), fall)
        put_components(contact, vadd(material, wandering(contact, point, bodies, turning)), b, 3 * k)
        b[3 * k] += vdot(turning, material_velocity(contact, bodies))
    for k in range(motion.counts[STOP_COUNT]):
        r = 3 * motion.counts[CONTACT_COUNT] + k
        j = system.links[system.limited[k]].velocity_index
        b[r] = system.sides[r] * system.dofs[ACCELERATION, j]


@inlined
def touch_velocities(system, motion):
    """Fill the touching points' velocities in their records."""
    for k in range(motion.counts[CONTACT_COUNT]):
        contact = system.contacts[system.active[k]]
        put_components(contact, material_velocity(contact, system.bodies), contact.end_velocity, 0)


@inlined
def slip_direction(contact, point):
    """Return the direction of slip along the tangents; where it creeps or has reversed within a step, near the old one.

    The direction of a slip v turns at a rate that grows with 1 / |v|. Two pairs of feet that pull against one another
    can creep for milliseconds, and the integrator with them: a trace of speed along the old direction bounds the rate.
    """
    x, y = contact.end_velocity[1], contact.end_velocity[2]
    old_x, old_y = point.slip_direction[0], point.slip_direction[1]
    along, across = max(0.0, x * old_x + y * old_y) + CREEP_SPEED, y * old_x - x * old_y
    size = math.sqrt(along * along + across * across)
    return (along * old_x - across * old_y) / size, (along * old_y + across * old_x) / size


@inlined
def list_unknowns(system, motion):
    """List the rows whose acceleration vanishes, one unknown force for each; return how many."""
    count, rows, slipping = 0, motion.unknowns[ROW_OF], motion.unknowns[SLIPPING]
    for k in range(motion.counts[CONTACT_COUNT]):
        mode = system.contacts[system.active[k]].mode
        for m in range(3 if mode == STICK else 1):
            rows[count], slipping[count] = 3 * k + m, 1 if mode == SLIP else 0
            count += 1
    for k in range(motion.counts[STOP_COUNT]):
        rows[count], slipping[count] = 3 * motion.counts[CONTACT_COUNT] + k, 0
        count += 1
    motion.counts[UNKNOWN_COUNT] = count
    return count


@inlined
def select_forces(system, motion):
    """Find the forces that keep the listed rows from accelerating, with the selection matrix."""
    G, M = system.G, motion.M
    rows, slipping, n = motion.unknowns[ROW_OF], motion.unknowns[SLIPPING], list_unknowns(system, motion)
    mu = motion.flow[0].dynamic_friction
    for b in range(n):
        s, first, second = rows[b], 0.0, 0.0
        if slipping[b]:
            k = system.active[s // 3]
            first, second = slip_direction(system.contacts[k], motion.points[k])
        for a in range(n):
            M[a, b] = G[rows[a], s]
            if slipping[b]:
                M[a, b] -= mu * (first * G[rows[a], s + 1] + second * G[rows[a], s + 2])
    for a in range(n):
        motion.vectors[RIGHT, a] = -system.offsets[rows[a]]
    solve_rows(motion, n)


@inlined
def spread_forces(system, motion):
    """Write the forces of all rows and of the contacts from the unknowns (row SOLUTION)."""
    z, rows, slipping = system.impulses, motion.unknowns[ROW_OF], motion.unknowns[SLIPPING]
    f, mu = motion.vectors[SOLUTION], motion.flow[0].dynamic_friction
    for r in range(3 * motion.counts[CONTACT_COUNT] + motion.counts[STOP_COUNT]):
        z[r] = 0.0
    for b in range(motion.counts[UNKNOWN_COUNT]):
        z[rows[b]] = f[b]
        if slipping[b]:
            k = system.active[rows[b] // 3]
            first, second = slip_direction(system.contacts[k], motion.points[k])
            z[rows[b] + 1], z[rows[b] + 2] = -mu * first * f[b], -mu * second * f[b]
    for k in range(motion.counts[CONTACT_COUNT]):
        for m in range(3):
            system.contacts[system.active[k]].force[m] = z[3 * k + m]


@inlined
def push_robot(system, motion):
    """Write what the forces of all rows add to the accelerations, and to what dry friction has to hold."""
    contacts = motion.counts[CONTACT_COUNT]
    apply_impulses(system, contacts, 3 * contacts + motion.counts[STOP_COUNT], system.impulses)
    add_contact_hold(system, 1.0)


@inlined
def constrained_forces(system, motion, y):
    """Find the forces of all rows, (normal, tangents) per contact, then joint stops, and what they add to the motion.

    The way of `hybrid`; ``y`` is not needed, since all it says is in G and the offsets.
    """
    select_forces(system, motion)
    spread_forces(system, motion)
    push_robot(system, motion)


@inlined
def factor_rows(motion, n):
    """Factor the matrix M of n rows."""
    motion.counts[RANK] = factor(motion.M, n, motion.order, motion.normal)


@inlined
def solve_factored(motion, n):
    """Write the solution of ``M x = b`` for the row RIGHT to the row SOLUTION (after `factor_rows`)."""
    v = motion.vectors
    solve(motion.M, n, motion.counts[RANK], motion.order, motion.normal, v[RIGHT], v[SOLUTION], v[WORK])


@inlined
def solve_rows(motion, n):
    """Factor M and solve."""
    factor_rows(motion, n)
    solve_factored(motion, n)


@inlined
def book_power(system, motion, v, out):
    """Write the power of everything that acts, W, and the contact forces in world axes, N, to ``out``."""
    works, impulses = out[: len(WORK_TERMS)], out[len(WORK_TERMS) :]
    for k in range(len(out)):
        out[k] = 0.0
    for i in range(len(system.links)):
        link, j = system.links[i], system.links[i].velocity_index
        if link.joint_kind == FREE:
            for k in range(j, j + 6):
                works[ACTUATORS] += system.dofs[EFFORT, k] * v[k]
        else:
            works[ACTUATORS] += system.dofs[EFFORT, j] * v[j]
            dry = dry_effort(link, system.slides[i], v[j], motion.step[DAMPED] > 0.0)
            works[JOINT_LOSSES] += (dry - link.damping * v[j]) * v[j]
    for k in range(motion.counts[CONTACT_COUNT]):
        index = system.active[k]
        contact = system.contacts[index]
        works[CONTACT_NORMAL] += contact.force[0] * contact.end_velocity[0]
        works[CONTACT_TANGENTIAL] += contact.force[1] * contact.end_velocity[1]
        works[CONTACT_TANGENTIAL] += contact.force[2] * contact.end_velocity[2]
        force = world_impulse(contact, contact.force, 0)
        for m in range(3):
            impulses[3 * index + m] = force[m]


@inlined
def external_power(system):
    """Return the power of the external wrenches in the present motion, W."""
    total = 0.0
    for i in range(len(system.links)):
        motion, force = spatial(system.bodies[i].velocity), vector(system.forces[i])
        velocity = world_velocity(system.bodies, velocity_at(motion, vector(system.bodies[i].position)))
        total += vdot(force, velocity) + vdot(vector_at(system.forces[i], 3), motion.angular)
    return total


@inlined
def derivative(system, motion, find_forces, y, out):
    """Write dy/dt of the extended state in the present modes; leaves bodies, contacts and forces as they are there.

    ``find_forces`` is that of `Laws`.
    """
    links, bodies, dofs = system.links, system.bodies, system.dofs
    nv = dofs.shape[1]
    nq = len(system.state) - nv
    q, v = y[:nq], y[nq : nq + nv]
    pushed = external_forces_act(system.forces)
    place_bodies(links, bodies, q, v)
    if pushed:
        apply_external_forces(links, bodies, system.forces)
    load_joints(system, motion, q, v)
    gather_inertias(links, bodies, dofs[APPLIED], dofs[ADDED])
    spread_accelerations(links, bodies, dofs[ACCELERATION])
    hold_efforts(system, v, 1.0)
    invert_roots(links, bodies)
    list_constraints(system, motion)
    touch_velocities(system, motion)
    free_accelerations(system, motion)
    for j in range(nv):
        dofs[CHANGE, j] = 0.0
    if motion.counts[CONTACT_COUNT] + motion.counts[STOP_COUNT] > 0:
        find_forces(system, motion, y)
    for j in range(nv):
        out[nq + j] = dofs[ACCELERATION, j] + dofs[CHANGE, j]
    coordinate_rates(links, q, v, out[:nq])
    book_power(system, motion, v, out[nq + nv :])
    if pushed:
        out[nq + nv + EXTERNAL] += external_power(system)
