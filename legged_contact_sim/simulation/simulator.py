"""The simulator: one robot on one terrain under one contact model, step by step."""

from collections.abc import Mapping
from math import isfinite
from sys import getrefcount
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..actuation.rows import ACCUMULATED, DAMPING, EFFORT, INTEGRAL, STIFFNESS
from ..contact import MODELS, Commands, ContactModel, Event
from ..contact.commands import COMMAND_ROWS
from ..contact.log import NO_LOG, LogRows, log_width
from ..contact.pushes import add_push, keep_pushes
from ..dynamics.functions import checked, coordinates, energies, to_outer_axes
from ..errors import ParameterError, SimulationError
from ..jit import together_with
from ..model import RobotModel
from ..terrain import Terrain, make_terrain
from .checks import checked_time_step, closed
from .collisions import Collision, touching_pairs
from .contact_model import calls_of_a_start, make_contact_model
from .contacts import Contacts, contact_centers, touching_points
from .ground import Ground
from .joint_targets import joint_targets
from .push_profile import Profile, profile_knots
from .report import StepReport
from .runs import Runs
from .views import neighbours, read_only

FLOAT = np.dtype(np.float64)


CONNECTIONS = ("_single_step", "_views", "_efforts", "_total", "_contacts", "_report")  # made anew in a copy


class State(NamedTuple):
    """Where the robot stands: coordinates q (nq,) and velocities v (nv,), base velocity in the base's axes."""

    q: np.ndarray
    v: np.ndarray


