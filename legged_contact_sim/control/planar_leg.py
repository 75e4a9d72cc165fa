"""What controllers of the planar leg (Singh) share: its mechanics, and its equations with parts of the foot at rest."""

import numpy as np

from ..dynamics import (
    center_of_mass,
    inverse_dynamics,
    mass_matrix,
    point_bias_acceleration,
    point_jacobian,
)
from ..errors import ModelError
from ..model import RobotModel
from .constraint_embedding import Reduced, reduce
from .controller import Controller
from .parameters import Parameters

TOE, HEEL = "E", "F"


class PlanarLegController(Controller):
    """A controller of the planar leg.

    Attributes:
        motors: indices of the driven joints, (3,).
        G: gear matrix, (3, 6).
        A, bias: mass matrix and bias efforts of the present state.
        com, com_J, com_bias: centre of mass (2,), x and z, its Jacobian, and dJ/dt v.
    """

    def __init__(self, robot: RobotModel, parameters: Parameters) -> None:
        """See `Controller`."""
        super().__init__(robot, parameters)
        if robot.base != "fixed" or robot.nv != 6 or not {TOE, HEEL} <= set(robot.contact_names):
            raise ModelError(f"{robot.name}: {self.name} needs planar_leg: 6 joints, contact points E and F")
        self.motors = np.arange(3, 6)
        self.G = np.eye(6)[self.motors]
        ends = robot.contact_points[[robot.contact_names.index(name) for name in (TOE, HEEL)]]
        self.ends = [(int(end["link"]), end["position"]) for end in ends]

    def _reduced(self, q: np.ndarray, v: np.ndarray, touching: str) -> Reduced:
        """Return the equations with the "whole" foot, its "toe" or its "heel" on the ground, or nothing ("").

        The heel's tangential row follows from the others where both touch: the foot is rigid.
        """
        if touching == "":
            return reduce(self.A, self.bias, self.G, np.empty((0, 6)), np.empty(0))
        J, curvature = self._end(q, v, 1 if touching == "heel" else 0)
        if touching == "whole":
            heel, heel_curvature = self._end(q, v, 1)
            J, curvature = np.vstack([J, heel[1:]]), np.concatenate([curvature, heel_curvature[1:]])
        return reduce(self.A, self.bias, self.G, J, curvature)

    def _end(self, q: np.ndarray, v: np.ndarray, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the Jacobian (2, 6) of an end of the foot in x and z, and dJ/dt v (2,)."""
        link, point = self.ends[index]
        J = point_jacobian(self.robot, q, link, point)[[0, 2]]
        return J, point_bias_acceleration(self.robot, q, v, link, point)[[0, 2]]

    def _mechanics(self, q: np.ndarray, v: np.ndarray) -> None:
        """Work out what every task needs: mass matrix, bias, and the centre of mass (2,) with Jacobian and dJ/dt v.

        The first two coordinates carry the whole leg along x and z: their rows of the equations of motion are those of
        the centre of mass, times the mass.
        """
        self.A = mass_matrix(self.robot, q)
        self.bias = inverse_dynamics(self.robot, q, v, np.zeros(6))
        mass = self.robot.total_mass
        self.com = center_of_mass(self.robot, q)[[0, 2]]
        self.com_J, self.com_bias = self.A[:2] / mass, self.bias[:2] / mass + self.robot.gravity[[0, 2]]
