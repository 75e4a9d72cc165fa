"""Controllers as plain Python: they see what a robot's sensors tell and answer with joint efforts."""

from .controller import BaseState, Controller, InProcess, Observation, observe

__all__ = ["BaseState", "Controller", "InProcess", "Observation", "observe"]
