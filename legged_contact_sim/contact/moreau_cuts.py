"""Moreau's step in extended and maximal coordinates: free trees, held together by bilateral impulses at cut joints.

Forest rates u hold six numbers for every body that is cut free. With the bodies placed at the midpoint by the minimal
coordinates, u = J v, and the free trees' end rates without any impulse are

    u_free = J v + h (u' - J' v),    u' = M^-1 h    of the trees by themselves (articulated body method),

so that the constraints of the cut joints read W_B^T u_end = 0 and joint rates are read off the ends' relative motion.
The coordinates themselves stay minimal: the cuts cannot drift apart, and what is lost against the minimal set is
speed, not accuracy.

Every cut has a dual basis of six spatial forces, each acting on the body and, reversed, on its carrier: first one per
freedom, whose velocity is the joint's rate, then the constraints, which the joint's motions do not touch. A drive's
gains, dampers and rotors enter as a soft row (the joint's added inertia resists the change of its rate), a joint that
its dry friction holds as a row that ends at rest.
"""

import math

from ..actuation.joint_laws import add_contact_hold, drive_joints, guess_slides, hold_efforts, revise_slides
from ..actuation.rows import ACCELERATION, ADDED, APPLIED, CHANGE, FREE_RATES, HOLD, MIDDLE, TREND
from ..compilation import compiled_long, inlined
from ..dynamics.articulated_body import apply_external_forces, gather_inertias, spread_accelerations
from ..dynamics.contact_inertia import coupling, hand_inward, hand_inward_effort, invert_roots
from ..dynamics.kinematics import carry_rates, place_bodies
from ..dynamics.manifold import move
from ..dynamics.spatial import (
    Spatial,
    add,
    dot,
    increase_spatial,
    put_spatial,
    put_vector_at,
    scale,
    spatial,
    sub,
    vector,
    vector_at,
    velocity_at,
    wrench_at,
)
from ..model.records import FREE
from .bookkeeping import book_contacts, book_solution, clear_report, limit_work
from .commands import record, take_command
from .constraint_rows import fill_limit_offsets, fill_rows, find_limits
from .detection import measure_gap, normal_speed
from .impacts import IMPACT, STOP, gains_energy, next_part
from .prox import fill_relaxations, iterate, prox_residual, solve_unilateral
from .records import LIMITS, OPEN, UNCONVERGED
from .system import ACTIVE, IMPULSE, JOINTED, KEPT, MODE, OFFSET, SHARE, SIDE, SOLVER, VELOCITY, System
from .time_stepping import (
    AT_MIDPOINT,
    MAX_LOOKS,
    PREDICTED,
    SIMULTANEOUS,
    activate,
    append_overlooked,
    apply_impulses,
    arrival_time,
    external_forces_act,
    fill_offsets,
    finish_step,
    free_end,
    is_listed,
    release_joints,
    speed_bound,
)

LABEL = 3  # row of the indices: which cut and dual a bilateral row belongs to, 6 cut + dual
LEAST_RESIDUAL = 0.1  # of a unit vector, squared, to make part of the constraints' basis; below 1/6, so enough do
FIXED = 1e300  # added inertia that keeps a body without inertia on its parent


@inlined
def joint_link(links, cut, m):
    """Return the body whose own joint is freedom ``m`` of a cut."""
    return cut.body if m == 0 else links[cut.body].parent


@inlined
def take_away(x, unit):
    """Take the part along a unit vector off the vector ``x`` (6,); return its length."""
    along = 0.0
    for k in range(6):
        along += x[k] * unit[k]
    for k in range(6):
        x[k] -= along * unit[k]
    return along


@inlined
def make_unit(x):
    """Scale the vector ``x`` (6,) to length 1; return the length that it had."""
    square = 0.0
    for k in range(6):
        square += x[k] * x[k]
    length = math.sqrt(square)
    for k in range(6):
        x[k] /= length
    return length


