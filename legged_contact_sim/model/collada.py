"""Vertices of COLLADA (.dae) files, placed as their scene places them; what a hull needs and no more."""

from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np

from ..errors import ModelError
from .placement import Array, rotation_about
from .xml_text import parse_document


def read_collada(content: bytes) -> Array:
    """Return the vertices (n, 3) of all geometries, m.

    Geometries that a scene places stand where it puts them (nodes with matrix, translate, rotate and scale); without a
    scene they stand as they are. The file's up axis is left alone, as by RViz and by Pinocchio's reader: robot
    descriptions are drawn so that they fit without it.

    Raises:
        ValueError: the file is no COLLADA, or its numbers cannot be read.
    """
    try:
        root = parse_document(content.decode("utf-8"), "a COLLADA file")
    except ModelError as error:
        raise ValueError(str(error)) from None
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2]
    geometries = {geometry.get("id", ""): _positions(geometry) for geometry in root.iter("geometry")}
    nodes = {node.get("id", ""): node for node in root.iter("node")}
    placed = [
        vertices
        for scene in root.iter("visual_scene")
        for node in scene.findall("node")
        for vertices in _placed(node, np.eye(4), geometries, nodes, depth=0)
    ]
    vertices = np.concatenate(placed or [*geometries.values(), np.empty((0, 3))])
    unit = root.find("asset/unit")
    metre = float(unit.get("meter", "1")) if unit is not None else 1.0
    return np.asarray(metre * vertices)


def _positions(geometry: ElementTree.Element) -> Array:
    """Return the vertices (n, 3) of a geometry: of the source that its <vertices> names as POSITION."""
    sources = {f"#{source.get('id')}": source for source in geometry.iter("source")}
    found = [np.empty((0, 3))]
    for entry in geometry.iter("input"):
        source = sources.get(entry.get("source", ""))
        if entry.get("semantic") == "POSITION" and source is not None:
            numbers = np.array((source.findtext("float_array") or "").split(), dtype=float)
            accessor = source.find("technique_common/accessor")
            stride = int(accessor.get("stride", "3")) if accessor is not None else 3
            found.append(numbers.reshape(-1, stride)[:, :3])
    return np.concatenate(found)


def _placed(
    node: ElementTree.Element,
    outer: Array,
    geometries: dict[str, Array],
    nodes: dict[str, ElementTree.Element],
    depth: int,
) -> Iterator[Array]:
    """Yield the vertices below a node in the scene's frame."""
    if depth > 32:
        raise ValueError("nodes are nested without end")
    matrix = outer @ _transform(node)
    for instance in node.findall("instance_geometry"):
        vertices = geometries.get(instance.get("url", "").removeprefix("#"))
        if vertices is not None:
            yield vertices @ matrix[:3, :3].T + matrix[:3, 3]
    referred = [nodes.get(instance.get("url", "").removeprefix("#")) for instance in node.findall("instance_node")]
    for child in [*node.findall("node"), *(other for other in referred if other is not None)]:
        yield from _placed(child, matrix, geometries, nodes, depth + 1)


def _transform(node: ElementTree.Element) -> Array:
    """Return a node's own transform (4, 4)."""
    matrix = np.eye(4)
    for element in node:
        if element.tag not in ("matrix", "translate", "rotate", "scale"):
            continue
        numbers = np.array((element.text or "").split(), dtype=float)
        step = np.eye(4)
        if element.tag == "matrix":
            step = numbers.reshape(4, 4)
        elif element.tag == "translate":
            step[:3, 3] = numbers
        elif element.tag == "scale":
            step[:3, :3] = np.diag(numbers)
        else:
            step[:3, :3] = rotation_about(numbers[:3] / np.linalg.norm(numbers[:3]), np.deg2rad(numbers[3]))
        matrix = matrix @ step
    return matrix
