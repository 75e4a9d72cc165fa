"""The ordinary step of several worlds side by side: passes over the bodies for all at once, contacts world by world.

Most steps need no case analysis: feet stand or come and go without an impact, no joint is at its limit, drives stay on
the side of their limits where they are. Such a step is the recipe of `time_stepping` with one pass, and what it does
with bodies and joints is the same for all worlds of a robot: those parts run on lanes (`jit.lanes`), compiled from the
same source. A world whose step turns out to be anything else keeps its state and is returned: its step is then
done alone.

Each lane has the numbers that it would have alone, whatever the others hold.
"""

from typing import Any, NamedTuple

import numpy as np

from ...actuation.joint_laws import drive_joints, revised_side
from ...actuation.rows import ACCELERATION, ADDED, APPLIED, BOUND, CHANGE, DOF_ROWS, FREE_VELOCITY, MIDDLE, TREND
from ...dynamics.articulated_body import apply_external_forces, gather_inertias, spread_from_inverses
from ...dynamics.contact_inertia import invert_roots, spread_jumps
from ...dynamics.kinematics import place_bodies
from ...dynamics.manifold import move
from ...dynamics.workspace import BODY
from ...jit import choose, inlined, inlined_always
from ...jit.lane_memory import lane_array, lanes_of, numbers_in, one_lane, places_in, records_of
from ...jit.lanes import WIDTH, set_of, truths_of
from ...model.records import FREE
from ..bookkeeping import book_contacts, clear_report, close_gaps
from ..constraint_rows import fill_rows, passes_limit
from ..factored_rows import are_many
from ..impulses import gather_impulses
from ..solvers.block import solve_by_blocks
from ..solvers.problem import FrictionWork
from ..system import System
from .acting_contacts import append_overlooked, find_within, speed_bound
from .impacts import STOP
from .time_stepping import add_changes, fill_offsets, free_end, go_halfway, restitution_acts

bodies_of = records_of(BODY)


class Group(NamedTuple):
    """What WIDTH worlds of a robot work on side by side.

    The last axis runs over the worlds, or the first one (of `acting` to `impulses`); n links, m contact points, r rows.
    """

    state: Any  # q and v at the start of the step, (nq + nv, WIDTH)
    result: Any  # q and v at its end, (nq + nv, WIDTH)
    dofs: Any  # see actuation/rows.py, (DOF_ROWS, nv, WIDTH)
    bodies: Any  # BODY records, (n + 1, numbers, WIDTH)
    forces: Any  # external wrenches in world axes at the links' origins, (n, 6, WIDTH)
    masses: Any  # factor on all masses, (1, WIDTH)
    speeds: Any  # that no point of a robot exceeds, (1, WIDTH), m/s
    acting: Any  # how many contacts act, (WIDTH,)
    active: Any  # their indices, (WIDTH, m)
    modes: Any  # (WIDTH, m)
    impulses: Any  # (WIDTH, r)


class Side(NamedTuple):
    """Worlds side by side as kernels see a `System`: its numbers are lanes."""

    links: Any
    bodies: Any
    terrain: Any
    state: Any
    result: Any
    dofs: Any
    slides: Any


# One of them as kernels see a `System`, in parts: a call passes every array of a tuple through memory.


class Near(NamedTuple):
    """What finds its contacts, and what they do."""

    bodies: Any
    contacts: Any
    terrain: Any
    heights: Any
    pairs: Any
    active: Any
    modes: Any
    ledger: Any


class Rows(NamedTuple):
    """What its rows are filled from."""

    links: Any
    bodies: Any
    contacts: Any
    active: Any
    rows: Any
    row_efforts: Any
    columns: Any
    G: Any
    limited: Any
    sides: Any


class Problem(NamedTuple):
    """What is solved for it."""

    contacts: Any
    active: Any
    G: Any
    bounds: Any
    offsets: Any
    impulses: Any
    row_velocities: Any
    modes: Any
    ledger: Any
    work: Any


def group_of(system: System) -> Group:
    """Return room for as many worlds as there are lanes, of the robot of a system with room for all contacts."""
    numbers, places = numbers_in(BODY), places_in(BODY)
    bodies = lane_array(len(system.links) + 1, numbers)
    for name, place in places.items():  # the world's record, last in both, is all that is kept from step to step
        bodies[-1, place] = np.asarray(system.bodies[name][-1], float).reshape(-1, 1)
    return Group(
        state=lane_array(len(system.state)),
        result=lane_array(len(system.state)),
        dofs=lane_array(DOF_ROWS, system.dofs.shape[1]),
        bodies=bodies,
        forces=lane_array(len(system.links), 6),
        masses=lane_array(1),
        speeds=lane_array(1),
        acting=np.zeros(WIDTH, dtype=np.int64),
        active=np.zeros((WIDTH, len(system.active)), dtype=np.int64),
        modes=np.zeros((WIDTH, len(system.active)), dtype=np.int64),
        impulses=np.zeros((WIDTH, len(system.impulses))),
    )


@inlined
def side_of(system, group):
    """Return the group as lanes."""
    return Side(
        system.links,
        bodies_of(group.bodies),
        system.terrain,
        lanes_of(group.state),
        lanes_of(group.result),
        lanes_of(group.dofs),
        system.slides,
    )


@inlined
def near_of(system, group, side, contacts, k):
    """Return the contacts of the world in lane ``k``, which has these records of them."""
    return Near(
        one_lane(side.bodies, k),
        contacts,
        system.terrain,
        system.heights,
        system.pairs,
        group.active[k],
        group.modes[k],
        system.ledger,
    )


