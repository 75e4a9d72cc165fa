"""What event-driven contact models have in common: arrays, a compiled run, and the log that becomes events."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...jit import bind, compiled_long
from ..commands import take_command
from ..log import record
from ..model import Commands, ContactModel
from ..solvers.stick_slip import Problem, problem_of
from .laws import Laws
from .loop.event_log import FRESH, LOGGED, Events, build_events, take_events
from .loop.event_loop import advance
from .motion import build_motion, restart_motion


def event_entry(name: str, strike: Callable[..., Any], find_forces: Callable[..., Any]) -> Callable[..., int]:
    """Return the compiled entry of a model that runs with these `Laws`, inlined functions."""

    def run_entry(system, motion, events, commands, log, begin, h, done, steps, every, log_every):  # type: ignore[no-untyped-def]
        """Advance from step ``done`` to ``steps``; return how many were taken: fewer if the event log needs emptying.

        ``begin`` is the time at which the first of them begins, s.
        """
        room = len(events.log) // 2
        for k in range(done, steps):
            if len(events.log) - events.counters[LOGGED] < room:
                return k - done
            take_command(system, commands[min(k // every, len(commands) - 1)])
            advance(system, motion, events, Laws(strike, find_forces), h, begin + (k - done) * h)
            if len(log) > 0 and (k + 1) % log_every == 0:
                record(system, h, log[(k + 1) // log_every - 1])
        return steps - done

    run_entry.__module__ = strike.__module__
    run_entry.__name__ = run_entry.__qualname__ = f"run_{name}"
    return compiled_long(run_entry)


class EventDrivenModel(ContactModel):
    """A model that goes from event to event by its own `Laws`, which are compiled into its ``entry``."""

    entry: Callable[..., int]
    embedded = False  # whether contact forces are found by constraint embedding

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        self.motion = build_motion(robot, self.embedded)
        sliding, flow = parameters.sliding_friction, self.motion.flow
        flow["static_friction"], flow["dynamic_friction"] = parameters.friction, sliding
        for name in ("absolute_tolerance", "relative_tolerance", "stick_speed"):
            flow[name] = getattr(parameters, name)
        settings = self._settings()
        for name in ("friction", "restitution", "impact_threshold", "max_events"):
            settings[name] = getattr(parameters, name)
        settings["dynamic_friction"] = sliding
        problem = problem_of(len(robot.contact_points), robot.joint_count)
        self._happenings: Events = build_events(settings, self._impact(problem), problem, robot)
        self._steps = 0  # since the state was set

    def _settings(self) -> np.ndarray:
        """Return a record array (1,) with the fields of EVENT_SETTINGS and what else the impact law reads."""
        raise NotImplementedError

    def _impact(self, problem: Problem) -> Any:
        """Return what the impact law works in, given the problem of forces that all models have."""
        raise NotImplementedError

    def restart(self) -> None:
        """See `ContactModel.restart`."""
        super().restart()
        counters = self._happenings.counters
        counters[LOGGED], counters[FRESH], self._steps = 0, 1, 0
        restart_motion(self.motion)

    @property
    def semi_axes(self) -> np.ndarray:
        """See `ContactModel.semi_axes`."""
        return self.motion.points["semi_axes"]

    def single_step(self, time_step: float, command: np.ndarray, log: np.ndarray) -> Callable[[], None]:
        """See `ContactModel.single_step`; compiles what a step needs, so that the first one does not wait for it."""
        bind(self.entry, self.system, self.motion, self._happenings, command, log, 0.0, time_step, 0, 1, 1, 1)
        return super().single_step(time_step, command, log)

    def run(self, time_step: float, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """See `ContactModel.run`."""
        done, arrays = 0, (self.system, self.motion, self._happenings, commands.rows, log)
        while done < steps:
            begin = self.time + self._steps * time_step
            taken = self.entry(*arrays, begin, time_step, done, steps, commands.every, log_every)
            self._steps += taken
            done += taken
            self.events.extend(take_events(self._happenings, self.robot))
