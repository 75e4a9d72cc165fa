"""Calls in several processes: results by number, errors as they are, and nothing left behind."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from legged_contact_sim.simulation.processes import in_processes

TASKS = [(9, 3), (7, 2), (1, 0), (5, 5)]
SLEEPERS = """
import signal, time
from legged_contact_sim.simulation.processes import in_processes
signal.signal(signal.SIGTERM, signal.default_int_handler)  # as the command line does
try:
    for _ in in_processes(time.sleep, [(0.0,), (0.0,), (0.0,), (9999.0,), (9999.0,), (9999.0,), (9999.0,)], 2):
        print("one", flush=True)
except KeyboardInterrupt:
    raise SystemExit(130)
"""


def running(group):
    """Return the processes of a group that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group, *_ = path.read_text().rpartition(")")[2].split()
            if int(its_group) == group and state != "Z":
                found.append(path.parent.name)
    return found


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_call_gives_its_result_by_number_or_its_error(jobs):
    results = in_processes(divmod, TASKS, jobs)
    with pytest.raises(ZeroDivisionError):
        list(results)
    assert dict(in_processes(divmod, TASKS[:2], jobs)) == {0: (3, 0), 1: (3, 1)}


def test_the_processes_end_with_a_program_that_is_told_to_end():
    program = subprocess.Popen(
        [sys.executable, "-c", SLEEPERS], stdout=subprocess.PIPE, start_new_session=True, text=True
    )
    try:
        assert [program.stdout.readline() for _ in range(3)] == 3 * ["one\n"]
        program.send_signal(signal.SIGTERM)  # to the program alone, not to its group
        assert program.wait() == 130
        while running(program.pid):
            time.sleep(0.05)
    finally:
        program.stdout.close()
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
