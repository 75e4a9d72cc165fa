"""ros2_control over topics: what a `<ros2_control>` tag of the URDF says of the topics of a robot's joints."""

from collections.abc import Mapping
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ..errors import ModelError
from ..model import RobotModel
from .outputs import JointStateOutput
from .snapshot import Snapshot

PLUGINS = (
    "JointStateTopicSystem",
    "TopicBasedSystem",
)  # of the topic-based hardware interfaces, without their packages
QUANTITIES = ("position", "velocity", "effort")


class TopicSystem(NamedTuple):
    """A system of ros2_control whose hardware is behind topics.

    Attributes:
        name: of the tag.
        commands: topic of its commands, `sensor_msgs/JointState`.
        states: topic of the joint states that it reads.
        interfaces: command interfaces of every joint, in the order of the tag.
        wrapped: it counts turns itself and wants positions that jump from 2 pi to -2 pi.
    """

    name: str
    commands: str
    states: str
    interfaces: Mapping[str, tuple[str, ...]]
    wrapped: bool


def topic_systems(robot: RobotModel) -> list[TopicSystem]:
    """Return the systems of a robot's description that are driven over topics.

    Raises:
        ModelError: a system names a joint that the robot does not have, or a command interface that does not exist.
    """
    root = ElementTree.fromstring(robot.urdf)
    tags = root.findall("ros2_control") if root.tag == "robot" else []
    return [_system(robot, tag) for tag in tags if _plugin(tag) in PLUGINS]


def _plugin(tag: ElementTree.Element) -> str:
    return (tag.findtext("hardware/plugin") or "").strip().rpartition("/")[2]


def _system(robot: RobotModel, tag: ElementTree.Element) -> TopicSystem:
    name = tag.get("name", "")
    given = {param.get("name", ""): (param.text or "").strip() for param in tag.findall("hardware/param")}
    interfaces = {}
    for joint in tag.findall("joint"):
        called = joint.get("name", "")
        if called not in robot.joint_names:
            raise ModelError(f"ros2_control {name!r} names joint {called!r}, which {robot.name} does not have")
        wanted = tuple(element.get("name", "") for element in joint.findall("command_interface"))
        for interface in wanted:
            if interface not in QUANTITIES:
                expected = ", ".join(QUANTITIES)
                raise ModelError(f"ros2_control {name!r}, joint {called!r}: {interface!r}; expected {expected}")
        interfaces[called] = wanted
    return TopicSystem(
        name,
        given.get("joint_commands_topic") or "/robot_joint_commands",
        given.get("joint_states_topic") or "/robot_joint_states",
        interfaces,
        given.get("sum_wrapped_joint_states") == "true",
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
        self._outputs = [
            (JointStateOutput(node, robot, system.states), system.wrapped)
            for system in {system.states: system for system in systems}.values()
            if node.resolve_topic_name(system.states) != own
        ]

    def publish(self, snapshot: Snapshot) -> None:
        """Publish the joints of a snapshot."""
        for output, wrapped in self._outputs:
            output.publish(snapshot, wrapped)
