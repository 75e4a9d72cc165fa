"""What a controller hears of a robot: joint states, odometry and contact wrenches, as observations."""

import math
import struct
import time
from collections.abc import Iterator, Sequence

import numpy as np
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ..control import BaseState, Observation
from ..errors import ParameterError
from ..model import RobotModel
from .cdr import HEADER
from .control_ticks import ticks_of
from .outputs import topic_name
from .polling import Mailbox
from .qos import READINGS
from .snapshot import NANOSECONDS

GLANCE = 2e-5  # s; between looks for messages
PATIENCE = 0.02  # s of wall time; so long readings of the same instant are waited for
STAMP_END = HEADER + 8  # every message here begins with a header, and that with a stamp
COVARIANCE = 36  # numbers


class Readings:
    """The newest readings of a robot's sensors."""

    def __init__(self, node: Node, robot: RobotModel, felt: Sequence[str], due: "Due | None" = None) -> None:
        """Listen to joint states, odometry of a floating base, and contact wrenches.

        Args:
            node: whose topics they are.
            robot: that is heard of.
            felt: contact points whose wrenches are wanted.
            due: in lockstep, when which readings come; then those are waited for, however long it takes.
        """
        self._joints = JointReader(robot)
        self._joint_states = Mailbox(node, JointState, "joint_states", READINGS)
        self._boxes: dict[str, Mailbox] = {}
        if robot.base == "floating":
            self._boxes["odom"] = Mailbox(node, Odometry, "odom", READINGS)
        self._topics = {}
        for name in felt:
            topic = self._topics[name] = f"contacts/{topic_name(name)}/wrench"
            self._boxes[topic] = Mailbox(node, WrenchStamped, topic, READINGS)
        self._due, self.seldom = due, set[str]()
        self._raw: dict[str, bytes] = {}
        self._last, self._patience = -1, PATIENCE
        self._state = b""  # the newest joint states
        self._first = self._published = 0  # when they were published first, and last; ns by the wall clock
        self._begun = 0  # readings that were published up to here are of a run before a reset

    def joint_states(self) -> Iterator[bytes]:
        """Yield the serialized joint states that wait."""
        for raw, published in self._joint_states.drain_stamped(50):
            if raw != self._state:
                if self._state and stamp_of(raw) <= stamp_of(self._state):
                    self._begun = self._published
                    self._raw.clear()
                self._state, self._first = raw, published
            self._published = published
            yield raw

    def observe(self, raw: bytes, timeout: float) -> Observation | str | None:
        """Return what the sensors told at a joint state's instant, or the topic that told nothing for the timeout, s.

        Readings of the same instant arrive in any order and are waited for a short while; after that the last ones
        will do. In lockstep they will not, since time stands: None means that some are still to come.
        """
        stamp = stamp_of(raw)
        if not self._wait_for(stamp, round(timeout * NANOSECONDS)):
            return None
        fresh = {}
        for topic in self._boxes:
            reading = self._raw.get(topic)
            if reading is None or abs(stamp - stamp_of(reading)) > timeout * NANOSECONDS:
                return topic
            fresh[topic] = reading
        base = base_state(fresh["odom"]) if "odom" in fresh else None
        forces = {name: contact_force(fresh[topic]) for name, topic in self._topics.items()}
        return Observation(stamp * 1e-9, *self._joints.read(raw), base, forces)

    def _wait_for(self, stamp: int, timeout: int) -> bool:
        """Take readings up to an instant, ns; whoever is slower than the joint states is waited for only once.

        Returns whether those that are there will do.
        """
        begun_anew, self._last = stamp < self._last, stamp
        begin = time.monotonic()
        latest = 0 if begun_anew or self._due else timeout
        while (missing := self._take_up_to(stamp, latest)) and time.monotonic() - begin < self._patience:
            time.sleep(GLANCE)
        self._patience = 0.0 if missing and not self._due else PATIENCE
        return not missing or self._due is None

    def _take_up_to(self, stamp: int, latest: int) -> set[str]:
        """Take what has arrived; return the topics whose readings are not of this instant or at most so much later, ns.

        Others are of the past, or of a run before a reset. A simulator that waits in lockstep publishes everything once
        more as it was: an old reading that was published after the joint states shows that there is no newer one. When
        a message was published does not depend on how long it was under way.
        """
        missing = set()
        for topic, box in self._boxes.items():
            held = self._raw.get(topic)
            earliest = self._due.earliest(topic, stamp) if self._due else stamp
            while held is None or not earliest <= stamp_of(held) <= stamp + latest:
                taken = box.take()
                if taken is None:
                    if earliest < math.inf and topic not in self.seldom:
                        missing.add(topic)
                    break
                published = taken[1].get("source_timestamp", 0)
                if 0 < published <= self._begun:
                    continue
                held = self._raw[topic] = taken[0]
                if self._due and stamp_of(held) < earliest and 0 < self._first < published:
                    self.seldom.add(topic)
        return missing


