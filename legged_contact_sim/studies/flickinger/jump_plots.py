"""Figures 6.1 to 6.13 of the document: capability field, stance over capability, and both jumps."""

from typing import Any

import numpy as np

from ..frame import Result
from ..frame.drawing import legend_below, new_figure

NAMES = {"guess": "initial guess", "optimised": "optimised"}
JOINTS = ("coxa", "femur", "tibia")


def draw_field(result: Result) -> Any:
    """Return figure 6.1: capability over femur and tibia."""
    figure = new_figure(7, 5.2)
    axes, table, side = figure.subplots(), result.tables["field"], int(result.numbers["side"])
    shape = (side, side)
    shown = np.ma.masked_less_equal(table["capability"].reshape(shape), 0.0)
    mesh = axes.pcolormesh(
        table["femur"].reshape(shape), table["tibia"].reshape(shape), shown, cmap="Reds", shading="nearest"
    )
    figure.colorbar(mesh, ax=axes, label="acceleration capability (m/s^2)")
    axes.plot(0.09, -0.61, "k+", markersize=10, label="initial guess")
    axes.set(xlabel="femur q8 (rad)", ylabel="tibia q9 (rad)", title="Capability along (-1, 0, 1); coxa at 0")
    axes.legend(loc="lower right")
    return figure


def draw_sampling(result: Result) -> Any:
    """Return figure 6.2: which of the sampled configurations jump, and which of those after a stance."""
    figure = new_figure(7, 5.2)
    axes, table = figure.subplots(), result.tables["stances"]
    for kept, style, words in ((False, "x", "jumped, no stance"), (True, "o", "filtered: jumped after a stance")):
        chosen = (table["filtered"] > 0) == kept
        axes.plot(table["femur"][chosen], table["tibia"][chosen], style, markersize=5, label=words)
    axes.set(xlabel="femur q8 (rad)", ylabel="tibia q9 (rad)", title="Sampled configurations")
    axes.grid(alpha=0.3)
    legend_below(axes)
    return figure


def draw_stances(result: Result) -> Any:
    """Return figure 6.4: the configurations that jumped; colour is the stance, size the capability."""
    figure = new_figure(7, 5.2)
    axes, table = figure.subplots(), result.tables["stances"]
    size = 5.0 + 120.0 * table["capability"] / table["capability"].max()
    dots = axes.scatter(table["femur"], table["tibia"], size, 1e3 * table["stance"], cmap="viridis", alpha=0.8)
    figure.colorbar(dots, ax=axes, label="stance (ms)")
    axes.set(xlabel="femur q8 (rad)", ylabel="tibia q9 (rad)", title="Configurations that jumped; size: capability")
    return figure


def draw_stance(result: Result) -> Any:
    """Return figure 6.3: stance over capability."""
    figure = new_figure(7, 4.5)
    axes, table = figure.subplots(), result.tables["stances"]
    kept = table["filtered"] > 0
    axes.plot(table["capability"][kept], 1e3 * table["stance"][kept], "o", markersize=4)
    words = f"{kept.sum()} configurations; rank correlation {result.numbers['rank_correlation']:.2f}"
    axes.set(xlabel="acceleration capability (m/s^2)", ylabel="stance (ms)", title=f"Stance before the jump: {words}")
    axes.grid(alpha=0.3)
    return figure


def draw_error(result: Result) -> Any:
    """Return figure 6.5: distance of the body from the goal."""
    figure = new_figure(7, 4)
    axes = figure.subplots()
    for name, words in NAMES.items():
        axes.plot(result.tables[name]["time"], result.tables[name]["error"], label=words)
    axes.set(xlabel="time (s)", ylabel="distance from the goal (m)", title="Absolute position error")
    axes.legend()
    axes.grid(alpha=0.3)
    return figure


def draw_pose(name: str, result: Result) -> Any:
    """Return figure 6.6 or 6.7: the leg in its first configuration, from the side and from the front."""
    figure = new_figure(8, 4.2)
    table = result.tables[f"pose_{name}"]
    for axes, across in zip(figure.subplots(1, 2, sharey=True), "xy", strict=True):
        axes.axhline(0.0, color="0.6", linewidth=0.8)
        axes.plot(1e3 * table[across], 1e3 * table["z"], "o-", linewidth=2.0, markersize=5)
        axes.plot(1e3 * table[across][0], 1e3 * table["z"][0], "s", color="black", markersize=9, label="body")
        axes.set(xlabel=f"{across} (mm)", aspect="equal", xlim=(-130.0, 130.0), ylim=(-15.0, 195.0))
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("z (mm)")
    figure.axes[0].legend(loc="upper left")
    figure.suptitle(f"First configuration, {NAMES[name]}: from the side and from the front")
    return figure


def draw_forces(name: str, result: Result) -> Any:
    """Return figure 6.8 or 6.11: contact forces and motor torques."""
    figure = new_figure(10, 4)
    force, torque = figure.subplots(1, 2)
    table = result.tables[name]
    for axis in "xyz":
        force.plot(table["time"], table[f"force_{axis}"], linewidth=0.9, label=f"F{axis}")
    for joint, wide in zip(JOINTS, (3.5, 2.0, 0.9), strict=True):  # all show where they agree
        torque.plot(table["time"], table[f"torque_{joint}"], linewidth=wide, label=joint)
    force.set(xlabel="time (s)", ylabel="contact force (N)", xlim=(0.0, 0.02))
    torque.set(xlabel="time (s)", ylabel="torque (N m)", xlim=(0.0, 0.02))
    for axes in (force, torque):
        legend_below(axes)
        axes.grid(alpha=0.3)
    figure.suptitle(f"Jump, {NAMES[name]} configuration: the first 0.02 s")
    return figure


def draw_angles(name: str, result: Result) -> Any:
    """Return figure 6.9 or 6.12: motor angles, and heights of body and foot."""
    figure = new_figure(10, 4)
    angles, heights = figure.subplots(1, 2)
    table = result.tables[name]
    for joint in JOINTS:
        angles.plot(table["time"], table[f"angle_{joint}"], linewidth=0.9, label=joint)
    heights.plot(table["time"], 1e3 * table["z"], label="body")
    heights.plot(table["time"], 1e3 * table["tip"], label="foot")
    angles.set(xlabel="time (s)", ylabel="angle (rad)")
    heights.set(xlabel="time (s)", ylabel="height (mm)")
    for axes in (angles, heights):
        legend_below(axes)
        axes.grid(alpha=0.3)
    figure.suptitle(f"Jump, {NAMES[name]} configuration")
    return figure


def draw_path(name: str, result: Result) -> Any:
    """Return figure 6.10 or 6.13: the body's way in the plane of the jump."""
    figure = new_figure(6, 4.5)
    axes, table = figure.subplots(), result.tables[name]
    axes.plot(1e3 * table["x"], 1e3 * table["z"])
    reach = 1e3 * max(float(np.ptp(table["z"])), 1e-3)
    start = 1e3 * table["x"][0], 1e3 * table["z"][0]
    axes.plot((start[0], start[0] - reach), (start[1], start[1] + reach), "--", color="grey", label="desired direction")
    axes.set(xlabel="x (mm)", ylabel="z (mm)", title=f"Body's way, {NAMES[name]} configuration", aspect="equal")
    axes.legend()
    axes.grid(alpha=0.3)
    return figure
