"""How feet meet the ground: detection, solvers, and one file per contact model behind one interface."""

from .compliant import Compliant
from .distributed import Distributed
from .embedding import Embedding
from .exact_lcp import ExactLcp
from .hybrid import Hybrid
from .model import Commands, ContactModel, Event
from .moreau import Moreau
from .penalty import Penalty

MODELS: dict[str, type[ContactModel]] = {
    model.name: model for model in (ExactLcp, Moreau, Compliant, Penalty, Distributed, Hybrid, Embedding)
}


def contact_models() -> dict[str, str]:
    """Return the names of the contact models with a line about each."""
    return {name: model.summary for name, model in MODELS.items()}


__all__ = ["MODELS", "Commands", "ContactModel", "Event", "contact_models"]
