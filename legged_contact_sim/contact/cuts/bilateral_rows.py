"""The rows of cut joints in the contact problem: constraints, soft rows of drives, rows of joints that friction holds.

A drive's gains, dampers and rotors enter as a soft row (the joint's added inertia resists the change of its rate), a
joint that its dry friction holds as a row that ends at rest.
"""

import math

from ...actuation.rows import ADDED, HOLD
from ...dynamics.contact_inertia import coupling, hand_inward, hand_inward_effort
from ...dynamics.record_fields import spatial
from ...dynamics.spatial import scale
from ...jit import inlined
from ..bookkeeping import book_solution
from ..constraint_rows import fill_rows
from ..solvers.prox import fill_relaxations, iterate, prox_residual, solve_unilateral
from .cut_joints import joint_link
from .row_blocks import packed_rows


@inlined
def is_held(system, i, h):
    """Return whether dry friction holds a joint."""
    return h > 0.0 and system.links[i].friction > 0.0 and system.slides[i] == 0.0


@inlined
def list_bilateral(system, cuts, first, h):
    """Label the bilateral rows from ``first`` on; return how many rows there are then."""
    count = first
    for c in range(len(cuts.joints)):
        for m in range(6):
            acts = m >= cuts.joints[c].freedoms
            if not acts:
                i = joint_link(system.links, cuts.joints[c], m)
                acts = is_held(system, i, h) or system.dofs[ADDED, system.links[i].velocity_index] > 0.0
            if acts:
                cuts.labels[count] = 6 * c + m
                count += 1
    return count


@inlined
def hand_in_cut(forest, cut, force, r, mirror):
    """Hand a force on a cut body inward as row ``r``, and its reverse on the carrier as row ``mirror``."""
    links, bodies, rows, efforts = forest.links, forest.bodies, forest.rows, forest.row_efforts
    hand_inward(links, bodies, cut.body, force, rows[r], efforts[r])
    hand_inward(links, bodies, cut.carrier, scale(force, -1.0), rows[mirror], efforts[mirror])


@inlined
def hand_in_limit(system, forest, cuts, r, mirror, i):
    """Hand the unit effort of joint ``i`` at its limit inward as row ``r`` (and ``mirror``, if the joint is cut)."""
    side = system.sides[r]
    for c in range(len(cuts.joints)):
        for m in range(cuts.joints[c].freedoms):
            if joint_link(system.links, cuts.joints[c], m) == i:
                hand_in_cut(forest, cuts.joints[c], scale(spatial(cuts.duals[c, m]), side), r, mirror)
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
def fill_forest_rows(system, forest, cuts, contacts, joints, rows):
    """Build G of contacts, limits and bilateral rows; a row across a cut has a second part, after all rows."""
    G, single = forest.G, 3 * contacts
    fill_rows(forest, contacts, 0)
    for r in range(single, rows):
        mirror = rows + r - single
        if r < single + joints:
            hand_in_limit(system, forest, cuts, r, mirror, system.limited[r - single])
        else:
            c, m = cuts.labels[r] // 6, cuts.labels[r] % 6
            hand_in_cut(forest, cuts.joints[c], spatial(cuts.duals[c, m]), r, mirror)
        for s in range(r + 1):
            total = parts_coupling(forest, r, s) + parts_coupling(forest, mirror, s)
            if s >= single:
                other = rows + s - single
                total += parts_coupling(forest, r, other) + parts_coupling(forest, mirror, other)
            G[r, s], G[s, r] = total, total


@inlined
def fill_bilateral_offsets(system, cuts, first, rows, v, h, warm_start):
    """Fill the bilateral rows' velocities without impulses and first guesses; soften the rows of added inertias."""
    for r in range(first, rows):
        c, m = cuts.labels[r] // 6, cuts.labels[r] % 6
        system.offsets[r] = cuts.parting[c, m]
        system.impulses[r] = cuts.reactions[c, m] * h if warm_start else 0.0
        if m < cuts.joints[c].freedoms:
            i = joint_link(system.links, cuts.joints[c], m)
            if not is_held(system, i, h):
                j = system.links[i].velocity_index
                system.offsets[r] -= v[j]
                system.G[r, r] += 1.0 / system.dofs[ADDED, j]


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
def solve_forest(forest, cuts, contacts, unilateral, rows, settings, direct):
    """Solve for the impulses, the bilateral ones directly or by prox as well.

    Returns whether the bilateral rows were eliminated, so that they are still to be recovered.
    """
    G, b, z, w = forest.G, forest.offsets, forest.impulses, forest.row_velocities
    work, bounds, modes, mu = forest.work, forest.work.bounds, forest.modes, settings.friction
    fill_relaxations(G, contacts, rows, settings.relaxation, work.relaxations)
    iterations, residual, solved = 0, 0.0, False
    if not direct:
        for r in range(3 * contacts, rows):
            bounds[0, r], bounds[1, r] = 0.0 if r < unilateral else -math.inf, math.inf
        through = packed_rows(cuts.blocks, cuts.labels, unilateral)
        iterations = iterate(G, b, z, w, contacts, rows, mu, modes, work.relaxations, bounds, settings, through)
        residual = prox_residual(G, b, z, contacts, rows, mu, bounds, settings)
        solved = iterations <= settings.max_iterations
    eliminated = direct or (not solved and settings.finish == 1)
    if eliminated:
        eliminate_bilateral(G, b, unilateral, rows)
        more, residual, solved = solve_unilateral(G, b, z, w, contacts, unilateral, modes, work, settings)
        iterations += more
    book_solution(forest.ledger, iterations, residual, solved)
    return eliminated


@inlined
def keep_reactions(system, cuts, first, rows, v, h):
    """Remember the bilateral impulses as forces for the next step; note what held cut joints ask of their friction."""
    reactions = cuts.reactions
    for c in range(len(cuts.joints)):
        for m in range(6):
            reactions[c, m] = 0.0
    for r in range(first, rows):
        c, m = cuts.labels[r] // 6, cuts.labels[r] % 6
        reactions[c, m] = system.impulses[r] / h
        if m < cuts.joints[c].freedoms:
            i = joint_link(system.links, cuts.joints[c], m)
            j = system.links[i].velocity_index
            if is_held(system, i, h):
                system.dofs[HOLD, j] = reactions[c, m] - system.dofs[ADDED, j] * v[j] / h


@inlined
def rest_held(system, cuts, v_end, h):
    """Let the cut joints that dry friction holds end at rest to the last digit."""
    for c in range(len(cuts.joints)):
        for m in range(cuts.joints[c].freedoms):
            i = joint_link(system.links, cuts.joints[c], m)
            if is_held(system, i, h):
                v_end[system.links[i].velocity_index] = 0.0
