"""One time step with contact, shared by the time-stepping models.

Half a position step with the old velocities, free ones by the articulated body method at the midpoint, impulses from
the contact problem on end velocities, half a position step with the new ones. A contact acts when its gap would be
closed at the end of the step, and the end velocities leave that gap non-negative: w_n >= -2 gap / h at the midpoint.

A point that was away from the ground and hits it faster than a threshold splits the step at that instant: the motion
goes on to the ground, an impact with restitution changes the velocities, and the rest of the step follows.

Each part of a step is predicted, its contacts are detected, their impulses solved for, and the result is committed
(`try_part`). Other coordinates bring phases of their own (`cuts`).
"""

import math
from collections.abc import Callable
from typing import Any

from ...actuation.joint_laws import (
    add_contact_hold,
    drive_joints,
    guess_slides,
    hold_efforts,
    revise_drives,
    revise_slides,
)
from ...actuation.rows import ACCELERATION, ADDED, APPLIED, CHANGE, FREE_VELOCITY, MIDDLE, TREND
from ...dynamics.articulated_body import apply_external_forces, gather_inertias, spread_from_inverses
from ...dynamics.contact_inertia import invert_roots
from ...dynamics.kinematics import carry_two_velocities, place_bodies
from ...dynamics.manifold import move
from ...jit import Call, anywhere, choose, inlined, inlined_always
from ...terrain.motion import tilt_halfway
from ..bookkeeping import book_contacts, book_failure, book_solution, forget_solutions, solutions_so_far
from ..constraint_rows import closing_speed, fill_limit_offsets, fill_rows, find_limits, passes_limit
from ..impulses import apply_impulses, external_forces_act, release_joints
from ..joint_rows import append_joint_rows, drop_rows, give_to_rows, joint_laws_are_rows, take_from_rows
from ..records import FACTORED, JOINT_ROWS, PASS_LIMIT
from ..system import NEEDED, SOLVER, System
from .acting_contacts import (
    AT_MIDPOINT,
    NO_ROOM,
    PREDICTED,
    Acting,
    append_overlooked,
    carry_free,
    find_contacts,
    first_limit,
)
from .finishing import finish_impact, finish_step
from .impacts import STOP, begin_or_resume, gains_energy, next_part, suspend

ROW_PASSES = 5  # after which the laws of joints that do not settle become rows of the contact problem
MAX_PASSES = 40  # over a step, while dry joints change between holding and sliding, or drives reach their limits


@inlined
def free_end(system, v, h):
    """Fill the velocities at the end of the step if nothing touches; held joints end at rest.

    Leaves every body's motion with the velocities at the start in ``velocity``, with the free ones in ``jump``.
    """
    links, bodies, dofs = system.links, system.bodies, system.dofs
    for j in range(len(v)):
        dofs[FREE_VELOCITY, j] = v[j] + h * dofs[ACCELERATION, j]
    for i in range(len(links)):
        held = bodies[i].locked != 0
        if anywhere(held):
            j = links[i].velocity_index
            dofs[FREE_VELOCITY, j] = choose(held, 0.0, dofs[FREE_VELOCITY, j])
    carry_two_velocities(links, bodies, v, dofs[FREE_VELOCITY])


@inlined
def fill_offsets(system, contacts, h, settings, bounce):
    """Fill the contacts' velocities without impulses and the first guesses.

    In a step of length ``h`` > 0, the gap enters as the speed that closes it by the end; in an impact (h = 0),
    restitution as the rebound that it asks for: w_n^+ >= -e w_n^-, and likewise along the tangents. ``bounce`` is 0
    or 1: whether restitution acts. Friction acts against the tangential velocity at the end pose (`set_turning`).
    """
    for k in range(contacts):
        contact, r = system.contacts[system.active[k]], 3 * k
        approach, tangential = contact.start_velocity[0], 0.0
        if settings.activation == AT_MIDPOINT or (h == 0.0 and -approach > settings.impact_threshold):
            extra, tangential = bounce * settings.restitution * approach, bounce * settings.tangential_restitution
        elif h > 0.0:
            extra = max(closing_speed(contact.gap, max(h, settings.time_step)), -settings.recovery_speed)
        else:
            extra = 0.0
        system.offsets[r] = contact.free_velocity[0] + extra
        set_turning(contact, h if settings.activation == PREDICTED else 0.0)
        for m in range(1, 3):
            own = tangential * contact.start_velocity[m] + contact.turning[m - 1]
            system.offsets[r + m] = contact.free_velocity[m] + own
        for m in range(3):
            system.impulses[r + m] = contact.force[m] * h if settings.warm_start else 0.0


