"""One time step with contact forces that are functions of the state, shared by the models with springs in the ground.

Half a position step with the old velocities gives the middle pose. There every touching point gets a force
``f = f_0 - R (w_1 - w_0) / h``, with the velocities w_0 and w_1 of the point at the start and the end of the step. For
a spring k and a damper d, ``f_0 = -k x_m - d w_0`` and the resistance ``R = h d / 2 + h^2 k / 4`` make this the force
at the mean of the step's end states: the implicit midpoint rule, second order, stable however stiff, and without
error in the spring's energy. Since R multiplies an acceleration it is an inertia, kg: it is added to the body's, and
the articulated body method solves for w_1 at no extra cost. With R = 0 the force is explicit.

Cases (a point that would pull, a point that slips) are revised and the step is solved again, together with the
joints' dry friction. Joint limits are rows of a complementarity problem as in `time_stepping`, without contacts in it.
"""

import math
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from ...actuation.joint_laws import (
    add_contact_hold,
    drive_joints,
    guess_slides,
    hold_efforts,
    revise_drives,
    revise_slides,
)
from ...actuation.rows import ACCELERATION, ADDED, APPLIED, CHANGE, FREE_VELOCITY, MIDDLE, TREND
from ...dynamics.articulated_body import apply_external_forces, gather_inertias, spread_accelerations
from ...dynamics.contact_inertia import invert_roots
from ...dynamics.kinematics import carry_two_velocities, copy, place_bodies
from ...dynamics.record_fields import increase_inertia, increase_spatial, put_spatial, put_vector, spatial, vector
from ...dynamics.spatial import Inertia, add, apply, congruence, force_at, product, scale, vdot, vscale
from ...jit import inlined, inlined_always
from ..bookkeeping import book_failure, clear_report, forget_solutions, solutions_so_far, world_impulse
from ..constraint_rows import fill_joint_row, fill_limit_offsets, find_limits
from ..detection import measure_gap, put_change, put_velocity, set_tangents
from ..impulses import apply_impulses, external_forces_act
from ..parameters import Parameters
from ..records import (
    CONTACT_NORMAL,
    CONTACT_TANGENTIAL,
    CONTACTS,
    ITERATION_LIMIT,
    ITERATIONS,
    MOVING_GROUND,
    OPEN,
    PASS_LIMIT,
)
from ..solvers.gauss_seidel import pgs_kernel
from ..system import SOLVER
from .anchors import SPRING_CONTACT
from .finishing import finish_step
from .rollout import SteppingModel
from .time_stepping import (
    MAX_PASSES,
    free_end,
    go_halfway,
    use_mean_velocities,
)

LIMIT_TOLERANCE, LIMIT_SWEEPS = 1e-12, 10_000  # of the joint limits' complementarity problem


class ForceModel(SteppingModel):
    """A contact model whose forces are functions of the state: all its parameters are numbers of its force law."""

    contact_record: ClassVar[np.dtype] = SPRING_CONTACT
    first_room: ClassVar[int | None] = 0  # forces are no unknowns of a problem

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        self.settings = law_record(parameters)


def law_record(parameters: Parameters, **derived: float) -> np.ndarray:
    """Return a record array (1,) with one float per number of the parameters and those derived, for kernels to read."""
    numbers = {name: value for name, value in asdict(parameters).items() if not isinstance(value, str)} | derived
    law = np.zeros(1, dtype=[(name, "f8") for name in numbers])
    law[0] = tuple(numbers.values())
    return law


@inlined_always
def begin_step(system, h, ahead, land):
    """Go to the middle pose with the old velocities and measure every contact point there.

    A point touches if it does so in the middle of the step or, with ``ahead``, at its start or its foreseeable end. One
    that did not touch in the last step begins to: ``land(contact)``.
    """
    links, bodies, dofs = system.links, system.bodies, system.dofs
    clear_report(system)
    nv = dofs.shape[1]
    nq = len(system.state) - nv
    v = system.state[nq:]
    go_halfway(system, h)
    for j in range(nv):
        dofs[CHANGE, j] = v[j] + h * dofs[TREND, j]
    guess_slides(links, system.slides, v)
    place_again(system)
    carry_two_velocities(links, bodies, v, dofs[CHANGE])
    for contact in system.contacts:
        measure_gap(contact, bodies, system.terrain[0], system.heights, math.inf)
        set_tangents(contact)
        put_velocity(contact, spatial(bodies[contact.link].velocity), contact.start_velocity)
        put_velocity(contact, spatial(bodies[contact.link].jump), contact.end_velocity)
        margin = 0.5 * h * max(contact.start_velocity[0], -contact.end_velocity[0]) if ahead else 0.0
        if contact.gap > max(margin, 0.0):
            contact.mode = OPEN
        elif contact.mode == OPEN:
            land(contact)


