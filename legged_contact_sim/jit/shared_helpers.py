"""Let two processes compile one entry: the second compiles large helpers ahead, the first takes them from the disk.

A helper that is `shared` is kept as LLVM IR, one file for each signature, and inlined into every entry that calls it
as if it had been compiled there. Later entries that call it find it, too.

This reaches into numba, and only a process that ends after compiling should do it (`compilation` forks one).
"""

import contextlib
import hashlib
import os
import pickle
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
from numba.core import serialize
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

from .cache import kernel_folder


@dataclass(frozen=True, eq=False)
class Call:
    """A helper and arguments of the types that it will be called with."""

    helper: Callable[..., Any]
    arguments: tuple[Any, ...]

    @property
    def signature(self) -> tuple[Any, ...]:
        """Types of the arguments."""
        return tuple(numba.typeof(argument) for argument in self.arguments)

    @property
    def file(self) -> Path:
        """File that keeps the compiled helper."""
        return helper_file(self.helper, self.signature)

    def __call__(self) -> None:
        """Compile the helper as a kernel would that calls it."""
        context = cpu_target.typing_context
        context.refresh()
        context.resolve_value_type(self.helper).get_call_type(context, self.signature, {})


def helper_file(helper: Callable[..., Any], signature: tuple[Any, ...]) -> Path:
    """Return the file that keeps a helper compiled for a signature."""
    types = hashlib.sha256(str(signature).encode()).hexdigest()[:16]
    return kernel_folder(helper) / f"{types}.helper"


class KeptHelper:
    """What numba asks for a compiled helper before it compiles it, and gives it to afterwards: numba's cache."""

    def __init__(self, helper: Callable[..., Any], wait: Callable[[Path], None]) -> None:
        """Keep a helper; ``wait`` returns when another process has done its part of the work on a file."""
        self._helper, self._wait = helper, wait

    def load_overload(self, signature: tuple[Any, ...], target_context: Any) -> Any:
        """Return the compiled helper, or None."""
        path = helper_file(self._helper, signature)
        self._wait(path)
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(path.read_bytes()))
        except Exception:  # it is not there; or what a power cut has left of it, which may raise anything
            return None

    def save_overload(self, signature: tuple[Any, ...], result: Any) -> None:
        """Keep the compiled helper; another process sees the whole file or none."""
        path = helper_file(self._helper, signature)
        draft = path.with_suffix(f".{os.getpid()}")
        try:
            draft.write_bytes(serialize.dumps(result._reduce()))
            draft.replace(path)
        except OSError:  # a full disk: the entry can do without the file
            draft.unlink(missing_ok=True)


def keep_helpers(helpers: Collection[Callable[..., Any]], wait: Callable[[Path], None]) -> None:
    """From now on, in this process, take these helpers from the disk where they are there, and leave them there.

    With a numba that is built in another way nothing is changed; compiling then takes longer.
    """
    if not all(hasattr(CompileResult, name) for name in ("_reduce", "_rebuild")):
        return
    compile_here = Dispatcher.compile

    def compile_or_take(self, signature):  # type: ignore[no-untyped-def]
        if self.py_func in helpers:
            self._cache = KeptHelper(self.py_func, wait)
        return compile_here(self, signature)

    Dispatcher.compile = compile_or_take  # type: ignore[method-assign]


class Relay:
    """A pipe from the process that compiles helpers ahead to the one that waits for them: paths of finished files."""

    def __init__(self, calls: Collection[Call]) -> None:
        """Open the pipe; until a process listens or tells, both ends are open."""
        self._awaited = {str(call.file) for call in calls}
        self._reader, self._writer = os.pipe()

    def listen(self) -> None:
        """Be the process that waits."""
        os.close(self._writer)
        self._lines = os.fdopen(self._reader)

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

    def close(self) -> None:
        """Leave the pipe to the other processes."""
        os.close(self._reader)
        os.close(self._writer)
