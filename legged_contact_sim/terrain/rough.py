"""Rough ground: a height field whose nodes are drawn at random, the same for the same seed."""

import numpy as np

from .shapes import FAR, SMALLEST, HeightField, check_number

MOST_NODES = 1000  # along an edge


def rough(seed: int = 0, roughness: float = 0.05, cell_size: float = 0.2, size: float = 20.0) -> HeightField:
    """Return a square of random ground around the world's origin.

    Args:
        seed: Of the heights.
        roughness: Height between the lowest and the highest possible node, m; their mean is z = 0.
        cell_size: Distance between neighbouring nodes, m.
        size: Length of an edge, m; outside, the heights of the border go on.
    """
    seed = check_number("rough.seed", seed, 0, 2**63, "", int)
    half = 0.5 * check_number("rough.roughness", roughness, 0.0, FAR, "m")
    cell_size = check_number("rough.cell_size", cell_size, SMALLEST, FAR, "m")
    size = check_number("rough.size", size, cell_size, MOST_NODES * cell_size, "m")
    nodes = round(size / cell_size) + 1
    return HeightField(np.random.default_rng(seed).uniform(-half, half, (nodes, nodes)), cell_size)