@inlined
def count_acting(contacts):
    """Return how many contacts have a force."""
    count = 0
    for contact in contacts:
        if contact.mode != OPEN:
            count += 1
    return count


@inlined
def place_again(system):
    """Put the bodies into the middle pose, with external forces and without anything else in their bias."""
    nq = len(system.state) - system.dofs.shape[1]
    place_bodies(system.links, system.bodies, system.result[:nq], system.dofs[MIDDLE])
    if external_forces_act(system.forces):
        apply_external_forces(system.links, system.bodies, system.forces)


@inlined
def point_inertia(position, normal, along, across):
    """Return the inertia of a point that weighs ``along`` the normal and ``across`` it, kg, in a body's 6x6 inertia.

    With A the 3x3 matrix of the two and p the position, a point's velocity v + w x p makes the force A (v + w x p).
    """
    nx, ny, nz = normal
    x, y, z = position
    excess = along - across
    xx, xy, xz = across + excess * nx * nx, excess * nx * ny, excess * nx * nz
    yy, yz, zz = across + excess * ny * ny, excess * ny * nz, across + excess * nz * nz
    lever = (0.0, -z, y, z, 0.0, -x, -y, x, 0.0)  # p x
    linear = (xx, xy, xz, yy, yz, zz)
    return Inertia(congruence(lever, linear), product(lever, (xx, xy, xz, xy, yy, yz, xz, yz, zz)), linear)


@inlined
def apply_contact_forces(system):
    """Put the forces f_0 and the resistances of all contacts that act on their bodies (after `place_again`).

    A resistance feels the change of the velocities only; what a body accelerates without one (gravity, velocity
    products) is taken off.
    """
    links, bodies = system.links, system.bodies
    if count_acting(system.contacts) == 0:
        return
    for i in range(len(links)):
        carried = add(spatial(bodies[links[i].parent].acceleration), spatial(bodies[i].coriolis))
        put_spatial(bodies[i].acceleration, carried)
    for contact in system.contacts:
        if contact.mode == OPEN:
            continue
        body, position = bodies[contact.link], vector(contact.position)
        along, across = contact.resistance[0], contact.resistance[1]
        resistance = point_inertia(position, vector(contact.normal), along, across)
        idle = apply(resistance, spatial(body.acceleration))
        push = add(force_at(position, world_impulse(contact, contact.force, 0)), idle)
        increase_inertia(body.inertia, resistance)
        increase_spatial(body.bias, scale(push, -1.0))


@inlined_always
def solve_step(system, h):
    """Find the end velocities under the contacts' f_0 and resistances, and their forces; return the joints at a limit.

    Each contact's ``force`` becomes the mean force over the step.
    """
    links, bodies, dofs = system.links, system.bodies, system.dofs
    nv = dofs.shape[1]
    nq = len(system.state) - nv
    v, v_end, q_middle = system.state[nq:], system.result[nq:], system.result[:nq]
    apply_contact_forces(system)
    drive_joints(system, q_middle, v, h)
    gather_inertias(links, bodies, dofs[APPLIED], dofs[ADDED])
    spread_accelerations(links, bodies, dofs[ACCELERATION])
    hold_efforts(system, v, h)
    free_end(system, v, h)
    for contact in system.contacts:
        put_velocity(contact, spatial(bodies[contact.link].jump), contact.free_velocity)
        for m in range(3):
            contact.end_velocity[m] = contact.free_velocity[m]
    for j in range(nv):
        v_end[j] = dofs[FREE_VELOCITY, j]
    joints = stop_at_limits(system, h)
    for contact in system.contacts:
        if contact.mode != OPEN:
            for m in range(3):
                change = (contact.end_velocity[m] - contact.start_velocity[m]) / h
                contact.force[m] -= contact.resistance[min(m, 1)] * change
    return joints


@inlined_always
def stop_at_limits(system, h):
    """Keep joints within their limits by impulses; add what they change to the end velocities, contacts' too.

    Returns how many joints are at a limit. Joints that the impulses drive to theirs are added until there are none.
    """
    bodies, dofs = system.bodies, system.dofs
    nq = len(system.state) - dofs.shape[1]
    v_end, q_middle = system.result[nq:], system.result[:nq]
    joints, found = 0, find_limits(system, q_middle, v_end, h, 0, 0)
    if found == 0:
        return 0
    invert_roots(system.links, bodies)
    while found > joints:
        joints = found
        solve_limits(system, h, joints)
        for j in range(len(v_end)):
            v_end[j] = dofs[FREE_VELOCITY, j] + dofs[CHANGE, j]
        found = find_limits(system, q_middle, v_end, h, 0, joints)
    add_contact_hold(system, h)
    for contact in system.contacts:
        put_change(contact, spatial(bodies[contact.link].jump), contact.end_velocity)
        for m in range(3):
            contact.end_velocity[m] += contact.free_velocity[m]
    return joints


