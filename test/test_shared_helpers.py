"""Two processes compile one entry: large helpers come from the second one, and from the first if that fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="without fork every process compiles for itself")

# Writes a line for each helper that a process keeps: its name, and whether that process compiles the entry.
SPY = """
import os, sys
from legged_contact_sim.jit import compilation, shared_helpers
keep = shared_helpers.KeptHelper.save_overload
listen = shared_helpers.Relay.listen
leads = []
def spied_listen(self):
    leads.append(True)
    listen(self)
def spied_keep(self, signature, result):
    keep(self, signature, result)
    with open(sys.argv[1], "a") as file:
        print(self._helper.__name__, "lead" if leads else "second", file=file)
shared_helpers.KeptHelper.save_overload = spied_keep
shared_helpers.Relay.listen = spied_listen
"""

SQUARES = """
import numpy as np

@compilation.shared
def square(x):
    return x * x

@compilation.compiled
def squares_entry(x, out):
    for k in range(len(x)):
        out[k] = square(x[k]) + square(2.0 * x[k])

x, out = np.arange(3.0), np.zeros(3)
with compilation.together_with(*works):
    compilation.bind(squares_entry, x, out)()
print(list(map(float, out)))
"""


def run(tmp_path, text):
    """Run a script with an empty cache; return what it prints and the lines of the spy."""
    script, notes = tmp_path / "script.py", tmp_path / "notes"
    script.write_text(SPY + text)
    notes.touch()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, str(script), str(notes)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), notes.read_text().splitlines()


def squares(tmp_path, works):
    """Run the small entry beside some works, given as the script's text: the helper is defined there."""
    return run(tmp_path, SQUARES.replace("*works", works))


def test_an_entry_takes_a_helper_that_another_process_compiled(tmp_path):
    call = "shared_helpers.Call(square, (1.0,))"
    assert squares(tmp_path, call) == ("[0.0, 5.0, 20.0]", ["square second"])


def test_a_helper_nobody_compiles_ahead_is_compiled_with_its_entry(tmp_path):
    assert squares(tmp_path, "lambda: None") == ("[0.0, 5.0, 20.0]", ["square lead"])


def test_a_second_process_that_fails_leaves_the_work_to_the_first(tmp_path):
    calls = "shared_helpers.Call(square, ('a word',)), shared_helpers.Call(square, (1.0,))"
    assert squares(tmp_path, calls) == ("[0.0, 5.0, 20.0]", ["square lead"])


def test_what_a_power_cut_leaves_of_a_helper_is_made_anew(tmp_path):
    call = "shared_helpers.Call(square, (1.0,))"
    squares(tmp_path, call)
    (helper,) = tmp_path.rglob("*.helper")
    helper.write_bytes(helper.read_bytes()[:1000])
    for path in tmp_path.rglob("*.nb*"):
        path.unlink()
    assert squares(tmp_path, call) == ("[0.0, 5.0, 20.0]", 2 * ["square second"])


def test_helpers_come_before_other_works(tmp_path):
    works = "lambda: os._exit(1), shared_helpers.Call(square, (1.0,))"
    assert squares(tmp_path, works) == ("[0.0, 5.0, 20.0]", ["square second"])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be told to use one processor")
def test_one_processor_is_not_asked_to_do_two_things(tmp_path):
    alone = "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    text = alone + SQUARES.replace("*works", "shared_helpers.Call(square, (1.0,))")
    assert run(tmp_path, text) == ("[0.0, 5.0, 20.0]", ["square lead"])


def test_the_helpers_promised_to_a_step_are_those_that_it_takes(tmp_path):
    """A promise for other types than the step's would be compiled twice."""
    text = """
from legged_contact_sim import Simulator
print(Simulator("double_pendulum").step().time)
"""
    answer, notes = run(tmp_path, text)
    assert float(answer) == 5e-4
    helpers = ["find_contacts", "fill_rows", "solve_by_blocks", "book_contacts", "record"]
    assert notes == [f"{name} second" for name in helpers]
