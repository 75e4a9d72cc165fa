"""Frames of the robot as /tf has them: parent to child, with quaternions."""

from typing import NamedTuple

import numpy as np

from ..dynamics.functions import Poses as BodyPoses
from ..model import RobotModel


class Poses(NamedTuple):
    """Frames in their parents: translation (n, 3), m, and rotation (n, 4), x y z w."""

    translation: np.ndarray
    rotation: np.ndarray


class FrameTree:
    """The frames of a robot: bodies that move, links fixed to them, and one frame per contact point.

    The frame of a contact point has the world's axes and its origin where the point touches or would touch.

    Attributes:
        moving: (parent, child) of the frames that move.
        fixed: (parent, child) of the others.
    """

    def __init__(self, robot: RobotModel, world: str, prefix: str) -> None:
        """Name the frames; all but the world's bear the prefix."""
        self.robot = robot
        self.world, self.prefix = world, prefix
        self.parents = robot.links["parent"].astype(int)
        self.points = robot.contact_points
        bodies = [
            (self.body_name(parent), prefix + name) for parent, name in zip(self.parents, robot.link_names, strict=True)
        ]
        self.contact_frames = [f"{prefix}{name}_contact" for name in robot.contact_names]
        self.moving = bodies + [(world, name) for name in self.contact_frames]
        self._fixed = [(name, frame) for name, frame in robot.frames.items() if name not in (*robot.link_names, world)]
        self.fixed = [(self.body_name(frame.link), prefix + name) for name, frame in self._fixed]

    @property
    def base(self) -> str:
        """The frame whose motion odometry tells: that of the root link."""
        root = next(iter(self.robot.frames))
        return self.world if root == self.world else self.prefix + root

    def body_name(self, index: int) -> str:
        """Return the frame of a body; -1: the world's."""
        return self.world if index < 0 else self.prefix + self.robot.link_names[index]

    def prefixed(self, link: str) -> str:
        """Return the frame of a link."""
        return self.world if link == self.world else self.prefix + link

    def fixed_poses(self) -> Poses:
        """Return where links stand that are fixed to a body or to the world."""
        rotations = np.array([frame.rotation for _, frame in self._fixed]).reshape(-1, 3, 3)
        return Poses(np.array([frame.position for _, frame in self._fixed]).reshape(-1, 3), quaternions(rotations))

    def moving_poses(self, bodies: BodyPoses, contact_positions: np.ndarray) -> Poses:
        """Return the moving frames from the bodies' poses in the world and the touching points (m, 3)."""
        rotation, position = bodies
        # The parent -1, the world, finds the row that is added behind all bodies.
        outer_rotation = np.concatenate([rotation, np.eye(3)[None]])[self.parents]
        outer_position = np.concatenate([position, np.zeros((1, 3))])[self.parents]
        inward, count = outer_rotation.transpose(0, 2, 1), len(position)
        translation = np.empty((len(self.moving), 3))
        translation[:count] = (inward @ (position - outer_position)[:, :, None])[:, :, 0]
        translation[count:] = contact_positions
        turned = np.empty((len(self.moving), 4))
        turned[:count] = quaternions(inward @ rotation)
        turned[count:] = 0.0, 0.0, 0.0, 1.0
        return Poses(translation, turned)

    def contact_positions(self, bodies: BodyPoses, normals: np.ndarray) -> np.ndarray:
        """Return where contact points (m, 3) touch, or would touch, ground with the given normals (m, 3)."""
        rotation, position = bodies
        links = self.points["link"]
        centers = position[links] + np.einsum("kij,kj->ki", rotation[links], self.points["position"])
        return centers - self.points["radius"][:, None] * normals


def _products_from_matrix() -> tuple[np.ndarray, np.ndarray]:
    """Return what turns a rotation matrix, as a row (9,), into four times all products of its quaternion's components.

    The products (16,) are those of x y z w with each other: the row times the first result, (9, 16), plus the second.
    """
    factors, constant = np.zeros((3, 3, 4, 4)), np.eye(4)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        factors[[i, j, k], [i, j, k], i, i] = 1.0, -1.0, -1.0
        factors[i, i, 3, 3] = 1.0
        for row, column in ((i, j), (j, i)):
            factors[i, j, row, column] = factors[j, i, row, column] = 1.0
        for row, column in ((i, 3), (3, i)):
            factors[k, j, row, column], factors[j, k, row, column] = 1.0, -1.0
    return factors.reshape(9, 16), constant.reshape(16)


PRODUCTS = _products_from_matrix()


def quaternions(rotations: np.ndarray) -> np.ndarray:
    """Return unit quaternions (n, 4), x y z w, of rotation matrices (n, 3, 3).

    Four times the products of the quaternion's components with each other stand in the matrix; the row of the largest
    component, normalized, loses no accuracy (Shepperd).
    """
    products = (rotations.reshape(-1, 9) @ PRODUCTS[0] + PRODUCTS[1]).reshape(-1, 4, 4)
    best = products.reshape(-1, 16)[:, ::5].argmax(axis=1)
    rows = products[np.arange(len(products)), best]
    norms = np.sqrt((rows * rows).sum(axis=1))
    return rows / np.copysign(norms, rows[:, 3])[:, None]
