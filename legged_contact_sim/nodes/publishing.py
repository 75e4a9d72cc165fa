"""Which output is due at which control tick."""

import importlib.util
import time
from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node

from ..dynamics import forward_kinematics
from ..simulation import Simulator
from .contact_topics import points_with_topics
from .control_ticks import ticks_of
from .diagnostics import DiagnosticsOutput, friction_of
from .markers import MarkerOutput
from .outputs import (
    JointStateOutput,
    OdometryOutput,
    TransformOutput,
    WrenchOutput,
    publish_description,
)
from .sensor_outputs import ContactStateOutput, EnergyOutput, SensorOutputs
from .sensor_parameters import make_contact_switches, make_encoders
from .snapshot import Snapshot
from .topic_control import TopicStates
from .transforms import FrameTree

WRENCH, ODOMETRY, TRANSFORMS, MARKERS, DIAGNOSTICS, IMUS, STATES, ENERGY, HEIGHTS, VELOCITY = range(10)
RATES = (
    "wrench_rate", "odom_rate", "tf_rate", "marker_rate", "diagnostics_rate", "imu_rate", "contact_state_rate",
    "energy_rate", "height_scan_rate", "base_velocity_rate",
)  # fmt: skip


def ticks_between(values: Mapping[str, Any], rate: str) -> int:
    """Return how many control ticks lie between two messages of a rate, by the rate's parameter; 0: there are none."""
    return ticks_of(values["control_rate"], values[rate])


def is_due(every: int, tick: int) -> bool:
    """Return whether a message is due at a tick that comes every so many ticks, 0: never."""
    return every > 0 and tick % every == 0


class Outputs:
    """All that the simulator publishes of a robot."""

    def __init__(self, node: Node, simulator: Simulator, values: Mapping[str, Any]) -> None:
        """Prepare all messages, and publish what is said only once."""
        self._simulator = simulator
        self._frames = FrameTree(simulator.robot, values["world_frame"], values["frame_prefix"])
        self._joint_states = JointStateOutput(node, simulator.robot)
        self._topic_states = TopicStates(node, simulator.robot)
        self._odometry = OdometryOutput(node, self._frames)
        told = points_with_topics(node, simulator.robot)
        self.wrenches = WrenchOutput(node, self._frames, told)
        self._transforms = TransformOutput(node, self._frames, values["link_frames"], told)
        self._markers = MarkerOutput(node, self._frames)
        self._diagnostics = DiagnosticsOutput(node)
        self._encoders = make_encoders(simulator.robot, values)
        self._switches = make_contact_switches(simulator.robot, values)
        self._sensors = SensorOutputs(node, simulator, self._frames, values)
        self._typed = importlib.util.find_spec("legged_contact_sim_msgs") is not None
        if self._typed:
            self._states = ContactStateOutput(node, self._frames, self._switches, told)
            self._energy = EnergyOutput(node, self._frames)
        self._description = publish_description(node, simulator.robot)
        self._told = 0.0  # when diagnostics were last published, by the wall clock
        self.take_settings(values)

    def take_settings(self, values: Mapping[str, Any]) -> None:
        """Take over rates, rounded to whole control ticks, and the markers' sizes."""
        self._every = [ticks_between(values, name) for name in RATES]
        if not self._typed:
            self._every[STATES] = self._every[ENERGY] = 0
        self._tell_every = 1.0 / max(values["diagnostics_rate"], 1e-9)
        self._markers.shape(values["marker_scale"], friction_of(self._simulator) or 0.0)

    def publish_due(self, tick: int, snapshot: Snapshot, conditions: Callable[[], dict[str, Any]]) -> None:
        """Publish what is due at a tick, the joint states last.

        Who answers a joint state thus has had the chance to see everything else of its instant.
        """
        due = [is_due(every, tick) for every in self._every]
        if due[WRENCH]:
            self.wrenches.publish(snapshot)
        if due[ODOMETRY]:
            self._odometry.publish(snapshot)
        if due[IMUS]:
            self._sensors.publish_imus(snapshot)
        if due[STATES]:
            self._states.publish(snapshot, self._simulator, friction_of(self._simulator))
        if due[ENERGY]:
            self._energy.publish(snapshot, self._simulator)
        if due[HEIGHTS]:
            self._sensors.publish_heights()
        if due[VELOCITY]:
            self._sensors.publish_velocity(snapshot)
        self._publish_picture(snapshot, due[TRANSFORMS], due[MARKERS])
        if due[DIAGNOSTICS]:
            self.publish_conditions(snapshot, conditions)
        self._topic_states.publish(snapshot)
        self._joint_states.publish(snapshot)

    def add_tick(self, snapshot: Snapshot, elapsed: float) -> None:
        """Take a control tick of so many seconds: contact impulses, contact switches, encoders."""
        self.wrenches.add(snapshot, elapsed)
        self._switches.update(snapshot.mean_forces, self._simulator.contacts.normal, snapshot.slips, elapsed)
        if self._typed:
            self._states.add(snapshot, elapsed)
        if not self._encoders.exact:
            _, snapshot.position[:], snapshot.velocity[:] = self._encoders.read(self._simulator)

    def forget(self, snapshot: Snapshot) -> None:
        """Begin anew with a state that was set from outside."""
        self.wrenches.forget()
        self._switches.reset(self._simulator)
        self._sensors.reset()
        if self._typed:
            self._states.forget()
        _, snapshot.position[:], snapshot.velocity[:] = self._encoders.reset(self._simulator)

    def settle(self) -> None:
        """Wait until what was published is no longer under way, before time goes back."""
        self._transforms.settle()

    def repeat(self, snapshot: Snapshot, conditions: Callable[[], dict[str, Any]]) -> None:
        """Publish again what a controller hears, as it was, for one that has only just come.

        Nothing is read anew: whether and when this happens depends on the machine, and must not change what follows.
        """
        for every, output in ((WRENCH, self.wrenches), (ODOMETRY, self._odometry), (IMUS, self._sensors)):
            if self._every[every]:
                output.repeat()
        self._publish_picture(snapshot, self._every[TRANSFORMS] > 0, self._every[MARKERS] > 0)
        if self._every[DIAGNOSTICS]:
            self.publish_conditions(snapshot, conditions)
        self._topic_states.repeat()
        self._joint_states.repeat()

    def publish_conditions(self, snapshot: Snapshot, conditions: Callable[[], dict[str, Any]]) -> None:
        """Publish diagnostics, not oftener than twice their rate by the wall clock."""
        now = time.monotonic()
        if now - self._told >= 0.5 * self._tell_every:
            self._told = now
            self._diagnostics.publish(snapshot, self._simulator, conditions())

    def _publish_picture(self, snapshot: Snapshot, transforms: bool, markers: bool) -> None:
        """Publish transforms and markers, if they are due and somebody looks."""
        transforms, markers = transforms and self._transforms.heard() > 0, markers and self._markers.heard() > 0
        if not transforms and not markers:
            return
        bodies = forward_kinematics(self._simulator.robot, snapshot.q)
        normals = self._simulator.contacts.normal
        positions = self._frames.contact_positions(bodies, normals)
        if transforms:
            self._transforms.publish(snapshot, self._frames.moving_poses(bodies, positions))
        if markers:
            self._markers.publish(snapshot, self.wrenches.forces, positions, normals)
