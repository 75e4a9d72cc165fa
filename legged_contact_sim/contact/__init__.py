"""How feet meet the ground: detection, solvers, and one file per contact model behind one interface."""

from .model import Commands, ContactModel, Event
from .registry import MODELS, contact_models

__all__ = ["MODELS", "Commands", "ContactModel", "Event", "contact_models"]
