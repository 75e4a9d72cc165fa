"""The energy audit: where every joule went since the last reset. The remainder is the integrator's error."""

from dataclasses import dataclass

import numpy as np

from ..contact.records import WORK_TERMS


@dataclass(frozen=True)
class EnergyAudit:
    """Energies now and works since the last reset, J.

    ``remainder`` is what the balance leaves over: kinetic + potential + spring now, minus the same at the start, minus
    all work done on the robot. Losses are negative work. Contacts work on the way relative to the ground; what a moving
    ground carries along is ``moving_ground``.
    """

    kinetic: float
    potential: float
    spring: float
    start: float
    actuators: float
    joint_losses: float
    contact_normal: float
    contact_tangential: float
    external: float
    joint_limits: float
    moving_ground: float

    @property
    def total(self) -> float:
        """Mechanical energy now: kinetic, potential and in springs, J."""
        return self.kinetic + self.potential + self.spring

    @property
    def contact(self) -> float:
        """Work of all contacts since the last reset, J; not positive for a sound contact model."""
        return self.contact_normal + self.contact_tangential

    @property
    def work(self) -> float:
        """Work of everything that acts on the robot since the last reset, J."""
        joints = self.actuators + self.joint_losses + self.joint_limits
        return joints + self.contact + self.moving_ground + self.external

    @property
    def remainder(self) -> float:
        """Energy that no work accounts for, J."""
        return self.total - self.start - self.work

    @classmethod
    def from_ledger(cls, energies: np.ndarray, start: float, ledger: np.ndarray) -> "EnergyAudit":
        """Return the audit from (kinetic, potential, spring), the energy at the start, and a kernel's ledger."""
        works = dict(zip(WORK_TERMS, ledger[: len(WORK_TERMS)].tolist(), strict=True))
        kinetic, potential, spring = energies.tolist()
        return cls(kinetic=kinetic, potential=potential, spring=spring, start=start, **works)
