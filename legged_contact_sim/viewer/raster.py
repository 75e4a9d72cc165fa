"""A small software renderer: triangles with a depth buffer, so that a film needs neither a display nor a browser."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..jit import compiled

Array = NDArray[np.float64]
NEAR = 0.02  # m; what is nearer to the camera is left out
SUN = np.array([0.35, -0.45, 0.82]) / np.linalg.norm([0.35, -0.45, 0.82])  # towards the light
AMBIENT = 0.5  # share of the light that comes from everywhere
SKY = (0.93, 0.95, 0.98)
SAMPLES = 2  # along the edge of a pixel


@dataclass(frozen=True)
class Camera:
    """Where the picture is taken from.

    Attributes:
        eye: position, (3,), m.
        target: point in the middle of the picture, (3,), m.
        width: of the picture, pixels.
        height: of the picture, pixels.
        view: angle from its lower to its upper edge, rad.
    """

    eye: Array
    target: Array
    width: int = 960
    height: int = 540
    view: float = 0.6

    def project(self, points: Array) -> Array:
        """Return pixels to the right, pixels down and 1 / depth of points (..., 3); 1 / depth is 0 behind the eye."""
        forward = (self.target - self.eye) / np.linalg.norm(self.target - self.eye)
        right = np.cross(forward, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        seen = (points - self.eye) @ np.stack([right, np.cross(forward, right), forward], axis=1)
        depth = np.where(seen[..., 2] > NEAR, seen[..., 2], np.inf)
        scale = SAMPLES * self.height / 2.0 / np.tan(self.view / 2.0)
        middle = SAMPLES * np.array([self.width, self.height]) / 2.0
        return np.concatenate([middle + scale * seen[..., :2] / depth[..., None], 1.0 / depth[..., None]], axis=-1)


class Canvas:
    """A picture that is being drawn."""

    def __init__(self, camera: Camera, background: tuple[float, float, float] = SKY) -> None:
        """Begin with the background."""
        self.camera = camera
        self._image = np.empty((SAMPLES * camera.height, SAMPLES * camera.width, 3))
        self._image[:] = background
        self._nearness = np.zeros(self._image.shape[:2])

    def draw(self, corners: Array, colours: Array, lit: bool = True, opacity: float = 1.0) -> None:
        """Draw triangles, which hide what is drawn behind them later unless they are transparent.

        Args:
            corners: (n, 3, 3), m.
            colours: (n, 3), 0 to 1.
            lit: whether the light falls on them.
            opacity: 0 to 1.
        """
        if lit:
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
            light = AMBIENT + (1.0 - AMBIENT) * np.maximum(normals @ SUN, 0.0)
            colours = colours * light[:, None]
        draw_triangles(
            np.ascontiguousarray(self.camera.project(corners)),
            np.ascontiguousarray(colours),
            self._image,
            self._nearness,
            float(opacity),
        )

    def come_forward(self) -> None:
        """Let what is drawn from now on hide all that was drawn before."""
        self._nearness[:] = 0.0

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture, (height, width, 3)."""
        shape = (self.camera.height, SAMPLES, self.camera.width, SAMPLES, 3)
        return (255.0 * np.clip(self._image.reshape(shape).mean(axis=(1, 3)), 0.0, 1.0)).round().astype(np.uint8)


@compiled
def draw_triangles(corners, colours, image, nearness, opacity):
    """Fill triangles, corners (n, 3, 3) as `Camera.project` returns them, where nothing nearer was drawn before.

    What is transparent, ``opacity`` below 1, lets see what is behind it and hides nothing.
    """
    height, width = nearness.shape
    for k in range(corners.shape[0]):
        ax, ay, az = corners[k, 0, 0], corners[k, 0, 1], corners[k, 0, 2]
        bx, by, bz = corners[k, 1, 0], corners[k, 1, 1], corners[k, 1, 2]
        cx, cy, cz = corners[k, 2, 0], corners[k, 2, 1], corners[k, 2, 2]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if min(az, bz, cz) <= 0.0 or abs(area) < 1e-9:
            continue
        top, bottom = max(int(min(ay, by, cy)), 0), min(int(max(ay, by, cy)) + 1, height)
        left, right = max(int(min(ax, bx, cx)), 0), min(int(max(ax, bx, cx)) + 1, width)
        for row in range(top, bottom):
            for column in range(left, right):
                x, y = column + 0.5, row + 0.5
                u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area
                v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area
                w = 1.0 - u - v
                if u >= 0.0 and v >= 0.0 and w >= 0.0:
                    near = u * az + v * bz + w * cz
                    if near > nearness[row, column]:
                        if opacity >= 1.0:
                            nearness[row, column] = near
                        for channel in range(3):
                            behind = image[row, column, channel]
                            image[row, column, channel] = behind + opacity * (colours[k, channel] - behind)
