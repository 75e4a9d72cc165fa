"""Many worlds that stop and go on together, as learning needs them: one compiled call advances them all."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import Any, NamedTuple

import numpy as np

from ..actuation.rows import DAMPING, STIFFNESS
from ..contact.commands import COMMAND_ROWS
from ..contact.stepping.side_by_side import group_of
from ..contact.system import dof_rows, dry_joints, with_room
from ..errors import ParameterError
from ..jit import bind
from ..jit.switch import compiles
from ..model import RobotModel
from ..terrain import Terrain, make_terrain
from ..terrain.records import AT_REST
from .contact_model import make_contact_model
from .lane_entries import SIDE_BY_SIDE, worlds_side_by_side
from .world_entries import ENTRIES

NEXT, LAST = [1, 2, 0], [2, 0, 1]  # of the axes x, y, z


class Worlds(NamedTuple):
    """What N worlds remember between calls; nv velocities, m contact points."""

    states: np.ndarray  # q and v in outer axes, (N, nq + nv)
    slides: np.ndarray  # of joints with dry friction, (N, n)
    contacts: np.ndarray  # records of the contact points as integers, (N, size)
    shares: np.ndarray  # what the contact solver remembers of slipping contacts, (N, rows)
    dofs: np.ndarray  # see actuation/rows.py, (N, DOF_ROWS, nv)
    commands: np.ndarray  # before and after the delay: efforts and targets, (N, 2, COMMAND_ROWS, nv)
    wrenches: np.ndarray  # on the base, at its origin: force and torque in world axes, (N, 6), N and N m
    delays: np.ndarray  # steps of a call for which the command before it still acts, (N,)
    frictions: np.ndarray  # of the ground, (N,)
    masses: np.ndarray  # factor on all masses, (N,)


class Scratch(NamedTuple):
    """What a thread has besides its system: its contacts as integers, its solver's memory, and the robot as it is."""

    contacts: np.ndarray
    shares: np.ndarray
    own_links: np.ndarray  # those of its system, which only this array may change
    links: np.ndarray


