"""What the sensors tell, as messages: IMU, contact states, height scan; and the energy audit, typed."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from geometry_msgs.msg import TwistWithCovarianceStamped
from rclpy.node import Node
from sensor_msgs.msg import Imu as ImuMessage
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from ..contact.records import ITERATIONS, RESIDUAL, WORK_TERMS
from ..dynamics.functions import energies
from ..errors import LeggedContactSimError
from ..sensing import FootContacts, Imu, NoiseSettings, VelocitySettings
from ..simulation import Simulator
from .cdr import STAMP, Template, listeners, put_quaternion, put_stamp, put_vector, sender
from .outputs import topic_name
from .qos import STREAM
from .sensor_parameters import make_base_velocity, make_height_scan, make_imus
from .snapshot import NANOSECONDS, Snapshot
from .transforms import FrameTree


class ImuOutput:
    """One IMU on its topic."""

    def __init__(self, node: Node, topic: str, imu: Imu, frames: FrameTree, rate: float) -> None:
        """Prepare the message; ``rate``, Hz, gives the noise of one reading."""
        self.imu = imu
        message = ImuMessage()
        message.header.frame_id = frames.prefixed(imu.link)
        message.angular_velocity_covariance = _covariance(imu.settings.gyroscope, rate)
        message.linear_acceleration_covariance = _covariance(imu.settings.accelerometer, rate)
        numbers = [STAMP, ("orientation", "<f8", 4), ("rates", "<f8", 3), ("force", "<f8", 3)]
        self._template = Template(message, numbers, _fill_imu)
        record = self._template.record[0]
        self._stamp, self._orientation, self._rates, self._force = (record[name] for name in record.dtype.names)
        publisher = node.create_publisher(ImuMessage, topic, STREAM)
        self._send, self._heard = sender(publisher), listeners(publisher)

    def publish(self, simulator: Simulator, begun: int) -> None:
        """Read, heard or not, since every reading has its own errors, and publish; stamps count from ``begun``, ns."""
        reading = self.imu.read(simulator)
        self._stamp[:] = divmod(begun + round(reading.time * NANOSECONDS), NANOSECONDS)
        self._orientation[:] = reading.orientation
        self._rates[:] = reading.angular_velocity
        self._force[:] = reading.specific_force
        self.repeat()

    def repeat(self) -> None:
        """Publish the last message again, if somebody hears it: a second reading would have other errors."""
        if self._heard():
            self._send(self._template.encoded())


def _covariance(noise: NoiseSettings, rate: float) -> list[float]:
    """Return the covariance (9,) of a reading's white noise; zeros, which mean unknown, where there is none."""
    return (noise.density**2 * rate * np.eye(3)).ravel().tolist()


def _fill_imu(message: ImuMessage, record: np.void) -> None:
    put_stamp(message.header.stamp, record["stamp"])
    put_quaternion(message.orientation, record["orientation"])
    put_vector(message.angular_velocity, record["rates"])
    put_vector(message.linear_acceleration, record["force"])


class SensorOutputs:
    """All IMUs, the height scan and the base's velocity."""

    def __init__(self, node: Node, simulator: Simulator, frames: FrameTree, values: Mapping[str, Any]) -> None:
        """Prepare them.

        Raises:
            LeggedContactSimError: a sensor's link is not there, or a parameter cannot be used.
        """
        self._simulator = simulator
        rate = values["imu_rate"]
        imus = make_imus(simulator.robot, values)
        self._imus = [ImuOutput(node, topic, imu, frames, rate) for topic, imu in imus.items()]
        self._scan = make_height_scan(simulator.robot, values)
        self._heights = node.create_publisher(Float64MultiArray, "height_scan", STREAM)
        self._velocity = make_base_velocity(simulator.robot, values)
        self._twist = TwistWithCovarianceStamped()
        if self._velocity:
            self._twist.header.frame_id = frames.prefixed(simulator.robot.link_names[0])
            self._twist.twist.covariance = _twist_covariance(self._velocity.settings, values["base_velocity_rate"])
            self._twists = node.create_publisher(TwistWithCovarianceStamped, "base_velocity", STREAM)

    def reset(self) -> None:
        """Begin anew with the simulator's state."""
        for output in self._imus:
            output.imu.reset(self._simulator)
        self._scan.reset()
        if self._velocity:
            self._velocity.reset(self._simulator)

    def publish_imus(self, snapshot: Snapshot) -> None:
        """Publish what the IMUs tell."""
        begun = snapshot.nanoseconds - round(self._simulator.time * NANOSECONDS)
        for output in self._imus:
            output.publish(self._simulator, begun)

    def repeat(self) -> None:
        """Publish the last readings of the IMUs again."""
        for output in self._imus:
            output.repeat()

    def publish_heights(self) -> None:
        """Publish the height scan: rows go forward, columns to the left, m relative to the base's origin."""
        heights = self._scan.read(self._simulator)
        message = Float64MultiArray(data=heights.ravel().tolist())
        size, (rows, columns) = heights.size, heights.shape
        message.layout.dim = [
            MultiArrayDimension(label="forward", size=rows, stride=size),
            MultiArrayDimension(label="left", size=columns, stride=columns),
        ]
        self._heights.publish(message)

    def publish_velocity(self, snapshot: Snapshot) -> None:
        """Publish the base's velocity in its own axes, with its errors."""
        if self._velocity:
            reading, message = self._velocity.read(self._simulator), self._twist
            begun = snapshot.nanoseconds - round(self._simulator.time * NANOSECONDS)
            stamp = divmod(begun + round(reading.time * NANOSECONDS), NANOSECONDS)
            message.header.stamp.sec, message.header.stamp.nanosec = stamp
            put_vector(message.twist.twist.linear, reading.linear)
            put_vector(message.twist.twist.angular, reading.angular)
            self._twists.publish(message)


