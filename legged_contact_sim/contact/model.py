"""The interface of a contact model: a name, parameters, and a run over a number of steps."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from ..actuation.rows import STIFFNESS
from ..errors import ParameterError, ParameterWarning
from ..model import RobotModel
from ..terrain import Terrain
from .memory import rebuilt, remembered
from .parameters import GROUND, checked_value
from .parameters import Parameters as ParameterSet
from .records import CONTACT, CONTACTS, FACTORED, IDENTITY, WORK_TERMS
from .system import System, build_system


@dataclass(frozen=True)
class Event:
    """Something that happened at an instant (event-driven models).

    ``kind`` is "impact", "contact", "separation", "stick", "slip" or a word of the model's own; ``points`` are the
    names of the contact points, ``impulses`` (len(points), 3) are in world axes, N s; energies are kinetic plus
    potential plus elastic, J.

    The rest is there to audit it: ``q`` and the velocities before and after, ``limit_impulses`` (nv,) of joints at a
    limit, and ``attenuation``, by which an energy control multiplied all velocities (1: it did not). With the mass
    matrix M and the points' Jacobians J,

        sum J^T impulse + limit_impulses = M (v_after - attenuation v_before).
    """

    time: float
    kind: str
    points: tuple[str, ...]
    impulses: np.ndarray
    energy_before: float
    energy_after: float
    note: str = ""
    q: np.ndarray = field(default_factory=lambda: np.zeros(0))
    v_before: np.ndarray = field(default_factory=lambda: np.zeros(0))
    v_after: np.ndarray = field(default_factory=lambda: np.zeros(0))
    limit_impulses: np.ndarray = field(default_factory=lambda: np.zeros(0))
    attenuation: float = 1.0


@dataclass(frozen=True)
class Commands:
    """What drives the joints during a run.

    ``rows`` (T, 2, nv): feed-forward efforts and target positions; each row is held for ``every`` steps, the last one
    to the end.
    """

    rows: np.ndarray
    every: int = 1


class ContactModel(ABC):
    """A law of contact for one robot on one terrain. Adding a model means adding a file with a subclass."""

    name: ClassVar[str]
    summary: ClassVar[str]
    Parameters: ClassVar[type[ParameterSet]]
    cannot_honour: ClassVar[Mapping[str, str]] = {}  # of the ground's friction and restitution, with the reason
    passive: ClassVar[bool] = False  # True: a promise that contacts never give more work than they took
    contact_record: ClassVar[np.dtype] = CONTACT  # of one contact point; `extended` adds what a model keeps of its own
    moves_ground: ClassVar[bool] = False  # True: it knows contact velocities relative to a ground that moves
    closes_loops: ClassVar[bool] = False  # True: it simulates robots with loops and coupled joints
    collides: ClassVar[bool] = False  # True: it simulates robots whose bodies collide with one another
    first_room: ClassVar[int | None] = None  # for so many contacts at once the system is built; None: for all points

    def __init__(self, robot: RobotModel, terrain: Terrain, parameters: ParameterSet) -> None:
        """Allocate everything that steps need.

        Args:
            robot: the robot.
            terrain: the ground.
            parameters: an instance of the class's own ``Parameters``.
        """
        if len(robot.closures) and not self.closes_loops:
            raise ParameterError(
                f"contact_model: {self.name} cannot keep {robot.closure_names[0]}; expected exact_lcp or moreau"
            )
        if terrain.moves and not self.moves_ground:
            raise ParameterError(
                f"contact_model: {self.name} cannot move the ground; expected one that steps through time"
            )
        if len(robot.collision_pairs) and (len(robot.closures) or not self.collides):
            raise ParameterError(self._cannot_collide())
        self.robot = robot
        self.terrain = terrain
        self.parameters = parameters
        self.system: System = build_system(robot, terrain, self.contact_record, self.first_room)
        self.events: list[Event] = []
        self.time = 0.0  # of the simulator when the state was last set, s

    def _cannot_collide(self) -> str:
        """Return why the model does not simulate a robot whose bodies collide."""
        if self.collides:
            return "self_collision: a robot with loops or coupled joints cannot have it; expected one without them"
        return f"self_collision: {self.name} knows contact with the ground only; expected exact_lcp or moreau"

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to make another one that goes on from here: models can be pickled and copied."""
        return rebuilt, (type(self), self.robot, self.terrain, self.parameters, remembered(self))

    @classmethod
    def make_parameters(cls, **given: Any) -> ParameterSet:
        """Return the model's parameters from keywords; unknown ones are refused by name.

        The ground's friction and restitution are understood by all: a model that has no such parameter warns.
        """
        known = cls.parameter_names()
        for name in given:
            if name in known:
                continue
            if name not in GROUND:
                raise ParameterError(f"{name}: {cls.name} has no such parameter; it has {', '.join(known)}")
            checked_value(name, given[name], GROUND[name])
            reason = cls.cannot_honour.get(name, "it has no such parameter")
            warnings.warn(f"{name}: {cls.name} cannot honour it: {reason}", ParameterWarning, stacklevel=2)
        return cls.Parameters(**{name: value for name, value in given.items() if name in known})

    @classmethod
    def parameter_names(cls) -> list[str]:
        """Return the names of the model's parameters."""
        return [item.name for item in fields(cls.Parameters)]

    def restart(self) -> None:
        """Forget contacts, anchors and events after the state was set; moving ground is where it is at `time`."""
        contacts = self.system.contacts
        identity = contacts[IDENTITY].copy()
        contacts[:] = np.zeros(1, dtype=contacts.dtype)
        contacts[IDENTITY] = identity
        contacts["normal"][:, 2] = 1.0
        if self.terrain.moves:
            self.system.terrain[:] = self.terrain.at(self.time).record
        self.system.ledger[:] = 0.0
        self.system.slides[:] = 0.0
        self.system.pending[:] = 0.0
        self.system.dofs[:STIFFNESS] = 0.0
        _clear(self.system.work or ())  # a solver may keep its last solution there
        self.events.clear()

    @property
    def semi_axes(self) -> np.ndarray:
        """Semi-axes along the body's axes of the ellipsoid around every contact point, (m, 3), m: spheres here."""
        return np.repeat(self.robot.contact_points["radius"][:, None], 3, axis=1)

    def contact_problem(self) -> tuple[np.ndarray, np.ndarray]:
        """Return G and b of the last step's contacts, whose velocities are ``w = G z + b``: (3c, 3c) and (3c,), copies.

        Blocks of three rows (normal and two tangents) for each of the c contacts that acted; time-stepping models.
        """
        solver, system = self.system.ledger[len(WORK_TERMS) :], self.system
        rows, offsets = 3 * int(solver[CONTACTS]), system.offsets[: 3 * int(solver[CONTACTS])].copy()
        if solver[FACTORED]:
            efforts, motions = system.columns[: 2 * self.robot.nv, :rows].reshape(2, self.robot.nv, rows)
            return efforts.T @ motions + np.diag(system.columns[2 * self.robot.nv, :rows]), offsets
        return system.G[:rows, :rows].copy(), offsets

    def single_step(self, time_step: float, command: np.ndarray, log: np.ndarray) -> Callable[[], None]:
        """Return a call that advances by one step with the efforts that ``command`` (1, 2, nv) then holds.

        Each time, ``log`` (1, log_width) gets what the step leaves.
        """
        commands = Commands(command)
        return lambda: self.run(time_step, 1, commands, log, 1)

    @abstractmethod
    def run(self, time_step: float, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """Advance ``system.state`` by some steps, s each, and record every ``log_every``-th step in ``log`` (rows)."""


def _clear(work: Iterable[Any]) -> None:
    """Fill the arrays of a solver's work, a tuple that may hold others, with zeros."""
    for part in work:
        if isinstance(part, tuple):
            _clear(part)
        else:
            part[...] = 0
