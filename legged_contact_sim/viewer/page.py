"""The scene in the browser: robot, ground, forces, friction cones and trails, as viser shows them.

The camera follows by standing still: all that is drawn hangs from a frame that moves against the base. So nobody has
to be told where to look, and whoever turns the camera is not disturbed.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contact.records import OPEN, SLIP, STICK
from .drawing import Part, arrow_tips, robot_parts, size_of
from .history import History
from .stage import Frame, Show, Stage
from .triangles import cone, ground_surface

Array = NDArray[np.float64]
MODE_COLOURS = np.zeros((3, 3), np.uint8)
MODE_COLOURS[OPEN] = (150, 150, 150)
MODE_COLOURS[STICK] = (38, 166, 84)
MODE_COLOURS[SLIP] = (240, 120, 20)
TRAIL_COLOURS = (
    (70, 110, 200),
    (200, 60, 60),
    (60, 160, 70),
    (220, 150, 30),
    (140, 80, 190),
    (40, 170, 180),
    (120, 90, 60),
)
SKY_ABOVE, SKY_BELOW = np.array([196.0, 216.0, 238.0]), np.array([244.0, 247.0, 250.0])
GHOST_COLOUR = (120, 150, 235)
VIEWPOINT = (1.05, -1.35, 0.55)  # of the robot's size, from its middle
CONE_HEIGHT = 0.16  # of the robot's size
ROOT = "/world"  # all that is drawn hangs from it
FLAT = 1e-12  # m; ground that varies less is drawn as a plane


class Figure:
    """A robot on the page: a frame per body, its surfaces, the forces on it and their cones."""

    def __init__(self, scene: Any, root: str, stage: Stage, ghost: bool = False) -> None:
        """Draw a stage's robot below a name of the scene; a ghost is transparent and of one colour."""
        self.robot, self._scene, self._root = stage.robot, scene, root
        self._count = len(stage.contact_names)
        self._frames = [scene.add_frame(f"{root}/{body}", show_axes=False) for body in range(len(self.robot.links))]
        for number, part in enumerate(robot_parts(self.robot, stage.folder)):
            self._add(part, number, ghost)
        self._size = size_of(self.robot)
        self.show_forces = self.show_cones = True
        self._arrows: Any = None
        self._cones: Any = None
        self._ghost = ghost
        self.shape_cones(stage.friction)

    def _add(self, part: Part, number: int, ghost: bool) -> None:
        place = f"{self._root}/{part.body}/{number}" if part.body >= 0 else f"{self._root}/fixed/{number}"
        self._scene.add_mesh_simple(
            place,
            part.surface.vertices.astype(np.float32),
            part.surface.faces,
            color=GHOST_COLOUR if ghost else tuple(round(255 * value) for value in part.colour),
            opacity=0.35 if ghost else (None if part.opacity >= 1.0 else part.opacity),
            flat_shading=False,
            side="double" if part.opacity < 1.0 else "front",
            cast_shadow=not ghost,
        )

    def shape_cones(self, friction: float) -> None:
        """Draw the cones anew for a coefficient of friction."""
        count = self._count
        if self._cones is not None:
            self._cones.remove()
            self._cones = None
        if self._ghost or not count:
            return
        height = CONE_HEIGHT * self._size
        surface = cone(height, height * min(friction, 2.0))
        self._cones = self._scene.add_batched_meshes_simple(
            f"{self._root}_cones",
            surface.vertices.astype(np.float32),
            surface.faces,
            batched_wxyzs=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
            batched_positions=np.zeros((count, 3)),
            batched_scales=np.full(count, 1e-6),
            batched_colors=np.tile(MODE_COLOURS[STICK], (count, 1)),
            opacity=0.22,
            side="double",
            lod="off",
            cast_shadow=False,
            receive_shadow=False,
        )

    def show(self, frame: Frame) -> None:
        """Move everything to where a frame has it."""
        for handle, rotation, position in zip(self._frames, frame.rotations, frame.positions, strict=True):
            handle.wxyz, handle.position = quaternion(rotation), position
        if self._ghost:
            return
        acting = frame.contact_modes != OPEN
        self._show_arrows(frame, acting & frame.contact_forces.any(axis=1) & self.show_forces)
        if self._cones is not None:
            shown = acting & self.show_cones
            self._cones.batched_positions = frame.contact_positions.astype(np.float32)
            self._cones.batched_wxyzs = upright_to(frame.contact_normals).astype(np.float32)
            self._cones.batched_scales = np.where(shown, 1.0, 1e-6).astype(np.float32)
            self._cones.batched_colors = MODE_COLOURS[frame.contact_modes]

    def _show_arrows(self, frame: Frame, shown: NDArray[np.bool_]) -> None:
        """Draw an arrow per force; none: those of before are hidden."""
        if not shown.any():
            if self._arrows is not None:
                self._arrows.visible = False
            return
        start = frame.contact_positions[shown]
        tips = arrow_tips(self.robot, self._size, start, frame.contact_forces[shown])
        ends = np.stack([start, tips], axis=1).astype(np.float32)
        colours = MODE_COLOURS[frame.contact_modes[shown]]
        if self._arrows is None or self._arrows.points.shape != ends.shape:
            self._arrows = self._scene.add_arrows(
                f"{self._root}_forces",
                ends,
                colours,
                shaft_radius=0.012 * self._size,
                head_radius=0.028 * self._size,
                head_length=0.06 * self._size,
            )
        else:
            self._arrows.points, self._arrows.colors, self._arrows.visible = ends, colours, True


