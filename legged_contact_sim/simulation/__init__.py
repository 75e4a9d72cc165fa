"""Simulator, its reports and trajectories, and the energy audit."""

from .contacts import Contacts
from .energy import EnergyAudit
from .report import ContactReport, StepReport
from .simulator import Simulator, State
from .trajectory import Trajectory
from .worlds import Rollout, rollout

__all__ = [
    "ContactReport",
    "Contacts",
    "EnergyAudit",
    "Rollout",
    "Simulator",
    "State",
    "StepReport",
    "Trajectory",
    "rollout",
]
