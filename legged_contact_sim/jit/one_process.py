"""A process that compiles many entries one after the other: what several of them call is typed and lowered once.

A worker of `request` compiles one entry and ends, and the next one begins from nothing. Contact models share most of
their functions: after `compliant`, `penalty` has little left to do.
"""

import gc

from . import compilation, entry_cache, numba_internals
from .helpers import KeptHelper


def compile_in_this_process() -> None:
    """Let entries that are imported by now be compiled here, for other programs to load; do nothing else afterwards.

    A process that has compiled an entry may run other code than one that loads it. Where the changes to numba do not
    fit, the user is told, and plain numba is used.
    """
    if numba_internals.is_plain():
        return
    names = {entry.py_func.__qualname__ for entry in compilation.entries}
    try:
        numba_internals.patch(names, compilation.shared_helpers, lambda helper: KeptHelper(helper, lambda _: None))
    except Exception as error:  # whatever a numba of another version raises
        numba_internals.give_up(f"{type(error).__name__}: {error}")
        return
    entry_cache.be_a_worker()
    gc.disable()  # compiling makes few cycles; looking for them takes a tenth of the time
