"""The browser view as a ROS 2 node: it shows any simulator that publishes the topics of `viewer.observed`."""

import time

from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy

from ..errors import ParameterError
from ..terrain import make_terrain
from ..viewer.bag_frames import is_shown
from ..viewer.controls import Controls
from ..viewer.observed import Observed
from ..viewer.stage import Frame, Stage
from ..viewer.view import View
from .declared import Declared, declare
from .parameters import declarations, terrain_settings
from .polling import Mailbox, message_of, message_type
from .process import Running, run_process, served
from .qos import LATCHED
from .several import take_own
from .throttle import Throttle

PERIOD = 1.0 / 30.0  # s between pictures
LOOK_AROUND = 0.5  # s; between looks for new topics
MOST = 100  # messages of a topic that are taken for a picture
NEWEST = QoSProfile(depth=20, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.BEST_EFFORT)
PARAMETERS = {
    "host": Declared("localhost", "address to listen at; outside localhost a token is needed", fixed=True),
    "port": Declared(8080, "to listen at; 0: any that is free", 0, 65535, fixed=True),
    "frame_prefix": Declared("", "before the name of every frame of the robot on /tf", fixed=True),
    "friction": Declared(0.8, "of the ground, for the cones", 0.0, 100.0, fixed=True),
}


class ViewerNode(Node):
    """Listens to a robot; it is what a `View` shows.

    Attributes:
        version, frame, ghost_frame, message: as `legged_contact_sim.viewer.stage.Show` has them.
    """

    frame: Frame
    ghost_frame: Frame | None = None
    ghost_stage: Stage | None = None
    message = ""

    def __init__(self) -> None:
        """Declare the parameters; `collect` listens."""
        super().__init__("viewer")
        take_own(self)
        ground = {name: item for name, item in declarations().items() if name.startswith("terrain.")}
        self.values = declare(self, PARAMETERS | ground)
        terrain = make_terrain(terrain_settings(self.values))
        self.observed = Observed(terrain, self.values["friction"], prefix=self.values["frame_prefix"])
        self._boxes: dict[str, Mailbox] = {}
        self._looked = 0.0
        self._warn = Throttle(self.get_logger().warning)

    @property
    def version(self) -> int:
        """Counts how often robot or contact points changed."""
        return self.observed.version

    @property
    def stage(self) -> Stage:
        """Where the robot is."""
        return self.observed.stage

    def start(self) -> None:
        """Nothing runs here but what `collect` takes."""

    def end(self) -> None:
        """Nothing runs here."""

    def collect(self) -> bool:
        """Take what has come, in the order in which it is needed; return whether there is a new moment."""
        if time.monotonic() - self._looked > LOOK_AROUND:
            self._look_around()
            self._looked = time.monotonic()
        moved = False
        for topic, box in sorted(self._boxes.items(), key=lambda item: item[0].endswith("/joint_states")):
            for raw in box.drain(MOST):
                try:
                    moved |= self.observed.take(topic, message_of(raw, box.kind))
                except ParameterError as error:
                    self._warn(topic, str(error))
        if moved:
            self.frame = self.observed.frame()
        return moved

    def run(self, running: Running) -> None:
        """Wait for a robot, then show it."""
        while running and not self.collect():
            time.sleep(PERIOD)
        if not running:
            return
        with View(self, self.values["host"], self.values["port"], Controls) as page:
            self.get_logger().info(f"open {page.address} in a browser")
            while running:
                self.collect()
                page.refresh()
                time.sleep(PERIOD)

    def _look_around(self) -> None:
        """Listen to what is published in this node's namespace, and to /tf."""
        inside = self.get_namespace().rstrip("/") + "/"
        for name, (kind, *_) in self.get_topic_names_and_types():
            known = name in self._boxes or not is_shown(name, kind)
            if known or not (name.startswith(inside) or name == "/tf") or not self.count_publishers(name):
                continue
            message = message_type(kind)
            if message is not None:
                self._boxes[name] = Mailbox(self, message, name, LATCHED if _is_kept(name) else NEWEST)


def _is_kept(topic: str) -> bool:
    return topic.endswith("/robot_description")


def main() -> None:
    """Show until Ctrl-C or SIGTERM."""
    run_process(_run, "viewer")


def _run() -> None:
    node = ViewerNode()
    with served(node) as running:
        node.run(running)


if __name__ == "__main__":
    main()
