"""Exact contact (Ayit): velocity-level complementarity on the articulated body method, solved to the last digit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..compilation import bind, compiled_long
from .commands import record, take_command
from .model import Commands, ContactModel
from .parameters import Parameters, choice, number, whole
from .records import SETTINGS
from .system import System, extent
from .time_stepping import BLOCK, SCALAR, advance

SOLVERS = {"block_pgs": BLOCK, "pgs": SCALAR}


@dataclass(frozen=True)
class ExactLcpParameters(Parameters):
    """Parameters of `exact_lcp`."""

    friction: float = number(0.8, 0.0, 100.0)
    viscous_friction: float = number(0.0, 0.0, 1e6, "N s/m")
    restitution: float = number(0.0, 0.0, 1.0)
    impact_threshold: float = number(1e-3, 0.0, 1e3, "m/s", open_low=True)
    recovery_speed: float = number(0.5, 0.0, 1e3, "m/s")
    solver: str = choice("block_pgs", tuple(SOLVERS))
    tolerance: float = number(1e-10, 0.0, 0.1)
    max_iterations: int = whole(1000, 1, 10**9)


class ExactLcp(ContactModel):
    """Hard contact with Coulomb friction as a complementarity problem on end-of-step velocities."""

    name: ClassVar[str] = "exact_lcp"
    summary: ClassVar[str] = "hard contact, exact friction disc, complementarity on velocities (Ayit)"
    Parameters: ClassVar[type[Parameters]] = ExactLcpParameters

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        self.settings = np.zeros(1, dtype=SETTINGS)
        for name in ("friction", "viscous_friction", "restitution", "impact_threshold", "recovery_speed", "tolerance"):
            self.settings[name] = getattr(parameters, name)
        self.settings["max_iterations"] = parameters.max_iterations
        self.settings["extent"] = extent(robot)
        self.settings["solver"] = SOLVERS[parameters.solver]

    def single_step(self, time_step: float, command: np.ndarray) -> Callable[[], None]:
        """See `ContactModel.single_step`."""
        return bind(run_entry, *self.system, self.settings, command, np.empty((0, 0)), time_step, 1, 1, 1)

    def run(self, time_step: float, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """See `ContactModel.run`."""
        run_entry(*self.system, self.settings, commands.rows, log, time_step, steps, commands.every, log_every)


@compiled_long
def run_entry(
    links, bodies, contacts, terrain, heights, rows, state, result, rates, forces, slides, row_efforts, G, matrix,
    vectors, indices, ledger, settings, commands, log, h, steps, every, log_every,
):  # fmt: skip
    """Advance the system by some steps of length ``h``, s; see `ContactModel.run`."""
    system = System(
        links, bodies, contacts, terrain, heights, rows, state, result, rates, forces, slides, row_efforts, G, matrix,
        vectors, indices, ledger,
    )  # fmt: skip
    settings[0].time_step = h
    for k in range(steps):
        take_command(system, commands[min(k // every, len(commands) - 1)])
        advance(system, h, settings[0])
        if len(log) > 0 and (k + 1) % log_every == 0:
            record(system, log[(k + 1) // log_every - 1])
