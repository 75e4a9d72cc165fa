"""From the text of a URDF to a description of its links and joints, every number checked."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
from urdf_parser_py import urdf as urdf_parser

from ..errors import ModelError
from .closures import Closure, Coupling
from .extras import Spring, Transmission, read_springs, read_transmissions
from .inertia import RigidInertia, fault, is_negative
from .placement import IDENTITY, Array, Placement, rotation_about, rotation_from_rpy
from .schema import checked, numbers
from .xml_text import parse_robot

ONE_DOF = ("revolute", "continuous", "prismatic")
JOINT_TYPES = (*ONE_DOF, "fixed", "floating", "planar")


@dataclass(frozen=True)
class Shape:
    """A `<collision>`: what stands where in the link's frame.

    Attributes:
        name: the collision's name, "" without one.
        kind: box, sphere, cylinder, capsule, mesh or points.
        placement: of the shape in the link's frame.
        size: box: edges (3,), m; sphere: radius; cylinder, capsule: radius and length, m; mesh: scale (3,).
        filename: mesh only.
        vertices: points only: (n, 3) in the shape's frame, m.
    """

    name: str
    kind: str
    placement: Placement
    size: tuple[float, ...]
    filename: str = ""
    vertices: Array | None = None


@dataclass(frozen=True)
class LinkDescription:
    """A `<link>`; `inertia` is None without an `<inertial>`; `visuals` stand in for collision meshes that are lost."""

    name: str
    inertia: RigidInertia | None = None
    shapes: tuple[Shape, ...] = ()
    visuals: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class JointDescription:
    """A `<joint>`; rad, m, N m and N as its kind asks; infinite limits: none.

    Attributes:
        name: its name.
        kind: one of JOINT_TYPES.
        parent: name of the link that carries the joint.
        child: name of the link that it moves.
        placement: of the joint in the parent link's frame.
        axis: unit vector (3,) in the joint's frame.
        lower: lower limit of the position.
        upper: upper limit of the position.
        effort: limit of the effort.
        velocity: limit of the speed.
        damping: viscous friction.
        friction: Coulomb friction.
        transmission: gear and rotor.
        spring: joint spring.
    """

    name: str
    kind: str
    parent: str
    child: str
    placement: Placement
    axis: Array
    lower: float = -np.inf
    upper: float = np.inf
    effort: float = np.inf
    velocity: float = np.inf
    damping: float = 0.0
    friction: float = 0.0
    transmission: Transmission = field(default_factory=Transmission)
    spring: Spring = field(default_factory=Spring)


@dataclass(frozen=True)
class RobotDescription:
    """A `<robot>`: links by name, joints in the file's order, what couples joints or closes loops, what was guessed."""

    name: str
    links: dict[str, LinkDescription]
    joints: list[JointDescription]
    closures: list[Closure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_urdf(text: str, mimic: str = "couple") -> RobotDescription:
    """Return the description that the text of a URDF holds.

    Args:
        text: the XML.
        mimic: "couple" joints that mimic another one to it, or "lock" them at their offset.

    Raises:
        ModelError: the text is not a URDF, or a link or joint is malformed; the message names it.
    """
    robot = parse_robot(text)
    elements, notes = checked(robot)
    _check_unique(elements, "link")
    _check_unique(elements, "joint")
    kinds = {link.get("name", ""): _shape_kinds(link) for link in elements.findall("link")}
    parsed = _parse(elements)
    carriers = {joint.child: joint.type for joint in parsed.joints}
    drawn = {link.get("name", ""): visual_shapes(link) for link in robot.findall("link")}
    links = {
        link.name: replace(_link(link, kinds[link.name], carriers.get(link.name), notes), visuals=drawn[link.name])
        for link in parsed.links
    }
    names = {joint.name for joint in parsed.joints}
    transmissions, springs = read_transmissions(robot, names, notes), read_springs(robot, names)
    joints = [
        _joint(joint, transmissions.get(joint.name, Transmission()), springs.get(joint.name, Spring()), mimic)
        for joint in parsed.joints
    ]
    moving = {joint.name for joint in joints if joint.kind in ONE_DOF}
    mimicking = [joint for joint in parsed.joints if joint.mimic is not None and joint.name in moving]
    _refuse_circles({joint.name: joint.mimic.joint for joint in mimicking})
    return RobotDescription(parsed.name, links, joints, [_coupling(joint) for joint in mimicking], notes)


def _refuse_circles(mimicked: Mapping[str, str]) -> None:
    """Refuse joints that mimic one another in a circle, so that none of them leads."""
    for first in mimicked:
        passed, joint = [first], mimicked[first]
        while joint in mimicked and joint not in passed:
            passed.append(joint)
            joint = mimicked[joint]
        if joint == first and len(passed) > 1:
            raise ModelError(
                f"joints {', '.join(map(repr, passed))} mimic one another in a circle; expected one to lead"
            )


def _check_unique(robot: ElementTree.Element, tag: str) -> None:
    seen: set[str] = set()
    for element in robot.findall(tag):
        name = element.get("name", "")
        if name in seen:
            raise ModelError(f"{tag} {name!r} is defined twice; expected a different name for each {tag}")
        seen.add(name)


def _shape_kinds(link: ElementTree.Element) -> list[str]:
    """Return the kind of each shape, and rename capsules, which urdf_parser_py does not know, to cylinders."""
    shapes = [geometry[0] for geometry in link.findall("collision/geometry")]
    kinds = [shape.tag for shape in shapes]
    for shape in shapes:
        if shape.tag == "capsule":
            shape.tag = "cylinder"
    return kinds


def _parse(elements: ElementTree.Element) -> Any:
    for joint in elements.findall("joint"):
        if joint.get("type") not in JOINT_TYPES:
            expected = ", ".join(JOINT_TYPES)
            raise ModelError(f"joint {joint.get('name')!r} has type {joint.get('type')!r}; expected one of {expected}")
    try:
        return urdf_parser.Robot.from_xml_string(ElementTree.tostring(elements))
    except Exception as error:  # the library raises bare Exceptions and AssertionErrors
        raise ModelError(f"urdf_parser_py cannot read it: {' '.join(str(error).split())}") from None


def _placement(origin: Any) -> Placement:
    if origin is None:
        return IDENTITY
    return Placement(rotation_from_rpy(origin.rpy), np.array(origin.xyz, dtype=float))


def _link(link: Any, kinds: Iterable[str], carrier: str | None, notes: list[str]) -> LinkDescription:
    shapes = tuple(_shape(link.name, shape, kind) for shape, kind in zip(link.collisions, kinds, strict=True))
    return LinkDescription(link.name, _inertia(link, carrier, notes), shapes)


def _inertia(link: Any, carrier: str | None, notes: list[str]) -> RigidInertia | None:
    """Return the inertia of a link, None without one.

    Many files mark a mere frame by a mass of zero. Moments of inertia without a mass are more likely a mistake, unless
    the link is fixed to another one.

    Args:
        link: as parsed.
        carrier: kind of the joint whose child the link is; None: it is the root.
        notes: to which a note on negative moments is added, of a link that is fixed to one with enough of its own.
    """
    if link.inertial is None:
        return None
    mass, moments = link.inertial.mass, np.array(link.inertial.inertia.to_matrix(), dtype=float)
    if mass < 0.0 or (mass == 0.0 and moments.any() and carrier != "fixed"):
        raise ModelError(
            f"link {link.name!r} has a mass of {mass:g} kg; expected more than 0 (a massless link has no <inertial>)"
        )
    if is_negative(moments):
        found = f"link {link.name!r} has {fault(moments)}"
        if carrier != "fixed":
            raise ModelError(found)
        notes.append(f"{found}; it counts as part of what it is fixed to")
    placement = _placement(link.inertial.origin)
    return RigidInertia(mass, placement.position, placement.rotation @ moments @ placement.rotation.T)


def _shape(link: str, collision: Any, kind: str) -> Shape:
    geometry = collision.geometry
    filename = ""
    if kind == "box":
        size = tuple(geometry.size)
    elif kind == "sphere":
        size = (geometry.radius,)
    elif kind == "mesh":
        filename, size = geometry.filename, tuple(geometry.scale or (1.0, 1.0, 1.0))
    else:
        size = (geometry.radius, geometry.length)
    if kind != "mesh" and min(size) < 0.0:
        raise ModelError(f"link {link!r}, collision <{kind}> has a size of {min(size):g} m; expected 0 or more")
    return Shape(collision.name or "", kind, _placement(collision.origin), size, filename)


def _joint(joint: Any, transmission: Transmission, spring: Spring, mimic: str) -> JointDescription:
    axis = np.array(joint.axis if joint.axis is not None else (1.0, 0.0, 0.0), dtype=float)
    length = math.hypot(*axis)
    if not 1e-9 <= length < math.inf:
        raise ModelError(f"joint {joint.name!r} has an axis of length {length:g}; expected a direction")
    if joint.mimic is not None and mimic == "lock":
        return _locked(joint, axis / length)
    return JointDescription(
        joint.name,
        joint.type,
        joint.parent,
        joint.child,
        _placement(joint.origin),
        axis / length,
        **_limits(joint),
        **_friction(joint),
        transmission=transmission,
        spring=spring,
    )


def _coupling(joint: Any) -> Coupling:
    """Return the coupling of a joint that mimics another one: position = multiplier times the other's + offset."""
    mimic = joint.mimic
    multiplier = 1.0 if mimic.multiplier is None else mimic.multiplier
    return Coupling(f"mimic joint {joint.name!r}", joint.name, mimic.joint, (mimic.offset or 0.0, multiplier))


def _locked(joint: Any, axis: Array) -> JointDescription:
    """Return a mimic joint as a fixed one, at the position that it has when the joint that it mimics is at 0."""
    offset = joint.mimic.offset or 0.0
    moved = Placement(np.eye(3), offset * axis)
    if joint.type != "prismatic":
        moved = Placement(rotation_about(axis, offset), np.zeros(3))
    placement = _placement(joint.origin).compose(moved)
    return JointDescription(joint.name, "fixed", joint.parent, joint.child, placement, axis)


def visual_shapes(link: ElementTree.Element) -> tuple[Shape, ...]:
    """Return what is drawn of a link, as far as it can be read: a drawing is no reason to refuse a robot."""
    found = []
    for visual in link.findall("visual"):
        shape = visual.find("geometry/*")
        if shape is None:
            continue
        try:
            found.append(_visual_shape(shape, visual.find("origin")))
        except (ModelError, KeyError):
            continue
    return tuple(found)


def _visual_shape(shape: ElementTree.Element, origin: ElementTree.Element | None) -> Shape:
    where = f"visual <{shape.tag}>"
    place = IDENTITY
    if origin is not None:
        rpy, xyz = (numbers(origin.get(name, "0 0 0"), 3, where) for name in ("rpy", "xyz"))
        place = Placement(rotation_from_rpy(rpy), np.array(xyz))
    if shape.tag == "mesh":
        scale = tuple(numbers(shape.get("scale", "1 1 1"), 3, where))
        return Shape("", "mesh", place, scale, shape.attrib["filename"])
    if shape.tag == "box":
        return Shape("", "box", place, tuple(numbers(shape.attrib["size"], 3, where)))
    radius = numbers(shape.attrib["radius"], 1, where)
    if shape.tag == "sphere":
        return Shape("", "sphere", place, tuple(radius))
    return Shape("", shape.tag, place, (*radius, *numbers(shape.attrib["length"], 1, where)))


def _limits(joint: Any) -> dict[str, float]:
    """Return the limits; none without a `<limit>`, and an effort or velocity limit of 0 or less counts as not given."""
    if joint.limit is None or joint.type not in ONE_DOF:
        return {}
    limit = joint.limit
    limits = {name: value for name in ("effort", "velocity") if (value := getattr(limit, name)) > 0.0}
    if joint.type == "continuous":
        return limits
    if limit.lower > limit.upper:
        raise ModelError(
            f"joint {joint.name!r} has a lower limit of {limit.lower:g} above its upper limit of {limit.upper:g}"
        )
    return {**limits, "lower": limit.lower, "upper": limit.upper}


def _friction(joint: Any) -> dict[str, float]:
    if joint.dynamics is None or joint.type not in ONE_DOF:
        return {}
    values = {name: getattr(joint.dynamics, name) or 0.0 for name in ("damping", "friction")}
    for name, value in values.items():
        if value < 0.0:
            raise ModelError(f"joint {joint.name!r} has a {name} of {value:g}; expected 0 or more")
    return values
