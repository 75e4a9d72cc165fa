"""What is drawn of a robot: coloured surfaces on its moving bodies."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..model import RobotModel
from ..model.urdf import visual_shapes
from .triangles import Surface, capsule, shape_surface

Array = NDArray[np.float64]
Colour = tuple[float, float, float]
PALETTE: tuple[Colour, ...] = ((0.75, 0.77, 0.80), (0.30, 0.34, 0.40), (0.24, 0.46, 0.68))


@dataclass(frozen=True)
class Part:
    """A surface that moves with a body.

    Attributes:
        body: index of the moving body, -1: the world.
        surface: in the body's frame, m.
        colour: red, green, blue, 0 to 1.
        opacity: 0 to 1.
    """

    body: int
    surface: Surface
    colour: Colour
    opacity: float = 1.0


def robot_parts(robot: RobotModel, folder: Path | None = None) -> list[Part]:
    """Return what is drawn of a robot: each link's visuals, or its collision shapes where none can be drawn.

    Args:
        robot: the robot.
        folder: of its URDF, for the names of mesh files.
    """
    root = ElementTree.fromstring(robot.urdf)
    materials = {item.get("name", ""): item for item in root.findall("material")}
    parts: list[Part] = []
    for link in root.findall("link"):
        name = link.get("name", "")
        if name not in robot.frames:
            continue
        drawn = _shapes(robot, link, "visual", materials, folder)
        parts += drawn or _shapes(robot, link, "collision", materials, folder)
    return parts or _skeleton(robot)


def _shapes(
    robot: RobotModel,
    link: ElementTree.Element,
    tag: str,
    materials: dict[str, ElementTree.Element],
    folder: Path | None,
) -> list[Part]:
    frame = robot.frames[link.get("name", "")]
    found = []
    for element in link.findall(tag):
        alone = ElementTree.Element("link")
        ElementTree.SubElement(alone, "visual").extend(element)
        for shape in visual_shapes(alone):
            surface = shape_surface(shape, folder)
            if surface is None:
                continue
            in_link = surface.vertices @ shape.placement.rotation.T + shape.placement.position
            in_body = in_link @ frame.rotation.T + frame.position
            colour, opacity = _colour(element, materials) or (_default_colour(robot, frame.link), 1.0)
            found.append(Part(frame.link, Surface(in_body, surface.faces), colour, opacity))
    return found


def _colour(element: ElementTree.Element, materials: dict[str, ElementTree.Element]) -> tuple[Colour, float] | None:
    """Return a visual's colour and opacity: its own, or that of the robot's material of this name."""
    material = element.find("material")
    if material is None:
        return None
    for place in (material, materials.get(material.get("name", ""))):
        colour = None if place is None else place.find("color")
        if colour is not None:
            try:
                red, green, blue, alpha = np.clip([float(word) for word in colour.get("rgba", "").split()], 0.0, 1.0)
            except ValueError:
                return None
            return (float(red), float(green), float(blue)), float(alpha)
    return None


def _default_colour(robot: RobotModel, body: int) -> Colour:
    """Return a colour by the body's depth in the tree, so that neighbours differ."""
    parents = robot.links["parent"].tolist()
    depth, at = 0, body
    while at >= 0 and parents[at] >= 0:
        depth, at = depth + 1, parents[at]
    return PALETTE[depth % len(PALETTE)]


def _skeleton(robot: RobotModel) -> list[Part]:
    """Return balls at the joints of a robot that has no shapes at all."""
    return [Part(body, capsule(0.03, 0.0), PALETTE[0]) for body in range(len(robot.links))]


def size_of(robot: RobotModel) -> float:
    """Return a length, m, by which arrows, cameras and the ground are measured: how far the home pose reaches."""
    from ..dynamics import forward_kinematics

    _, position = forward_kinematics(robot, robot.home)
    return max(float(np.linalg.norm(np.ptp(position, axis=0))), 0.15)


def arrow_tips(robot: RobotModel, size: float, starts: Array, forces: Array) -> Array:
    """Return where the arrows of forces end, (n, 3), m: the weight is as long as the robot.

    What is longer than one and a half of its size, as in impacts, is drawn so long.

    Args:
        robot: on which they act.
        size: of it, m.
        starts: (n, 3), m.
        forces: (n, 3), N.
    """
    weight = robot.total_mass * max(float(np.linalg.norm(robot.gravity)), 1.0)
    strengths = np.maximum(np.linalg.norm(forces, axis=1, keepdims=True), 1e-300)
    return starts + forces / strengths * np.minimum(strengths * (size / weight), 1.5 * size)
