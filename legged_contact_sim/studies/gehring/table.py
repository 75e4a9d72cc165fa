"""Gehring's Table 1: eleven configurations trot side by side, and their CPU times are measured piece by piece."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...contact.records import SOLVER_TERMS
from ...simulation import Trajectory
from ..frame import Result
from .runs import CYCLE, HARD_ROWS, HARD_STEP, TABLE, targets

TIGHT = {"relative_tolerance": 1e-12, "absolute_tolerance": 1e-12, "max_iterations": 100_000}
AGREEING = ("HmS", "HEJD", "HMJD")  # rows that are repeated at the tight tolerance, beside HmJ
EARLY = 4  # cycles after which trunks at the tight tolerance are compared


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


def speed_numbers(name: str, trot: Trot) -> dict[str, Any]:
    """Return how fast a configuration trotted, and what its solver did."""
    row = TABLE[name]
    steps = CYCLE / row.time_step
    evaluations = float(steps * len(trot.times) / trot.times.sum())
    return {
        f"{name}_evaluations": evaluations,
        f"{name}_ratio": evaluations / row.evaluations,
        f"{name}_factor": float(CYCLE * len(trot.times) / trot.times.sum()),
        f"{name}_microseconds": float(1e6 * trot.times.mean() / steps),
        f"{name}_deviation": float(1e6 * trot.times.std() / steps),
        f"{name}_iterations": float(trot.solver_term("iterations").mean()),
        f"{name}_unconverged": float(trot.solver_term("unconverged")[-1]),
        f"{name}_upright": trot.upright,
    }


def distance(first: Trot, second: Trot) -> np.ndarray:
    """Return how far two trunks are apart over time, (T,), m."""
    return np.asarray(np.linalg.norm(first.path - second.path, axis=1))


def run_table(quick: bool) -> Result:
    """Trot in all eleven configurations; then from zero impulses; then at a tight tolerance."""
    cycles, rounds = (EARLY, 2) if quick else (25, 3)
    trots(TABLE, 1, 1)  # what is compiled or loaded is not timed
    found, cold = trots(TABLE, cycles, rounds), trots(HARD_ROWS, 2, 1, warm_start=False)
    numbers: dict[str, Any] = {}
    for name, trot in found.items():
        numbers |= speed_numbers(name, trot)
    for name, trot in cold.items():
        slow = speed_numbers(name, trot)
        numbers |= {f"{name}_cold_{key}": slow[f"{name}_{key}"] for key in ("ratio", "iterations")}
    numbers["all_upright"] = all(trot.upright for trot in found.values())
    apart = {name: distance(trot, found["HmJ"]) for name, trot in found.items()}
    numbers |= {f"{name}_apart": float(away.max()) for name, away in apart.items()}
    numbers["hard_apart"] = max(numbers[f"{name}_apart"] for name in HARD_ROWS)
    numbers |= tolerance_numbers(found["HmJ"], cycles)
    numbers["apart_beyond_tolerance"] = numbers["hard_apart"] - numbers["tolerance_apart"]
    fastest = [max(numbers[f"{name}_evaluations"] for name in HARD_ROWS if name[1] == kind) for kind in "mEM"]
    numbers["ordered"] = fastest[0] > fastest[1] > fastest[2]
    time_axis = np.concatenate([run.time for run in found["HmJ"].runs])
    return Result(numbers, {"apart": {"time": time_axis, **apart}})


def tolerance_numbers(usual: Trot, cycles: int) -> dict[str, float]:
    """Return how far the tolerance alone takes HmJ's trunk, and how far rows are apart at a tight one, m."""
    tight = trots(("HmJ",), cycles, 1, **TIGHT)["HmJ"]
    early = trots(("HmJ", *AGREEING), EARLY, 1, **TIGHT)
    return {
        "tolerance_apart": float(distance(usual, tight).max()),
        "tight_apart": max(float(distance(early[name], early["HmJ"]).max()) for name in AGREEING),
    }
