"""The study's figures: contact force over a cycle, prox iterations over alpha, time per step; and the fall."""

from typing import Any

import numpy as np

from ..frame import Result
from ..frame.drawing import new_figure
from .runs import CYCLE, HARD_ROWS, TABLE
from .shares import PARTS

DASHES = ("-", "--", "-.", ":")


def one_figure(width: float = 8.0, height: float = 4.8) -> tuple[Any, Any]:
    """Return a figure with one pair of axes."""
    figure = new_figure(width, height)
    axes = figure.subplots()
    axes.grid(alpha=0.3)
    return figure, axes


def draw_forces(result: Result) -> Any:
    """Return figure 5: normal force of the left fore foot over one cycle."""
    figure, axes = one_figure()
    series = result.tables["cycle"]
    for (name, label), style in zip(
        (("Cm", "compliant"), ("damped", "compliant, 10 x damping"), ("hard", "hard, Λ/Δt")), DASHES, strict=False
    ):
        axes.plot(series["time"], series[name], style, label=label, linewidth=1.0)
    axes.set(xlabel="time in the cycle (s)", ylabel="normal force of the left fore foot (N)", xlim=(0.0, CYCLE))
    axes.set_ylim(0.0, 1.1 * float(max(series[name].max() for name in ("Cm", "damped", "hard"))))
    axes.legend()
    return figure


def draw_alpha(result: Result) -> Any:
    """Return figure 6: mean prox iterations over alpha, ten curves; each ends where it stops converging."""
    figure, axes = one_figure()
    table = result.tables["iterations"]
    colours = {kind: f"C{k}" for k, kind in enumerate(("m", "ED", "EP", "MD", "MP"))}
    for name in sorted(HARD_ROWS, key=lambda name: name[2]):  # JOR wide and pale below SOR: both show where they agree
        colour, jor = colours[name[1] + name[3:]], name[2] == "J"
        style = {"linewidth": 3.5, "alpha": 0.4} if jor else {"linewidth": 1.2, "linestyle": "--"}
        (line,) = axes.semilogy(table["alpha"], table[name], color=colour, label=name, **style)
        chosen = TABLE[name].parameters["alpha"]
        place = np.interp(chosen, table["alpha"], table[name])
        axes.plot(chosen, place, "o", color=line.get_color(), markersize=4)
    ticks = (10, 20, 50, 100, 200)
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set(xlabel="relaxation α (dot: the study's choice)", ylabel="mean prox iterations of a step")
    axes.legend(ncols=2, fontsize=8)
    return figure


def draw_table(result: Result) -> Any:
    """Return Table 1 as a picture: what was published beside ours, and the mean iterations of a step."""
    figure = new_figure(10, 4)
    axes, numbers = figure.subplots(), result.numbers
    axes.axis("off")
    header = (
        "",
        "alpha",
        "evaluations/s,\npublished",
        "ours",
        "real-time factor,\npublished",
        "ours",
        "prox iterations",
    )
    rows = [
        (
            name,
            f"{row.parameters['alpha']:g}" if name in HARD_ROWS else "-",
            f"{row.evaluations:g}",
            f"{round(numbers[f'{name}_evaluations'], -2):.0f}",
            f"{row.factor:.1f}",
            f"{numbers[f'{name}_factor']:.1f}",
            f"{numbers[f'{name}_iterations']:.1f}" if name in HARD_ROWS else "-",
        )
        for name, row in TABLE.items()
    ]
    cells = axes.table(rows, colLabels=header, loc="center", cellLoc="center")
    cells.auto_set_font_size(False)
    cells.scale(1.0, 1.3)
    for (row, _), cell in cells.get_celld().items():
        cell.set_edgecolor("0.8")
        if row == 0:
            cell.set_height(2.0 * cell.get_height())
    return figure


def draw_times(result: Result) -> Any:
    """Return figure 7: CPU time of a step with its deviation over the cycles, and what it goes into."""
    figure = new_figure(14, 4.5)
    whole, parts = figure.subplots(1, 2)
    names = list(TABLE)
    means = np.array([result.numbers[f"{name}_microseconds"] for name in names])
    spread = [result.numbers[f"{name}_deviation"] for name in names]
    places = np.arange(len(names))
    whole.bar(places - 0.2, [1e6 / TABLE[name].evaluations for name in names], 0.4, color="0.7", label="published")
    whole.bar(places + 0.2, means, 0.4, yerr=spread, capsize=3, label="ours")
    whole.set_yscale("log")
    whole.set_ylabel("time of a step (us)")
    below = np.zeros(len(names))
    for part, label in PARTS.items():
        share = np.array([result.numbers[f"{name}_{part}_microseconds"] for name in names]) / means
        parts.bar(places, 100.0 * share, 0.6, bottom=below, label=label)
        below += 100.0 * share
    parts.set(ylabel="part of our step (%)", ylim=(0.0, 125.0), yticks=range(0, 101, 20))
    for axes in (whole, parts):
        axes.set_xticks(places, names)
        axes.grid(alpha=0.3, axis="y")
    whole.legend()
    parts.legend(loc="upper center", ncols=2, fontsize=8)
    return figure


def draw_fall(result: Result) -> Any:
    """Return the fall after a push: height and tilt of the trunk, number of closed contacts."""
    figure = new_figure(8, 6)
    height, tilt, count = figure.subplots(3, 1, sharex=True)
    series = result.tables["fall"]
    height.plot(series["time"], series["z"])
    height.set_ylabel("height of the trunk (m)")
    tilt.plot(series["time"], series["tilt"])
    tilt.set_ylabel("tilt of the trunk (deg)")
    count.plot(series["time"], series["contacts"], drawstyle="steps")
    count.set(xlabel="time (s)", ylabel="closed contacts")
    for axes in (height, tilt, count):
        axes.grid(alpha=0.3)
    return figure
