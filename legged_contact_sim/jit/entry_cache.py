"""The cache of an entry: on disk, filled by another process, or by plain numba in this one."""

import contextlib
import sys
from collections.abc import Callable
from typing import Any

from . import numba_internals, request
from .cache import kernel_folder
from .locks import Lock
from .progress import Progress

_is_worker = False


def be_a_worker() -> None:
    """Let this process compile entries itself, for others to load."""
    global _is_worker
    _is_worker = True


class EntryCache:
    """What numba asks for a compiled entry before it compiles it, and gives it to afterwards."""

    def __init__(self, function: Callable[..., Any], home: str, take_works: Callable[[], list[Any]]) -> None:
        """Keep an entry.

        Args:
            function: what is compiled.
            home: name of the module that makes the entry when it is imported.
            take_works: returns what may be compiled along with it on another processor.
        """
        self._function, self._home, self._take_works = function, home, take_works
        self._disks: dict[bool, Any] = {}
        self._lock: Lock | None = None
        self._progress: Progress | None = None
        self._suspicion = ""

    @property
    def cache_path(self) -> str:
        """The folder that numba keeps the entry in."""
        return self._disk(numba_internals.is_plain()).cache_path  # type: ignore[no-any-return]

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled entry, which another process compiles if need be. None: numba does it here."""
        found = None
        if not numba_internals.is_plain():
            found = self._look_up(signature, target_context, plain=False)
            if found is None and _is_worker:
                return self._look_up_alone(signature, target_context)
            if found is None and request.can_ask(self._home):
                found = self._ask(signature, target_context)
        if found is None:
            found = self._look_up(signature, target_context, plain=True)
            if found is not None and self._suspicion:
                numba_internals.give_up(self._suspicion)
        if found is None:
            self._progress = Progress(self._function.__name__, 1, kernel_folder(self._function, plain=True).parent)
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the entry that numba has compiled in this process, or go on without."""
        if self._progress is not None:
            self._progress.part_done()
            self._progress.end()
        if self._suspicion:
            numba_internals.give_up(self._suspicion)
        try:
            self._disk(plain=not _is_worker).save_overload(signature, result)
        except OSError as error:
            if not _is_worker:  # the program will find nothing, and compile and say it itself
                print(f"legged_contact_sim: cannot keep {self._function.__name__}: {error}", file=sys.stderr)
        if self._lock is not None:
            self._lock.release()

    def _ask(self, signature: Any, target_context: Any) -> Any:
        """Return the entry that another process compiles: one that does so already, or a worker of ours."""
        folder = kernel_folder(self._function)
        lock, name = Lock(folder / "lock"), self._function.__name__
        if not lock.is_free():
            progress = Progress(name, 1, folder.parent)
            lock.acquire(request.LONGEST, lambda: progress.tick("another program compiles it"))
            lock.release()
            found = self._look_up(signature, target_context, plain=False)
            progress.end("another program has compiled it" if found else "another program has not compiled it")
            if found is not None:
                return found
        outcome = request.compile_elsewhere(self._function, self._home, signature, folder, self._take_works())
        if outcome.kind == request.UNFIT:
            numba_internals.give_up(outcome.reason)
        elif outcome.kind == request.FAILED:
            self._suspicion = outcome.reason  # plain numba will tell whether the entry itself is wrong
        return self._look_up(signature, target_context, plain=False)

    def _look_up_alone(self, signature: Any, target_context: Any) -> Any:
        """Return the entry if another worker has just compiled it; if not, hold the lock until it is kept."""
        self._lock = Lock(kernel_folder(self._function) / "lock")
        self._lock.acquire(request.LONGEST)
        found = self._look_up(signature, target_context, plain=False)
        if found is not None:
            self._lock.release()
        return found

    def _look_up(self, signature: Any, target_context: Any, plain: bool) -> Any:
        try:
            return self._disk(plain).load_overload(signature, target_context)
        except Exception:  # what a power cut has left of a file may raise anything; it is made anew
            with contextlib.suppress(OSError):
                self._disk(plain).flush()
            return None

    def _disk(self, plain: bool) -> Any:
        """Return numba's own cache."""
        if plain not in self._disks:
            self._disks[plain] = numba_internals.disk_cache(self._function, kernel_folder(self._function, plain))
        return self._disks[plain]
