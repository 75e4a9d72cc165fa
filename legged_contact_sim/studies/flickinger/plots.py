"""Figures of Flickinger's hybrid simulations: paths, energies, friction of impacts, feasible friction, the block."""

from typing import Any

import numpy as np

from ..frame import Result
from ..frame.drawing import legend_below, new_figure
from .runs import WEDGE, WEDGE_CPU, WHEELS, Run, friction_curves

MOST_DRAWN = 12  # mechanisms at impacts; more would cover one another


def plot_pendulum(run: Run, result: Result) -> Any:
    """Return a figure of the tip's path and the energies of a run of the double pendulum, drawn at impacts."""
    path_of = result.tables["path"]
    first, both = path_of["q0"], path_of["q0"] + path_of["q1"]
    elbow = np.cos(first), 1.5 + np.sin(first)
    tip = elbow[0] + np.cos(both), elbow[1] + np.sin(both)
    figure = new_figure(10, 4.4)
    path, energy = figure.subplots(1, 2)
    for k in (0, *np.flatnonzero(path_of["impact"])[:MOST_DRAWN], len(first) - 1):
        path.plot((0.0, elbow[0][k], tip[0][k]), (1.5, elbow[1][k], tip[1][k]), color="0.7", linewidth=1.0)
    path.plot(*tip, linewidth=0.8)
    path.axhline(0.0, color="grey")
    path.set(xlabel="x (m)", ylabel="z (m)", title=f"tip: {run.title}", aspect="equal")
    plot_energies(energy, result)
    return figure


def plot_bicycle(run: Run, result: Result) -> Any:
    """Return a figure of the rod's path over the wedge with the bicycle at impacts, energies, friction of impacts."""
    path_of, used = result.tables["path"], result.tables["friction"]
    figure = new_figure(15, 4.6)
    path, energy, friction = figure.subplots(1, 3)
    draw_bicycle(path, run, path_of)
    path.plot(path_of["q0"], path_of["q1"], linewidth=0.9)
    ground = np.array([path_of["q0"].min() - 1.0, path_of["q0"].max() + 1.0])
    surface = -np.tan(np.radians(run.slope)) * ground
    path.fill_between(ground, surface, surface.min() - 1.0, color="0.9")
    path.set(xlabel="x (m)", ylabel="z (m)", title=f"rod's centre: {run.title}", aspect="equal", adjustable="datalim")
    plot_energies(energy, result)
    friction.plot(
        used["time"], used["coefficient"], "o", color="tab:orange", markerfacecolor="none", label="coefficient"
    )
    friction.plot(used["time"], used["used"], ".", label="used")
    friction.set(xlim=energy.get_xlim(), ylim=(0.0, 1.1 * run.parameters["friction"]))
    for name, style in (("friction", "--"), ("dynamic_friction", ":")):
        friction.axhline(run.parameters[name], color="grey", linestyle=style, label=name.replace("_", " "))
    friction.set(xlabel="time (s)", ylabel="tangential over normal impulse", title="friction of the impacts")
    legend_below(friction)
    return figure


def draw_bicycle(axes: Any, run: Run, path_of: Any) -> None:
    """Draw rod and wheels at the start, at impacts and at the end."""
    wide, _, high = run.parameters.get("contact_shapes", {}).get(WHEELS[0], (0.25, 0.0, 0.25))
    turn = np.linspace(0.0, 2.0 * np.pi, 60)
    for k in (0, *np.flatnonzero(path_of["impact"])[:MOST_DRAWN], len(path_of["time"]) - 1):
        x, z, tilt = path_of["q0"][k], path_of["q1"][k], -path_of["q2"][k]
        rod = np.array([np.cos(tilt), np.sin(tilt)])
        axes.plot(*(np.array([x, z]) + np.outer((-0.5, 0.5), rod)).T, color="0.6", linewidth=0.9)
        for side, wheel in ((-0.5, "q3"), (0.5, "q4")):
            angle = tilt - path_of[wheel][k]
            u, w = wide * np.cos(turn), high * np.sin(turn)
            hub = np.array([x, z]) + side * rod
            axes.plot(hub[0] + u * np.cos(angle) - w * np.sin(angle), hub[1] + u * np.sin(angle) + w * np.cos(angle),
                      color="0.75", linewidth=0.7)  # fmt: skip


def plot_forces(run: Run, result: Result) -> Any:
    """Return a figure of tangential and normal forces over time, mean over output steps of 10 ms."""
    table = result.tables["forces"]
    figure = new_figure(10, 4)
    for axes, kind in zip(figure.subplots(1, 2), ("tangential", "normal"), strict=True):
        for k, name in enumerate(column for column in table if column.startswith(kind)):
            label, wide = name.removeprefix(f"{kind}_").replace("_", " "), 2.4 - 1.6 * k  # both show where they agree
            axes.plot(table["time"], table[name], linewidth=wide, alpha=1.0 if k else 0.5, label=label)
        axes.set(xlabel="time (s)", ylabel=f"{kind} force (N)")
        legend_below(axes)
    figure.suptitle(f"{run.robot.replace('_', ' ')}: {run.title}; impacts as impulse over 10 ms")
    return figure


