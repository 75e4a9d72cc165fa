"""What the simulator is told: joint efforts in two forms, and pushes. What cannot be meant is dropped and counted."""

from collections.abc import Callable

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from ..errors import LeggedContactSimError, ParameterError
from ..model import RobotModel
from ..simulation import Simulator
from .polling import Mailbox
from .qos import COMMANDS
from .snapshot import NANOSECONDS
from .transforms import BodyPoses

MOST_BYTES = 1 << 16  # of a message; longer ones are not even looked at
MOST_A_TICK = 4  # messages per topic; what waits beyond them is taken next time, or overwritten by newer ones
LARGEST = 1e6  # N m, N; no actuator and no push on a robot is stronger

Warn = Callable[[str, str], None]


class RefusedError(Exception):
    """A command that cannot be meant: ``kind`` for throttling, and the reason."""

    def __init__(self, kind: str, reason: str) -> None:
        """Keep both."""
        super().__init__(reason)
        self.kind = kind


class Commands:
    """The joint efforts that are commanded now.

    Attributes:
        effort: (joint_count,), N m or N; zero before the first command and after a timeout.
        received: commands that were accepted.
        dropped: messages that were not.
        answered: stamp of the last accepted command, ns; that of the awaited state for one without a stamp.
    """

    def __init__(self, node: Node, robot: RobotModel, order: list[str], warn: Warn) -> None:
        """Listen on both topics; ``order`` are the joints of effort_controller/commands."""
        self._index = {name: k for k, name in enumerate(robot.joint_names)}
        self._warn = warn
        try:
            self._order = self._columns_of(order or list(robot.joint_names))
        except RefusedError as refusal:
            raise ParameterError(f"joints: {refusal}") from None
        self._named = Mailbox(node, JointState, "joint_commands", COMMANDS)
        self._listed = Mailbox(node, Float64MultiArray, "effort_controller/commands", COMMANDS)
        self._names: list[str] = []
        self._columns = np.zeros(0, dtype=int)
        self.effort = np.zeros(robot.joint_count)
        self.received = self.dropped = 0
        self.answered = -1
        self._last: float | None = None
        self.timed_out = False

    def poll(self, now: float, awaited: int | None = None) -> None:
        """Take the commands that wait at the simulated time, s; in lockstep only what answers the awaited state, ns."""
        for raw in self._named.drain(MOST_A_TICK):
            self._accept(raw, JointState, self._take_named, now, awaited)
        for raw in self._listed.drain(MOST_A_TICK):
            self._accept(raw, Float64MultiArray, self._take_listed, now, awaited)

    def expire(self, now: float, timeout: float) -> None:
        """Set the effort to zero if the last command is older than the timeout, s; 0: commands do not age."""
        if self._last is not None and timeout > 0.0 and now - self._last > timeout:
            self._warn("timeout", f"no command for {now - self._last:.3f} s: joint efforts are zero")
            self.forget()
            self.timed_out = True

    def forget(self) -> None:
        """Return to zero effort, as before the first command."""
        self.effort[:] = 0.0
        self._last = None
        self.answered = -1
        self.timed_out = False

    @property
    def state(self) -> str:
        """Say how commands stand: none, fresh or timed out."""
        return "timed out" if self.timed_out else "none" if self._last is None else "fresh"

    def age(self, now: float) -> float:
        """Return the age of the last command, s; -1: there is none."""
        return -1.0 if self._last is None else now - self._last

    def _accept(self, raw: bytes, kind: type, take: Callable[..., int], now: float, awaited: int | None) -> None:
        if len(raw) > MOST_BYTES:
            return self._drop("size", f"a command of {len(raw)} bytes was dropped: expected at most {MOST_BYTES}")
        try:
            self.answered = take(deserialize_message(raw, kind), awaited)
        except RefusedError as refusal:
            return self._drop(refusal.kind, f"a command was dropped: {refusal}")
        self.received += 1
        self._last = now
        self.timed_out = False
        return None

    def _take_named(self, message: JointState, awaited: int | None) -> int:
        stamp = message.header.stamp.sec * NANOSECONDS + message.header.stamp.nanosec
        if awaited not in (None, stamp):
            raise RefusedError("step", f"it answers {stamp} ns while the answer to {awaited} ns is awaited")
        if message.name != self._names:
            self._columns, self._names = self._columns_of(message.name), list(message.name)
        self._write(self._columns, message.effort)
        return stamp

    def _take_listed(self, message: Float64MultiArray, awaited: int | None) -> int:
        self._write(self._order, message.data)
        return -1 if awaited is None else awaited

    def _write(self, columns: np.ndarray, efforts: object) -> None:
        numbers = np.asarray(efforts, dtype=float)
        if len(numbers) != len(columns) or not len(numbers):
            raise RefusedError("length", f"expected {len(columns) or 'some'} efforts, found {len(numbers)}")
        largest = np.abs(numbers).max()  # NaN, if there is one
        if not np.isfinite(largest):
            raise RefusedError("finite", "an effort is not finite")
        if largest > LARGEST:
            raise RefusedError("large", f"an effort is larger than {LARGEST:g}")
        self.effort[columns] = numbers

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


class Pushes:
    """Wrenches on links, each in the axes of the link that ``frame_id`` names and at its origin."""

    def __init__(self, node: Node, robot: RobotModel, prefix: str, warn: Warn) -> None:
        """Listen on external_wrench; ``prefix`` is that of the robot's frames."""
        self._mailbox = Mailbox(node, WrenchStamped, "external_wrench", COMMANDS)
        self._robot, self._prefix, self._warn = robot, prefix, warn
        self.dropped = 0

    def poll(self, simulator: Simulator, duration: float, bodies: Callable[[], BodyPoses]) -> None:
        """Let the wrenches that wait push for a duration, s; a new one on the same body replaces the last."""
        for raw in self._mailbox.drain(MOST_A_TICK):
            try:
                if len(raw) > MOST_BYTES:
                    raise ParameterError(f"it has {len(raw)} bytes")
                self._push(deserialize_message(raw, WrenchStamped), simulator, duration, bodies())
            except LeggedContactSimError as error:
                self.dropped += 1
                self._warn("push", f"a push was dropped: {error}")

    def _push(self, message: WrenchStamped, simulator: Simulator, duration: float, bodies: BodyPoses) -> None:
        link = message.header.frame_id.removeprefix(self._prefix)[:200]
        force, torque = message.wrench.force, message.wrench.torque
        wrench = np.array([[force.x, force.y, force.z], [torque.x, torque.y, torque.z]])
        if not np.isfinite(wrench).all() or np.abs(wrench).max() > LARGEST:
            raise ParameterError(f"expected finite numbers up to {LARGEST:g}")
        body = self._robot.link_index(link)
        axes = bodies.rotation[body] @ self._robot.frames[link].rotation
        simulator.end_push(link)
        simulator.push(link, axes @ wrench[0], axes @ wrench[1], duration)