class Page:
    """All that is in the scene."""

    def __init__(self, server: Any) -> None:
        """Prepare light and directions; `build` fills the scene."""
        self._server, self._scene = server, server.scene
        self._scene.set_up_direction("+z")
        self._scene.configure_default_lights()
        self.show_trails, self.follow, self.size = True, True, 1.0
        self._ghost: Figure | None = None
        self._trails: list[Any] = []

    def build(self, show: Show) -> None:
        """Draw what is shown from nothing."""
        stage, frame = show.stage, show.frame
        self._scene.reset()
        self._scene.set_up_direction("+z")
        self._scene.configure_environment_map(hdri=None)
        self._scene.configure_default_lights(cast_shadow=True)
        self._scene.add_light_hemisphere("/sky", sky_color=(255, 255, 255), ground_color=(190, 190, 190), intensity=1.6)
        self._scene.world_axes.visible = False
        self._scene.set_background_image(sky(), format="png")
        self._root = self._scene.add_frame(ROOT, show_axes=False)
        self._trails = []
        self.size = size_of(stage.robot)
        self._terrain = stage.terrain
        self._lay_ground(frame.positions[0, :2])
        self.figure = Figure(self._scene, f"{ROOT}/robot", stage)
        ghost = show.ghost_stage
        self._ghost = None if ghost is None else Figure(self._scene, f"{ROOT}/ghost", ghost, ghost=True)
        self._root.position = _beneath(frame.positions[0])
        self.show(frame, show.ghost_frame)
        camera = self._server.initial_camera
        camera.position, camera.look_at = self.viewpoint(frame)

    def viewpoint(self, frame: Frame) -> tuple[Array, Array]:
        """Return where a camera stands and what it looks at, (3,) each, m from the scene's origin, to see the robot."""
        middle = (frame.positions.min(axis=0) + frame.positions.max(axis=0)) / 2.0
        middle += _beneath(frame.positions[0]) if self.follow else np.asarray(self._root.position)
        return middle + self.size * np.array(VIEWPOINT), middle

    def _lay_ground(self, where: Array) -> None:
        """Draw the ground around a place (2,), m: a surface, or a grid without end where it is flat."""
        size = max(self.size, 0.4)
        self._laid = where
        surface = ground_surface(self._terrain, where, 12.0 * size, 160)
        if float(np.ptp(surface.vertices[:, 2])) < FLAT:
            cell = 0.1 if size < 0.5 else 0.25
            section = 4.0 * cell
            self._scene.add_grid(
                f"{ROOT}/ground",
                position=(*np.round(where / section) * section, float(surface.vertices[0, 2])),
                infinite_grid=True,
                cell_size=cell,
                section_size=section,
                cell_color=(206, 210, 216),
                section_color=(172, 178, 188),
                fade_distance=40.0 * size,
                plane_color=(238, 240, 243),
                plane_opacity=1.0,
                shadow_opacity=0.3,
            )
            return
        self._scene.add_mesh_simple(
            f"{ROOT}/ground",
            surface.vertices.astype(np.float32),
            surface.faces,
            color=(196, 202, 196),
            flat_shading=True,
            side="double",
            cast_shadow=False,
        )

    def show(self, frame: Frame, ghost: Frame | None) -> None:
        """Show a frame of the world and one of its ghost."""
        base = frame.positions[0]
        if np.linalg.norm(base[:2] - self._laid) > 6.0 * max(self.size, 0.4):
            self._lay_ground(base[:2].copy())
        with self._server.atomic():
            if self.follow:
                self._root.position = _beneath(base)
            self.figure.show(frame)
            if self._ghost is not None and ghost is not None:
                self._ghost.show(ghost)

    def draw_trails(self, history: History) -> None:
        """Draw where base and feet were."""
        trails = history.trails() if self.show_trails and len(history) > 1 else np.zeros((0, 0, 3))
        if len(trails) == 0:
            for handle in self._trails:
                handle.visible = False
            return
        colours = TRAIL_COLOURS[: len(trails)]
        for number, (trail, colour) in enumerate(zip(trails, colours, strict=True)):
            segments = np.stack([trail[:-1], trail[1:]], axis=1).astype(np.float32)
            if number == len(self._trails):
                width = 0.006 * self.size
                self._trails.append(
                    self._scene.add_line_segments(f"{ROOT}/trails/{number}", segments, colour, thickness=width)
                )
            else:
                self._trails[number].points, self._trails[number].visible = segments, True


