"""Definitions of messages, as bags carry them so that they can be read anywhere."""

from functools import cache
from typing import Any

from rosbags.typesys import Stores, get_typestore


@cache
def _store() -> Any:
    return get_typestore(Stores.ROS2_JAZZY)


def definition(kind: str) -> tuple[str, str] | None:
    """Return the text and the hash of the definition of a message type; None: it is not one of ROS 2's own."""
    store = _store()
    if kind not in store.fielddefs:
        return None
    return store.generate_msgdef(kind, ros_version=2)[0], store.hash_rihs01(kind)
