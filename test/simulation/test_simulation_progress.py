"""How far a long piece of work has come."""

import io

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