@inlined
def set_turning(contact, h):
    """Set what the turning of the robot adds to a sticking point's velocity from the middle to the end of the step.

    Velocities are taken with the Jacobian J in the middle; at the end pose the same v gives J v + (h / 2) J' v. For
    a point that stuck in the last step, J' v shows in the change of its velocity from that step's Jacobian to this
    one's, at the same v. Without it, a foot that sticks creeps at the rate h J' v / 2, and friction works on that.
    """
    share = h / (h + contact.lapse) if contact.stuck == 1 and h > 0.0 else 0.0
    contact.turning[0] = share * (contact.start_velocity[1] - contact.end_velocity[1])
    contact.turning[1] = share * (contact.start_velocity[2] - contact.end_velocity[2])


@inlined
def go_halfway(system, h):
    """Move robot and ground to their poses in the middle of a step of length ``h``, s, with predicted velocities."""
    dofs = system.dofs
    nv = dofs.shape[1]
    nq = len(system.state) - nv
    v = system.state[nq:]
    move(system.links, system.state[:nq], v, 0.5 * h, system.result[:nq])
    tilt_halfway(system.terrain[0], h)
    for j in range(nv):
        dofs[MIDDLE, j] = v[j] + 0.5 * h * dofs[TREND, j]


@inlined
def place_and_drive(system, h, pushed):
    """Put the bodies into the middle pose, with what acts on them from outside and in the joints."""
    links, bodies, nq = system.links, system.bodies, len(system.state) - system.dofs.shape[1]
    place_bodies(links, bodies, system.result[:nq], system.dofs[MIDDLE])
    if pushed:
        apply_external_forces(links, bodies, system.forces)
    if h > 0.0:
        drive_joints(system, system.result[:nq], system.state[nq:], h)
    else:
        release_joints(system)


@inlined
def use_mean_velocities(system):
    """Set the velocities in the middle of the step to the mean of those at its start and those found for its end."""
    nv = system.dofs.shape[1]
    nq = len(system.state) - nv
    for j in range(nv):
        system.dofs[MIDDLE, j] = 0.5 * (system.state[nq + j] + system.result[nq + j])


@inlined_always
def begin_part(system, part, settings):
    """Go to the middle pose; joints with dry friction begin as they move."""
    go_halfway(system, part.length)
    if settings.dry:
        guess_slides(system.links, system.slides, system.state[len(system.state) - system.dofs.shape[1] :])


@inlined
def restitution_acts(settings):
    """Return 1 if impacts rebound, else 0."""
    return 1.0 if settings.restitution > 0.0 or settings.tangential_restitution > 0.0 else 0.0


@inlined
def take_free_velocities(system):
    """Let a part in which nothing acts end with the free velocities."""
    start = len(system.state) - system.dofs.shape[1]
    for j in range(system.dofs.shape[1]):
        system.result[start + j] = system.dofs[FREE_VELOCITY, j]


@inlined
def add_changes(system):
    """Let a part end with the free velocities and what the impulses change."""
    start = len(system.state) - system.dofs.shape[1]
    for j in range(system.dofs.shape[1]):
        system.result[start + j] = system.dofs[FREE_VELOCITY, j] + system.dofs[CHANGE, j]


@inlined
def fill_unilateral_offsets(system, acting, h, settings, bounce):
    """Fill the velocities without impulses of contacts and joint limits, and the first guesses."""
    q_middle = system.result[: len(system.state) - system.dofs.shape[1]]
    fill_offsets(system, acting.contacts, h, settings, bounce)
    whole = max(h, settings.time_step) if h > 0.0 else 0.0
    fill_limit_offsets(system, acting.contacts, acting.joints, q_middle, whole)


@inlined
def append_pressed(system, part, acting, settings, carry_free):
    """List the contacts and joint limits that the impulses press, too; return what acts then."""
    dofs, h, contacts, joints = system.dofs, part.length, acting.contacts, acting.joints
    nq = len(system.state) - dofs.shape[1]
    q_middle, v_end = system.result[:nq], system.result[nq:]
    if settings.activation == PREDICTED:
        contacts = append_overlooked(system, h, contacts, part.arrivals, carry_free)
        if contacts > len(system.active):
            return Acting(contacts, joints, NO_ROOM)
    if joints > 0 or passes_limit(dofs, v_end, h):
        joints = find_limits(system, q_middle, v_end, h, contacts, joints)
    return Acting(contacts, joints, acting.first)


