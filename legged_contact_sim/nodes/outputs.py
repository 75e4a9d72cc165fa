"""What the simulator publishes at every tick or many times a second, as patched bytes (see `cdr`)."""

import time
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.duration import Duration
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from ..model import RobotModel
from ..model.records import REVOLUTE
from .cdr import STAMP, Template, listeners, put_quaternion, put_stamp, put_vector, sender
from .qos import LATCHED, PICTURES, STREAM
from .snapshot import Snapshot
from .transforms import FrameTree, Poses

ACKNOWLEDGED = 1.0  # s; how long a reset waits at most until all transforms have reached their listeners
SETTLED = 0.2  # s; and how long after the last one, until they have been taken


class ClockOutput:
    """Simulated time on /clock; whoever does not tell the time is no publisher of it either."""

    def __init__(self, node: Node) -> None:
        """Prepare the message; `enable` begins."""
        self._node = node
        self._publisher: Any = None
        self._template = Template(Clock(), [STAMP], lambda message, record: put_stamp(message.clock, record["stamp"]))
        self._stamp = self._template.record["stamp"][0]

    def enable(self, wanted: bool) -> None:
        """Be a publisher of /clock, or be none."""
        if wanted and self._publisher is None:
            self._publisher = self._node.create_publisher(Clock, "/clock", STREAM)
            self._send = sender(self._publisher)
        elif not wanted and self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
            self._publisher = None

    def publish(self, stamp: np.ndarray) -> None:
        """Publish a time, (2,), simulated seconds and nanoseconds."""
        self._stamp[:] = stamp
        self._send(self._template.encoded())


QUANTITIES = ("position", "velocity", "effort")  # of a JointState


class JointStateOutput:
    """Positions, velocities and applied efforts of the joints."""

    def __init__(
        self, node: Node, robot: RobotModel, topic: str = "joint_states", told: Mapping[str, np.ndarray] | None = None
    ) -> None:
        """Prepare the message with the joints' names.

        Args:
            node: that publishes.
            robot: whose joints they are.
            topic: where.
            told: by quantity, of which joints it is told, (joint_count,) bool: others are NaN, and what is told of none
                is left out; None: everything.
        """
        count = robot.joint_count
        told = {name: np.ones(count, bool) for name in QUANTITIES} if told is None else told
        self._told = [name for name in QUANTITIES if told[name].any()]
        numbers = [STAMP, *((name, "<f8", count) for name in self._told)]
        self._template = Template(JointState(name=list(robot.joint_names)), numbers, _fill_joint_state)
        record = self._template.record[0]
        self._stamp, self._rows = record["stamp"], {name: record[name] for name in self._told}
        self._untold = [(self._rows[name], ~told[name]) for name in self._told if not told[name].all()]
        self._turning = robot.links["joint_kind"][robot.joint_links] == REVOLUTE
        self._send = sender(node.create_publisher(JointState, topic, STREAM))

    def publish(self, snapshot: Snapshot, wrapped: bool = False) -> None:
        """Publish the joints of a snapshot; ``wrapped``: angles jump from 2 pi to -2 pi."""
        self._stamp[:] = snapshot.stamp
        for name, row in self._rows.items():
            row[:] = getattr(snapshot, name)
        if wrapped and "position" in self._rows:
            position = self._rows["position"]
            position[self._turning] = between_two_turns(position[self._turning])
        for row, joints in self._untold:
            row[joints] = np.nan
        self.repeat()

    def repeat(self) -> None:
        """Publish the last message again."""
        self._send(self._template.encoded())


def _fill_joint_state(message: JointState, record: np.void) -> None:
    put_stamp(message.header.stamp, record["stamp"])
    for name in QUANTITIES:
        if name in (record.dtype.names or ()):
            setattr(message, name, record[name].tolist())


def between_two_turns(position: np.ndarray) -> np.ndarray:
    """Return angles, rad, wrapped into [-2 pi, 2 pi[."""
    turn = 2.0 * np.pi
    return np.where(np.abs(position) < turn, position, (position + turn) % (2.0 * turn) - turn)