@inlined
def solve_limits(system, h, joints):
    """Find the impulses of the listed joints by projected Gauss-Seidel sweeps, and what they change of velocities."""
    nq = len(system.state) - system.dofs.shape[1]
    for k in range(joints):
        fill_joint_row(system, system.limited[k], system.sides[k], k)
    fill_limit_offsets(system, 0, joints, system.result[:nq], h)
    G, b, z = system.G[:joints, :joints], system.offsets[:joints], system.impulses
    sweeps, change = pgs_kernel(G, b, z[:joints], 1.0, LIMIT_TOLERANCE, LIMIT_SWEEPS)
    system.ledger[SOLVER + ITERATIONS] += sweeps
    if not change <= LIMIT_TOLERANCE:
        book_failure(system.ledger, ITERATION_LIMIT)
    apply_impulses(system, 0, joints, z)


@inlined
def revise_joints(system, h, joints, passes):
    """Let go or hold joints with dry friction, bound or free drives; return whether anything changed.

    A joint at its limit is stopped there by the limit, not by its friction: it is not held for turning round.
    """
    nq = len(system.state) - system.dofs.shape[1]
    v, v_end, velocities = system.state[nq:], system.result[nq:], system.dofs[CHANGE]
    changed = revise_drives(system, v, v_end, h, passes)
    copy(v_end, velocities)
    for k in range(joints):
        velocities[system.links[system.limited[k]].velocity_index] = 0.0
    return revise_slides(system, velocities, passes) or changed


@inlined
def prepare_pass(system, acting, passes):
    """Prepare another pass over the step; before the second one in flight, with the mean velocities of the first."""
    if acting == 0 and passes == 0:
        use_mean_velocities(system)
    place_again(system)


@inlined
def book_forces(system, h):
    """Enter the contacts' impulses in their records and the work of their forces in the ledger.

    The work is the force times the displacement, h times the mean of the velocities at the start and the end.
    What the ground's own motion carries along is the ground's work.
    """
    for contact in system.contacts:
        if contact.mode == OPEN:
            continue
        force, start, end = contact.force, contact.start_velocity, contact.end_velocity
        tangential = force[1] * (start[1] + end[1]) + force[2] * (start[2] + end[2])
        system.ledger[CONTACT_NORMAL] += 0.5 * h * force[0] * (start[0] + end[0])
        system.ledger[CONTACT_TANGENTIAL] += 0.5 * h * tangential
        impulse = vscale(world_impulse(contact, force, 0), h)
        put_vector(contact.impulse, impulse)
        system.ledger[MOVING_GROUND] += vdot(impulse, vector(contact.ground_velocity))


@inlined_always
def end_step(system, h, joints, passes, settled):
    """Second half of the position step and all bookkeeping; contacts hold the forces that acted."""
    acting = count_acting(system.contacts)
    book_forces(system, h)
    # A robot that touches is pushed from outside: nothing keeps its momentum.
    finish_step(system, h, 0, joints, acting > 0 or external_forces_act(system.forces))
    system.ledger[SOLVER + CONTACTS] = acting
    system.ledger[SOLVER + ITERATIONS] += passes
    if not settled:
        book_failure(system.ledger, PASS_LIMIT)


@inlined_always
def advance(system, h, law, ahead, land, press, revise, carry):
    """One step of length ``h``, s, under a force law that four functions make.

    ``land(contact)`` begins the contact of a point that was open: `touch_down`, and what a law keeps of its own.
    ``press(contact, h, law, passes)`` sets f_0 and the resistances of a touching point before each pass over the step,
    ``revise(system, h, law)`` brings the forces up to date with the solved end velocities and returns whether anything
    changed, ``carry(contact, h, law)`` takes a touching point's spring to the end. ``ahead``: see `begin_step`.
    """
    begin_step(system, h, ahead, land)
    passes, joints, settled, before = 0, 0, False, solutions_so_far(system.ledger)
    while not settled and passes < MAX_PASSES:
        forget_solutions(system.ledger, before)
        for contact in system.contacts:
            if contact.mode != OPEN:
                press(contact, h, law, passes)
        acting, joints = count_acting(system.contacts), solve_step(system, h)
        settled = acting > 0 or passes > 0
        settled = not revise_joints(system, h, joints, passes) and settled
        settled = not revise(system, h, law) and settled
        if not settled:
            prepare_pass(system, acting, passes)
        passes += 1
    for contact in system.contacts:
        if contact.mode != OPEN:
            carry(contact, h, law)
    end_step(system, h, joints, passes, settled)
