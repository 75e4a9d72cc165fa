"""Moreau's step in extended and maximal coordinates: free trees, held together by bilateral impulses at cut joints.

Forest velocities u hold six numbers for every body that is cut free. With the bodies placed at the midpoint by the
minimal coordinates, u = J v, and the free trees' end velocities without any impulse are

    u_free = J v + h (u' - J' v),    u' = M^-1 h    of the trees by themselves (articulated body method),

so that the constraints of the cut joints read W_B^T u_end = 0 and joint velocities are read off the ends' relative
motion. The coordinates themselves stay minimal: the cuts cannot drift apart, and what is lost against the minimal set
is speed, not accuracy.

`cut_joints` and `bilateral_rows` say how the joints are opened and which rows close them.
"""

import math
from typing import Any, NamedTuple

from ...actuation.joint_laws import add_contact_hold, hold_efforts, revise_drives, revise_slides
from ...actuation.rows import ACCELERATION, ADDED, APPLIED, CHANGE, FREE_VELOCITY, HOLD
from ...dynamics.articulated_body import gather_inertias, spread_accelerations
from ...dynamics.contact_inertia import invert_roots
from ...dynamics.record_fields import spatial
from ...jit import compiled_long, inlined
from ...model.records import FREE
from ..bookkeeping import forget_solutions, solutions_so_far
from ..constraint_rows import find_limits
from ..detection import measure_gap, normal_change, normal_speed
from ..impulses import apply_impulses
from ..records import OPEN
from ..stepping.acting_contacts import (
    AT_MIDPOINT,
    PREDICTED,
    SIMULTANEOUS,
    Acting,
    activate,
    append_overlooked,
    arrival_time,
    carry_free,
    is_listed,
    speed_bound,
)
from ..stepping.impacts import IMPACT, STOP, gains_energy
from ..stepping.rollout import begin, end
from ..stepping.time_stepping import (
    add_changes,
    advance_parts,
    fill_unilateral_offsets,
    free_end,
    place_and_drive,
    restitution_acts,
    use_mean_velocities,
)
from .bilateral_rows import (
    fill_bilateral_offsets,
    fill_forest_rows,
    keep_reactions,
    list_bilateral,
    recover_bilateral,
    rest_held,
    solve_forest,
)
from .cut_joints import gather_velocities, open_cuts, part_cuts
from .cut_poses import integrate_poses


class Trees(NamedTuple):
    """What the phases of a step in forest coordinates need besides the robot's own system."""

    forest: Any  # System of the free trees; shares all but links, state and dofs with the robot's
    cuts: Any  # `Cuts`
    direct: int  # 1: bilateral rows are solved directly; 0: by prox


@inlined
def list_contacts(forest, h, settings, arrivals):
    """List the contacts with which a solve begins; return how many.

    Without bilateral impulses, the trees' free motion does not say where a point ends up. So the solve begins with
    the points that touched before (AT_MIDPOINT: that are closed there), and adds others at its end.
    """
    count, bodies = 0, forest.bodies
    reach = h * speed_bound(forest, settings.extent) if arrivals != IMPACT else math.inf
    for k in range(len(forest.contacts)):
        contact = forest.contacts[k]
        contact.mode = OPEN
        contact.clearance -= reach
        if contact.clearance > reach or not measure_gap(contact, bodies, forest.terrain[0], forest.heights, reach):
            contact.near, contact.arrival = 0, math.inf
            continue
        contact.start_velocity[0] = normal_speed(contact, spatial(bodies[contact.link].velocity))
        contact.free_velocity[0] = normal_speed(contact, spatial(bodies[contact.link].jump))
        if settings.activation == AT_MIDPOINT:
            acts = contact.gap <= 0.0
        else:
            arrives = arrivals == IMPACT and contact.arrival <= h + SIMULTANEOUS * settings.time_step
            acts = contact.closed == 1 or arrives
        if arrivals == STOP:
            contact.arrival = math.inf
        if acts:
            activate(contact, bodies[contact.link])
            forest.active[count] = k
            count += 1
    return count


@inlined
def first_arrival(forest, h, settings, contacts):
    """Return when the first point that does not act yet hits the ground on its way to the solved end, s."""
    first = math.inf
    for k in range(len(forest.contacts)):
        contact = forest.contacts[k]
        if contact.near and contact.closed == 0 and not is_listed(forest.active, contacts, k):
            end = contact.free_velocity[0] + normal_change(contact, spatial(forest.bodies[contact.link].jump))
            if contact.gap + 0.5 * h * end <= 0.0:
                contact.arrival = arrival_time(contact.gap, contact.start_velocity[0], end, h, settings)
                first = min(first, contact.arrival)
    return first


@inlined
def gather_holds(system, forest, h):
    """Take over what the forest's inner held joints ask of their friction."""
    add_contact_hold(forest, h)
    for i in range(len(system.links)):
        if forest.links[i].joint_kind != FREE and system.bodies[i].locked:
            j = system.links[i].velocity_index
            system.dofs[HOLD, j] = forest.dofs[HOLD, j]


@inlined
def touches(system, contacts):
    """Return whether any of the contacts that act carries an impulse."""
    for k in range(contacts):
        if system.modes[k] != OPEN:
            return True
    return False


@inlined
def fold_change(system):
    """Count the bilateral impulses' change of the points' velocities to the free ones, when nothing else acts."""
    for contact in system.contacts:
        if contact.near:
            contact.free_velocity[0] += normal_change(contact, spatial(system.bodies[contact.link].jump))