@inlined
def unit_axes(links, bodies, cut, duals):
    """Write the joint's motions, about the body's origin, as orthonormal rows; return lengths and the part shared."""
    lengths, shared, origin = (1.0, 1.0), 0.0, vector(bodies[cut.body].position)
    for m in range(cut.freedoms):
        axis = spatial(bodies[joint_link(links, cut, m)].axis)
        put_spatial(duals[m], Spatial(axis.angular, velocity_at(axis, origin)))
        if m == 0:
            lengths = (make_unit(duals[0]), 1.0)
        else:
            shared = take_away(duals[1], duals[0])
            lengths = (lengths[0], make_unit(duals[1]))
    return lengths[0], lengths[1], shared


@inlined
def fill_duals(links, bodies, cut, duals):
    """Write the dual basis (6, 6) of a cut, spatial forces about the reference point: freedoms, then constraints."""
    first, second, shared = unit_axes(links, bodies, cut, duals)
    count = cut.freedoms
    for k in range(6):  # complete the basis, points (linear) before rotations
        if count == 6:
            break
        candidate = duals[count]
        for m in range(6):
            candidate[m] = 1.0 if m == (k + 3) % 6 else 0.0
        left = 1.0
        for m in range(count):
            along = take_away(candidate, duals[m])
            left -= along * along
        if left > LEAST_RESIDUAL:
            make_unit(candidate)
            count += 1
    for k in range(6):
        if cut.freedoms == 2:
            duals[1, k] /= second
        duals[0, k] = (duals[0, k] - (shared * duals[1, k] if cut.freedoms == 2 else 0.0)) / first
    for m in range(6):
        origin = vector(bodies[cut.body].position)
        put_spatial(duals[m], wrench_at(origin, vector_at(duals[m], 3), vector(duals[m])))


@inlined
def carried_bias(links, bodies, i):
    """Return the acceleration of body ``i`` when all joint rates are constant, from its tree's root outward."""
    total = spatial(bodies[i].coriolis)
    while links[i].joint_kind != FREE:
        i = links[i].parent
        total = add(total, spatial(bodies[i].coriolis))
    return total


@inlined
def open_cut(system, forest, cut, duals, v, h):
    """Let a cut's efforts act on both ends, and give the free body the acceleration that its chain's rates cause."""
    links, bodies, rates = system.links, system.bodies, system.rates
    chain = carried_bias(forest.links, bodies, cut.carrier)
    for m in range(cut.freedoms):
        i = joint_link(links, cut, m)
        j = links[i].velocity_index
        chain = add(chain, spatial(bodies[i].coriolis))
        if bodies[i].locked:  # a held cut has a row of its own
            chain = add(chain, scale(spatial(bodies[i].axis), v[j] / h))
            bodies[i].locked = 0
        wrench = scale(spatial(duals[m]), rates[APPLIED, j])
        increase_spatial(bodies[cut.body].bias, scale(wrench, -1.0))
        increase_spatial(bodies[cut.carrier].bias, wrench)
        if m > 0:
            forest.rates[ADDED, j] = FIXED
    put_spatial(bodies[cut.body].coriolis, chain)


@inlined
def open_cuts(system, forest, cuts, duals, v, h):
    """Turn the placed and driven robot into its forest: start rates, efforts across the cuts, chain accelerations."""
    for j in range(system.rates.shape[1]):
        forest.rates[APPLIED, j], forest.rates[ADDED, j] = system.rates[APPLIED, j], system.rates[ADDED, j]
        forest.state[j] = v[j]
    carry_rates(system.links, system.bodies, v)
    for c in range(len(cuts)):
        body, j = system.bodies[cuts[c].body], forest.links[cuts[c].body].velocity_index
        put_vector_at(forest.state, j, velocity_at(spatial(body.jump), vector(body.position)))
        put_vector_at(forest.state, j + 3, spatial(body.jump).angular)
        fill_duals(system.links, system.bodies, cuts[c], duals[c])
        open_cut(system, forest, cuts[c], duals[c], v, h)


@inlined
def parting(bodies, cut):
    """Return the motion of a cut body relative to its carrier, from the bodies' ``jump``."""
    return sub(spatial(bodies[cut.body].jump), spatial(bodies[cut.carrier].jump))


