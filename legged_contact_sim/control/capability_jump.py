"""Jump of a single leg: computed torque toward a far point, within the motors' limits, while the foot touches."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import ParameterError
from ..model import RobotModel
from .capability import JumpingLeg
from .controller import Controller, Observation
from .parameters import Parameters, number, numbers
from .whole_body import joined_state


@dataclass(frozen=True)
class CapabilityJumpParameters(Parameters):
    """Parameters of `capability_jump`: the goal lies ``distance`` away along ``direction`` (x, y, z)."""

    direction: tuple[float, ...] = numbers((-1.0, 0.0, 1.0), -1e3, 1e3, length=3)
    distance: float = number(5.0, 0.0, 1e3, "m", open_low=True)
    stiffness: float = number(200.0, 0.0, 1e6, "1/s^2")
    damping: float = number(28.0, 0.0, 1e6, "1/s")
    touch_force: float = number(0.0, 0.0, 1e3, "N")


class CapabilityJump(Controller):
    """Pushes its body toward the goal while the foot touches; in flight the motors rest."""

    name: ClassVar[str] = "capability_jump"
    summary: ClassVar[str] = "single leg jumps toward a point by computed torque with saturation, active in contact"
    Parameters: ClassVar[type[Parameters]] = CapabilityJumpParameters

    def __init__(self, robot: RobotModel, parameters: CapabilityJumpParameters) -> None:
        """See `Controller`."""
        super().__init__(robot, parameters)
        self.leg = JumpingLeg(robot)
        length = float(np.linalg.norm(parameters.direction))
        if length < 1e-9:
            raise ParameterError("direction: expected a vector that is not zero, found zeros")
        self.direction = np.array(parameters.direction) / length

    def reset(self, observation: Observation) -> None:
        """Set the goal from where the body is; the foot is taken to touch."""
        q, _ = joined_state(self.robot, observation)
        self._begin = observation.time
        self.goal = q[:3] + self.parameters.distance * self.direction

    def effort(self, observation: Observation) -> np.ndarray:
        """See `Controller.effort`."""
        own, seen = self.parameters, observation
        if seen.normal_force(self.leg.leg.name) <= own.touch_force and seen.time > self._begin:
            return np.zeros(self.robot.joint_count)
        q, v = joined_state(self.robot, seen)
        push = self.leg.push(q, v)
        velocity = turned_by(q[3:7], v[:3])
        wanted = own.stiffness * (self.goal - q[:3]) - own.damping * velocity
        effort = np.linalg.lstsq(push.P, wanted - push.c)[0]
        return np.clip(effort, -self.leg.limit, self.leg.limit)


def turned_by(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Return a vector (3,) turned by a unit quaternion x y z w."""
    axis, w = quaternion[:3], quaternion[3]
    across = np.cross(axis, vector)
    return vector + 2.0 * (w * across + np.cross(axis, across))
