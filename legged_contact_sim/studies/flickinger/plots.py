"""Figures of Flickinger's hybrid simulations: paths, energies, friction of impacts, feasible friction, the block."""

from typing import Any

import numpy as np

from ..frame import Result
from .runs import WEDGE, WEDGE_CPU, Run, friction_curves


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure, sizes in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def plot_pendulum(run: Run, result: Result) -> Any:
    """Return a figure of the tip's path and the energies of a run of the double pendulum."""
    series = result.tables["series"]
    first, both = series["q0"], series["q0"] + series["q1"]
    figure = new_figure(10, 4)
    path, energy = figure.subplots(1, 2)
    path.plot(np.cos(first) + np.cos(both), 1.5 + np.sin(first) + np.sin(both), linewidth=0.8)
    path.axhline(0.0, color="grey")
    path.set(xlabel="x, m", ylabel="z, m", title=f"tip: {run.title}", aspect="equal")
    plot_energies(energy, result)
    return figure


def plot_bicycle(run: Run, result: Result) -> Any:
    """Return a figure of the rod's path over the wedge, the energies, and the friction of the impacts."""
    series, used = result.tables["series"], result.tables["friction"]
    figure = new_figure(14, 4)
    path, energy, friction = figure.subplots(1, 3)
    path.plot(series["q0"], series["q1"], linewidth=0.8)
    ground = np.array([series["q0"].min(), series["q0"].max()])
    path.plot(ground, -np.tan(np.radians(run.slope)) * ground, color="grey")
    path.set(xlabel="x, m", ylabel="z, m", title=f"rod's centre: {run.title}", aspect="equal", adjustable="datalim")
    plot_energies(energy, result)
    friction.plot(used["time"], used["used"], ".")
    for name, style in (("friction", "--"), ("dynamic_friction", ":")):
        friction.axhline(run.parameters[name], color="grey", linestyle=style, label=name.replace("_", " "))
    friction.set(xlabel="time, s", ylabel="|p_t| / p_n", title="friction used in the impacts")
    friction.legend()
    return figure


def plot_energies(axes: Any, result: Result) -> None:
    """Plot kinetic, potential and total energy over time."""
    series = result.tables["series"]
    axes.plot(series["time"], series["kinetic"] + series["potential"], label="total")
    axes.plot(series["time"], series["kinetic"], linewidth=0.8, label="kinetic")
    axes.plot(series["time"], series["potential"], linewidth=0.8, label="potential")
    axes.set(xlabel="time, s", ylabel="energy, J", title="energy")
    axes.legend()


def plot_friction_curves(_: Result) -> Any:
    """Return a figure of the feasible coefficient of friction over tangential velocity for all wedge angles."""
    figure = new_figure(11, 8)
    speeds, restitutions = np.linspace(-40.0, 40.0, 4001), np.linspace(0.0, 1.0, 5)
    for axes, angle in zip(figure.subplots(2, 2).flat, WEDGE_CPU, strict=True):
        needed, pushes, sticking = friction_curves(angle, speeds, restitutions)
        for k, e in enumerate(restitutions):
            curve, label = np.where(pushes[k], needed[k], np.nan), f"e = {e:g}, sticks with {sticking[k]:.2f}"
            axes.plot(speeds, curve, color=str(0.75 * (1 - e)), linewidth=1.0, label=label)
        for value, style in ((WEDGE["friction"], "--"), (WEDGE["dynamic_friction"], ":")):
            axes.axhline(value, color="tab:red", linestyle=style, linewidth=0.8)
        axes.axvline(0.0, color="tab:blue", linewidth=0.6)
        axes.set(ylim=(0.0, 2.0), xlabel="downhill velocity after the impact, m/s", ylabel="|p_t| / p_n")
        axes.set_title(f"wedge {angle} deg (no line: the normal impulse would pull)", fontsize=10)
        axes.legend(fontsize=7)
    return figure


def plot_block(result: Result) -> Any:
    """Return a figure of the block's motion and sticking intervals, event-driven and by fixed steps."""
    figure = new_figure(10, 6)
    position, velocity = figure.subplots(2, 1, sharex=True)
    methods = (("events", "event-driven", "tab:blue", 0.0), ("steps", "fixed steps, 1 ms", "tab:orange", 0.5))
    for name, label, colour, low in methods:
        motion, sticking = result.tables[name], result.tables[f"sticking_{name}"]
        position.plot(motion["time"], 1e3 * motion["position"], color=colour, linewidth=1.0, label=label)
        velocity.plot(motion["time"], motion["velocity"], color=colour, linewidth=1.0, label=label)
        for begin, end in zip(sticking["begin"], sticking["end"], strict=True):
            position.axvspan(begin, end, low, low + 0.5, color=colour, alpha=0.25)
    position.set(ylabel="dZ, mm", title="block; shaded: sticking (below event-driven, above fixed steps)")
    velocity.set(xlabel="time, s", ylabel="dVs, m/s")
    position.legend()
    return figure
