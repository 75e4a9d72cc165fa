"""The simulator: one robot on one terrain under one contact model, step by step."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..actuation.rows import DAMPING, EFFORT, STIFFNESS
from ..contact import MODELS, Commands, ContactModel, Event
from ..contact.commands import COMMAND_ROWS
from ..contact.model import NO_LOG
from ..dynamics import forward_kinematics
from ..dynamics.functions import (
    checked,
    coordinates,
    energies,
    to_base_axes,
    to_outer_axes,
)
from ..errors import ParameterError, SimulationError
from ..jit import together_with
from ..model import RobotModel
from ..terrain import Terrain, make_terrain
from .report import StepReport
from .trajectory import Trajectory, log_width

Controller = Callable[[float, np.ndarray, np.ndarray], ArrayLike]


class State(NamedTuple):
    """Where the robot stands: coordinates q (nq,) and rates v (nv,), base velocity in the base's axes."""

    q: np.ndarray
    v: np.ndarray


class Simulator:
    """Integrates a robot's motion under a selectable contact model.

    Example:
        >>> sim = Simulator(RobotModel.from_urdf("quadruped16"), contact_model="exact_lcp")
        >>> report = sim.step(np.zeros(16))
        >>> [contact.force for contact in report.contacts]
    """

    def __init__(
        self,
        robot: RobotModel | str,
        contact_model: str = "exact_lcp",
        time_step: float = 5e-4,
        terrain: str | Mapping[str, Any] | Terrain = "plane",
        **parameters: Any,
    ) -> None:
        """Set the robot on the ground in its home pose.

        Args:
            robot: the robot, or what `RobotModel.from_urdf` takes.
            contact_model: name of a contact model, see `contact_models`.
            time_step: s.
            terrain: name, parameters or object of `legged_contact_sim.terrain`.
            parameters: of the contact model, such as ``friction=0.8`` and ``restitution=0.0``.

        Raises:
            ParameterError: names the parameter, what was found and what is allowed.
        """
        self.robot = RobotModel.from_urdf(robot) if isinstance(robot, str) else robot
        self.terrain = make_terrain(terrain)
        self.time_step = checked_time_step(time_step)
        self._command = np.zeros((1, COMMAND_ROWS, self.robot.nv))
        self._pushes: list[_Push] = []
        self.model = self._make_model(contact_model, self.terrain, parameters)
        self.reset()

    @property
    def contact_model(self) -> str:
        """Name of the contact model."""
        return self.model.name

    @property
    def state(self) -> State:
        """Coordinates and rates now (copies)."""
        nq = self.robot.nq
        q = self.model.system.state[:nq].copy()
        return State(q, to_base_axes(self.robot, q, self.model.system.state[nq:]))

    @property
    def events(self) -> list[Event]:
        """What happened since the last reset (event-driven models)."""
        return self.model.events

    def reset(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Put the robot into a state at time 0; None: its home pose with the feet on the ground, and at rest."""
        self.time = 0.0
        self._steps = 0
        self._pushes.clear()
        self.model.system.forces[:] = 0.0
        self._set_state(self.home() if q is None else coordinates(self.robot, q), v)

    def home(self) -> np.ndarray:
        """Return the home pose, as `grounded` leaves it."""
        return self.grounded(self.robot.home)

    def grounded(self, q: np.ndarray) -> np.ndarray:
        """Return q lifted or lowered so that the lowest contact point of a floating base just touches."""
        q = q.copy()
        points = self.robot.contact_points
        if self.robot.base == "floating" and len(points):
            rotation, position = forward_kinematics(self.robot, q)
            centers = position[points["link"]] + np.einsum("kij,kj->ki", rotation[points["link"]], points["position"])
            for _ in range(4):  # on a slope or a field the point that touches may change on the way
                gaps = self.terrain.gap(centers) - points["radius"]
                lowest = int(np.argmin(gaps))
                drop = gaps[lowest] / max(self.terrain.normal(centers[lowest])[2], 1e-3)
                q[2] -= drop
                centers[:, 2] -= drop
        return q

    def step(self, effort: ArrayLike | None = None) -> StepReport:
        """Advance by one time step with joint efforts (joint_count,), N m or N, in joint order; None: zero."""
        self._set_effort(effort)
        if self._pushes:
            self._advance_pushed(1, Commands(self._command), NO_LOG, 1)
        else:
            self._single_step()
            self._count(1)
        return StepReport(self)

    def advance(self, steps: int, effort: ArrayLike | None = None, log: np.ndarray = NO_LOG) -> None:
        """Advance by several steps with the same effort in one compiled call; ``log`` (steps, log_width) gets each."""
        self._set_effort(effort)
        self._advance(steps, Commands(self._command), log, 1)

    def run(self, duration: float, controller: Controller | None = None, sample_every: int = 1) -> Trajectory:
        """Advance for a duration, s, with ``controller(time, q, v) -> effort`` called before every step.

        Without a controller the joints get no effort (but those of `hold`). Every ``sample_every``-th step is recorded.
        """
        steps, sample_every = self._step_count(duration), _count_of("sample_every", sample_every)
        log = np.zeros((steps // sample_every, log_width(self.robot)))
        efforts = np.zeros((len(log), self.robot.joint_count))
        begin = self._steps
        if controller is None:
            self._command[0, 0] = 0.0
            self._advance(steps, Commands(self._command), log, sample_every)
        else:
            row = np.zeros((1, log.shape[1]))
            for k in range(steps):
                self._set_effort(controller(self.time, *self.state))
                sample = (k + 1) % sample_every == 0
                self._advance(1, Commands(self._command), row if sample else NO_LOG, 1)
                if sample:
                    log[(k + 1) // sample_every - 1] = row[0]
                    efforts[(k + 1) // sample_every - 1] = self._command[0, 0, self.robot.velocity_indices]
        return self._trajectory(begin, log, efforts, sample_every)

    def follow(self, targets: ArrayLike, efforts: ArrayLike | None, every: int, sample_every: int = 1) -> Trajectory:
        """Run a compiled rollout along joint targets (T, joint_count), each held for ``every`` steps (see `hold`)."""
        every, sample_every = _count_of("every", every), _count_of("sample_every", sample_every)
        count = len(np.atleast_2d(targets))
        rows = np.zeros((count, COMMAND_ROWS, self.robot.nv))
        shape = (count, self.robot.joint_count)
        rows[:, 1, self.robot.velocity_indices] = checked("targets", np.atleast_2d(targets), *shape)
        if efforts is not None:
            rows[:, 0, self.robot.velocity_indices] = checked("efforts", np.atleast_2d(efforts), *shape)
        begin, steps = self._steps, count * every
        log = np.zeros((steps // sample_every, log_width(self.robot)))
        self._advance(steps, Commands(rows, every), log, sample_every)
        return self._trajectory(begin, log, np.zeros((len(log), self.robot.joint_count)), sample_every)

    def hold(self, stiffness: ArrayLike, damping: ArrayLike, target: ArrayLike | None = None) -> None:
        """Let the drives hold a target (joint_count,), rad or m, by stiffness and damping, within their limits.

        The gains act at every step, on its mean state, and are stable however high.

        Args:
            stiffness: N m/rad or N/m, one number or one per joint; 0 removes them.
            damping: N m s/rad or N s/m, likewise.
            target: None: the robot's home pose.
        """
        index = self.robot.velocity_indices
        self.model.system.rates[STIFFNESS, index] = _gains("stiffness", stiffness, self.robot.joint_count)
        self.model.system.rates[DAMPING, index] = _gains("damping", damping, self.robot.joint_count)
        goal = self.robot.home[self.robot.position_indices] if target is None else target
        self._command[0, 1, index] = checked("target", goal, self.robot.joint_count)

    def push(self, link: str, force: ArrayLike, torque: ArrayLike = (0.0, 0.0, 0.0), duration: float = 0.0) -> None:
        """Push on a link with a force, N, and torque, N m, in world axes at the link's origin, from now on.

        Args:
            link: name of the link.
            force: (3,), N.
            torque: (3,), N m.
            duration: s, at least one time step.
        """
        body = self.robot.link_index(link)
        if body < 0:
            raise ParameterError(f"link: {link!r} is fixed to the world and cannot be pushed")
        frame = self.robot.frames[link]
        wrench = np.concatenate([checked("force", force, 3), checked("torque", torque, 3)])
        if not (np.isfinite(duration) and duration >= 0.0):
            raise ParameterError(f"duration: expected a finite number >= 0 s, found {duration}")
        steps = max(1, round(duration / self.time_step))
        self._pushes.append(_Push(body, frame.position.copy(), wrench, self._steps + steps))

    def end_push(self, link: str) -> None:
        """End all pushes on the body that carries a link."""
        body = self.robot.link_index(link)
        self._pushes = [push for push in self._pushes if push.body != body]
        if not self._pushes:
            self.model.system.forces[:] = 0.0

    def switch_contact_model(
        self, contact_model: str, *, terrain: str | Mapping[str, Any] | Terrain | None = None, **parameters: Any
    ) -> None:
        """Go on from the present state under another contact model; the energy audit starts anew.

        Args:
            contact_model: its name.
            terrain: None: the ground stays as it is.
            parameters: of the contact model.
        """
        state, rates = self.state, self.model.system.rates
        gains = rates[[STIFFNESS, DAMPING]].copy()
        ground = self.terrain if terrain is None else make_terrain(terrain)
        self.model = self._make_model(contact_model, ground, parameters)
        self.terrain = ground
        self.model.system.rates[[STIFFNESS, DAMPING]] = gains
        self._set_state(state.q, state.v)

    def set_state(self, q: ArrayLike, v: ArrayLike | None = None) -> None:
        """Put the robot into a state without changing the time; contacts are found anew."""
        self._set_state(coordinates(self.robot, q), v)

    @property
    def effort(self) -> np.ndarray:
        """Joint efforts that acted in the last step, limits applied, (joint_count,), N m or N."""
        return self.model.system.rates[EFFORT, self.robot.velocity_indices].copy()

    def _make_model(self, name: str, terrain: Terrain, parameters: Mapping[str, Any]) -> ContactModel:
        with together_with(lambda: energies(self.robot, self.home(), np.zeros(self.robot.nv))):
            model = make_contact_model(name, self.robot, terrain, parameters)
            self._single_step = model.single_step(self.time_step, self._command)
        return model

    def _set_effort(self, effort: ArrayLike | None) -> None:
        feed = self._command[0, 0]
        feed[:] = 0.0
        if effort is not None:
            feed[self.robot.velocity_indices] = checked("effort", effort, self.robot.joint_count)

    def _set_state(self, q: np.ndarray, v: ArrayLike | None) -> None:
        rates = np.zeros(self.robot.nv) if v is None else checked("v", v, self.robot.nv)
        state, nq = self.model.system.state, self.robot.nq
        state[:nq] = q
        state[nq:] = to_outer_axes(self.robot, q, rates)
        self.model.time = self.time
        self.model.restart()
        self.start_energy = float(energies(self.robot, q, rates).sum())

    def _advance(self, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        if self._pushes:
            return self._advance_pushed(steps, commands, log, log_every)
        self.model.run(self.time_step, steps, commands, log, log_every)
        self._count(steps)
        return None

    def _advance_pushed(self, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """Advance step by step while pushes act: each moves with its link and ends by itself."""
        rows, forces = commands.rows, self.model.system.forces
        for k in range(steps):
            self._apply_pushes()
            row = min(k // commands.every, len(rows) - 1)
            sample = len(log) > 0 and (k + 1) % log_every == 0
            place = (k + 1) // log_every - 1
            part = log[place : place + 1] if sample else NO_LOG
            self.model.run(self.time_step, 1, Commands(rows[row : row + 1]), part, 1)
            self._count(1)
        self._pushes = [push for push in self._pushes if push.last_step > self._steps]
        if not self._pushes:
            forces[:] = 0.0

    def _apply_pushes(self) -> None:
        forces = self.model.system.forces
        forces[:] = 0.0
        rotation = forward_kinematics(self.robot, self.model.system.state[: self.robot.nq]).rotation
        for push in self._pushes:
            if push.last_step > self._steps:
                lever = rotation[push.body] @ push.offset
                forces[push.body] += push.wrench
                forces[push.body, 3:] += np.cross(lever, push.wrench[:3])

    def _count(self, steps: int) -> None:
        self._steps += steps
        self.time = self._steps * self.time_step
        state = self.model.system.state
        if not isfinite(state.dot(state)):
            raise SimulationError(
                f"{self.contact_model}: the state is no longer finite after {self.time:.6g} s; "
                f"a smaller time_step or softer gains may help, reset() or set_state() goes on"
            )

    def _step_count(self, duration: float) -> int:
        if not (np.isfinite(duration) and duration >= 0.0):
            raise ParameterError(f"duration: expected a finite number >= 0 s, found {duration}")
        return round(duration / self.time_step)

    def _trajectory(self, begin: int, log: np.ndarray, efforts: np.ndarray, sample_every: int) -> Trajectory:
        time = (begin + sample_every * np.arange(1, len(log) + 1)) * self.time_step
        return Trajectory.from_log(
            self.robot, time, log, efforts, self.time_step, self.start_energy, list(self.model.events)
        )


class _Push(NamedTuple):
    """An external wrench on a body, at ``offset`` from its origin in its frame, until ``last_step``."""

    body: int
    offset: np.ndarray
    wrench: np.ndarray
    last_step: int


def checked_time_step(time_step: float) -> float:
    """Return a usable time step, s, or raise a ParameterError."""
    if not isinstance(time_step, (int, float, np.number)) or not 0.0 < time_step <= 0.1:
        raise ParameterError(f"time_step: expected a number in ]0, 0.1] s, found {time_step!r}")
    return float(time_step)


def make_contact_model(name: str, robot: RobotModel, terrain: Terrain, parameters: Mapping[str, Any]) -> ContactModel:
    """Return a contact model by name with checked parameters."""
    model = MODELS.named(name)
    return model(robot, terrain, model.make_parameters(**parameters))


def _gains(name: str, value: ArrayLike, count: int) -> np.ndarray:
    gains = checked(name, np.full(count, value) if np.ndim(value) == 0 else value, count)
    if (gains < 0.0).any():
        raise ParameterError(f"{name}: expected numbers >= 0, found {gains.min()}")
    return gains


def _count_of(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ParameterError(f"{name}: expected a whole number >= 1, found {value!r}")
    return int(value)
