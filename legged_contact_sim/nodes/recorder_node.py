"""A recorder as a ROS 2 node: topics as they are, serialized, into a rosbag2 bag."""

import time
from pathlib import Path
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.topic_endpoint_info import TopicEndpointInfo

from ..recording.bag import BagWriter, Topic
from ..recording.definitions import definition
from .declared import Declared, declare
from .polling import Mailbox, message_type
from .process import Running, run_process, served
from .throttle import Throttle

DEPTH = 5000  # messages of a topic that wait in the middleware: as many as Fast DDS holds
PAUSE = 0.005  # s; between looks for messages
QUIET = 1.0  # s; when for so long nothing came that was published before the end, nothing will
MOST_REST = 10.0  # s; for which that is waited
LOOK_AROUND = 0.25  # s; between looks for new topics

PARAMETERS = {
    "bag": Declared("", "folder to write; empty: bags/ and the date", fixed=True),
    "topics": Declared([""], "topics to record; empty: all", fixed=True),
    "flush_period": Declared(0.5, "s; what is older is safe on disk, whatever happens", 0.01, 60.0, fixed=True),
}


class RecorderNode(Node):
    """Writes what is published; it subscribes to topics as they appear, as their publishers offer them."""

    def __init__(self) -> None:
        """Begin the bag."""
        super().__init__("recorder")
        values = declare(self, PARAMETERS)
        folder = Path(values["bag"] or time.strftime("bags/%Y-%m-%d_%H-%M-%S"))
        self._wanted = {self.resolve_topic_name(topic) for topic in values["topics"] if topic}
        self._flush_period = values["flush_period"]
        self._boxes: dict[str, tuple[int, Mailbox]] = {}
        self._unknown: set[str] = set()
        self._newest: dict[str, int] = {}  # when the last message of a topic was published, ns since the epoch
        self._warn = Throttle(self.get_logger().warning)
        self.bag = BagWriter(folder)
        definition("std_msgs/msg/String")  # the first one takes long, when nothing is recorded yet

    def run(self, running: Running) -> None:
        """Record until interrupted; then finish the bag."""
        flushed = looked = 0.0
        try:
            while running:
                now = time.monotonic()
                if now - looked > LOOK_AROUND:
                    self._look_around()
                    looked = now
                self._collect()
                if now - flushed > self._flush_period:
                    self.bag.flush()
                    flushed = now
                time.sleep(PAUSE)
        finally:
            self._collect_the_rest()
            self.bag.close()
            self.get_logger().info(f"{self.bag.message_count} messages in {self.bag.folder}")
            for line in self.bag.lacks():
                self.get_logger().warning(f"the bag is not complete: {line}")

    def _collect_the_rest(self) -> None:
        """Collect what was published before the end: on a busy machine some of it is still under way."""
        end, deadline = time.time_ns(), time.monotonic() + MOST_REST
        quiet = time.monotonic() + QUIET
        while time.monotonic() < min(quiet, deadline):
            before = dict(self._newest)
            self._collect()
            if any(published < end and published != before.get(topic) for topic, published in self._newest.items()):
                quiet = time.monotonic() + QUIET
            time.sleep(PAUSE)

    def _collect(self) -> None:
        for topic, (channel, box) in self._boxes.items():
            for _ in range(DEPTH):
                taken = box.take()
                if taken is None:
                    break
                data, about = taken
                received = about["received_timestamp"] or time.time_ns()
                number = about.get("publication_sequence_number")
                self._newest[topic] = published = about["source_timestamp"] or received
                self.bag.write(channel, received, published, data, number)
                missing = self.bag.continuity[topic].take(number, box.subscription.get_publisher_count)
                if missing:
                    self._warn(topic, f"{topic}: {missing} messages were lost, since this recorder was kept waiting")

    def _look_around(self) -> None:
        """Subscribe to topics that have come; on a busy machine that takes seconds, in which messages wait."""
        for name, kinds in self.get_topic_names_and_types():
            wanted = name in self._wanted if self._wanted else "/_" not in name  # those of actions are hidden
            if wanted and name not in self._boxes and name not in self._unknown:
                publishers = self.get_publishers_info_by_topic(name)
                if publishers:
                    self._begin(name, kinds[0], publishers)
                    self._collect()

    def _begin(self, name: str, kind: str, publishers: list[TopicEndpointInfo]) -> None:
        found, message = definition(kind), message_type(kind)
        if found is None or message is None:
            self._unknown.add(name)
            self.get_logger().warning(f"{name} is not recorded: {kind} is not known here")
            return
        offers = [endpoint.qos_profile for endpoint in publishers]
        topic = Topic(name, kind, *found, [described(offer) for offer in offers])
        self._boxes[name] = (self.bag.add_topic(topic), Mailbox(self, message, name, accepting(offers)))


def accepting(offers: list[QoSProfile]) -> QoSProfile:
    """Return the strictest quality of service that all offers meet."""
    reliable = all(offer.reliability == ReliabilityPolicy.RELIABLE for offer in offers)
    kept = all(offer.durability == DurabilityPolicy.TRANSIENT_LOCAL for offer in offers)
    return QoSProfile(
        depth=DEPTH,
        history=HistoryPolicy.KEEP_LAST,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if kept else DurabilityPolicy.VOLATILE,
    )


def described(offer: QoSProfile) -> dict[str, Any]:
    """Return a quality of service as rosbag2 writes it."""
    forever = {"sec": 9223372036, "nsec": 854775807}
    return {
        "history": "keep_last",
        "depth": offer.depth,
        "reliability": offer.reliability.name.lower(),
        "durability": offer.durability.name.lower(),
        "deadline": forever,
        "lifespan": forever,
        "liveliness": "automatic",
        "liveliness_lease_duration": forever,
        "avoid_ros_namespace_conventions": False,
    }


def main() -> None:
    """Record until Ctrl-C or SIGTERM."""
    run_process(_run, "recorder")


def _run() -> None:
    node = RecorderNode()
    node.get_logger().info(f"recording to {node.bag.folder}")
    with served(node) as running:
        node.run(running)


if __name__ == "__main__":
    main()