class OdometryOutput:
    """Where the base truly is."""

    def __init__(self, node: Node, frames: FrameTree) -> None:
        """Prepare the message; a fixed base stays where it is."""
        message = Odometry(child_frame_id=frames.base)
        message.header.frame_id = frames.world
        numbers = [STAMP, ("pose", "<f8", 7), ("twist", "<f8", 6)]
        self._template = Template(message, numbers, _fill_odometry)
        record = self._template.record[0]
        self._stamp, self._pose, self._twist = (record[name] for name in record.dtype.names)
        self._pose[6] = 1.0
        self._floating = frames.robot.base == "floating"
        self._send = sender(node.create_publisher(Odometry, "odom", STREAM))

    def publish(self, snapshot: Snapshot) -> None:
        """Publish the base of a snapshot; velocities are in the base's axes, as the message wants them."""
        self._stamp[:] = snapshot.stamp
        if self._floating:
            self._pose[:] = snapshot.q[:7]
            self._twist[:] = snapshot.v[:6]
        self.repeat()

    def repeat(self) -> None:
        """Publish the last message again."""
        self._send(self._template.encoded())


def _fill_odometry(message: Odometry, record: np.void) -> None:
    put_stamp(message.header.stamp, record["stamp"])
    put_vector(message.pose.pose.position, record["pose"][:3])
    put_quaternion(message.pose.pose.orientation, record["pose"][3:])
    put_vector(message.twist.twist.linear, record["twist"][:3])
    put_vector(message.twist.twist.angular, record["twist"][3:])


class WrenchOutput:
    """The contact force at every contact point: the mean since the last message, so that impulses add up.

    Attributes:
        forces: (contact points, 3), N, of all points, as they were last due.
    """

    def __init__(self, node: Node, frames: FrameTree, told: Collection[str]) -> None:
        """Prepare a message and a publisher for every contact point that is told of."""
        names = frames.robot.contact_names
        records = np.zeros(len(names), [STAMP, ("force", "<f8", 3)])
        self._stamps, self.forces = records["stamp"], records["force"]
        self._outputs = []
        for k, (point, frame) in enumerate(zip(names, frames.contact_frames, strict=True)):
            if point not in told:
                continue
            message = WrenchStamped()
            message.header.frame_id = frame
            template = Template(message, records[k : k + 1], _fill_wrench)
            publisher = node.create_publisher(WrenchStamped, f"contacts/{topic_name(point)}/wrench", STREAM)
            self._outputs.append((template, sender(publisher), listeners(publisher)))
        self._impulses = np.zeros((len(names), 3))
        self._elapsed = 0.0

    def add(self, snapshot: Snapshot, elapsed: float) -> None:
        """Add the impulses of a control tick of so many seconds."""
        self._impulses += snapshot.mean_forces * elapsed
        self._elapsed += elapsed

    def forget(self) -> None:
        """Forget what was added, after a reset."""
        self._impulses[:] = 0.0
        self.forces[:] = 0.0
        self._elapsed = 0.0

    def publish(self, snapshot: Snapshot) -> None:
        """Publish mean forces, N, and begin a new mean."""
        if self._elapsed > 0.0:
            np.divide(self._impulses, self._elapsed, out=self.forces)
            self._impulses[:] = 0.0
            self._elapsed = 0.0
        self._stamps[:] = snapshot.stamp
        self.repeat()

    def repeat(self) -> None:
        """Publish the last messages again, each where somebody hears it."""
        for template, send, heard in self._outputs:
            if heard():
                send(template.encoded())


def _fill_wrench(message: WrenchStamped, record: np.void) -> None:
    put_stamp(message.header.stamp, record["stamp"])
    put_vector(message.wrench.force, record["force"])


