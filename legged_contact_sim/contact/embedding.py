"""Constraint embedding (Singh): impacts along one normal impulse, then motion in reduced equations, event by event."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..compilation import compiled_long, inlined
from ..dynamics.integrators import RESULT_ROW, next_step_size, scaled_error
from ..dynamics.kinematics import copy
from .commands import record, take_command
from .constrained_motion import build_motion, derivative
from .embedding_events import (
    CHATTER,
    EMBEDDING,
    EVENT_COLUMNS,
    KINDS,
    LEFT_OUT,
    NO_REBOUND,
    NOTES,
    VANISHED,
    leave_friction_out,
    log_fallback,
    resolve,
)
from .event_driven import FAILED, REACHED_END, SMALLEST_STEP, TRIAL, integrate_to_event, project, take_step
from .model import Commands, ContactModel, Event
from .parameters import Parameters, number, whole
from .records import CONTACTS, ITERATIONS, WORK_TERMS
from .stick_slip import problem_of
from .time_stepping import SOLVER, clear_report

LOG_ROWS = 16  # of the event log, per event of a step; it is read when it is half full
FIRST_STEP = 1e-4  # s; of the integrator after a reset


@dataclass(frozen=True)
class EmbeddingParameters(Parameters):
    """Parameters of `embedding`; a negative ``dynamic_friction`` stands for the static one."""

    friction: float = number(0.8, 0.0, 100.0)
    dynamic_friction: float = number(-1.0, -1.0, 100.0)
    restitution: float = number(0.0, 0.0, 1.0)
    impact_threshold: float = number(1e-3, 0.0, 1e3, "m/s", open_low=True)
    stick_speed: float = number(1e-7, 0.0, 1.0, "m/s", open_low=True)
    absolute_tolerance: float = number(1e-9, 0.0, 1.0, open_low=True)
    relative_tolerance: float = number(1e-9, 0.0, 1.0)
    max_events: int = whole(100, 2, 10_000)


class Embedding(ContactModel):
    """Hard contact, event by event: impulse-domain impacts, constraint embedding between them."""

    name: ClassVar[str] = "embedding"
    summary: ClassVar[str] = "hard contact, event by event: energetic impacts, constraint embedding (Singh)"
    Parameters: ClassVar[type[Parameters]] = EmbeddingParameters

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        points = len(robot.contact_points)
        self.motion = build_motion(robot)
        flow = self.motion.flow
        for name in ("stick_speed", "absolute_tolerance", "relative_tolerance"):
            flow[name] = getattr(parameters, name)
        flow["embedded"] = 1
        self.problem = problem_of(points, robot.joint_count)
        self.law = np.zeros(1, dtype=EMBEDDING)
        for name in ("restitution", "impact_threshold", "max_events"):
            self.law[name] = getattr(parameters, name)
        sliding = parameters.dynamic_friction
        self.law["static_friction"] = parameters.friction
        self.law["dynamic_friction"] = parameters.friction if sliding < 0.0 else sliding
        self._log = np.zeros((LOG_ROWS * parameters.max_events, EVENT_COLUMNS + 4 * points))
        self._counters = np.zeros(3, dtype=np.int64)
        self._modes = np.zeros(max(1, points), dtype=np.int64)

    def restart(self) -> None:
        """See `ContactModel.restart`."""
        super().restart()
        self.motion.stops[:] = 0.0
        self.motion.step[:] = FIRST_STEP
        self._counters[FRESH] = 1

    def run(self, time_step: float, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """See `ContactModel.run`."""
        self._counters[STEP] = 0
        while self._counters[STEP] < steps:
            run_entry(
                self.system, self.motion, self.problem, self.law, self._modes, self._log, self._counters,
                commands.rows, log, self.time, time_step, steps, commands.every, log_every,
            )  # fmt: skip
            self._take_events()
        self.time += steps * time_step

    def _take_events(self) -> None:
        """Turn the rows of the event log into `Event` records."""
        m, names = len(self.robot.contact_names), self.robot.contact_names
        for row in self._log[: self._counters[EVENTS]]:
            time, kind, before, after, note = row[:EVENT_COLUMNS]
            points = np.flatnonzero(row[EVENT_COLUMNS : EVENT_COLUMNS + m])
            impulses = row[EVENT_COLUMNS + m :].reshape(m, 3)[points].copy()
            notes = "; ".join(text for k, text in enumerate(NOTES) if int(note) >> k & 1)
            touched = tuple(names[k] for k in points)
            self.events.append(Event(time, KINDS[int(kind)], touched, impulses, before, after, notes))
        self._counters[EVENTS] = 0


# Places in the counters: rows in the event log, 1 after a reset, steps done.
EVENTS, FRESH, STEP = range(3)


@inlined
def begin_step(system, motion, law):
    """Take over the state for an output step, with nothing booked yet."""
    clear_report(system)
    copy(system.state, motion.y[: len(system.state)])
    for k in range(len(system.state), len(motion.y)):
        motion.y[k] = 0.0
    law.bounce = 1
    motion.flow[0].static_friction = law.static_friction
    motion.flow[0].dynamic_friction = law.dynamic_friction


@inlined
def end_step(system, motion):
    """Hand the state back, and what was booked."""
    n, w = len(system.state), len(WORK_TERMS)
    copy(motion.y[:n], system.state)
    for k in range(w):
        system.ledger[k] += motion.y[n + k]
    for k in range(len(system.contacts)):
        for m in range(3):
            system.contacts[k].impulse[m] = motion.y[n + w + 3 * k + m]
        system.ledger[SOLVER + CONTACTS] += system.contacts[k].closed


@inlined
def coast(system, motion, duration):
    """Go on in the present modes, whatever happens, for a duration, s."""
    flow, n = motion.flow[0], len(system.state)
    derivative(system, motion, motion.y, motion.stages[0])
    while duration > SMALLEST_STEP:
        trial = min(motion.step[TRIAL], duration)
        take_step(system, motion, trial, 1)
        error = scaled_error(motion.y[:n], trial, flow.absolute_tolerance, flow.relative_tolerance, motion.stages)
        motion.step[TRIAL] = max(next_step_size(trial, error), SMALLEST_STEP)
        if error <= 1.0:
            copy(motion.stages[RESULT_ROW], motion.y)
            duration -= trial
            project(system, motion, trial)
            derivative(system, motion, motion.y, motion.stages[0])
        elif trial <= SMALLEST_STEP:
            return


@inlined
def advance(system, motion, problem, law, modes, log, counters, h, time):
    """One output step of length ``h``, s, with the events inside it."""
    count, events, failures, left = counters[EVENTS : EVENTS + 1], 0, 0, h
    begin_step(system, motion, law)
    if counters[FRESH]:
        resolve(system, motion, problem, law, modes, log, count, time, -1)
        counters[FRESH] = 0
    while left > SMALLEST_STEP:
        code, passed = integrate_to_event(system, motion, left)
        left -= passed
        if code == REACHED_END:
            break
        events, now = events + 1, time + h - left
        if code == FAILED:
            failures += 1
            log_fallback(system, motion, log, count, now, VANISHED if failures == 1 else LEFT_OUT)
            motion.step[TRIAL] = FIRST_STEP
            if failures > 1:
                break
            leave_friction_out(motion)
            code = -1
        if events == law.max_events // 2 and law.restitution > 0.0:
            law.bounce = 0
            log_fallback(system, motion, log, count, now, NO_REBOUND)
        if events >= law.max_events:
            log_fallback(system, motion, log, count, now, CHATTER)
            coast(system, motion, left)
            break
        resolve(system, motion, problem, law, modes, log, count, now, code)
    system.ledger[SOLVER + ITERATIONS] = events
    end_step(system, motion)


@compiled_long
def run_entry(
    system, motion, problem, law, modes, events, counters, commands, log, time, h, steps, every, log_every
):  # fmt: skip
    """Advance until all steps are done or the event log is half full; see `ContactModel.run`."""
    while counters[STEP] < steps and counters[EVENTS] < len(events) // 2:
        k = counters[STEP]
        take_command(system, commands[min(k // every, len(commands) - 1)])
        advance(system, motion, problem, law[0], modes, events, counters, h, time + k * h)
        counters[STEP] = k + 1
        if len(log) > 0 and (k + 1) % log_every == 0:
            record(system, log[(k + 1) // log_every - 1])
