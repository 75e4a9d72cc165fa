"""Definitions of messages, as bags carry them so that they can be read anywhere."""

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from rosbags.typesys import Stores, get_types_from_msg, get_typestore


@cache
def _store() -> Any:
    return get_typestore(Stores.ROS2_JAZZY)


def definition(kind: str) -> tuple[str, str] | None:
    """Return the text and the hash of the definition of a message type; None: no package here has it."""
    store = _store()
    if not _learn(kind):
        return None
    return store.generate_msgdef(kind, ros_version=2)[0], store.hash_rihs01(kind)


def _learn(kind: str) -> bool:
    """Take a type and those that it is made of from the packages that are installed; return whether all are there."""
    store = _store()
    if kind in store.fielddefs:
        return True
    text = _installed(kind)
    if text is None:
        return False
    found = get_types_from_msg(text, kind)
    if not all(_learn(name) for name in _parts(found[kind][1]) if name != kind):
        return False
    store.register(found)
    return True


def _parts(fields: Any) -> Iterator[str]:
    """Go through the names of message types in the description of fields."""
    if isinstance(fields, str):
        if "/msg/" in fields:
            yield fields
    elif isinstance(fields, tuple | list):
        for part in fields:
            yield from _parts(part)


def _installed(kind: str) -> str | None:
    """Return the text of the definition that the package of a message type has installed."""
    package, _, name = kind.partition("/msg/")
    prefixes = [*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sys.prefix]
    for prefix in filter(None, prefixes):
        path = Path(prefix) / "share" / package / "msg" / f"{name}.msg"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return None
