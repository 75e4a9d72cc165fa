"""Judges from outside: closed forms, conservation, SimBenchmark and friction problems, ours beside other engines."""

import os
from functools import partial
from importlib import import_module
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from ..friction import our_solution
from ..friction_problems import built_in
from ..pinocchio_friction import ADMM, PGS, Friction
from ..report import save
from ..timing import print_table
from . import ours, simbenchmark, with_mujoco
from .bodies import CASES, TIME_STEP
from .simbenchmark import BALLS, PUBLISHED, PUBLISHED_STEP, STANDING_STEP, TIME_STEPS, UNITS, Play
from .with_mujoco import STIFFNESS

ROBOT = "SIMBENCHMARK_ROBOT"  # environment: a URDF file, best SimBenchmark's own ANYmal
RESIDUAL = 1e-8  # m/s, of friction problems
NO_RESTITUTION = ("Drake",)
NOTES = f"""
Errors against closed forms, time step {1e3 * TIME_STEP:g} ms; 0 is exact. MuJoCo, newest: implicitfast, elliptic cones,
Newton, 10 noslip iterations. It has no restitution: where a body has to rebound, its contact is a spring of
{STIFFNESS:g} /s^2 with the damping that gives e, its impedance as it comes. Drake has none in discrete time.
SimBenchmark: its cases that need no second body; published errors are for its ANYmal (33.9 kg) and {BALLS} balls.
Give that robot's file as ${ROBOT} for the same robot; without it a packaged quadruped plays.
Friction problems: how many of the built-in ones reach {RESIDUAL:g} m/s.
"""


def engines() -> dict[str, Play]:
    """Return all engines that are installed."""
    found: dict[str, Play] = {f"ours, {model}": partial(ours.play, model=model) for model in ours.MODELS}
    found |= {f"MuJoCo, {name}": partial(with_mujoco.play, setting=name) for name in with_mujoco.SETTINGS}
    for name in ("DART", "Drake"):
        try:
            found[name] = import_module(f".with_{name.lower()}", __package__).play
        except ImportError:
            print(f"{name} is not installed.")
    return found


def body_errors(players: dict[str, Play]) -> dict[str, dict[str, float]]:
    """Return the errors of single bodies, by what is judged and engine."""
    found: dict[str, dict[str, float]] = {}
    for case in CASES:
        for engine, play in players.items():
            if case.restitution > 0.0 and engine in NO_RESTITUTION:
                continue
            for quantity, error in case.judge(case, play(case.scene)).items():
                found.setdefault(f"{case.name}: {quantity}", {})[engine] = error
    return found


def solved_problems() -> dict[str, int]:
    """Return how many of the built-in friction problems each solver solves."""
    problems = built_in()
    found = {"ours": sum(our_solution(problem).call is not None for problem in problems)}
    for name in (ADMM, PGS):
        found[name] = sum(Friction(problem).best(name, RESIDUAL).call is not None for problem in problems)
    return {**found, "all": len(problems)}


def plot(bodies: dict[str, dict[str, float]], flights: dict[str, dict[str, list[float]]], names: list[str]) -> None:
    """Draw the errors of bodies as bars, those of SimBenchmark over the time step, published ones dashed."""
    figure, axes = plt.subplots(2, 2, figsize=(13, 10))
    colours = {name: plt.get_cmap("tab10")(k) for k, name in enumerate(names)}
    bars, height = axes[0, 0], 0.8 / len(names)
    for k, engine in enumerate(names):
        places = [row + (k - 0.5 * (len(names) - 1)) * height for row in range(len(bodies))]
        errors = [np.maximum(found.get(engine, np.nan), 1e-9) for found in bodies.values()]
        bars.barh(places, errors, height, color=colours[engine])
    bars.set_yticks(range(len(bodies)), list(bodies))
    bars.invert_yaxis()
    bars.set(xscale="log", xlabel="error, in the unit of its name", title="single bodies")
    for plot_, (case, found) in zip((axes[0, 1], axes[1, 0], axes[1, 1]), flights.items()):
        for name, error in found.items():
            plot_.loglog(TIME_STEPS, [max(x, 1e-15) for x in error], "o-", color=colours[name], label=name)
        for k, (name, squares) in enumerate(PUBLISHED[case].items()):
            roots = [max(x**0.5, 1e-15) for x in squares]
            plot_.loglog(
                TIME_STEPS, roots, "x--", color=plt.get_cmap("Greys")(0.9 - 0.1 * k), label=f"{name}, published"
            )
        plot_.set(xlabel="time step, s", ylabel=f"root mean square error, {UNITS[case]}", title=f"SimBenchmark: {case}")
        plot_.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.tight_layout()
    save(figure, "judge")


def print_flights(robot: str, found: dict[str, dict[str, list[float]]]) -> None:
    """Print the errors of SimBenchmark's cases, those of this run first."""
    header = ["engine", *(f"{1e3 * step:g} ms" for step in TIME_STEPS)]
    for case, measured in found.items():
        rows = [[name, *(f"{x:.2g}" for x in error)] for name, error in measured.items()]
        rows += [
            [f"{name}, published", *(f"{x**0.5:.2g}" for x in squares)] for name, squares in PUBLISHED[case].items()
        ]
        who = f"{BALLS} balls" if case == "bouncing" else robot
        print_table(f"SimBenchmark, {case} of {who}: root mean square error, {UNITS[case]}", header, rows)


def print_standing(robot: str, found: dict[str, dict[str, float]]) -> None:
    """Print how the robot stood."""
    rows = [
        [name, "it falls" if np.isinf(row["creep"]) else f"{row['creep']:.3g}", f"{row['step']:.1f}"]
        for name, row in found.items()
    ]
    rows += [[f"{name}, published", "", f"{step:.1f}"] for name, step in PUBLISHED_STEP.items()]
    title = f"SimBenchmark, standing of {robot} for 250 s at {1e3 * STANDING_STEP:g} ms"
    print_table(title, ["engine", "creep of the trunk, mm", "time of a step, us"], rows)


def run(rounds: int) -> dict[str, Any]:
    """Let all engines do all cases; print, draw and return what was found. ``rounds`` is not used."""
    players = engines()
    bodies = body_errors(players)
    rows = [[name, *(f"{found[x]:.3g}" if x in found else "" for x in players)] for name, found in bodies.items()]
    print_table("Judges", ["error", *players], rows)
    robot = simbenchmark.quadruped(os.environ.get(ROBOT))
    flights = simbenchmark.errors(robot, players, tuple(name for name in players if name not in NO_RESTITUTION))
    print_flights(robot.name, flights)
    stood = simbenchmark.standing(robot, players)
    print_standing(robot.name, stood)
    problems = solved_problems()
    print("\nFriction problems solved: " + ", ".join(f"{name} {count}" for name, count in problems.items()) + ".")
    print(NOTES)
    plot(bodies, flights, list(players))
    return {
        "bodies": bodies,
        "simbenchmark": {"robot": robot.name, "time_steps": TIME_STEPS, "errors": flights, "standing": stood},
        "friction_problems_solved": problems,
    }
