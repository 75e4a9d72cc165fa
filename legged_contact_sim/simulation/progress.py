"""How far a long piece of work has come: one line that is rewritten on a terminal, a line per part in a log."""

import shutil
import sys
import time
from typing import TextIO

WIDTH = 24


class Progress:
    """Counts parts that are done and says how long the rest will take."""

    def __init__(self, title: str, total: int, stream: TextIO | None = None) -> None:
        """Begin to count.

        Args:
            title: what the work is.
            total: how many parts it has.
            stream: where to write; None: stderr.
        """
        self.title, self.total, self.done = title, total, 0
        self._stream = sys.stderr if stream is None else stream
        self._begin = self._first = time.monotonic()
        self._shown = 0
        if total and self._stream.isatty():
            self._rewrite(f"{title} [{WIDTH * '-'}] 0/{total}")

    def step(self, words: str = "") -> None:
        """Count a part that is done and say which."""
        self.done += 1
        now = time.monotonic()
        elapsed = now - self._begin
        if self.done == 1:  # it took the start of processes, too, and counts only until there is a second one
            self._first = now
        each = (now - self._first) / (self.done - 1) if self.done > 1 else elapsed
        left = each * (self.total - self.done)
        filled = WIDTH * self.done // max(self.total, 1)
        bar = "#" * filled + "-" * (WIDTH - filled)
        line = f"{self.title} [{bar}] {self.done}/{self.total}, {elapsed:.0f} s, about {left:.0f} s left  {words}"
        if self._stream.isatty():
            self._rewrite(line)
            if self.done == self.total:
                self._stream.write("\n")
        else:
            self._stream.write(line.rstrip() + "\n")
        self._stream.flush()

    def _rewrite(self, line: str) -> None:
        """Write a line over the last one on a terminal: no longer than it is wide, or the next one goes below."""
        line = line[: shutil.get_terminal_size().columns - 1]
        self._stream.write("\r" + line.ljust(self._shown))
        self._stream.flush()
        self._shown = len(line)