@inlined
def gather_rates(system, forest, cuts, duals, row):
    """Read the robot's rates off the forest's: those of uncut joints, and the relative motion at the cuts.

    Args:
        system: the robot; its rates' row ``row`` is written.
        forest: the forest; the bodies' ``jump`` is the motion that its rates' row ``row`` gives.
        cuts: CUT records.
        duals: dual bases, (cuts, 6, 6).
        row: of the rates, FREE_RATES or CHANGE.
    """
    for j in range(system.rates.shape[1]):
        system.rates[row, j] = forest.rates[row, j]
    for c in range(len(cuts)):
        motion = parting(system.bodies, cuts[c])
        for m in range(cuts[c].freedoms):
            i = joint_link(system.links, cuts[c], m)
            system.rates[row, system.links[i].velocity_index] = dot(motion, spatial(duals[c, m]))


@inlined
def part_cuts(bodies, cuts, duals, relative):
    """Write the velocities (cuts, 6) along all duals with which the free trees come apart."""
    for c in range(len(cuts)):
        motion = parting(bodies, cuts[c])
        for m in range(6):
            relative[c, m] = dot(motion, spatial(duals[c, m]))


@inlined
def is_held(system, i, h):
    """Return whether dry friction holds a joint."""
    return h > 0.0 and system.links[i].friction > 0.0 and system.slides[i] == 0.0


@inlined
def list_bilateral(system, cuts, first, h):
    """Label the bilateral rows from ``first`` on; return how many rows there are then."""
    count = first
    for c in range(len(cuts)):
        for m in range(6):
            acts = m >= cuts[c].freedoms
            if not acts:
                i = joint_link(system.links, cuts[c], m)
                acts = is_held(system, i, h) or system.rates[ADDED, system.links[i].velocity_index] > 0.0
            if acts:
                system.indices[LABEL, count] = 6 * c + m
                count += 1
    return count


@inlined
def hand_in_cut(forest, cut, force, r, mirror):
    """Hand a force on a cut body inward as row ``r``, and its reverse on the carrier as row ``mirror``."""
    links, bodies, rows, efforts = forest.links, forest.bodies, forest.rows, forest.row_efforts
    hand_inward(links, bodies, cut.body, force, rows[r], efforts[r])
    hand_inward(links, bodies, cut.carrier, scale(force, -1.0), rows[mirror], efforts[mirror])


@inlined
def hand_in_limit(system, forest, cuts, duals, r, mirror, i):
    """Hand the unit effort of joint ``i`` at its limit inward as row ``r`` (and ``mirror``, if the joint is cut)."""
    side = system.vectors[SIDE, r]
    for c in range(len(cuts)):
        for m in range(cuts[c].freedoms):
            if joint_link(system.links, cuts[c], m) == i:
                hand_in_cut(forest, cuts[c], scale(spatial(duals[c, m]), side), r, mirror)
                return
    hand_inward_effort(forest.links, forest.bodies, i, side, forest.rows[r], forest.row_efforts[r])
    forest.rows[mirror].link, forest.rows[mirror].end = -1, -1


@inlined
def parts_coupling(forest, r, s):
    """Return what the parts of two rows have in common."""
    rows, efforts = forest.rows, forest.row_efforts
    if rows[r].end != rows[s].end:
        return 0.0
    return coupling(forest.links, forest.bodies, rows[r], efforts[r], rows[s], efforts[s])


@inlined
def fill_forest_rows(system, forest, cuts, duals, contacts, joints, rows):
    """Build G of contacts, limits and bilateral rows; a row across a cut has a second part, after all rows."""
    G, single = forest.G, 3 * contacts
    fill_rows(forest, contacts, 0)
    for r in range(single, rows):
        mirror = rows + r - single
        if r < single + joints:
            hand_in_limit(system, forest, cuts, duals, r, mirror, system.indices[JOINTED, r - single])
        else:
            c, m = system.indices[LABEL, r] // 6, system.indices[LABEL, r] % 6
            hand_in_cut(forest, cuts[c], spatial(duals[c, m]), r, mirror)
        for s in range(r + 1):
            total = parts_coupling(forest, r, s) + parts_coupling(forest, mirror, s)
            if s >= single:
                other = rows + s - single
                total += parts_coupling(forest, r, other) + parts_coupling(forest, mirror, other)
            G[r, s], G[s, r] = total, total


