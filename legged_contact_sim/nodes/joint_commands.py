"""Joint commands in all forms in which they come. What cannot be meant is dropped and counted."""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from ..control import JointTrajectory
from ..errors import LeggedContactSimError, ParameterError
from ..model.gains import proposed_gains
from ..simulation import Simulator
from .joint_drives import JointDrives, Motion, Wanted
from .outputs import QUANTITIES
from .polling import Mailbox, message_of
from .qos import COMMANDS
from .snapshot import NANOSECONDS
from .topic_control import TopicSystem, commanded, topic_systems
from .trajectories import motion_of
from .trajectory_goals import INVALID_GOAL, TrajectoryGoal

MOST_BYTES = 1 << 16  # of a message; longer ones are not even looked at
MOST_A_TICK = 4  # messages per topic; what waits beyond them is taken next time, or overwritten by newer ones
LARGEST = 1e6  # N m, N, rad, ...; nothing on a robot is larger
LARGEST_GAIN = 1e9
REPEATED = "repeated"

Warn = Callable[[str, str], None]
Take = Callable[[Any, int | None], int]  # a message and the awaited stamp, ns; returns the stamp that it answers


class RefusedError(Exception):
    """A command that cannot be meant: ``kind`` for throttling, and the reason."""

    def __init__(self, kind: str, reason: str) -> None:
        """Keep both."""
        super().__init__(reason)
        self.kind = kind


