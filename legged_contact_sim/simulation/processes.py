"""Calls in several processes, which end with the program that asked for them."""

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import ModuleType
from typing import Any

from ..errors import ParameterError


def in_processes(
    function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], jobs: int
) -> Iterator[tuple[int, Any]]:
    """Yield the number and the result of each call ``function(*task)``, in the order in which they end.

    Args:
        function: of a module, so that other processes find it.
        tasks: arguments of each call.
        jobs: processes; 0: as many as there are processors; 1: this one.

    Raises:
        ParameterError: jobs is less than 0, or a process ended before its call did.
    """
    if jobs < 0:
        raise ParameterError(f"jobs: expected 0 or more, found {jobs}")
    jobs = jobs or len(os.sched_getaffinity(0))
    if jobs == 1:
        for number, task in enumerate(tasks):
            yield number, function(*task)
        return
    # Processes begin anew: forked ones would inherit locks of threads that other libraries may have started.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=end_with_the_program) as pool:
        try:
            with own_script_left_out(tasks), interrupts_left_to_parent():
                pending = {pool.submit(function, *task): number for number, task in enumerate(tasks)}
            for done in as_completed(pending):
                yield pending[done], done.result()
        except BrokenProcessPool:
            raise ParameterError(
                "jobs: a process ended before its run did: too little memory, or a script whose own classes the runs "
                'need and that has no `if __name__ == "__main__":`; jobs=1 runs all in this process'
            ) from None
        except BaseException:
            workers = list(pool._processes.values())  # before Python 3.14 there is no other way to them
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            raise


def end_with_the_program() -> None:
    """End this process as soon as the program that began it is gone, even if it was killed."""
    program = multiprocessing.parent_process()

    def wait() -> None:
        if program is not None:
            program.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def own_script_left_out(tasks: Any) -> Iterator[None]:
    """Begin processes that do not run the caller's script again, unless tasks hold something that it defines.

    So a script needs no ``if __name__ == "__main__":``, and one that is typed in or piped works, too.
    """
    main = sys.modules["__main__"]
    if b"__main__" not in pickle.dumps(tasks):
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def interrupts_left_to_parent(*trackers: Any) -> Iterator[None]:
    """Begin processes that a terminal's Ctrl-C, which goes to all, does not reach: who began them ends them.

    ``trackers`` of resources, which begin with the first process, would let the signal through again: they begin now.
    """
    for tracker in (resource_tracker, *trackers):
        tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