class Simulator(Runs):
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
        self._row = np.zeros((1, log_width(self.robot)))  # what the last step left
        self._standing: np.ndarray | None = None  # efforts (joint_count,) of `command`
        self._ground = Ground()
        self._make_views()
        self.model = self._make_model(contact_model, self.terrain, parameters)
        self.time, self.start_energy = 0.0, 0.0
        self._report = StepReport(self, self._row[0], self._views)
        self.reset()

    def __repr__(self) -> str:
        """Return one line: robot, contact model, terrain and time."""
        words = f"contact_model={self.contact_model!r}, time_step={self.time_step:g}, terrain={self.terrain!r}"
        return f"Simulator({self.robot!r}, {words}, time={self.time:g})"

    @property
    def contact_model(self) -> str:
        """Name of the contact model."""
        return self.model.name

    @property
    def q(self) -> np.ndarray:
        """Coordinates now, (nq,): a read-only view that every step writes to."""
        return self._views.q

    @property
    def v(self) -> np.ndarray:
        """Velocities now, the base's in its own axes, (nv,): a read-only view that every step writes to."""
        return self._views.v

    @property
    def state(self) -> State:
        """Coordinates and velocities now (copies; `q` and `v` are views)."""
        return State(self._views.q.copy(), self._views.v.copy())

    @property
    def contacts(self) -> Contacts:
        """The contact points as arrays, live; see `Contacts`."""
        return self._contacts

    @property
    def collisions(self) -> tuple[Collision, ...]:
        """Pairs of the robot's own bodies that touched in the last step (`RobotModel.from_urdf`, self_collision)."""
        return touching_pairs(self.model, self._views.q, self.time_step)

    @property
    def report(self) -> StepReport:
        """The last step, however it was taken: by `step`, or as the last one of `advance` or `run`."""
        return self._report

    @property
    def terrain_now(self) -> Terrain:
        """The ground as it is now; `terrain` is as it was at time 0."""
        return self.terrain.at(self.time)

    @property
    def events(self) -> list[Event]:
        """What happened since the last reset (event-driven models)."""
        return self.model.events

    def reset(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Put the robot into a state at time 0; None: its home pose with the feet on the ground, and at rest.

        Loops that q leaves open are closed by moving the joints as little as that takes.
        """
        self.time = 0.0
        self._steps = 0
        self._end_pushes()
        self._set_state(self.home() if q is None else closed(self.robot, coordinates(self.robot, q)), v)

    def home(self) -> np.ndarray:
        """Return the home pose, as `grounded` leaves it."""
        return self.grounded(self.robot.home)

    def grounded(self, q: np.ndarray) -> np.ndarray:
        """Return q lifted or lowered so that the lowest contact point of a floating base just touches."""
        q = q.copy()
        points, ground = self.robot.contact_points, self.terrain_now
        if self.robot.base == "floating" and len(points):
            centers, _ = contact_centers(self.robot, q)
            for _ in range(4):  # on a slope or a field the point that touches may change on the way
                gaps = ground.gap(centers) - points["radius"]
                lowest = int(np.argmin(gaps))
                drop = gaps[lowest] / max(ground.normal(centers[lowest])[2], 1e-3)
                q[2] -= drop
                centers[:, 2] -= drop
        return q

    def step(self, effort: ArrayLike | None = None) -> StepReport:
        """Advance by one time step with joint efforts (joint_count,), N m or N, in joint order; None: zero.

        What the step leaves is in `q`, `v` and `contacts` as arrays; the report makes objects of it on demand.
        """
        self._set_effort(effort)
        self._keep_report()
        self._single_step()
        self._steps += 1
        report = self._report
        self.time = report.time = self._steps * self.time_step
        if not isfinite(self._total.item()):
            raise self._failure()
        return report

    def advance(self, steps: int, effort: ArrayLike | None = None, log: np.ndarray = NO_LOG) -> None:
        """Advance by several steps with the same effort in one compiled call; ``log`` (steps, log_width) gets each."""
        if steps == 1 and not len(log):  # the call of a single step is bound: half of numba's dispatch
            self.step(effort)
            return
        self._set_effort(effort)
        if steps > 0:
            self._advance(steps, Commands(self._command), log if len(log) else self._row, 1 if len(log) else steps)

    def drive(self, steps: int, commands: Commands) -> None:
        """Advance by several steps along commands in one compiled call; nothing is recorded."""
        if steps > 0:
            self._advance(steps, commands, self._row, steps)

    def hold(
        self, stiffness: ArrayLike, damping: ArrayLike, target: ArrayLike | None = None, integral: ArrayLike = 0.0
    ) -> None:
        """Let the drives hold a target (joint_count,), rad or m, by stiffness and damping; None: the home pose.

        See `command`, of which this is a part.
        """
        goal = checked(
            "target", self.robot.home[self.robot.position_indices] if target is None else target, self.robot.joint_count
        )
        self.command(goal, stiffness=stiffness, damping=damping, integral=integral)

    def command(
        self,
        position: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        effort: ArrayLike | None = None,
        *,
        stiffness: ArrayLike = 0.0,
        damping: ArrayLike = 0.0,
        integral: ArrayLike = 0.0,
        inside: bool = True,
    ) -> None:
        """Let the drives follow targets from now on, resets included: ``u = kp (q* - q) + kd (v* - v) + effort``.

        Efforts that are given to a step come on top; the sum stays within the drives' limits.

        Args:
            position: q*, (joint_count,), rad or m; None: no stiffness acts.
            velocity: v*, (joint_count,), rad/s or m/s; None: zero.
            effort: (joint_count,), N m or N; None: zero.
            stiffness: kp, N m/rad or N/m, one number or one per joint.
            damping: kd, N m s/rad or N s/m, likewise.
            integral: ki of ``ki`` times the integral of the error, N m/(rad s) or N/(m s), likewise. The integral grows
                at every step from the state at its start, waits while a drive is at its limit, and ends at a reset or
                with a gain of 0.
            inside: the gains act in every step, on its mean state, and are stable however high; False: u is worked out
                once, from the present state, and held until the next command, as a driver at the command rate does.
        """
        wanted = joint_targets(self.robot, position, velocity, effort, stiffness, damping, integral)
        if not inside:
            wanted = wanted.worked_out(self.q, self.v)
        index, dofs = self.robot.velocity_indices, self.model.system.dofs
        dofs[STIFFNESS, index], dofs[DAMPING, index] = wanted.stiffness, wanted.damping
        dofs[INTEGRAL, index] = self.time_step * wanted.integral
        dofs[ACCUMULATED, index[wanted.integral == 0.0]] = 0.0
        self._command[0, 1, index] = wanted.position
        self._standing = wanted.feed if wanted.feed.any() else None

    def push(
        self,
        link: str,
        force: ArrayLike,
        torque: ArrayLike = (0.0, 0.0, 0.0),
        duration: float = 0.0,
        profile: Profile | None = None,
    ) -> None:
        """Push on a link with a force, N, and torque, N m, in world axes at the link's origin, from now on.

        Args:
            link: name of the link.
            force: (3,), N.
            torque: (3,), N m.
            duration: s, at least one time step; 0 with a table of factors: to its end.
            profile: factors of force and torque over time, a table or a function, see `profile_knots`; None: constant.
        """
        body = self.robot.link_index(link)
        if body < 0:
            raise ParameterError(f"link: {link!r} is fixed to the world and cannot be pushed")
        wrench = checked("force", force, 3), checked("torque", torque, 3)
        if not (np.isfinite(duration) and duration >= 0.0):
            raise ParameterError(f"duration: expected a finite number >= 0 s, found {duration}")
        knots, duration = profile_knots(profile, duration, self.time_step)
        steps = max(1, round(duration / self.time_step))
        add_push(self.model.system.pushes, steps, body, self.robot.frames[link].position, *wrench, knots)

    def end_push(self, link: str) -> None:
        """End all pushes on the body that carries a link."""
        self._end_pushes(self.robot.link_index(link))

    def switch_contact_model(
        self, contact_model: str, *, terrain: str | Mapping[str, Any] | Terrain | None = None, **parameters: Any
    ) -> None:
        """Go on from the present state under another contact model; the energy audit starts anew.

        The ground stays as it is: its friction and restitution, too, if they are not among the parameters.

        Args:
            contact_model: its name.
            terrain: None: the ground stays as it is.
            parameters: of the contact model.
        """
        state, before = self.state, self.model.system
        ground = self.terrain if terrain is None else make_terrain(terrain)
        self.model = self._make_model(contact_model, ground, parameters)
        self.terrain = ground
        gains = [STIFFNESS, DAMPING, INTEGRAL]
        self.model.system.dofs[gains] = before.dofs[gains]
        self.model.system.pushes[:] = before.pushes
        self._set_state(state.q, state.v)

    def set_state(self, q: ArrayLike, v: ArrayLike | None = None) -> None:
        """Put the robot into a state without changing the time; contacts are found anew."""
        self._set_state(closed(self.robot, coordinates(self.robot, q)), v)

    @property
    def effort(self) -> np.ndarray:
        """Joint efforts that acted in the last step, limits applied, (joint_count,), N m or N."""
        return self.model.system.dofs[EFFORT, self.robot.velocity_indices].copy()

    def _make_model(self, name: str, terrain: Terrain, parameters: Mapping[str, Any]) -> ContactModel:
        with together_with(*calls_of_a_start(self.robot, terrain)):
            given = self._ground.parameters(MODELS.named(name), parameters)
            model = make_contact_model(name, self.robot, terrain, given)
            self._connect(model)
        self._ground.take(model, parameters)
        return model

    def _make_views(self) -> None:
        """Prepare views of the command and of what a step leaves."""
        self._views = LogRows(self.robot, read_only(self._row[0]))
        self._efforts = neighbours(self._command[0, 0], self.robot.velocity_indices)
        self._effort_shape, self._scattered = self._efforts.shape, self._efforts.base is None
        self._total = self._views.total

    def _connect(self, model: ContactModel) -> None:
        """Prepare the call of a single step, and the contacts that it leaves."""
        self._single_step = model.single_step(self.time_step, self._command, self._row)
        self._contacts = Contacts(self.robot.contact_names, self._views, model.system.contacts["mode"])

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle keeps: all but compiled calls and views."""
        return {name: value for name, value in vars(self).items() if name not in CONNECTIONS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Go on where another simulator was."""
        vars(self).update(state)
        self._make_views()
        self._connect(self.model)
        self._report = StepReport(self, self._row[0], self._views)

    def _set_effort(self, effort: ArrayLike | None) -> None:
        """Take joint efforts for the coming steps; an array of finite floats costs a fraction of a microsecond."""
        usual = type(effort) is np.ndarray and effort.dtype is FLOAT and effort.shape == self._effort_shape
        if usual and isfinite(effort.dot(effort)):  # type: ignore[union-attr]
            self._efforts[...] = effort
        elif effort is None:
            self._efforts[...] = 0.0
        else:
            self._efforts[...] = checked("effort", effort, self.robot.joint_count)
        if self._standing is not None:
            self._efforts += self._standing
        if self._scattered:
            self._command[0, 0, self.robot.velocity_indices] = self._efforts

    def _set_state(self, q: np.ndarray, v: ArrayLike | None) -> None:
        self._report.keep()
        velocities = np.zeros(self.robot.nv) if v is None else checked("v", v, self.robot.nv)
        state, nq = self.model.system.state, self.robot.nq
        state[:nq] = q
        state[nq:] = to_outer_axes(self.robot, q, velocities)
        self.model.time = self.time
        self.model.restart()
        self.start_energy = float(energies(self.robot, q, velocities).sum())
        self._report = StepReport(self, self._row[0], self._views)
        self._row[:] = 0.0
        views = LogRows(self.robot, self._row[0])
        views.q[:], views.v[:] = q, velocities
        if len(self.robot.contact_points):
            touching = touching_points(self.robot, self.terrain_now, self.model.semi_axes, q)
            views.position[:], views.normal[:], views.gap[:] = touching

    def _keep_report(self) -> None:
        """Let whoever holds the report of the last step keep its numbers; one that nobody holds serves again."""
        if getrefcount(self._report) > 2 or self._report.kept:  # held by this object, and by the question
            self._report.keep()
            self._report = StepReport(self, self._row[0], self._views)

    def _advance(self, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """Advance in one compiled call; the last step of it has to be in the log."""
        self._keep_report()
        self.model.run(self.time_step, steps, commands, log, log_every)
        if log is not self._row:
            self._row[0] = log[-1]
        self._steps += steps
        self.time = self._steps * self.time_step
        if not isfinite(self._total.item()):
            raise self._failure()

    def _end_pushes(self, body: int | None = None) -> None:
        """End the pushes on a body, or all."""
        pushes = self.model.system.pushes
        others = (pushes["left"] > 0) & (body is not None) & (pushes["body"] != body)
        if keep_pushes(pushes, others) == 0:
            self.model.system.forces[:] = 0.0

    def _failure(self) -> SimulationError:
        return SimulationError(
            f"{self.contact_model}: the state is no longer finite after {self.time:.6g} s; "
            f"a smaller time_step or softer gains may help, reset() or set_state() goes on"
        )
