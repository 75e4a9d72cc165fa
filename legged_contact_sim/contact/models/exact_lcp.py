"""Exact contact (Ayit): velocity-level complementarity on the articulated body method, solved to the last digit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...jit import inlined
from ..parameters import Parameters, choice, number, whole
from ..records import SETTINGS
from ..solvers.block import block_work, solve_by_blocks
from ..solvers.pivoting import pivoting_work, solve_by_pivoting
from ..solvers.scalar import solve_by_rows
from ..stepping.rollout import SteppingModel, rollout_entry
from ..stepping.time_stepping import advance
from ..system import dry_joints, extent


@dataclass(frozen=True)
class ExactLcpParameters(Parameters):
    """Parameters of `exact_lcp`."""

    friction: float = number(0.8, 0.0, 100.0)
    viscous_friction: float = number(0.0, 0.0, 1e6, "N s/m")
    restitution: float = number(0.0, 0.0, 1.0)
    impact_threshold: float = number(1e-3, 0.0, 1e3, "m/s", open_low=True)
    recovery_speed: float = number(0.5, 0.0, 1e3, "m/s")
    solver: str = choice("block_pgs", ("block_pgs", "pgs", "lemke"))
    tolerance: float = number(1e-10, 0.0, 0.1)
    max_iterations: int = whole(1000, 1, 10**9)


@inlined
def advance_by_blocks(system, h, settings):
    """One step, 3x3 blocks and Newton's method."""
    advance(system, h, settings, solve_by_blocks)


@inlined
def advance_by_rows(system, h, settings):
    """One step, the study's sweep."""
    advance(system, h, settings, solve_by_rows)


@inlined
def advance_by_pivoting(system, h, settings):
    """One step, normal impulses by Lemke's method."""
    advance(system, h, settings, solve_by_pivoting)


SOLVERS: dict[str, Callable[..., Any]] = {
    "block_pgs": solve_by_blocks,
    "pgs": solve_by_rows,
    "lemke": solve_by_pivoting,
}
WORK: dict[str, Callable[[int], Any]] = {"block_pgs": block_work, "pgs": lambda rows: None, "lemke": pivoting_work}
ENTRIES: dict[str, Callable[..., None]] = {
    "block_pgs": rollout_entry(advance_by_blocks),
    "pgs": rollout_entry(advance_by_rows),
    "lemke": rollout_entry(advance_by_pivoting),
}


class ExactLcp(SteppingModel):
    """Hard contact with Coulomb friction as a complementarity problem on end-of-step velocities."""

    name: ClassVar[str] = "exact_lcp"
    summary: ClassVar[str] = "hard contact, exact friction disc, complementarity on velocities (Ayit)"
    Parameters: ClassVar[type[Parameters]] = ExactLcpParameters

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        self.entry, self.solve = ENTRIES[parameters.solver], SOLVERS[parameters.solver]
        self.system = self.system._replace(work=WORK[parameters.solver](len(self.system.offsets)))
        self.settings = np.zeros(1, dtype=SETTINGS)
        for name in ("friction", "viscous_friction", "restitution", "impact_threshold", "recovery_speed", "tolerance"):
            self.settings[name] = getattr(parameters, name)
        self.settings["max_iterations"] = parameters.max_iterations
        self.settings["extent"] = extent(robot)
        self.settings["dry"] = dry_joints(robot)

    def _arguments(self, time_step: float) -> tuple[Any, ...]:
        self.settings["time_step"] = time_step
        return super()._arguments(time_step)
