"""What the robot stands on: terrains for users, and for kernels ``surface`` over one record type for all of them."""

from .records import TERRAIN
from .shapes import TERRAINS, Groove, HeightField, Plane, Slope, Steps, Terrain, make_terrain
from .surface import surface, surface_height

__all__ = [
    "TERRAIN",
    "TERRAINS",
    "Groove",
    "HeightField",
    "Plane",
    "Slope",
    "Steps",
    "Terrain",
    "make_terrain",
    "surface",
    "surface_height",
]
