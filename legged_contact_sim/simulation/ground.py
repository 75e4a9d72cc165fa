"""The ground's friction and restitution: what was asked for and what is in force, whichever contact model acts."""

from collections.abc import Mapping
from typing import Any

from ..contact import ContactModel
from ..contact.parameters import GROUND


class Ground:
    """Friction and restitution that stay when the contact model changes."""

    def __init__(self) -> None:
        """Begin without any: the first contact model's defaults will be in force."""
        self._in_force: dict[str, float] = {}
        self._chosen: set[str] = set()

    def parameters(self, model: type[ContactModel], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a model's parameters: as given, and of the ground what is in force.

        A model that does not know one of them gets it only where the user asked for it, so that it can say so.
        """
        known = {*self._chosen, *model.parameter_names()}
        return {name: value for name, value in self._in_force.items() if name in known} | dict(given)

    def take(self, model: ContactModel, given: Mapping[str, Any]) -> None:
        """Note what is in force under a new model, and what was asked for."""
        self._chosen |= given.keys() & set(GROUND)
        for name in GROUND:
            if name in model.parameter_names():
                self._in_force[name] = getattr(model.parameters, name)
            elif name in given:
                self._in_force[name] = given[name]
