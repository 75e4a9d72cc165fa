"""How kernels are compiled: two decorators, a cache that cannot go stale, and a word to the user while LLVM works.

``inlined`` marks the small functions that kernels are made of: ordinary Python that tests call as it is.
``compiled`` marks the few entries that Python calls: they are cached on disk in a folder named after a hash of
all sources that the entry can reach, since numba itself notices a change only in the entry's own file.
"""

import atexit
import contextlib
import functools
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import event
from numba.core.caching import FunctionCache
from numba.extending import register_jitable

from .cache import cache_folder, kernel_folder, register
from .children import die_with_parent
from .shared_helpers import Call, Relay, keep_helpers
from .type_memory import remember_types_of_calls
from .whole_entries import leave_helpers_to_entries

Function = TypeVar("Function", bound=Callable[..., Any])

# Every relaxation of IEEE arithmetic but "nnan" and "ninf": NaN stays visible, so a bad input can be refused.
MATHS: dict[str, Any] = {"fastmath": {"contract", "nsz", "arcp", "reassoc"}, "error_model": "numpy"}
# Without numba's run-time memory, a kernel that allocates does not compile, and references to arrays are not counted,
# which otherwise takes a quarter of a contact step.
NO_ALLOCATION: dict[str, Any] = {"_nrt": False}

CHILD_SECONDS = 600.0  # a compilation that takes longer in the child process is done here

inlined = register_jitable(no_cfunc_wrapper=True, forceinline=False, **NO_ALLOCATION, **MATHS)
# For the recipe of a step, large and called once: a call would pass every array of the system through memory.
inlined_always = register_jitable(no_cfunc_wrapper=True, forceinline=True, **NO_ALLOCATION, **MATHS)
# For the few lines whose order of operations matters: sums are done as written.
inlined_as_written = register_jitable(
    no_cfunc_wrapper=True, fastmath={"contract", "nsz"}, error_model="numpy", **NO_ALLOCATION
)


def compiled(function: Function) -> Function:
    """Compile an entry that Python calls; the result is cached on disk under the hash of its sources."""
    return _entry(function)


def compiled_long(function: Function) -> Function:
    """Compile an entry that may run for long: like `compiled`, and other Python threads go on meanwhile."""
    return _entry(function, nogil=True)


def shared(function: Function) -> Function:
    """Like `inlined`, for a large helper: compiled once for all entries, or ahead by another process (see `Call`)."""
    if not numba.config.DISABLE_JIT:
        _shared.add(function)
        register(function)
    return inlined(function)  # type: ignore[no-any-return]


def bind(entry: Callable[..., Any], *arguments: Any) -> functools.partial[Any]:
    """Return a call of a compiled entry with these very arguments, whose types need not be found out again.

    Saves numba's dispatch, 0.5 to 2 us a call; the arrays are held, so new numbers are written into them.
    """
    if numba.config.DISABLE_JIT:
        return functools.partial(entry, *arguments)
    signature = tuple(numba.typeof(argument) for argument in arguments)
    entry.compile(signature)  # type: ignore[attr-defined]
    return functools.partial(entry.overloads[signature].entry_point, *arguments)  # type: ignore[attr-defined]


@contextlib.contextmanager
def together_with(*works: Callable[[], Any]) -> Iterator[None]:
    """While this lasts, an entry that has to be compiled lets ``works`` compile what they call on another processor.

    Helpers of the entry itself, `Call`, come first: the entry waits for them.
    """
    _companions.extend(works)
    try:
        yield
    finally:
        for work in works:
            if work in _companions:
                _companions.remove(work)


def _entry(function: Function, **options: Any) -> Function:
    if numba.config.DISABLE_JIT:
        return _uncompiled(function)
    entry = numba.njit(**options, **NO_ALLOCATION, **MATHS)(function)
    register(function)
    entry._cache = _EntryCache(entry)
    _entries.add(entry)
    return entry  # type: ignore[no-any-return]


def _uncompiled(function: Function) -> Function:
    """Return an entry that runs as plain Python (``NUMBA_DISABLE_JIT=1``), to be debugged."""

    @functools.wraps(function)
    def entry(*arguments: Any) -> Any:
        return function(*map(_with_named_fields, arguments))

    return entry  # type: ignore[return-value]


def _with_named_fields(argument: Any) -> Any:
    """Return an argument in which fields of records can be read by attribute, as in a kernel."""
    if hasattr(argument, "_make"):
        return argument._make(map(_with_named_fields, argument))
    is_records = isinstance(argument, np.ndarray) and argument.dtype.names
    return argument.view(np.recarray) if is_records else argument


