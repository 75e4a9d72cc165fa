"""Terrains by name: what a mapping of parameters, a file or a command line asks for."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ParameterError
from .moving import TiltingPlate, Treadmill
from .rough import rough
from .shapes import Groove, HeightField, Plane, Slope, Steps, Terrain

TERRAINS: dict[str, Callable[..., Terrain]] = {
    "plane": Plane,
    "slope": Slope,
    "steps": Steps,
    "groove": Groove,
    "height_field": HeightField,
    "rough": rough,
    "treadmill": Treadmill,
    "tilting_plate": TiltingPlate,
}


def make_terrain(spec: str | Mapping[str, Any] | Terrain) -> Terrain:
    """Return a terrain from its name, from a mapping such as ``{"kind": "slope", "angle": 0.3}``, or as it is.

    A height field's mapping holds either ``array`` or ``path`` and ``height_range`` (of a PNG file), and ``cell_size``.

    Raises:
        ParameterError: If the name is unknown, or an argument is unknown, missing or out of range.
    """
    if isinstance(spec, Terrain):
        return spec
    arguments = {"kind": spec} if isinstance(spec, str) else dict(spec) if isinstance(spec, Mapping) else {}
    kind = arguments.pop("kind", None)
    if not isinstance(kind, str) or kind not in TERRAINS:
        found = spec if kind is None else kind
        raise ParameterError(f"terrain {found!r}; expected a terrain, or one of these kinds: {', '.join(TERRAINS)}")
    maker = TERRAINS[kind]
    if maker is HeightField and "path" in arguments:
        maker = HeightField.from_png
    parameters = inspect.signature(maker).parameters
    for name in arguments:
        if name not in parameters:
            raise ParameterError(f"terrain {kind!r} has no parameter {name!r}; expected {', '.join(parameters)}")
    missing = [name for name, p in parameters.items() if p.default is p.empty and name not in arguments]
    if missing:
        raise ParameterError(f"terrain {kind!r} needs {', '.join(missing)}")
    return maker(**arguments)
