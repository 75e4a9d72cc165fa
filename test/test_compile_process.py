"""Programs have kernels compiled by a fresh process: once for all, told to the user, and plainly if that fails."""

import contextlib
import os
import signal
import sys
import time

import pytest
from compile_bench import AHEAD, Bench

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere every process compiles for itself")


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def wait_for(condition, what):
    end = time.monotonic() + 300.0
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


# the cache


def test_what_is_compiled_is_found_again_and_never_stale(bench):
    program, told = bench.run(AHEAD)
    assert program not in bench.processes("entry")
    assert "WARNING" not in told
    before = bench.notes()
    _, told = bench.run(AHEAD)
    assert (bench.notes(), told) == (before, "")
    bench.module.write_text(bench.module.read_text() + "\nELSE = 1\n")
    bench.run(AHEAD)
    assert len(bench.processes("entry")) == 2


def test_what_a_power_cut_leaves_of_a_cache_is_made_anew(bench):
    """Nothing of one file, half of the other; and the other way round."""
    for turn, shares in enumerate([(0.0, 0.5), (0.5, 0.0)], 1):
        bench.run()
        assert len(bench.processes("entry")) == turn
        damaged = sorted(bench.cache.rglob("*.nb?"))
        assert len(damaged) == 2
        for path, left in zip(damaged, shares):
            path.write_bytes(path.read_bytes()[: int(left * path.stat().st_size)])
    bench.run()
    assert len(bench.processes("entry")) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process can be denied large files")
def test_a_full_disk_costs_the_cache_and_nothing_else(bench):
    prelude = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))\n"
    _, told = bench.run(AHEAD, prelude)
    assert told.count("cannot keep squares_entry: ") == 1
    assert "Traceback" not in told
    assert "WARNING" not in told


def test_an_entry_of_the_main_file_is_compiled_by_its_program(bench):
    """A fresh process cannot import it."""
    text = bench.module.read_text().replace("squares_entry", "own_entry").replace("def square(", "def own_square(")
    text = text.replace("square(x[k])", "own_square(x[k])").replace("square(2.0", "own_square(2.0")
    main = "import numpy as np\n" + text + "\nown = np.zeros(3)\nown_entry(np.arange(3.0), own)\n"
    main += "assert list(own) == [0.0, 5.0, 20.0]\n"
    for prelude in (main, f"import runpy\nrunpy.run_path({str(bench.folder / 'main.py')!r}, run_name='__main__')\n"):
        (bench.folder / "main.py").write_text(main)
        program, told = bench.run("", prelude)
        assert program in bench.processes("entry")
        assert "WARNING" not in told


# plain numba

BREAKS = {
    "raises": ("numba_internals.type_memory = fail", "RuntimeError: on purpose"),
    "missing class": ("import numba.core.targetconfig as c; del c.ConfigStack", "ImportError: "),
    "missing method": (
        "import numba.core.codegen as c; numba_internals.whole_entries = lambda names: [(c.CodeLibrary, 'gone', fail)]",
        "AttributeError: CodeLibrary has no gone",
    ),
    "other arguments": (
        "from numba.core.types.functions import BaseFunction; "
        "numba_internals.type_memory = lambda: [(BaseFunction, 'get_call_type', lambda self, new_way: None)]",
        "Error: ",
    ),
    "crashes": ("numba_internals.type_memory = os.abort", "ended with status -6"),
}


@pytest.mark.parametrize("how", BREAKS)
def test_a_change_to_numba_that_does_not_fit_is_told_and_done_without(bench, how):
    broken, reason = BREAKS[how]
    bench.module.write_text(f"""{bench.module.read_text()}
if IN_WORKER:
    from legged_contact_sim.jit import numba_internals
    def fail(*arguments):
        raise RuntimeError("on purpose")
    {broken}
""")
    program, told = bench.run(AHEAD)
    assert bench.processes("entry") >= {program}
    warnings = [line for line in told.splitlines() if "WARNING" in line]
    assert len(warnings) == 1, told
    assert reason in warnings[0]
    assert "plain numba is used" in warnings[0]
    assert "Traceback" not in told
    if how != "raises":
        return
    known = bench.notes()
    _, told = bench.run(AHEAD)
    assert "WARNING" in told, "it is tried again, and told again"
    assert program in bench.processes("entry")
    assert {note for note in bench.notes() - known if note.process != program} == bench.notes() - known


def test_a_kernel_that_is_wrong_is_not_blamed_on_the_changes(bench):
    bench.module.write_text(bench.module.read_text().replace("+ note_entry(0.0)", "+ note_entry(0.0) + 'metre'"))
    program = bench.start()
    _, told = program.communicate(timeout=600.0)
    assert program.returncode != 0
    assert "TypingError" in told
    assert "WARNING" not in told


