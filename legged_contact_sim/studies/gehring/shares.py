"""What a step's time goes into (Gehring's figure 7), found from outside: kernels are not timed in pieces."""

from collections.abc import Mapping

from .runs import CYCLE, HARD_ROWS, HARD_STEP, TABLE
from .trotting import EARLY, Trot, trots

FINER = {"relative_tolerance": 1e-9, "absolute_tolerance": 1e-9}  # takes more iterations on nearly the same trot
PARTS = {
    "common": "M, h, M⁻¹ and contact rows, as in minimal coordinates",
    "bilateral": "cut bodies, bilateral rows and their G",
    "iterations": "u_E: prox iterations",
}


def shares(found: Mapping[str, Trot], rounds: int) -> dict[str, float]:
    """Return three parts of the mean time of a step of every configuration, us.

    Iterations: what a trot with finer tolerances takes longer, over the iterations that it has more, times the
    iterations of the study's own. Common: the rest of a step in minimal coordinates. Bilateral: what is left.
    """
    finer = trots(HARD_ROWS, EARLY, rounds, **FINER)
    whole = {name: 1e6 * trot.times.mean() / (CYCLE / TABLE[name].time_step) for name, trot in found.items()}
    iterating = {name: time_of_iterations(found[name], trot) for name, trot in finer.items()} | {"Cm": 0.0}
    numbers: dict[str, float] = {}
    for name in found:
        own = name if TABLE[name].parameters.get("coordinates", "minimal") == "minimal" else "HmJ"
        common = whole[own] - iterating[own]
        bilateral = max(0.0, whole[name] - iterating[name] - common)
        parts = {"common": common, "bilateral": bilateral, "iterations": iterating[name]}
        numbers |= {f"{name}_{part}_microseconds": value for part, value in parts.items()}
    return numbers


def time_of_iterations(trot: Trot, finer: Trot) -> float:
    """Return the time of a step's iterations, us, from two trots of which one iterates longer."""
    iterations = trot.solver_term("iterations")
    steps = len(finer.runs) * round(CYCLE / HARD_STEP)
    more = finer.solver_term("iterations").sum() - iterations[:steps].sum()
    longer = finer.times.sum() - trot.times[: len(finer.times)].sum()
    return float(1e6 * max(0.0, longer) / more * iterations.mean())
