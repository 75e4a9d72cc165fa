"""Walking of the planar biped: joint drives follow prescribed motions, an outer torque keeps the trunk upright."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import ParameterError
from ..model import RobotModel
from .controller import Controller, DriveTargets, Observation
from .parameters import Parameters, number, numbers, per_joint
from .planar_gait import PlanarGait

TRUNK = "root_pitch"
FREE = ("root_x", "root_z")  # joints of the pelvis that nothing drives


@dataclass(frozen=True)
class PlanarWalkParameters(Parameters):
    """Parameters of `planar_walk`; stiffness and damping are one number, or one per joint; the pelvis has its own.

    The defaults are as stiff as efforts allow that are held for 0.5 ms; order: root x, z, pitch; left leg, left arm,
    right leg, right arm.
    """

    stiffness: tuple[float, ...] = numbers((0.0,) * 3 + 2 * (2e4, 2e4, 8000.0, 400.0, 200.0), 0.0, 1e7, "N m/rad")
    damping: tuple[float, ...] = numbers((0.0,) * 3 + 2 * (200.0, 120.0, 10.0, 8.0, 2.0), 0.0, 1e6, "N m s/rad")
    trunk_stiffness: float = number(2e4, 0.0, 1e7, "N m/rad")
    trunk_damping: float = number(1000.0, 0.0, 1e6, "N m s/rad")


class PlanarWalk(Controller):
    """Walks by joint motions that are functions of time (`planar_gait`); a harness turns the trunk upright."""

    name: ClassVar[str] = "planar_walk"
    summary: ClassVar[str] = "the planar biped walks by prescribed joint motions, its trunk kept upright (Bruneau)"
    feels_contacts: ClassVar[bool] = False
    Parameters: ClassVar[type[Parameters]] = PlanarWalkParameters

    def __init__(self, robot: RobotModel, parameters: PlanarWalkParameters) -> None:
        """Plan the walk.

        Raises:
            ParameterError: the robot is no planar biped.
        """
        super().__init__(robot, parameters)
        missing = [name for name in (*FREE, TRUNK) if name not in robot.joint_names]
        if missing:
            raise ParameterError(f"planar_walk: {robot.name} has no joint {missing[0]}; expected biped_planar")
        self.gait = PlanarGait(robot)
        self._stiffness, self._damping = (
            per_joint(name, getattr(parameters, name), robot.joint_count).copy() for name in ("stiffness", "damping")
        )
        free, trunk = [robot.joint_names.index(name) for name in FREE], robot.joint_names.index(TRUNK)
        self._stiffness[free] = self._damping[free] = 0.0
        self._stiffness[trunk], self._damping[trunk] = parameters.trunk_stiffness, parameters.trunk_damping
        self._begin = 0.0

    def reset(self, observation: Observation) -> None:
        """Begin in the middle of a left support."""
        self._begin = observation.time - 0.5 * self.gait.shape.step_time

    def targets(self, observation: Observation) -> DriveTargets:
        """See `Controller.targets`."""
        instant = observation.time - self._begin
        return DriveTargets(self.gait.joints(instant), self.gait.joints(instant, 1), self._stiffness, self._damping)

    def effort(self, observation: Observation) -> np.ndarray:
        """See `Controller.effort`."""
        position, velocity, stiffness, damping = self.targets(observation)
        return stiffness * (position - observation.positions) + damping * (velocity - observation.velocities)
