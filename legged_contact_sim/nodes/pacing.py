"""Keeping step with the wall clock, and saying honestly when that fails."""

import time

CATCH_UP = 0.25  # s; what is lost beyond this is not caught up
LONGEST = 0.05  # s; of a wait, so that who asks something is answered, however slowly time is to go
WINDOW = 1.0  # s; the real-time factor is measured over this


class Pacer:
    """Paces a loop whose every turn is ``period`` of simulated time, by a clock that never jumps.

    Attributes:
        missed: turns that began later than the deadline of the turn after them, through no fault of somebody else.
        factor: simulated time over wall time in the last second.
    """

    def __init__(self, period: float, real_time_factor: float) -> None:
        """Begin now; ``real_time_factor`` 0: do not wait."""
        self.period = period
        self.missed = 0
        self.factor = 0.0
        self._turns = 0
        self._measured = (time.monotonic(), 0)
        self.target = real_time_factor

    @property
    def target(self) -> float:
        """The real-time factor that is wanted; 0: as fast as possible."""
        return self._target

    @target.setter
    def target(self, value: float) -> None:
        self._target = value
        self._interval = self.period / value if value > 0.0 else 0.0
        self.begin()

    def begin(self) -> None:
        """Begin anew after a pause, which is nobody's fault."""
        self._deadline = time.monotonic()
        self._excused = 0.0

    def excuse(self, seconds: float) -> None:
        """Do not call missed what is late because the loop has waited so long for somebody else."""
        self._excused += seconds

    def wait(self) -> bool:
        """Wait until the next turn is due, but not longer than that; count it if its deadline has gone by.

        Returns whether it is due; if not, wait again.
        """
        now = time.monotonic()
        if self._target and self._deadline + self._interval - now > LONGEST:
            time.sleep(LONGEST)
            return False
        self._turns += 1
        begun, turns = self._measured
        if now - begun >= WINDOW:
            self.factor = (self._turns - turns) * self.period / (now - begun)
            self._measured = (now, self._turns)
        if not self._target:
            return True
        self._deadline += self._interval
        late = now - self._deadline
        self._excused = min(self._excused, max(late, 0.0))  # what is caught up needs no excuse
        if late < 0.0:
            time.sleep(-late)
        elif late > self._interval:
            self.missed += late > self._interval + self._excused
            if late > CATCH_UP:
                self._deadline, self._excused = now, 0.0
        return True
