"""A picture of a sweep: figures over the first number that varies, a colour for each value of something else."""

from pathlib import Path
from typing import Any

import numpy as np

from .points import Variation

SHOWN = (
    ("fell", "share that fell"),
    ("speed", "speed (m/s)"),
    ("largest_force", "largest force (weights)"),
    ("slip", "slip (m)"),
    ("penetration", "penetration (m)"),
)
MOST_COLOURS = 8
BINS = 10
LEAST = 1e-3  # m/s, weights or m; an axis shows at least so much


def draw(path: Path, table: Any, variations: list[Variation]) -> None:
    """Draw the means of the figures; with more values than fit, in ten bins."""
    from matplotlib.figure import Figure

    columns = table.to_pydict()
    numeric = [v.name for v in variations if all(isinstance(value, int | float) for value in columns[v.name])]
    across = numeric[0] if numeric else variations[0].name
    groups = [v.name for v in variations if v.name != across and 1 < len(set(columns[v.name])) <= MOST_COLOURS]
    by = columns[groups[0]] if groups else [""] * table.num_rows
    shown = [(name, words) for name, words in SHOWN if any(value is not None for value in columns.get(name, ()))]
    drawing = Figure(figsize=(8, 2.3 * max(len(shown), 1)), layout="constrained")
    places, labels = _places(columns[across])
    for axes, (name, words) in zip(drawing.subplots(len(shown), 1, squeeze=False)[:, 0], shown, strict=True):
        values = np.array([np.nan if value is None else float(value) for value in columns[name]])
        for group in sorted(dict.fromkeys(by), key=_in_order):
            inside = np.array([value == group for value in by]) & np.isfinite(values)
            x, y = _means(places[inside], values[inside])
            axes.plot(x, y, "o-", markersize=3, label=str(group))
        axes.set_ylabel(words, fontsize=8)
        axes.set_ylim(*_limits(name, values))
        axes.grid(alpha=0.3)
        if labels:
            axes.set_xticks(range(len(labels)), labels, fontsize=8)
    axes.set_xlabel(across)
    if groups:
        drawing.axes[0].legend(title=groups[0], fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    drawing.suptitle(f"{table.num_rows} runs: means over everything else that varies", fontsize=9)
    drawing.savefig(path, dpi=110)


def _in_order(value: Any) -> tuple[bool, Any]:
    """Return a key by which numbers stand in order, before words."""
    return (False, value) if isinstance(value, int | float) else (True, str(value))


def _limits(name: str, values: np.ndarray) -> tuple[float | None, float | None]:
    """Return the ends of a figure's axis, so that rounding does not look like a result; None: as drawn."""
    if name == "fell":
        return -0.03, 1.03
    most = np.nanmax(np.abs(values), initial=0.0)
    return (None, None) if most > LEAST else (-LEAST, LEAST)


def _places(values: list[Any]) -> tuple[np.ndarray, list[str]]:
    """Return where values stand on the axis, and labels if they are words."""
    if all(isinstance(value, int | float) for value in values):
        return np.array(values, dtype=float), []
    words = list(dict.fromkeys(map(str, values)))
    return np.array([words.index(str(value)) for value in values], dtype=float), words


def _means(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of y for each x; for many different x, in bins."""
    if len(np.unique(x)) > 2 * BINS:
        edges = np.linspace(x.min(), x.max(), BINS + 1)
        x = (0.5 * (edges[1:] + edges[:-1]))[np.clip(np.digitize(x, edges) - 1, 0, BINS - 1)]
    places = np.unique(x)
    return places, np.array([y[x == place].mean() for place in places])
