"""What a step leaves behind: contact records, works and solver figures in the ledger."""

from ..actuation.rows import CHANGE
from ..dynamics.kinematics import carry_velocities
from ..dynamics.record_fields import put_vector, spatial, vector, vector_at
from ..dynamics.spatial import vadd, vdot, velocity_at, vscale
from ..jit import inlined, shared
from .constraint_rows import CLOSED_GAP
from .detection import normal_change
from .records import (
    COMPLIANCE,
    CONTACT_NORMAL,
    CONTACT_TANGENTIAL,
    CONTACTS,
    IMPACTS,
    ITERATION_LIMIT,
    ITERATIONS,
    MOVING_GROUND,
    OPEN,
    REASON,
    RESIDUAL,
    STICK,
    UNCONVERGED,
)
from .system import SOLVER

BEARING_GAP = 1e-5  # m
SOFTEST_IMPACT = 1e-3  # of the threshold below which restitution ends; a softer arrival is no event at all


@inlined
def clear_report(system):
    """Forget the last step's impulses and solver figures (counts of bad steps go on)."""
    for contact in system.contacts:
        contact.impulse[0], contact.impulse[1], contact.impulse[2] = 0.0, 0.0, 0.0
    for k in (ITERATIONS, RESIDUAL, IMPACTS, CONTACTS, COMPLIANCE, REASON):
        system.ledger[SOLVER + k] = 0.0


@inlined
def book_solution(ledger, iterations, residual, solved):
    """Enter what the solver did in the ledger."""
    ledger[SOLVER + ITERATIONS] += iterations
    ledger[SOLVER + RESIDUAL] = max(ledger[SOLVER + RESIDUAL], residual)
    if not solved:
        book_failure(ledger, ITERATION_LIMIT)


@inlined
def book_failure(ledger, reason):
    """Enter that the step is unconverged, and why."""
    ledger[SOLVER + UNCONVERGED] += 1.0
    ledger[SOLVER + REASON] = reason


@inlined
def solutions_so_far(ledger):
    """Return the step's largest residual so far, the number of unconverged steps, and the reason of the last one."""
    return ledger[SOLVER + RESIDUAL], ledger[SOLVER + UNCONVERGED], ledger[SOLVER + REASON]


@inlined
def forget_solutions(ledger, before):
    """Go back to `solutions_so_far` before solves whose impulses are not taken.

    Their iterations were spent all the same, and their compliance stays in force to the end of the step.
    """
    ledger[SOLVER + RESIDUAL], ledger[SOLVER + UNCONVERGED], ledger[SOLVER + REASON] = before


@inlined
def count_step_once(ledger, before):
    """Let a step count once as unconverged, however many of its solves and passes did not converge."""
    ledger[SOLVER + UNCONVERGED] = min(ledger[SOLVER + UNCONVERGED], before + 1.0)


@inlined
def world_impulse(contact, z, r):
    """Return the impulse vector in world axes of the contact whose rows begin at ``r``, N s."""
    along = vadd(vscale(vector(contact.normal), z[r]), vscale(vector(contact.first_tangent), z[r + 1]))
    return vadd(along, vscale(vector(contact.second_tangent), z[r + 2]))


@inlined
def presses(contacts, z):
    """Return whether any contact has a normal impulse."""
    for k in range(contacts):
        if z[3 * k] > 0.0:
            return True
    return False


