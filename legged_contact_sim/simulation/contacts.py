"""Contact points as arrays: live views of what the last step left, and where points touch in a given pose."""

from typing import NamedTuple

import numpy as np

from ..contact.log import LogRows
from ..contact.records import MODES
from ..dynamics import forward_kinematics
from ..dynamics.series import poses_of
from ..model import RobotModel
from ..terrain import Terrain
from .views import read_only


class Contacts:
    """All contact points of a simulator, in the robot's order, m of them.

    The arrays are read-only views that every step writes to: they always show the present, and reading them costs
    nothing. Copy what has to outlive the next step. Another contact model (`Simulator.switch_contact_model`) makes a
    new ``mode``, so fetch `Simulator.contacts` again.

    Attributes:
        names: of the contact points.
        force: on the robot, mean over the last step, world axes, N, (m, 3).
        gap: distance to the ground, m, (m,); negative: penetration.
        mode: codes, indices into ``mode_names``, (m,).
        slip_velocity: of the touching point along the ground, world axes, m/s, (m, 3); zero where it is open.
        position: of the touching point in the world, m, (m, 3).
        normal: out of the ground, (m, 3).
        mode_names: ("open", "stick", "slip").
    """

    mode_names = MODES

    def __init__(self, names: tuple[str, ...], rows: LogRows, mode: np.ndarray) -> None:
        """Take the views of a log row and the modes of a model's contact records."""
        self.names = names
        self.force, self.gap, self.slip_velocity = rows.force, rows.gap, rows.slip_velocity
        self.position, self.normal = rows.position, rows.normal
        self.mode = read_only(mode)

    def __len__(self) -> int:
        """Return the number of contact points."""
        return len(self.names)

    def __repr__(self) -> str:
        """Return one line: how many points touch."""
        return f"Contacts({len(self)} points, {np.count_nonzero(self.mode)} touching)"


class Touching(NamedTuple):
    """Where contact points are next to the ground: ``position`` (m, 3), ``normal`` (m, 3), ``gap`` (m,)."""

    position: np.ndarray
    normal: np.ndarray
    gap: np.ndarray


def contact_centers(robot: RobotModel, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the contact points' centres in the world, (m, 3), m, and the rotations of their bodies, (m, 3, 3).

    Of many states q (T, nq), as for `touching_points`, the arrays have a first axis more.
    """
    rotation, position = forward_kinematics(robot, q) if q.ndim == 1 else poses_of(robot, q)
    points = robot.contact_points
    turned = rotation[..., points["link"], :, :]
    return position[..., points["link"], :] + np.einsum("...kij,kj->...ki", turned, points["position"]), turned


def touching_points(robot: RobotModel, terrain: Terrain, semi_axes: np.ndarray, q: np.ndarray) -> Touching:
    """Return where the contact points would touch in the pose q, from the geometry alone.

    With the semi-axes S (m, 3) of an ellipsoid along its body's axes and the ground's normal n in the same axes, the
    point that touches is at ``-S^2 n / |S n|`` from the centre, ``|S n|`` along the normal.
    """
    centers, turned = contact_centers(robot, q)
    normals = terrain.normal(centers)
    stretched = semi_axes * np.einsum("...kij,...ki->...kj", turned, normals)
    reach = np.linalg.norm(stretched, axis=-1)
    arms = semi_axes * stretched / np.maximum(reach, np.finfo(float).tiny)[..., None]
    return Touching(centers - np.einsum("...kij,...kj->...ki", turned, arms), normals, terrain.gap(centers) - reach)