def _twist_covariance(settings: VelocitySettings, rate: float) -> list[float]:
    """Return the covariance (36,) of a reading's white noise; zeros where there is none."""
    densities = np.repeat([settings.linear.density, settings.angular.density], 3)
    return np.diag(densities**2 * rate).ravel().tolist()  # type: ignore[no-any-return]


class ContactStateOutput:
    """The state of contact points on ``contacts/<point>/state``."""

    def __init__(self, node: Node, frames: FrameTree, switches: FootContacts, told: Collection[str]) -> None:
        """Prepare a message and a publisher for every contact point that is told of."""
        from legged_contact_sim_msgs.msg import ContactState

        self._switches = switches
        single = ("gap", "normal_force", "friction_used", "friction_available", "contact_time", "air_time")
        fields = [STAMP, ("mode", "<i4"), ("touching", "<i4"), *((name, "<f8") for name in (*single, "slip_distance"))]
        vectors = [(name, "<f8", 3) for name in ("position", "normal", "force", "slip_velocity")]
        self._records = np.zeros(len(switches.names), [*fields, *vectors])
        self._outputs = []
        for k, (point, frame) in enumerate(zip(switches.names, frames.contact_frames, strict=True)):
            if point not in told:
                continue
            message = ContactState()
            message.header.frame_id = frame
            template = Template(message, self._records[k : k + 1], _fill_contact_state)
            publisher = node.create_publisher(ContactState, f"contacts/{topic_name(point)}/state", STREAM)
            self._outputs.append((template, sender(publisher), listeners(publisher)))
        self._impulses, self._elapsed = np.zeros((len(switches.names), 3)), 0.0

    def add(self, snapshot: Snapshot, elapsed: float) -> None:
        """Add the impulses of a control tick of so many seconds."""
        self._impulses += snapshot.mean_forces * elapsed
        self._elapsed += elapsed

    def forget(self) -> None:
        """Forget what was added, after a reset."""
        self._impulses[:], self._elapsed = 0.0, 0.0

    def publish(self, snapshot: Snapshot, simulator: Simulator, friction: float | None) -> None:
        """Publish the points that somebody hears."""
        records, contacts, switches = self._records, simulator.contacts, self._switches
        if self._elapsed > 0.0:
            records["force"] = self._impulses / self._elapsed
            self.forget()
        wanted = [(template, send) for template, send, heard in self._outputs if heard()]
        if not wanted:
            return
        records["stamp"] = snapshot.stamp
        records["mode"], records["touching"] = snapshot.modes, switches.touching
        records["gap"], records["position"], records["normal"] = contacts.gap, contacts.position, contacts.normal
        records["slip_velocity"] = contacts.slip_velocity
        records["normal_force"] = load = np.einsum("ki,ki->k", records["force"], contacts.normal)
        along = records["force"] - load[:, None] * contacts.normal
        records["friction_used"] = np.sqrt(np.einsum("ki,ki->k", along, along))
        records["friction_available"] = np.nan if friction is None else friction * np.maximum(load, 0.0)
        for name in ("contact_time", "air_time", "slip_distance"):
            records[name] = getattr(switches, name)
        for template, send in wanted:
            send(template.encoded())


def _fill_contact_state(message: Any, record: np.void) -> None:
    for name in record.dtype.names or ():
        if name == "stamp":
            put_stamp(message.header.stamp, record[name])
        elif record[name].shape:
            put_vector(getattr(message, name), record[name])
        else:
            setattr(message, name, record[name].item())


AUDIT = ("kinetic", "potential", "spring", "start", *WORK_TERMS, "total", "remainder", "iterations", "residual")


class EnergyOutput:
    """The energy audit on ``energy``."""

    def __init__(self, node: Node, frames: FrameTree) -> None:
        """Prepare the message."""
        from legged_contact_sim_msgs.msg import EnergyAudit

        message = EnergyAudit()
        absent = [name for name in AUDIT if not hasattr(message, name)]
        if absent:
            raise LeggedContactSimError(
                f"legged_contact_sim_msgs: EnergyAudit has no {absent[0]}; expected a newer build (interfaces/build.py)"
            )
        message.header.frame_id = frames.world
        self._template = Template(message, [STAMP, ("terms", "<f8", len(AUDIT))], _fill_audit)
        record = self._template.record[0]
        self._stamp, self._terms = record["stamp"], record["terms"]
        publisher = node.create_publisher(EnergyAudit, "energy", STREAM)
        self._send, self._heard = sender(publisher), listeners(publisher)

    def publish(self, snapshot: Snapshot, simulator: Simulator) -> None:
        """Publish energies now and works since the last reset, if somebody hears it."""
        if not self._heard():
            return
        works, solver = snapshot.ledger[: len(WORK_TERMS)], snapshot.ledger[len(WORK_TERMS) :]
        now = energies(simulator.robot, snapshot.q, snapshot.v)
        total = float(now.sum())
        remainder = total - simulator.start_energy - float(works.sum())
        self._stamp[:] = snapshot.stamp
        self._terms[:] = *now, simulator.start_energy, *works, total, remainder, solver[ITERATIONS], solver[RESIDUAL]
        self._send(self._template.encoded())


def _fill_audit(message: Any, record: np.void) -> None:
    put_stamp(message.header.stamp, record["stamp"])
    for name, number in zip(AUDIT, record["terms"].tolist(), strict=True):
        setattr(message, name, number)
