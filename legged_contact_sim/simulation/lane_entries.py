"""The compiled entry that advances many worlds of `exact_lcp` side by side, as many as a vector register holds numbers.

For robots without dry joints on ground at rest; see `contact.stepping.side_by_side`.
"""

from ..actuation.rows import ACCUMULATED, BOUND, DAMPING, FEED, INTEGRAL, LOWER, STIFFNESS, TARGET, TREND, UPPER
from ..contact.solvers.block import solve_by_blocks
from ..contact.stepping.many_contacts import advance_many
from ..contact.stepping.side_by_side import advance_side
from ..jit import compiled_long, inlined
from ..jit.lanes import WIDTH
from .world_entries import run_world, step_of

KEPT = (TREND, BOUND, ACCUMULATED, STIFFNESS, DAMPING, INTEGRAL, LOWER, UPPER)  # what lanes need of a world's rows
SIDE_BY_SIDE = "exact_lcp"  # the model whose worlds can be advanced so
CHANGED = (TREND, BOUND, ACCUMULATED)  # what a step leaves there


@inlined
def enter_lane(group, worlds, w, lane):  # type: ignore[no-untyped-def]
    """Put what world ``w`` remembers into a lane of a group."""
    for k in range(group.state.shape[0]):
        group.state[k, lane] = worlds.states[w, k]
    for row in KEPT:
        for j in range(group.dofs.shape[1]):
            group.dofs[row, j, lane] = worlds.dofs[w, row, j]


@inlined
def leave_lane(group, worlds, w, lane):  # type: ignore[no-untyped-def]
    """Keep what world ``w``, which was in a lane, has to remember until the next call."""
    for k in range(group.state.shape[0]):
        worlds.states[w, k] = group.state[k, lane]
    for row in CHANGED:
        for j in range(group.dofs.shape[1]):
            worlds.dofs[w, row, j] = group.dofs[row, j, lane]


@inlined
def enter_group(group, worlds, chosen):  # type: ignore[no-untyped-def]
    """Put worlds into the lanes of a group, lanes that are left over are like the first.

    Returns whether anything pushes on one of them, whether one has other masses than the robot, and the set of those
    whose drives have an integral term, which lanes do not know.
    """
    pushed, heavier, integral = False, False, 0
    for lane in range(WIDTH):
        w = chosen[lane] if lane < len(chosen) else chosen[0]
        enter_lane(group, worlds, w, lane)
        for k in range(6):
            group.forces[0, k, lane] = worlds.wrenches[w, k]
            pushed = pushed or worlds.wrenches[w, k] != 0.0
        group.masses[0, lane] = worlds.masses[w]
        heavier = heavier or worlds.masses[w] != 1.0
        gains = 0.0
        for j in range(group.dofs.shape[1]):
            gains += abs(worlds.dofs[w, INTEGRAL, j])
        if gains != 0.0:
            integral |= 1 << lane
    return pushed, heavier, integral


@inlined
def take_commands(group, worlds, chosen, k):  # type: ignore[no-untyped-def]
    """Take over the commands of step ``k`` of a call, where they are not those of the step before."""
    for lane in range(WIDTH):
        w = chosen[lane] if lane < len(chosen) else chosen[0]
        if k == 0 or k == worlds.delays[w]:
            command = worlds.commands[w, 0 if k < worlds.delays[w] else 1]
            for j in range(group.dofs.shape[1]):
                group.dofs[FEED, j, lane] = command[0, j] + group.dofs[ACCUMULATED, j, lane]
                group.dofs[TARGET, j, lane] = command[1, j]


@inlined
def restore_links(scratch):  # type: ignore[no-untyped-def]
    """Give the links that all lanes share the robot's own masses again, after a world that has others went alone."""
    for i in range(len(scratch.links)):
        scratch.own_links[i].mass = scratch.links[i].mass
        for k in range(6):
            scratch.own_links[i].inertia[k] = scratch.links[i].inertia[k]


exact_step = step_of(advance_many, solve_by_blocks)


@compiled_long
def worlds_side_by_side(system, settings, scratch, group, contacts, worlds, chosen, h, steps):  # type: ignore[no-untyped-def]
    """Advance the ``chosen`` worlds by ``steps`` of length ``h``, s, of `exact_lcp`; return how many were done alone.

    ``contacts`` are the worlds' contacts as records (N, m). The result of a world depends neither on the others nor on
    which lane it is in.
    """
    alone = 0
    for first in range(0, len(chosen), WIDTH):
        own = chosen[first : first + WIDTH]
        pushed, heavier, integral = enter_group(group, worlds, own)
        for k in range(steps):
            take_commands(group, worlds, own, k)
            left = advance_side(
                system, group, worlds, contacts, own, len(own), integral, h, settings[0], pushed, heavier,
            )  # fmt: skip
            for lane in range(len(own)):
                if (left >> lane) & 1:
                    leave_lane(group, worlds, own[lane], lane)
                    run_world(system, settings, scratch, worlds, own[lane], h, k, k + 1, exact_step)
                    enter_lane(group, worlds, own[lane], lane)
                    restore_links(scratch)
                    alone += 1
        for lane in range(len(own)):
            leave_lane(group, worlds, own[lane], lane)
    return alone
