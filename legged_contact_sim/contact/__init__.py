"""How feet meet the ground: detection, solvers, and one file per contact model behind one interface."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from .model import Commands, ContactModel, Event

CLASSES = {
    "exact_lcp": "ExactLcp",
    "moreau": "Moreau",
    "compliant": "Compliant",
    "penalty": "Penalty",
    "distributed": "Distributed",
    "hybrid": "Hybrid",
    "embedding": "Embedding",
}


class _Models(Mapping[str, type[ContactModel]]):
    """The contact models by name, each imported when it is asked for: together they take a quarter of a second."""

    def __getitem__(self, name: str) -> type[ContactModel]:
        model: type[ContactModel] = getattr(import_module(f".models.{name}", __package__), CLASSES[name])
        return model

    def __iter__(self) -> Iterator[str]:
        return iter(CLASSES)

    def __len__(self) -> int:
        return len(CLASSES)

    def __contains__(self, name: object) -> bool:
        return name in CLASSES


MODELS = _Models()


def contact_models() -> dict[str, str]:
    """Return the names of the contact models with a line about each."""
    return {name: model.summary for name, model in MODELS.items()}


__all__ = ["MODELS", "Commands", "ContactModel", "Event", "contact_models"]
