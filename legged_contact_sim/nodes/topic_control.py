"""ros2_control over topics: what a `<ros2_control>` tag of the URDF says of the topics of a robot's joints."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ..errors import ModelError
from ..model import RobotModel
from .outputs import QUANTITIES, JointStateOutput
from .snapshot import Snapshot

STAMPED = "LockstepSystem"  # our own: it answers a joint state under its stamp, and always
PLUGINS = ("JointStateTopicSystem", "TopicBasedSystem", STAMPED)  # without their packages
THRESHOLD = 1e-5  # of the plugin: it is silent while commands differ from states by no more


class TopicSystem(NamedTuple):
    """A system of ros2_control whose hardware is behind topics.

    Attributes:
        name: of the tag.
        commands: topic of its commands, `sensor_msgs/JointState`.
        states: topic of the joint states that it reads.
        interfaces: command interfaces of every joint, in the order of the tag.
        readable: state interfaces of every joint; the plugin fails on a number for any other.
        wrapped: it counts turns itself and wants positions that jump from 2 pi to -2 pi.
        stamped: its commands bear the stamp of the joint state that they answer.
        silent: it sends no command that changes nothing, so that one that does not come again still holds.
    """

    name: str
    commands: str
    states: str
    interfaces: Mapping[str, tuple[str, ...]]
    readable: Mapping[str, tuple[str, ...]]
    wrapped: bool
    stamped: bool
    silent: bool


def topic_systems(robot: RobotModel) -> list[TopicSystem]:
    """Return the systems of a robot's description that are driven over topics.

    Raises:
        ModelError: a system names a joint that the robot does not have, or its threshold is no number.
    """
    root = ElementTree.fromstring(robot.urdf)
    tags = root.findall("ros2_control") if root.tag == "robot" else []
    return [_system(robot, tag) for tag in tags if _plugin(tag) in PLUGINS]


def _plugin(tag: ElementTree.Element) -> str:
    return (tag.findtext("hardware/plugin") or "").strip().rpartition("/")[2]


def _system(robot: RobotModel, tag: ElementTree.Element) -> TopicSystem:
    name = tag.get("name", "")
    given = {param.get("name", ""): (param.text or "").strip() for param in tag.findall("hardware/param")}
    interfaces, readable = {}, {}
    for joint in tag.findall("joint"):
        called = joint.get("name", "")
        if called not in robot.joint_names:
            raise ModelError(f"ros2_control {name!r} names joint {called!r}, which {robot.name} does not have")
        interfaces[called], readable[called] = (
            tuple(e.get("name", "") for e in joint.findall(kind) if e.get("name") in QUANTITIES)
            for kind in ("command_interface", "state_interface")  # the plugin ignores others, and says so
        )
    threshold = given.get("trigger_joint_command_threshold") or str(THRESHOLD)
    stamped = _plugin(tag) == STAMPED
    try:
        silent = float(threshold) >= 0.0 and not stamped
    except ValueError:
        words = f"trigger_joint_command_threshold: expected a number, found {threshold!r}"
        raise ModelError(f"ros2_control {name!r}: {words}") from None
    return TopicSystem(
        name,
        given.get("joint_commands_topic") or "/robot_joint_commands",
        given.get("joint_states_topic") or "/robot_joint_states",
        interfaces,
        readable,
        given.get("sum_wrapped_joint_states") == "true",
        stamped,
        silent,
    )


def commanded(system: TopicSystem, message: JointState) -> dict[str, dict[str, float]]:
    """Return what a message asks of joints, {quantity: {joint: number}}; NaN means that nobody commands that one.

    Every array has numbers only for joints with that command interface, in the order of their names.

    Raises:
        ValueError: an unknown joint, or a number of numbers that does not fit.
    """
    asked: dict[str, dict[str, float]] = {}
    for joint in message.name:
        if joint not in system.interfaces:
            raise ValueError(f"{joint[:80]!r} is no joint of {system.name!r}")
    for quantity in QUANTITIES:
        joints = [joint for joint in message.name if quantity in system.interfaces[joint]]
        numbers = getattr(message, quantity)
        if len(numbers) != len(joints):
            raise ValueError(f"expected {len(joints)} numbers for {quantity}, found {len(numbers)}")
        told = zip(joints, numbers, strict=True)
        asked[quantity] = {joint: number for joint, number in told if not np.isnan(number)}
    return asked


class TopicStates:
    """Joint states for the systems that read them from a topic of their own."""

    def __init__(self, node: Node, robot: RobotModel) -> None:
        """Prepare a publisher for every such topic; joint_states is there already."""
        own, systems = node.resolve_topic_name("joint_states"), topic_systems(robot)
        self._outputs = []
        for topic in dict.fromkeys(system.states for system in systems):
            sharing = [system for system in systems if system.states == topic]
            told = readable_quantities(robot, sharing)
            if node.resolve_topic_name(topic) != own:
                output = JointStateOutput(node, robot, topic, told)
                self._outputs.append((output, any(system.wrapped for system in sharing)))
            elif missing := _unreadable(robot, sharing, told):
                node.get_logger().warning(
                    f"ros2_control: {missing} is on {topic} without state_interface: the plugin fails on it. "
                    "Give the tag a joint_states_topic of its own, or all three state interfaces"
                )

    def publish(self, snapshot: Snapshot) -> None:
        """Publish the joints of a snapshot."""
        for output, wrapped in self._outputs:
            output.publish(snapshot, wrapped)

    def repeat(self) -> None:
        """Publish the last messages again."""
        for output, _ in self._outputs:
            output.repeat()


def readable_quantities(robot: RobotModel, systems: Sequence[TopicSystem]) -> dict[str, np.ndarray]:
    """Return, by quantity, which joints have a state interface for it, (joint_count,) bool."""
    readable = {joint: quantities for system in systems for joint, quantities in system.readable.items()}
    return {
        quantity: np.array([quantity in readable.get(joint, ()) for joint in robot.joint_names])
        for quantity in QUANTITIES
    }


def _unreadable(robot: RobotModel, systems: Sequence[TopicSystem], told: Mapping[str, np.ndarray]) -> str:
    """Return the first joint and quantity of a tag that has no state interface; empty: there is none."""
    tagged = {joint for system in systems for joint in system.readable}
    for k, joint in enumerate(robot.joint_names):
        for quantity in QUANTITIES:
            if joint in tagged and not told[quantity][k]:
                return f"{quantity} of {joint!r}"
    return ""
