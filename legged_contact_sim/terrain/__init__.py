"""What the robot stands on: terrains for users, and for kernels ``surface`` over one record type for all of them."""

from .making import TERRAINS, make_terrain
from .moving import TiltingPlate, Treadmill
from .records import TERRAIN
from .shapes import Groove, HeightField, Plane, Slope, Steps, Terrain
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
    "TiltingPlate",
    "Treadmill",
    "make_terrain",
    "surface",
    "surface_height",
]
