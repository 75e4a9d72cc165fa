"""Exact contact (Ayit): velocity-level complementarity on the articulated body method, solved to the last digit."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..parameters import Parameters, choice, number, switch, whole
from ..records import SETTINGS
from ..solvers import block, pivoting, printed_sweeps, scalar
from ..stepping.closed_loops import advance_closed
from ..stepping.many_contacts import advance_many
from ..stepping.rollout import FIRST_ROOM, SteppingModel, rollout_entry
from ..stepping.self_collision import advance_colliding
from ..stepping.time_stepping import advance
from ..system import dry_joints, extent

# A new solver is a file that says what it is (`SOLVER`), and a line here.
SOLVERS = {
    "block_pgs": block.SOLVER,  # 3x3 blocks and Newton's method
    "pgs": scalar.SOLVER,  # the study's sweep, started and ended as the others are
    "printed_pgs": printed_sweeps.SOLVER,  # the same as printed: from zero, mean tangential divisor, by change
    "lemke": pivoting.SOLVER,  # normal impulses by Lemke's method
}


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
    warm_start: bool = switch(True)


ENTRIES = {
    name: rollout_entry(advance_many if solver is block.SOLVER else advance, solver.solve)
    for name, solver in SOLVERS.items()
}
CLOSED_ENTRIES = {name: rollout_entry(advance_closed, solver.solve) for name, solver in SOLVERS.items()}
COLLIDING_ENTRIES = {name: rollout_entry(advance_colliding, solver.solve) for name, solver in SOLVERS.items()}


class ExactLcp(SteppingModel):
    """Hard contact with Coulomb friction as a complementarity problem on end-of-step velocities."""

    name: ClassVar[str] = "exact_lcp"
    summary: ClassVar[str] = "hard contact, exact friction disc, complementarity on velocities (Ayit)"
    Parameters: ClassVar[type[Parameters]] = ExactLcpParameters
    first_room: ClassVar[int | None] = FIRST_ROOM
    passive: ClassVar[bool] = True
    closes_loops: ClassVar[bool] = True
    collides: ClassVar[bool] = True

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        solver = SOLVERS[parameters.solver]
        entries = (
            CLOSED_ENTRIES if len(robot.closures) else COLLIDING_ENTRIES if len(robot.collision_pairs) else ENTRIES
        )
        self.entry, self.solve, self.make_work = entries[parameters.solver], solver.solve, solver.work
        self.system = self.system._replace(work=self.make_work(len(self.system.offsets)))
        self.settings = np.zeros(1, dtype=SETTINGS)
        for name in ("friction", "viscous_friction", "restitution", "impact_threshold", "recovery_speed", "tolerance"):
            self.settings[name] = getattr(parameters, name)
        self.settings["max_iterations"] = parameters.max_iterations
        self.settings["warm_start"] = parameters.warm_start
        self.settings["extent"] = extent(robot)
        self.settings["dry"] = dry_joints(robot)

    def _arguments(self, time_step: float) -> tuple[Any, ...]:
        self.settings["time_step"] = time_step
        return super()._arguments(time_step)
