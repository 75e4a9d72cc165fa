"""Where a frame stands in another: rotation and position, and the few rotations a URDF needs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Placement(NamedTuple):
    """A frame seen from another one.

    Attributes:
        rotation: (3, 3), its axes as columns.
        position: (3,), its origin, m.
    """

    rotation: Array
    position: Array

    def compose(self, inner: "Placement") -> "Placement":
        """Return where `inner`, given in this frame, stands in the frame this one is given in."""
        return Placement(self.rotation @ inner.rotation, self.position + self.rotation @ inner.position)

    def apply(self, points: Array) -> Array:
        """Return points (n, 3), given in this frame, in the frame this one is given in, m."""
        return points @ self.rotation.T + self.position


IDENTITY = Placement(np.eye(3), np.zeros(3))


def cross_matrix(vector: Array) -> Array:
    """Return the (3, 3) matrix K with K @ u = vector x u."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation_from_rpy(rpy: ArrayLike) -> Array:
    """Return the rotation (3, 3) of roll, pitch and yaw (rad), turned in this order about the fixed axes x, y, z."""
    (sin_r, sin_p, sin_y), (cos_r, cos_p, cos_y) = np.sin(rpy), np.cos(rpy)
    return np.array(
        [
            [cos_y * cos_p, cos_y * sin_p * sin_r - sin_y * cos_r, cos_y * sin_p * cos_r + sin_y * sin_r],
            [sin_y * cos_p, sin_y * sin_p * sin_r + cos_y * cos_r, sin_y * sin_p * cos_r - cos_y * sin_r],
            [-sin_p, cos_p * sin_r, cos_p * cos_r],
        ]
    )


def rotation_about(axis: Array, angle: float) -> Array:
    """Return the rotation (3, 3) by an angle, rad, about a unit vector (3,): Rodrigues' formula."""
    turn = cross_matrix(axis)
    return np.asarray(np.eye(3) + np.sin(angle) * turn + (1.0 - np.cos(angle)) * turn @ turn)


def rotation_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return the rotation (3, 3) of a unit quaternion x y z w."""
    x, y, z, w = np.asarray(quaternion, dtype=float)
    imaginary = cross_matrix(np.array([x, y, z]))
    return np.eye(3) + 2.0 * w * imaginary + 2.0 * imaginary @ imaginary


def rotation_of_z_onto(axis: Array) -> Array:
    """Return the smallest rotation (3, 3) that takes z to the unit vector `axis`; for -z, half a turn about x."""
    cosine, squared_sine = axis[2], axis[0] ** 2 + axis[1] ** 2
    if squared_sine == 0.0:
        return np.diag([1.0, np.copysign(1.0, cosine), np.copysign(1.0, cosine)])
    sine_part = cross_matrix(np.cross([0.0, 0.0, 1.0], axis))
    # 1 / (1 + cosine), in the form that keeps its digits
    factor = 1.0 / (1.0 + cosine) if cosine > 0.0 else (1.0 - cosine) / squared_sine
    return np.eye(3) + sine_part + factor * sine_part @ sine_part
