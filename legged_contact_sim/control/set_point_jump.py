"""Singh's own control law: a fixed goal for the centre of mass, PD in operational space, motors off after lift-off."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..model import RobotModel
from .constraint_embedding import Task, product
from .controller import Observation
from .parameters import Parameters, number
from .planar_leg import HEEL, TOE, PlanarLegController


@dataclass(frozen=True)
class SetPointJumpParameters(Parameters):
    """Parameters of `SetPointJump`.

    The goal is ``rise`` above and ``forward`` ahead of the centre of mass when the whole foot touches for the first
    time. ``two_point_stiffness`` and ``one_point_stiffness`` are k_p with the whole foot and with one end of it on the
    ground; k_v = sqrt(k_p) (Singh 4.7), half of critical damping.
    """

    rise: float = number(0.6, -2.0, 5.0, "m")
    forward: float = number(0.0, -5.0, 5.0, "m")
    two_point_stiffness: float = number(40.0, 0.0, 1e5, "1/s^2")
    one_point_stiffness: float = number(80.0, 0.0, 1e5, "1/s^2")
    touch_force: float = number(1e-6, 0.0, 1e5, "N")


class SetPointJump(PlanarLegController):
    """Drives the centre of mass toward a point until the foot has left the ground.

    Attributes:
        phase: "fall", "whole" (foot on the ground), "toe", "heel", or "off" after lift-off.
    """

    name: ClassVar[str] = "set_point_jump"
    summary: ClassVar[str] = "planar leg: fixed goal of the centre of mass, motors off after lift-off (Singh)"
    Parameters: ClassVar[type[Parameters]] = SetPointJumpParameters

    def __init__(self, robot: RobotModel, parameters: SetPointJumpParameters) -> None:
        """See `Controller`."""
        super().__init__(robot, parameters)
        self.phase = "fall"

    def reset(self, observation: Observation) -> None:
        """Begin in the air."""
        self.phase = "fall"

    def effort(self, observation: Observation) -> np.ndarray:
        """Return the effort for the goal; more motors than task rows: the smallest (Singh 4.1.3)."""
        q, v, own = observation.positions, observation.velocities, self.parameters
        self._mechanics(q, v)
        toe, heel = (observation.normal_force(name) > own.touch_force for name in (TOE, HEEL))
        if self.phase == "fall" and toe and heel:
            self.goal = self.com + (own.forward, own.rise)
        if self.phase != "off" and (self.phase != "fall" or (toe and heel)):
            self.phase = {(True, True): "whole", (True, False): "toe", (False, True): "heel"}.get((toe, heel), "off")
        effort = np.zeros(6)
        if self.phase in ("fall", "off"):
            return effort
        stiffness = own.two_point_stiffness if self.phase == "whole" else own.one_point_stiffness
        wanted = stiffness * (self.goal - self.com) - np.sqrt(stiffness) * (self.com_J @ v)
        system = self._reduced(q, v, self.phase)
        effort[self.motors] = product(system, Task(self.com_J, self.com_bias, wanted))
        return effort
