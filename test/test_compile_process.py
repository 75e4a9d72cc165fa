"""Programs have kernels compiled by a fresh process: once for all, told to the user, and plainly if that fails."""

import contextlib
import os
import signal
import sys
import time
from typing import NamedTuple

import pytest
from compile_bench import AHEAD, Bench, Note

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere every process compiles for itself")


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def wait_for(condition, what):
    end = time.monotonic() + 1200.0
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


# the cache


class Run(NamedTuple):
    """A program that has ended: its process, what the user was told, and all that was compiled by then."""

    process: int
    told: str
    notes: set[Note]

    def processes(self, name):
        """Return the processes that have compiled the helper or the entry by then."""
        return {note.process for note in self.notes if note.name == name}


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    """Programs one after the other with one cache, by what has happened to it before."""
    bench = Bench(tmp_path_factory.mktemp("life"))
    runs: dict[str, Run] = {}

    def run(name, **settings):
        process, told = bench.run(AHEAD, **settings)
        runs[name] = Run(process, told, bench.notes())

    run("empty")
    run("full")
    run("plain", LEGGED_CONTACT_SIM_PLAIN_NUMBA="1")
    run("plain again", LEGGED_CONTACT_SIM_PLAIN_NUMBA="1")
    kept = [path for path in sorted(bench.cache.rglob("*.nb?")) if "-plain" not in str(path)]
    assert len(kept) == 2
    for name, shares in {"nothing of the first": (0.0, 0.5), "nothing of the second": (0.5, 0.0)}.items():
        for path, left in zip(kept, shares):
            path.write_bytes(path.read_bytes()[: int(left * path.stat().st_size)])
        run(name)
    (helper,) = bench.cache.rglob("*.helper")
    helper.write_bytes(helper.read_bytes()[:1000])
    for path in kept:
        path.unlink()
    run("half of the helper", LEGGED_CONTACT_SIM_PLAIN_NUMBA="0")
    bench.helper.write_text(bench.helper.read_text().replace("* x\n", "* x + 1.0\n"))
    run("edited helper", expected=[2.0, 7.0, 22.0])
    return runs


def test_another_process_compiles_and_what_it_compiled_is_found_again(life):
    first = life["empty"]
    assert first.process not in first.processes("entry")
    assert len(first.processes("entry")) == 1
    assert (life["full"].notes, life["full"].told) == (first.notes, "")


def test_a_large_helper_is_compiled_by_a_second_process(life):
    first = life["empty"]
    assert first.processes("square").isdisjoint(first.processes("entry") | {first.process})


def test_a_log_has_few_lines_of_progress(life):
    told = life["empty"].told
    assert "\r" not in told
    assert "WARNING" not in told
    first, *between, last = told.splitlines()
    assert first.startswith("legged_contact_sim: compiling kernels, once")
    assert "/cache/kernels-" in first
    assert all(line.startswith("  squares_entry: compiling, ") for line in between), "on a slow machine, now and then"
    assert last.startswith("  squares_entry: compiled, 2 of 2 parts, ")
    assert last.endswith(" s")


def test_plain_numba_on_demand(life):
    """What it compiles is kept apart: it is compiled though the other is there, and found again."""
    plain = life["plain"]
    assert plain.processes("entry") - life["full"].processes("entry") == {plain.process}
    assert "WARNING" not in plain.told
    assert life["plain again"].told == ""


def test_what_a_power_cut_leaves_of_an_entry_is_made_anew(life):
    """Nothing of one file, half of the other; and the other way round. The helper is whole."""
    names = ("plain again", "nothing of the first", "nothing of the second")
    assert [len(life[name].processes("entry")) for name in names] == [2, 3, 4]
    assert life["nothing of the second"].processes("square") == life["plain again"].processes("square")


def test_what_a_power_cut_leaves_of_a_helper_is_made_anew(life):
    before, after = life["nothing of the second"], life["half of the helper"]
    for name in ("square", "entry"):
        assert len(after.processes(name) - before.processes(name)) == 1


def test_an_edit_of_a_helper_in_another_file_reaches_the_entry(life):
    """Numba itself would not notice it; that the numbers are new was seen when the program ran."""
    before, after = life["half of the helper"], life["edited helper"]
    assert len(after.processes("entry") - before.processes("entry")) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process can be denied large files")
def test_a_full_disk_costs_the_cache_and_nothing_else(bench):
    prelude = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))\n"
    _, told = bench.run(AHEAD, prelude)
    assert told.count("cannot keep squares_entry: ") == 1
    assert "Traceback" not in told
    assert "WARNING" not in told


