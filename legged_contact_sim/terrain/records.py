"""The record by which kernels know the ground: one type for every terrain, so that one compilation serves all."""

import numpy as np

# Kinds of ground. The first three are profiles: the same in every vertical plane along the heading.
INCLINE, STEPS, GROOVE, HEIGHT_FIELD = 0, 1, 2, 3

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
    ]
)
