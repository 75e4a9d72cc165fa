"""The process that compiles entries for a program (`request`): it changes numba, fills the cache, and ends.

It waits a little for the next entry, which then costs less: imports are done, common functions are typed.

Where there is a second processor, a second process compiles large helpers ahead, and after them what else the program
is about to call. It is forked, which saves the imports: a worker has no threads.
"""

import contextlib
import gc
import importlib
import json
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import compilation, entry_cache, numba_internals
from .cache import kernel_folder
from .children import die_with_parent
from .helpers import Call, KeptHelper, Relay
from .request import ALONE, DONE, FAILED, PART, READY, UNFIT, UNKNOWN, Job

PATIENCE = 10  # s for which another job is waited for


def main() -> None:
    """Read jobs from stdin, and do them."""
    die_with_parent(signal.SIGKILL)  # LLVM answers to nothing else
    program, reports = pickle.load(sys.stdin.buffer)
    if os.getppid() != program:
        return  # it has ended before we asked to be told
    gc.disable()  # compiling makes few cycles; looking for them takes a tenth of the time
    entry_cache.be_a_worker()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the end
    compiler, goes_on = Compiler(reports), True
    while goes_on:
        signal.alarm(PATIENCE)
        try:
            job = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        signal.alarm(0)
        goes_on = compiler.do(job)


class Compiler:
    """Numba as this process has it, changed before the first job."""

    def __init__(self, reports: int) -> None:
        """Report to a file descriptor."""
        self._reports = reports
        self._relay: Relay | None = None
        self._names: set[str] = set()

    def do(self, job: Job) -> bool:
        """Compile an entry; return whether another job may follow."""
        try:
            entry, signature, works = find(job)
            self._relay = Relay([work for work in works if isinstance(work, Call)])
        except BaseException as error:  # importing somebody else's module may raise anything
            return self._fail(UNKNOWN, error)
        try:
            self._change_numba()
        except BaseException as error:
            return self._fail(UNFIT, error)
        second = self._start_second(works, self._relay)
        try:
            entry.compile(signature)
        except BaseException as error:
            return self._fail(FAILED, error)
        self._report(DONE)
        if second is not None:
            with contextlib.suppress(ChildProcessError):  # a program that ignores its children passes that on
                os.waitpid(second, 0)
        self._relay = None  # nothing is awaited any more
        self._report(READY)
        return True

    def _change_numba(self) -> None:
        """Change numba, once; entries that have been imported since are known to the changes from now on."""
        changed = bool(self._names)
        self._names.update(entry.py_func.__qualname__ for entry in compilation.entries)
        if not changed:
            numba_internals.patch(
                self._names, compilation.shared_helpers, lambda helper: KeptHelper(helper, self._wait)
            )

    def _start_second(self, works: list[Callable[[], Any]], relay: Relay) -> int | None:
        """Start a process that does works ahead, if there are any and this process may fork; return its id."""
        if works and may_fork():
            second = fork(lambda: work_ahead(works, relay, lambda: self._report(PART)))
            relay.listen()
            return second
        self._report(ALONE)
        relay.close()
        return None

    def _wait(self, file: Path) -> None:
        if self._relay is not None:
            self._relay.wait(file)

    def _fail(self, kind: str, error: BaseException) -> bool:
        self._report(kind, summary(error))
        return False

    def _report(self, kind: str, reason: str = "") -> None:
        os.write(self._reports, json.dumps([kind, reason]).encode() + b"\n")


def find(job: Job) -> tuple[Any, tuple[Any, ...], list[Callable[[], Any]]]:
    """Import what a job is about; return the entry, its signature, and the works to do ahead, helpers first."""
    importlib.import_module(job.home)
    made = [entry for entry, home in compilation.entries.items() if home == job.home]
    found = [each for each in made if (each.py_func.__module__, each.py_func.__qualname__) == (job.module, job.name)]
    if len(found) != 1:
        raise ImportError(f"module {job.home} makes {len(found)} entries of this name when it is imported")
    (entry,) = found
    if kernel_folder(entry.py_func) != job.folder:
        raise ImportError("its sources have been edited since the program imported them")
    works = [pickle.loads(work) for work in job.works]
    return entry, pickle.loads(job.signature), sorted(works, key=lambda work: not isinstance(work, Call))


def may_fork() -> bool:
    """Return whether this process has no other thread, not even one that Python does not know."""
    tasks = Path("/proc/self/task")
    threads = len(list(tasks.iterdir())) if tasks.is_dir() else threading.active_count()
    return threads == 1


def fork(work: Callable[[], Any]) -> int:
    """Start a process that does some work and ends, with or without success; return its id."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        die_with_parent(signal.SIGKILL)
        work()
        status = 0
    finally:  # whoever needs the work does it then
        os._exit(status)


def work_ahead(works: list[Callable[[], Any]], relay: Relay, done: Callable[[], None]) -> None:
    """Compile helpers, and what other works call."""
    relay.speak()
    for work in works:
        work()
        if isinstance(work, Call):
            relay.tell(work.file)
        done()


def summary(error: BaseException) -> str:
    """Return an error in a line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
