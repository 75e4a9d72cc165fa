"""Runs of a simulator: many steps at a time, of which samples are recorded."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..contact import Commands, ContactModel
from ..contact.commands import COMMAND_ROWS
from ..dynamics.functions import checked
from ..errors import ParameterError
from ..model import RobotModel
from ..terrain import Terrain
from .checks import whole_number
from .trajectory import Recorder, Trajectory, commands_from, sample_times, sampled_efforts

Controller = Callable[[float, np.ndarray, np.ndarray], ArrayLike]


class Runs(ABC):
    """What a `Simulator` does with its steps."""

    robot: RobotModel
    terrain: Terrain
    model: ContactModel
    time_step: float
    time: float
    start_energy: float
    _steps: int
    _command: np.ndarray
    _efforts: np.ndarray
    _row: np.ndarray

    @abstractmethod
    def step(self, effort: ArrayLike | None = None) -> Any:
        """Advance by one time step."""

    @property
    @abstractmethod
    def state(self) -> Any:
        """Coordinates and velocities now."""

    @abstractmethod
    def _set_effort(self, effort: ArrayLike | None) -> None:
        """Take joint efforts for the coming steps."""

    @abstractmethod
    def _advance(self, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """Advance in one compiled call."""

    def step_count(self, duration: float) -> int:
        """Return how many steps a duration, s, takes, to the nearest."""
        if not (np.isfinite(duration) and duration >= 0.0):
            raise ParameterError(f"duration: expected a finite number >= 0 s, found {duration}")
        return round(duration / self.time_step)

    def run(self, duration: float, controller: Controller | None = None, sample_every: int = 1) -> Trajectory:
        """Advance for a duration, s, with ``controller(time, q, v) -> effort`` called before every step.

        Without a controller the joints get no effort (but those of `hold`). Every ``sample_every``-th step is recorded.
        """
        steps, sample_every = self.step_count(duration), whole_number("sample_every", sample_every)
        recorder, begin = Recorder(self.robot, steps // sample_every), self._steps
        self._set_effort(None)
        if controller is None:
            efforts = np.zeros((recorder.samples, self.robot.joint_count))
            self.record(steps, Commands(self._command), sample_every, recorder)
        else:
            efforts = self._record_controlled(steps, controller, sample_every, recorder)
        return self.trajectory(begin, recorder, efforts, sample_every)

    def follow(self, targets: ArrayLike, efforts: ArrayLike | None, every: int, sample_every: int = 1) -> Trajectory:
        """Run a compiled rollout along joint targets (T, joint_count), each held for ``every`` steps (see `hold`)."""
        every, sample_every = whole_number("every", every), whole_number("sample_every", sample_every)
        count = len(np.atleast_2d(targets))
        rows = np.zeros((count, COMMAND_ROWS, self.robot.nv))
        shape = (count, self.robot.joint_count)
        rows[:, 1, self.robot.velocity_indices] = checked("targets", np.atleast_2d(targets), *shape)
        if efforts is not None:
            rows[:, 0, self.robot.velocity_indices] = checked("efforts", np.atleast_2d(efforts), *shape)
        begin, steps, commands = self._steps, count * every, Commands(rows, every)
        recorder = Recorder(self.robot, steps // sample_every)
        self.record(steps, commands, sample_every, recorder)
        given = sampled_efforts(self.robot, commands, recorder.samples, sample_every)
        return self.trajectory(begin, recorder, given, sample_every)

    def record(self, steps: int, commands: Commands, sample_every: int, recorder: Recorder) -> None:
        """Advance while a recorder takes every ``sample_every``-th step; a compiled call fills a block of it."""
        done = 0
        while len(recorder.block):
            count = len(recorder.block)
            try:
                part = commands_from(commands, done, count * sample_every)
                self._advance(count * sample_every, part, recorder.block, sample_every)
            finally:
                recorder.take(count)
            done += count * sample_every
        if done < steps:
            self._advance(steps - done, commands_from(commands, done, steps - done), self._row, steps - done)

    def trajectory(self, begin: int, recorder: Recorder, efforts: np.ndarray, sample_every: int) -> Trajectory:
        """Return what a recorder took since step ``begin``, with the efforts (samples, joint_count) of its samples."""
        return Trajectory(
            robot=self.robot,
            terrain=self.terrain,
            semi_axes=self.model.semi_axes,
            time=sample_times(begin, sample_every, recorder.samples, self.time_step),
            q=recorder.q,
            v=recorder.v,
            effort=efforts,
            works=recorder.works,
            solver=recorder.solver,
            touches=recorder.touches,
            start_energy=self.start_energy,
            events=list(self.model.events),
        )

    def _record_controlled(
        self, steps: int, controller: Controller, sample_every: int, recorder: Recorder
    ) -> np.ndarray:
        """Advance step by step with a controller's efforts; return those of the samples, (samples, joint_count)."""
        efforts = np.zeros((recorder.samples, self.robot.joint_count))
        for k in range(steps):
            self.step(controller(self.time, *self.state))
            if (k + 1) % sample_every == 0:
                efforts[k // sample_every] = self._efforts
                recorder.put(self._row[0])
        return efforts
