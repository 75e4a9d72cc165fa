"""Small kernels, and programs that use them with a cache of their own: for tests of how kernels are compiled.

Each compilation of the helper and of the entry, which have a file each, is noted with the process that compiles.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

HELPER = '''
import os, sys, time
from pathlib import Path
from numba.extending import overload
from legged_contact_sim.jit import shared

NOTES = Path(os.environ["NOTES"])
IN_WORKER = "legged_contact_sim.jit.worker" in sys.modules

def note_helper(x):
    return x

def note_entry(x):
    return x

def noted(name):
    """Return what numba asks while a call of a function is compiled."""
    def compiled_now(x):
        with open(NOTES, "a") as file:
            print(name, x, os.getpid(), file=file)
        if NOTES.with_name("slow").exists():
            NOTES.with_name("slow").unlink()
            time.sleep(600.0)
        return lambda x: x
    return compiled_now

overload(note_helper)(noted("square"))
overload(note_entry)(noted("entry"))

@shared
def square(x):
    return note_helper(x) * x
'''

KERNELS = """
from legged_contact_sim.jit import compiled, shared
from small_helper import IN_WORKER, note_entry, square

@compiled
def squares_entry(x, out):
    for k in range(len(x)):
        out[k] = square(x[k]) + square(2.0 * x[k]) + note_entry(0.0)
"""

PROGRAM = """
import os
import numpy as np
import small_kernels
from functools import partial
from legged_contact_sim.jit import Call, bind, together_with
x, out = np.arange(3.0), np.zeros(3)
with together_with(WORKS):
    bind(small_kernels.squares_entry, x, out)()
print(os.getpid(), *out)
"""
SQUARES = [0.0, 5.0, 20.0]
AHEAD = "Call(small_kernels.square, (1.0,))"


class Note(NamedTuple):
    """What was compiled, for which type, by which process."""

    name: str
    type: str
    process: int


class Bench:
    """A folder with the module, a cache and the notes."""

    def __init__(self, folder):
        self.folder, self.notes_file, self.cache = folder, folder / "notes", folder / "cache"
        self.module, self.helper = folder / "small_kernels.py", folder / "small_helper.py"
        self.module.write_text(KERNELS)
        self.helper.write_text(HELPER)
        self.notes_file.touch()

    def start(self, works="", prelude="", **environment):
        """Start a program that uses the entry, beside some works; its text begins with ``prelude``."""
        kept = {key: value for key, value in os.environ.items() if key != "LEGGED_CONTACT_SIM_PLAIN_NUMBA"}
        paths = os.pathsep.join([str(self.folder), str(ROOT)])
        own = {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(self.cache), "NOTES": str(self.notes_file)}
        command = [sys.executable, "-c", prelude + PROGRAM.replace("WORKS", works)]
        return subprocess.Popen(
            command, env={**kept, **own, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.folder,
        )  # fmt: skip

    def run(self, works="", prelude="", expected=SQUARES, **environment):
        """Run the program, see to it that its numbers are right, return its process id and what the user is told."""
        return self.result(self.start(works, prelude, **environment), expected)

    @staticmethod
    def result(program, expected=SQUARES):
        said, told = program.communicate(timeout=1200.0)
        assert program.returncode == 0, told
        process, *numbers = said.split()
        assert [float(number) for number in numbers] == expected
        return int(process), told

    def notes(self):
        """Return what was compiled, each once."""
        lines = [line.rsplit(" ", 1) for line in self.notes_file.read_text().splitlines()]
        return {Note(*what.split(" ", 1), int(process)) for what, process in lines}

    def processes(self, name):
        """Return the processes that have compiled the helper or the entry."""
        return {note.process for note in self.notes() if note.name == name}
