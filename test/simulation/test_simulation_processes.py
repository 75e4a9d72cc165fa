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
CALLER = """
from legged_contact_sim.simulation.processes import in_processes
OWN
print(sorted(in_processes(divmod, [(NUMBER, 3), (7, 2)], 2)))
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


@pytest.mark.parametrize("piped", [True, False])
def test_a_script_without_a_guard_may_call_and_is_not_run_again(piped, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CALLER.replace("OWN", "print('begin')").replace("NUMBER", "9"))
    command = [sys.executable, "-" if piped else script]
    told = subprocess.run(command, input=script.read_text(), capture_output=True, text=True, check=True)
    assert told.stdout == "begin\n[(0, (3, 0)), (1, (3, 1))]\n"


def test_what_a_script_without_a_guard_defines_itself_is_told_in_a_line(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CALLER.replace("OWN", "class Own(int): pass").replace("NUMBER", "Own(9)"))
    told = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert told.stderr.splitlines()[-1].startswith("legged_contact_sim.errors.ParameterError: jobs: a process ended")


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_the_processes_end_with_a_program_that_is_told_to_end_or_killed(sent, code):
    program = subprocess.Popen(
        [sys.executable, "-c", SLEEPERS], stdout=subprocess.PIPE, start_new_session=True, text=True
    )
    try:
        assert [program.stdout.readline() for _ in range(3)] == 3 * ["one\n"]
        program.send_signal(sent)  # to the program alone, not to its group
        assert program.wait() == code
        deadline = time.monotonic() + 300.0
        while running(program.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not running(program.pid)
    finally:
        program.stdout.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