@shared
def book_contacts(system, contacts, h, z, settings):
    """Enter the impulses in the contacts' records and their work in the ledger.

    The normal force works along the change of the gap, since the last step for a point that touched; the tangential
    force along the displacement, the mean of the velocities before and after; an impact's impulses on that mean too.
    Within a step this may be positive, by at most the force times h^2 a / 4, where a is the normal acceleration of the
    point's curved path (docs/contact/exact_lcp.md); over steps the gap's changes sum up to nothing.

    An impact that does nothing is one of a point that leaves at the impact's pose and, on its curved path, approaches
    at the middle of the rest: when that happens again it counts as touching, or it would be hit for ever.
    """
    empty = h == 0.0 and not presses(contacts, z)
    for k in range(contacts):
        contact, r = system.contacts[system.active[k]], 3 * k
        contact.mode = system.modes[k]
        repeated = empty and contact.lapse == 0.0
        contact.stuck, contact.lapse = 1 if contact.mode == STICK else 0, h
        change = velocity_at(spatial(system.bodies[contact.motion].jump), vector(contact.position))
        contact.end_velocity[0] = contact.free_velocity[0] + vdot(vector(contact.normal), change)
        contact.end_velocity[1] = contact.free_velocity[1] + vdot(vector(contact.first_tangent), change)
        contact.end_velocity[2] = contact.free_velocity[2] + vdot(vector(contact.second_tangent), change)
        if h > 0.0:
            gap_before = contact.end_gap if contact.closed else contact.gap - 0.5 * h * contact.start_velocity[0]
            gap_after = contact.gap + 0.5 * h * contact.end_velocity[0]
            system.ledger[CONTACT_NORMAL] += z[r] * (gap_after - gap_before) / h
        else:
            system.ledger[CONTACT_NORMAL] += 0.5 * z[r] * (contact.start_velocity[0] + contact.end_velocity[0])
        tangential = z[r + 1] * (contact.start_velocity[1] + contact.end_velocity[1])
        tangential += z[r + 2] * (contact.start_velocity[2] + contact.end_velocity[2])
        system.ledger[CONTACT_TANGENTIAL] += 0.5 * tangential
        if h > 0.0:
            for m in range(3):
                contact.force[m] = z[r + m] / h
        else:
            rebounds = contact.end_velocity[0] > SOFTEST_IMPACT * settings.impact_threshold
            contact.closed = 0 if rebounds and not repeated else 1
            if -contact.start_velocity[0] > settings.impact_threshold:
                system.ledger[SOLVER + IMPACTS] += 1.0
        impulse = world_impulse(contact, z, r)
        put_vector(contact.impulse, vadd(vector(contact.impulse), impulse))
        system.ledger[MOVING_GROUND] += vdot(impulse, vector(contact.ground_velocity))


@inlined
def close_gaps(system, h, contacts):
    """Note every point's gap at the end of the step, and which ones touch there."""
    for contact in system.contacts:
        if contact.mode == OPEN:
            contact.stuck = 0
            contact.force[0], contact.force[1], contact.force[2] = 0.0, 0.0, 0.0
            if contact.near == 0:
                contact.closed = 0
                continue
            change = normal_change(contact, spatial(system.bodies[contact.motion].jump))
            contact.end_velocity[0] = contact.free_velocity[0] + (change if contacts > 0 else 0.0)
        contact.end_gap = contact.gap + 0.5 * h * contact.end_velocity[0]
        # One that bore a load stays closed over a gap that the curvature of its path leaves: it is no flight.
        bearing = contact.mode != OPEN and contact.end_gap <= BEARING_GAP
        contact.closed = 1 if contact.end_gap <= CLOSED_GAP or bearing else 0


@inlined
def external_work(system, v, v_end, h):
    """Return the work of the external wrenches over the step, J."""
    total = 0.0
    for j in range(len(v)):
        system.dofs[CHANGE, j] = 0.5 * (v[j] + v_end[j])
    carry_velocities(system.links, system.bodies, system.dofs[CHANGE])
    for i in range(len(system.links)):
        motion, force = spatial(system.bodies[i].jump), vector(system.forces[i])
        total += vdot(force, velocity_at(motion, vector(system.bodies[i].position)))
        total += vdot(vector_at(system.forces[i], 3), motion.angular)
    return total * h


@inlined
def limit_work(system, contacts, joints, v, v_end):
    """Return the work of the joint limits' impulses, J."""
    total = 0.0
    for k in range(joints):
        r = 3 * contacts + k
        j = system.links[system.limited[k]].velocity_index
        total += system.sides[r] * system.impulses[r] * 0.5 * (v[j] + v_end[j])
    return total
