"""Figures that all studies draw alike, and legends where they cover nothing."""

from typing import Any


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure, sizes in inches."""
    from matplotlib.figure import Figure  # takes a while to import: only where something is drawn

    return Figure(figsize=(width, height), layout="constrained")


def stacked(rows: int, title: str) -> tuple[Any, Any]:
    """Return a figure with some axes above one another over the same time, and the axes."""
    figure = new_figure(8.0, 2.7 * rows)
    figure.suptitle(title)
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    for one in axes:
        one.grid(alpha=0.3)
    axes[-1].set_xlabel("time (s)")
    return figure, axes


def legend_below(axes: Any) -> None:
    """Put the legend of some axes in a row below them."""
    entries = len(axes.get_legend_handles_labels()[1])
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=entries, fontsize="small", frameon=False)


def legend_beside(axes: Any) -> None:
    """Put the legend of some axes to the right of them."""
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
