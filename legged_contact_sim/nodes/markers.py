"""Contacts as RViz shows them: the force as an arrow, its cone of friction, and sticking or slipping as a colour."""

import math
from itertools import pairwise

import numpy as np
from geometry_msgs.msg import Point
from rclpy.node import Node
from visualization_msgs.msg import Marker, MarkerArray

from ..contact.records import OPEN, SLIP, STICK
from .cdr import STAMP, Template, listeners, put_quaternion, put_stamp, put_vector, sender
from .qos import PICTURES
from .snapshot import Snapshot
from .transforms import FrameTree

COLORS = np.zeros((3, 4), "<f4")  # red, green, blue, opacity; what is open cannot be seen
COLORS[STICK] = (0.1, 0.8, 0.2, 1.0)
COLORS[SLIP] = (0.95, 0.45, 0.05, 1.0)
CONE_OPACITY = 0.25
CONE_SIDES = 16
ARROW_PARTS = (0.04, 0.08, 0.0)  # of an arrow's length scale: diameter of its shaft and head, and the head's length
LEAST_LENGTH = 1e-4  # m; RViz complains of shorter arrows

ARROW = [STAMP, ("ends", "<f8", (2, 3)), ("color", "<f4", 4)]
CONE = [STAMP, ("position", "<f8", 3), ("orientation", "<f8", 4), ("color", "<f4", 4)]


class MarkerOutput:
    """An arrow and a cone per contact point on contact_markers; both vanish while the point is open.

    Attributes:
        heard: counts the listeners.
    """

    def __init__(self, node: Node, frames: FrameTree) -> None:
        """Prepare the publisher; `shape` prepares the message."""
        self._frames = frames
        publisher = node.create_publisher(MarkerArray, "contact_markers", PICTURES)
        self._send, self.heard = sender(publisher), listeners(publisher)

    def shape(self, scale: float, friction: float) -> None:
        """Prepare the message for a length per force, m/N, and a coefficient of friction."""
        robot = self._frames.robot
        weight = robot.total_mass * float(np.linalg.norm(robot.gravity))
        self._scale = scale or 0.5 / max(weight, 1e-9)
        size = 0.2 * self._scale * weight
        count = len(robot.contact_names)
        parts = [size * part for part in ARROW_PARTS]
        arrows = [self._marker("force", k, Marker.ARROW, parts) for k in range(count)]
        cones = [self._marker("friction_cone", k, Marker.TRIANGLE_LIST, [1.0, 1.0, 1.0]) for k in range(count)]
        for cone in cones:
            cone.points = _cone(size, friction)
        numbers = [("arrows", ARROW, count), ("cones", CONE, count)]
        self._template = Template(MarkerArray(markers=arrows + cones), numbers, _fill)
        self._arrows, self._cones = self._template.record[0]["arrows"], self._template.record[0]["cones"]

    def publish(self, snapshot: Snapshot, forces: np.ndarray, positions: np.ndarray, normals: np.ndarray) -> None:
        """Publish forces (m, 3), N, at positions (m, 3), m, on ground with normals (m, 3)."""
        modes = snapshot.modes.astype(int)
        colors = COLORS[np.where(forces.any(axis=1) & (modes == OPEN), SLIP, modes)]
        self._arrows["stamp"] = self._cones["stamp"] = snapshot.stamp
        self._arrows["ends"][:, 0] = positions
        self._arrows["ends"][:, 1] = positions + self._scale * forces + LEAST_LENGTH * normals
        self._arrows["color"] = self._cones["color"] = colors
        self._cones["color"][:, 3] *= CONE_OPACITY
        self._cones["position"] = positions
        self._cones["orientation"] = upright_to(normals)
        self._send(self._template.encoded())

    def _marker(self, family: str, number: int, kind: int, scale: list[float]) -> Marker:
        marker = Marker(ns=family, id=number, type=kind, action=Marker.ADD)
        marker.header.frame_id = self._frames.world
        marker.pose.orientation.w = 1.0
        put_vector(marker.scale, np.array(scale))
        return marker


def upright_to(normals: np.ndarray) -> np.ndarray:
    """Return the shortest rotations (m, 4), x y z w, from the z axis to unit vectors (m, 3) that point upward."""
    half = np.stack([-normals[:, 1], normals[:, 0], np.zeros(len(normals)), 1.0 + normals[:, 2]], axis=1)
    return half / np.linalg.norm(half, axis=1, keepdims=True)


def _cone(height: float, friction: float) -> list[Point]:
    """Return the triangles of a cone that stands on its tip: forces inside it do not slip."""
    radius = height * min(friction, 2.0)
    rim = [
        Point(x=radius * math.cos(angle), y=radius * math.sin(angle), z=height)
        for angle in np.linspace(0.0, 2.0 * math.pi, CONE_SIDES + 1).tolist()
    ]
    return [corner for one, other in pairwise(rim) for corner in (Point(), one, other)]


def _fill(message: MarkerArray, record: np.void) -> None:
    count = len(record["arrows"])
    for marker, numbers in zip(message.markers[:count], record["arrows"], strict=True):
        _fill_common(marker, numbers)
        marker.points = [Point(), Point()]
        for point, end in zip(marker.points, numbers["ends"], strict=True):
            put_vector(point, end)
    for marker, numbers in zip(message.markers[count:], record["cones"], strict=True):
        _fill_common(marker, numbers)
        put_vector(marker.pose.position, numbers["position"])
        put_quaternion(marker.pose.orientation, numbers["orientation"])


def _fill_common(marker: Marker, numbers: np.void) -> None:
    put_stamp(marker.header.stamp, numbers["stamp"])
    marker.color.r, marker.color.g, marker.color.b, marker.color.a = numbers["color"].tolist()
