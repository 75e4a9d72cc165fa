"""The process that compiles an entry for a program (`request`): it changes numba, fills the cache, and ends.

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
from .request import ALONE, DONE, FAILED, PART, UNFIT, UNKNOWN, Job


def main() -> None:
    """Read a job from stdin, and do it."""
    die_with_parent(signal.SIGKILL)  # LLVM answers to nothing else
    job: Job = pickle.load(sys.stdin.buffer)
    if os.getppid() != job.program:
        return  # it has ended before we asked to be told
    gc.disable()  # compiling makes few cycles; looking for them takes a tenth of the time
    entry_cache.be_a_worker()

    def report(kind: str, error: BaseException | None = None) -> None:
        os.write(job.reports, json.dumps([kind, "" if error is None else summary(error)]).encode() + b"\n")

    try:
        entry, signature, works = find(job)
        relay = Relay([work for work in works if isinstance(work, Call)])
    except BaseException as error:  # importing somebody else's module may raise anything
        return report(UNKNOWN, error)
    try:
        names = {each.py_func.__qualname__ for each in compilation.entries}
        numba_internals.patch(names, compilation.shared_helpers, lambda helper: KeptHelper(helper, relay.wait))
    except BaseException as error:
        return report(UNFIT, error)
    second = None
    if works and may_fork():
        second = fork(lambda: work_ahead(works, relay, lambda: report(PART)))
        relay.listen()
    else:
        report(ALONE)
        relay.close()
    try:
        entry.compile(signature)
    except BaseException as error:
        return report(FAILED, error)
    report(DONE)
    if second is not None:
        with contextlib.suppress(ChildProcessError):  # a program that ignores its children passes that on
            os.waitpid(second, 0)
    return None


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
