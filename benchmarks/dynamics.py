"""Forward dynamics, mass matrix, inverse contact inertia and a free step, against Pinocchio and MuJoCo."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from . import chains, ours, startup
from .agreement import check
from .case import CALL, CONTACT_INERTIA, EULER_STEP, FORWARD_DYNAMICS, LOOP, MASS_MATRIX, MIDPOINT_STEP, TASKS, Case
from .case import quadruped as quadruped_case
from .mujoco_engine import NAME as MUJOCO
from .mujoco_engine import MuJoCo
from .pinocchio_engine import NAME as PINOCCHIO
from .pinocchio_engine import Pinocchio
from .report import plot_bars
from .timing import Timing, interleave, print_table

QUADRUPEDS = ("quadruped12", "quadruped16")
RIVALS = (PINOCCHIO, MUJOCO)
WAYS = (LOOP, CALL, ours.DISPATCH, ours.PUBLIC)

# Engines must agree to this before they are timed, relative to the largest number. Steps of different schemes differ
# by their order, so those are compared at a tiny step.
EXACT, TOLERANCE = (FORWARD_DYNAMICS, MASS_MATRIX, CONTACT_INERTIA), 1e-9
STEPS, TINY_STEP, STEP_TOLERANCE = (EULER_STEP, MIDPOINT_STEP), 1e-6, 1e-3

# What the ratio of `pin.aba` to our compiled call should reach.
GOAL = 3.0

NOTES = """
Same URDF (without joint friction and damping), same state; contenders take turns on one core; minimum of all rounds
(ours also the median). "x" is the other engine's time over ours: below 1 we are slower.
Ours is called in four ways: in a compiled loop, as rollouts do; as a compiled entry with bound arguments; the same
through numba's dispatch; and by the public function, which checks and copies its arguments.
The others are called from Python, except against our compiled loop: there Pinocchio loops in C++ over a batch
(abaInParallel on one thread; it has none for the other tasks) and MuJoCo in C (mj_step with nstep).
Pinocchio: aba, crba, computeDelassusMatrix; its steps join aba and integrate in Python.
MuJoCo: mj_forward with constraints off; mj_kinematics, mj_comPos and mj_makeM; mj_jac and mj_solveM joined in Python;
mj_step, which is first order, and which also stands against our second-order midpoint step.
"""

Key = tuple[str, str, str]


def check_agreement(case: Case) -> dict[str, dict[str, float]]:
    """Return how far the other engines' results are from ours, by engine and task."""
    small = replace(case, time_step=TINY_STEP)
    expected = ours.results(small)
    found = {}
    for engine, theirs in ((PINOCCHIO, Pinocchio(small).results()), (MUJOCO, MuJoCo(small).results())):
        exact = check(case.name, engine, expected, theirs, EXACT, TOLERANCE)
        found[engine] = exact | check(case.name, engine, expected, theirs, STEPS, STEP_TOLERANCE)
    return found


def time_all(case: Case, rounds: int) -> dict[Key, Timing]:
    """Return the timing of every contender by engine, task and way."""
    contenders = [*ours.contenders(case), *Pinocchio(case).contenders(), *MuJoCo(case).contenders()]
    timings = interleave(contenders, rounds)
    return {(c.engine, c.task, c.way): timing for c, timing in zip(contenders, timings)}


def rival_time(timings: Mapping[Key, Timing], engine: str, task: str, way: str) -> float | None:
    """Return another engine's time that stands against one of our ways to call, None if it has none."""
    own_task = EULER_STEP if (engine, task) == (MUJOCO, MIDPOINT_STEP) else task
    found = timings.get((engine, own_task, LOOP if way == LOOP else CALL))
    return found.minimum if found else None


def table_row(timings: Mapping[Key, Timing], task: str, way: str) -> list[str]:
    """Return a row of the table: our minimum and median, the others' minima and ratios."""
    mine = timings[ours.NAME, task, way]
    row = [f"{task}, {way}", f"{mine.minimum:.2f}", f"{mine.median:.2f}"]
    for engine in RIVALS:
        theirs = rival_time(timings, engine, task, way)
        row += ["", ""] if theirs is None else [f"{theirs:.2f}", f"{theirs / mine.minimum:.2g}x"]
    return row


def print_goal(name: str, timings: Mapping[Key, Timing]) -> None:
    """Print how our compiled call of the articulated body method compares with `pin.aba`, beside the goal."""
    theirs, mine = (timings[engine, FORWARD_DYNAMICS, CALL] for engine in (PINOCCHIO, ours.NAME))
    ratios = f"{theirs.minimum / mine.minimum:.2f} by minima, {theirs.median / mine.median:.2f} by medians"
    print(f"\n{name}: pin.aba from Python over our compiled call: {ratios}; goal: at least {GOAL:g}.")


def compare(case: Case, rounds: int) -> dict[str, Any]:
    """Check that all engines agree on one robot, time them, print the table, and return the numbers."""
    agreement = check_agreement(case)
    timings = time_all(case, rounds)
    header = [case.name, "ours", "median", PINOCCHIO, "", MUJOCO, ""]
    print_table(f"{case.name}, µs", header, [table_row(timings, task, way) for task in TASKS for way in WAYS])
    print_goal(case.name, timings)
    for engine, found in agreement.items():
        print(f"{engine} differs by " + ", ".join(f"{value:.0e} ({task})" for task, value in found.items()))
    bars = {engine: [timings.get((engine, task, CALL)) for task in TASKS] for engine in (ours.NAME, *RIVALS)}
    plot_bars(case.name, f"{case.name}, per call from Python", TASKS, bars)
    numbers = [dict(zip(("engine", "task", "way"), key)) | asdict(timing) for key, timing in timings.items()]
    return {"differences": agreement, "microseconds": numbers}


def run(rounds: int) -> dict[str, Any]:
    """Run the whole part: two quadrupeds, chains, start-up."""
    found: dict[str, Any] = {name: compare(quadruped_case(name), rounds) for name in QUADRUPEDS}
    print(NOTES)
    return {"robots": found, "chains": chains.run(rounds), "startup": startup.run()}