def test_an_entry_of_the_main_file_is_compiled_by_its_program(bench):
    """A fresh process cannot import it."""
    text = bench.helper.read_text() + bench.module.read_text().replace("from small_helper", "# from small_helper")
    text = text.replace("squares_entry", "own_entry").replace("def square(", "def own_square(")
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
    "missing method": (
        "import numba.core.codegen as c; numba_internals.whole_entries = lambda names: [(c.CodeLibrary, 'gone', fail)]",
        "AttributeError: CodeLibrary has no gone",
    ),
    "other arguments": (
        "from numba.core.types.functions import BaseFunction; "
        "numba_internals.type_memory = lambda: [(BaseFunction, 'get_call_type', lambda self, new_way: None)]",
        "Error: ",
    ),
    "crashes": ("import os; numba_internals.type_memory = os.abort", "ended with status -6"),
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
    _, told = program.communicate(timeout=1200.0)
    assert program.returncode != 0
    assert "TypingError" in told
    assert "WARNING" not in told


# processes


def test_a_program_with_threads_does_not_fork_and_may_ignore_its_children(bench):
    prelude = """
import os, signal, threading
def forbidden():
    raise AssertionError("a fork")
os.fork = forbidden
threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
"""
    program, told = bench.run(AHEAD, prelude)
    assert "Traceback" not in told
    assert len(bench.processes("entry") | bench.processes("square")) == 2
    assert program not in bench.processes("entry")
    assert "WARNING" not in told


def test_a_worker_with_threads_does_not_fork(bench):
    thread = "threading.Thread(target=threading.Event().wait, daemon=True).start()"
    bench.module.write_text(f"{bench.module.read_text()}\nif IN_WORKER:\n    import threading; {thread}\n")
    _, told = bench.run(AHEAD)
    assert bench.processes("square") == bench.processes("entry")
    assert "1 of 1 parts" in told


def test_a_program_that_finds_its_kernels_does_not_get_ready_to_compile(bench):
    told = "import atexit, sys; atexit.register(lambda: print('numba.np.linalg' in sys.modules, file=sys.stderr))\n"
    bench.run()
    assert bench.run(prelude=told)[1] == "False\n"


def test_a_compiled_function_that_calls_an_entry_is_told_that_it_cannot(bench):
    bench.run()
    call = "import numba\n@numba.njit\ndef twice(x, out):\n    small_kernels.squares_entry(x, out)\n"
    program = bench.start(prelude=f"import small_kernels, numpy as np\n{call}twice(np.arange(3.0), np.zeros(3))\n")
    _, told = program.communicate(timeout=1200.0)
    assert program.returncode == 1
    assert "a compiled entry is called from Python alone" in told


def test_programs_that_start_together_compile_once(bench):
    """Two of them the same entry, the third another one with the same helper."""
    text = bench.module.read_text()
    bench.module.write_text(text + text[text.index("@compiled") :].replace("squares_entry", "other_entry"))
    other = "import small_kernels\nsmall_kernels.squares_entry = small_kernels.other_entry\n"
    programs = [bench.start(AHEAD), bench.start(AHEAD), bench.start(AHEAD, other)]
    for program in programs:
        bench.result(program)
    assert len(bench.processes("entry")) == 2
    assert len(bench.processes("square")) == 1


SECOND = """
import signal
import numpy as np
import small_kernels
from legged_contact_sim.jit import request
own = np.zeros(3)
small_kernels.other_entry(np.arange(3.0), own)
assert list(own) == [0.0, 5.0, 20.0]
(worker,) = request._waiting
"""


@pytest.mark.parametrize(
    "meanwhile", ["", "worker._process.send_signal(signal.SIGALRM)\nworker._process.wait()\n"], ids=["", "gone"]
)
def test_the_process_that_compiles_waits_for_the_next_entry(bench, meanwhile):
    """If it has lost patience meanwhile, a fresh one compiles the next."""
    text = bench.module.read_text()
    bench.module.write_text(text + text[text.index("@compiled") :].replace("squares_entry", "other_entry"))
    _, told = bench.run("", SECOND + meanwhile)
    assert len(bench.processes("entry")) == (2 if meanwhile else 1)
    assert "WARNING" not in told


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of their parent's end")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_a_program_that_ends_takes_its_worker_along_and_holds_up_nobody(bench, number):
    (bench.folder / "slow").touch()
    first = bench.start(AHEAD)
    wait_for(bench.notes, "the worker compiles")
    second = bench.start(AHEAD)
    first.send_signal(number)
    assert first.wait(1200.0) != 0
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


# progress


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
