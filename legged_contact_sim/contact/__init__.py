"""How feet meet the ground: detection, solvers, and one file per contact model behind one interface."""

from .friction import FrictionSolution, solve_friction
from .model import Commands, ContactModel, Event
from .registry import MODELS, contact_models

__all__ = ["MODELS", "Commands", "ContactModel", "Event", "FrictionSolution", "contact_models", "solve_friction"]