@inlined_always
def predict(system, method, part, pushed, settings):
    """Find the free velocities at the end of a part: the articulated body method in the middle pose."""
    links, bodies, dofs, h = system.links, system.bodies, system.dofs, part.length
    v = system.state[len(system.state) - dofs.shape[1] :]
    place_and_drive(system, h, pushed)
    gather_inertias(links, bodies, dofs[APPLIED], dofs[ADDED])
    invert_roots(links, bodies)
    spread_from_inverses(links, bodies, dofs[ACCELERATION])
    if settings.dry:
        hold_efforts(system, v, h)
    free_end(system, v, h)


@inlined_always
def detect(system, method, part, settings):
    """List the contacts and joint limits that act with the free velocities; return `Acting`."""
    return detect_by(system, part, settings, find_contacts)


@inlined_always
def detect_by(system, part, settings, find_contacts):
    """List the contacts, by a function that finds them, and the joint limits that act; return `Acting`."""
    dofs, h = system.dofs, part.length
    nq = len(system.state) - dofs.shape[1]
    q_middle, v, joints = system.result[:nq], system.state[nq:], 0
    contacts, first = find_contacts(system, h if h > 0.0 else part.arrival, settings, part.arrivals)
    if contacts > len(system.active):
        return Acting(contacts, 0, NO_ROOM)
    if h == 0.0 or passes_limit(dofs, dofs[FREE_VELOCITY], h):
        joints = find_limits(system, q_middle, dofs[FREE_VELOCITY], h, contacts, 0)
    if part.arrivals == STOP and joints > 0:
        first = min(first, first_limit(system, q_middle, v, h, settings))
    return Acting(contacts, joints, first)


@inlined
def need_all_rows(system, contacts, joints, h, settings):
    """Leave the problem to a solver that needs G."""
    return 0, math.inf, False


@inlined
def leave_rows(system, contacts, rows):
    """Leave the rows of contacts and limits as they are: nothing closes the tree."""


@inlined
def apply_all(system, contacts, rows):
    """Change the velocities by the impulses of contacts and limits."""
    apply_impulses(system, contacts, rows, system.impulses)
    add_changes(system)


@inlined_always
def solve_impulses(system, solve, part, acting, settings):
    """Find the impulses and the end velocities; return what acts in the end."""
    return iterate_impulses(system, solve, part, acting, settings, need_all_rows, leave_rows, apply_all, carry_free)


@inlined_always
def iterate_impulses(system, solve, part, acting, settings, solve_without_G, close_rows, apply, carry_free):
    """Find the impulses and the end velocities; return what acts in the end.

    A step is solved again with the contacts and limits that the impulses press, an impact with less restitution where
    it would gain energy. ``solve_without_G(system, contacts, joints, h, settings)`` has the first try, with the result
    of ``solve``; ``close_rows`` lets closures of the tree, or collisions, take part in the rows; ``apply`` changes the
    velocities by the impulses that were found; ``carry_free`` sets the bodies' motion back to the free one.
    """
    h, laws, bounce = part.length, joint_laws_are_rows(system), restitution_acts(settings)
    again = acting.contacts + acting.joints > 0 or laws
    iterations, residual, solved = 0, 0.0, True
    if not again:
        take_free_velocities(system)
    while again:
        contacts, rows = acting.contacts, 3 * acting.contacts + acting.joints
        fill_unilateral_offsets(system, acting, h, settings, bounce)
        steps, residual, solved = 0, math.inf, False
        if h > 0.0 and not laws:
            steps, residual, solved = solve_without_G(system, contacts, acting.joints, h, settings)
        iterations, system.ledger[SOLVER + FACTORED] = iterations + steps, 1.0 if solved else 0.0
        if not solved:
            fill_rows(system, contacts, acting.joints)
            if laws:
                rows += append_joint_rows(system, system.state[len(system.state) - system.dofs.shape[1] :], h, rows)
            close_rows(system, contacts, rows)
            steps, residual, solved = solve(system, contacts, rows, h, settings)
            iterations += steps
        again = h == 0.0 and gains_energy(system, contacts, system.impulses, bounce)
        apply(system, contacts, rows)
        if h == 0.0:
            bounce = 0.0
        else:
            more = append_pressed(system, part, acting, settings, carry_free)
            again, acting = more.contacts > contacts or more.joints > acting.joints, more
            if acting.first == NO_ROOM:
                break
    book_solution(system.ledger, iterations, residual, solved)
    return acting


