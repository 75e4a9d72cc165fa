"""The action FollowJointTrajectory, as a joint_trajectory_controller of ros2_control offers it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup

from ..errors import LeggedContactSimError
from .joint_commands import RefusedError
from .snapshot import NANOSECONDS
from .trajectory_goals import (
    INVALID_GOAL,
    INVALID_JOINTS,
    OLD_HEADER_TIMESTAMP,
    SUCCESSFUL,
    GoalError,
    Progress,
    TrajectoryGoal,
    tolerances,
)

if TYPE_CHECKING:
    from .simulated_robot import SimulatedRobot

ACTION = "joint_trajectory_controller/follow_joint_trajectory"


class FollowJointTrajectoryServer:
    """Translates between the action's messages and a robot's commands."""

    def __init__(self, robot: "SimulatedRobot") -> None:
        """Offer the action."""
        self._robot = robot
        self._server = ActionServer(
            robot.node,
            FollowJointTrajectory,
            ACTION,
            self._execute,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=ReentrantCallbackGroup(),
        )

    def _execute(self, handle: Any) -> Any:
        """Follow a trajectory to its end; feedback tells ten times a second where the joints are."""
        requests, commands = self._robot.requests, self._robot.commands
        result = FollowJointTrajectory.Result()
        try:
            goal: TrajectoryGoal = requests.ask(lambda: self._begin(handle.request))

            def tell() -> None:
                if goal.progress:
                    handle.publish_feedback(_feedback(goal.names, goal.progress, self._robot.begun))
                if handle.is_cancel_requested:
                    requests.ask(lambda: commands.cancel(goal))

            result.error_code, result.error_string = requests.await_result(goal, tell)
        except LeggedContactSimError as error:
            code = error.code if isinstance(error, GoalError) else INVALID_GOAL
            result.error_code, result.error_string = code, str(error)
        if result.error_code == SUCCESSFUL:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return result

    def _begin(self, request: Any) -> TrajectoryGoal:
        """Let the joints follow what is asked for.

        Raises:
            GoalError: it cannot be followed.
        """
        commands, trajectory = self._robot.commands, request.trajectory
        if request.multi_dof_trajectory.joint_names or request.multi_dof_trajectory.points:
            raise GoalError(INVALID_JOINTS, "multi_dof_trajectory: there are no such joints")
        if request.component_path_tolerance or request.component_goal_tolerance:
            raise GoalError(INVALID_GOAL, "component tolerances: there are no such joints")
        if not trajectory.points:
            raise GoalError(INVALID_GOAL, "trajectory: expected some points, found 0")
        names = list(trajectory.joint_names)
        path, goal = tolerances(request.path_tolerance, names), tolerances(request.goal_tolerance, names)
        patience = _seconds(request.goal_time_tolerance)
        now = self._robot.simulator.time
        try:
            motion = commands.motion_from(trajectory, self._start(trajectory.header.stamp, now))
        except RefusedError as refusal:
            raise GoalError(INVALID_JOINTS, str(refusal)) from None
        except LeggedContactSimError as error:
            raise GoalError(INVALID_GOAL, str(error)) from None
        if motion.start + motion.trajectory.times[-1] < now - 1e-9:
            raise GoalError(OLD_HEADER_TIMESTAMP, "trajectory: it has ended before now")
        asked = TrajectoryGoal(motion, names, path, goal, patience if patience > 0.0 else np.inf)
        commands.pursue(asked, now)
        return asked

    def _start(self, stamp: Any, now: float) -> float:
        """Return when a trajectory begins, s; without a stamp it is now."""
        if stamp.sec == 0 and stamp.nanosec == 0:
            return now
        return (stamp.sec * NANOSECONDS + stamp.nanosec - self._robot.begun) / NANOSECONDS


def _seconds(duration: Any) -> float:
    return float(duration.sec + 1e-9 * duration.nanosec)


def _feedback(names: list[str], progress: Progress, begun: int) -> Any:
    feedback = FollowJointTrajectory.Feedback(joint_names=names)
    error = progress.desired - progress.actual
    for point, numbers in (
        (feedback.desired, progress.desired),
        (feedback.actual, progress.actual),
        (feedback.error, error),
    ):
        point.positions, point.velocities = numbers[0].tolist(), numbers[1].tolist()
    stamp = begun + round(progress.time * NANOSECONDS)
    feedback.header.stamp.sec, feedback.header.stamp.nanosec = divmod(stamp, NANOSECONDS)
    return feedback
