"""The frames of a recorded bag: its messages in order, taken as a viewer would have taken them live."""

from pathlib import Path

from ..errors import ParameterError
from ..terrain import Terrain
from .observed import KINDS, NOT_CONTACTS, Observed
from .recordings import PERIOD, Recording
from .stage import Frame


def read_bag(path: Path, terrain: Terrain) -> Recording:
    """Return the frames of a bag, about one in each hundredth of a second.

    Args:
        path: of the bag's folder, or of an MCAP file.
        terrain: its ground.

    Raises:
        ParameterError: it cannot be read, or has no robot_description or joint_states.
    """
    try:
        from rosbags.highlevel import AnyReader, AnyReaderError
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise ParameterError("bag: rosbags is missing; pip install 'legged_contact_sim[record]'") from None
    try:
        with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
            return _read(reader, Observed(terrain, label=path.name), path)
    except (AnyReaderError, OSError) as error:
        raise ParameterError(f"{path}: {error}; legged-contact-sim recover may help") from None


def _read(reader: object, observed: Observed, path: Path) -> Recording:
    connections = [c for c in reader.connections if is_shown(c.topic, c.msgtype)]  # type: ignore[attr-defined]
    described = [c for c in connections if c.topic.endswith("/robot_description")]
    for connection, _, raw in reader.messages(connections=described) if described else ():  # type: ignore[attr-defined]
        observed.take(connection.topic, reader.deserialize(raw, connection.msgtype))  # type: ignore[attr-defined]
    if not observed.ready:
        raise ParameterError(f"{path}: it has no robot_description, so nothing can be drawn")
    for connection in connections:  # all contact points have a place before the first frame
        if connection.topic.endswith(("/wrench", "/state")):
            observed.hear_of(connection.topic)
    frames: list[Frame] = []
    for connection, _, raw in reader.messages(connections=connections):  # type: ignore[attr-defined]
        message = reader.deserialize(raw, connection.msgtype)  # type: ignore[attr-defined]
        if connection.topic.endswith("/joint_states"):
            stamp = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
            if frames and stamp < frames[-1].time:
                frames.clear()  # a reset: what came after it is shown
            if not frames or observed.time - frames[-1].time >= PERIOD - 1e-6:
                frames.append(observed.frame())
        observed.take(connection.topic, message)
    if len(frames) < 2:
        raise ParameterError(f"{path}: expected joint_states of more than a moment")
    return Recording(observed.stage, tuple(frames[1:]))


def is_shown(topic: str, kind: str) -> bool:
    """Return whether a topic tells something that is drawn."""
    ending = topic[topic.rindex("/") :]
    return KINDS.get(ending) == kind and not topic.endswith(NOT_CONTACTS)
