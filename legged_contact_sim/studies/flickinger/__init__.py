"""Flickinger's hybrid simulations: double pendulum, bicycle on a wedge, and the block with spring and friction."""

from functools import partial
from typing import Any

import numpy as np

from ..frame import Criterion, Experiment, Picture, Result, Study, at_least, at_most, true
from . import plots
from .friction_block import event_driven_block, fixed_step_block
from .runs import BICYCLE_RUNS, PENDULUM_RUNS, WEDGE_CPU, Run, do_run, friction_curves

FACTOR = 100.0  # how much less CPU time than the document's each run may take


def run_simulation(run: Run, quick: bool) -> Result:
    """Do one of the document's simulations; the quick version ends early."""
    outcome = do_run(run.shortened(2.0) if quick else run)
    numbers = outcome.summary()
    used = np.array(numbers.pop("friction_used")).reshape(-1, 2)
    numbers["no_gain"] = numbers["impacts_with_gain"] == 0
    if run.paper_cpu:
        numbers["speed"] = run.paper_cpu / numbers["cpu"]
    trajectory = outcome.trajectory
    kinetic, potential, _ = trajectory.energies.T
    joints = {f"q{k}": trajectory.q[:, k] for k in range(trajectory.q.shape[1])}
    series = {"time": trajectory.time, **joints, "kinetic": kinetic, "potential": potential}
    return Result(numbers, {"series": series, "friction": {"time": used[:, 0], "used": used[:, 1]}})


def run_block(quick: bool) -> Result:
    """Move the block by events and by fixed steps."""
    numbers: dict[str, Any] = {}
    tables = {}
    for name, motion in (("events", event_driven_block()), ("steps", fixed_step_block())):
        numbers[f"sticking_{name}"] = float(sum(end - begin for begin, end in motion.sticking))
        intervals = np.array(motion.sticking).reshape(-1, 2)
        tables[name] = {"time": motion.time, "position": motion.position, "velocity": motion.velocity}
        tables[f"sticking_{name}"] = {"begin": intervals[:, 0], "end": intervals[:, 1]}
    step = np.interp(tables["events"]["time"], tables["steps"]["time"], tables["steps"]["position"])
    apart = np.abs(step - tables["events"]["position"]).max() / np.abs(tables["events"]["position"]).max()
    numbers["apart"] = float(apart)
    return Result(numbers, tables)


def run_friction(quick: bool) -> Result:
    """Compute the friction that sticking needs at the first impact on every wedge."""
    one, coefficients = np.zeros(1), np.linspace(0.0, 1.0, 5)
    sticking = {f"mu_f_{angle}_deg": friction_curves(angle, one, coefficients)[2] for angle in WEDGE_CPU}
    return Result(tables={"sticking": {"restitution": coefficients, **sticking}})


def criteria(run: Run) -> tuple[Criterion, ...]:
    """Return what is judged of a simulation."""
    found = []
    if run.paper_cpu:
        words = f"{run.paper_cpu:g} s"
        found.append(Criterion("CPU time of the document over ours", "speed", words, at_least(FACTOR)))
    if run.parameters["energetic_restitution"] <= 1.0:
        found.append(Criterion("no energy gained at any impact", "no_gain", "no rise", true()))
    found.append(
        Criterion("deepest pull of a normal force", "smallest_normal_force", "never negative", at_least(-1e-6), "N")
    )
    return tuple(found)


def simulation(run: Run) -> Experiment:
    """Return the experiment of one of the document's simulations."""
    pendulum = run.robot == "double_pendulum"
    draw = plots.plot_pendulum if pendulum else plots.plot_bicycle
    return Experiment(
        name=run.name,
        title=f"{run.robot.replace('_', ' ').capitalize()}: {run.title}",
        document="chapters 3 and 5" if pendulum else "chapters 3 to 5",
        run=partial(run_simulation, run),
        criteria=criteria(run),
        pictures=(Picture("path and energies", run.name, run.title, partial(draw, run)),),
    )


BLOCK = Experiment(
    name="friction_block",
    title="Block with spring and friction",
    document="appendix A",
    run=run_block,
    criteria=(
        Criterion("largest distance of the two motions", "apart", "the same motion", at_most(0.05), "of the amplitude"),
    ),
    pictures=(
        Picture("appendix A", "friction_block", "motion and sticking intervals by both methods", plots.plot_block),
    ),
)

FRICTION = Experiment(
    name="feasible_friction",
    title="Feasible friction over tangential velocity",
    document="figures 4.2 to 4.5",
    run=run_friction,
    pictures=(
        Picture("Figs. 4.2-4.5", "friction_curves", "friction that the first impact needs", plots.plot_friction_curves),
    ),
)

STUDY = Study(
    key="flickinger",
    title="Hybrid simulation of contact (Flickinger)",
    document="Flickinger: Hybrid Dynamic Simulation for Performance Optimization of Legged Mechanisms, thesis, 2011",
    experiments=(*map(simulation, PENDULUM_RUNS + BICYCLE_RUNS), FRICTION, BLOCK),
)
