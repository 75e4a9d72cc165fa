"""Figures 2 and 14 to 16 of the document: the ground reaction of a support, its centre of pressure, six poses."""

from typing import Any

import numpy as np

from ..frame import Result
from ..frame.drawing import new_figure, stacked
from .runs import WEIGHT, pull

ANKLES = 3, 4  # lines of `CHAINS` that begin at an ankle: the feet
FORCE_SCALE = 2000.0  # N drawn as 1 m
TITLES = ("heel touches", "flat: 16(e)", "middle of support: 16(f)", "end of single support: 16(a, b)",
          "double support: 16(c)", "lift-off: 16(d)")  # fmt: skip


def draw_tangential(result: Result) -> Any:
    """Return figure 14: tangential force of a support."""
    return draw_force(result, "tangential", "tangential force (N)", False)


def draw_normal(result: Result) -> Any:
    """Return figure 15: normal force of a support."""
    return draw_force(result, "normal", "normal force (N)", True)


def draw_force(result: Result, column: str, label: str, weight: bool) -> Any:
    """Return a figure of one force over a support."""
    figure, (axes,) = stacked(1, f"Bruneau: {label[:-4]} of a foot, walking at {result.numbers['speed']:.2f} m/s")
    series = result.tables["support"]
    axes.plot(series["time"], series[column], label="this foot")
    if weight:
        axes.plot(series["time"], series["other_normal"], "--", color="tab:grey", label="the other foot")
        axes.axhline(WEIGHT, color="tab:red", linewidth=0.8, label="weight")
        axes.legend()
    axes.set(ylabel=label, xlabel="time since the heel touched (s)")
    return figure


def draw_center(result: Result) -> Any:
    """Return the way of the centre of pressure along the sole, as in figure 2."""
    figure, (axes,) = stacked(1, "Bruneau: centre of pressure over a support")
    series = result.tables["support"]
    loaded = series["normal"] > 0.05 * WEIGHT
    axes.plot(series["time"][loaded], 1e3 * series["center"][loaded])
    axes.set(ylabel="from the heel (mm)", xlabel="time since the heel touched (s)")
    return figure


def draw_biped(axes: Any, lines: Any, pose: np.ndarray) -> None:
    """Draw the lines of the biped in one pose on the ground, and the middle of the picture over it."""
    for line in np.unique(lines["line"][pose]):
        part = pose & (lines["line"] == line)
        axes.plot(lines["x"][part], lines["z"][part], color="black", linewidth=1.2)
    middle = float(np.mean(lines["x"][pose]))
    axes.axhline(0.0, color="grey", linewidth=0.8)
    axes.set(xlim=(middle - 0.75, middle + 0.75), ylim=(-0.1, 1.8), aspect="equal", xlabel="x (m)")


def draw_pull(result: Result) -> Any:
    """Return figure 17: the biped with spread legs as it breaks away, and the pull on each ankle."""
    figure = new_figure(5, 6)
    axes, lines = figure.subplots(), result.tables["pose"]
    draw_biped(axes, lines, np.ones(len(lines["x"]), dtype=bool))
    force = 0.5 * float(pull(lines["time"][:1])[0])
    for line in ANKLES:
        k = int(np.argmax(lines["line"] == line))
        axes.annotate(
            "", (lines["x"][k] + force / FORCE_SCALE, lines["z"][k]), (lines["x"][k], lines["z"][k]),
            arrowprops={"arrowstyle": "->", "color": "tab:red", "linewidth": 1.5},
        )  # fmt: skip
    axes.set(ylabel="z (m)", title=f"Bruneau: each ankle pulled by {force:.0f} N, {lines['time'][0]:.3f} s")
    return figure


def draw_poses(result: Result) -> Any:
    """Return figure 16: six poses of the walk with the forces of the testing points."""
    figure = new_figure(10, 8.5)
    lines, points = result.tables["poses"], result.tables["points"]
    for k, axes in enumerate(figure.subplots(2, 3, sharey=True).flat):
        pose, feet = lines["picture"] == k, points["picture"] == k
        draw_biped(axes, lines, pose)
        draw_forces(axes, points, feet)
        axes.set_title(f"{TITLES[k]}, {float(lines['time'][pose][0]):.2f} s", fontsize=9)
        if k % 3 == 0:
            axes.set_ylabel("z (m)")
    figure.suptitle("Bruneau: walking; forces of the testing points, 2 kN per m")
    return figure


def draw_feet(result: Result) -> Any:
    """Return figure 16(b) for all six poses: the foot of figures 14 and 15, from near."""
    figure = new_figure(10, 7)
    lines, points = result.tables["poses"], result.tables["points"]
    for k, axes in enumerate(figure.subplots(2, 3, sharey=True).flat):
        pose, feet = lines["picture"] == k, points["picture"] == k
        draw_biped(axes, lines, pose)
        draw_forces(axes, points, feet)
        middle = float(points["x"][feet][len(points["x"][feet]) // 2 :].mean())  # rows of the right foot are the last
        axes.set(xlim=(middle - 0.2, middle + 0.2), ylim=(-0.05, 0.28))
        axes.set_title(f"{TITLES[k]}, {float(lines['time'][pose][0]):.2f} s", fontsize=9)
        if k % 3 == 0:
            axes.set_ylabel("z (m)")
    figure.suptitle("Bruneau: walking; forces of the testing points, 2 kN per m")
    return figure


def draw_forces(axes: Any, points: Any, feet: np.ndarray) -> None:
    """Draw the forces of the testing points in one pose."""
    axes.quiver(
        points["x"][feet], points["z"][feet], points["tangential"][feet], points["normal"][feet],
        angles="xy", scale_units="xy", scale=FORCE_SCALE, width=0.004, color="tab:red",
    )  # fmt: skip
