"""Where measurements go: JSON for machines and PNG for readers, in ``results/bench/`` (not under version control)."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from .timing import Timing

RESULTS = Path(__file__).resolve().parents[1] / "results" / "bench"


def write_json(name: str, content: Mapping[str, Any]) -> None:
    """Write what was measured to ``<name>.json``."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")


def save(figure: Any, name: str) -> None:
    """Write a figure to ``<name>.png``."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    figure.savefig(RESULTS / f"{name}.png", dpi=150, bbox_inches="tight")
    plt.close(figure)


def plot_growth(
    name: str,
    title: str,
    sizes: Sequence[int],
    curves: Mapping[str, Sequence[float | None]],
    unit: str = "bodies",
    power: int = 1,
) -> None:
    """Plot times over sizes, both logarithmic, with a line of the given slope through the first curve's last point."""
    figure, axes = plt.subplots(figsize=(6, 4.5))
    table = np.array(list(curves.values()), dtype=float)  # None becomes NaN: a gap
    for label, times in zip(curves, table):
        axes.loglog(sizes, times, "o-", label=label)
    last = table[0, -1]
    label = "linear" if power == 1 else f"power of {power}"
    axes.loglog(sizes, [last * (size / sizes[-1]) ** power for size in sizes], "k--", linewidth=0.8, label=label)
    axes.set(xlabel=unit, ylabel="µs", title=title)
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.xaxis.minorticks_off()
    axes.set_ylim(bottom=0.7 * np.nanmin(table))
    axes.grid(alpha=0.3)
    axes.legend()
    save(figure, name)


def plot_bars(
    name: str,
    title: str,
    groups: Sequence[str],
    bars: Mapping[str, Sequence[Timing | None]],
    scale: str = "linear",
) -> None:
    """Plot minimal times as horizontal bars, one group per task; None leaves a gap."""
    figure, axes = plt.subplots(figsize=(7, (0.4 + 0.1 * len(bars)) * len(groups) + 1.2))
    height, colours = 0.8 / len(bars), plt.get_cmap("tab10" if len(bars) <= 10 else "tab20")
    for k, (label, times) in enumerate(bars.items()):
        places = [row + (k - (len(bars) - 1) / 2) * height for row in range(len(groups))]
        axes.barh(places, [time.minimum if time else 0.0 for time in times], height, label=label, color=colours(k))
    axes.set_yticks(range(len(groups)), groups)
    axes.invert_yaxis()
    axes.set(xlabel="µs", title=title, xscale=scale)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    save(figure, name)
