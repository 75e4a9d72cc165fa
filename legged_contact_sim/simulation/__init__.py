"""Simulator, its reports and trajectories, and the energy audit."""

from .batch import Rollouts, run_batch
from .contacts import Contacts
from .energy import EnergyAudit
from .report import ContactReport, StepReport
from .simulator import Simulator, State
from .trajectory import Trajectory

__all__ = [
    "ContactReport",
    "Contacts",
    "EnergyAudit",
    "Rollouts",
    "Simulator",
    "State",
    "StepReport",
    "Trajectory",
    "run_batch",
]
