"""Gehring's Table 1: eleven configurations trot; how fast they are, and how far apart their trunks are."""

from typing import Any

import numpy as np

from ..frame import Result
from .runs import CYCLE, HARD_ROWS, TABLE
from .shares import shares
from .trotting import EARLY, Trot, trots

TIGHT = {"relative_tolerance": 1e-12, "absolute_tolerance": 1e-12, "max_iterations": 100_000}
AGREEING = ("HmS", "HEJD", "HMJD")  # rows that are repeated at the tight tolerance, beside HmJ


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
    """Trot in all eleven configurations; then from zero impulses; then at finer tolerances."""
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
    numbers |= tolerance_numbers(found["HmJ"], cycles) | shares(found, rounds)
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