@inlined
def predict(system, trees, part, pushed, settings):
    """Find the free velocities of the trees at the end of a part, and how their ends come apart."""
    forest, cuts, h = trees.forest, trees.cuts, part.length
    v = system.state[len(system.state) - system.dofs.shape[1] :]
    place_and_drive(system, h, pushed)
    open_cuts(system, forest, cuts, v, h)
    gather_inertias(forest.links, forest.bodies, forest.dofs[APPLIED], forest.dofs[ADDED])
    spread_accelerations(forest.links, forest.bodies, forest.dofs[ACCELERATION])
    invert_roots(forest.links, forest.bodies)
    hold_efforts(forest, forest.state, h)
    free_end(forest, forest.state, h)
    gather_velocities(system, forest, cuts, FREE_VELOCITY)
    part_cuts(forest.bodies, cuts)


@inlined
def detect(system, trees, part, settings):
    """List the contacts and joint limits with which the solve begins; return `Acting`."""
    h, nq = part.length, len(system.state) - system.dofs.shape[1]
    contacts = list_contacts(trees.forest, h if h > 0.0 else part.arrival, settings, part.arrivals)
    joints = find_limits(system, system.result[:nq], system.state[nq:], h, contacts, 0)
    return Acting(contacts, joints, math.inf)


@inlined
def solve_impulses(system, trees, part, acting, settings):
    """Find the impulses and the end velocities; return what acts in the end, and a new contact's arrival, if any.

    As in `time_stepping`, with the bilateral rows of the cuts after the others.
    """
    forest, cuts, h, z = trees.forest, trees.cuts, part.length, system.impulses
    nq = len(system.state) - system.dofs.shape[1]
    v, v_end = system.state[nq:], system.result[nq:]
    again, bounce, before = True, restitution_acts(settings), solutions_so_far(system.ledger)
    while again:
        forget_solutions(system.ledger, before)
        contacts, unilateral = acting.contacts, 3 * acting.contacts + acting.joints
        rows = list_bilateral(system, cuts, unilateral, h)
        fill_forest_rows(system, forest, cuts, contacts, acting.joints, rows)
        fill_unilateral_offsets(system, acting, h, settings, bounce)
        fill_bilateral_offsets(system, cuts, unilateral, rows, v, h, settings.warm_start)
        eliminated = solve_forest(forest, cuts, contacts, unilateral, rows, settings, trees.direct == 1 or h == 0.0)
        again = h == 0.0 and gains_energy(system, contacts, z, bounce)
        if eliminated:
            recover_bilateral(system.G, system.offsets, z, unilateral, rows)
        apply_forest_impulses(system, trees, contacts, rows)
        rest_held(system, cuts, v_end, h)
        if h == 0.0:
            bounce = 0.0
        else:
            more = append_pressed_or_stop(system, forest, part, acting, settings)
            again, acting = more.contacts > contacts or more.joints > acting.joints, more
            if not again and acting.first == math.inf:
                keep_reactions(system, cuts, unilateral, rows, v, h)
    return acting


@inlined
def apply_forest_impulses(system, trees, contacts, rows):
    """Change the velocities of trees and robot by the impulses; a row across a cut acts on both its ends."""
    z, single = system.impulses, 3 * contacts
    for r in range(single, rows):
        z[rows + r - single] = z[r]
    apply_impulses(trees.forest, contacts, 2 * rows - single, z)
    gather_velocities(system, trees.forest, trees.cuts, CHANGE)
    add_changes(system)


@inlined
def append_pressed_or_stop(system, forest, part, acting, settings):
    """List what the impulses press, too, unless a point arrives within the part; return `Acting`."""
    h, contacts, nq = part.length, acting.contacts, len(system.state) - system.dofs.shape[1]
    if settings.activation == PREDICTED:
        if part.arrivals == STOP:
            first = first_arrival(forest, h, settings, contacts)
            if first < h:
                return Acting(contacts, acting.joints, first)
        contacts = append_overlooked(forest, h, contacts, part.arrivals, carry_free)
    joints = find_limits(system, system.result[:nq], system.result[nq:], h, contacts, acting.joints)
    return Acting(contacts, joints, math.inf)


@inlined
def revise(system, trees, part, acting, passes, settings):
    """Bring the cases of drives and dry friction up to date; return whether the part needs another pass."""
    h, nq = part.length, len(system.state) - system.dofs.shape[1]
    v, v_end = system.state[nq:], system.result[nq:]
    if h == 0.0:
        return False
    gather_holds(system, trees.forest, h)
    if acting.contacts + acting.joints == 0:
        fold_change(system)
    again = passes == 0 and acting.joints == 0 and not touches(system, acting.contacts)
    if again:
        use_mean_velocities(system)
    again = revise_drives(system, v, v_end, h, passes) or again
    return revise_slides(system, v_end, passes) or again


@inlined
def advance_cut(system, trees, h, settings):
    """One whole step of length ``h``, s, in forest coordinates."""
    advance_parts(system, trees, h, settings, predict, detect, solve_impulses, revise)
    if settings.activation == AT_MIDPOINT:  # no impact splits the step
        integrate_poses(trees.forest, trees.cuts, h)


@compiled_long
def run_cut_entry(system, forest, cuts, settings, direct, commands, log, h, done, steps, every, log_every):
    """Advance the system from step ``done`` to ``steps``, of length ``h``, s, in forest coordinates; return ``steps``.

    ``forest`` shares all but links, state and dofs with the system. Bilateral rows are solved directly if ``direct``
    is 1, by prox if it is 0. There is room for all contacts.
    """
    trees = Trees(forest, cuts, direct)
    for k in range(done, steps):
        unconverged = begin(system, commands, k, every)
        advance_cut(system, trees, h, settings[0])
        end(system, h, log, k, log_every, unconverged)
    return steps
