"""Flickinger's hybrid simulations: double pendulum, bicycle on a wedge, and the block with spring and friction."""

from functools import partial
from typing import Any

import numpy as np

from ..frame import Criterion, Experiment, Picture, Result, Study, at_least, at_most, true
from . import jump_plots, plots
from .behaviour import behaviour, said_of
from .friction_block import driven_end, event_driven_block, fixed_step_block
from .jumping import run_field, run_jumps, run_stance
from .runs import (
    BICYCLE_RUNS,
    PENDULUM_RUNS,
    WEDGE_CPU,
    Run,
    coefficient,
    do_run,
    force_columns,
    friction_curves,
    path_columns,
)

ELASTIC = "it fails by a hundredth; the runs on wedges have e = 0.5, where sticking needs 0.56"
FACTOR = 100.0  # how much less CPU time than the document's each run may take


def run_simulation(run: Run, quick: bool) -> Result:
    """Do one of the document's simulations."""
    outcome = do_run(run)
    numbers = outcome.summary() | behaviour(outcome)
    used = np.array(numbers.pop("friction_used")).reshape(-1, 2)
    numbers["no_gain"] = numbers["impacts_with_gain"] == 0
    if run.paper_cpu:
        numbers["speed"] = run.paper_cpu / numbers["cpu"]
    trajectory = outcome.trajectory
    kinetic, potential, _ = trajectory.energies.T
    tables = {
        "path": path_columns(outcome),
        "energy": {"time": trajectory.time, "kinetic": kinetic, "potential": potential},
        "forces": force_columns(outcome),
        "friction": {"time": used[:, 0], "used": used[:, 1], "coefficient": coefficient(run, used[:, 1])},
    }
    return Result(numbers, tables)


def run_block(quick: bool) -> Result:
    """Move the block by events and by fixed steps."""
    numbers: dict[str, Any] = {}
    tables = {}
    motions = (
        ("events", event_driven_block()),
        ("steps", fixed_step_block()),
        ("coarse", fixed_step_block(time_step=0.01)),
    )
    for name, motion in motions:
        numbers[f"sticking_{name}"] = float(sum(end - begin for begin, end in motion.sticking))
        intervals = np.array(motion.sticking).reshape(-1, 2)
        tables[name] = {"time": motion.time, "position": motion.position, "velocity": motion.velocity}
        tables[name]["end"] = driven_end(motion.time)
        tables[f"sticking_{name}"] = {"begin": intervals[:, 0], "end": intervals[:, 1]}
    step = np.interp(tables["events"]["time"], tables["steps"]["time"], tables["steps"]["position"])
    apart = np.abs(step - tables["events"]["position"]).max() / np.abs(tables["events"]["position"]).max()
    numbers["apart"] = float(apart)
    numbers["sticking_ratio"] = numbers["sticking_coarse"] / numbers["sticking_events"]
    return Result(numbers, tables)


def run_friction(quick: bool) -> Result:
    """Compute the friction that sticking needs at the first impact on every wedge."""
    one, coefficients = np.zeros(1), np.linspace(0.0, 1.0, 5)
    sticking = {f"mu_f_{angle}_deg": friction_curves(angle, one, coefficients)[2] for angle in WEDGE_CPU}
    gentle = max(float(sticking[f"mu_f_{angle}_deg"].max()) for angle in (0, 15, 30))
    numbers = {
        "gentle": gentle,
        "steep": float(sticking["mu_f_45_deg"][:-1].min()),
        "steep_elastic": float(sticking["mu_f_45_deg"][-1]),
    }
    return Result(numbers, {"sticking": {"restitution": coefficients, **sticking}})


def criteria(run: Run) -> tuple[Criterion, ...]:
    """Return what is judged of a simulation."""
    found = []
    if run.paper_cpu:
        words = f"{run.paper_cpu:g} s"
        found.append(Criterion("CPU time of the document over ours", "speed", words, at_least(FACTOR), timed=True))
    if run.parameters["energetic_restitution"] <= 1.0:
        found.append(Criterion("no energy gained at any impact", "no_gain", "no rise", true()))
    found.append(
        Criterion("deepest pull of a normal force", "smallest_normal_force", "never negative", at_least(-1e-6), "N")
    )
    return (*found, *said_of(run))


def named(numbers: str) -> str:
    """Return the numbers of figures with a word before them."""
    return f"Fig. {numbers}" if numbers else "not in the document"


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
        pictures=(
            Picture(named(run.figures[0]), run.name, f"path and energies: {run.title}", partial(draw, run)),
            Picture(
                named(run.figures[1]), f"{run.name}_forces", f"forces: {run.title}", partial(plots.plot_forces, run)
            ),
        ),
    )


BLOCK = Experiment(
    name="friction_block",
    title="Block with spring and friction",
    document="appendix A",
    run=run_block,
    criteria=(
        Criterion("largest distance of the two motions", "apart", "the same motion", at_most(0.05), "of the amplitude"),
        Criterion(
            "time of sticking, steps of 10 ms (table A.2) over events", "sticking_ratio", "longer", at_least(1.0)
        ),
    ),
    pictures=(
        Picture("Fig. A.2", "figure_A_2", "positions U, Z and dZ by both methods", plots.plot_block_positions),
        Picture("Fig. A.3", "figure_A_3", "velocity dVs and sticking by both methods", plots.plot_block),
    ),
    remarks=(
        "The forcing is not printed: here U is a sine of 10 mm and 3 Hz. At fixed steps of 1 ms the motions coincide "
        "and hide the point; at the printed 10 ms a captured block stays for whole steps, and sticks longer.",
    ),
)

