"""A rosbag2 bag: a folder with an MCAP file, and the YAML file that says what is in it."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import yaml  # type: ignore[import-untyped]

from ..errors import ParameterError
from .continuity import Continuity
from .mcap_file import McapFile

VERSION = 9  # of the metadata
METADATA = "metadata.yaml"
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # a quarter of the time, where PyYAML has libyaml


class Topic(NamedTuple):
    """A topic as it is announced in a bag.

    Attributes:
        name: fully qualified.
        kind: of its messages, such as sensor_msgs/msg/JointState.
        definition: the text of the message's definition and of those it is made of.
        type_hash: of the definition, as ROS 2 computes it.
        qos: what its publishers offer, as rosbag2 writes it.
    """

    name: str
    kind: str
    definition: str
    type_hash: str
    qos: list[dict[str, Any]]


class BagWriter:
    """Writes a bag that can be read after every `flush`, even if this process is killed.

    Attributes:
        folder: of the bag.
        continuity: of the topics, by name: what the bag lacks of them.
    """

    def __init__(self, folder: Path) -> None:
        """Make the folder.

        Raises:
            ParameterError: there is a bag already, or the folder cannot be made.
        """
        if (folder / METADATA).exists():
            raise ParameterError(f"bag: {folder} holds a bag already")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = McapFile(folder / f"{folder.name}_0.mcap")
        except OSError as error:
            raise ParameterError(f"bag: {folder} cannot be made: {error.strerror}") from None
        self.folder = folder
        self.continuity: dict[str, Continuity] = {}
        self._write_metadata()

    @property
    def message_count(self) -> int:
        """Messages that are safe on disk."""
        return sum(self._file.counts.values())

    def add_topic(self, topic: Topic) -> int:
        """Announce a topic; return its channel."""
        self.continuity[topic.name] = Continuity()
        qos = yaml.safe_dump(topic.qos).strip() if topic.qos else ""
        described = {"offered_qos_profiles": qos, "topic_type_hash": topic.type_hash}
        return self._file.add_channel(topic.name, topic.kind, topic.definition, described)

    def write(self, channel: int, log_time: int, publish_time: int, data: bytes, number: int | None = None) -> None:
        """Add a serialized message; times are in ns since the epoch, the number is its publisher's."""
        self._file.write(channel, log_time, publish_time, data, number)

    def flush(self) -> None:
        """Bring everything so far to disk."""
        self._file.flush()
        self._write_metadata()

    def close(self) -> None:
        """Finish the bag."""
        self._file.close()
        self._write_metadata()

    def lacks(self) -> list[str]:
        """Return a line for every topic of which messages were lost."""
        return [
            f"{topic}: {seen.lost} lost in {seen.gaps} {'gap' if seen.gaps == 1 else 'gaps'}"
            for topic, seen in self.continuity.items()
            if seen.lost
        ]

    def _write_metadata(self) -> None:
        write_metadata(self.folder, self._file, self._completeness())

    def _completeness(self) -> dict[str, str]:
        """Return what the bag lacks, as rosbag2 keeps what it does not know itself: words by words."""
        numbered = all(seen.numbered for seen in self.continuity.values())
        lost = sum(seen.lost for seen in self.continuity.values())
        said = {"complete": "no" if lost else "yes" if numbered else "unknown"}
        for topic, seen in self.continuity.items():
            if seen.lost:
                said[f"{topic} lost"] = str(seen.lost)
                said[f"{topic} gaps"] = str(seen.gaps)
            if seen.early:
                said[f"{topic} before the recording"] = str(seen.early)
        return said


def write_metadata(folder: Path, file: McapFile, completeness: dict[str, str]) -> None:
    """Write what is in a bag, and what it lacks, beside it, in one stroke."""
    information = _information(folder, file) | {"custom_data": completeness}
    new = folder / f".{METADATA}"
    new.write_text(yaml.dump({"rosbag2_bagfile_information": information}, Dumper=DUMPER, sort_keys=False))
    os.replace(new, folder / METADATA)


def completeness_of(folder: Path) -> dict[str, str]:
    """Return what the metadata of a bag tell of messages that it lacks; empty: they tell nothing."""
    try:
        written = yaml.safe_load((folder / METADATA).read_text())
        return dict(written["rosbag2_bagfile_information"]["custom_data"])
    except (OSError, KeyError, TypeError, ValueError, yaml.YAMLError):
        return {}


def mend(folder: Path) -> int:
    """Make a bag readable that was cut off in the middle of a write; return how many messages are in it.

    Raises:
        ParameterError: there is no bag.
    """
    paths = sorted(folder.glob("*.mcap"))
    if not paths:
        raise ParameterError(f"{folder}: there is no MCAP file in it")
    try:
        file = McapFile.mend(paths[0])
    except OSError as error:
        raise ParameterError(str(error)) from None
    write_metadata(folder, file, completeness_of(folder))
    return sum(file.counts.values())


def _information(folder: Path, file: McapFile) -> dict[str, Any]:
    name, count = f"{folder.name}_0.mcap", sum(file.counts.values())
    start, duration = {"nanoseconds_since_epoch": file.start}, {"nanoseconds": file.end - file.start}
    return {
        "version": VERSION,
        "storage_identifier": "mcap",
        "duration": duration,
        "starting_time": start,
        "message_count": count,
        "topics_with_message_count": [
            {
                "topic_metadata": {
                    "name": channel.topic,
                    "type": file.kind(channel),
                    "serialization_format": "cdr",
                    "offered_qos_profiles": yaml.safe_load(channel.metadata["offered_qos_profiles"]) or [],
                    "type_description_hash": channel.metadata["topic_type_hash"],
                },
                "message_count": file.counts[channel.id],
            }
            for channel in file.channels.values()
        ],
        "compression_format": "",
        "compression_mode": "",
        "relative_file_paths": [name],
        "files": [{"path": name, "starting_time": start, "duration": duration, "message_count": count}],
        "ros_distro": os.environ.get("ROS_DISTRO", "jazzy"),
    }
