"""A run over a number of steps as one compiled entry, shared by all time-stepping models."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ...jit import Call, bind, compiled_long, inlined, together_with
from ..bookkeeping import count_step_once
from ..commands import take_command
from ..log import NO_LOG, record
from ..model import Commands, ContactModel
from ..records import UNCONVERGED
from ..solvers.solver import no_work
from ..system import LEFT, NEEDED, SOLVER, contact_count, with_room
from .closed_loops import advance_closed
from .self_collision import advance_colliding
from .time_stepping import large_helpers

FIRST_ROOM = 8  # contacts at once for which a system is built; it grows with what touches


@inlined
def begin(system, commands, k, every):
    """Take over the command of step ``k``: each row is held for ``every`` steps, the last one to the end.

    Returns the number of unconverged steps so far.
    """
    take_command(system, commands[min(k // every, len(commands) - 1)])
    return system.ledger[SOLVER + UNCONVERGED]


@inlined
def end(system, h, log, k, log_every, unconverged):
    """Record step ``k`` if it is one to be recorded; in the number of unconverged steps it counts once, if at all."""
    count_step_once(system.ledger, unconverged)
    if len(log) > 0 and (k + 1) % log_every == 0:
        record(system, h, log[(k + 1) // log_every - 1])


def rollout_entry(advance: Callable[..., Any], solve: Callable[..., Any] | None = None) -> Callable[..., int]:
    """Return the compiled entry that runs steps of ``advance(system, h, settings)``, an inlined function.

    With a solver, steps are ``advance(system, h, settings, solve)``.
    """

    def run_entry(system, settings, commands, log, h, done, steps, every, log_every):  # type: ignore[no-untyped-def]
        """Advance the system from step ``done`` to ``steps``, of length ``h``, s; return ``steps``."""
        for k in range(done, steps):
            unconverged = begin(system, commands, k, every)
            advance(system, h, settings[0])
            end(system, h, log, k, log_every, unconverged)
        return steps

    def run_solving_entry(  # type: ignore[no-untyped-def]
        system, settings, commands, log, h, done, steps, every, log_every
    ):
        """Advance the system from step ``done`` to ``steps``, of length ``h``, s; return how far it came.

        A step for which there is no room is pending, and the next call goes on with it.
        """
        for k in range(done, steps):
            unconverged = system.ledger[SOLVER + UNCONVERGED]
            if system.pending[LEFT] == 0.0:
                unconverged = begin(system, commands, k, every)
            if not advance(system, h, settings[0], solve):
                return k
            end(system, h, log, k, log_every, unconverged)
        return steps

    entry, law = (run_entry, advance) if solve is None else (run_solving_entry, solve)
    entry.__module__ = law.__module__
    kind = {advance_closed: "closed_", advance_colliding: "colliding_"}.get(advance, "")
    entry.__name__ = entry.__qualname__ = f"run_{kind}{law.__name__}"
    return compiled_long(entry)


class SteppingModel(ContactModel):
    """A time-stepping model: ``settings`` is a record array (1,) of numbers that its ``entry`` reads.

    ``solve`` is the solver of a step as `time_stepping.advance` takes it, None for another kind of step; ``make_work``
    makes its work arrays for a number of rows.
    """

    moves_ground: ClassVar[bool] = True
    entry: Any
    settings: np.ndarray
    solve: Callable[..., Any] | None = None
    make_work: Callable[[int], Any] = staticmethod(no_work)

    def single_step(self, time_step: float, command: np.ndarray, log: np.ndarray) -> Callable[[], None]:
        """See `ContactModel.single_step`."""
        helpers = [Call(record, (self.system, 0.0, NO_LOG.ravel()))]
        if self.solve is not None:
            helpers = [*large_helpers(self.system, self.settings[0], self.solve), *helpers]
        commands, bound_to = Commands(command), self.system

        def bound() -> Callable[[], int]:
            return bind(self.entry, *self._arguments(time_step), command, log, time_step, 0, 1, 1, 1)

        with together_with(*helpers):
            call = bound()

        def step() -> None:
            nonlocal call, bound_to
            if self.system is not bound_to:  # room was made meanwhile
                call, bound_to = bound(), self.system
            if call() == 0:
                self._make_room()
                self.run(time_step, 1, commands, log, 1)

        return step

    def run(self, time_step: float, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """See `ContactModel.run`."""
        done = 0
        while done < steps:
            progress = (time_step, done, steps, commands.every, log_every)
            done = self.entry(*self._arguments(time_step), commands.rows, log, *progress)
            if done < steps:
                self._make_room()

    def _make_room(self) -> None:
        """Make room for the contacts of the pending step, and for as many again as there is room for now."""
        needed = max(int(self.system.pending[NEEDED]), 2 * len(self.system.active))
        contacts = min(needed, contact_count(self.robot))
        self.system = with_room(self.system, self.robot, contacts, self.make_work)

    def _arguments(self, time_step: float) -> tuple[Any, ...]:
        """Return what the entry takes before the commands."""
        return (self.system, self.settings)