class Commands:
    """Listens to commands and tells the drives.

    Attributes:
        drives: what the joints do now.
        received: commands that were accepted.
        dropped: messages that were not.
        answered: stamp of the last accepted command, ns; that of the awaited state for one without a stamp.
        reminders: how often answers were asked for again; whoever was only late gives one more to each.
    """

    def __init__(self, node: Node, simulator: Simulator, values: Mapping[str, Any], warn: Warn) -> None:
        """Listen on all topics, with the node's parameters."""
        robot = simulator.robot
        self._simulator, self._warn = simulator, warn
        self._index = {name: k for k, name in enumerate(robot.joint_names)}
        order = [name for name in values["joints"] if name]
        try:
            self._order = self._columns_of(order or list(robot.joint_names))
        except RefusedError as refusal:
            raise ParameterError(f"joints: {refusal}") from None
        self.gains = drive_gains(simulator, values)
        self.drives = JointDrives(simulator, values["drive.inside"], values["drive.delay"])
        self._names: list[str] = []
        self._columns = np.zeros(0, dtype=int)
        self._sources: list[tuple[Mailbox, Take, bool]] = []  # with whether its commands hold until another comes
        self._of_ros2_control = False  # a system of ros2_control commands
        if not values["composed"]:  # the controller in this process is the only one who commands
            self._listen_to_all(node, values["lockstep"])
        self.received = self.dropped = self.reminders = 0
        self._goal: TrajectoryGoal | None = None
        self.answered = -1
        self._now = 0.0
        self._last: float | None = None
        self._lasts = False  # the last command holds until another comes
        self.timed_out = False

    def _listen_to_all(self, node: Node, lockstep: bool) -> None:
        self._listen(node, JointState, "joint_commands", self._take_named)
        for quantity in ("effort", "position", "velocity"):
            take = lambda message, awaited, q=quantity: self._take_listed(q, message, awaited)  # noqa: E731
            self._listen(node, Float64MultiArray, f"{quantity}_controller/commands", take)
        topic = "joint_trajectory_controller/joint_trajectory"
        self._listen(node, JointTrajectoryMessage, topic, self._take_trajectory)
        if importlib.util.find_spec("legged_contact_sim_msgs"):
            from legged_contact_sim_msgs.msg import LowLevelCommand

            self._listen(node, LowLevelCommand, "low_level_command", self._take_with_gains)

        for system in topic_systems(self._simulator.robot):
            self._of_ros2_control = True
            if system.silent and lockstep:
                words = "lockstep waits for every command: expected trigger_joint_command_threshold -1"
                node.get_logger().warning(f"ros2_control {system.name!r}: {words}")
            take = lambda message, awaited, s=system: self._take_of_system(s, message, awaited)  # noqa: E731
            self._listen(node, JointState, system.commands, take, system.silent)

    def _listen(self, node: Node, kind: Any, topic: str, take: Take, lasts: bool = False) -> None:
        self._sources.append((Mailbox(node, kind, topic, COMMANDS), take, lasts))

    def poll(self, now: float, awaited: int | None = None) -> None:
        """Take the commands that wait at the simulated time, s; in lockstep only what answers the awaited state, ns."""
        self._now = now
        for mailbox, take, lasts in self._sources:
            for raw in mailbox.drain(MOST_A_TICK):
                self._accept(raw, mailbox.kind, take, awaited, lasts)

    def efforts(self, now: float) -> np.ndarray:
        """Return the efforts (joint_count,) for the tick that begins now, s, after telling the drives their targets."""
        self.drives.apply(now, self.gains)
        if self._goal:
            self._watch(self._goal, now)
        return self.drives.effort

    def answers(self, awaited: int | None) -> bool:
        """Return whether there is a command; in lockstep one that answers the awaited state, ns.

        A trajectory answers all states until it has come to its end, and until the goal that it has is decided.
        """
        if self.state != "fresh" or awaited in (None, self.answered):
            return self.state == "fresh"
        return self._goal is not None or self.drives.moves_on(self._simulator.time)

    @property
    def begins_late(self) -> bool:
        """Whether nobody commands yet, and who will needs a running clock to begin: controller_manager."""
        return self._of_ros2_control and self._last is None

    def expire(self, now: float, timeout: float) -> None:
        """Let go of the joints if the last command is older than the timeout, s; 0: commands do not age."""
        if self._last is None or timeout <= 0.0 or self.drives.motion or self._lasts:
            return
        if now - self._last > timeout:
            self._warn("timeout", f"no command for {now - self._last:.3f} s: joint efforts are zero")
            self.forget()
            self.timed_out = True

    def forget(self) -> None:
        """Let go of the joints, as before the first command."""
        self.drives.release()
        if self._goal:
            self._goal.finish(INVALID_GOAL, "the joints were let go")
            self._goal = None
        self._last = None
        self.answered = -1
        self.reminders = 0
        self.timed_out = False

    @property
    def state(self) -> str:
        """Say how commands stand: none, fresh or timed out."""
        return "timed out" if self.timed_out else "none" if self._last is None else "fresh"

    def age(self, now: float) -> float:
        """Return the age of the last command, s; -1: there is none."""
        return -1.0 if self._last is None else now - self._last

    def take_answer(self, stamp: int, answer: Sequence[np.ndarray], now: float) -> None:
        """Take what a controller in this process answers a stamp, ns: `Answers.last`."""
        numbers = [row.copy() for row in answer]  # the next answer is written into the same arrays
        columns, nothing = np.arange(len(numbers[0])), np.zeros(len(numbers[0]))
        if len(numbers) == 1:
            self.drives.want(Wanted(columns, numbers[0], nothing, nothing), now)
        else:
            position, velocity, stiffness, damping = numbers
            self.drives.want(Wanted(columns, nothing, position, velocity, stiffness, damping), now)
        self._count(now, stamp)

    def motion_from(self, message: JointTrajectoryMessage, start: float) -> Motion:
        """Return the motion from where the joints are through the points of a message, from a time on, s.

        Raises:
            RefusedError: a joint is unknown, named twice, or there is none.
            ParameterError: the points cannot be followed.
        """
        columns = self._columns_of(message.joint_names)
        if not len(columns):
            raise RefusedError("length", "expected some joints, found 0")
        robot = self._simulator.robot
        trajectory = motion_of(message, robot, self._simulator.q[robot.position_indices])
        for name, numbers in (("positions", trajectory.positions), ("velocities", trajectory.velocities)):
            if numbers is not None and np.abs(numbers).max() > LARGEST:
                raise ParameterError(f"{name}: a number is larger than {LARGEST:g}")
        return Motion(start, columns, trajectory)

    def pursue(self, goal: TrajectoryGoal, now: float) -> None:
        """Follow the trajectory of a goal from now on, s; another goal ends."""
        if self._goal:
            self._goal.finish(INVALID_GOAL, "replaced by another goal")
        self._goal = goal
        self.drives.follow(goal.motion)
        self._count(now, -1)

    def cancel(self, goal: TrajectoryGoal) -> None:
        """Let the joints stay where they are, unless the goal has ended."""
        if goal is self._goal and not goal.done.is_set():
            self._stay(goal)
            goal.finish(INVALID_GOAL, "cancelled")

    def _watch(self, goal: TrajectoryGoal, now: float) -> None:
        if self.drives.motion is not goal.motion:
            goal.finish(INVALID_GOAL, "replaced by another command")
        else:
            robot, q, v = self._simulator.robot, self._simulator.q, self._simulator.v
            goal.look(now, np.array([q[robot.position_indices], v[robot.velocity_indices]]))
            if goal.done.is_set() and goal.value.code:
                self._stay(goal)
        if goal.done.is_set():
            self._goal = None

    def _stay(self, goal: TrajectoryGoal) -> None:
        joints = self._simulator.q[self._simulator.robot.position_indices]
        here = JointTrajectory(np.zeros(1), joints[None].copy())
        self.drives.follow(Motion(goal.motion.start, goal.motion.columns, here))

    def _accept(self, raw: bytes, kind: type, take: Take, awaited: int | None, lasts: bool) -> None:
        if len(raw) > MOST_BYTES:
            return self._drop("size", f"a command of {len(raw)} bytes was dropped: expected at most {MOST_BYTES}")
        try:
            message = message_of(raw, kind)
        except LeggedContactSimError as error:
            return self._drop("bytes", f"a command was dropped: {error}")
        try:
            stamp = take(message, awaited)
        except RefusedError as refusal:
            if refusal.kind == REPEATED and self.reminders:
                self.reminders -= 1
                return None
            return self._drop(refusal.kind, f"a command was dropped: {refusal}")
        except LeggedContactSimError as error:
            return self._drop("trajectory", f"a trajectory was dropped: {error}")
        return self._count(self._now, stamp, lasts)

    def _count(self, now: float, stamp: int, lasts: bool = False) -> None:
        self.answered = stamp
        self.received += 1
        self._last, self._lasts = now, lasts
        self.timed_out = False

    def _take_named(self, message: JointState, awaited: int | None) -> int:
        stamp = self._answering(message, awaited)
        columns = self._columns_by_name(message.name)
        if len(message.effort) + len(message.position) + len(message.velocity) == 0:
            raise RefusedError("length", f"expected {len(columns) or 'some'} efforts, positions or velocities, found 0")
        effort = _numbers("effort", message.effort, columns)
        if not len(message.position) and not len(message.velocity):
            self.drives.want(Wanted(columns, effort, effort, effort), self._now)
            return stamp
        position = _numbers("position", message.position, columns)
        velocity = _numbers("velocity", message.velocity, columns)
        stiffness, damping = self.gains[:, columns]
        stiffness = stiffness if len(message.position) else np.zeros(len(columns))
        self.drives.want(Wanted(columns, effort, position, velocity, stiffness, damping), self._now)
        return stamp

    def _take_with_gains(self, message: Any, awaited: int | None) -> int:
        stamp = self._answering(message, awaited)
        columns = self._columns_by_name(message.name)
        if not len(columns):
            raise RefusedError("length", "expected some joints, found 0")
        effort, position, velocity = (
            _numbers(name, getattr(message, name), columns) for name in ("effort", "position", "velocity")
        )
        gains = [_numbers(name, getattr(message, name), columns, LARGEST_GAIN) for name in ("kp", "kd")]
        if min(gain.min() for gain in gains) < 0.0:
            raise RefusedError("gain", "a gain is negative")
        self.drives.want(Wanted(columns, effort, position, velocity, *gains), self._now)
        return stamp

    def _take_listed(self, quantity: str, message: Float64MultiArray, awaited: int | None) -> int:
        columns = self._order
        if not len(message.data):
            raise RefusedError("length", f"expected {len(columns)} efforts, positions or velocities, found 0")
        numbers, nothing = _numbers(quantity, message.data, columns), np.zeros(len(columns))
        stiffness, damping = self.gains[:, columns]
        if quantity == "effort":
            wanted = Wanted(columns, numbers, nothing, nothing)
        elif quantity == "position":
            wanted = Wanted(columns, nothing, numbers, nothing, stiffness, damping)
        else:
            wanted = Wanted(columns, nothing, nothing, numbers, nothing, damping)
        self.drives.want(wanted, self._now)
        return -1 if awaited is None else awaited

    def _take_of_system(self, system: TopicSystem, message: JointState, awaited: int | None) -> int:
        answered = self._answering(message, awaited) if system.stamped else -1 if awaited is None else awaited
        try:
            asked = commanded(system, message)
        except ValueError as error:
            raise RefusedError("system", str(error)) from None
        names = [name for name in message.name if any(name in asked[quantity] for quantity in QUANTITIES)]
        if not names:  # no controller is active: an answer all the same
            return answered
        columns = self._columns_by_name(names)
        position, velocity, effort = (
            _numbers(quantity, [asked[quantity].get(name, 0.0) for name in names], columns) for quantity in QUANTITIES
        )
        placed = np.array([name in asked["position"] for name in names])
        moved = placed | np.array([name in asked["velocity"] for name in names])
        for joints, gains in ((moved, self.gains), (~moved, None)):  # those without targets keep to plain efforts
            if joints.any():
                some = columns[joints]
                laws = () if gains is None else (gains[0, some] * placed[joints], gains[1, some])
                self.drives.want(Wanted(some, effort[joints], position[joints], velocity[joints], *laws), self._now)
        return answered

    def _take_trajectory(self, message: JointTrajectoryMessage, awaited: int | None) -> int:
        self.drives.follow(self.motion_from(message, self._now))
        return -1 if awaited is None else awaited

    def _answering(self, message: Any, awaited: int | None) -> int:
        """Return the stamp of a command, ns; in lockstep it has to be that of the awaited state."""
        stamp = message.header.stamp.sec * NANOSECONDS + message.header.stamp.nanosec
        if awaited not in (None, stamp):
            kind = REPEATED if stamp == self.answered else "step"
            raise RefusedError(kind, f"it answers {stamp} ns while the answer to {awaited} ns is awaited")
        return int(stamp)

    def _columns_by_name(self, names: list[str]) -> np.ndarray:
        if names != self._names:
            self._columns, self._names = self._columns_of(names), list(names)
        return self._columns

    def _columns_of(self, names: list[str]) -> np.ndarray:
        for name in names:
            if name not in self._index:
                raise RefusedError("name", f"there is no joint {name[:80]!r}")
        columns = np.array([self._index[name] for name in names], dtype=int)
        if len(set(columns.tolist())) != len(columns):
            raise RefusedError("twice", "a joint is named twice")
        return columns

    def _drop(self, kind: str, message: str) -> None:
        self.dropped += 1
        self._warn(kind, message)