@inlined
def rows_of(system, near):
    """Return the rows of a world's contacts."""
    return Rows(
        system.links, near.bodies, near.contacts, near.active, system.rows, system.row_efforts, system.columns,
        system.G, system.limited, system.sides,
    )  # fmt: skip


@inlined
def problem_of(system, near, impulses, shares):
    """Return the problem of a world's contacts, whose solver remembers ``shares`` of them."""
    return Problem(
        near.contacts, near.active, system.G, system.bounds, system.offsets, impulses, system.row_velocities,
        near.modes, near.ledger, work_with(system.work, shares),
    )  # fmt: skip


@inlined
def work_with(work, shares):
    """Return the solver's work with what it remembers of a world."""
    return FrictionWork(
        work.matrix, work.kept, shares, work.mu, work.bounds,
        work.centre, work.weight, work.impulse, work.velocity, work.direction, work.response, work.order,
    )  # fmt: skip


@inlined
def scale_masses(bodies, count, factor):
    """Multiply all masses: the bodies' inertias and the forces that their velocities need, after `place_bodies`."""
    for i in range(count):
        body = bodies[i]
        for k in range(21):
            body.inertia[k] *= factor
        for k in range(6):
            body.bias[k] *= factor


@inlined_always
def predict_side(side, group, h, pushed, heavier):
    """Find the free velocities at the end of the step, as `time_stepping.predict` does."""
    links, bodies, dofs = side.links, side.bodies, side.dofs
    nq = len(side.state) - dofs.shape[1]
    q, v = side.result[:nq], side.state[nq:]
    place_bodies(links, bodies, q, dofs[MIDDLE])
    if heavier:
        scale_masses(bodies, len(links), lanes_of(group.masses)[0])
    if pushed:
        apply_external_forces(links, bodies, lanes_of(group.forces))
    drive_joints(side, q, v, h)
    gather_inertias(links, bodies, dofs[APPLIED], dofs[ADDED])
    invert_roots(links, bodies)
    spread_from_inverses(links, bodies, dofs[ACCELERATION])
    free_end(side, v, h)


@inlined_always
def push_alone(system, group, near, shares, k, h, settings):
    """Find a world's contacts and what their impulses leave in its bodies; return whether the step is ordinary."""
    clear_report(near)
    contacts, first = find_within(near, h, settings, STOP, h * group.speeds[0, k])
    rows = 3 * contacts
    if contacts == 0 or first < h or are_many(system, rows):
        return False
    group.acting[k] = contacts
    rows_here, problem = rows_of(system, near), problem_of(system, near, group.impulses[k], shares)
    fill_offsets(problem, contacts, h, settings, restitution_acts(settings))
    fill_rows(rows_here, contacts, 0)
    solve_by_blocks(problem, contacts, rows, h, settings)
    gather_impulses(rows_here, contacts, rows, problem.impulses)
    return True


@inlined
def leave_free(system):
    """Leave the bodies' motion: contacts that were overlooked have no place in an ordinary step."""


@inlined
def changed_sides(side, h):
    """Return the lanes in which a drive comes to its limit, or leaves it."""
    nq, changed = len(side.state) - side.dofs.shape[1], 0
    for link in side.links:
        if link.joint_kind != FREE:
            j = link.velocity_index
            revised = revised_side(side, link, side.state[nq + j], side.result[nq + j], h)
            changed |= set_of(revised != side.dofs[BOUND, j])
    return changed


@inlined
def commit_side(side, done, h):
    """Let the lanes of a set have the state at the end of the step."""
    nv, own = side.dofs.shape[1], truths_of(done)
    nq = len(side.state) - nv
    move(side.links, side.result[:nq], side.result[nq:], 0.5 * h, side.result[:nq])
    for j in range(nv):
        trend = (side.result[nq + j] - side.state[nq + j]) / h
        side.dofs[TREND, j] = choose(own, trend, side.dofs[TREND, j])
    for k in range(len(side.state)):
        side.state[k] = choose(own, side.result[k], side.state[k])


@inlined_always
def advance_side(system, group, worlds, contacts, chosen, count, left, h, settings, pushed, heavier):
    """Advance the first ``count`` worlds of a group by a step of length ``h``, s, where it is an ordinary one.

    Returns the set of lanes whose step has to be done alone; they are as they were. ``contacts`` (N, m) holds the
    contacts' records of all worlds, ``chosen`` the numbers of the group's, ``left`` the lanes to leave from the start.
    """
    side = side_of(system, group)
    nq = len(side.state) - side.dofs.shape[1]
    go_halfway(side, h)
    predict_side(side, group, h, pushed, heavier)
    lanes_of(group.speeds)[0] = speed_bound(side, settings.extent)
    left |= set_of(passes_limit(side.dofs, side.dofs[FREE_VELOCITY], h))
    for k in range(count):
        w = chosen[k]
        settings.friction = worlds.frictions[w]
        near = near_of(system, group, side, contacts[w], k)
        if (left >> k) & 1 or not push_alone(system, group, near, worlds.shares[w], k, h, settings):
            left |= 1 << k
    spread_jumps(side.links, side.bodies, side.dofs[CHANGE])
    add_changes(side)
    left |= set_of(passes_limit(side.dofs, side.result[nq:], h)) | changed_sides(side, h)
    done = 0
    for k in range(count):
        near, acting = near_of(system, group, side, contacts[chosen[k]], k), group.acting[k]
        if not (left >> k) & 1 and append_overlooked(near, h, acting, STOP, leave_free) == acting:
            book_contacts(near, acting, h, group.impulses[k], settings)
            close_gaps(near, h, acting)
            done |= 1 << k
    commit_side(side, done, h)
    return ((1 << count) - 1) & ~done
