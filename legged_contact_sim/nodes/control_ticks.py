"""Control ticks: how long they are, and at which of them a simulator in lockstep waits for its command."""

from ..errors import ParameterError

NEVER = 1e15  # ticks; nobody waits for so many


def ticks_of(control_rate: float, rate: float) -> int:
    """Return how many control ticks lie between two messages of a rate, Hz; 0: there are none."""
    return max(1, round(min(control_rate / rate, NEVER))) if rate > 0.0 else 0


def control_period(control_rate: float, time_step: float) -> tuple[int, float]:
    """Return the steps in a control tick and its duration, s.

    Raises:
        ParameterError: a tick is not a whole number of steps.
    """
    steps = round(1.0 / (control_rate * time_step))
    if steps < 1 or abs(steps * time_step * control_rate - 1.0) > 1e-6:
        raise ParameterError(
            f"control_rate: expected a period of whole time steps ({time_step:g} s), found {control_rate:g} Hz"
        )
    return steps, steps * time_step


class AwaitedTicks:
    """Every so many control ticks, from the start on or from the state that the first command answered."""

    def __init__(self, control_rate: float, command_rate: float) -> None:
        """Take the rates of control ticks and of commands, Hz; the latter is rounded to whole ticks."""
        self._every = max(1, round(control_rate / command_rate))
        self._period = 1e9 / control_rate
        self._first = 0

    def begin(self) -> None:
        """Count from tick 0."""
        self._first = 0

    def begin_with(self, tick: int, now: int, answered: int) -> None:
        """Count from the state of a stamp that was answered, ns, at a tick of the stamp ``now``; -1: from that tick."""
        self._first = tick - (round((now - answered) / self._period) if answered >= 0 else 0)

    def __contains__(self, tick: int) -> bool:
        """Return whether a command is awaited at a tick."""
        return (tick - self._first) % self._every == 0
