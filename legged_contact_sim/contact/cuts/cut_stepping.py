"""Moreau's step in extended and maximal coordinates: free trees, held together by bilateral impulses at cut joints.

Forest rates u hold six numbers for every body that is cut free. With the bodies placed at the midpoint by the minimal
coordinates, u = J v, and the free trees' end rates without any impulse are

    u_free = J v + h (u' - J' v),    u' = M^-1 h    of the trees by themselves (articulated body method),

so that the constraints of the cut joints read W_B^T u_end = 0 and joint rates are read off the ends' relative motion.
The coordinates themselves stay minimal: the cuts cannot drift apart, and what is lost against the minimal set is
speed, not accuracy.

`cut_joints` and `bilateral_rows` say how the joints are opened and which rows close them.
"""

import math

from ...actuation.joint_laws import add_contact_hold, guess_slides, hold_efforts, revise_drives, revise_slides
from ...actuation.rows import ACCELERATION, ADDED, APPLIED, CHANGE, FREE_RATES, HOLD
from ...dynamics.articulated_body import gather_inertias, spread_accelerations
from ...dynamics.contact_inertia import invert_roots
from ...dynamics.spatial import spatial
from ...jit import compiled_long, inlined
from ...model.records import FREE
from ..bookkeeping import book_contacts, clear_report
from ..commands import take_command
from ..constraint_rows import fill_limit_offsets, find_limits
from ..detection import measure_gap, normal_speed
from ..impulses import apply_impulses, external_forces_act
from ..log import record
from ..records import OPEN, UNCONVERGED
from ..stepping.acting_contacts import (
    AT_MIDPOINT,
    PREDICTED,
    SIMULTANEOUS,
    activate,
    append_overlooked,
    arrival_time,
    is_listed,
    speed_bound,
)
from ..stepping.impacts import IMPACT, STOP, gains_energy, next_part
from ..stepping.time_stepping import (
    MAX_PASSES,
    fill_offsets,
    finish_impact,
    finish_step,
    free_end,
    go_halfway,
    place_and_drive,
    use_mean_velocities,
)
from ..system import SOLVER
from .bilateral_rows import (
    fill_bilateral_offsets,
    fill_forest_rows,
    keep_reactions,
    list_bilateral,
    recover_bilateral,
    rest_held,
    solve_forest,
)
from .cut_joints import gather_rates, open_cuts, part_cuts


