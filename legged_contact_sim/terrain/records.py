"""The record by which kernels know the ground: one type for every terrain, so that one compilation serves all."""

import numpy as np

# Kinds of ground. The first three are profiles: the same in every vertical plane along the heading.
INCLINE, STEPS, GROOVE, HEIGHT_FIELD = 0, 1, 2, 3
# How it moves: not at all, along itself, or about a horizontal line through the origin.
AT_REST, BELT, TILTING = 0, 1, 2

TERRAIN = np.dtype(
    [
        ("kind", "i8"),  # INCLINE, STEPS, GROOVE or HEIGHT_FIELD
        ("heading", "f8", 2),  # cosine and sine of the azimuth along which the profile runs
        ("tilt", "f8", 2),  # INCLINE, GROOVE: cosine and sine of the angle to the horizontal
        ("height", "f8"),  # INCLINE: of the surface above the origin, m
        ("start", "f8"),  # STEPS: from the origin to the first riser along the heading, m
        ("run", "f8"),  # STEPS: depth of a tread, m
        ("rise", "f8"),  # STEPS: height of a riser, m
        ("count", "i8"),  # STEPS: number of risers
        ("origin", "f8", 2),  # HEIGHT_FIELD: x and y of the node heights[0, 0], m
        ("cell_size", "f8"),  # HEIGHT_FIELD: distance between neighbouring nodes, m
        ("motion", "i8"),  # AT_REST, BELT or TILTING
        ("velocity", "f8", 3),  # BELT: of the surface, world axes, m/s
        ("angle", "f8"),  # TILTING: to the horizontal at the start of the step, rad
        ("speed", "f8"),  # TILTING: rad/s, until it is at its stop
        ("stop", "f8"),  # TILTING: the angle at which it stays, rad
        ("rate", "f8"),  # TILTING: at which it tilts in the present step, rad/s
    ]
)
