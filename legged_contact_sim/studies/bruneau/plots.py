"""The document's figures: the drop's force, the forces of the sliding test, the ratio and the velocity."""

from typing import Any

import numpy as np

from ..frame import Result
from ..frame.drawing import new_figure, stacked
from .runs import WEIGHT, pull, ratio


def draw_drop(result: Result) -> Any:
    """Return figure 13: total normal force of the drop, the whole and its foot."""
    figure, (whole, foot) = stacked(2, "Bruneau: biped dropped from 0.3 m")
    series = result.tables["drop"]
    for axes in (whole, foot):
        axes.plot(series["time"], series["normal"], linewidth=1.0)
        axes.axhline(1.1 * WEIGHT, color="grey", linestyle="--", label="110 % of the weight")
        axes.set_ylabel("normal force (N)")
        axes.axvline(result.numbers["settles_at"], color="tab:red", linewidth=0.8, label="110 % reached")
    foot.set_ylim(0.0, 5.0 * WEIGHT)
    whole.legend()
    whole.set_xlim(0.2, 0.5)
    return figure


def draw_sliding(result: Result) -> Any:
    """Return figure 18: normal, tangential and pulling force."""
    figure, (forces,) = stacked(1, "Bruneau: both ankles pulled")
    series = result.tables["sliding"]
    forces.plot(series["time"], series["normal_left"] + series["normal_right"], label="normal")
    forces.plot(series["time"], -(series["tangential_left"] + series["tangential_right"]), label="tangential, negative")
    forces.plot(series["time"], pull(series["time"]), "--", label="pull")
    mark(forces, result)
    forces.set(ylabel="force (N)", ylim=(-50.0, 1150.0))
    forces.legend(loc="upper right", ncols=4, fontsize="small")
    return figure


def draw_ratio(result: Result) -> Any:
    """Return figure 20: ratio of the forces and velocity of the feet."""
    figure, (force, velocity) = stacked(2, "Bruneau: force ratio and sliding velocity")
    series = result.tables["sliding"]
    force.plot(series["time"], ratio(dict(series)))
    for value, style, words in ((0.7, "--", "static friction"), (0.4, ":", "dynamic friction")):
        force.axhline(value, color="grey", linestyle=style, label=words)
    force.set_ylabel("tangential over normal")
    velocity.plot(series["time"], series["velocity"])
    velocity.set_ylabel("velocity of the soles (m/s)")
    for axes in (force, velocity):
        mark(axes, result)
    force.set_ylim(-0.02, 0.92)
    force.legend(loc="upper right", ncols=3, fontsize="small")
    return figure


def draw_points(result: Result) -> Any:
    """Return figure 19: forces of the testing points of the front foot in six phases."""
    figure = new_figure(10, 6)
    table = result.tables["points"]
    for k, axes in enumerate(figure.subplots(2, 3, sharex=True, sharey=True).flat):
        chosen = table["phase"] == k
        zero = np.zeros(int(chosen.sum()))
        axes.quiver(
            table["x"][chosen], zero, table["tangential"][chosen], table["normal"][chosen],
            angles="xy", scale_units="xy", scale=3000.0, width=0.004,
        )  # fmt: skip
        axes.set_title(f"({'abcdef'[k]}) {float(table['time'][chosen][0]):.3f} s", fontsize=10)
        axes.set(xlim=(-0.12, 0.26), ylim=(-0.01, 0.05))
        if k > 2:
            axes.set_xlabel("along the sole (m)")
        axes.axhline(0.0, color="grey")
        axes.set_yticks([])
    figure.suptitle("Forces of the left foot's testing points, 3 kN per m")
    return figure


def mark(axes: Any, result: Result) -> None:
    """Mark breakaway and the end of sliding."""
    for name, words in (("breakaway", "breakaway and end of sliding"), ("sticks_at", None)):
        axes.axvline(result.numbers[name], color="tab:red", linewidth=0.8, label=words)
