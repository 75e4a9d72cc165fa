"""A simulator for legged robots in which the contact model is a parameter and every force can be audited."""

import importlib
from typing import TYPE_CHECKING, Any

from .gym.registration import register_when_imported

if TYPE_CHECKING:
    from .contact import contact_models
    from .errors import LeggedContactSimError, ModelError, ParameterError, SimulationError
    from .model import RobotModel, robots
    from .simulation import Simulator, rollout

    __version__: str

__all__ = [
    "LeggedContactSimError",
    "ModelError",
    "ParameterError",
    "RobotModel",
    "SimulationError",
    "Simulator",
    "contact_models",
    "robots",
    "rollout",
]

# Names are imported when they are asked for: `programs` have to begin before numba loads, which takes a second.
_HOMES = {name: "errors" for name in __all__ if name.endswith("Error")}
_HOMES |= {
    "RobotModel": "model",
    "robots": "model",
    "Simulator": "simulation",
    "rollout": "simulation",
    "contact_models": "contact",
}
_FOLDERS = ("actuation", "compare", "contact", "control", "dynamics", "model", "sensing", "simulation", "terrain")


def __getattr__(name: str) -> Any:
    """Import a name of the public interface, or a folder of the library, when it is first asked for.

    The folder `compare` can be called: it is its own function.
    """
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version(__name__)
    if name in _FOLDERS:
        return importlib.import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    """Return the public interface."""
    return [*__all__, *_FOLDERS, "__version__"]


register_when_imported()
