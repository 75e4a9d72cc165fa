"""Compiled entries that advance many worlds in one call: one per contact model that steps through time."""

from collections.abc import Callable
from typing import Any

from ..contact.bookkeeping import count_step_once
from ..contact.commands import take_command
from ..contact.models.compliant import advance_compliant
from ..contact.models.distributed import advance_distributed
from ..contact.models.hunt_crossley import advance_hunt_crossley
from ..contact.models.penalty import advance_penalty
from ..contact.records import UNCONVERGED
from ..contact.solvers.block import solve_by_blocks
from ..contact.solvers.prox import solve_by_prox
from ..contact.stepping.many_contacts import advance_many
from ..contact.stepping.time_stepping import advance
from ..contact.system import SOLVER
from ..dynamics.kinematics import copy
from ..jit import compiled_long, inlined, inlined_always


@inlined
def enter_world(system, settings, scratch, worlds, w):  # type: ignore[no-untyped-def]
    """Put what world ``w`` remembers into the system that a thread works in; settings and masses are its own, too."""
    copy(worlds.states[w], system.state)
    copy(worlds.slides[w], system.slides)
    copy(worlds.wrenches[w], system.forces[0])
    copy(worlds.contacts[w], scratch.contacts)
    copy(worlds.shares[w], scratch.shares)
    for row in range(system.dofs.shape[0]):
        copy(worlds.dofs[w, row], system.dofs[row])
    for k in range(len(system.ledger)):
        system.ledger[k] = 0.0
    settings[0].friction = worlds.frictions[w]
    factor = worlds.masses[w]
    for i in range(len(system.links)):
        scratch.own_links[i].mass = factor * scratch.links[i].mass
        for k in range(6):
            scratch.own_links[i].inertia[k] = factor * scratch.links[i].inertia[k]


@inlined
def leave_world(system, scratch, worlds, w):  # type: ignore[no-untyped-def]
    """Keep what world ``w`` has to remember until the next call."""
    copy(system.state, worlds.states[w])
    copy(system.slides, worlds.slides[w])
    copy(scratch.contacts, worlds.contacts[w])
    copy(scratch.shares, worlds.shares[w])
    for row in range(system.dofs.shape[0]):
        copy(system.dofs[row], worlds.dofs[w, row])


@inlined_always
def run_world(system, settings, scratch, worlds, w, h, first, last, step):  # type: ignore[no-untyped-def]
    """Take world ``w`` from step ``first`` of a call to ``last``, with room for all contacts; steps of ``h``, s."""
    enter_world(system, settings, scratch, worlds, w)
    for k in range(first, last):
        unconverged = system.ledger[SOLVER + UNCONVERGED]
        take_command(system, worlds.commands[w, 0 if k < worlds.delays[w] else 1])
        step(system, h, settings[0])
        count_step_once(system.ledger, unconverged)
    leave_world(system, scratch, worlds, w)


def worlds_entry(name: str, advance: Callable[..., Any], solve: Callable[..., Any] | None = None) -> Callable[..., int]:
    """Return the compiled entry that advances worlds one after the other by steps of a model."""
    step = step_of(advance, solve)

    def run(system, settings, scratch, worlds, chosen, h, steps):  # type: ignore[no-untyped-def]
        """Advance the ``chosen`` worlds by ``steps`` of length ``h``, s; return how many there were."""
        for w in chosen:
            run_world(system, settings, scratch, worlds, w, h, 0, steps, step)
        return len(chosen)

    run.__name__ = run.__qualname__ = f"worlds_{name}"
    return compiled_long(run)


def step_of(advance: Callable[..., Any], solve: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return a model's step as a function of system, step length and settings."""
    if solve is None:
        return advance

    def step(system, h, settings):  # type: ignore[no-untyped-def]
        return advance(system, h, settings, solve)

    return inlined_always(step)  # type: ignore[no-any-return]


ENTRIES = {
    "exact_lcp": worlds_entry("exact_lcp", advance_many, solve_by_blocks),
    "moreau": worlds_entry("moreau", advance, solve_by_prox),
    "compliant": worlds_entry("compliant", advance_compliant),
    "penalty": worlds_entry("penalty", advance_penalty),
    "hunt_crossley": worlds_entry("hunt_crossley", advance_hunt_crossley),
    "distributed": worlds_entry("distributed", advance_distributed),
}
