"""Event-driven contact (Flickinger): smooth motion between events, impacts with energy control at them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import yaml

from ...errors import ParameterError
from ...jit import bind, compiled_long
from ..commands import take_command
from ..events.impact.impact_law import ATTENUATION, CONSTRAINT, IMPACT_SETTINGS, NO_CONTROL, build_impact
from ..events.loop.event_loop import (
    AFTER,
    BEFORE,
    EVENT_COLUMNS,
    EVENTS,
    FRESH,
    KIND,
    KINDS,
    NOTE,
    NOTES,
    ROWS_PER_EVENT,
    TIME,
    advance,
)
from ..events.motion import build_motion, restart_motion
from ..events.parameters import EventDrivenParameters
from ..log import record
from ..model import Commands, ContactModel, Event
from ..parameters import Parameters, choice, number, special, whole
from ..solvers.stick_slip import problem_of

ENERGY_CONTROLS = {"attenuation": ATTENUATION, "constraint": CONSTRAINT, "none": NO_CONTROL}


def check_shapes(name: str, value: Any) -> dict[str, tuple[float, float, float]]:
    """Return contact shapes, {contact point: semi-axes}, from a mapping or its YAML text ("": none).

    Raises:
        ParameterError: says what was found and what is expected.
    """
    given = yaml.safe_load(value) if isinstance(value, str) else value
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(f"{name}: expected {{contact point: three semi-axes in m}}, found {value!r}")
    shapes = {}
    for point, axes in given.items():
        numbers = np.asarray(axes, dtype=object)
        if numbers.shape != (3,) or not all(isinstance(x, (int, float)) and 0.0 <= x < np.inf for x in numbers):
            raise ParameterError(f"{name}: {point}: expected three semi-axes >= 0 in m, found {axes!r}")
        shapes[str(point)] = (float(numbers[0]), float(numbers[1]), float(numbers[2]))
    return shapes


@dataclass(frozen=True)
class HybridParameters(EventDrivenParameters):
    """Parameters of `hybrid`."""

    tangential_restitution: float = number(0.0, -1.0, 1.0)
    energetic_restitution: float = number(1.0, 0.0, 1e6)
    energy_control: str = choice("attenuation", tuple(ENERGY_CONTROLS))
    stribeck_speed: float = number(1e-5, 0.0, 10.0, "m/s", open_low=True)
    stribeck_exponent: float = number(1.0, 0.0, 10.0, open_low=True)
    stick_speed: float = number(1e-6, 0.0, 1.0, "m/s", open_low=True)
    absolute_tolerance: float = number(1e-9, 1e-14, 1.0, open_low=True)
    relative_tolerance: float = number(1e-8, 1e-13, 1.0)
    max_events: int = whole(200, 4, 10**6)
    contact_shapes: Mapping[str, tuple[float, float, float]] | str = special("", check_shapes)


class Hybrid(ContactModel):
    """Rigid contact by events: adaptive integration, impact law with restitution matrices, energy control."""

    name: ClassVar[str] = "hybrid"
    summary: ClassVar[str] = "event-driven impacts at their instants, energetic restitution, feasible slip (Flickinger)"
    Parameters: ClassVar[type[Parameters]] = HybridParameters

    def __init__(self, robot: Any, terrain: Any, parameters: Any) -> None:
        """See `ContactModel`."""
        super().__init__(robot, terrain, parameters)
        self.motion = build_motion(robot)
        self.impact = build_impact(len(self.system.rows))
        self._problem = problem_of(len(robot.contact_points), robot.joint_count)
        self.settings = np.zeros(1, dtype=IMPACT_SETTINGS)
        for name in IMPACT_SETTINGS.names or ():
            value = getattr(parameters, name)
            self.settings[name] = ENERGY_CONTROLS[value] if name == "energy_control" else value
        sliding, flow = parameters.sliding_friction, self.motion.flow
        self.settings["dynamic_friction"] = sliding
        flow["static_friction"], flow["dynamic_friction"] = parameters.friction, sliding
        for name in ("absolute_tolerance", "relative_tolerance", "stick_speed"):
            flow[name] = getattr(parameters, name)
        self._set_shapes(parameters.contact_shapes)
        points = len(robot.contact_points)
        self._room = ROWS_PER_EVENT * (parameters.max_events + 2)  # rows that one step may fill
        self._rows = np.zeros((2 * self._room, EVENT_COLUMNS + 4 * points))
        self._counters = np.zeros(2, dtype=np.int64)
        self._crowd = np.zeros(3, dtype=np.int64)
        self._modes = np.zeros(points, dtype=np.int64)
        self._steps = 0

    @property
    def semi_axes(self) -> np.ndarray:
        """See `ContactModel.semi_axes`."""
        return self.motion.points["semi_axes"]

    def restart(self) -> None:
        """See `ContactModel.restart`."""
        super().restart()
        self._counters[EVENTS], self._counters[FRESH], self._steps = 0, 1, 0
        restart_motion(self.motion)

    def single_step(self, time_step: float, command: np.ndarray, log: np.ndarray) -> Callable[[], None]:
        """See `ContactModel.single_step`; compiles what a step needs, so that the first one does not wait for it."""
        bind(run_entry, *self._arrays(), command, log, 0.0, time_step, 0, 1, 1, 1, self._room)
        return super().single_step(time_step, command, log)

    def run(self, time_step: float, steps: int, commands: Commands, log: np.ndarray, log_every: int) -> None:
        """See `ContactModel.run`."""
        entry: Callable[..., int] = run_entry
        done = 0
        while done < steps:
            begin = self.time + self._steps * time_step
            progress = (begin, time_step, done, steps, commands.every, log_every, self._room)
            taken = entry(*self._arrays(), commands.rows, log, *progress)
            self._steps += taken
            done += taken
            self._take_events()

    def _arrays(self) -> tuple[Any, ...]:
        """Return what the entry takes before the commands."""
        return (
            self.system, self.motion, self.impact, self._problem, self.settings, self._rows, self._counters,
            self._crowd, self._modes,
        )  # fmt: skip

    def _set_shapes(self, shapes: Mapping[str, tuple[float, float, float]]) -> None:
        for point, axes in shapes.items():
            if point not in self.robot.contact_names:
                known = ", ".join(self.robot.contact_names)
                raise ParameterError(f"contact_shapes: no contact point named {point!r}; there are {known}")
            self.motion.points["semi_axes"][self.robot.contact_names.index(point)] = axes

    def _take_events(self) -> None:
        """Turn the rows of the event log into events."""
        names = np.array(self.robot.contact_names, dtype=object)
        for row in self._rows[: self._counters[EVENTS]]:
            flags = row[EVENT_COLUMNS : EVENT_COLUMNS + len(names)] > 0.0
            impulses = row[EVENT_COLUMNS + len(names) :].reshape(len(names), 3)
            notes = [text for bit, text in NOTES.items() if int(row[NOTE]) & bit]
            self.events.append(
                Event(
                    time=float(row[TIME]),
                    kind=KINDS[int(row[KIND])],
                    points=tuple(names[flags]),
                    impulses=impulses[flags].copy(),
                    energy_before=float(row[BEFORE]),
                    energy_after=float(row[AFTER]),
                    note="; ".join(notes),
                )
            )
        self._counters[EVENTS] = 0


@compiled_long
def run_entry(
    system, motion, impact, problem, settings, event_log, counters, crowd, modes, commands, log, begin, h, done, steps,
    every, log_every, room,
):  # fmt: skip
    """Advance from step ``done`` to ``steps``; return how many were taken: fewer if the event log needs emptying."""
    for k in range(done, steps):
        if len(event_log) - counters[EVENTS] < room:
            return k - done
        take_command(system, commands[min(k // every, len(commands) - 1)])
        time = begin + (k - done) * h
        advance(system, motion, impact, problem, settings[0], h, time, event_log, counters, crowd, modes)
        if len(log) > 0 and (k + 1) % log_every == 0:
            record(system, h, log[(k + 1) // log_every - 1])
    return steps - done