class _EntryCache:
    """What numba asks for a compiled entry, and gives it to: its cache on disk, filled by a child process."""

    def __init__(self, entry: Any) -> None:
        self._entry = entry

    @functools.cached_property
    def _disk(self) -> FunctionCache:
        """Numba's own cache."""
        with _cache_folder_in_force(kernel_folder(self._entry.py_func)):
            return FunctionCache(self._entry.py_func)

    @property
    def cache_path(self) -> str:
        """The folder that numba keeps the entry in."""
        return self._disk.cache_path  # type: ignore[no-any-return]

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled entry, which another process compiles if need be. None: the caller has to do it."""
        found = self._look_up(signature, target_context)
        if found is None and not _is_child and hasattr(os, "fork"):
            _compile_in_child(self._entry, signature)
            found = self._look_up(signature, target_context)
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the compiled entry, or go on without."""
        try:
            self._disk.save_overload(signature, result)
        except OSError as error:
            if not _is_child:
                print(f"legged_contact_sim: cannot keep {self._entry.__name__}: {error}", file=sys.stderr)

    def _look_up(self, signature: Any, target_context: Any) -> Any:
        try:
            return self._disk.load_overload(signature, target_context)
        except Exception:  # what a power cut has left of a file may raise anything; it is made anew
            with contextlib.suppress(OSError):
                self._disk.flush()
            return None


def _compile_in_child(entry: Any, signature: Any) -> None:
    """Fill the cache from a child process, so that this one loads the very code that later ones will load.

    The process that compiles may run other code than those that load it from the cache: results would differ in the
    last bit. If the child fails, the caller compiles for itself.
    """
    _progress.greet()
    works = sorted(_companions, key=lambda work: not isinstance(work, Call)) if _processors() > 1 else []
    _companions.clear()
    relay = Relay([work for work in works if isinstance(work, Call)])

    def lead() -> None:
        relay.listen()
        keep_helpers(_shared, relay.wait)
        entry.compile(signature)

    def help_out() -> None:
        keep_helpers(_shared, lambda name: None)
        for work in works:
            work()
            if isinstance(work, Call):
                relay.tell(work.file)

    children = [_fork(lead), _fork(help_out, told=False)] if works else [_fork(lead)]
    relay.close()
    _wait_for(children)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _fork(work: Callable[[], Any], told: bool = True) -> int:
    """Start a child process that compiles what ``work`` needs, with or without a word to the user; return its id."""
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    global _is_child
    _is_child = True
    status = 1
    try:
        die_with_parent(signal.SIGKILL)  # LLVM answers to nothing else
        gc.disable()  # compiling makes few cycles; looking for them takes a tenth of the time
        leave_helpers_to_entries({entry.py_func.__qualname__ for entry in _entries})
        remember_types_of_calls()
        if not told:
            event.unregister("numba:compile", _progress)
        work()
        status = 0
    finally:
        sys.stderr.flush()
        os._exit(status)


def _wait_for(children: list[int]) -> None:
    """Return when all children have ended; an interrupt, or the end of patience, ends them."""
    patience = time.monotonic() + CHILD_SECONDS
    try:
        while not all(map(_has_ended, children)) and time.monotonic() < patience:
            time.sleep(0.01)
    finally:
        for child in children:
            while not _has_ended(child):
                os.kill(child, signal.SIGKILL)
                time.sleep(0.001)


def _has_ended(child: int) -> bool:
    with contextlib.suppress(ChildProcessError):  # this program ignores SIGCHLD, or has waited for it already
        return os.waitpid(child, os.WNOHANG)[0] != 0
    return True


@contextlib.contextmanager
def _cache_folder_in_force(folder: Path) -> Iterator[None]:
    """Point numba at a folder of ours while the cache of one of our entries is made, and only then."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


class _CompileProgress(event.Listener):
    """Tell the user on stderr which kernel is being compiled and how long it has taken so far."""

    def __init__(self) -> None:
        self._nested = 0
        self._ticker: threading.Thread | None = None
        self._done = threading.Event()
        self._started = 0.0
        self._greeted = False

    def greet(self) -> None:
        """Say once what is going on, and where the result will be."""
        if not self._greeted:
            print(f"legged_contact_sim: compiling kernels, once; they are kept in {cache_folder()}", file=sys.stderr)
            self._greeted = True

    def on_start(self, event: Any) -> None:
        """Announce a compilation that Python's call has caused (not the ones nested in it)."""
        if event.data["dispatcher"] not in _entries:
            return
        self._nested += 1
        if self._nested > 1:
            return
        self.greet()
        name = event.data["dispatcher"].py_func.__name__
        self._started = time.monotonic()
        self._done.clear()
        self._ticker = threading.Thread(target=self._tick, args=(name,), daemon=True)
        self._ticker.start()

    def on_end(self, event: Any) -> None:
        """Close the line of the compilation that ends."""
        if event.data["dispatcher"] not in _entries:
            return
        self._nested -= 1
        if self._nested == 0 and self._ticker is not None:
            self._done.set()
            self._ticker.join()
            name = event.data["dispatcher"].py_func.__name__
            start = "\r" if sys.stderr.isatty() else ""
            print(f"{start}  {name}: {time.monotonic() - self._started:.1f} s", file=sys.stderr, flush=True)

    def _tick(self, name: str) -> None:
        interactive = sys.stderr.isatty()
        while interactive and not self._done.wait(0.5):
            print(f"\r  {name}: {time.monotonic() - self._started:.1f} s", end="", file=sys.stderr, flush=True)


_entries: set[Any] = set()
_shared: set[Callable[..., Any]] = set()
_companions: list[Callable[[], Any]] = []
_is_child = False
_progress = _CompileProgress()
event.register("numba:compile", _progress)
atexit.register(event.unregister, "numba:compile", _progress)
