"""Pushes that the simulator is told of. What cannot be meant is dropped and counted."""

from collections.abc import Callable

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node

from ..errors import LeggedContactSimError, ParameterError
from ..model import RobotModel
from ..simulation import Simulator
from .joint_commands import LARGEST, MOST_A_TICK, MOST_BYTES, Warn
from .polling import Mailbox, message_of
from .qos import COMMANDS
from .transforms import BodyPoses


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
                self._push(message_of(raw, WrenchStamped), simulator, duration, bodies())
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
