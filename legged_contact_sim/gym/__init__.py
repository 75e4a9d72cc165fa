"""Gymnasium environments: robots that learn to follow a commanded velocity, many worlds in one compiled call."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .curriculum import RoughLanes
    from .registration import register_environments
    from .task import Randomisation, VelocityTask
    from .velocity import VelocityEnv, VelocityVectorEnv

__all__ = ["Randomisation", "RoughLanes", "VelocityEnv", "VelocityTask", "VelocityVectorEnv", "register_environments"]

# Imported when they are asked for: the package itself imports `registration`, and must not load Gymnasium by that.
_HOMES = {
    "Randomisation": "task",
    "RoughLanes": "curriculum",
    "VelocityEnv": "velocity",
    "VelocityTask": "task",
    "VelocityVectorEnv": "velocity",
    "register_environments": "registration",
}


def __getattr__(name: str) -> Any:
    """Import a name of this folder when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
