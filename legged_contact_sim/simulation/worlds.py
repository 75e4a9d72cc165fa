"""Many worlds at once: one robot under one contact model from many states, on arrays, worlds first."""

from collections.abc import Callable, Iterator, Mapping, Sized
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..contact import Commands
from ..contact.commands import COMMAND_ROWS
from ..dynamics.functions import checked, coordinates
from ..errors import ParameterError, SimulationError
from ..model import RobotModel
from ..terrain import Terrain
from .checks import whole_number
from .simulator import Simulator
from .trajectory import Recorder, Trajectory, sampled_efforts


@dataclass(frozen=True)
class Rollout:
    """N worlds with T samples each.

    Attributes:
        trajectories: one per world; a world that failed has NaN from there on.
        failed: numbers of the worlds whose state became non-finite, in order.
        errors: what went wrong in each of them.
    """

    trajectories: tuple[Trajectory, ...]
    failed: tuple[int, ...]
    errors: Mapping[int, str]

    def __repr__(self) -> str:
        """Return one line."""
        return f"Rollout({len(self)} worlds, {len(self.time)} samples, failed={list(self.failed)})"

    def __len__(self) -> int:
        """Return the number of worlds."""
        return len(self.trajectories)

    @property
    def time(self) -> np.ndarray:
        """When the samples were taken, (T,), s."""
        return self.trajectories[0].time

    @cached_property
    def q(self) -> np.ndarray:
        """Coordinates, (N, T, nq)."""
        return self._stack("q")

    @cached_property
    def v(self) -> np.ndarray:
        """Rates, base velocity in the base's axes, (N, T, nv)."""
        return self._stack("v")

    @cached_property
    def works(self) -> np.ndarray:
        """Works since the start, J, (N, T, 7), in the order of `WORK_TERMS`."""
        return self._stack("works")

    @cached_property
    def energies(self) -> np.ndarray:
        """Kinetic, potential and spring energy, J, (N, T, 3)."""
        return self._stack("energies")

    @cached_property
    def remainder(self) -> np.ndarray:
        """Energy that no work accounts for, J, (N, T)."""
        starts = np.array([trajectory.start_energy for trajectory in self.trajectories])
        return self.energies.sum(axis=-1) - starts[:, None] - self.works.sum(axis=-1)

    @cached_property
    def forces(self) -> np.ndarray:
        """Contact forces, mean over the step, world axes, N, (N, T, contact points, 3)."""
        return self._stack("forces")

    @cached_property
    def modes(self) -> np.ndarray:
        """Modes of the contact points, (N, T, contact points): 0 open, 1 stick, 2 slip."""
        return self._stack("modes")

    def _stack(self, name: str) -> np.ndarray:
        return np.stack([getattr(trajectory, name) for trajectory in self.trajectories])


def rollout(
    robot: RobotModel | str,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    *,
    efforts: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    duration: float | None = None,
    every: int = 1,
    stiffness: ArrayLike = 0.0,
    damping: ArrayLike = 0.0,
    contact_model: str = "exact_lcp",
    time_step: float = 5e-4,
    terrain: str | Mapping[str, Any] | Terrain = "plane",
    sample_every: int = 1,
    threads: int | None = None,
    **parameters: Any,
) -> Rollout:
    """Simulate N worlds side by side; each gives the bits that a `Simulator` alone would give.

    A world whose state becomes non-finite is listed in ``failed``; the others go on.

    Args:
        robot: the robot, or what `RobotModel.from_urdf` takes.
        q0: coordinates at the start, (N, nq).
        v0: velocities at the start, (N, nv); None: at rest.
        efforts: joint efforts, (N, R, joint_count), or (R, joint_count) for all worlds, N m or N; None: zero.
        targets: of the joints' drives, likewise, rad or m; None: the robot's home pose.
        duration: s; None: as long as efforts or targets last, R times ``every`` steps.
        every: steps for which a row of efforts and targets is held; the last row is held to the end.
        stiffness: of the joints' drives, one number or one per joint, N m/rad or N/m; see `Simulator.hold`.
        damping: likewise, N m s/rad or N s/m.
        contact_model: its name.
        time_step: s.
        terrain: name, parameters or object of `legged_contact_sim.terrain`.
        sample_every: every so many steps are recorded.
        threads: at most so many worlds at once; None: one per processor.
        parameters: of the contact model.

    Raises:
        ParameterError: names the argument (and the world), what was found and what is expected.
    """
    first = Simulator(robot, contact_model, time_step, terrain, **parameters)
    robot = first.robot
    starts = _starts(robot, q0, v0)
    commands = _commands(robot, len(starts), efforts, targets)
    every, sample_every = whole_number("every", every), whole_number("sample_every", sample_every)
    if duration is None and efforts is None and targets is None:
        raise ParameterError("duration: expected a number of seconds, since neither efforts nor targets are given")
    steps = len(commands(0)) * every if duration is None else first.step_count(duration)

    def simulate(simulator: Simulator, world: int) -> tuple[Trajectory, str]:
        simulator.hold(stiffness, damping)
        simulator.reset(*starts[world])
        return _simulate(simulator, Commands(commands(world), every), steps, sample_every)

    count = min(whole_number("threads", (cpu_count() or 1) if threads is None else threads), len(starts))
    others = [Simulator(robot, contact_model, time_step, first.terrain, **parameters) for _ in range(count - 1)]
    found = _share_out([first, *others], len(starts), simulate)
    errors = {world: error for world, (_, error) in enumerate(found) if error}
    return Rollout(tuple(trajectory for trajectory, _ in found), tuple(errors), errors)