class Due:
    """When a simulator in lockstep publishes what: every so many control ticks from time zero on."""

    def __init__(self, control_rate: float, odom_rate: float, wrench_rate: float) -> None:
        """Keep the rates, Hz; 0: not published."""
        self._tick = NANOSECONDS / control_rate
        self._odometry, self._wrench = (ticks_of(control_rate, rate) for rate in (odom_rate, wrench_rate))

    def earliest(self, topic: str, stamp: int) -> float:
        """Return the time, ns, before which no reading of a topic is the newest at a stamp, ns; infinite: never."""
        every = self._odometry if topic == "odom" else self._wrench
        if every == 0:
            return math.inf
        ticks = round(stamp / self._tick)
        return (ticks - ticks % every - 0.5) * self._tick


# Numbers are read where they lie in the bytes (CDR: every number on a multiple of its size, counted from the header's
# end; strings and sequences after their length). Converting whole messages takes more than a trot's control law.


class JointReader:
    """Positions and velocities of a robot's joints out of joint states, whatever their order there."""

    def __init__(self, robot: RobotModel) -> None:
        """Know the robot's joints."""
        self._robot = robot
        self._names, self._order = b"\xff", np.zeros(0, dtype=int)

    def read(self, raw: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and velocities in joint order, (joint_count,) each.

        Raises:
            ParameterError: the message lacks a joint of the robot, or numbers of a joint.
        """
        if not raw.startswith(self._names, STAMP_END):
            self._learn_names(raw)
        positions, end = doubles(raw, STAMP_END + len(self._names))
        velocities, _ = doubles(raw, end)
        if min(len(positions), len(velocities)) <= self._order.max(initial=-1):
            raise ParameterError("joint_states: every joint needs a position and a velocity")
        return positions[self._order], velocities[self._order]

    def _learn_names(self, raw: bytes) -> None:
        _, at = string(raw, STAMP_END)
        count, at = length(raw, at)
        names = []
        for _ in range(count):
            name, at = string(raw, at)
            names.append(name)
        for name in self._robot.joint_names:
            if name not in names:
                raise ParameterError(f"joint_states: {name!r} is not there; {self._robot.name} is another robot")
        self._order = np.array([names.index(name) for name in self._robot.joint_names], dtype=int)
        self._names = raw[STAMP_END:at]


def stamp_of(raw: bytes) -> int:
    """Return the stamp of a serialized message that begins with a header, ns."""
    seconds, nanoseconds = struct.unpack_from("<II", raw, HEADER)
    return seconds * NANOSECONDS + nanoseconds


def base_state(raw: bytes) -> BaseState:
    """Return the base as serialized odometry tells it."""
    _, at = string(raw, STAMP_END)
    _, at = string(raw, at)
    pose = np.frombuffer(raw, "<f8", 7 + COVARIANCE + 6, aligned(at, 8))
    twist = pose[7 + COVARIANCE :]
    return BaseState(pose[:3], pose[3:7], twist[:3], twist[3:])


def contact_force(raw: bytes) -> np.ndarray:
    """Return the force (3,), N, of a serialized WrenchStamped."""
    _, at = string(raw, STAMP_END)
    return np.frombuffer(raw, "<f8", 3, aligned(at, 8))


def aligned(at: int, size: int) -> int:
    """Return where a number of a size, bytes, lies that may begin at ``at``."""
    return at + -(at - HEADER) % size


def length(raw: bytes, at: int) -> tuple[int, int]:
    """Return the length of a string or sequence, and where its contents begin."""
    at = aligned(at, 4)
    return struct.unpack_from("<I", raw, at)[0], at + 4


def string(raw: bytes, at: int) -> tuple[str, int]:
    """Return a string and where it ends."""
    count, at = length(raw, at)
    return raw[at : at + max(count - 1, 0)].decode(errors="replace"), at + count


def doubles(raw: bytes, at: int) -> tuple[np.ndarray, int]:
    """Return a sequence of doubles and where it ends."""
    count, at = length(raw, at)
    if count == 0:
        return np.zeros(0), at
    at = aligned(at, 8)
    return np.frombuffer(raw, "<f8", count, at), at + 8 * count
