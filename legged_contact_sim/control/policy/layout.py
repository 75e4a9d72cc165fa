"""Layouts: YAML files that say what a policy sees and what its answer means."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from ...errors import ParameterError
from ...simulation.scenarios import config_folders
from .by_joint import is_number
from .terms import NEEDED, OPTIONS, TERMS

FOLDER = "policies"
COMMON = ("scale", "clip")  # options of every term
KEYS = {
    "joints", "default", "observation", "observation_clip", "history", "action", "gains", "time_step", "decimation",
    "states", "command",
}  # fmt: skip


def _numbers(value: Any, count: int | None = None) -> bool:
    """Return whether a value is a number or a list of them, of a length if that is given."""
    listed = value if isinstance(value, list) else [value]
    return bool(listed) and all(map(is_number, listed)) and count in (None, len(listed))


CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {  # of options of terms, with what is expected
    "scale": (_numbers, "numbers"),
    "clip": (
        lambda clip: clip is None or (is_number(clip) and clip > 0.0) or (_numbers(clip, 2) and clip[0] < clip[1]),
        "clip: [LOW, HIGH]",
    ),
    "at": (lambda at: _numbers(at, 3), "3 numbers"),
    "period": (lambda period: is_number(period) and period > 0.0, "a number above 0"),
    "offsets": (_numbers, "numbers"),
    "first": (lambda first: first in ("sin", "cos"), "sin or cos"),
    "values": (_numbers, "numbers"),
}
HISTORY = {"length": 1, "order": "oldest_first", "by": "term"}
ORDERS = ("oldest_first", "newest_first")
GROUPINGS = ("term", "frame")


@dataclass(frozen=True)
class Layout:
    """What a policy sees and what its answer means, as a file says it; joints are matched later, on a robot.

    Attributes:
        name: of the file.
        observation: terms in order: (name, options).
        joints: names in the policy's order; None: the robot's.
        default: pose that positions are relative to and actions are added to; None: the robot's home.
        action: ``scale``, a number or per joint, and ``clip``, on the network's answer.
        gains: ``stiffness``, N m/rad, and ``damping``, N m s/rad; None: as proposed for the robot.
        period: s between two answers.
        history: ``length``, ``order`` and ``by``.
        observation_clip: every number of the observation stays within plus or minus this.
        states: names of hidden states' inputs with the outputs that they come from.
        command: velocity wanted until another comes, m/s and rad/s.
    """

    name: str
    observation: tuple[tuple[str, dict[str, Any]], ...]
    joints: tuple[str, ...] | None
    default: Any
    action: dict[str, Any]
    gains: dict[str, Any] | None
    period: float
    history: dict[str, Any]
    observation_clip: float
    states: dict[str, str]
    command: tuple[float, float, float]


def layouts() -> dict[str, Path]:
    """Return the ready layouts by name."""
    return _packaged("yaml")


def policies() -> dict[str, Path]:
    """Return the policies that this package brings, by name."""
    return _packaged("onnx")


def _packaged(ending: str) -> dict[str, Path]:
    """Return files beside the scenarios by name; those of a checkout hide those that are installed."""
    found: dict[str, Path] = {}
    for folder in config_folders():
        for path in sorted((folder / FOLDER).glob(f"*.{ending}")):
            found.setdefault(path.stem, path)
    return found


def load_layout(name: str) -> Layout:
    """Return a layout by the name of a ready one, or by path.

    Raises:
        ParameterError: there is none, or names the entry, what was found and what is expected.
    """
    path = layouts().get(name, Path(name))
    if not path.is_file():
        raise ParameterError(f"layout: {name!r} is no file, and the ready layouts are {', '.join(layouts())}")
    try:
        content = yaml.safe_load(path.read_text())
    except (ValueError, yaml.YAMLError) as error:
        raise ParameterError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None
    try:
        return parse_layout(path.stem, content)
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None


def parse_layout(name: str, content: Any) -> Layout:
    """Return a layout from what its file holds."""
    if not isinstance(content, dict):
        raise ParameterError(f"expected entries such as observation, found {content!r}")
    unknown = set(content) - KEYS
    if unknown:
        raise ParameterError(f"{min(map(str, unknown))}: no such entry; there are {', '.join(sorted(KEYS))}")
    listed = content.get("observation")
    if not isinstance(listed, list) or not listed:
        raise ParameterError(f"observation: expected a list of terms, found {listed!r}")
    joints = content.get("joints")
    if joints is not None:
        check_joints(joints)
    command = content.get("command", [0.0, 0.0, 0.0])
    if not (isinstance(command, list) and len(command) == 3 and all(map(is_number, command))):
        raise ParameterError(f"command: expected 3 numbers, found {command!r}")
    return Layout(
        name=name,
        observation=tuple(parse_term(entry) for entry in listed),
        joints=None if joints is None else tuple(joints),
        default=content.get("default"),
        action={"scale": 1.0, "clip": None, **_section(content, "action", ("scale", "clip"))},
        gains=_section(content, "gains", ("stiffness", "damping")) or None,
        period=_positive(content, "time_step") * _positive(content, "decimation", 1.0),
        history=parse_history(content),
        observation_clip=_positive(content, "observation_clip", float("inf")),
        states=parse_states(content),
        command=(float(command[0]), float(command[1]), float(command[2])),
    )


def check_joints(joints: Any) -> None:
    """Refuse what is no list of names, each of them once."""
    if not (isinstance(joints, list) and joints and all(isinstance(joint, str) for joint in joints)):
        raise ParameterError(f"joints: expected a list of names, found {joints!r}")
    for joint in joints:
        if joints.count(joint) > 1:
            raise ParameterError(f"joints: expected every joint once, found {joint} {joints.count(joint)} times")


def parse_term(entry: Any) -> tuple[str, dict[str, Any]]:
    """Return a term's name and options from ``name`` or ``{term: name, scale: 2.0}``."""
    options = {"term": entry} if isinstance(entry, str) else entry
    if not isinstance(options, dict) or options.get("term") not in list(TERMS):
        raise ParameterError(f"observation: expected one of {', '.join(TERMS)}, found {entry!r}")
    name = options["term"]
    known = ("term", *COMMON, *OPTIONS.get(name, ()))
    for key in options:
        if key not in known:
            raise ParameterError(f"observation: {name} has no option {key!r}; it has {', '.join(known[1:])}")
    for key in NEEDED.get(name, ()):
        if key not in options:
            raise ParameterError(f"observation: {name} needs {key}")
    for key, (fits, expected) in CHECKS.items():
        if key in options and not fits(options[key]):
            raise ParameterError(f"observation: expected {expected} for {name}'s {key}, found {options[key]!r}")
    return name, {key: value for key, value in options.items() if key != "term"}