FRICTION = Experiment(
    name="feasible_friction",
    title="Feasible friction over tangential velocity",
    document="figures 4.2 to 4.5",
    run=run_friction,
    criteria=(
        Criterion(
            "0, 15, 30 degrees: largest friction that sticking needs", "gentle", "static 0.5 is feasible", at_most(0.5)
        ),
        Criterion(
            "45 degrees, e from 0 to 0.75: least friction that sticking needs",
            "steep",
            "static 0.5 is infeasible",
            at_least(0.5),
        ),
        Criterion(
            "45 degrees, e = 1: the same", "steep_elastic", "static 0.5 is infeasible", at_least(0.5), "", ELASTIC
        ),
    ),
    pictures=(
        Picture("Fig. 4.1", "figure_4_1", "feasible regions of friction", plots.plot_feasible_regions),
        Picture("Figs. 4.2-4.5", "friction_curves", "friction that the first impact needs", plots.plot_friction_curves),
    ),
    remarks=(
        "On 15 degrees the document has a limit of 1.5 and a pole between 0 and 1 m/s; here the limit is 3.5 and the "
        "normal impulse would pull from 97 m/s on, outside of the figure. The limit is G_nn / G_nt, a matter of the "
        "wheel's shape alone: lying ellipses have 2.2, axes read as half ones 0.81 (upright) and 1.1 (lying), circles "
        "7.2, none 1.5. With a limit of 1.5 and G positive definite, the pole can lie below 1 m/s only if the wheel "
        "arrives with less than 1.1 m/s; from 5 m it arrives with 11 m/s.",
    ),
)

FIELD = Experiment(
    name="capability_field",
    title="Acceleration capability over configurations",
    document="section 6.3, figure 6.1",
    run=run_field,
    criteria=(
        Criterion("capability, optimised over guess", "ratio", "greater", at_least(2.0)),
    ),
    pictures=(Picture("Fig. 6.1", "figure_6_1", "capability over femur and tibia", jump_plots.draw_field),),
)  # fmt: skip
STANCE = Experiment(
    name="stance",
    title="Stance over capability",
    document="section 6.3, figures 6.2 to 6.4",
    run=run_stance,
    criteria=(
        Criterion("rank correlation of stance and capability", "rank_correlation", "grows", at_least(0.5)),
    ),
    pictures=(
        Picture("Fig. 6.2", "figure_6_2", "sampled configurations", jump_plots.draw_sampling),
        Picture("Fig. 6.3", "figure_6_3", "stance over capability", jump_plots.draw_stance),
        Picture("Fig. 6.4", "figure_6_4", "stance and capability of the configurations", jump_plots.draw_stances),
    ),
    remarks=("A stance that ends within one step of control counts as none, as in the document's filter.",),
)  # fmt: skip
JUMPS = Experiment(
    name="jumps",
    title="Jumps from the guess and from the optimum",
    document="section 6.4, figures 6.5 to 6.13, tables 6.1 and 6.2",
    run=run_jumps,
    criteria=(
        Criterion("rise of the body, optimised over guess", "ratio", "0.4 m over 0.02 m", at_least(10.0)),
        Criterion("change of the guess' rise as the step is halved", "change_guess", "not said", at_most(0.02)),
        Criterion("change of the optimised rise as the step is halved", "change_optimised", "not said", at_most(0.02)),
        Criterion("largest torque", "largest_torque", "2.5 N m", at_most(2.5), "N m"),
    ),
    pictures=(
        Picture("Fig. 6.5", "figure_6_5", "distance from the goal", jump_plots.draw_error),
        Picture("Fig. 6.6", "figure_6_6", "the guess' configuration", partial(jump_plots.draw_pose, "guess")),
        Picture("Fig. 6.7", "figure_6_7", "our optimum's configuration", partial(jump_plots.draw_pose, "optimised")),
        Picture("Fig. 6.8", "figure_6_8", "guess: forces and torques", partial(jump_plots.draw_forces, "guess")),
        Picture("Fig. 6.9", "figure_6_9", "guess: angles and heights", partial(jump_plots.draw_angles, "guess")),
        Picture("Fig. 6.10", "figure_6_10", "guess: way of the body", partial(jump_plots.draw_path, "guess")),
        Picture(
            "Fig. 6.11", "figure_6_11", "optimum: forces and torques", partial(jump_plots.draw_forces, "optimised")
        ),
        Picture(
            "Fig. 6.12", "figure_6_12", "optimum: angles and heights", partial(jump_plots.draw_angles, "optimised")
        ),
        Picture("Fig. 6.13", "figure_6_13", "optimum: way of the body", partial(jump_plots.draw_path, "optimised")),
    ),
    remarks=(
        "The document's optimum of table 6.2 does not stand on its foot with any reading of its signs that was tried "
        "(54 mm above the ground as printed, 7.6 mm with the tibia's sign reversed): ours is what our optimiser finds.",
        "The document's heights, 2 and 40 cm, do not come out: the ratio does. It leaves the body's inertia "
        "and the motors' gearing open.",
        "Steps of control are 12.5 us: the push saturates and slips within 3.4 ms; at 0.1 ms the rise is 17 % lower.",
    ),
)

STUDY = Study(
    key="flickinger",
    title="Hybrid simulation of contact (Flickinger)",
    document="Flickinger: Hybrid Dynamic Simulation for Performance Optimization of Legged Mechanisms, thesis, 2011",
    experiments=(*map(simulation, PENDULUM_RUNS + BICYCLE_RUNS), FRICTION, FIELD, STANCE, JUMPS, BLOCK),
)