class WorldBatch:
    """N worlds of one robot on one terrain, each under one of several contact models.

    ``worlds`` holds arrays that callers read and write between calls; `q` and `v` are in the form of `Simulator`.
    Worlds under `exact_lcp` go side by side in vector registers, if no joint has dry friction and the ground is at
    rest; ``alone`` is how many steps of the last call were done one world at a time. The state of a world does not
    depend on how many others there are, nor on the number of threads.
    """

    def __init__(
        self,
        robot: RobotModel,
        count: int,
        contact_models: Sequence[str] = ("exact_lcp",),
        time_step: float = 2e-3,
        terrain: str | Terrain = "plane",
        threads: int | None = None,
        **parameters: Any,
    ) -> None:
        """Set all worlds to the robot's home pose at rest.

        Args:
            robot: with a floating base and no closed loops.
            count: N.
            contact_models: names; all worlds begin under the first.
            time_step: s.
            terrain: of all worlds.
            threads: at most so many; None: one per processor.
            parameters: of the contact models.

        Raises:
            ParameterError: a model goes from event to event, or the robot has no floating base.
        """
        if robot.base != "floating":
            raise ParameterError(f"robot: expected a floating base, found {robot.name} with a {robot.base} one")
        if len(robot.collision_pairs):
            raise ParameterError("self_collision: worlds side by side do not have it; expected a robot without it")
        if len(robot.closures):
            loop = robot.closure_names[0]
            raise ParameterError(
                f"robot: worlds side by side cannot keep {loop!r}; expected no loops or coupled joints"
            )
        for name in contact_models:
            if name not in ENTRIES:
                raise ParameterError(f"contact_model: expected one of {', '.join(ENTRIES)}, found {name!r}")
        self.robot, self.count, self.time_step = robot, count, time_step
        self.contact_models = tuple(contact_models)
        self.terrain = make_terrain(terrain)
        if self.terrain.tilts:
            raise ParameterError(f"terrain: worlds share one ground that keeps its shape, found {self.terrain!r}")
        self.threads = min(threads or cpu_count() or 1, count)
        self._places = [[self._place(name, parameters) for name in self.contact_models] for _ in range(self.threads)]
        system = self._places[0][0][0]
        self._fresh = [scratch.contacts.copy() for _, _, scratch in self._places[0]]
        records = [system.contacts.dtype for system, _, _ in self._places[0]]
        self._records = [np.zeros((count, len(system.contacts)), dtype=record) for record in records]
        self._contacts = [records.view(np.int64) for records in self._records]
        self._shares = [np.zeros((count, len(scratch.shares))) for _, _, scratch in self._places[0]]
        self.model_of = np.zeros(count, dtype=np.int64)  # which contact model each world is under
        self.worlds = Worlds(
            states=np.tile(np.concatenate([robot.home, np.zeros(robot.nv)]), (count, 1)),
            slides=np.zeros((count, len(system.slides))),
            contacts=self._contacts[0],
            shares=self._shares[0],
            dofs=np.tile(dof_rows(robot), (count, 1, 1)),
            commands=np.zeros((count, 2, COMMAND_ROWS, robot.nv)),
            wrenches=np.zeros((count, 6)),
            delays=np.zeros(count, dtype=np.int64),
            frictions=np.full(count, float(self._places[0][0][1]["friction"][0])),
            masses=np.ones(count),
        )
        # Lanes know neither dry joints nor moving ground (nor does Python without a compiler know lanes).
        still = self.terrain.record["motion"][0] == AT_REST
        self._ordinary = bool(still) and not dry_joints(robot) and compiles()
        self._groups = [group_of(system) for ((system, _, _), *_) in self._places]
        self.alone = 0
        self._calls: list[list[tuple[Callable[[], int], int]]] = []
        self._bound_for = (0, b"")  # steps and models that the calls are for; none yet
        indices = robot.velocity_indices
        first = robot.nv - len(indices)
        in_a_row = np.array_equal(indices, np.arange(first, robot.nv))
        self._joints = slice(first, robot.nv) if in_a_row else indices  # a slice is quicker
        self._pool = ThreadPoolExecutor(self.threads)
        self.forget(np.ones(count, dtype=bool))

    def _place(self, name: str, parameters: dict[str, Any]) -> tuple[Any, np.ndarray, Scratch]:
        """Return a system with room for all contact points, its settings and what else a thread needs."""
        model: Any = make_contact_model(name, self.robot, self.terrain, parameters)
        usual: Any = make_contact_model(name, self.robot, self.terrain, {})
        if model.entry is not usual.entry:
            raise ParameterError(f"{name}: many worlds know its usual solver and coordinates only")
        points = len(self.robot.contact_points)
        if model.first_room is not None and model.first_room < points:
            model.system = with_room(model.system, self.robot, points, model.make_work)
        system, settings = model._arguments(self.time_step)
        # A read-only view, as in a `Simulator`: what both call is then compiled once.
        own_links = self.robot.links.copy()
        system = system._replace(links=own_links.view())
        system.links.flags.writeable = False
        friction_work = getattr(system.work, "friction", system.work)
        shares = np.zeros(1) if friction_work is None else friction_work.shares
        scratch = Scratch(system.contacts.view(np.int64).reshape(-1), shares, own_links, self.robot.links)
        return system, settings, scratch

    @property
    def q(self) -> np.ndarray:
        """Coordinates, (N, nq); a view."""
        return self.worlds.states[:, : self.robot.nq]

    @property
    def v(self) -> np.ndarray:
        """Velocities, the base's in its own axes, (N, nv); a copy."""
        v = self.worlds.states[:, self.robot.nq :].copy()
        v[:, :6] = turned_back(self.q[:, 3:7], v[:, :6].reshape(-1, 2, 3)).reshape(-1, 6)
        return v

    @property
    def failed(self) -> tuple[int, ...]:
        """Numbers of the worlds whose state is not finite; the others go on."""
        return tuple(np.flatnonzero(~np.isfinite(self.worlds.states).all(axis=1)).tolist())

    def hold(self, stiffness: np.ndarray | float, damping: np.ndarray | float) -> None:
        """Set the drives' gains in all worlds: one number, or one per joint."""
        self.hold_in(np.ones(self.count, dtype=bool), stiffness, damping)

    def hold_in(self, chosen: np.ndarray, stiffness: np.ndarray | float, damping: np.ndarray | float) -> None:
        """Set the drives' gains in the worlds of a mask (N,): as `hold`, or (k, joint_count)."""
        for row, gains in ((STIFFNESS, stiffness), (DAMPING, damping)):
            values = np.broadcast_to(gains, (int(chosen.sum()), self.robot.joint_count))
            self.worlds.dofs[np.ix_(chosen, np.array([row]), self.robot.velocity_indices)] = values[:, None]

    def place(self, chosen: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Put worlds of a mask (N,) into states q (k, nq) and v (k, nv), base velocity in the base's axes."""
        outer = v.copy()
        back = q[:, 3:7] * (-1.0, -1.0, -1.0, 1.0)
        outer[:, :6] = turned_back(back, v[:, :6].reshape(-1, 2, 3)).reshape(-1, 6)
        self.worlds.states[chosen] = np.concatenate([q, outer], axis=1)
        self.forget(chosen)

    def forget(self, chosen: np.ndarray) -> None:
        """Forget contacts and joint friction of worlds in a mask (N,); see `model_of` for their contact model."""
        for k, fresh in enumerate(self._fresh):
            mine = chosen & (self.model_of == k)
            self._contacts[k][mine] = fresh
            self._shares[k][mine] = 0.0
        self.worlds.slides[chosen] = 0.0
        self.worlds.dofs[chosen, :STIFFNESS] = 0.0

    def command(self, targets: np.ndarray, wrench: np.ndarray | float = 0.0) -> None:
        """Set targets of the drives, (N, joint_count), and a wrench on the base in world axes, (N, 6), N and N m.

        The targets before act for the first ``worlds.delays`` steps of the next call.
        """
        commands = self.worlds.commands
        commands[:, 0] = commands[:, 1]
        commands[:, 1, 1, self._joints] = targets
        self.worlds.wrenches[:] = wrench

    def advance(self, steps: int) -> None:
        """Advance all worlds by some steps; a thread takes an equal share of each model's worlds."""
        wanted = steps, self.model_of.tobytes()
        if wanted != self._bound_for:
            self._calls = [self._calls_of(thread, steps) for thread in range(self.threads)]
            self._bound_for = wanted

        def work(thread: int) -> int:
            return sum(call() * each for call, each in self._calls[thread])

        self.alone = work(0) if self.threads == 1 else sum(self._pool.map(work, range(self.threads)))

    def _calls_of(self, thread: int, steps: int) -> list[tuple[Callable[[], int], int]]:
        """Return the calls that advance a thread's worlds, each with the steps done alone for one that it counts."""
        calls: list[tuple[Callable[[], int], int]] = []
        for k, name in enumerate(self.contact_models):
            chosen = np.array_split(np.flatnonzero(self.model_of == k), self.threads)[thread]
            if not len(chosen):
                continue
            end = (self._memory(k), chosen, self.time_step, steps)
            if self._ordinary and name == SIDE_BY_SIDE:
                own = (*self._places[thread][k], self._groups[thread], self._records[k])
                calls.append((bind(worlds_side_by_side, *own, *end), 1))
            else:
                calls.append((bind(ENTRIES[name], *self._places[thread][k], *end), steps))
        return calls

    def _memory(self, model: int) -> Worlds:
        """Return what worlds remember, with the contacts as a model has them."""
        return self.worlds._replace(contacts=self._contacts[model], shares=self._shares[model])

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()


def turned_back(orientations: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors (N, k, 3) of the world in the axes of bodies with orientations (N, 4), x y z w."""
    axis, w = -orientations[:, None, :3], orientations[:, None, 3:4]
    once = 2.0 * cross(axis, vectors)
    return vectors + w * once + cross(axis, once)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a x b for vectors (..., 3); `np.cross` takes several times as long for as few as the base's."""
    return a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT]
