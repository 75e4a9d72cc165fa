"""Legends where they cover nothing."""

from typing import Any


def legend_below(axes: Any) -> None:
    """Put the legend of some axes in a row below them."""
    entries = len(axes.get_legend_handles_labels()[1])
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=entries, fontsize="small", frameon=False)


def legend_beside(axes: Any) -> None:
    """Put the legend of some axes to the right of them."""
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