def test_plain_numba_on_demand(bench):
    program, told = bench.run(AHEAD, LEGGED_CONTACT_SIM_PLAIN_NUMBA="1")
    assert bench.processes("entry") == {program}
    assert "WARNING" not in told
    assert bench.run(AHEAD, LEGGED_CONTACT_SIM_PLAIN_NUMBA="1")[1] == ""
    bench.run(AHEAD, LEGGED_CONTACT_SIM_PLAIN_NUMBA="0")
    assert len(bench.processes("entry")) == 2, "what plain numba compiled is kept apart"


# processes


def test_a_program_with_threads_does_not_fork(bench):
    prelude = """
import os, threading
def forbidden():
    raise AssertionError("a fork")
os.fork = forbidden
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""
    program, told = bench.run(AHEAD, prelude)
    assert len(bench.processes("entry") | bench.processes("square")) == 2
    assert program not in bench.processes("entry")
    assert "WARNING" not in told


def test_a_worker_with_threads_does_not_fork(bench):
    thread = "threading.Thread(target=threading.Event().wait, daemon=True).start()"
    bench.module.write_text(f"{bench.module.read_text()}\nif IN_WORKER:\n    import threading; {thread}\n")
    _, told = bench.run(AHEAD)
    assert bench.processes("square") == bench.processes("entry")
    assert "1 of 1 parts" in told


def test_programs_that_start_together_compile_once(bench):
    programs = [bench.start(AHEAD) for _ in range(3)]
    for program in programs:
        bench.result(program)
    assert len(bench.processes("entry")) == 1
    assert len(bench.processes("square")) == 1


def test_programs_with_different_entries_compile_a_shared_helper_once(bench):
    text = bench.module.read_text()
    bench.module.write_text(text + text[text.index("@compiled") :].replace("squares_entry", "other_entry"))
    other = "import small_kernels\nsmall_kernels.squares_entry = small_kernels.other_entry\n"
    programs = [bench.start(AHEAD), bench.start(AHEAD, other)]
    for program in programs:
        bench.result(program)
    assert len(bench.processes("entry")) == 2
    assert len(bench.processes("square")) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of their parent's end")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_a_program_that_ends_takes_its_worker_along_and_holds_up_nobody(bench, number):
    (bench.folder / "slow").touch()
    first = bench.start(AHEAD)
    wait_for(bench.notes, "the worker compiles")
    second = bench.start(AHEAD)
    first.send_signal(number)
    assert first.wait(300.0) != 0
    first.stdout.close()
    first.stderr.read()  # has no end while its worker lives
    first.stderr.close()
    bench.result(second)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of their parent's end")
def test_a_program_waits_for_another_that_compiles(bench):
    (bench.folder / "slow").touch()
    first = bench.start()
    wait_for(bench.notes, "the worker compiles")
    second = bench.start()
    time.sleep(1.0)
    assert second.poll() is None
    (worker,) = bench.processes("square")
    os.kill(worker, signal.SIGKILL)
    for program in (first, second):
        bench.result(program)
    assert len(bench.processes("entry")) <= 2


def test_a_program_may_ignore_its_children(bench):
    _, told = bench.run(AHEAD, "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n")
    assert "WARNING" not in told
    assert "Traceback" not in told


# progress


def test_a_log_has_few_lines_of_progress(bench):
    _, told = bench.run(AHEAD)
    assert "\r" not in told
    first, *between, last = told.splitlines()
    assert first.startswith("legged_contact_sim: compiling kernels, once")
    assert all(line.startswith("  squares_entry: compiling, ") for line in between), "on a slow machine, now and then"
    assert str(bench.cache) in first
    assert last.startswith("  squares_entry: compiled, 2 of 2 parts, ")
    assert last.endswith(" s")


def test_a_terminal_has_one_line_of_progress_that_is_rewritten(bench):
    import pty

    terminal, side = pty.openpty()
    name = os.ttyname(side)
    program = bench.start(AHEAD, f"import sys\nsys.stderr = open({name!r}, 'w')\n")
    shown = b""
    bench.result(program)
    os.close(side)
    with contextlib.suppress(OSError):  # how a terminal ends
        while data := os.read(terminal, 4096):
            shown += data
    os.close(terminal)
    first, second = shown.decode().strip().split("\r\n")
    assert first.startswith("legged_contact_sim: compiling kernels, once")
    states = [state.strip() for state in second.split("\r") if state]
    assert len(states) >= 2
    assert states[0].startswith("squares_entry: compiling, 0 of 2 parts, ")
    assert states[-1].startswith("squares_entry: compiled, 2 of 2 parts, ")
