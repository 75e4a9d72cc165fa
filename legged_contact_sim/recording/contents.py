"""What a bag tells of a robot over simulated time: joints, base, contact forces, and the energy audit."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.typesys import Stores, get_typestore

from ..contact.records import WORK_TERMS
from ..errors import ParameterError

MOST = 20_000  # messages of a topic that are drawn
FACTS = ("contact_model", "friction")
STORED = ("kinetic", "potential", "spring")


@dataclass
class Series:
    """Samples over simulated time.

    Attributes:
        labels: of the columns.
        times: s.
        rows: one per time.
    """

    labels: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    rows: list[list[float]] = field(default_factory=list)

    def add(self, stamp: Any, labels: list[str], row: list[float]) -> None:
        """Add a sample; where time goes back, a gap is drawn."""
        time = stamp.sec + 1e-9 * stamp.nanosec
        self.labels = labels
        if self.times and time < self.times[-1]:
            self.times.append(self.times[-1])
            self.rows.append([float("nan")] * len(labels))
        self.times.append(time)
        self.rows.append(row)

    def array(self) -> np.ndarray:
        """Return the rows as (T, columns)."""
        return np.array(self.rows).reshape(len(self.times), len(self.labels))


@dataclass
class Contents:
    """What is drawn of a bag.

    Attributes:
        forces: by contact point.
        facts: of diagnostics: robot, contact model, friction, as far as they tell.
    """

    facts: dict[str, str] = field(default_factory=dict)
    joints: Series = field(default_factory=Series)
    base: Series = field(default_factory=Series)
    energy: Series = field(default_factory=Series)
    forces: dict[str, Series] = field(default_factory=dict)


def read(bag: Path) -> Contents:
    """Read what can be drawn of a bag.

    Raises:
        ParameterError: there is no bag that can be read.
    """
    if not bag.exists():
        raise ParameterError(f"{bag}: there is no such bag")
    contents = Contents()
    try:
        for topic, message in _messages(bag):
            _take(contents, topic, message)
    except (AnyReaderError, OSError) as error:
        raise ParameterError(f"{bag}: {error}; legged-contact-sim recover may help") from None
    return contents


def _messages(bag: Path) -> Iterator[tuple[str, Any]]:
    with AnyReader([bag], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        wanted = [connection for connection in reader.connections if _is_drawn(connection.topic)]
        every = {connection.topic: max(1, connection.msgcount // MOST) for connection in wanted}
        seen = dict.fromkeys(every, 0)
        for connection, _, raw in reader.messages(connections=wanted) if wanted else ():
            seen[connection.topic] += 1
            if seen[connection.topic] % every[connection.topic] == 0:
                yield connection.topic, reader.deserialize(raw, connection.msgtype)


def _is_drawn(topic: str) -> bool:
    return topic.endswith(("/joint_states", "/odom", "/wrench", "/diagnostics")) and "external" not in topic


def _take(contents: Contents, topic: str, message: Any) -> None:
    stamp = message.header.stamp
    if topic.endswith("/joint_states"):
        contents.joints.add(stamp, list(message.name), message.position.tolist())
    elif topic.endswith("/odom"):
        at = message.pose.pose.position
        contents.base.add(stamp, ["x", "y", "z", "roll", "pitch", "yaw"], [at.x, at.y, at.z, *_angles(message)])
    elif topic.endswith("/wrench"):
        force = message.wrench.force
        series = contents.forces.setdefault(topic.split("/")[-2], Series())
        series.add(stamp, ["x", "y", "z"], [force.x, force.y, force.z])
    else:
        for status in message.status:
            values = {entry.key: entry.value for entry in status.values}
            if "energy_total" in values:
                told = {"robot": status.hardware_id} | {name: values[name] for name in FACTS if name in values}
                contents.facts |= told
                names = [*STORED, *WORK_TERMS, "remainder"]
                contents.energy.add(stamp, names, [float(values.get(f"energy_{name}", 0.0)) for name in names])


def _angles(message: Any) -> list[float]:
    """Return roll, pitch and yaw, rad."""
    q = message.pose.pose.orientation
    x, y, z, w = q.x, q.y, q.z, q.w
    return [
        float(np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))),
        float(np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))),
        float(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))),
    ]
