"""What the user sees on stderr while kernels are compiled: what, how many parts of how many, for how long."""

import sys
import time
from pathlib import Path

ON_TERMINAL = 0.2  # s between two states of the line,
IN_LOG = 15.0  # and between two lines of a file


class Progress:
    """The line about one compilation: rewritten in place on a terminal, a line now and then in a log."""

    _greeted = False

    def __init__(self, name: str, parts: int, folder: Path) -> None:
        """Begin; ``folder`` is where the result will be kept, ``parts`` how many pieces it is compiled in."""
        self._name, self._parts, self._done = name, parts, 0
        self._terminal = sys.stderr.isatty()
        self._started = self._shown = time.monotonic()
        self._width = 0
        if not Progress._greeted:
            Progress._greeted = True
            self._print(f"legged_contact_sim: compiling kernels, once; they are kept in {folder}\n")

    def part_done(self) -> None:
        """Count a part that is compiled."""
        self._done = min(self._done + 1, self._parts)

    def is_whole(self) -> None:
        """Note that it is compiled in one piece."""
        self._parts = 1

    def tick(self, doing: str = "compiling") -> None:
        """Show how things stand, if the last time is long enough ago."""
        if time.monotonic() - self._shown >= (ON_TERMINAL if self._terminal else IN_LOG):
            self._shown = time.monotonic()
            line = f"  {self._name}: {doing}, {self._done} of {self._parts} parts, {self._elapsed:.1f} s"
            self._print(self._rewritten(line) if self._terminal else f"{line}\n")

    def end(self, outcome: str = "compiled") -> None:
        """Show the last state of the line, and end it."""
        line = f"  {self._name}: {outcome}, {self._done} of {self._parts} parts, {self._elapsed:.1f} s"
        self._print((self._rewritten(line) if self._terminal else line) + "\n")

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _rewritten(self, line: str) -> str:
        self._width = max(self._width, len(line))
        return "\r" + line.ljust(self._width)

    @staticmethod
    def _print(text: str) -> None:
        print(text, end="", file=sys.stderr, flush=True)
