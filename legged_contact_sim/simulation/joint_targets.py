"""What the drives of the joints are to follow: positions, velocities and efforts with gains."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics.functions import checked
from ..errors import ParameterError
from ..model import RobotModel
from .checks import joint_gains


class JointTargets(NamedTuple):
    """Arrays (joint_count,) of ``u = stiffness (position - q) - damping v + feed``, with the robot they are for.

    ``integral`` is the gain of the error's integral, which the steps add.
    """

    robot: RobotModel
    position: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    feed: np.ndarray
    integral: np.ndarray

    def worked_out(self, q: np.ndarray, v: np.ndarray) -> "JointTargets":
        """Return plain efforts: what the gains give in the state q (nq,), v (nv,).

        Raises:
            ParameterError: there is an integral, which only steps can add up.
        """
        if self.integral.any():
            raise ParameterError("integral: expected 0 for gains that act outside the step")
        joints, velocities = q[self.robot.position_indices], v[self.robot.velocity_indices]
        effort = self.stiffness * (self.position - joints) - self.damping * velocities + self.feed
        nothing = np.zeros(len(effort))
        return JointTargets(self.robot, nothing, nothing, nothing, effort, nothing)


def joint_targets(
    robot: RobotModel,
    position: ArrayLike | None,
    velocity: ArrayLike | None,
    effort: ArrayLike | None,
    stiffness: ArrayLike,
    damping: ArrayLike,
    integral: ArrayLike = 0.0,
) -> JointTargets:
    """Return checked targets, see `Simulator.command`; the velocity's part of the damper is in the feed.

    Raises:
        ParameterError: names what does not fit.
    """
    count = robot.joint_count
    kp, kd = joint_gains("stiffness", stiffness, count), joint_gains("damping", damping, count)
    ki = joint_gains("integral", integral, count)
    feed = np.zeros(count) if effort is None else checked("effort", effort, count)
    if velocity is not None:
        feed += kd * checked("velocity", velocity, count)
    if position is None:
        nothing = np.zeros(count)
        return JointTargets(robot, nothing, nothing, kd, feed, nothing)
    return JointTargets(robot, checked("position", position, count), kp, kd, feed, ki)
