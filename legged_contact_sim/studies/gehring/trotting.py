"""Gehring's configurations trot side by side, and their CPU times are measured cycle by cycle."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...contact.records import SOLVER_TERMS
from ...simulation import Trajectory
from .runs import CYCLE, HARD_STEP, TABLE, targets

EARLY = 4  # cycles, of a short trot


@dataclass(frozen=True)
class Trot:
    """A trot of some cycles: the runs of the cycles, and the least CPU time of each, s, over the rounds."""

    runs: list[Trajectory]
    times: np.ndarray

    @property
    def path(self) -> np.ndarray:
        """The trunk's position, (T, 3), m."""
        return np.concatenate([run.q[:, :3] for run in self.runs])

    @property
    def upright(self) -> bool:
        """Whether the trunk never tilts by more than about 26 degrees."""
        least = min(float((1.0 - 2.0 * (run.q[:, 3] ** 2 + run.q[:, 4] ** 2)).min()) for run in self.runs)
        return least > 0.9

    def solver_term(self, name: str) -> np.ndarray:
        """Return a figure of the solver over the trot, (T,)."""
        return np.concatenate([solver_term(run, name) for run in self.runs])


def solver_term(run: Trajectory, name: str) -> np.ndarray:
    """Return a figure of the solver over a run, (T,)."""
    return np.asarray(run.solver[:, SOLVER_TERMS.index(name)])


def trots(names: Iterable[str], cycles: int, rounds: int, **changes: Any) -> dict[str, Trot]:
    """Let configurations trot side by side, a cycle of one after that of another, several rounds.

    Other work on the machine slows all of them alike, and the least of the rounds is what a cycle takes.
    """
    rows, found = targets(cycles * CYCLE), {}
    length = round(CYCLE / HARD_STEP)
    best = {name: np.full(cycles, np.inf) for name in names}
    for _ in range(rounds):
        sims = {name: TABLE[name].simulator(**changes) for name in best}
        runs: dict[str, list[Trajectory]] = {name: [] for name in best}
        for k in range(cycles):
            for name, sim in sims.items():
                every = round(HARD_STEP / sim.time_step)
                begin = time.process_time()
                runs[name].append(sim.follow(rows[k * length : (k + 1) * length], None, every, every))
                best[name][k] = min(best[name][k], time.process_time() - begin)
        found = {name: Trot(runs[name], best[name]) for name in best}
    return found