@inlined
def fill_bilateral_offsets(system, cuts, relative, reactions, first, rows, v, h):
    """Fill the bilateral rows' velocities without impulses and first guesses; soften the rows of added inertias."""
    for r in range(first, rows):
        c, m = system.indices[LABEL, r] // 6, system.indices[LABEL, r] % 6
        system.vectors[OFFSET, r] = relative[c, m]
        system.vectors[IMPULSE, r] = reactions[c, m] * h
        if m < cuts[c].freedoms:
            i = joint_link(system.links, cuts[c], m)
            if not is_held(system, i, h):
                j = system.links[i].velocity_index
                system.vectors[OFFSET, r] -= v[j]
                system.G[r, r] += 1.0 / system.rates[ADDED, j]


@inlined
def eliminate_bilateral(G, b, first, rows):
    """Eliminate the rows from ``first`` on, the last one first; what is left of G and b is that of the others alone.

    The lower triangle of the eliminated rows stays for `recover_bilateral`.
    """
    for c in range(rows - 1, first - 1, -1):
        inverse = 1.0 / G[c, c]
        for r in range(c):
            factor = G[r, c] * inverse
            if factor != 0.0:
                for s in range(c):
                    G[r, s] -= factor * G[c, s]
                b[r] -= factor * b[c]


@inlined
def recover_bilateral(G, b, z, first, rows):
    """Write the eliminated rows' impulses, from those of the others."""
    for r in range(first, rows):
        total = b[r]
        for s in range(r):
            total += G[r, s] * z[s]
        z[r] = -total / G[r, r]


@inlined
def solve_forest(forest, contacts, unilateral, rows, settings, direct):
    """Solve for the impulses, the bilateral ones directly or by prox as well.

    Returns whether the bilateral rows were eliminated, so that they are still to be recovered.
    """
    G, b, z, w = forest.G, forest.vectors[OFFSET], forest.vectors[IMPULSE], forest.vectors[VELOCITY]
    work, modes, relaxations, mu = forest.matrix, forest.indices[MODE], forest.vectors[SHARE], settings.friction
    fill_relaxations(G, contacts, rows, settings.relaxation, relaxations)
    effort, residual, solved = 0, 0.0, False
    if not direct:
        for r in range(3 * contacts, rows):
            work[0, r], work[1, r] = 0.0 if r < unilateral else -math.inf, math.inf
        effort = iterate(G, b, z, w, contacts, rows, mu, modes, relaxations, work, settings)
        residual, solved = prox_residual(G, b, z, contacts, rows, mu, work, settings), effort <= settings.max_iterations
    eliminated = direct or (not solved and settings.finish == 1)
    if eliminated:
        eliminate_bilateral(G, b, unilateral, rows)
        more, residual, solved = solve_unilateral(
            G, b, z, w, work, forest.vectors[KEPT], contacts, unilateral, mu, modes, relaxations, settings
        )
        effort += more
    book_solution(forest.ledger, effort, residual, solved)
    return eliminated


