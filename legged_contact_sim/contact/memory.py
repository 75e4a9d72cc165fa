"""What a contact model remembers between steps: taken out of one model, put into another of the same kind."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .model import ContactModel

GIVEN = ("robot", "terrain", "parameters")  # what a model is made of, rather than what it remembers


class Memory(NamedTuple):
    """What a model holds: arrays by their place, numbers by their name, events."""

    arrays: dict[str, np.ndarray]
    first_places: dict[str, str]  # of every place the first one that holds the same array
    numbers: dict[str, Any]
    events: list[Any]


def remembered(model: "ContactModel") -> Memory:
    """Return what a model remembers, as copies."""
    arrays: dict[str, np.ndarray] = {}
    places: dict[int, str] = {}
    first_places: dict[str, str] = {}
    for name, value in _own(model).items():
        for place, array in _arrays_in(name, value):
            first_places[place] = places.setdefault(id(array), place)
            arrays[place] = array.copy()
    numbers = {name: value for name, value in _own(model).items() if isinstance(value, (int, float, str))}
    return Memory(arrays, first_places, numbers, list(model.events))


def recall(model: "ContactModel", memory: Memory) -> None:
    """Let a model remember what another one of the same class, robot, terrain and parameters did."""
    grown: dict[str, np.ndarray] = {}
    for name, value in _own(model).items():
        setattr(model, name, _recalled(name, value, memory, grown))
    vars(model).update(memory.numbers)
    model.events[:] = memory.events


def rebuilt(kind: type["ContactModel"], robot: Any, terrain: Any, parameters: Any, memory: Memory) -> Any:
    """Return a model that goes on where another one was (see `ContactModel.__reduce__`)."""
    model = kind(robot, terrain, parameters)
    recall(model, memory)
    return model


def _own(model: "ContactModel") -> dict[str, Any]:
    return {name: value for name, value in vars(model).items() if name not in GIVEN}


def _arrays_in(place: str, value: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays that can be written to in a value, alone or in (named) tuples, with their places."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        yield place, value
    elif isinstance(value, tuple):
        for k, part in enumerate(value):
            yield from _arrays_in(f"{place}.{k}", part)


def _recalled(place: str, value: Any, memory: Memory, grown: dict[str, np.ndarray]) -> Any:
    """Return a value with the numbers that are remembered; an array that had grown is replaced wherever it stands."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        array = memory.arrays[place]
        if array.shape != value.shape:
            return grown.setdefault(memory.first_places[place], array)
        value[...] = array
    elif isinstance(value, tuple):
        parts = [_recalled(f"{place}.{k}", part, memory, grown) for k, part in enumerate(value)]
        if any(new is not old for new, old in zip(parts, value, strict=True)):
            return value._make(parts) if hasattr(value, "_make") else tuple(parts)
    return value
