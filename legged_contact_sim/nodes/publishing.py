"""Which output is due at which control tick."""

import importlib.util
import time
from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node

from ..dynamics import forward_kinematics
from ..simulation import Simulator
from .diagnostics import DiagnosticsOutput, friction_of
from .markers import MarkerOutput
from .outputs import (
    ClockOutput,
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

CLOCK, WRENCH, ODOMETRY, TRANSFORMS, MARKERS, DIAGNOSTICS, IMUS, STATES, ENERGY, HEIGHTS, VELOCITY = range(11)
RATES = (
    "clock_rate", "wrench_rate", "odom_rate", "tf_rate", "marker_rate", "diagnostics_rate", "imu_rate",
    "contact_state_rate", "energy_rate", "height_scan_rate", "base_velocity_rate",
)  # fmt: skip


class Outputs:
    """All that the simulator publishes."""

    def __init__(self, node: Node, simulator: Simulator, values: Mapping[str, Any]) -> None:
        """Prepare all messages, and publish what is said only once."""
        self._simulator = simulator
        self._frames = FrameTree(simulator.robot, values["world_frame"], values["frame_prefix"])
        self._clock = ClockOutput(node)
        self._joint_states = JointStateOutput(node, simulator.robot)
        self._topic_states = TopicStates(node, simulator.robot)
        self._odometry = OdometryOutput(node, self._frames)
        self.wrenches = WrenchOutput(node, self._frames)
        self._transforms = TransformOutput(node, self._frames, values["link_frames"])
        self._markers = MarkerOutput(node, self._frames)
        self._diagnostics = DiagnosticsOutput(node)
        self._encoders = make_encoders(simulator.robot, values)
        self._switches = make_contact_switches(simulator.robot, values)
        self._sensors = SensorOutputs(node, simulator, self._frames, values)
        self._typed = importlib.util.find_spec("legged_contact_sim_msgs") is not None
        if self._typed:
            self._states = ContactStateOutput(node, self._frames, self._switches)
            self._energy = EnergyOutput(node, self._frames)
        self._description = publish_description(node, simulator.robot)
        self._told = 0.0  # when diagnostics were last published, by the wall clock
        self.take_settings(values)

    def take_settings(self, values: Mapping[str, Any]) -> None:
        """Take over rates, rounded to whole control ticks, and the markers' sizes."""
        control = values["control_rate"]
        self._every = [max(1, round(control / values[name])) if values[name] > 0.0 else 0 for name in RATES]
        if not self._typed:
            self._every[STATES] = self._every[ENERGY] = 0
        self._clock.enable(values["clock_rate"] > 0.0)
        self._tell_every = 1.0 / max(values["diagnostics_rate"], 1e-9)
        self._markers.shape(values["marker_scale"], friction_of(self._simulator) or 0.0)

    def publish_due(self, tick: int, snapshot: Snapshot, conditions: Callable[[], dict[str, Any]]) -> None:
        """Publish what is due at a tick: the clock first, so that nothing is ahead of it, and the joint states last.

        Who answers a joint state thus has had the chance to see everything else of its instant.
        """
        due = [n > 0 and tick % n == 0 for n in self._every]
        if due[CLOCK]:
            self._clock.publish(snapshot)
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
        if due[TRANSFORMS] or due[MARKERS]:
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

    def publish_everything(self, snapshot: Snapshot, conditions: Callable[[], dict[str, Any]]) -> None:
        """Publish all that is published at all, for somebody who has only just come."""
        self.publish_due(0, snapshot, conditions)

    def publish_conditions(self, snapshot: Snapshot, conditions: Callable[[], dict[str, Any]]) -> None:
        """Publish diagnostics, not oftener than twice their rate by the wall clock."""
        now = time.monotonic()
        if now - self._told >= 0.5 * self._tell_every:
            self._told = now
            self._diagnostics.publish(snapshot, self._simulator, conditions())

    def _publish_picture(self, snapshot: Snapshot, transforms: bool, markers: bool) -> None:
        bodies = forward_kinematics(self._simulator.robot, snapshot.q)
        normals = self._simulator.contacts.normal
        positions = self._frames.contact_positions(bodies, normals)
        if transforms:
            self._transforms.publish(snapshot, self._frames.moving_poses(bodies, positions))
        if markers:
            self._markers.publish(snapshot, self.wrenches.forces, positions, normals)
