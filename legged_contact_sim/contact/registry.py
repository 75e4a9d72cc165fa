"""The contact models by name: ours by their place in ``models/``, others by an entry point of their package.

A package brings a model by an entry point of the group `GROUP`: its name is the model's, its value the class
(``my_ground = "my_package.my_ground:MyGround"``). A model is imported when it is asked for, so that a broken one
troubles only who wants it.
"""

import pkgutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ..errors import ParameterError
from . import models
from .model import ContactModel
from .parameters import Parameters

GROUP = "legged_contact_sim.contact_models"


class Models(Mapping[str, type[ContactModel]]):
    """The contact models by name: names cost nothing, a class is imported when it is asked for."""

    def __getitem__(self, name: str) -> type[ContactModel]:
        """Return a model's class.

        Raises:
            KeyError: there is no such model.
            ParameterError: another package's model cannot be loaded, or is none; one line says whose and why.
        """
        if name in own_names():
            return _own_class(name)
        return _class_of(_found(tuple(sys.path))[name])

    def __iter__(self) -> Iterator[str]:
        return iter((*own_names(), *_found(tuple(sys.path))))

    def __len__(self) -> int:
        return len(own_names()) + len(_found(tuple(sys.path)))

    def __contains__(self, name: object) -> bool:
        return name in own_names() or name in _found(tuple(sys.path))

    def named(self, name: str) -> type[ContactModel]:
        """Return a model's class, or raise a ParameterError that lists the names there are."""
        if not isinstance(name, str) or name not in self:
            raise ParameterError(f"contact_model: expected one of {', '.join(self)}, found {name!r}")
        return self[name]

    def usable(self) -> dict[str, type[ContactModel]]:
        """Return all models that can be loaded; a warning names each that cannot."""
        loaded = {}
        for name in self:
            try:
                loaded[name] = self[name]
            except ParameterError as error:
                warnings.warn(str(error), stacklevel=2)
        return loaded


MODELS = Models()


def contact_models() -> dict[str, str]:
    """Return the names of the contact models with a line about each; of a broken one, what is wrong with it."""
    return {name: _summary(name) for name in MODELS}


@cache
def own_names() -> tuple[str, ...]:
    """Return the names of the models that come with this package: those of the files in ``models/``."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(models.__path__)))


def _own_class(name: str) -> type[ContactModel]:
    module = import_module(f".{name}", models.__name__)
    for item in vars(module).values():
        if isinstance(item, type) and issubclass(item, ContactModel) and vars(item).get("name") == name:
            return item
    raise ParameterError(f"contact_model: {module.__file__} has no ContactModel whose name is {name!r}")


@lru_cache(maxsize=4)
def _found(path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Return the entry points of other packages' models, as long as Python looks in the folders of ``path``."""
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        holder = "this package" if entry.name in own_names() else _owner(found.get(entry.name))
        if holder and holder != _owner(entry):
            warnings.warn(f"contact_model: {entry.name} of {_owner(entry)} is left out: {holder} has one", stacklevel=2)
        elif not holder:
            found[entry.name] = entry
    return found


def _class_of(entry: EntryPoint) -> type[ContactModel]:
    """Return the class that an entry point names, or raise a ParameterError with the reason in one line."""
    try:
        model = entry.load()
    except Exception as error:  # somebody else's module may raise anything
        raise _broken(entry, f"{type(error).__name__}: {error}") from error
    if not (isinstance(model, type) and issubclass(model, ContactModel)):
        raise _broken(entry, f"{entry.value} is no ContactModel")
    if getattr(model, "name", None) != entry.name:
        raise _broken(entry, f"{entry.value} calls itself {getattr(model, 'name', None)!r}")
    if not _has_parameters(model) or not isinstance(getattr(model, "summary", None), str):
        raise _broken(entry, f"{entry.value} lacks a summary or its Parameters")
    return model


def _has_parameters(model: Any) -> bool:
    own = getattr(model, "Parameters", None)
    return isinstance(own, type) and issubclass(own, Parameters) and is_dataclass(own)


def _broken(entry: EntryPoint, why: str) -> ParameterError:
    line = " ".join(why.split())
    return ParameterError(f"contact_model: {entry.name} of {_owner(entry)} cannot be used: {line}")


def _owner(entry: EntryPoint | None) -> str:
    if entry is None:
        return ""
    return entry.dist.name if entry.dist else entry.value


def _summary(name: str) -> str:
    try:
        return MODELS[name].summary
    except ParameterError as error:
        return str(error)