@inlined
def list_contacts(forest, h, settings, arrivals):
    """List the contacts with which a solve begins; return how many.

    Without bilateral impulses, the trees' free motion tells nothing of where a point ends up. So the solve begins with
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
            end = contact.free_velocity[0] + normal_speed(contact, spatial(forest.bodies[contact.link].jump))
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
            system.rates[HOLD, j] = forest.rates[HOLD, j]


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
            contact.free_velocity[0] += normal_speed(contact, spatial(system.bodies[contact.link].jump))


@inlined
def cut_step(system, forest, cuts, h, settings, direct, arrivals, time):
    """Try a step of length ``h``, s, in forest coordinates; arguments and result as for `contact_step`."""
    bodies, rates, z = system.bodies, system.rates, system.impulses
    nv = rates.shape[1]
    nq = len(system.state) - nv
    v, q_middle, v_end = system.state[nq:], system.result[:nq], system.result[nq:]
    go_halfway(system, h)
    guess_slides(system.links, system.slides, v)
    pushed = external_forces_act(system.forces)
    contacts, joints, rows = 0, 0, 0
    bounce = 1.0 if settings.restitution > 0.0 or settings.tangential_restitution > 0.0 else 0.0
    passes, settled = 0, False
    while not settled and passes < MAX_PASSES:
        place_and_drive(system, h, pushed)
        open_cuts(system, forest, cuts, v, h)
        gather_inertias(forest.links, bodies, forest.rates[APPLIED], forest.rates[ADDED])
        spread_accelerations(forest.links, bodies, forest.rates[ACCELERATION])
        invert_roots(forest.links, bodies)
        hold_efforts(forest, forest.state, h)
        free_end(forest, forest.state, h)
        gather_rates(system, forest, cuts, FREE_RATES)
        part_cuts(bodies, cuts)
        contacts = list_contacts(forest, h if h > 0.0 else time, settings, arrivals)
        joints = find_limits(system, q_middle, v, h, contacts, 0)
        again = True
        while again:
            unilateral = 3 * contacts + joints
            rows = list_bilateral(system, cuts, unilateral, h)
            fill_forest_rows(system, forest, cuts, contacts, joints, rows)
            fill_offsets(system, contacts, h, settings, bounce)
            fill_limit_offsets(system, contacts, joints, q_middle, max(h, settings.time_step) if h > 0.0 else 0.0)
            fill_bilateral_offsets(system, cuts, unilateral, rows, v, h)
            eliminated = solve_forest(forest, contacts, unilateral, rows, settings, direct == 1 or h == 0.0)
            again = False
            if h == 0.0:
                again = gains_energy(system, contacts, z, bounce)
                bounce = 0.0
            if eliminated:
                recover_bilateral(system.G, system.offsets, z, unilateral, rows)
            for r in range(3 * contacts, rows):
                z[rows + r - 3 * contacts] = z[r]
            apply_impulses(forest, contacts, 2 * rows - 3 * contacts, z)
            gather_rates(system, forest, cuts, CHANGE)
            for j in range(nv):
                v_end[j] = rates[FREE_RATES, j] + rates[CHANGE, j]
            rest_held(system, cuts, v_end, h)
            if h > 0.0:
                pressed = contacts
                if settings.activation == PREDICTED:
                    if arrivals == STOP:
                        first = first_arrival(forest, h, settings, contacts)
                        if first < h:
                            return first
                    pressed = append_overlooked(forest, h, contacts, arrivals)
                jammed = find_limits(system, q_middle, v_end, h, pressed, joints)
                again = pressed > contacts or jammed > joints
                contacts, joints = pressed, jammed
        settled = True
        if h > 0.0:
            keep_reactions(system, cuts, 3 * contacts + joints, rows, v, h)
            gather_holds(system, forest, h)
            if passes == 0 and joints == 0 and not touches(system, contacts):
                settled = False
                use_mean_velocities(system)
            settled = not revise_drives(system, v, v_end, h, passes > 4) and settled
            settled = not revise_slides(system, v_end, passes > 4) and settled
        passes += 1
    if not settled:
        system.ledger[SOLVER + UNCONVERGED] += 1.0
    book_contacts(system, contacts, h, z, settings)
    if h > 0.0:
        if contacts + joints == 0:
            fold_change(system)
        finish_step(system, h, contacts, joints, pushed)
    else:
        finish_impact(system, contacts, joints)
    return math.inf


@inlined
def advance_cut(system, forest, cuts, h, settings, direct):
    """One whole step of length ``h``, s, with the impacts inside it resolved one after another (see `advance`)."""
    clear_report(system)
    left, length, arrivals, arrival, impacts = h, h, STOP, math.inf, 0
    while left > 0.0:
        found = cut_step(system, forest, cuts, length, settings, direct, arrivals, arrival)
        left, length, arrivals, arrival, impacts = next_part(found, left, length, arrivals, arrival, impacts)


@compiled_long
def run_cut_entry(system, forest, cuts, settings, direct, commands, log, h, steps, every, log_every):
    """Advance the system by some steps of length ``h``, s, in forest coordinates; see `ContactModel.run`.

    ``forest`` shares all but links, state and rates with the system. Bilateral rows are solved directly if ``direct``
    is 1, by prox if it is 0.
    """
    for k in range(steps):
        take_command(system, commands[min(k // every, len(commands) - 1)])
        advance_cut(system, forest, cuts, h, settings[0], direct)
        if len(log) > 0 and (k + 1) % log_every == 0:
            record(system, h, log[(k + 1) // log_every - 1])
