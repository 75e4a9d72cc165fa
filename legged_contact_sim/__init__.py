"""A simulator for legged robots in which the contact model is a parameter and every force can be audited."""

from .errors import LeggedContactSimError, ModelError, ParameterError
from .model import RobotModel, robots

__all__ = ["LeggedContactSimError", "ModelError", "ParameterError", "RobotModel", "robots"]
