"""Constraint embedding (Singh): impacts along one normal impulse, then motion in reduced equations, event by event."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...jit import bind, together_with
from ..commands import COMMAND_ROWS
from ..events.flow.event_driven import FAILED, REACHED_END, SMALLEST_STEP
from ..events.impact.impulse_impact import contact_solver
from ..events.loop.embedding_events import Resolver
from ..events.loop.event_steps import RESET, STEP, steps_entry
from ..events.motion import FIRST_TRIAL, TRIAL, build_motion, restart_motion
from ..events.parameters import EventDrivenParameters
from ..log import NO_LOG
from ..model import Commands, ContactModel
from ..parameters import Parameters, number, whole
from ..records import ITERATIONS
from ..solvers.stick_slip import problem_of
from ..system import SOLVER

FOR_EVER = 2**62  # steps
INSTANT = 1e-11  # s; events closer together than this happen at one instant,
MOST_AT_ONCE = 20  # and no more than these are resolved there

NO_REBOUND = "too many events in a step: no rebound until its end"
CHATTER = "too many events in a step: no friction until its end"
GIVEN_UP = "too many events in a step, even without friction: the rest of it is left out"
VANISHED = "the integrator's step vanished: no friction until the end of the step"
LEFT_OUT = "the integrator's step vanished again: the rest of the step is left out"


@dataclass(frozen=True)
class EmbeddingParameters(EventDrivenParameters):
    """Parameters of `embedding`."""

    stick_speed: float = number(1e-7, 0.0, 1.0, "m/s", open_low=True)
    absolute_tolerance: float = number(1e-9, 0.0, 1.0, open_low=True)
    relative_tolerance: float = number(1e-9, 0.0, 1.0)
    max_events: int = whole(100, 2, 10**9)


class Embedding(ContactModel):
    """Hard contact, event by event: impulse-domain impacts, constraint embedding between them."""

    name: ClassVar[str] = "embedding"
    summary: ClassVar[str] = "hard contact, event by event: energetic impacts, constraint embedding (Singh)"
    Parameters: ClassVar[type[Parameters]] = EmbeddingParameters
    parameters: EmbeddingParameters

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        self.motion = build_motion(robot, embedded=True)
        for name in ("stick_speed", "absolute_tolerance", "relative_tolerance"):
            self.motion.flow[name] = getattr(parameters, name)
        problem = problem_of(len(robot.contact_points), robot.joint_count)
        self._left = np.zeros(1)
        self._counters = np.zeros(2, dtype=np.int64)
        nothing = (np.zeros((1, COMMAND_ROWS, robot.nv)), NO_LOG, self._left, self._counters)
        with together_with(lambda: contact_solver(problem)):
            look = bind(steps_entry, self.system, self.motion, *nothing, 1.0, FOR_EVER, 1, 1, True)
        self._advance = look.func
        self.resolver = Resolver(robot, self.system, self.motion, problem, parameters, look, self.events)
        self._steps = 0  # since the state was set
        self._happened, self._eventful = 0, -1  # events in this step, and which step that is
        self._stalled, self._last = 0, -np.inf  # events at one instant, and the instant, s

    def restart(self) -> None:
        """See `ContactModel.restart`."""
        super().restart()
        restart_motion(self.motion)
        self._left[0], self._counters[RESET], self._steps = 0.0, 1, 0
        self._stalled, self._last = 0, -np.inf

    def run(self, time_step: float, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """See `ContactModel.run`."""
        counters = self._counters
        counters[STEP] = 0
        while counters[STEP] < steps:
            if self._eventful != counters[STEP]:
                self._recover()
            last = int(counters[STEP]) + 1 if self._impaired else steps
            code = self._advance(
                self.system, self.motion, commands.rows, log, self._left, counters, time_step, last, commands.every,
                log_every, False,
            )  # fmt: skip
            if code != REACHED_END:
                if self._eventful != counters[STEP]:
                    self._recover()
                    self._eventful = int(counters[STEP])
                passed = (self._steps + int(counters[STEP]) + 1) * time_step - float(self._left[0])
                self._handle(code, self.time + passed)
        self._eventful = -1
        self._steps += steps

    def _recover(self) -> None:
        """Give back friction and restitution, which a fallback takes until the end of a step."""
        self.motion.flow["static_friction"] = self.parameters.friction
        self.motion.flow["dynamic_friction"] = self.parameters.sliding_friction
        self.resolver.bounce = True
        self._happened = 0

    @property
    def _impaired(self) -> bool:
        """Whether a fallback acts."""
        return not self.resolver.bounce or self.motion.flow["static_friction"][0] != self.parameters.friction

    def _handle(self, code: int, time: float) -> None:
        """Resolve an event; bound their number in a step, and at one instant."""
        self._happened += 1
        self._stalled = self._stalled + 1 if time - self._last < INSTANT else 0
        self._last = time
        self.system.ledger[SOLVER + ITERATIONS] = self._happened
        without_friction = self.motion.flow["static_friction"][0] == 0.0
        endless = self._happened >= self.parameters.max_events or self._stalled >= MOST_AT_ONCE
        if code == FAILED or endless:
            texts = (LEFT_OUT, VANISHED) if code == FAILED else (GIVEN_UP, CHATTER)
            self.resolver.note(time, texts[0] if without_friction else texts[1])
            self.resolver.leave_friction_out()
            self.motion.step[TRIAL] = FIRST_TRIAL
            self._happened = self._stalled = 0
            if without_friction:
                self._left[0] = SMALLEST_STEP
                return
        if self._happened == self.parameters.max_events // 2 and self.parameters.restitution > 0.0:
            self.resolver.bounce = False
            self.resolver.note(time, NO_REBOUND)
        self.resolver.resolve(time, code if code >= 0 else -1)
