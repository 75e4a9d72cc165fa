"""Ayit's claim on solvers: projected Gauss-Seidel against Lemke's method over the number of contacts."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ...contact.lcp import LcpSolution, solve_lcp
from ...contact.solvers.printed_sweeps import printed_entry
from ...contact.solvers.problem import friction_work
from ...dynamics import mass_matrix, point_jacobian
from ..frame import Result
from ..frame.drawing import new_figure
from .runs import GROUND, quadruped

COUNTS = (2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
FRICTION_COUNTS = (2, 4, 6, 8, 10, 12, 16, 20, 24)
SWEEPS = 100  # at most, of the document (table 5.2); its relative change of 1e-20 is below rounding: all are done
TOLERANCE = 1e-10
AXES = np.array([2, 0, 1])  # of a contact's rows: normal, then the tangents


def problem(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the contact problem (3n, 3n) of a falling quadruped that touches with random points of its links."""
    robot = quadruped()
    rows = []
    for link in rng.integers(0, len(robot.links), count):
        rows.append(point_jacobian(robot, robot.home, int(link), rng.uniform(-0.2, 0.2, 3))[AXES])
    J = np.concatenate(rows)
    b = J @ rng.normal(0.0, 1.0, robot.nv)
    b[::3] -= 0.5
    return J @ np.linalg.solve(mass_matrix(robot, robot.home), J.T), b


def pyramid_problem(G: np.ndarray, b: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the same with a friction pyramid of four sides as a linear complementarity problem (6n, 6n).

    Unknowns: normal impulses, those along the sides, and the slip speeds (Stewart and Trinkle).
    """
    n = len(b) // 3
    sides = np.zeros((3 * n, 5 * n))
    edges = np.zeros((4 * n, n))
    for k in range(n):
        sides[3 * k, k] = 1.0
        first = n + 4 * k
        sides[3 * k + 1, first : first + 2] = 1.0, -1.0
        sides[3 * k + 2, first + 2 : first + 4] = 1.0, -1.0
        edges[4 * k : 4 * k + 4, k] = 1.0
    M = np.zeros((6 * n, 6 * n))
    M[: 5 * n, : 5 * n] = sides.T @ G @ sides
    M[n : 5 * n, 5 * n :] = edges
    M[5 * n :, :n], M[5 * n :, n : 5 * n] = mu * np.eye(n), -edges.T
    return M, np.concatenate([sides.T @ b, np.zeros(n)])


def sweeps_as_printed(G: np.ndarray, b: np.ndarray, mu: float) -> Callable[[], tuple[int, float]]:
    """Return a call that solves a contact problem by the document's sweeps, and returns their number and residual."""
    z, w, modes = np.zeros(len(b)), np.zeros(len(b)), np.zeros(len(b) // 3, dtype=np.int64)
    return partial(printed_entry, G, b, z, w, modes, friction_work(len(b)), mu, 1e-20, SWEEPS)


def least_times(calls: Mapping[str, Callable[[], Any]], rounds: int = 7) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the least CPU time of each of some calls that take turns, s, and what they returned."""
    best, found = dict.fromkeys(calls, np.inf), {}
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.process_time_ns()
            found[name] = call()
            best[name] = min(best[name], 1e-9 * (time.process_time_ns() - begin))
    return best, found


def without_friction(G: np.ndarray, b: np.ndarray) -> dict[str, float]:
    """Return the CPU times of all methods without friction, s, what they took, and the residual of 100 sweeps."""
    M, q = np.ascontiguousarray(G[::3, ::3]), np.ascontiguousarray(b[::3])
    calls: dict[str, Callable[[], LcpSolution]] = {
        "lemke": partial(solve_lcp, M, q),
        "pgs": partial(solve_lcp, M, q, "pgs", tolerance=TOLERANCE),
        "printed": partial(solve_lcp, M, q, "pgs", tolerance=1e-20, max_iterations=SWEEPS),
    }
    times, found = least_times(calls)
    counts = {"pivots": float(found["lemke"].iterations), "sweeps": float(found["pgs"].iterations)}
    return {**times, **counts, "residual": found["printed"].residual}


def with_friction(G: np.ndarray, b: np.ndarray) -> dict[str, float]:
    """Return the CPU times of Lemke's method on a pyramid and of the document's sweeps on the disc, s."""
    mu = GROUND["friction"]
    times, found = least_times(
        {"lemke": partial(solve_lcp, *pyramid_problem(G, b, mu)), "printed": sweeps_as_printed(G, b, mu)}
    )
    return {**times, "residual": found["printed"][1], "solved": float(found["lemke"].converged)}


def mean_over(
    counts: tuple[int, ...], cases: int, solve: Callable[[np.ndarray, np.ndarray], dict[str, float]]
) -> dict[str, np.ndarray]:
    """Return the means of what ``solve`` finds over random problems, a row for each number of contacts."""
    rng, rows = np.random.default_rng(0), []
    for count in counts:
        found = [solve(*problem(count, rng)) for _ in range(cases)]
        rows.append({"contacts": float(count), **{name: np.mean([one[name] for one in found]) for name in found[0]}})
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def run_solvers(quick: bool) -> Result:
    """Time both methods on random problems of every size, and measure how well the document's sweeps solve them."""
    cases, every = (3, 3) if quick else (10, 1)
    plain = mean_over(COUNTS[every - 1 :: every], cases, without_friction)
    rough = mean_over(FRICTION_COUNTS[every - 1 :: every], cases, with_friction)
    numbers = {
        "least_ratio_above_10": float((plain["printed"] / plain["lemke"])[plain["contacts"] > 10].min()),
        "friction_ratio_above_10": float((rough["printed"] / rough["lemke"])[rough["contacts"] > 10].max()),
        "most_pivots": float(plain["pivots"].max()),
        "most_sweeps": float(plain["sweeps"].max()),
        "largest_residual": float(plain["residual"].max()),
        "largest_residual_with_friction": float(rough["residual"].max()),
        "solved_by_lemke": float(rough["solved"].min()),
    }
    return Result(numbers, {"times": plain, "friction_times": rough})


def draw_solvers(result: Result) -> Any:
    """Return a figure of the CPU time of both methods over the number of contacts, without and with friction."""
    figure = new_figure(11, 4.5)
    names = {"lemke": "Lemke", "pgs": f"PGS to {TOLERANCE:g}", "printed": f"PGS as printed, {SWEEPS} sweeps"}
    titles = {"times": "without friction", "friction_times": "with friction (Lemke: pyramid of four sides)"}
    for axes, (table, title) in zip(figure.subplots(1, 2, sharey=True), titles.items(), strict=True):
        series = result.tables[table]
        for name, label in names.items():
            if name in series:
                axes.loglog(series["contacts"], 1e6 * series[name], marker="o", markersize=3, label=label)
        axes.set_xticks(series["contacts"], [f"{count:g}" for count in series["contacts"]])
        axes.minorticks_off()
        axes.set(xlabel="number of contacts", title=title)
        axes.grid(alpha=0.3, which="both")
        axes.legend()
    figure.axes[0].set_ylabel("CPU time of a call (us)")
    figure.suptitle("Contact problems of quadruped16")
    return figure