def parse_history(content: dict[str, Any]) -> dict[str, Any]:
    """Return length, order and grouping of the history."""
    given = content.get("history", 1)
    found = {
        **HISTORY,
        **({"length": given} if isinstance(given, int) else _section(content, "history", tuple(HISTORY))),
    }
    if not isinstance(found["length"], int) or isinstance(found["length"], bool) or found["length"] < 1:
        raise ParameterError(f"history: expected a length of at least 1, found {found['length']!r}")
    for key, allowed in (("order", ORDERS), ("by", GROUPINGS)):
        if found[key] not in allowed:
            raise ParameterError(f"history: expected {key} to be one of {', '.join(allowed)}, found {found[key]!r}")
    return found


def parse_states(content: dict[str, Any]) -> dict[str, str]:
    """Return the inputs of hidden states with the outputs that they come from."""
    found = _section(content, "states")
    if not all(isinstance(name, str) for pair in found.items() for name in pair):
        raise ParameterError(f"states: expected NAME: NAME, found {found!r}")
    return found


def _section(content: dict[str, Any], key: str, allowed: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a mapping inside a layout; missing: empty."""
    found = content.get(key, {})
    if not isinstance(found, dict) or (allowed and set(found) - set(allowed)):
        raise ParameterError(f"{key}: expected {', '.join(allowed) or 'NAME: NAME'}, found {found!r}")
    return dict(found)


def _positive(content: dict[str, Any], key: str, default: float | None = None) -> float:
    if key not in content and default is not None:
        return default
    found = content.get(key)
    if not is_number(found) or not found > 0.0:  # type: ignore[operator]
        raise ParameterError(f"{key}: expected a number above 0, found {found!r}")
    return float(found)  # type: ignore[arg-type]
