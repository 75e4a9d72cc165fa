"""Steps of a paused simulation: asked for in one go, done one by one, so that everything else goes on meanwhile."""

from ..errors import ParameterError
from .requests import Request


class Stepping(Request):
    """So many control ticks; its value is how many of them were done.

    Attributes:
        wanted: ticks that were asked for.
        value: ticks that were done.
    """

    def __init__(self, wanted: int) -> None:
        """Begin with none done."""
        super().__init__(lambda: self.value)
        self.wanted, self.value = wanted, 0
        if wanted <= 0:
            self.done.set()

    def advance(self) -> bool:
        """Count a tick; return whether it was the last."""
        self.value += 1
        if self.value == self.wanted:
            self.done.set()
        return self.done.is_set()

    def interrupt(self, reason: str) -> None:
        """End before all is done."""
        self.error = ParameterError(f"{reason} after {self.value} of {self.wanted} steps")
        self.done.set()
