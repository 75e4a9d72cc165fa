"""How a program has something compiled: by a fresh process (`worker`), since a process with threads must not fork.

DDS has threads, and so has numpy's linear algebra. The program waits, shows what the worker reports, and loads the
result from the cache like every later program: the process that compiles may run other code than those that load it,
and results would differ in the last digit.
"""

import contextlib
import json
import os
import pickle
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .progress import Progress

LONGEST = 600.0  # s; a compilation that takes longer is done by the program itself
TICK = 0.1  # s between two states of the progress
GRACE = 10.0  # s for a worker to end after its last word
START = (
    f"import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from {__package__}.worker import main; main()"
)
# The worker may have a second process at its side, which it forks: it must have no threads.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")

# What a worker reports, one line each.
PART = "part"  # some of the work ahead is done
ALONE = "alone"  # no work is done ahead
DONE = "done"
UNKNOWN = "unknown"  # it does not find the entry: the program's main file, or sources that were edited meanwhile
UNFIT = "unfit"  # the changes to numba cannot be made
FAILED = "failed"  # the entry does not compile, or not with the changes to numba


@dataclass(frozen=True)
class Job:
    """What a worker is told: an entry, where it is kept, types of arguments, works to do ahead (pickled one by one)."""

    program: int
    reports: int
    home: str
    module: str
    name: str
    folder: Path
    signature: bytes
    works: tuple[bytes, ...]


@dataclass(frozen=True)
class Outcome:
    """The last report of a worker."""

    kind: str
    reason: str = ""


def can_ask(home: str) -> bool:
    """Return whether a fresh process can import the module that makes an entry: it is not the main file."""
    return not home.startswith("__") and os.name == "posix" and bool(sys.executable)


def compile_elsewhere(
    function: Callable[..., Any],
    home: str,
    signature: tuple[Any, ...],
    folder: Path,
    works: Collection[Callable[[], Any]],
) -> Outcome:
    """Have an entry, which the module ``home`` makes, compiled into a folder of the cache.

    Works that cannot be sent to another process are left out.
    """
    try:
        types = pickle.dumps(signature)
    except Exception as error:  # pickling a type of somebody else's may raise anything
        return Outcome(UNKNOWN, str(error))
    sent = tuple(_pickled(works))
    progress = Progress(function.__name__, 1 + len(sent), folder.parent)
    reader, writer = os.pipe()
    job = Job(os.getpid(), writer, home, function.__module__, function.__qualname__, folder, types, sent)
    environment = {**os.environ, **ONE_THREAD, "NUMBA_CACHE_DIR": str(folder.parent.parent)}
    try:
        worker = subprocess.Popen(
            [sys.executable, "-c", START], env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            pass_fds=[writer], start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        os.close(reader)
        return Outcome(UNKNOWN, str(error))
    finally:
        os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as reports, _ended(worker):
        _send(worker, pickle.dumps(sys.path) + pickle.dumps(job))
        outcome = _last_report(reports, progress)
    if outcome is None:
        outcome = Outcome(FAILED, f"the compiling process ended with status {worker.returncode}")
    if outcome.kind == UNKNOWN:
        progress.end(f"a fresh process cannot compile it ({outcome.reason})")
    else:
        progress.end("compiled" if outcome.kind == DONE else "not compiled")
    return outcome


def _pickled(works: Collection[Callable[[], Any]]) -> Iterator[bytes]:
    for work in works:
        with contextlib.suppress(Exception):  # a lambda, or anything that an argument of somebody else's may raise
            yield pickle.dumps(work)


def _send(worker: subprocess.Popen[bytes], message: bytes) -> None:
    assert worker.stdin is not None
    with contextlib.suppress(BrokenPipeError), worker.stdin as pipe:  # a worker that has died says so by its status
        pipe.write(message)


def _last_report(reports: IO[bytes], progress: Progress) -> Outcome | None:
    """Follow the reports until the worker has ended; return its last word, None if it has said none."""
    outcome, rest, end = None, b"", time.monotonic() + LONGEST
    with selectors.DefaultSelector() as selector:
        selector.register(reports, selectors.EVENT_READ)
        while time.monotonic() < end:
            progress.tick()
            if not selector.select(TICK):
                continue
            data = reports.read(4096)
            if not data:
                return outcome
            *lines, rest = (rest + data).split(b"\n")
            for kind, reason in map(json.loads, lines):
                if kind in (PART, DONE):
                    progress.part_done()
                if kind == ALONE:
                    progress.is_whole()
                elif kind != PART:
                    outcome = Outcome(kind, reason)
    return Outcome(FAILED, f"it took more than {LONGEST:g} s")


@contextlib.contextmanager
def _ended(worker: subprocess.Popen[bytes]) -> Iterator[None]:
    """See to it that a worker, and the second process at its side, have ended; also after an interrupt."""
    try:
        yield
        worker.wait(GRACE)
    except subprocess.TimeoutExpired:
        pass
    finally:
        if worker.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