def _simulate(simulator: Simulator, commands: Commands, steps: int, sample_every: int) -> tuple[Trajectory, str]:
    """Run a world to its end, or until it fails; return what was recorded, and why it failed or an empty text."""
    recorder, error = Recorder(simulator.robot, steps // sample_every), ""
    try:
        simulator.record(steps, commands, sample_every, recorder)
    except SimulationError as failure:
        error = str(failure)
        recorder.cut()
    efforts = sampled_efforts(simulator.robot, commands, recorder.samples, sample_every)
    return simulator.trajectory(0, recorder, efforts, sample_every), error


def _share_out(
    simulators: list[Simulator], worlds: int, simulate: Callable[[Simulator, int], tuple[Trajectory, str]]
) -> list[tuple[Trajectory, str]]:
    """Let each simulator, in a thread of its own, take the next world until there is none left."""
    found: dict[int, tuple[Trajectory, str]] = {}
    waiting: Iterator[int] = iter(range(worlds))

    def work(simulator: Simulator) -> None:
        for world in waiting:
            found[world] = simulate(simulator, world)

    with ThreadPoolExecutor(max_workers=len(simulators)) as pool:
        for _ in pool.map(work, simulators):
            pass
    return [found[world] for world in range(worlds)]


def _starts(robot: RobotModel, q0: ArrayLike, v0: ArrayLike | None) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return q and v of every world, checked."""
    count = len(q0) if isinstance(q0, Sized) else 0
    if count == 0:
        raise ParameterError(f"q0: expected (worlds, {robot.nq}) numbers, at least one world, found {q0!r:.80}")
    places = checked("q0", q0, count, robot.nq)
    velocities = np.zeros((count, robot.nv)) if v0 is None else checked("v0", v0, count, robot.nv)
    for world, q in enumerate(places):
        try:
            coordinates(robot, q)
        except ParameterError as error:
            raise ParameterError(f"q0[{world}]: {error}") from None
    return list(zip(places, velocities, strict=True))


def _commands(
    robot: RobotModel, worlds: int, efforts: ArrayLike | None, targets: ArrayLike | None
) -> Callable[[int], np.ndarray]:
    """Return a function that gives the command rows (R, 2, nv) of a world."""
    given = {"efforts": efforts, "targets": targets}
    arrays = {name: _per_world(name, value, worlds, robot.joint_count) for name, value in given.items()}
    lengths = {name: array.shape[-2] for name, array in arrays.items() if array is not None}
    if len(set(lengths.values())) > 1:
        raise ParameterError(f"targets: expected {lengths['efforts']} rows as in efforts, found {lengths['targets']}")
    count = max(lengths.values(), default=1)
    home = robot.home[robot.position_indices]

    def rows(world: int) -> np.ndarray:
        commands = np.zeros((count, COMMAND_ROWS, robot.nv))
        for k, (name, default) in enumerate((("efforts", 0.0), ("targets", home))):
            array = arrays[name]
            own = default if array is None else array if array.ndim == 2 else array[world]
            commands[:, k, robot.velocity_indices] = own
        return commands

    return rows


def _per_world(name: str, value: ArrayLike | None, worlds: int, joints: int) -> np.ndarray | None:
    """Return an array (R, joints) for all worlds or (worlds, R, joints), checked; None stays None."""
    if value is None:
        return None
    shape = np.shape(value)
    if len(shape) not in (2, 3) or shape[-2] == 0:
        raise ParameterError(f"{name}: expected (rows, {joints}) or ({worlds}, rows, {joints}) numbers, found {shape}")
    return checked(name, value, *shape[:-2] and (worlds,), shape[-2], joints)
