"""A recorded run: state, energies and solver figures over time as arrays, and the contacts that touched."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..contact.log import LogRows, log_width
from ..contact.model import Commands, Event
from ..contact.records import OPEN, SOLVER_TERMS, WORK_TERMS
from ..dynamics.series import energies_of
from ..model import RobotModel
from ..terrain import Terrain
from .contacts import touching_points

# A contact point that touched in a recorded step.
TOUCH = np.dtype(
    [
        ("sample", "i8"),  # index into the samples
        ("point", "i4"),  # index into the robot's contact points
        ("mode", "i4"),  # 0 open (after an impact inside the step), 1 stick, 2 slip
        ("gap", "f8"),  # m
        ("force", "f8", 3),  # mean over the step, world axes, N
        ("slip_velocity", "f8", 3),  # along the ground, world axes, m/s
    ]
)

BLOCK = 500_000  # numbers of a log that a run fills before what touched is picked from it


@dataclass(frozen=True)
class Trajectory:
    """T samples of a run of a robot with m contact points.

    Only points that touch are kept (`touches`); arrays with all points are made when they are asked for.

    Attributes:
        robot: whose run it is.
        terrain: what it ran on.
        semi_axes: of the ellipsoids around the contact points, (m, 3), m.
        time: (T,), s.
        q: (T, nq).
        v: (T, nv).
        effort: (T, joint_count), as commanded.
        works: (T, 7) since the last reset, J, in the order of `WORK_TERMS`.
        solver: (T, 11), in the order of `SOLVER_TERMS`.
        touches: TOUCH records of the points that touched, by sample, then by point.
        start_energy: mechanical energy at the last reset, J.
        events: of an event-driven model.
    """

    robot: RobotModel
    terrain: Terrain
    semi_axes: np.ndarray
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    effort: np.ndarray
    works: np.ndarray
    solver: np.ndarray
    touches: np.ndarray
    start_energy: float
    events: list[Event] = field(default_factory=list)

    def __repr__(self) -> str:
        """Return one line."""
        return f"Trajectory({self.robot!r}, {len(self.time)} samples, {len(self.touches)} touches)"

    @cached_property
    def forces(self) -> np.ndarray:
        """Contact forces, mean over the step, world axes, (T, m, 3), N."""
        return self._spread("force", np.zeros((*self._shape, 3)))

    @cached_property
    def slip_velocities(self) -> np.ndarray:
        """Velocities of touching points along the ground, world axes, (T, m, 3), m/s."""
        return self._spread("slip_velocity", np.zeros((*self._shape, 3)))

    @cached_property
    def modes(self) -> np.ndarray:
        """Modes of the contact points, (T, m): 0 open, 1 stick, 2 slip."""
        return self._spread("mode", np.zeros(self._shape, dtype=int))

    @cached_property
    def gaps(self) -> np.ndarray:
        """Distances to the ground, (T, m), m: the step's own for points that touched, else those of the pose."""
        if not len(self.robot.contact_names):
            return np.zeros(self._shape)
        if self.terrain.tilts:
            grounds = [self.terrain.at(time) for time in self.time]
            rows = [self._gaps_of(ground, self.q[k : k + 1]) for k, ground in enumerate(grounds)]
            return self._spread("gap", np.concatenate(rows))
        return self._spread("gap", self._gaps_of(self.terrain, self.q))

    @property
    def energies(self) -> np.ndarray:
        """Kinetic, potential and spring energy, (T, 3), J."""
        return energies_of(self.robot, self.q, self.v)

    @property
    def remainder(self) -> np.ndarray:
        """Energy that no work accounts for, (T,), J: the integrator's error since the last reset."""
        return self.energies.sum(axis=1) - self.start_energy - self.works.sum(axis=1)

    def save(self, path: Path | str) -> None:
        """Write it to an .npz file, which `load` reads and ``legged-contact-sim view`` replays; events are left out."""
        from .trajectory_file import SavedRuns, save_runs

        save_runs(Path(path), SavedRuns({Path(path).stem: self}))

    @classmethod
    def load(cls, path: Path | str) -> "Trajectory":
        """Read what `save` wrote.

        Raises:
            ParameterError: it is no such file.
        """
        from .trajectory_file import load_runs

        return next(iter(load_runs(Path(path)).runs.values()))

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.time), len(self.robot.contact_names)

    def _gaps_of(self, ground: Terrain, q: np.ndarray) -> np.ndarray:
        return touching_points(self.robot, ground, self.semi_axes, q).gap

    def _spread(self, name: str, out: np.ndarray) -> np.ndarray:
        """Write a field of the touches where it belongs in an array (T, m, ...)."""
        out[self.touches["sample"], self.touches["point"]] = self.touches[name]
        return out