@inlined
def list_contacts(forest, h, settings, arrivals):
    """List the contacts with which a solve begins; return how many.

    Without bilateral impulses, the trees' free motion tells nothing of where a point ends up. So the solve begins with
    the points that touched before (AT_MIDPOINT: that are closed there), and looks for others at its end.
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
            forest.indices[ACTIVE, count] = k
            count += 1
    return count


@inlined
def first_arrival(forest, h, settings, contacts):
    """Return when the first point that does not act yet hits the ground on its way to the solved end, s."""
    first = math.inf
    for k in range(len(forest.contacts)):
        contact = forest.contacts[k]
        if contact.near and contact.closed == 0 and not is_listed(forest.indices[ACTIVE], contacts, k):
            end = contact.free_velocity[0] + normal_speed(contact, spatial(forest.bodies[contact.link].jump))
            if contact.gap + 0.5 * h * end <= 0.0:
                contact.arrival = arrival_time(contact.gap, contact.start_velocity[0], end, h, settings)
                first = min(first, contact.arrival)
    return first


@inlined
def keep_reactions(system, cuts, reactions, first, rows, v, h):
    """Remember the bilateral impulses as forces for the next step; note what held cut joints ask of their friction."""
    for c in range(len(cuts)):
        for m in range(6):
            reactions[c, m] = 0.0
    for r in range(first, rows):
        c, m = system.indices[LABEL, r] // 6, system.indices[LABEL, r] % 6
        reactions[c, m] = system.vectors[IMPULSE, r] / h
        if m < cuts[c].freedoms:
            i = joint_link(system.links, cuts[c], m)
            j = system.links[i].velocity_index
            if is_held(system, i, h):
                system.rates[HOLD, j] = reactions[c, m] - system.rates[ADDED, j] * v[j] / h


@inlined
def gather_holds(system, forest, h):
    """Take over what the forest's inner held joints ask of their friction."""
    add_contact_hold(forest, h)
    for i in range(len(system.links)):
        if forest.links[i].joint_kind != FREE and system.bodies[i].locked:
            j = system.links[i].velocity_index
            system.rates[HOLD, j] = forest.rates[HOLD, j]


@inlined
def rest_held(system, cuts, v_end, h):
    """Let the cut joints that dry friction holds end at rest to the last digit."""
    for c in range(len(cuts)):
        for m in range(cuts[c].freedoms):
            i = joint_link(system.links, cuts[c], m)
            if is_held(system, i, h):
                v_end[system.links[i].velocity_index] = 0.0


@inlined
def touches(system, contacts):
    """Return whether any of the contacts that act carries an impulse."""
    for k in range(contacts):
        if system.indices[MODE, k] != OPEN:
            return True
    return False


@inlined
def fold_change(system):
    """Count the bilateral impulses' change of the points' velocities to the free ones, when nothing else acts."""
    for contact in system.contacts:
        if contact.near:
            contact.free_velocity[0] += normal_speed(contact, spatial(system.bodies[contact.link].jump))


