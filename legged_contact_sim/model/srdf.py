"""From an SRDF, beside a URDF or named by the user: poses (`group_state`) and pairs that are not to collide."""

import math
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from ..errors import ModelError
from .collision_pairs import LinkPair
from .xml_text import parse_document

Poses = dict[str, dict[str, float]]


def find_srdf(urdf: Path, robot: str) -> Path | None:
    """Return the SRDF that belongs to a URDF, None without one.

    Looked through are the URDF's folder and the folder `srdf` beside it; a file belongs to the URDF if it has its name,
    or, being the only one, its robot's name.
    """
    folders = (urdf.parent, urdf.parent / "srdf", urdf.parent.parent / "srdf")
    found = [path for folder in folders for path in sorted(folder.glob("*.srdf"))]
    same_name = [path for path in found if path.stem == urdf.name.partition(".")[0]]
    if same_name:
        return same_name[0]
    same_robot = [path for path in found if _robot_name(path) == robot]
    return same_robot[0] if len(same_robot) == 1 else None


def read_srdf(path: Path, joints: Sequence[str]) -> tuple[Poses, list[str]]:
    """Return the poses by name, {joint: position, rad or m}, and notes on what was left out.

    Args:
        path: of the SRDF.
        joints: names of the joints with one coordinate; those with several (a root's pose) are passed over.

    Raises:
        ModelError: it cannot be read, or a position is not a number.
    """
    root = _parsed(path)
    poses: Poses = {}
    unknown: list[str] = []
    for state in root.findall("group_state"):
        pose: dict[str, float] = {}
        for joint in state.findall("joint"):
            name, text = joint.get("name", ""), joint.get("value", "")
            if name in joints:
                pose[name] = _number(text, f"{path}: group_state {state.get('name')!r}, joint {name!r}")
            elif len(text.split()) <= 1:
                unknown.append(name)
        poses.setdefault(state.get("name", ""), {}).update(pose)
    notes = []
    if unknown:
        listed = ", ".join(dict.fromkeys(unknown))
        notes.append(f"{path.name} has positions of joints that the robot does not have: {listed}")
    return poses, notes


def disabled_collisions(path: Path) -> set[LinkPair]:
    """Return the pairs of links for which the SRDF disables collisions.

    Raises:
        ModelError: it cannot be read.
    """
    return {
        frozenset((pair.get("link1", ""), pair.get("link2", ""))) for pair in _parsed(path).iter("disable_collisions")
    }


def _parsed(path: Path) -> ElementTree.Element:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}: cannot be read as an SRDF: {error}") from None
    try:
        root = parse_document(text, "an SRDF")
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    if root.tag != "robot":
        raise ModelError(f"{path}: has the root element <{root.tag}>; expected <robot>, the root of an SRDF")
    return root


def _robot_name(path: Path) -> str | None:
    try:
        return _parsed(path).get("name")
    except ModelError:
        return None


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ModelError(f"{where} is {text!r}; expected a finite number")
    return value
