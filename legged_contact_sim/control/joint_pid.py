"""Joint PID: each joint holds its position or follows a trajectory, within its effort limit."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..dynamics.functions import checked
from ..errors import ParameterError
from ..model import RobotModel
from ..model.gains import proposed_gains
from .controller import Controller, DriveTargets, Observation
from .joint_trajectory import JointTrajectory
from .parameters import Parameters, numbers, per_joint


@dataclass(frozen=True)
class JointPidParameters(Parameters):
    """Parameters of `joint_pid`: one number, a leg's worth that all legs share, or one number per joint.

    Without stiffness or damping they are those proposed from the robot's inertia. ``effort_limit`` lowers the limits of
    the URDF. ``target``: the pose to hold, (joint_count,); empty: the home pose.
    """

    stiffness: tuple[float, ...] = numbers((), 0.0, 1e7, "N m/rad")
    damping: tuple[float, ...] = numbers((), 0.0, 1e6, "N m s/rad")
    integral: tuple[float, ...] = numbers((0.0,), 0.0, 1e7, "N m/(rad s)")
    integral_limit: tuple[float, ...] = numbers((20.0,), 0.0, 1e6, "N m")
    effort_limit: tuple[float, ...] = numbers((1e9,), 0.0, 1e9, "N m")
    target: tuple[float, ...] = numbers((), -1e4, 1e4, "rad")


class PidLaw:
    """The control law of all joints together: PID with a clamped integral and limited effort."""

    def __init__(self, robot: RobotModel, gains: JointPidParameters) -> None:
        """Spread the gains over the joints."""
        count = robot.joint_count
        proposed = proposed_gains(robot)
        self.stiffness = per_joint("stiffness", gains.stiffness or tuple(proposed.stiffness), count)
        self.damping = per_joint("damping", gains.damping or tuple(proposed.damping), count)
        self.integral = per_joint("integral", gains.integral, count)
        self.integral_limit = per_joint("integral_limit", gains.integral_limit, count)
        limit = per_joint("effort_limit", gains.effort_limit, count)
        self.effort_limit = np.minimum(limit, robot.links["effort_limit"][robot.joint_links])
        self.reset(0.0)

    def reset(self, time: float) -> None:
        """Forget the integral."""
        self._time = time
        self._sum = np.zeros(len(self.stiffness))

    def effort(self, seen: Observation, position: np.ndarray, velocity: np.ndarray, feed: float = 0.0) -> np.ndarray:
        """Return the efforts toward a position and velocity (joint_count,), with ``feed`` (N m) added.

        ``Kp e + Kd de/dt + s``, where ``ds/dt = Ki e`` and s stays within the integral's limit.
        """
        error = position - seen.positions
        elapsed, self._time = seen.time - self._time, seen.time
        self._sum += elapsed * self.integral * error
        np.clip(self._sum, -self.integral_limit, self.integral_limit, out=self._sum)
        wanted = self.stiffness * error + self.damping * (velocity - seen.velocities) + self._sum + feed
        return np.clip(wanted, -self.effort_limit, self.effort_limit)

    def targets(self, position: np.ndarray, velocity: np.ndarray) -> DriveTargets:
        """Return a position and velocity (joint_count,) with the gains, for drives that follow them.

        Raises:
            ParameterError: there is an integral, which targets do not carry.
        """
        if self.integral.any():
            raise ParameterError(f"integral: expected 0 with joint targets, found {self.integral.max():g}")
        return DriveTargets(position, velocity, self.stiffness, self.damping)


class JointPid(Controller):
    """Holds a pose, or follows a joint trajectory and holds its end."""

    name: ClassVar[str] = "joint_pid"
    summary: ClassVar[str] = "every joint holds its position or follows a trajectory by PID within effort limits"
    feels_contacts: ClassVar[bool] = False
    Parameters: ClassVar[type[Parameters]] = JointPidParameters

    def __init__(self, robot: RobotModel, parameters: JointPidParameters) -> None:
        """See `Controller`."""
        super().__init__(robot, parameters)
        self.law = PidLaw(robot, parameters)
        goal = parameters.target or robot.home[robot.position_indices]
        self._trajectory = JointTrajectory(np.zeros(1), checked("target", goal, robot.joint_count)[None])
        self._begin: float | None = None

    def reset(self, observation: Observation) -> None:
        """Forget the integral; the trajectory begins now."""
        self.law.reset(observation.time)
        self._begin = observation.time

    def hold(self, target: np.ndarray) -> None:
        """Hold a pose (joint_count,), rad or m, from now on."""
        self.follow(JointTrajectory(np.zeros(1), checked("target", target, self.robot.joint_count)[None]))

    def follow(self, trajectory: JointTrajectory) -> None:
        """Follow a trajectory, beginning with the next observation."""
        self._trajectory, self._begin = trajectory, None

    def effort(self, observation: Observation) -> np.ndarray:
        """See `Controller.effort`."""
        return self.law.effort(observation, *self._wanted(observation.time))

    def targets(self, observation: Observation) -> DriveTargets:
        """See `Controller.targets`."""
        return self.law.targets(*self._wanted(observation.time))

    def _wanted(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        if self._begin is None:
            self._begin = time
        return self._trajectory.sample(time - self._begin)
