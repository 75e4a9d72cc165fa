"""A lock on what is being compiled, so that programs that start together do not compile it twice."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: everybody compiles for himself
    fcntl = None

POLL = 0.02  # s


class Lock:
    """A file that one process holds at a time; the system lets go of it when the process ends, in whatever way."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def acquire(self, patience: float, while_waiting: Callable[[], None] = lambda: None) -> bool:
        """Hold the lock; return False where that fails for ``patience`` seconds, or there are no locks."""
        end = time.monotonic() + patience
        while self._is_busy():
            if time.monotonic() > end:
                return False
            while_waiting()
            time.sleep(POLL)
        return self._file is not None

    def is_free(self) -> bool:
        """Return whether no other process holds it."""
        busy = self._is_busy()
        self.release()
        return not busy

    def release(self) -> None:
        """Let another process hold it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _is_busy(self) -> bool:
        """Take the lock if that is possible; return whether another process has it."""
        if fcntl is None:
            return False
        try:
            file = open(self._path, "ab")  # noqa: SIM115  (held until `release`)
        except OSError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            return isinstance(error, BlockingIOError)  # others: a file system without locks
        self._file = file
        return False
