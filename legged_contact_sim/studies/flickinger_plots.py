"""Figures of Flickinger's hybrid simulations: paths, energies, friction of impacts, feasible friction, the block."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .flickinger import WEDGE, WEDGE_CPU, Outcome, friction_curves, friction_used
from .friction_block import event_driven_block, fixed_step_block


def plot_pendulum(outcome: Outcome) -> Any:
    """Return a figure of the tip's path and the energies of a run of the double pendulum."""
    q, times = outcome.trajectory.q, outcome.trajectory.time
    tip = np.stack([np.cos(q[:, 0]) + np.cos(q.sum(axis=1)), 1.5 + np.sin(q[:, 0]) + np.sin(q.sum(axis=1))], axis=1)
    figure = Figure(figsize=(10, 4), layout="constrained")
    path, energy = figure.subplots(1, 2)
    path.plot(tip[:, 0], tip[:, 1], linewidth=0.8)
    path.axhline(0.0, color="grey")
    path.set(xlabel="x, m", ylabel="z, m", title=f"tip: {outcome.run.title}", aspect="equal")
    plot_energies(energy, outcome, times)
    return figure


def plot_bicycle(outcome: Outcome) -> Any:
    """Return a figure of the rod's path over the wedge, the energies, and the friction of the impacts."""
    q, times = outcome.trajectory.q, outcome.trajectory.time
    figure = Figure(figsize=(14, 4), layout="constrained")
    path, energy, friction = figure.subplots(1, 3)
    path.plot(q[:, 0], q[:, 1], linewidth=0.8)
    ground = np.array([q[:, 0].min(), q[:, 0].max()])
    path.plot(ground, -np.tan(np.radians(outcome.run.slope)) * ground, color="grey")
    path.set(xlabel="x, m", ylabel="z, m", title=f"rod's centre: {outcome.run.title}", aspect="equal")
    plot_energies(energy, outcome, times)
    used = np.array(friction_used(outcome))
    friction.plot(used[:, 0], used[:, 1], ".")
    for name, style in (("friction", "--"), ("dynamic_friction", ":")):
        friction.axhline(outcome.run.parameters[name], color="grey", linestyle=style, label=name.replace("_", " "))
    friction.set(xlabel="time, s", ylabel="|p_t| / p_n", title="friction used in the impacts")
    friction.legend()
    return figure


def plot_energies(axes: Any, outcome: Outcome, times: np.ndarray) -> None:
    """Plot kinetic and total energy over time."""
    energies = outcome.trajectory.energies
    axes.plot(times, energies.sum(axis=1), label="total")
    axes.plot(times, energies[:, 0], linewidth=0.8, label="kinetic")
    axes.set(xlabel="time, s", ylabel="J", title="energy")
    axes.legend()


def plot_friction_curves() -> Any:
    """Return a figure of the feasible coefficient of friction over tangential velocity for all wedge angles."""
    figure = Figure(figsize=(11, 8), layout="constrained")
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


def plot_block(duration: float = 2.0) -> Any:
    """Return a figure of the block's motion and sticking intervals, event-driven and by fixed steps."""
    figure = Figure(figsize=(10, 6), layout="constrained")
    position, velocity = figure.subplots(2, 1, sharex=True)
    motions = {"event-driven": event_driven_block(duration), "fixed steps, 1 ms": fixed_step_block(duration)}
    for (label, motion), colour in zip(motions.items(), ("tab:blue", "tab:orange"), strict=True):
        position.plot(motion.time, 1e3 * motion.position, color=colour, linewidth=1.0, label=label)
        velocity.plot(motion.time, motion.velocity, color=colour, linewidth=1.0, label=label)
        low = 0.0 if label == "event-driven" else 0.5
        for begin, end in motion.sticking:
            position.axvspan(begin, end, low, low + 0.5, color=colour, alpha=0.25)
    position.set(ylabel="dZ, mm", title="block; shaded: sticking (below event-driven, above fixed steps)")
    velocity.set(xlabel="time, s", ylabel="dVs, m/s")
    position.legend()
    return figure
