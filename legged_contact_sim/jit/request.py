"""How a program has something compiled: by another process (`worker`), since a process with threads must not fork.

DDS has threads, and so has numpy's linear algebra. The program waits, shows what the worker reports, and loads the
result from the cache like every later program: the process that compiles may run other code than those that load it,
and results would differ in the last digit.
"""

import atexit
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
GRACE = 10.0  # s for a worker to end when there is nothing more to do
START = (
    f"import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from {__package__}.worker import main; main()"
)
# The worker may have a second process at its side, which it forks: it must have no threads.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")

# What a worker reports, one line each.
PART = "part"  # some of the work ahead is done
ALONE = "alone"  # no work is done ahead
DONE = "done"
READY = "ready"  # the worker, and who was at its side, have done everything; it waits a little for another job
UNKNOWN = "unknown"  # it does not find the entry: the program's main file, or sources that were edited meanwhile
UNFIT = "unfit"  # the changes to numba cannot be made
FAILED = "failed"  # the entry does not compile, or not with the changes to numba


@dataclass(frozen=True)
class Job:
    """What a worker is told: an entry, where it is kept, types of arguments, works to do ahead (pickled one by one)."""

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
    job = pickle.dumps(Job(home, function.__module__, function.__qualname__, folder, types, sent))
    outcome = _ask(job, {**os.environ, **ONE_THREAD, "NUMBA_CACHE_DIR": str(folder.parent.parent)}, progress)
    if outcome.kind == UNKNOWN:
        progress.end(f"a fresh process cannot compile it ({outcome.reason})")
    else:
        progress.end("compiled" if outcome.kind == DONE else "not compiled")
    return outcome


def _ask(job: bytes, environment: dict[str, str], progress: Progress) -> Outcome:
    """Give a job to the worker that waits for one, or to a fresh one: the other may be gone, or know old sources."""
    while _waiting:
        worker = _waiting.pop()
        outcome = worker.do(job, progress) if worker.suits(environment) else None
        if outcome is not None and outcome.kind == DONE:
            return outcome
        worker.end()
    try:
        worker = Worker(environment)
    except OSError as error:
        return Outcome(UNKNOWN, str(error))
    return worker.do(job, progress) or Outcome(FAILED, f"the compiling process ended with status {worker.end()}")


class Worker:
    """A process that compiles. It stays a little while: the next entry needs much of what it has typed already."""

    def __init__(self, environment: dict[str, str]) -> None:
        """Start it; an OSError says that this is not possible."""
        self._start = self._settings(environment)
        reader, writer = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START], env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                pass_fds=[writer], start_new_session=True,
            )  # fmt: skip
        except OSError:
            os.close(reader)
            raise
        finally:
            os.close(writer)
        self._reports = os.fdopen(reader, "rb", buffering=0)
        self._send(pickle.dumps(sys.path) + pickle.dumps((os.getpid(), writer)))

    @staticmethod
    def _settings(environment: dict[str, str]) -> tuple[Any, ...]:
        return os.getpid(), os.getcwd(), list(sys.path), environment

    def suits(self, environment: dict[str, str]) -> bool:
        """Return whether a fresh one would begin like it: a fork of this program may not talk to it."""
        return self._start == self._settings(environment)

    def do(self, job: bytes, progress: Progress) -> Outcome | None:
        """Have a job done; return the outcome, None if the worker has died. It is ended if it is not ready for more."""
        ready = False
        try:
            self._send(job)
            outcome, ready = _last_report(self._reports, progress)
        except BaseException:  # an interrupt
            self._kill()
            raise
        if ready:
            _waiting.append(self)
        elif outcome is not None:
            self.end()
        return outcome

    def end(self) -> int:
        """Let it end, and see to it; return its status."""
        if self._start[0] != os.getpid():
            return 0  # it belongs to the program that this one is a fork of
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self._kill()
        return self._process.returncode

    def _kill(self) -> None:
        """End it, and the second process at its side, whatever they do."""
        self._reports.close()
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _send(self, message: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # a worker that has died says so by its status
            self._process.stdin.write(message)
            self._process.stdin.flush()


_waiting: list[Worker] = []  # for another job: one, or none


@atexit.register
def end_waiting() -> None:
    """End the worker that waits for another job."""
    while _waiting:
        _waiting.pop().end()


def _pickled(works: Collection[Callable[[], Any]]) -> Iterator[bytes]:
    for work in works:
        with contextlib.suppress(Exception):  # a lambda, or anything that an argument of somebody else's may raise
            yield pickle.dumps(work)


def _last_report(reports: IO[bytes], progress: Progress) -> tuple[Outcome | None, bool]:
    """Follow the reports until the worker is ready for more, or has ended; return the outcome, and whether it is ready.

    The outcome is None if it has told none.
    """
    outcome, rest, end = None, b"", time.monotonic() + LONGEST
    with selectors.DefaultSelector() as selector:
        selector.register(reports, selectors.EVENT_READ)
        while time.monotonic() < end:
            progress.tick()
            if not selector.select(TICK):
                continue
            data = reports.read(4096)
            if not data:
                return outcome, False
            *lines, rest = (rest + data).split(b"\n")
            for kind, reason in map(json.loads, lines):
                if kind in (PART, DONE):
                    progress.part_done()
                if kind == ALONE:
                    progress.is_whole()
                elif kind == READY:
                    return outcome, True
                elif kind != PART:
                    outcome = Outcome(kind, reason)
    return Outcome(FAILED, f"it took more than {LONGEST:g} s"), False
