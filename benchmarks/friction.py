"""Friction problems: `solve_friction` against Pinocchio's ADMM and PGS, all to the same residual of the natural map."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from legged_contact_sim.contact import solve_friction

from .friction_problems import Problem, built_in, in_folder, natural_map
from .ours import NAME as OURS
from .pinocchio_friction import ADMM, MOST_ITERATIONS, PGS, Found, Friction
from .timing import Contender, Timing, interleave, print_table

RESIDUAL = 1e-8  # m/s, that every solver has to reach
SPENT = 1.5  # s, at most about so long on the timing of a problem
NOTES = """
All begin with zero impulses and are done at a natural map of {residual:g} m/s; Pinocchio's tolerance is the loosest
power of ten that gets there, its ADMM with the better of two update rules, within {most} iterations. "-": not
solved by it. Ours gives the solution of least norm where there are many; theirs is the one that they come to. A time is
that from W and q to the impulses, as arrays; Pinocchio keeps its solver and the contacts with their friction.
"""


def our_solution(problem: Problem) -> Found:
    """Return how `solve_friction` does."""
    call = partial(solve_friction, problem.W, problem.q, problem.mu, RESIDUAL)
    found = call()
    residual = natural_map(problem, found.impulses)
    return Found(OURS, found.iterations, residual, {}, call if residual <= RESIDUAL else None)


def race(problem: Problem, rounds: int) -> tuple[list[Found], list[Timing | None]]:
    """Return how all solvers do, and what those take that solve the problem."""
    solvers = [our_solution(problem), *(Friction(problem).best(name, RESIDUAL) for name in (ADMM, PGS))]
    able = [Contender(one.name, problem.name, "call", one.call) for one in solvers if one.call is not None]
    once = sum(timing.median for timing in interleave(able, 1, 1e-4)) * 1e-6
    times = iter(interleave(able, max(3, min(rounds, int(SPENT / max(once, 2e-3)))), 5e-4))
    return solvers, [next(times) if one.call is not None else None for one in solvers]


def cells(solver: Found, timing: Timing | None, ours: Timing | None) -> list[str]:
    """Return iterations, residual and time of a solver, and how many times longer than ours that is."""
    ratio = f"{timing.minimum / ours.minimum:.1f}" if timing and ours else "-"
    return [str(solver.iterations), f"{solver.residual:.0e}", f"{timing.minimum:.0f}" if timing else "-", ratio]


def run(rounds: int, folder: Path | None = None) -> dict[str, Any]:
    """Race on the built-in problems and on those of a folder; print and return the numbers."""
    rows, results = [], {}
    for problem in built_in() + (in_folder(folder) if folder else []):
        solvers, times = race(problem, rounds)
        mine = cells(solvers[0], times[0], None)[:3]
        rows.append([problem.name, str(len(problem.mu)), *mine])
        for solver, timing in zip(solvers[1:], times[1:]):
            rows[-1] += cells(solver, timing, times[0])
        results[problem.name] = {
            "contacts": len(problem.mu),
            "solvers": {
                solver.name: {
                    "iterations": solver.iterations,
                    "residual": solver.residual,
                    "settings": solver.settings,
                    "microseconds": asdict(timing) if timing else None,
                }
                for solver, timing in zip(solvers, times)
            },
        }
    rival = ["iterations", "residual", "µs", "of ours"]
    header = ["problem", "contacts", "iterations", "residual", "µs", *rival, *rival]
    print_table(f"Friction problems: {OURS}, {ADMM}, {PGS}", header, rows)
    print(NOTES.format(residual=RESIDUAL, most=MOST_ITERATIONS))
    return {"residual": RESIDUAL, "problems": results}