PLURALS = {"effort": "efforts", "position": "positions", "velocity": "velocities", "kp": "kp", "kd": "kd"}


def _numbers(quantity: str, given: Sequence[float], columns: np.ndarray, largest: float = LARGEST) -> np.ndarray:
    """Return checked numbers, one per column; none at all are zeros."""
    numbers = np.asarray(given, dtype=float)
    if not len(numbers):
        return np.zeros(len(columns))
    if len(numbers) != len(columns):
        expected = len(columns) or "some"
        raise RefusedError("length", f"expected {expected} {PLURALS[quantity]}, found {len(numbers)}")
    found = np.abs(numbers).max()  # NaN, if there is one
    if not np.isfinite(found):
        raise RefusedError("finite", f"{quantity}: a number is not finite")
    if found > largest:
        raise RefusedError("large", f"{quantity}: a number is larger than {largest:g}")
    return numbers


def drive_gains(simulator: Simulator, values: Mapping[str, Any]) -> np.ndarray:
    """Return stiffness and damping of commands without gains, (2, joint_count): parameters, else what suits the robot.

    Raises:
        ParameterError: there is neither one number nor one per joint, or one is negative.
    """
    robot, names = simulator.robot, ("drive.stiffness", "drive.damping")
    gains = np.zeros((2, robot.joint_count))
    if any(name not in values for name in names):
        gains[:] = proposed_gains(robot)
    for row, name in zip(gains, names, strict=True):
        given = values.get(name)
        if given is None:
            continue
        if len(given) not in (1, robot.joint_count) or min(given) < 0.0:
            raise ParameterError(f"{name}: expected one number >= 0 or {robot.joint_count}, found {given}")
        row[:] = given
    return gains