def joined(parts: Sequence[Trajectory]) -> Trajectory:
    """Return one run from parts that follow each other without a reset."""
    touches, begin = [], 0
    for part in parts:
        moved = part.touches.copy()
        moved["sample"] += begin
        touches.append(moved)
        begin += len(part.time)
    names = ("time", "q", "v", "effort", "works", "solver")
    arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return replace(parts[-1], touches=np.concatenate(touches), **arrays)


class Recorder:
    """Takes the log of a run block by block, and keeps states, ledgers, and the contact points that touched.

    Attributes:
        samples: that the run will have.
        q, v, works, solver: as in `Trajectory`; NaN where the run has not been.
    """

    def __init__(self, robot: RobotModel, samples: int) -> None:
        """Make room."""
        self.samples = samples
        self.q, self.v = np.full((samples, robot.nq), np.nan), np.full((samples, robot.nv), np.nan)
        self.works = np.full((samples, len(WORK_TERMS)), np.nan)
        self.solver = np.full((samples, len(SOLVER_TERMS)), np.nan)
        self._robot = robot
        self._block = np.zeros((min(samples, max(1, BLOCK // log_width(robot))), log_width(robot)))
        self._touches: list[np.ndarray] = [np.zeros(0, TOUCH)]
        self._done, self._waiting = 0, 0

    @property
    def block(self) -> np.ndarray:
        """Where the next samples go, (at least one, log_width); empty after the last one."""
        return self._block[: self.samples - self._done]

    def put(self, row: np.ndarray) -> None:
        """Take one more sample."""
        self._block[self._waiting] = row
        self._waiting += 1
        if self._waiting == len(self.block):
            self.take(self._waiting)

    def take(self, count: int) -> None:
        """Keep the first ``count`` samples of the block."""
        begin, rows = self._done, LogRows(self._robot, self._block[:count])
        self._done, self._waiting = self._done + count, 0
        part = slice(begin, self._done)
        self.q[part], self.v[part], self.works[part], self.solver[part] = rows.q, rows.v, rows.works, rows.solver
        self._touches.append(touches_of(rows, begin))

    def cut(self) -> None:
        """Forget everything from the first sample on whose state is not finite."""
        finite = np.isfinite(self.q).all(axis=1) & np.isfinite(self.v).all(axis=1)
        end = self.samples if finite.all() else int(np.argmin(finite))
        for array in (self.q, self.v, self.works, self.solver):
            array[end:] = np.nan
        touches = self.touches
        self._touches = [touches[touches["sample"] < end]]

    @property
    def touches(self) -> np.ndarray:
        """TOUCH records of all samples."""
        return np.concatenate(self._touches)


def touches_of(rows: LogRows, begin: int) -> np.ndarray:
    """Return the TOUCH records of log rows, the first of which is sample ``begin``."""
    square = np.einsum("...k,...k", rows.force, rows.force)  # of the force's size
    sample, point = np.nonzero((rows.mode != OPEN) | (square != 0.0))
    touches = np.empty(len(sample), TOUCH)
    touches["sample"], touches["point"] = sample + begin, point
    touches["mode"], touches["gap"] = rows.mode[sample, point], rows.gap[sample, point]
    touches["force"], touches["slip_velocity"] = rows.force[sample, point], rows.slip_velocity[sample, point]
    return touches


def sample_times(first_step: int, every: int, samples: int, time_step: float) -> np.ndarray:
    """Return the times of samples, s, taken every so many steps after the ``first_step`` of a run."""
    return (first_step + every * np.arange(1, samples + 1)) * time_step


def sampled_efforts(robot: RobotModel, commands: Commands, samples: int, sample_every: int) -> np.ndarray:
    """Return the efforts commanded in the steps that were recorded, (samples, joint_count), N m or N."""
    row = ((np.arange(samples) + 1) * sample_every - 1) // commands.every
    return commands.rows[np.minimum(row, len(commands.rows) - 1), 0][:, robot.velocity_indices]


def commands_from(commands: Commands, begin: int, steps: int) -> Commands:
    """Return what drives the joints from a step of a run on, for some steps."""
    if begin == 0 or len(commands.rows) == 1:
        return commands
    row = (begin + np.arange(steps)) // commands.every
    return Commands(commands.rows[np.minimum(row, len(commands.rows) - 1)])
