"""Large helpers, kept on disk: compiled once for all entries that call them, or ahead by a second process.

A helper that is `shared` is kept as LLVM IR, one file for each signature, and inlined into every entry that calls it
as if it had been compiled there.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numba

from . import numba_internals
from .cache import kernel_folder
from .locks import Lock

LONGEST = 120.0  # s to wait for another program that compiles the same helper


class Call:
    """A helper and arguments of the types that it will be called with: work that can be done ahead."""

    def __init__(self, helper: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.helper = helper
        self._arguments = arguments
        self._signature: tuple[Any, ...] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Call._of_types, (self.helper, self.signature)

    @classmethod
    def _of_types(cls, helper: Callable[..., Any], signature: tuple[Any, ...]) -> "Call":
        call = cls(helper, ())
        call._signature = signature
        return call

    @property
    def signature(self) -> tuple[Any, ...]:
        """Types of the arguments."""
        if self._signature is None:
            self._signature = tuple(numba.typeof(argument) for argument in self._arguments)
        return self._signature

    @property
    def file(self) -> Path:
        """File that keeps the compiled helper."""
        return helper_file(self.helper, self.signature)

    def __call__(self) -> None:
        """Compile the helper as a kernel would that calls it."""
        numba_internals.compile_helper(self.helper, self.signature)


def helper_file(helper: Callable[..., Any], signature: tuple[Any, ...]) -> Path:
    """Return the file that keeps a helper compiled for a signature."""
    types = hashlib.sha256(str(signature).encode()).hexdigest()[:16]
    return kernel_folder(helper) / f"{types}.helper"


class KeptHelper:
    """The cache of a helper: a file, which another process may be about to write."""

    _holds_lock = False  # of one helper at a time: who holds two could wait for a process that waits for him

    def __init__(self, helper: Callable[..., Any], wait: Callable[[Path], None]) -> None:
        """Keep a helper; ``wait`` returns when the second process has done its part of the work on a file."""
        self._helper, self._wait = helper, wait
        self._lock: Lock | None = None

    def load_overload(self, signature: tuple[Any, ...], target_context: Any) -> Any:
        """Return the compiled helper, or None: then it is compiled here, and other programs wait for it."""
        path = helper_file(self._helper, signature)
        self._wait(path)
        found = self._read(path, target_context)
        if found is None and not KeptHelper._holds_lock:
            lock = Lock(path.with_suffix(".lock"))
            if lock.acquire(LONGEST):
                found = self._read(path, target_context)
                if found is None:
                    self._lock, KeptHelper._holds_lock = lock, True
                else:
                    lock.release()
        return found

    def save_overload(self, signature: tuple[Any, ...], result: Any) -> None:
        """Keep the compiled helper; another process sees the whole file or none."""
        path = helper_file(self._helper, signature)
        draft = path.with_suffix(f".{os.getpid()}")
        try:
            draft.write_bytes(numba_internals.dumps_helper(result))
            draft.replace(path)
        except Exception:  # a full disk, or a type that cannot be pickled: the entry can do without the file
            draft.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.release()
            self._lock, KeptHelper._holds_lock = None, False

    @staticmethod
    def _read(path: Path, target_context: Any) -> Any:
        try:
            return numba_internals.loads_helper(path.read_bytes(), target_context)
        except Exception:  # it is not there; or what a power cut has left of it, which may raise anything
            return None


class Relay:
    """A pipe from the process that compiles helpers ahead to the one that waits for them: paths of finished files."""

    def __init__(self, calls: Collection[Call]) -> None:
        """Open the pipe."""
        self._awaited = {str(call.file) for call in calls}
        self._reader, self._writer = os.pipe()
        self._lines = os.fdopen(self._reader)

    def listen(self) -> None:
        """Be the process that waits."""
        os.close(self._writer)

    def speak(self) -> None:
        """Be the process that compiles ahead."""
        self._awaited.clear()
        self._lines.close()

    def close(self) -> None:
        """Nobody compiles ahead."""
        self.listen()
        self.speak()

    def wait(self, file: Path) -> None:
        """Return when the file is there, if it was promised and as long as the other process lives."""
        while str(file) in self._awaited:
            line = self._lines.readline()
            if line:
                self._awaited.discard(line.strip())
            else:
                self._awaited.clear()

    def tell(self, file: Path) -> None:
        """Say that a file is there; who waited for it may be gone."""
        with contextlib.suppress(OSError):
            os.write(self._writer, f"{file}\n".encode())
