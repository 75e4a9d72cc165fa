"""Standing balance: the trunk is held over the feet by their forces, within the friction pyramids."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..dynamics import center_of_mass
from ..model import RobotModel
from .controller import Controller, Observation
from .leg_kinematics import find_legs
from .parameters import Parameters, number
from .whole_body import WholeBody, attitude_error, has_fallen, heading, turned


@dataclass(frozen=True)
class BalanceParameters(Parameters):
    """Parameters of `balance`; ``height`` of the trunk is over its height in the home pose.

    Gains that are 0 follow from the robot's size: stiffness 150 or 250 and damping 20 or 30 with the centre of mass at
    0.377 m, falling with the height and with its root. ``smallest_force`` is at most a tenth of a foot's share.
    """

    friction: float = number(0.5, 0.01, 10.0)
    smallest_force: float = number(5.0, 0.0, 1e5, "N")
    height: float = number(0.0, -1.0, 1.0, "m")
    position_stiffness: float = number(0.0, 0.0, 1e4, "1/s^2")
    position_damping: float = number(0.0, 0.0, 1e4, "1/s")
    attitude_stiffness: float = number(0.0, 0.0, 1e4, "1/s^2")
    attitude_damping: float = number(0.0, 0.0, 1e4, "1/s")
    foot_damping: float = number(0.0, 0.0, 1e4, "1/s")


# Gains at STANDING_HEIGHT, m, of the centre of mass, and the power of the height by which they change.
STANDING_HEIGHT = 0.377
GAINS = {
    "position_stiffness": (150.0, -1.0),
    "position_damping": (20.0, -0.5),
    "attitude_stiffness": (250.0, -1.0),
    "attitude_damping": (30.0, -0.5),
    "foot_damping": (40.0, -0.5),
}
LEAST_SHARE = 0.1  # of the weight on a foot, that it always carries


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
        legs = find_legs(robot)
        share = LEAST_SHARE * robot.total_mass * float(np.linalg.norm(robot.gravity)) / len(legs)
        self.body = WholeBody(robot, parameters.friction, min(parameters.smallest_force, share))
        feet = np.array([leg.foot(leg.home) for leg in legs])
        self.parameters = self._sized(parameters, feet[:, 2].min())
        self.stance = feet.mean(axis=0)
        arm = float(np.linalg.norm(feet[:, :2] - self.stance[:2], axis=1).mean()) or 1.0
        self.weights = np.array([1.0, 1.0, 1.0, 1.0 / arm, 1.0 / arm, 1.0 / arm])
        self._heading = np.eye(3)

    def _sized(self, parameters: BalanceParameters, lowest: float) -> BalanceParameters:
        """Return the parameters with gains that are 0 filled in; ``lowest``: height of the feet in the trunk, m."""
        home = self.robot.home.copy()
        home[:3], home[3:7] = 0.0, (0.0, 0.0, 0.0, 1.0)
        size = max(float(center_of_mass(self.robot, home)[2]) - lowest, 1e-3) / STANDING_HEIGHT
        missing = [name for name in GAINS if getattr(parameters, name) == 0.0]
        return replace(parameters, **{name: GAINS[name][0] * size ** GAINS[name][1] for name in missing})

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
