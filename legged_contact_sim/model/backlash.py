"""Backlash: between a motor and the link that it moves lies a joint of its own, free within the play of the gear."""

import math
from collections.abc import Mapping
from xml.etree import ElementTree

from ..errors import ParameterError
from .xml_text import parse_robot

MOVING = ("revolute", "continuous", "prismatic")
NO_EFFORT = 1e-12  # N m or N; nothing drives the play (a limit of 0 counts as none)


def with_backlash(text: str, given: Mapping[str, Mapping[str, float]]) -> str:
    """Return a URDF in which some joints have play, between stops that take up all of an impact.

    A joint J turns its rotor, link ``J_rotor``, which has the rotor's inertia and nothing else; joint ``J_play``, about
    the same axis and within half the play to either side, leads on to the link that J moved before.

    Args:
        text: the URDF.
        given: {joint: {"play": rad or m from stop to stop, "rotor_inertia": kg m^2 or kg as the joint feels it}}; the
            inertia can be left out where the description has a transmission with one.

    Raises:
        ParameterError: a joint has none to give, or a number cannot be meant.
    """
    root = parse_robot(text)
    joints = {joint.get("name", ""): joint for joint in root.findall("joint")}
    for name, numbers in given.items():
        joint = joints.get(name)
        if joint is None or joint.get("type") not in MOVING or joint.find("mimic") is not None:
            raise ParameterError(f"backlash: {name!r}: expected a joint that moves by itself, one of its own drive")
        play = _checked(name, numbers)
        _insert_play(root, joint, play)
        if "rotor_inertia" in numbers:
            _give_rotor(root, name, numbers["rotor_inertia"])
    return ElementTree.tostring(root, encoding="unicode")


def _checked(name: str, numbers: Mapping[str, float]) -> float:
    """Return the play, after a look at all numbers."""
    if not isinstance(numbers, Mapping):
        raise ParameterError(f"backlash.{name}: expected play and rotor_inertia, found {numbers!r}")
    for key, value in numbers.items():
        if key not in ("play", "rotor_inertia"):
            raise ParameterError(f"backlash.{name}.{key}: there is no such number; expected play and rotor_inertia")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and math.isfinite(value) and value > 0.0):
            raise ParameterError(f"backlash.{name}.{key}: expected a finite number > 0, found {value!r}")
    if "play" not in numbers:
        raise ParameterError(f"backlash.{name}.play: expected a number, rad or m")
    return numbers["play"]


def _insert_play(root: ElementTree.Element, joint: ElementTree.Element, play: float) -> None:
    name, kind, child = joint.get("name", ""), joint.get("type"), joint.find("child")
    axis = joint.find("axis")
    rotor = f"{name}_rotor"
    between = ElementTree.Element("joint", name=f"{name}_play", type="prismatic" if kind == "prismatic" else "revolute")
    ElementTree.SubElement(between, "parent", link=rotor)
    ElementTree.SubElement(between, "child", link=child.get("link", "") if child is not None else "")
    if axis is not None:
        ElementTree.SubElement(between, "axis", axis.attrib)
    stops = {"lower": -0.5 * play, "upper": 0.5 * play, "effort": NO_EFFORT, "velocity": 0.0}
    ElementTree.SubElement(between, "limit", {key: repr(float(value)) for key, value in stops.items()})
    if child is not None:
        child.set("link", rotor)
    place = list(root).index(joint) + 1
    root.insert(place, between)
    root.insert(place, ElementTree.Element("link", name=rotor))


def _give_rotor(root: ElementTree.Element, name: str, inertia: float) -> None:
    """Let a joint feel the inertia of its rotor, in place of what the description says of it."""
    for old in root.findall("transmission"):
        if [joint.get("name") for joint in old.findall("joint")] == [name]:
            root.remove(old)
    transmission = ElementTree.SubElement(root, "transmission", name=f"{name}_drive")
    ElementTree.SubElement(transmission, "joint", name=name)
    actuator = ElementTree.SubElement(transmission, "actuator", name=f"{name}_motor")
    for tag, number in (("mechanicalReduction", 1.0), ("rotorInertia", inertia)):
        ElementTree.SubElement(actuator, tag).text = repr(float(number))