@inlined
def cut_step(system, forest, cuts, duals, relative, reactions, h, settings, direct, arrivals, time):
    """Try a step of length ``h``, s, in forest coordinates; arguments and result as for `contact_step`."""
    links, bodies, rates, z = system.links, system.bodies, system.rates, system.vectors[IMPULSE]
    nv = rates.shape[1]
    nq = len(system.state) - nv
    q, v = system.state[:nq], system.state[nq:]
    q_middle, v_end = system.result[:nq], system.result[nq:]
    move(links, q, v, 0.5 * h, q_middle)
    for j in range(nv):
        rates[MIDDLE, j] = v[j] + 0.5 * h * rates[TREND, j]
    guess_slides(links, system.slides, v)
    pushed = external_forces_act(system.forces)
    contacts, joints, rows = 0, 0, 0
    bounce = 1.0 if settings.restitution > 0.0 or settings.tangential_restitution > 0.0 else 0.0
    looks, settled = 0, False
    while not settled and looks < MAX_LOOKS:
        place_bodies(links, bodies, q_middle, rates[MIDDLE])
        if pushed:
            apply_external_forces(links, bodies, system.forces)
        if h > 0.0:
            drive_joints(system, q_middle, v, h)
        else:
            release_joints(system)
        open_cuts(system, forest, cuts, duals, v, h)
        gather_inertias(forest.links, bodies, forest.rates[APPLIED], forest.rates[ADDED])
        spread_accelerations(forest.links, bodies, forest.rates[ACCELERATION])
        invert_roots(forest.links, bodies)
        hold_efforts(forest, forest.state, h)
        free_end(forest, forest.state, h)
        gather_rates(system, forest, cuts, duals, FREE_RATES)
        part_cuts(bodies, cuts, duals, relative)
        contacts = list_contacts(forest, h if h > 0.0 else time, settings, arrivals)
        joints = find_limits(system, q_middle, v, h, contacts, 0)
        again = True
        while again:
            unilateral = 3 * contacts + joints
            rows = list_bilateral(system, cuts, unilateral, h)
            fill_forest_rows(system, forest, cuts, duals, contacts, joints, rows)
            fill_offsets(system, contacts, h, settings, bounce)
            fill_limit_offsets(system, contacts, joints, q_middle, max(h, settings.time_step) if h > 0.0 else 0.0)
            fill_bilateral_offsets(system, cuts, relative, reactions, unilateral, rows, v, h)
            eliminated = solve_forest(forest, contacts, unilateral, rows, settings, direct == 1 or h == 0.0)
            again = False
            if h == 0.0:
                again = gains_energy(system, contacts, z, bounce)
                bounce = 0.0
            if eliminated:
                recover_bilateral(system.G, system.vectors[OFFSET], z, unilateral, rows)
            for r in range(3 * contacts, rows):
                z[rows + r - 3 * contacts] = z[r]
            apply_impulses(forest, contacts, 2 * rows - 3 * contacts, z)
            gather_rates(system, forest, cuts, duals, CHANGE)
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
            keep_reactions(system, cuts, reactions, 3 * contacts + joints, rows, v, h)
            gather_holds(system, forest, h)
            if looks == 0 and joints == 0 and not touches(system, contacts):
                settled = False
                for j in range(nv):
                    rates[MIDDLE, j] = 0.5 * (v[j] + v_end[j])
            settled = not revise_slides(system, v_end, looks > 4) and settled
        looks += 1
    if not settled:
        system.ledger[SOLVER + UNCONVERGED] += 1.0
    book_contacts(system, contacts, h, z, settings)
    if h > 0.0:
        if contacts + joints == 0:
            fold_change(system)
        finish_step(system, h, contacts, joints, pushed)
    else:
        system.ledger[LIMITS] += limit_work(system, contacts, joints, v, v_end)
        for j in range(nv):
            v[j] = v_end[j]
            rates[TREND, j] = 0.0
    return math.inf


@inlined
def advance_cut(system, forest, cuts, duals, relative, reactions, h, settings, direct):
    """One whole step of length ``h``, s, with the impacts inside it resolved one after another (see `advance`)."""
    clear_report(system)
    left, length, arrivals, arrival, impacts = h, h, STOP, math.inf, 0
    while left > 0.0:
        found = cut_step(system, forest, cuts, duals, relative, reactions, length, settings, direct, arrivals, arrival)
        left, length, arrivals, arrival, impacts = next_part(found, left, length, arrivals, arrival, impacts)


@compiled_long
def run_cut_entry(
    links, bodies, contacts, terrain, heights, rows, state, result, rates, forces, slides, row_efforts, G, matrix,
    vectors, indices, ledger, forest_links, forest_state, forest_rates, cuts, duals, ends, settings, direct,
    commands, log, h, steps, every, log_every,
):  # fmt: skip
    """Advance the system by some steps of length ``h``, s, in forest coordinates; see `ContactModel.run`.

    ``duals`` (cuts, 6, 6) is work, ``ends`` (2, cuts, 6) work and the forces that held the cuts together last.
    Bilateral rows are solved directly if ``direct`` is 1, by prox if it is 0.
    """
    system = System(
        links, bodies, contacts, terrain, heights, rows, state, result, rates, forces, slides, row_efforts, G, matrix,
        vectors, indices, ledger,
    )  # fmt: skip
    forest = System(
        forest_links, bodies, contacts, terrain, heights, rows, forest_state, forest_state, forest_rates, forces,
        slides, row_efforts, G, matrix, vectors, indices, ledger,
    )  # fmt: skip
    for k in range(steps):
        take_command(system, commands[min(k // every, len(commands) - 1)])
        advance_cut(system, forest, cuts, duals, ends[0], ends[1], h, settings[0], direct)
        if len(log) > 0 and (k + 1) % log_every == 0:
            record(system, log[(k + 1) // log_every - 1])