def _beneath(base: Array) -> Array:
    """Return where the root has to be, (3,), m, so that the base (3,), m, is above the scene's origin."""
    return base * [-1.0, -1.0, 0.0]


def sky() -> NDArray[np.uint8]:
    """Return a picture for the background, (32, 2, 3): pale at the horizon, blue above."""
    height = np.linspace(1.0, 0.0, 32)[:, None, None]
    colours = SKY_BELOW + np.maximum(height - 0.5, 0.0) * 2.0 * (SKY_ABOVE - SKY_BELOW)
    return np.broadcast_to(colours.round(), (32, 2, 3)).astype(np.uint8)


def quaternion(rotation: Array) -> Array:
    """Return the quaternion (w, x, y, z) of a rotation (3, 3), by its largest component."""
    r = rotation
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    squares = np.array([trace, *(2.0 * np.diag(r) - trace)])  # 4 times each component's square, less 1
    largest = int(np.argmax(squares))
    w = (r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1])
    s = 1.0 + squares[largest]
    if largest == 0:
        found = np.array([s, *w])
    else:
        i = largest - 1
        found = np.array([w[i], *(s if k == i else r[i, k] + r[k, i] for k in range(3))])
    return found / np.linalg.norm(found)


def upright_to(normals: Array) -> Array:
    """Return the shortest rotations (m, 4), w x y z, from the z axis to unit vectors (m, 3) that point upward."""
    half = np.stack([1.0 + normals[:, 2], -normals[:, 1], normals[:, 0], np.zeros(len(normals))], axis=1)
    return half / np.linalg.norm(half, axis=1, keepdims=True)
