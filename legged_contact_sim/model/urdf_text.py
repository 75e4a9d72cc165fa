"""A description written as URDF, for those who want one of a robot that came as MJCF (RViz, the viewer)."""

from xml.etree import ElementTree

import numpy as np

from .placement import Array, Placement
from .urdf import JointDescription, LinkDescription, RobotDescription, Shape


def urdf_text(description: RobotDescription) -> str:
    """Return a description as URDF text; meshes given by their vertices are left out."""
    root = ElementTree.Element("robot", name=description.name)
    for link in description.links.values():
        _link(root, link)
    for joint in description.joints:
        _joint(root, joint)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def _link(root: ElementTree.Element, link: LinkDescription) -> None:
    element = ElementTree.SubElement(root, "link", name=link.name)
    if link.inertia is not None:
        inertial = ElementTree.SubElement(element, "inertial")
        ElementTree.SubElement(inertial, "origin", xyz=_written(link.inertia.com))
        ElementTree.SubElement(inertial, "mass", value=repr(link.inertia.mass))
        m = link.inertia.moments
        values = {"ixx": m[0, 0], "ixy": m[0, 1], "ixz": m[0, 2], "iyy": m[1, 1], "iyz": m[1, 2], "izz": m[2, 2]}
        ElementTree.SubElement(inertial, "inertia", {name: repr(float(value)) for name, value in values.items()})
    for shape in link.shapes:
        if shape.kind not in ("points", "mesh"):  # of an MJCF: a mesh here is one that is lost
            for tag in ("visual", "collision"):
                _shape(ElementTree.SubElement(element, tag), shape)


def _shape(element: ElementTree.Element, shape: Shape) -> None:
    if shape.name:
        element.set("name", shape.name)
    _origin(element, shape.placement)
    geometry = ElementTree.SubElement(element, "geometry")
    if shape.kind == "box":
        ElementTree.SubElement(geometry, "box", size=_written(np.array(shape.size)))
    elif shape.kind == "sphere":
        ElementTree.SubElement(geometry, "sphere", radius=repr(float(shape.size[0])))
    else:
        radius, length = map(float, shape.size)
        ElementTree.SubElement(geometry, shape.kind, radius=repr(radius), length=repr(length))


def _joint(root: ElementTree.Element, joint: JointDescription) -> None:
    unlimited = not np.isfinite(joint.lower) and not np.isfinite(joint.upper)
    kind = "continuous" if joint.kind == "revolute" and unlimited else joint.kind
    element = ElementTree.SubElement(root, "joint", name=joint.name, type=kind)
    _origin(element, joint.placement)
    ElementTree.SubElement(element, "parent", link=joint.parent)
    ElementTree.SubElement(element, "child", link=joint.child)
    if kind in ("fixed", "floating"):
        return
    ElementTree.SubElement(element, "axis", xyz=_written(joint.axis))
    limits = {"effort": joint.effort if np.isfinite(joint.effort) else 0.0, "velocity": 0.0}
    if kind != "continuous":
        limits |= {"lower": max(joint.lower, -1e6), "upper": min(joint.upper, 1e6)}
    ElementTree.SubElement(element, "limit", {name: repr(float(value)) for name, value in limits.items()})
    ElementTree.SubElement(element, "dynamics", damping=repr(joint.damping), friction=repr(joint.friction))


def _origin(element: ElementTree.Element, placement: Placement) -> None:
    ElementTree.SubElement(element, "origin", xyz=_written(placement.position), rpy=_written(_rpy(placement.rotation)))


def _rpy(rotation: Array) -> Array:
    """Return roll, pitch and yaw (3,), rad, of a rotation (3, 3)."""
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0]))
    if np.hypot(rotation[0, 0], rotation[1, 0]) < 1e-9:
        return np.array([0.0, pitch, np.arctan2(-rotation[0, 1], rotation[1, 1])])
    return np.array([np.arctan2(rotation[2, 1], rotation[2, 2]), pitch, np.arctan2(rotation[1, 0], rotation[0, 0])])


def _written(numbers: Array) -> str:
    return " ".join(repr(float(number)) for number in numbers)
