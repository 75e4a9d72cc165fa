"""Calls in several processes, which end with the program that asked for them."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any


def in_processes(
    function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], jobs: int
) -> Iterator[tuple[int, Any]]:
    """Yield the number and the result of each call ``function(*task)``, in the order in which they end.

    Args:
        function: of a module, so that other processes find it.
        tasks: arguments of each call.
        jobs: processes; 0: as many as there are processors; 1: this one.
    """
    jobs = jobs or len(os.sched_getaffinity(0))
    if jobs == 1:
        for number, task in enumerate(tasks):
            yield number, function(*task)
        return
    # Processes begin anew: forked ones would inherit locks of threads that other libraries may have started.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        pending = {pool.submit(function, *task): number for number, task in enumerate(tasks)}
        try:
            for done in as_completed(pending):
                yield pending[done], done.result()
        except BaseException:
            workers = list(pool._processes.values())  # before Python 3.14 there is no other way to them
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            raise
