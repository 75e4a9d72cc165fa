"""How far a long piece of work has come."""

import io
import os

from legged_contact_sim.simulation import progress
from legged_contact_sim.simulation.progress import Progress


def test_the_time_left_does_not_count_the_start_of_processes_again(monkeypatch):
    """The first part took 20 s, nearly all of it to begin; the second and third 1 s each: 97 are left, 1 s each."""
    clock = iter([0.0, 20.0, 21.0, 22.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    log = io.StringIO()
    made = Progress("sweep", 100, log)
    for _ in range(3):
        made.step()
    lines = log.getvalue().splitlines()
    assert "1/100, 20 s, about 1980 s left" in lines[0]
    assert "3/100, 22 s, about 97 s left" in lines[2]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def test_on_a_terminal_a_line_is_there_at_once_and_none_is_wider_than_it(monkeypatch):
    monkeypatch.setattr(progress.shutil, "get_terminal_size", lambda: os.terminal_size((60, 24)))
    shown = Terminal()
    made = Progress("reproduce", 2, shown)
    assert "0/2" in shown.getvalue()
    made.step("a study with a title that is longer than what is left of the line")
    made.step("a study")
    lines = shown.getvalue().rstrip("\n").split("\r")[1:]
    assert len(lines) == 3 and max(len(line) for line in lines) < 60