def plot_energies(axes: Any, result: Result) -> None:
    """Plot kinetic, potential and total energy over time."""
    series = result.tables["energy"]
    axes.plot(series["time"], series["kinetic"] + series["potential"], label="total")
    axes.plot(series["time"], series["kinetic"], linewidth=0.8, label="kinetic")
    axes.plot(series["time"], series["potential"], linewidth=0.8, label="potential")
    axes.set(xlabel="time (s)", ylabel="energy (J)", title="energy")
    legend_below(axes)


def plot_friction_curves(_: Result) -> Any:
    """Return a figure of the feasible coefficient of friction over tangential velocity for all wedge angles."""
    figure = new_figure(11, 8)
    speeds, restitutions = np.linspace(-40.0, 40.0, 4001), np.linspace(0.0, 1.0, 5)
    for axes, angle in zip(figure.subplots(2, 2).flat, WEDGE_CPU, strict=True):
        needed, pushes, sticking = friction_curves(angle, speeds, restitutions)
        for k, e in enumerate(restitutions):
            curve, label = np.where(pushes[k], needed[k], np.nan), f"e = {e:g}, sticks with {sticking[k]:.2f}"
            axes.plot(speeds, curve, color=str(0.75 * (1 - e)), linewidth=1.0, label=label)
        for name, style in (("friction", "--"), ("dynamic_friction", ":")):
            words = name.replace("_", " ")
            axes.axhline(WEDGE[name], color="tab:red", linestyle=style, linewidth=0.8, label=f"{words} {WEDGE[name]:g}")
        axes.axvline(0.0, color="tab:blue", linewidth=0.6, label="sticking")
        axes.set(ylim=(0.0, 2.6), xlabel="downhill velocity after the impact (m/s)", ylabel="|p_t| / p_n")
        axes.set_title(f"wedge {angle} deg", fontsize=10)
        axes.legend(fontsize=7, ncols=2, loc="upper center")
    return figure


def plot_feasible_regions(_: Result) -> Any:
    """Return figure 4.1 for the first impact on 45 degrees: limit, pole and the velocities that would pull."""
    figure = new_figure(8, 4.5)
    axes, speeds = figure.subplots(), np.linspace(-60.0, 120.0, 3601)
    needed, pushes, sticking = friction_curves(45, speeds, np.array([0.5]))
    curve, mu_f = np.where(needed[0] < 6.0, needed[0], np.nan), float(sticking[0])
    pulls = speeds[~pushes[0]]
    axes.plot(speeds, np.where(pushes[0], curve, np.nan), color="black", label="needed, e = 0.5")
    axes.axvspan(pulls.min(), pulls.max(), color="0.8", label="normal impulse would pull")
    axes.axhline(mu_f, color="tab:red", linestyle="--", linewidth=0.8, label=f"mu_f = {mu_f:.2f}")
    slips = pushes[0] & (needed[0] <= mu_f)
    axes.fill_between(
        speeds, needed[0], mu_f, where=slips, color="tab:green", alpha=0.3, label="slips: (4.6), up to mu_f"
    )
    axes.axvline(0.0, color="tab:blue", linewidth=0.8, label="sticks: above mu_f")
    axes.set(ylim=(0.0, 3.0), xlim=(speeds[0], speeds[-1]), ylabel="|p_t| / p_n", title="wedge 45 deg")
    axes.set_xlabel("downhill velocity after the impact (m/s)")
    axes.legend(loc="upper left", fontsize="small")
    return figure


METHODS = (
    ("events", "event-driven", "tab:blue"),
    ("steps", "fixed steps, 1 ms", "tab:orange"),
    ("coarse", "fixed steps, 10 ms", "tab:green"),
)


def plot_block_positions(result: Result) -> Any:
    """Return figure A.2: driven end U, block Z and their difference dZ, one row per method."""
    figure = new_figure(10, 7)
    for axes, (name, label, _) in zip(figure.subplots(3, 1, sharex=True, sharey=True), METHODS, strict=True):
        motion = result.tables[name]
        for values, word in (
            (motion["end"], "U"),
            (motion["position"] + motion["end"], "Z"),
            (motion["position"], "dZ"),
        ):
            axes.plot(motion["time"], 1e3 * values, linewidth=1.0, label=word)
        axes.set(ylabel="position (mm)", ylim=(-20.0, 29.0), title=label)
        axes.legend(loc="upper right", ncols=3, fontsize="small")
        axes.grid(alpha=0.3)
    axes.set_xlabel("time (s)")
    return figure


def plot_block(result: Result) -> Any:
    """Return figure A.3: velocity of the damper, one row per method; shaded where it sticks."""
    figure = new_figure(10, 7)
    for axes, (name, label, colour) in zip(figure.subplots(3, 1, sharex=True, sharey=True), METHODS, strict=True):
        motion, sticking = result.tables[name], result.tables[f"sticking_{name}"]
        axes.plot(motion["time"], motion["velocity"], color=colour, linewidth=1.0)
        for begin, end in zip(sticking["begin"], sticking["end"], strict=True):
            axes.axvspan(begin, end, color=colour, alpha=0.25)
        axes.set(ylabel="dVs (m/s)", title=f"{label}; sticks for {result.numbers[f'sticking_{name}']:.3f} s in all")
        axes.grid(alpha=0.3)
    axes.set_xlabel("time (s)")
    return figure
