"""Pictures and films of a run, drawn by `raster` and written as PNG, GIF or MP4."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contact.records import OPEN
from ..errors import ParameterError
from .drawing import arrow_tips, robot_parts, size_of
from .page import CONE_HEIGHT, MODE_COLOURS, VIEWPOINT
from .raster import AMBIENT, SKY, SUN, Camera, Canvas
from .stage import Frame
from .triangles import Surface, cone, cylinder, ground_surface
from .world import World

Array = NDArray[np.float64]
KINDS = (".png", ".gif", ".mp4")
MOST_PICTURES = 1000.0  # a second
TILES = np.array([[0.86, 0.88, 0.90], [0.79, 0.82, 0.85]])
SHADOW = np.array([0.60, 0.63, 0.67])


class Painter:
    """Draws frames of one world; the camera goes with the robot."""

    def __init__(self, world: World, width: int = 960, height: int = 540) -> None:
        """Prepare the robot's triangles for pictures of a size in pixels."""
        self._robot, self._terrain, self._size = world.robot, world.terrain, size_of(world.robot)
        for name, value in (("width", width), ("height", height)):
            if not 16 <= value <= 4096:
                raise ParameterError(f"{name}: expected 16 to 4096 pixels, found {value}")
        self._shape = width, height
        self._parts = robot_parts(world.robot, world.folder)
        tall = CONE_HEIGHT * self._size
        self._cone = cone(tall, tall * min(world.friction, 2.0))
        self._level = float(world.frame().positions[:, 2].mean())

    def paint(self, frame: Frame) -> NDArray[np.uint8]:
        """Return the picture of a frame, (height, width, 3)."""
        target = np.array([*frame.positions[0, :2], self._level])
        canvas = Canvas(Camera(target + 1.3 * self._size * np.array(VIEWPOINT), target, *self._shape))
        self._paint_ground(canvas, target[:2])
        for part in self._parts:
            corners = part.surface.vertices[part.surface.faces]
            if part.body >= 0:
                corners = corners @ frame.rotations[part.body].T + frame.positions[part.body]
            self._paint_shadow(canvas, corners)
            canvas.draw(corners, np.broadcast_to(np.array(part.colour), (len(corners), 3)))
        self._paint_contacts(canvas, frame)
        return canvas.pixels()

    def _paint_ground(self, canvas: Canvas, middle: Array) -> None:
        """Paint tiles that stay where they are in the world, of a quarter of the robot's size, paler far away."""
        tile = 0.25 * self._size
        surface = ground_surface(self._terrain, np.round(middle / tile) * tile, 40 * tile, 160)
        corners = surface.vertices[surface.faces]
        centres = corners[:, :, :2].mean(axis=1)
        number = np.floor(centres / tile + 1e-9).astype(int).sum(axis=1) % 2
        haze = np.clip(np.linalg.norm(centres - middle, axis=1) / (36 * tile) - 0.1, 0.0, 1.0)[:, None]
        colours = TILES[number] + haze * (np.array(SKY) - TILES[number])
        canvas.draw(corners, colours / (AMBIENT + (1.0 - AMBIENT) * SUN[2]))  # level ground has the colour of its tiles

    def _paint_shadow(self, canvas: Canvas, corners: Array) -> None:
        """Paint where triangles keep the light from the ground, as if it were level below each of them."""
        height = self._terrain.height(corners[..., 0].ravel(), corners[..., 1].ravel()).reshape(corners.shape[:2])
        fallen = corners - SUN * ((corners[..., 2] - height) / SUN[2])[..., None]
        x, y = fallen[..., 0].ravel(), fallen[..., 1].ravel()
        fallen[..., 2] = self._terrain.height(x, y).reshape(fallen.shape[:2]) + 1e-3 * self._size
        canvas.draw(fallen, np.broadcast_to(SHADOW, (len(fallen), 3)), lit=False)

    def _paint_contacts(self, canvas: Canvas, frame: Frame) -> None:
        """Paint friction cones, and in front of everything the forces, which legs would hide."""
        acting = np.flatnonzero((frame.contact_modes != OPEN) & frame.contact_forces.any(axis=1))
        colours = MODE_COLOURS[frame.contact_modes] / 255.0
        corners = self._cone.vertices[self._cone.faces]
        for k in acting:
            placed = corners @ _turn_z_to(frame.contact_normals[k]).T + frame.contact_positions[k]
            canvas.draw(placed, np.broadcast_to(colours[k], (len(corners), 3)), lit=False, opacity=0.18)
        canvas.come_forward()
        tips = arrow_tips(self._robot, self._size, frame.contact_positions, frame.contact_forces)
        for k in acting:
            self._paint_arrow(canvas, frame.contact_positions[k], tips[k], colours[k])

    def _paint_arrow(self, canvas: Canvas, start: Array, end: Array, colour: Array) -> None:
        """Paint an arrow between two points (3,), m."""
        length = float(np.linalg.norm(end - start))
        head = min(0.06 * self._size, length)
        shaft = cylinder(0.012 * self._size, max(length - head, 1e-6))
        tip = cone(head, 0.028 * self._size)
        shaft = Surface(shaft.vertices + [0.0, 0.0, (length - head) / 2.0], shaft.faces)
        tip = Surface(tip.vertices * [1.0, -1.0, -1.0] + [0.0, 0.0, length], tip.faces)
        turn = _turn_z_to((end - start) / length)
        for surface in (shaft, tip):
            corners = surface.vertices[surface.faces] @ turn.T + start
            canvas.draw(corners, np.broadcast_to(colour, (len(corners), 3)))


