"""A rosbag2 bag: a folder with an MCAP file, and the YAML file that says what is in it."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import yaml  # type: ignore[import-untyped]

from ..errors import ParameterError
from .mcap_file import McapFile

VERSION = 9  # of the metadata
METADATA = "metadata.yaml"


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
    """Writes a bag that can be read after every `flush`, even if this process is killed."""

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
        self._announced = 0
        write_metadata(folder, self._file)

    @property
    def message_count(self) -> int:
        """Messages that are safe on disk."""
        return sum(self._file.counts.values())

    def add_topic(self, topic: Topic) -> int:
        """Announce a topic; return its channel."""
        qos = yaml.safe_dump(topic.qos).strip() if topic.qos else ""
        described = {"offered_qos_profiles": qos, "topic_type_hash": topic.type_hash}
        return self._file.add_channel(topic.name, topic.kind, topic.definition, described)

    def write(self, channel: int, log_time: int, publish_time: int, data: bytes) -> None:
        """Add a serialized message; times are in ns since the epoch."""
        self._file.write(channel, log_time, publish_time, data)

    def flush(self) -> None:
        """Bring everything so far to disk."""
        self._file.flush()
        write_metadata(self.folder, self._file)

    def close(self) -> None:
        """Finish the bag."""
        self._file.close()
        write_metadata(self.folder, self._file)


def write_metadata(folder: Path, file: McapFile) -> None:
    """Write what is in a bag beside it, in one stroke."""
    new = folder / f".{METADATA}"
    new.write_text(yaml.safe_dump({"rosbag2_bagfile_information": _information(folder, file)}, sort_keys=False))
    os.replace(new, folder / METADATA)


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
    write_metadata(folder, file)
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
        "custom_data": None,
        "ros_distro": os.environ.get("ROS_DISTRO", "jazzy"),
    }
