"""A simulator for legged robots in which the contact model is a parameter and every force can be audited."""

from .contact import contact_models
from .errors import LeggedContactSimError, ModelError, ParameterError, SimulationError
from .model import RobotModel, robots
from .simulation import Simulator

__all__ = [
    "LeggedContactSimError",
    "ModelError",
    "ParameterError",
    "RobotModel",
    "SimulationError",
    "Simulator",
    "contact_models",
    "robots",
]
