"""Runs that were recorded, as frames to replay: saved trajectories, results of `compare`, and bags."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..contact.records import ITERATIONS, OPEN, RESIDUAL, SLIP
from ..dynamics import forward_kinematics
from ..dynamics.functions import energies
from ..errors import ParameterError
from ..simulation import Trajectory
from ..simulation.contacts import touching_points
from ..simulation.energy import EnergyAudit
from ..simulation.trajectory_file import SavedRuns, load_runs
from ..terrain import Plane, Terrain
from .stage import Frame, Stage

RUNS = "runs.npz"  # in the folder of a comparison
PERIOD = 0.01  # s between frames, about


@dataclass(frozen=True)
class Recording:
    """A run: where it played and its frames in order of time, at least one."""

    stage: Stage
    frames: tuple[Frame, ...]

    @property
    def end(self) -> float:
        """Time of the last frame, s."""
        return self.frames[-1].time

    def index_at(self, time: float) -> int:
        """Return which frame is the last one that is not later than a time, s; before the first: the first."""
        return max(0, int(np.searchsorted([frame.time for frame in self.frames], time + 1e-9, side="right")) - 1)


def is_recording(name: str) -> bool:
    """Return whether a name is that of something to replay: a bag, an .npz file or a folder with one."""
    path = Path(name)
    if path.is_dir():
        return (path / RUNS).is_file() or _is_bag(path)
    return path.is_file() and path.suffix in (".npz", ".mcap")


def find_recordings(name: str, terrain: Terrain | None = None) -> dict[str, Recording]:
    """Return what a file or folder holds, by label: the runs of a comparison, a trajectory, or a bag.

    Args:
        name: of an .npz file, of the folder of a comparison, of a bag or its MCAP file.
        terrain: the ground of a bag, which does not tell it; None: a plane.

    Raises:
        ParameterError: there is nothing to replay.
    """
    path = Path(name)
    if path.is_dir() and (path / RUNS).is_file():
        return recordings_of(load_runs(path / RUNS))
    if path.suffix == ".npz":
        return recordings_of(load_runs(path))
    from .bag_frames import read_bag

    return {path.stem: read_bag(path, terrain or Plane())}


def _is_bag(path: Path) -> bool:
    return (path / "metadata.yaml").is_file() or any(path.glob("*.mcap"))


def recordings_of(saved: SavedRuns) -> dict[str, Recording]:
    """Return saved trajectories as frames."""
    found = {}
    for label, run in saved.runs.items():
        stage = Stage(run.robot, saved.folder, run.terrain, saved.friction, run.robot.contact_names, label)
        found[label] = Recording(stage, frames_of(run))
    return found


def frames_of(run: Trajectory, period: float = PERIOD) -> tuple[Frame, ...]:
    """Return frames of a trajectory, about one in each period, s.

    Raises:
        ParameterError: it has no sample that is finite.
    """
    good = np.flatnonzero(np.isfinite(run.q).all(axis=1))
    if not len(good):
        raise ParameterError("the run has no sample that could be shown")
    spacing = float(np.median(np.diff(run.time))) if len(run.time) > 1 else period
    return tuple(_frame(run, int(k)) for k in good[:: max(1, round(period / spacing))])


def _frame(run: Trajectory, k: int) -> Frame:
    rotations, positions = forward_kinematics(run.robot, run.q[k])
    touching = touching_points(run.robot, run.terrain.at(float(run.time[k])), run.semi_axes, run.q[k])
    touches = run.touches[slice(*np.searchsorted(run.touches["sample"], [k, k + 1]))]
    forces, modes = np.zeros_like(touching.position), np.full(len(touching.gap), OPEN)
    forces[touches["point"]], modes[touches["point"]] = touches["force"], touches["mode"]
    return Frame(
        time=float(run.time[k]),
        rotations=rotations,
        positions=positions,
        contact_positions=touching.position,
        contact_normals=touching.normal,
        contact_forces=forces,
        contact_modes=np.where(forces.any(axis=1) & (modes == OPEN), SLIP, modes),
        energy=EnergyAudit.from_ledger(
            np.asarray(energies(run.robot, run.q[k], run.v[k])), run.start_energy, run.works[k]
        ),
        iterations=int(run.solver[k, ITERATIONS]),
        residual=float(run.solver[k, RESIDUAL]),
    )
