"""Standing balance: the trunk is held over the feet by their forces, within the friction pyramids."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..model import RobotModel
from .controller import Controller, Observation
from .parameters import Parameters, number
from .whole_body import WholeBody, attitude_error, has_fallen, heading, turned


@dataclass(frozen=True)
class BalanceParameters(Parameters):
    """Parameters of `balance`; ``height`` of the trunk is over its height in the home pose."""

    friction: float = number(0.5, 0.01, 10.0)
    smallest_force: float = number(5.0, 0.0, 1e5, "N")
    height: float = number(0.0, -1.0, 1.0, "m")
    position_stiffness: float = number(150.0, 0.0, 1e4, "1/s^2")
    position_damping: float = number(20.0, 0.0, 1e4, "1/s")
    attitude_stiffness: float = number(250.0, 0.0, 1e4, "1/s^2")
    attitude_damping: float = number(30.0, 0.0, 1e4, "1/s")
    foot_damping: float = number(40.0, 0.0, 1e4, "1/s")


class Balance(Controller):
    """Holds the trunk level, over the middle of the feet, at its height and in the heading that it had at the start.

    ``fallen``: whether it has fallen over since the last reset; it goes limp then.
    """

    name: ClassVar[str] = "balance"
    summary: ClassVar[str] = "stands: trunk held by foot forces in the friction cones, by inverse dynamics"
    feels_contacts: ClassVar[bool] = False
    Parameters: ClassVar[type[Parameters]] = BalanceParameters

    def __init__(self, robot: RobotModel, parameters: BalanceParameters) -> None:
        """See `Controller`."""
        super().__init__(robot, parameters)
        self.body = WholeBody(robot, parameters.friction, parameters.smallest_force)
        feet = np.array([leg.foot(leg.home) for leg in self.body.legs])
        self.stance = feet.mean(axis=0)
        arm = float(np.linalg.norm(feet[:, :2] - self.stance[:2], axis=1).mean()) or 1.0
        self.weights = np.array([1.0, 1.0, 1.0, 1.0 / arm, 1.0 / arm, 1.0 / arm])
        self._heading = np.eye(3)

    def reset(self, observation: Observation) -> None:
        """Take over the heading."""
        self.fallen = False
        self._heading = turned(heading(self.body.observe(observation).rotation))

    def effort(self, observation: Observation) -> np.ndarray:
        """See `Controller.effort`."""
        own, motion = self.parameters, self.body.observe(observation)
        self.fallen = self.fallen or has_fallen(motion)
        if self.fallen:
            return np.zeros(self.robot.joint_count)
        target = motion.feet.mean(axis=0) - self._heading @ self.stance + (0.0, 0.0, own.height)
        trunk = np.concatenate(
            [
                own.position_stiffness * (target - motion.position) - own.position_damping * motion.velocity,
                own.attitude_stiffness * attitude_error(motion.rotation, self._heading)
                - own.attitude_damping * motion.turning,
            ]
        )
        feet = -own.foot_damping * motion.foot_velocities
        stance = np.ones(len(self.body.legs), dtype=bool)
        return self.body.effort(motion, trunk, feet, stance, self.weights)[0]
