"""From a source to a description: URDF as it is, xacro expanded, MJCF compiled; with the named poses of its files."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import ParameterError
from .backlash import with_backlash
from .collision_pairs import LinkPair
from .mjcf import read_mjcf
from .packaged import Source
from .placement import Array
from .srdf import Poses, disabled_collisions, find_srdf, read_srdf
from .urdf import ONE_DOF, RobotDescription, read_urdf
from .urdf_text import urdf_text
from .xacro_files import arguments_of, expand
from .xml_text import is_xacro, root_tag


@dataclass(frozen=True)
class Reading:
    """How to read a source: see the arguments of `RobotModel.from_urdf`."""

    packages: Sequence[Path] = ()
    srdf: str | os.PathLike[str] | None = None
    mimic: str = "couple"
    arguments: Mapping[str, object] | Sequence[str] = ()
    backlash: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Described:
    """What was read.

    Attributes:
        description: links and joints.
        urdf: the same as URDF text.
        poses: named ones, {name: {joint: position}}, rad or m.
        gains: {joint: (stiffness, damping)} of the drives, as far as they are told.
        notes: what was left out.
        disabled_collisions: pairs of links that are not to collide.
    """

    description: RobotDescription
    urdf: str
    poses: Poses = field(default_factory=dict)
    gains: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    disabled_collisions: Collection[LinkPair] = ()

    def told_gains(self, joints: Sequence[str]) -> Array:
        """Return stiffness and damping of joints, (2, n); NaN where they are not told."""
        table = [self.gains.get(joint, (np.nan, np.nan)) for joint in joints]
        return np.array(table).reshape(-1, 2).T


def describe(found: Source, reading: Reading) -> Described:
    """Return the description of a robot.

    Raises:
        ModelError: it cannot be read; the message does not name the source.
    """
    text = found.text
    if found.path and (found.path.suffix == ".xacro" or is_xacro(text)):
        text = expand(found.path, arguments_of(reading.arguments), reading.packages)
    if root_tag(text) == "mujoco":
        if reading.backlash:
            raise ParameterError("backlash: expected a URDF, found MJCF; there give it a joint of its own")
        robot = read_mjcf(text, found.path)
        found_in = (robot.description, urdf_text(robot.description), robot.poses, robot.gains, robot.notes)
        return Described(*found_in, robot.disabled_collisions)
    if reading.backlash:
        text = with_backlash(text, reading.backlash)
    description = read_urdf(text, reading.mimic)
    path = Path(reading.srdf) if reading.srdf is not None else None
    if path is None and found.path:
        path = find_srdf(found.path, description.name)
    if path is None:
        return Described(description, text, notes=description.notes)
    joints = [joint.name for joint in description.joints if joint.kind in ONE_DOF]
    poses, notes = read_srdf(path, joints)
    notes = [*description.notes, *notes]
    return Described(description, text, poses, notes=notes, disabled_collisions=disabled_collisions(path))
