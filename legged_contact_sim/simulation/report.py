"""The report of a step: contacts, energies, and what the solver did."""

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..contact.log import LogRows
from ..contact.records import (
    COMPLIANCE,
    CONTACTS,
    ENERGY_LIMITED,
    IMPACTS,
    ITERATIONS,
    MODES,
    NO_REASON,
    REASON,
    REASONS,
    RESIDUAL,
    UNCONVERGED,
)
from ..dynamics.functions import energies
from .energy import EnergyAudit

if TYPE_CHECKING:
    from .simulator import Simulator


class ContactReport(NamedTuple):
    """One contact point at the end of a step.

    Attributes:
        name: of the contact point.
        position: of the touching point in the world, (3,), m.
        normal: out of the ground, (3,).
        force: on the robot, mean over the step, world axes, (3,), N.
        impulse: of the whole step, impacts included, world axes, (3,), N s.
        gap: distance to the ground, m; negative: penetration.
        slip_velocity: of the touching point along the ground, world axes, (3,), m/s; zero where it is open.
        mode: "open", "stick" or "slip".
    """

    name: str
    position: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    impulse: np.ndarray
    gap: float
    slip_velocity: np.ndarray
    mode: str


class StepReport:
    """The last step of a simulator; what costs time is worked out when it is asked for.

    A report reads the simulator's own arrays until the next step, and a copy of them from then on.

    Attributes:
        time: at the end of the step, s.
        kept: whether it reads a copy.
    """

    def __init__(self, simulator: "Simulator", row: np.ndarray, live: LogRows) -> None:
        """Take the log row of the step, and the views into it."""
        self._robot = simulator.robot
        self._time_step = simulator.time_step
        self._start = simulator.start_energy
        self._row, self.kept = row, False
        self._views: LogRows | None = live
        self.time = simulator.time

    def keep(self) -> None:
        """Copy what the next step overwrites."""
        if not self.kept:
            self._row, self._views, self.kept = self._row.copy(), None, True

    @property
    def _rows(self) -> LogRows:
        if self._views is None:
            self._views = LogRows(self._robot, self._row)
        return self._views

    def _solver(self, term: int) -> float:
        return float(self._rows.solver[term])

    @property
    def iterations(self) -> int:
        """Sweeps and Newton steps of the contact solver in this step."""
        return int(self._solver(ITERATIONS))

    @property
    def residual(self) -> float:
        """Complementarity residual of the step, relative to its largest impulse."""
        return self._solver(RESIDUAL)

    @property
    def unconverged(self) -> int:
        """Steps since the last reset whose contact problem was not solved to its tolerance."""
        return int(self._solver(UNCONVERGED))

    @property
    def compliance(self) -> float:
        """By which contacts that contradicted one another gave way, relative to their inverse inertia; 0: rigid."""
        return self._solver(COMPLIANCE)

    @property
    def status(self) -> str:
        """How the step ended: "solved", "softened" (solved with a `compliance`), or why it is unconverged.

        "iteration_limit": the impulses do not fit; "pass_limit": joints go on changing between holding and sliding, or
        drives at their limits and not; "noted": an event that could not be resolved, see its note.
        """
        reason = int(self._solver(REASON))
        if reason != NO_REASON:
            return REASONS[reason]
        return "softened" if self.compliance > 0.0 else "solved"

    @property
    def impacts(self) -> int:
        """Impacts that were resolved inside this step."""
        return int(self._solver(IMPACTS))

    @property
    def energy_limited(self) -> int:
        """Impacts since the last reset whose restitution was reduced because it would have created energy."""
        return int(self._solver(ENERGY_LIMITED))

    @property
    def active_contacts(self) -> int:
        """Contact points that took part in the step's contact problem."""
        return int(self._solver(CONTACTS))

    @cached_property
    def energy(self) -> EnergyAudit:
        """Energies now and works since the last reset."""
        self.keep()
        now = energies(self._robot, self._rows.q, self._rows.v)
        return EnergyAudit.from_ledger(now, self._start, self._rows.ledger)

    @cached_property
    def contacts(self) -> tuple[ContactReport, ...]:
        """All contact points, in the robot's order; `Simulator.contacts` has the same numbers as arrays."""
        self.keep()
        rows = self._rows
        columns = (
            self._robot.contact_names,
            rows.position,
            rows.normal,
            rows.force,
            rows.force * self._time_step,
            rows.gap.tolist(),
            rows.slip_velocity,
            [MODES[int(mode)] for mode in rows.mode],
        )
        return tuple(map(ContactReport, *columns))
