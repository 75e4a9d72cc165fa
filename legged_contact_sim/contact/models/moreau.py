"""Moreau's time stepping (Gehring): midpoint scheme, normal cone inclusions solved by prox iterations."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...actuation.rows import DOF_ROWS
from ...dynamics.functions import Poses, forward_kinematics
from ...errors import ParameterError
from ...model.cuts import COORDINATES, cut
from ..cuts.cut_joints import Cuts, cut_work
from ..cuts.cut_poses import begin_poses, joint_gaps
from ..cuts.cut_stepping import run_cut_entry
from ..parameters import Parameters, choice, number, switch, whole
from ..solvers.prox import JOR, PROX_SETTINGS, SOR, prox_work, solve_by_prox
from ..stepping.acting_contacts import AT_MIDPOINT, PREDICTED
from ..stepping.closed_loops import advance_closed
from ..stepping.rollout import FIRST_ROOM, SteppingModel, rollout_entry
from ..stepping.self_collision import advance_colliding
from ..stepping.time_stepping import advance
from ..system import dry_joints, extent, problem_arrays

PROX = {"jor": JOR, "sor": SOR}
FINISH = ("none", "newton")
ACTIVATION = {"predicted": PREDICTED, "midpoint": AT_MIDPOINT}


@dataclass(frozen=True)
class MoreauParameters(Parameters):
    """Parameters of `moreau`; those of the study: tolerances 1e-6, ``activation="midpoint"``, time step 2.5 ms."""

    friction: float = number(0.8, 0.0, 100.0)
    restitution: float = number(0.0, 0.0, 1.0)
    tangential_restitution: float = number(0.0, 0.0, 1.0)
    prox: str = choice("jor", tuple(PROX))
    alpha: float = number(0.9, 0.0, 2.0, open_low=True)
    relative_tolerance: float = number(1e-10, 0.0, 0.1)
    absolute_tolerance: float = number(1e-12, 0.0, 1.0, "N s", open_low=True)
    max_iterations: int = whole(1000, 1, 10**9)
    finish: str = choice("newton", FINISH)
    patience: int = whole(20, 1, 10**9)
    coordinates: str = choice("minimal", COORDINATES)
    bilateral: str = choice("direct", ("direct", "prox"))
    activation: str = choice("predicted", tuple(ACTIVATION))
    warm_start: bool = switch(True)
    impact_threshold: float = number(1e-3, 0.0, 1e3, "m/s", open_low=True)
    recovery_speed: float = number(0.5, 0.0, 1e3, "m/s")


run_entry = rollout_entry(advance, solve_by_prox)
run_closed_entry = rollout_entry(advance_closed, solve_by_prox)
run_colliding_entry = rollout_entry(advance_colliding, solve_by_prox)


class Moreau(SteppingModel):
    """Hard contact with Coulomb friction as normal cone inclusions on end velocities, by projection."""

    name: ClassVar[str] = "moreau"
    summary: ClassVar[str] = "hard contact, Moreau's midpoint scheme, prox iterations (Gehring)"
    Parameters: ClassVar[type[Parameters]] = MoreauParameters
    first_room: ClassVar[int | None] = FIRST_ROOM
    passive: ClassVar[bool] = True
    closes_loops: ClassVar[bool] = True
    collides: ClassVar[bool] = True

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        self.coordinates: str = parameters.coordinates
        self.settings = solver_settings(parameters)
        self.settings["extent"] = extent(robot)
        self.settings["dry"] = dry_joints(robot)
        self.entry: Callable[..., int] = run_closed_entry if len(robot.closures) else run_entry
        if len(robot.collision_pairs):
            self.entry = run_colliding_entry
        self.solve, self.make_work = solve_by_prox, prox_work
        self.system = self.system._replace(work=prox_work(len(self.system.offsets)))
        self._fixed: tuple[Any, ...] = (self.settings,)
        self._cuts: Cuts | None = None
        if parameters.coordinates != "minimal":
            self._cut(parameters)

    def _cut(self, parameters: MoreauParameters) -> None:
        """Go over to the kernel for cut robots: six rows a cut, in two parts each, and two parts for limits."""
        if len(self.robot.collision_pairs):
            raise ParameterError(
                "self_collision: moreau has it in minimal coordinates only; expected coordinates minimal"
            )
        forest = cut(self.robot, parameters.coordinates)
        contacts, others = len(self.robot.contact_points), self.robot.joint_count + 6 * len(forest.cuts)
        rows, own = 3 * contacts + others, (len(self.robot.links), self.robot.nv)
        arrays = problem_arrays(*own, contacts, others, mirrored=others)
        self.system = self.system._replace(work=prox_work(rows), **arrays)
        state, dofs = np.zeros(forest.nv), np.zeros((DOF_ROWS, forest.nv))
        trees = self.system._replace(links=forest.links, state=state, result=state, dofs=dofs)
        cuts = cut_work(forest.cuts, contacts, rows)
        self._cuts, self._start = cuts, self._poses()
        self.entry, self.solve = run_cut_entry, None
        self._fixed = (trees, cuts, self.settings, int(parameters.bilateral == "direct"))

    def restart(self) -> None:
        """See `ContactModel.restart`."""
        super().restart()
        if self._cuts is not None:
            self._cuts.reactions[:] = 0.0
            self._start = self._poses()
            begin_poses(self._cuts, self._start)

    def joint_gaps(self) -> np.ndarray:
        """Return how far the ends of the cut joints have drifted apart since the state was set, (cuts,), m.

        The drift of the study's coordinates (see `cuts.cut_poses`), which is followed under ``activation="midpoint"``.

        Raises:
            ParameterError: nothing is cut.
        """
        if self._cuts is None:
            raise ParameterError("coordinates: expected extended or maximal, found minimal")
        return joint_gaps(self._cuts, self._start, self._poses())

    def _poses(self) -> Poses:
        return forward_kinematics(self.robot, self.system.state[: self.robot.nq])

    def _arguments(self, time_step: float) -> tuple[Any, ...]:
        self.settings["time_step"] = time_step
        return (self.system, *self._fixed)


def solver_settings(parameters: MoreauParameters) -> np.ndarray:
    """Return the kernels' PROX_SETTINGS, (1,), all but the robot's extent."""
    settings = np.zeros(1, dtype=PROX_SETTINGS)
    same = ("friction", "restitution", "tangential_restitution", "absolute_tolerance", "max_iterations", "patience")
    for name in (*same, "impact_threshold", "recovery_speed", "warm_start"):
        settings[name] = getattr(parameters, name)
    settings["tolerance"] = parameters.relative_tolerance
    settings["relaxation"] = parameters.alpha
    settings["solver"] = PROX[parameters.prox]
    settings["finish"] = FINISH.index(parameters.finish)
    settings["activation"] = ACTIVATION[parameters.activation]
    return settings
