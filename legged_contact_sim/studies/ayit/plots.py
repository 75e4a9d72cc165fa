"""The document's figures: three rows, left exact contact, right penalty, over the whole time."""

import re
from functools import partial
from typing import Any

from ..frame import Picture, Result
from ..frame.drawing import new_figure
from .runs import FEET

SIDES = (("exact", "exact contact"), ("penalty", "penalty"))
LEAST_RANGES = {"m": 0.02, "rad": 0.02, "N": 20.0}  # of an axis, by unit
EXPLANATION = "forces are means over 2 ms; under exact contact an impact's is its impulse over that time"


def shown_range(range_: tuple[float, float], least: float) -> tuple[float, float]:
    """Return the range of an axis, widened to a least one: what is below it is rounding, or too small to matter."""
    low, high = range_
    missing = max(0.0, least - (high - low))
    return low - 0.5 * missing, high + 0.5 * missing


def three_rows(names: tuple[str, ...], labels: tuple[str, ...], title: str, result: Result) -> Any:
    """Return a figure of 3 rows and 2 columns: exact contact left, penalty with tame gains right."""
    figure = new_figure(10, 7)
    figure.suptitle(title)
    axes = figure.subplots(3, 2, sharex=True)
    for column, (table, words) in enumerate(SIDES):
        series = result.tables[table]
        axes[0, column].set_title(words)
        for row, (name, label) in enumerate(zip(names, labels, strict=True)):
            one = axes[row, column]
            one.plot(series["time"], series[name], linewidth=0.8)
            one.set_ylabel(label)
            one.set_ylim(*shown_range(one.get_ylim(), LEAST_RANGES[label.split("(")[1].rstrip(")")]))
            one.grid(alpha=0.3)
        axes[2, column].set_xlabel("time (s)")
    return figure


def pictures(first: int, scene: str, words: str) -> tuple[Picture, ...]:
    """Return the six figures of a scenario, of which the document's first has the number 5.``first``."""
    base = partial(three_rows, ("x", "y", "z"), ("x (m)", "y (m)", "z (m)"), f"{words}: base position")
    turn = ("roll (rad)", "pitch (rad)", "yaw (rad)")
    found = [
        Picture(f"Fig. 5.{first}", f"fig_5_{first:02d}_{scene}_position", f"{words}: base position", base),
        Picture(
            f"Fig. 5.{first + 1}",
            f"fig_5_{first + 1:02d}_{scene}_attitude",
            f"{words}: roll, pitch and yaw of the base",
            partial(three_rows, ("roll", "pitch", "yaw"), turn, f"{words}: base attitude"),
        ),
    ]
    for k, foot in enumerate(FEET):
        number = first + 2 + k
        names = tuple(f"F{axis}_{foot}" for axis in "xyz")
        labels = ("Fx (N)", "Fy (N)", "Fz (N)")
        title = f"{words}: contact force of {foot}"
        found.append(
            Picture(
                f"Fig. 5.{number}",
                f"fig_5_{number:02d}_{scene}_{foot}",
                f"{title}; {EXPLANATION}",
                partial(three_rows, names, labels, title),
            )
        )
    return tuple(found)


def draw_stiff(result: Result) -> Any:
    """Return height and vertical force in all scenarios, a row each, with both stiff gains of penalty."""
    figure = new_figure(10, 10)
    figure.suptitle("penalty with stiff gains and 3000 N s/m")
    scenes = [name.removeprefix("stiff_") for name in result.tables if name.startswith("stiff_")]
    for (height, force), scene in zip(figure.subplots(len(scenes), 2, sharex=True), scenes, strict=True):
        for gains, words in (("stiffer", "1e8 N/m"), ("stiff", "6e7 N/m")):
            series = result.tables[f"{gains}_{scene}"]
            style = {"color": "tab:blue" if gains == "stiff" else "tab:orange", "linewidth": 1.0, "label": words}
            height.plot(series["time"], series["z"], **style)
            force.plot(series["time"], 1e-3 * sum(series[f"Fz_{foot}"] for foot in FEET), **style)
        title = re.sub(r"(\d)_(\d)", r"\1.\2", scene).replace("_", " ")
        height.set_ylabel(f"{title}: z (m)")
        force.set_ylabel("sum of Fz (kN)")
        force.set_yscale("symlog", linthresh=1.0)
        height.grid(alpha=0.3)
        force.grid(alpha=0.3)
    for axes in figure.axes[-2:]:
        axes.set_xlabel("time (s)")
    figure.axes[0].legend(loc="upper left")
    return figure
