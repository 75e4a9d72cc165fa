"""Trajectories of joints out of messages."""

import numpy as np
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from ..control import JointTrajectory
from ..model import RobotModel


def trajectory_of(message: JointTrajectoryMessage, robot: RobotModel) -> JointTrajectory:
    """Return a joint trajectory from its message; velocities are used if every point has them."""
    points = message.points
    times = [point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec for point in points]
    rates = [list(point.velocities) for point in points]
    width = len(message.joint_names)
    velocities = rates if points and all(len(rate) == width for rate in rates) else None
    positions = [list(point.positions) for point in points]
    return JointTrajectory.from_points(robot, message.joint_names, times, positions, velocities)


def motion_of(message: JointTrajectoryMessage, robot: RobotModel, joints: np.ndarray) -> JointTrajectory:
    """Return the trajectory that leads from where the joints are, (joint_count,), through the points of a message.

    Without points the joints stay where they are.
    """
    if not message.points:
        return JointTrajectory(np.zeros(1), joints[None].copy())
    rest = trajectory_of(message, robot)
    if rest.times[0] <= 0.0:
        return rest
    times, positions = np.r_[0.0, rest.times], np.vstack([joints, rest.positions])
    rates = None if rest.velocities is None else np.vstack([np.zeros(len(joints)), rest.velocities])
    return JointTrajectory(times, positions, rates)
