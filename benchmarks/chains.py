"""How forward dynamics grows with the number of bodies: chains of 8 to 512 bodies."""

from typing import Any

import numpy as np

from .agreement import check
from .case import FORWARD_DYNAMICS, LOOP, chain
from .ours import NAME as OURS
from .ours import contend_forward_dynamics
from .ours import results as our_results
from .pinocchio_engine import NAME as PINOCCHIO
from .pinocchio_engine import Pinocchio
from .report import plot_growth
from .timing import interleave, print_table

SIZES = (8, 16, 32, 64, 128, 256, 512)


def exponent(sizes: tuple[int, ...], times: list[float]) -> float:
    """Return p of the best fit ``time ~ size^p``; 1 is linear growth."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def run(rounds: int) -> dict[str, Any]:
    """Time chains of all sizes, both engines in their own compiled loops; print, plot and return the numbers."""
    contenders = []
    for case in map(chain, SIZES):
        rival = Pinocchio(case)
        check(case.name, "Pinocchio", our_results(case), rival.results(), (FORWARD_DYNAMICS,), 1e-8)
        contenders += [next(c for c in contend_forward_dynamics(case) if c.way == LOOP), rival.loop()]
    timings = [timing.minimum for timing in interleave(contenders, rounds)]
    curves = {OURS: timings[0::2], PINOCCHIO: timings[1::2]}
    exponents = {engine: exponent(SIZES, times) for engine, times in curves.items()}
    rows = [
        [str(size), *(f"{x:.2f}" for x in (mine, mine / size, theirs, theirs / size)), f"{theirs / mine:.2g}x"]
        for size, mine, theirs in zip(SIZES, *curves.values())
    ]
    header = ["bodies", "ours", "per body", PINOCCHIO, "per body", "ratio"]
    print_table("Forward dynamics of chains in each engine's own compiled loop, µs (minimum)", header, rows)
    print("\nFitted growth: " + ", ".join(f"{engine} n^{p:.2f}" for engine, p in exponents.items()) + " (linear: n^1).")
    plot_growth("chains", "Forward dynamics of a chain, in a compiled loop", SIZES, curves)
    return {"sizes": SIZES, "microseconds": curves, "exponents": exponents}
