"""Timing that survives a busy machine: one core, contenders that take turns, the minimum and the median of many rounds.

Contenders run one after the other within each round, so that a slow spell of the machine hits all of them; the
minimum is what the code costs when nothing disturbs it, the median what it cost on this machine that day.
"""

import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from itertools import repeat
from typing import Any

ENGINES = ("numpy", "numba", "pin", "mujoco")


@dataclass(frozen=True)
class Contender:
    """Something to time.

    Attributes:
        engine: whose code it is.
        task: what it computes; contenders of one task are compared.
        way: how it is called.
        call: the call.
        work: how many times one call does the task.
        reset: puts the state back before each round, outside the timing.
    """

    engine: str
    task: str
    way: str
    call: Callable[[], Any]
    work: int = 1
    reset: Callable[[], Any] | None = None


@dataclass(frozen=True)
class Timing:
    """What a contender took for one task over all rounds, microseconds."""

    minimum: float
    median: float


def use_one_core() -> None:
    """Keep this process and its children on one core, where the system allows to ask for it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def use_all_cores() -> None:
    """Undo `use_one_core`."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))


def machine() -> dict[str, str]:
    """Return what a reader needs to know about this machine."""
    versions = {name: metadata.version(name) for name in ENGINES}
    return {"processor": processor(), "python": platform.python_version(), **versions}


def processor() -> str:
    """Return the processor's name, as far as the system tells."""
    try:
        with open("/proc/cpuinfo") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Keep Python's garbage collector out of the measurement."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def elapsed(contender: Contender, count: int) -> float:
    """Return how long ``count`` calls take, s."""
    call = contender.call
    if contender.reset is not None:
        contender.reset()
    start = time.perf_counter()
    for _ in repeat(None, count):
        call()
    return time.perf_counter() - start


def calibrate(contender: Contender, slice_duration: float) -> int:
    """Return how many calls fill a slice of time, s; the first calls also warm caches.

    Each count is tried three times: a disturbance would make slices so short that caches are cold in all of them.
    """
    count = 1
    while (spent := min(elapsed(contender, count) for _ in range(3))) < 0.2 * slice_duration:
        count *= 2
    return max(1, round(count * slice_duration / spent))


def interleave(contenders: Sequence[Contender], rounds: int, slice_duration: float = 2e-3) -> list[Timing]:
    """Time all contenders, one slice each in every round; return their timings in the same order."""
    with no_garbage_collection():
        counts = [calibrate(contender, slice_duration) for contender in contenders]
        samples: list[list[float]] = [[] for _ in contenders]
        for _ in range(rounds):
            for contender, count, row in zip(contenders, counts, samples):
                row.append(1e6 * elapsed(contender, count) / (count * contender.work))
    return [Timing(min(row), statistics.median(row)) for row in samples]


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table whose columns line up: the first column to the left, the others to the right."""
    widths = [max(len(row[k]) for row in (header, *rows)) for k in range(len(header))]
    print(f"\n{title}\n")
    for row in (header, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])], *rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        print(f"| {' | '.join(cells)} |")
