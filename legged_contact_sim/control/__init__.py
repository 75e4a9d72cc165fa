"""Controllers as plain Python: they see what a robot's sensors measure and answer with joint efforts."""

from .by_targets import ByTargets
from .controller import BaseState, Controller, DriveTargets, InProcess, Observation, observe
from .joint_trajectory import JointTrajectory
from .registry import CONTROLLERS, controller_class, controllers, make_controller

__all__ = [
    "CONTROLLERS",
    "BaseState",
    "ByTargets",
    "Controller",
    "DriveTargets",
    "InProcess",
    "JointTrajectory",
    "Observation",
    "controller_class",
    "controllers",
    "make_controller",
    "observe",
]
