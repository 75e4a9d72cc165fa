"""Trajectories in a file: a NumPy archive (.npz) without pickled objects, so that no file can run code."""

import dataclasses
import json
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LeggedContactSimError, ModelWarning, ParameterError
from ..model import RobotModel
from ..terrain import TERRAINS, HeightField, Plane, Terrain, make_terrain
from .trajectory import Trajectory

FORMAT = 1
SERIES = ("time", "q", "v", "effort", "works", "solver", "touches")
POINTS = ("contact_points", "closures", "home")  # arrays of a robot that its URDF text alone does not give
NAMES = ("contact_names", "contact_links", "feet", "closure_names")


@dataclasses.dataclass(frozen=True)
class SavedRuns:
    """What a file of trajectories holds.

    Attributes:
        runs: trajectories by label, all of one robot on one ground.
        folder: of the robot's file, where its meshes are; None: unknown.
        friction: coefficient of the ground.
    """

    runs: dict[str, Trajectory]
    folder: Path | None = None
    friction: float = 0.8


def save_runs(path: Path, saved: SavedRuns) -> None:
    """Write trajectories of one robot to an .npz file; events of event-driven models are left out.

    Raises:
        ParameterError: there is no trajectory.
    """
    if not saved.runs:
        raise ParameterError(f"{path}: there is no trajectory to save")
    first = next(iter(saved.runs.values()))
    robot, ground = first.robot, _ground(first.terrain)
    about = {
        "format": FORMAT,
        "labels": list(saved.runs),
        "base": robot.base,
        "names": {name: list(getattr(robot, name)) for name in NAMES},
        "terrain": ground,
        "folder": None if saved.folder is None else str(saved.folder),
        "friction": saved.friction,
        "start_energies": [run.start_energy for run in saved.runs.values()],
    }
    arrays: dict[str, Any] = {f"robot_{name}": np.asarray(getattr(robot, name)) for name in (*POINTS, "gravity")}
    arrays |= {"heights": first.terrain.heights, "semi_axes": first.semi_axes}
    for number, run in enumerate(saved.runs.values()):
        arrays |= {f"{name}_{number}": getattr(run, name) for name in SERIES}
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        np.savez_compressed(file, about=np.array(json.dumps(about)), urdf=np.array(robot.urdf), **arrays)


def load_runs(path: Path) -> SavedRuns:
    """Read what `save_runs` wrote.

    Raises:
        ParameterError: it is no such file.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            return _read(dict(file))
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile, LeggedContactSimError) as error:
        words = " ".join(str(error).split())
        raise ParameterError(f"{path}: expected trajectories as `Trajectory.save` writes them; {words}") from None


def thinned(run: Trajectory, every: int, first: int = 0) -> Trajectory:
    """Return a trajectory with one of so many samples, from the ``first`` on."""
    since = run.touches["sample"] - first
    touches = run.touches[(since >= 0) & (since % every == 0)].copy()
    touches["sample"] = (touches["sample"] - first) // every
    series = {name: getattr(run, name)[first::every] for name in SERIES if name != "touches"}
    return dataclasses.replace(run, touches=touches, **series)


def _read(arrays: dict[str, np.ndarray]) -> SavedRuns:
    about = json.loads(str(arrays["about"]))
    if about["format"] != FORMAT:
        raise ParameterError(f"format: expected {FORMAT}, found {about['format']}")
    robot = _robot(arrays, about)
    terrain = _terrain(about["terrain"], arrays["heights"])
    runs = {}
    for number, label in enumerate(about["labels"]):
        series: dict[str, Any] = {name: arrays[f"{name}_{number}"] for name in SERIES}
        start = float(about["start_energies"][number])
        if series["q"].shape != (len(series["time"]), robot.nq):
            raise ParameterError(f"q of shape {series['q'].shape}; expected {(len(series['time']), robot.nq)}")
        runs[label] = Trajectory(robot, terrain, arrays["semi_axes"], **series, start_energy=start)
    folder = None if about["folder"] is None else Path(about["folder"])
    return SavedRuns(runs, folder, float(about["friction"]))


def _robot(arrays: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> RobotModel:
    """Return the robot: its tree from the URDF, its points as they were, whatever files stood beside it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = RobotModel.from_urdf(
            str(arrays["urdf"]),
            about["base"],
            meshes="skip",
            gravity=arrays["robot_gravity"],
            home=arrays["robot_home"],
        )
    parts: dict[str, Any] = {name: arrays[f"robot_{name}"] for name in POINTS}
    for array in parts.values():
        array.flags.writeable = False
    names: dict[str, Any] = {name: tuple(about["names"][name]) for name in NAMES}
    return dataclasses.replace(robot, **parts, **names)


def _ground(terrain: Terrain) -> dict[str, Any]:
    """Return a terrain as `make_terrain` takes it; the heights of a field are kept apart."""
    kind = next(name for name, made in TERRAINS.items() if type(terrain) is made)
    if isinstance(terrain, Plane):
        return {"kind": kind, "height": terrain.level}
    numbers = {item.name: getattr(terrain, item.name) for item in dataclasses.fields(terrain) if item.name != "array"}
    return {"kind": kind, **numbers}


def _terrain(spec: dict[str, Any], heights: np.ndarray) -> Terrain:
    is_field = TERRAINS.get(spec["kind"]) is HeightField
    return make_terrain({**spec, "array": heights} if is_field else spec)
