"""The interface of a controller: it sees what a robot's sensors measure and answers with joint efforts."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..errors import ParameterError
from ..model import RobotModel
from ..simulation import Simulator
from .parameters import Parameters as ParameterSet


class BaseState(NamedTuple):
    """The base as an estimator gives it: position (3,), m, and orientation (4,), x y z w, in the world; velocities.

    Linear (3,), m/s, and angular velocity (3,), rad/s, are in the base's own axes.
    """

    position: np.ndarray
    orientation: np.ndarray
    linear_velocity: np.ndarray
    angular_velocity: np.ndarray


class ContactForces(Mapping[str, np.ndarray]):
    """Contact forces (m, 3), N, looked up by the contact point's name; nothing is done for points nobody asks for."""

    def __init__(self, places: Mapping[str, int], forces: np.ndarray) -> None:
        """Take where each name stands in the array, and the array."""
        self._places = places
        self.forces = forces

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the force on a contact point, (3,), N."""
        force: np.ndarray = self.forces[self._places[name]]
        return force

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return the number of contact points."""
        return len(self._places)


@dataclass(frozen=True)
class Observation:
    """What a robot's sensors measure at an instant.

    Attributes:
        time: s.
        positions: of the joints in joint order, (joint_count,), rad or m.
        velocities: of the joints, (joint_count,), rad/s or m/s.
        base: None where nothing measures it, or the base is fixed.
        contact_forces: on the robot, by name of the contact point, world axes, (3,), N; empty where nothing measures.
    """

    time: float
    positions: np.ndarray
    velocities: np.ndarray
    base: BaseState | None = None
    contact_forces: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def finite(self) -> bool:
        """Whether every reading is a finite number."""
        forces = self.contact_forces
        felt = (forces.forces,) if isinstance(forces, ContactForces) else tuple(forces.values())
        readings = (self.positions, self.velocities, *(self.base or ()), *felt)
        return math.isfinite(sum(float(reading.sum()) for reading in readings))

    def normal_force(self, point: str) -> float:
        """Return the upward force on a contact point, N.

        Raises:
            ParameterError: nothing measures it.
        """
        if point not in self.contact_forces:
            raise ParameterError(f"contact_forces: this controller needs the force at {point!r}; nothing measures it")
        return float(self.contact_forces[point][2])


class DriveTargets(NamedTuple):
    """What drives are to follow, arrays (joint_count,): ``u = stiffness (position - q) + damping (velocity - v)``.

    In rad, rad/s, N m/rad and N m s/rad; for sliding joints in m, m/s, N/m and N s/m.
    """

    position: np.ndarray
    velocity: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray


class Controller(ABC):
    """Turns observations into joint efforts; knows nothing of ROS or of the simulator.

    ``feels_contacts``: whether it reads the contact forces; where it does not, nobody has to wait for them.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    feels_contacts: ClassVar[bool] = True
    Parameters: ClassVar[type[ParameterSet]]

    def __init__(self, robot: RobotModel, parameters: Any) -> None:
        """Keep the robot and the controller's own frozen parameters."""
        self.robot = robot
        self.parameters = parameters

    @abstractmethod
    def reset(self, observation: Observation) -> None:
        """Begin anew from what the sensors measure now."""

    @abstractmethod
    def effort(self, observation: Observation) -> np.ndarray:
        """Return joint efforts in joint order, (joint_count,), N m or N."""

    def targets(self, observation: Observation) -> DriveTargets:
        """Return what the drives are to follow, instead of efforts.

        Raises:
            ParameterError: this controller, as it is set, has efforts only.
        """
        raise ParameterError(f"{self.name}: it has no joint targets, only efforts")

    def command_velocity(self, forward: float, sideways: float, turning: float) -> None:  # noqa: B027
        """Ask for a velocity of the base, m/s and rad/s, in its own axes; controllers that do not walk ignore it."""


class InProcess:
    """A controller as `Simulator.run` takes it: asked every ``period``, s, its effort held in between."""

    def __init__(self, controller: Controller, simulator: Simulator, period: float = 0.002) -> None:
        """Round the period to whole time steps, at least one."""
        self.controller = controller
        self.simulator = simulator
        self.every = max(1, round(period / simulator.time_step))
        self._calls = 0
        self._effort = np.zeros(simulator.robot.joint_count)

    def __call__(self, time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the effort to apply at this step."""
        if self._calls % self.every == 0:
            seen = observe(self.simulator, time, q, v)
            if self._calls == 0:
                self.controller.reset(seen)
            self._effort = self.controller.effort(seen)
        self._calls += 1
        return self._effort


def observe(simulator: Simulator, time: float, q: np.ndarray, v: np.ndarray) -> Observation:
    """Return what ideal sensors measure of a simulator's state; contact forces are those of its last step."""
    robot = simulator.robot
    base = BaseState(q[:3], q[3:7], v[:3], v[3:6]) if robot.base == "floating" else None
    forces = ContactForces(_places(robot.contact_names), simulator.contacts.force.copy())
    return Observation(time, q[robot.position_indices], v[robot.velocity_indices], base, forces)


@cache
def _places(names: tuple[str, ...]) -> dict[str, int]:
    """Return where each name stands."""
    return {name: k for k, name in enumerate(names)}
