"""What every view shows, live or recorded: a stage that stands still, and frames of what moves on it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..model import RobotModel
from ..simulation.energy import EnergyAudit
from ..terrain import Terrain

Array = NDArray[np.float64]
MOST_FEET = 6  # that have a curve and a trail


@dataclass(frozen=True)
class Frame:
    """A moment of a simulation, as a picture needs it; arrays are its own.

    Attributes:
        time: s.
        rotations: of the bodies, (bodies, 3, 3).
        positions: of the bodies' origins in the world, (bodies, 3), m.
        contact_positions: of the touching points, (m, 3), m.
        contact_normals: of the ground there, (m, 3).
        contact_forces: on the robot, (m, 3), N.
        contact_modes: codes of `legged_contact_sim.contact.records`, (m,); a point with a force is never open.
        energy: the audit; None: nobody keeps it.
        iterations: of the contact solver in the last step.
        residual: of the contact solver in the last step.
    """

    time: float
    rotations: Array
    positions: Array
    contact_positions: Array
    contact_normals: Array
    contact_forces: Array
    contact_modes: NDArray[np.int_]
    energy: EnergyAudit | None = None
    iterations: int = 0
    residual: float = 0.0


@dataclass(frozen=True)
class Stage:
    """What does not move: the robot's shapes, the ground, and the names of what frames tell of.

    Attributes:
        robot: whose bodies frames have.
        folder: of the robot's file, where its meshes are; None: it came as text or object.
        terrain: the ground.
        friction: coefficient, for the cones.
        contact_names: of the contact points, m of them.
        label: what it runs under: a contact model's name, or where it comes from.
    """

    robot: RobotModel
    folder: Path | None
    terrain: Terrain
    friction: float
    contact_names: tuple[str, ...]
    label: str = ""

    @property
    def feet(self) -> tuple[int, ...]:
        """Indices of the contact points that get a curve and a trail: the feet, or the first few points."""
        known = {name: k for k, name in enumerate(self.contact_names)}
        feet = [known[name] for name in self.robot.feet if name in known]
        return tuple(feet or range(len(self.contact_names)))[:MOST_FEET]


class Show(Protocol):
    """What a view reads again and again; all of it may be read from any thread.

    Attributes:
        frame: the newest.
        ghost_frame: of the second run.
        message: what went wrong, in words; "": nothing.
    """

    frame: Frame
    ghost_frame: Frame | None
    message: str

    @property
    def version(self) -> int:
        """Counts how often a stage was replaced."""

    @property
    def stage(self) -> Stage:
        """Where it plays."""

    @property
    def ghost_stage(self) -> Stage | None:
        """Of a second run beside it; None: there is none."""

    def start(self) -> None:
        """Let time run."""

    def end(self) -> None:
        """End what runs."""
