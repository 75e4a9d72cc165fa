"""The decorators of kernels.

``inlined`` marks the small functions that kernels are made of: ordinary Python that tests call as it is.
``compiled`` marks the few entries that Python calls: they are cached on disk in a folder named after a hash of
all sources that the entry can reach, since numba itself notices a change only in the entry's own file.
"""

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import register_jitable

from . import numba_internals
from .cache import register
from .entry_cache import EntryCache

Function = TypeVar("Function", bound=Callable[..., Any])

# Every relaxation of IEEE arithmetic but "nnan" and "ninf": NaN stays visible, so a bad input can be refused.
MATHS: dict[str, Any] = {"fastmath": {"contract", "nsz", "arcp", "reassoc"}, "error_model": "numpy"}
NO_ALLOCATION: dict[str, Any] = numba_internals.without_allocation()

inlined = register_jitable(no_cfunc_wrapper=True, forceinline=False, **NO_ALLOCATION, **MATHS)
# For the recipe of a step, large and called once: a call would pass every array of the system through memory.
inlined_always = register_jitable(no_cfunc_wrapper=True, forceinline=True, **NO_ALLOCATION, **MATHS)
# For the few lines whose order of operations matters: sums are done as written.
inlined_as_written = register_jitable(
    no_cfunc_wrapper=True, fastmath={"contract", "nsz"}, error_model="numpy", **NO_ALLOCATION
)

entries: dict[Any, str] = {}  # of this process, as numba's dispatchers, with the modules that make them
shared_helpers: set[Callable[..., Any]] = set()
_companions: list[Callable[[], Any]] = []


def compiled(function: Function) -> Function:
    """Compile an entry that Python calls; the result is cached on disk under the hash of its sources."""
    return _entry(function)


def compiled_long(function: Function) -> Function:
    """Compile an entry that may run for long: like `compiled`, and other Python threads go on meanwhile."""
    return _entry(function, nogil=True)


def shared(function: Function) -> Function:
    """Like `inlined`, for a large helper: compiled once for all entries, or ahead by another process (see `Call`)."""
    _share(function)
    return inlined(function)  # type: ignore[no-any-return]


def shared_always(function: Function) -> Function:
    """Like `shared`, for what an entry calls in one place, in every step: inlined however large it is."""
    _share(function)
    return inlined_always(function)  # type: ignore[no-any-return]


def _share(function: Callable[..., Any]) -> None:
    if not numba.config.DISABLE_JIT:
        shared_helpers.add(function)
        register(function)


def bind(entry: Callable[..., Any], *arguments: Any) -> functools.partial[Any]:
    """Return a call of a compiled entry with these very arguments, whose types need not be found out again.

    Saves numba's dispatch, 0.5 to 2 us a call; the arrays are held, so new numbers are written into them.
    """
    if numba.config.DISABLE_JIT:
        return functools.partial(entry, *arguments)
    signature = tuple(numba.typeof(argument) for argument in arguments)
    return functools.partial(numba_internals.entry_point(entry, signature), *arguments)


@contextlib.contextmanager
def together_with(*works: Callable[[], Any]) -> Iterator[None]:
    """While this lasts, an entry that has to be compiled lets ``works`` compile what they call on another processor.

    Helpers of the entry itself, `Call`, come first: the entry waits for them. A work is done in another process, so
    it must be one that can be pickled, such as a `functools.partial`; others are left out.
    """
    _companions.extend(works)
    try:
        yield
    finally:
        for work in works:
            if work in _companions:
                _companions.remove(work)


def _take_companions() -> list[Callable[[], Any]]:
    """Return the works that an entry may take along, where there is a processor for them; no other entry takes them."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    works = list(_companions) if processors > 1 else []
    _companions.clear()
    return works


def _entry(function: Function, **options: Any) -> Function:
    if numba.config.DISABLE_JIT:
        return _uncompiled(function)
    entry = numba.njit(**options, **NO_ALLOCATION, **MATHS)(function)
    register(function)
    home = _importing_module()
    numba_internals.attach(entry, EntryCache(function, home, _take_companions))
    entries[entry] = home
    return entry  # type: ignore[no-any-return]


def _importing_module() -> str:
    """Return the module that is being imported: who imports it has the entry, whatever function has made it."""
    frame = sys._getframe()
    while frame.f_code.co_name != "<module>" and frame.f_back is not None:
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "__main__"))


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
