"""A run over a number of steps as one compiled entry, shared by all time-stepping models."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...jit import Call, bind, compiled_long, inlined, together_with
from ..commands import take_command
from ..log import NO_LOG, record
from ..model import Commands, ContactModel
from .time_stepping import large_helpers


@inlined
def begin(system, commands, k, every):
    """Take over the command of step ``k``: each row is held for ``every`` steps, the last one to the end."""
    take_command(system, commands[min(k // every, len(commands) - 1)])


@inlined
def end(system, h, log, k, log_every):
    """Record step ``k`` if it is one to be recorded."""
    if len(log) > 0 and (k + 1) % log_every == 0:
        record(system, h, log[(k + 1) // log_every - 1])


def rollout_entry(advance: Callable[..., None], solve: Callable[..., Any] | None = None) -> Callable[..., None]:
    """Return the compiled entry that runs steps of ``advance(system, h, settings)``, an inlined function.

    With a solver, steps are ``advance(system, h, settings, solve)``.
    """

    def run_entry(system, settings, commands, log, h, steps, every, log_every):  # type: ignore[no-untyped-def]
        """Advance the system by some steps of length ``h``, s; see `ContactModel.run`."""
        for k in range(steps):
            begin(system, commands, k, every)
            advance(system, h, settings[0])
            end(system, h, log, k, log_every)

    def run_solving_entry(system, settings, commands, log, h, steps, every, log_every):  # type: ignore[no-untyped-def]
        """Advance the system by some steps of length ``h``, s; see `ContactModel.run`."""
        for k in range(steps):
            begin(system, commands, k, every)
            advance(system, h, settings[0], solve)
            end(system, h, log, k, log_every)

    entry, law = (run_entry, advance) if solve is None else (run_solving_entry, solve)
    entry.__module__ = law.__module__
    entry.__name__ = entry.__qualname__ = f"run_{law.__name__}"
    return compiled_long(entry)


class SteppingModel(ContactModel):
    """A time-stepping model: ``settings`` is a record array (1,) of numbers that its ``entry`` reads.

    ``solve`` is the solver of a step as `time_stepping.advance` takes it, None for another kind of step.
    """

    entry: Any
    settings: np.ndarray
    solve: Callable[..., Any] | None = None

    def single_step(self, time_step: float, command: np.ndarray, log: np.ndarray) -> Callable[[], None]:
        """See `ContactModel.single_step`."""
        helpers = [Call(record, (self.system, 0.0, NO_LOG.ravel()))]
        if self.solve is not None:
            helpers = [*large_helpers(self.system, self.settings[0], self.solve), *helpers]
        with together_with(*helpers):
            return bind(self.entry, *self._arguments(time_step), command, log, time_step, 1, 1, 1)

    def run(self, time_step: float, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """See `ContactModel.run`."""
        self.entry(*self._arguments(time_step), commands.rows, log, time_step, steps, commands.every, log_every)

    def _arguments(self, time_step: float) -> tuple[Any, ...]:
        """Return what the entry takes before the commands."""
        return (self.system, self.settings)