class TransformOutput:
    """The frames that move, on /tf; those that do not, once for all on /tf_static.

    With robot_state_publisher beside it, which publishes all frames of links, only what that cannot know: where the
    base is, and where contact points are.

    Attributes:
        heard: counts the listeners.
    """

    def __init__(self, node: Node, frames: FrameTree, links: bool, told: Collection[str]) -> None:
        """Publish the fixed frames and prepare the message of the others.

        Args:
            node: that publishes.
            frames: of the robot.
            links: whether those of links are published, too.
            told: contact points whose frames are.
        """
        transform = [STAMP, ("translation", "<f8", 3), ("rotation", "<f8", 4)]
        points = {frame for name, frame in zip(frames.robot.contact_names, frames.contact_frames) if name in told}
        unwanted = set(frames.contact_frames) - points
        moving = [k for k, (_, child) in enumerate(frames.moving) if child not in unwanted]
        fixed = list(range(len(frames.fixed)))
        if not links:
            moving = [k for k in moving if frames.moving[k][1] in (frames.base, *points)]
            fixed = [k for k, (parent, _) in enumerate(frames.fixed) if parent == frames.world]
        self._moving = np.array(moving, dtype=int)
        message = _transforms([frames.moving[k] for k in moving])
        self._template = Template(message, [("transforms", transform, len(moving))], _fill_transforms)
        self._transforms = self._template.record[0]["transforms"]
        self._publisher = node.create_publisher(TFMessage, "/tf", PICTURES)
        self._send, self.heard = sender(self._publisher), listeners(self._publisher)
        self._published = 0.0  # when, by the wall clock, s
        self._static = node.create_publisher(TFMessage, "/tf_static", LATCHED)
        self._static.publish(_fixed_transforms(frames, fixed))

    def publish(self, snapshot: Snapshot, poses: Poses) -> None:
        """Publish where the moving frames are."""
        self._transforms["stamp"] = snapshot.stamp
        self._transforms["translation"] = poses.translation[self._moving]
        self._transforms["rotation"] = poses.rotation[self._moving]
        self._published = time.monotonic()
        self._send(self._template.encoded())

    def settle(self) -> None:
        """Wait until listeners have taken what was published, before time goes back.

        A tf2 buffer forgets everything when /clock goes back. An old transform that it takes afterwards is newer than
        all that follow, which it then refuses. Nobody knows when a listener takes a message that has reached it: most
        do at once.
        """
        if self._publisher.get_subscription_count():
            self._publisher.wait_for_all_acked(Duration(seconds=ACKNOWLEDGED))
            time.sleep(max(0.0, self._published + SETTLED - time.monotonic()))


def _transforms(names: list[tuple[str, str]]) -> TFMessage:
    transforms = []
    for parent, child in names:
        transform = TransformStamped(child_frame_id=child)
        transform.header.frame_id = parent
        transforms.append(transform)
    return TFMessage(transforms=transforms)


def _fill_transforms(message: TFMessage, record: np.void) -> None:
    for transform, numbers in zip(message.transforms, record["transforms"], strict=True):
        put_stamp(transform.header.stamp, numbers["stamp"])
        put_vector(transform.transform.translation, numbers["translation"])
        put_quaternion(transform.transform.rotation, numbers["rotation"])


def _fixed_transforms(frames: FrameTree, chosen: list[int]) -> TFMessage:
    message = _transforms([frames.fixed[k] for k in chosen])
    poses = frames.fixed_poses()
    for transform, k in zip(message.transforms, chosen, strict=True):
        put_vector(transform.transform.translation, poses.translation[k])
        put_quaternion(transform.transform.rotation, poses.rotation[k])
    return message


def publish_description(node: Node, robot: RobotModel) -> Any:
    """Publish the robot's URDF for everybody who comes later; return the publisher, which has to live on."""
    publisher = node.create_publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data=robot.urdf))
    return publisher


def topic_name(point: str) -> str:
    """Return a contact point's name as a topic allows it: letters, digits and underscores, no digit in front."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in point)
    return f"point_{plain}" if plain[:1].isdigit() else plain
