"""Ayit's claim on solvers: projected Gauss-Seidel against Lemke's method over the number of contacts."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...contact.lcp import solve_lcp
from ...dynamics import mass_matrix, point_jacobian
from ..frame import Result
from .runs import quadruped

COUNTS = (2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
SWEEPS = 100  # at most, of the document (table 5.2); its relative change of 1e-20 is below rounding: all are done
TOLERANCE = 1e-10


def problem(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the frictionless problem of a falling quadruped that touches with random points of its links."""
    robot = quadruped()
    q, rows = robot.home, []
    for link in rng.integers(0, len(robot.link_names), count):
        place = rng.uniform(-0.2, 0.2, 3)
        rows.append(point_jacobian(robot, q, int(min(link, len(robot.links) - 1)), place)[2])
    J = np.array(rows)
    G = J @ np.linalg.solve(mass_matrix(robot, q), J.T)
    return G, J @ rng.normal(0.0, 1.0, robot.nv) - 0.5


def least_time(call: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """Return the least CPU time of some calls, s, and what the last one returned."""
    best, found = np.inf, None
    for _ in range(rounds):
        begin = time.process_time_ns()
        found = call()
        best = min(best, 1e-9 * (time.process_time_ns() - begin))
    return float(best), found


def run_solvers(quick: bool) -> Result:
    """Time both methods on random problems of every size, and measure how well the document's sweeps solve them."""
    rng, counts = np.random.default_rng(0), COUNTS[1::3] if quick else COUNTS
    columns: dict[str, list[float]] = {name: [] for name in ("contacts", "lemke", "pgs", "printed", "residual")}
    for count in counts:
        cases = [problem(count, rng) for _ in range(3 if quick else 10)]
        sums = np.zeros(4)
        for G, b in cases:
            lemke, _ = least_time(partial(solve_lcp, G, b), 5)
            pgs, _ = least_time(partial(solve_lcp, G, b, "pgs", tolerance=TOLERANCE), 5)
            as_printed = partial(solve_lcp, G, b, "pgs", tolerance=1e-20, max_iterations=SWEEPS)
            printed, found = least_time(as_printed, 5)
            sums += (lemke, pgs, printed, found.residual)
        for name, value in zip(columns, (count, *(sums / len(cases))), strict=True):
            columns[name].append(float(value))
    table = {name: np.array(values) for name, values in columns.items()}
    ratio = (table["printed"] / table["lemke"])[table["contacts"] > 10]
    numbers = {
        "least_ratio_above_10": float(ratio.min()),
        "largest_residual": float(table["residual"].max()),
    }
    return Result(numbers, {"times": table})


def draw_solvers(result: Result) -> Any:
    """Return a figure of the CPU time of both methods over the number of contacts."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes, table = figure.subplots(), result.tables["times"]
    names = {"lemke": "Lemke", "pgs": f"PGS to {TOLERANCE:g}", "printed": f"PGS as printed, {SWEEPS} sweeps"}
    for name, label in names.items():
        axes.loglog(table["contacts"], 1e6 * table[name], marker="o", markersize=3, label=label)
    axes.set(xlabel="contacts", ylabel="CPU time of a call (us)", title="Frictionless contact problems of quadruped16")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    return figure
