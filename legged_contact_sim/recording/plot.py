"""Pictures of a bag: joint positions, base pose, contact forces and the energy audit over simulated time."""

from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ParameterError
from .bag import completeness_of
from .contents import Contents, Series, read

STANCE = 98.0  # percent of a force's samples that are shown whole; what is beyond are touchdowns
STYLES = ("-", "--", ":")  # of lines, when colours run out


def draw(bag: Path, output: Path) -> None:
    """Draw a bag into a PNG file.

    Raises:
        ParameterError: there is no bag that can be read, or nothing in it to draw.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    contents = read(bag)
    if not (contents.joints.times or contents.base.times or contents.forces or contents.energy.times):
        raise ParameterError(f"{bag}: nothing in it can be drawn; expected joint_states, odom, wrenches or diagnostics")
    figure, axes = pyplot.subplots(3, 2, figsize=(18, 12), sharex=True, layout="constrained")
    _curves(axes[0, 0], contents.joints, "joint positions [rad, m]")
    _curves(axes[0, 1], contents.base, "base: position [m], angles [rad]")
    _forces(axes[1, 0], contents.forces, "vertical contact force [N]", vertical=True)
    _forces(axes[1, 1], contents.forces, "horizontal contact force [N]", vertical=False)
    _curves(axes[2, 0], contents.energy, "energies and works [J], less what they were at the beginning", changes=True)
    _remainder(axes[2, 1], contents.energy)
    for axis in axes[2]:
        axis.set_xlabel("simulated time [s]")
    figure.suptitle(title(bag, contents))
    figure.savefig(output, dpi=100)
    pyplot.close(figure)


def title(bag: Path, contents: Contents) -> str:
    """Return what is drawn: the bag's name, the robot, its contact model and friction, and how much is missing."""
    facts, lacks = contents.facts, completeness_of(bag)
    words = facts.get("robot", "")
    if "contact_model" in facts:
        words += f" under {facts['contact_model']}"
    if "friction" in facts:
        words += f", friction {float(facts['friction']):g}"
    lost = sum(int(count) for name, count in lacks.items() if name.endswith(" lost"))
    missing = f" ({lost} messages of this bag were lost)" if lost else ""
    return f"{bag.name}: {words}{missing}" if words else f"{bag.name}{missing}"


def _curves(axis: Any, series: Series, words: str, changes: bool = False) -> None:
    """Draw all columns of a series; ``changes``: since their first sample, so that no constant hides the rest."""
    _prepare(axis, words)
    columns = series.array()
    if changes and len(columns):
        columns = columns - columns[0]
    for label, column, look in zip(series.labels, columns.T, _looks(len(series.labels)), strict=True):
        axis.plot(series.times, column, label=label, linewidth=1.0, **look)
    _legend(axis)


def _forces(axis: Any, forces: dict[str, Series], words: str, vertical: bool) -> None:
    """Draw the forces at points that touch; the axis is made for stance, and what is beyond is told."""
    heights = {}
    for point, series in sorted(forces.items()):
        columns = series.array()
        if np.nanmax(np.abs(columns), initial=0.0) > 0.0:
            heights[point] = columns[:, 2] if vertical else np.hypot(columns[:, 0], columns[:, 1])
    for (point, height), look in zip(heights.items(), _looks(len(heights)), strict=True):
        axis.plot(forces[point].times, height, label=point, linewidth=1.0, **look)
    peak, most = peak_and_stance(list(heights.values()))
    if peak > most:
        axis.set_ylim(min(0.0, *(float(np.nanmin(height)) for height in heights.values())), most)
        words += f"; touchdowns go up to {peak:.0f} N"
    _prepare(axis, words)
    _legend(axis)


def peak_and_stance(heights: list[np.ndarray]) -> tuple[float, float]:
    """Return the largest force, N, and how high an axis has to be for all but the sharpest touchdowns, N."""
    acting = np.concatenate([height[height > 0.0] for height in heights]) if heights else np.zeros(0)
    if not len(acting):
        return 0.0, 0.0
    peak, most = float(acting.max()), 1.2 * float(np.percentile(acting, STANCE))
    return peak, most if peak > 1.5 * most else peak


def _remainder(axis: Any, energy: Series) -> None:
    _prepare(axis, "energy that no work accounts for [J]")
    if energy.labels:
        axis.plot(energy.times, energy.array()[:, -1], color="black", linewidth=1.0)


def _prepare(axis: Any, words: str) -> None:
    axis.set_title(words)
    axis.grid(alpha=0.3)


def _looks(count: int) -> list[dict[str, Any]]:
    """Return a colour and a style for each of so many lines; no two lines have both in common up to sixty."""
    from matplotlib import color_sequences

    colors = color_sequences["tab10" if count <= 10 else "tab20"]
    looks = [{"color": color, "linestyle": style} for style in STYLES for color in colors]
    return [look for _, look in zip(range(count), cycle(looks), strict=False)]


def _legend(axis: Any) -> None:
    """Put the legend beside the curves, never over them."""
    if axis.lines:
        axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
