"""What a contact model remembers between steps: taken out of one model, put into another of the same kind."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .model import ContactModel

GIVEN = ("robot", "terrain", "parameters")  # what a model is made of, rather than what it remembers


def remembered(model: "ContactModel") -> dict[str, Any]:
    """Return the arrays and numbers that a model holds, and its events."""
    arrays = {path: array.copy() for path, array in _arrays(model)}
    own = vars(model).items()
    numbers = {name: value for name, value in own if name not in GIVEN and isinstance(value, (int, float, str))}
    return {"arrays": arrays, "numbers": numbers, "events": list(model.events)}


def recall(model: "ContactModel", memory: dict[str, Any]) -> None:
    """Let a model remember what another one of the same class, robot, terrain and parameters did."""
    for path, array in _arrays(model):
        array[...] = memory["arrays"][path]
    vars(model).update(memory["numbers"])
    model.events[:] = memory["events"]


def rebuilt(kind: type["ContactModel"], robot: Any, terrain: Any, parameters: Any, memory: dict[str, Any]) -> Any:
    """Return a model that goes on where another one was (see `ContactModel.__reduce__`)."""
    model = kind(robot, terrain, parameters)
    recall(model, memory)
    return model


def _arrays(model: "ContactModel") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays that a model may write to, with where they are."""
    for name, value in vars(model).items():
        if name not in GIVEN:
            yield from _arrays_in(name, value)


def _arrays_in(path: str, value: Any) -> Iterator[tuple[str, np.ndarray]]:
    if isinstance(value, np.ndarray) and value.flags.writeable:
        yield path, value
    elif isinstance(value, tuple):
        for k, part in enumerate(value):
            yield from _arrays_in(f"{path}.{k}", part)
