"""Subscriptions that a node's own loop empties, at a tenth of what an executor takes for a callback."""

import importlib
from collections.abc import Iterator
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message

from ..errors import ParameterError


class Polled(CallbackGroup):
    """A callback group that no executor ever waits for."""

    def can_execute(self, entity: Any) -> bool:
        """Say no."""
        return False

    def beginning_execution(self, entity: Any) -> bool:
        """Say no."""
        return False

    def ending_execution(self, entity: Any) -> None:
        """Nothing began."""


class Mailbox:
    """Serialized messages of a topic, as they wait in the middleware; full, it forgets the oldest."""

    def __init__(self, node: Node, kind: Any, topic: str, qos: QoSProfile | int) -> None:
        """Subscribe to a topic with messages of a kind."""
        self.kind = kind
        self.subscription = node.create_subscription(kind, topic, _never, qos, callback_group=Polled(), raw=True)
        self._take = self.subscription.handle.take_message

    def take(self) -> tuple[bytes, dict[str, int]] | None:
        """Return the oldest message that waits and its time stamps, or None."""
        with self.subscription.handle:
            return self._take(self.kind, True)

    def drain(self, most: int) -> Iterator[bytes]:
        """Yield the messages that wait, oldest first, at most so many."""
        for raw, _ in self.drain_stamped(most):
            yield raw

    def drain_stamped(self, most: int) -> Iterator[tuple[bytes, int]]:
        """Yield the same with when each was published, ns by the wall clock; 0: the middleware does not say."""
        for _ in range(most):
            taken = self.take()
            if taken is None:
                return
            yield taken[0], taken[1].get("source_timestamp", 0)

    def newest(self, most: int = 100) -> bytes | None:
        """Return the newest message that waits and forget the others; None: there is none."""
        last = None
        for last in self.drain(most):  # noqa: B007
            pass
        return last


def message_type(kind: str) -> Any:
    """Return the class of a message type such as sensor_msgs/msg/JointState; None: it is not installed."""
    package, _, name = kind.split("/")
    try:
        return getattr(importlib.import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError):
        return None


def message_of(raw: bytes, kind: Any) -> Any:
    """Return a message of a kind out of its bytes, which anybody may have written.

    Raises:
        ParameterError: they are no such message.
    """
    try:
        return deserialize_message(raw, kind)
    except RuntimeError:  # of the middleware
        raise ParameterError(f"{len(raw)} bytes are no message of type {kind.__name__}") from None


def _never(_: Any) -> None:
    """The callback that rclpy asks for; nothing calls it."""