def film(world: World, output: Path, duration: float, rate: float = 25.0, start: float = 0.0, **options: Any) -> int:
    """Run a world and write its picture (PNG: of the end) or film (GIF, MP4); return the number of pictures drawn.

    Args:
        world: at its start.
        output: file; its suffix is the kind.
        duration: simulated time, s.
        rate: pictures a second of simulated time.
        start: simulated time before it begins, s.
        options: of `Painter`.

    Raises:
        ParameterError: the kind is unknown, or what writes it is not installed.
    """
    if output.suffix.lower() not in KINDS:
        raise ParameterError(f"output: {output} should end in one of {', '.join(KINDS)}")
    for name, value in (("duration", duration), ("start", start)):
        if not (np.isfinite(value) and value >= 0.0):
            raise ParameterError(f"{name}: expected a finite number >= 0 s, found {value}")
    if not 0.0 < rate <= MOST_PICTURES:
        raise ParameterError(f"rate: expected a number above 0 and up to {MOST_PICTURES:g} a second, found {rate}")
    write = _writer(output, rate)
    painter = Painter(world, **options)
    output.parent.mkdir(parents=True, exist_ok=True)
    if start > 0.0:
        world.advance(start)
    if output.suffix.lower() == ".png":
        if duration > 0.0:
            world.advance(duration)
        write([painter.paint(world.frame())])
        return 1
    count = max(2, round(duration * rate))
    write(list(_pictures(world, painter, count, rate, world.time)))
    return count


def _pictures(world: World, painter: Painter, count: int, rate: float, start: float) -> Iterator[NDArray[np.uint8]]:
    for number in range(count):
        yield painter.paint(world.frame())
        world.advance(start + (number + 1) / rate - world.time)


def _writer(output: Path, rate: float) -> Callable[[list[NDArray[np.uint8]]], None]:
    """Return what writes pictures into a file of this kind."""
    try:
        import imageio.v2 as imageio

        if output.suffix.lower() == ".mp4":
            import imageio_ffmpeg  # noqa: F401
    except ImportError as error:
        raise ParameterError(f"film: {error.name} is missing; pip install 'legged_contact_sim[film]'") from None

    def write(pictures: list[NDArray[np.uint8]]) -> None:
        suffix = output.suffix.lower()
        if suffix == ".png":
            imageio.imwrite(output, pictures[0])
        elif suffix == ".gif":
            imageio.mimwrite(output, pictures, duration=1000.0 / rate, loop=0)  # type: ignore[arg-type]
        else:
            imageio.mimwrite(output, pictures, fps=rate, macro_block_size=2)  # type: ignore[arg-type]

    return write


def _turn_z_to(direction: Array) -> Array:
    """Return a rotation (3, 3) that turns the z axis to a unit vector (3,)."""
    helper = np.eye(3)[int(np.argmin(np.abs(direction)))]
    x = np.cross(helper, direction)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(direction, x), direction], axis=1)