@inlined_always
def revise(system, method, part, acting, passes, settings):
    """Bring the cases of drives and dry friction up to date; return whether the part needs another pass."""
    h = part.length
    nq = len(system.state) - system.dofs.shape[1]
    v, v_end = system.state[nq:], system.result[nq:]
    if h == 0.0:
        return False
    again = False
    if acting.contacts + acting.joints > 0 or joint_laws_are_rows(system):
        if settings.dry:
            add_contact_hold(system, h)
    elif passes == 0:  # nothing to solve: a second pass, with better velocities in the middle, costs little
        use_mean_velocities(system)
        again = True
    again = revise_drives(system, v, v_end, h, passes) or again
    if settings.dry:
        again = revise_slides(system, v_end, passes) or again
    if again and passes + 1 == ROW_PASSES:
        system.ledger[SOLVER + JOINT_ROWS] = give_to_rows(system, v, h)
    return again


@inlined_always
def commit(system, part, acting, pushed, settings):
    """Let state, contacts' records and ledger be those of the end of the part."""
    if joint_laws_are_rows(system):
        v_end = system.result[len(system.state) - system.dofs.shape[1] :]
        take_from_rows(system, v_end, part.length, 3 * acting.contacts + acting.joints)
    book_contacts(system, acting.contacts, part.length, system.impulses, settings)
    if part.length > 0.0:
        finish_step(system, part.length, acting.contacts, acting.joints, pushed)
    else:
        finish_impact(system, acting.contacts, acting.joints)


@inlined_always
def try_part(system, method, part, settings, predict, detect, solve, revise):
    """Try a part of a step: predict, detect, solve, commit. ``method`` is what its phases need besides the system.

    Returns the time of an impact inside the part that must be resolved first, or NO_ROOM; then nothing is done.
    Otherwise inf.
    """
    pushed = external_forces_act(system.forces)
    acting, passes, again = Acting(0, 0, math.inf), 0, True
    before = solutions_so_far(system.ledger)
    begin_part(system, part, settings)
    while again and passes < MAX_PASSES:
        forget_solutions(system.ledger, before)
        predict(system, method, part, pushed, settings)
        acting = detect(system, method, part, settings)
        if acting.first >= part.length:
            acting = solve(system, method, part, acting, settings)
        if acting.first < part.length:
            system.pending[NEEDED] = acting.contacts
            drop_rows(system)
            forget_solutions(system.ledger, before)
            return acting.first
        again = revise(system, method, part, acting, passes, settings)
        passes += 1
    if again:
        book_failure(system.ledger, PASS_LIMIT)
    commit(system, part, acting, pushed, settings)
    return math.inf


@inlined_always
def advance_parts(system, method, h, settings, predict, detect, solve, revise):
    """One whole step of length ``h``, s, or the rest of one that is pending, with its impacts one after another.

    Returns whether it is done; if not, there is no room for the contacts that act, and the step is pending.
    """
    part, left, impacts = begin_or_resume(system, h)
    while left > 0.0:
        found = try_part(system, method, part, settings, predict, detect, solve, revise)
        if found == NO_ROOM:
            suspend(system, part, left, impacts)
            return False
        part, left, impacts = next_part(found, part, left, impacts)
    return True


@inlined_always
def advance(system, h, settings, solve):
    """One whole step of length ``h``, s, in the robot's own coordinates.

    ``solve(system, contacts, rows, h, settings)`` solves the contact problem and returns its iterations, the residual,
    and whether that is good enough. Returns whether the step is done (see `advance_parts`).
    """
    return advance_parts(system, solve, h, settings, predict, detect, solve_impulses, revise)


def large_helpers(system: System, settings: Any, solve: Callable[..., Any]) -> list[Call]:
    """Return half of the work of compiling a step, for a second processor, in the order in which it is needed."""
    return [
        Call(find_contacts, (system, 0.0, settings, STOP)),
        Call(fill_rows, (system, 0, 0)),
        Call(solve, (system, 0, 0, 0.0, settings)),
        Call(book_contacts, (system, 0, 0.0, system.impulses, settings)),
    ]
