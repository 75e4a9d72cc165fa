"""What a step tells: contacts, energies, and how the solver fared."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..contact.records import (
    CONTACTS,
    ENERGY_LIMITED,
    IMPACTS,
    ITERATIONS,
    MODES,
    OPEN,
    RESIDUAL,
    UNCONVERGED,
    WORK_TERMS,
)
from ..dynamics import forward_kinematics
from ..dynamics.functions import energies, to_base_axes
from ..model import RobotModel
from .energy import EnergyAudit

if TYPE_CHECKING:
    from .simulator import Simulator

FIRST_SOLVER_TERM = len(WORK_TERMS)


@dataclass(frozen=True)
class ContactReport:
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
    """The last step of a simulator; what costs time is worked out when it is asked for."""

    def __init__(self, simulator: "Simulator") -> None:
        """Copy what the next step would overwrite."""
        system = simulator.model.system
        self._robot: RobotModel = simulator.robot
        self._terrain = simulator.terrain
        self._time_step = simulator.time_step
        self._record = system.contacts.dtype
        self._bytes = system.contacts.view(np.uint8).copy()  # numpy copies records field by field, in 15 us
        self._ledger = system.ledger.copy()
        self._raw_state = system.state.copy()
        self._start = simulator.start_energy
        self.time = simulator.time

    @cached_property
    def _records(self) -> np.ndarray:
        return self._bytes.view(self._record)

    @cached_property
    def _state(self) -> tuple[np.ndarray, np.ndarray]:
        q, v = self._raw_state[: self._robot.nq], self._raw_state[self._robot.nq :]
        return q, to_base_axes(self._robot, q, v)

    @property
    def iterations(self) -> int:
        """Sweeps and Newton steps of the contact solver in this step."""
        return int(self._ledger[FIRST_SOLVER_TERM + ITERATIONS])

    @property
    def residual(self) -> float:
        """Complementarity residual of the step, relative to its largest impulse."""
        return float(self._ledger[FIRST_SOLVER_TERM + RESIDUAL])

    @property
    def unconverged(self) -> int:
        """Steps since the last reset whose contact problem was not solved to its tolerance."""
        return int(self._ledger[FIRST_SOLVER_TERM + UNCONVERGED])

    @property
    def impacts(self) -> int:
        """Impacts that were resolved inside this step."""
        return int(self._ledger[FIRST_SOLVER_TERM + IMPACTS])

    @property
    def energy_limited(self) -> int:
        """Impacts since the last reset whose restitution was reduced because it would have created energy."""
        return int(self._ledger[FIRST_SOLVER_TERM + ENERGY_LIMITED])

    @property
    def active_contacts(self) -> int:
        """Contact points that took part in the step's contact problem."""
        return int(self._ledger[FIRST_SOLVER_TERM + CONTACTS])

    @cached_property
    def energy(self) -> EnergyAudit:
        """Energies now and works since the last reset."""
        return EnergyAudit.from_ledger(energies(self._robot, *self._state), self._start, self._ledger)

    @cached_property
    def contacts(self) -> tuple[ContactReport, ...]:
        """All contact points, in the robot's order."""
        rotation, position = forward_kinematics(self._robot, self._state[0])
        return tuple(
            self._contact(name, record, rotation, position)
            for name, record in zip(self._robot.contact_names, self._records, strict=True)
        )

    def _contact(self, name: str, record: np.void, rotation: np.ndarray, position: np.ndarray) -> ContactReport:
        link, normal = record["link"], record["normal"].copy()
        center = position[link] + rotation[link] @ record["offset"]
        slip, gap = np.zeros(3), float(record["end_gap"])
        if not record["near"]:  # the kernel did not measure it
            gap, normal = float(self._terrain.gap(center)) - float(record["radius"]), self._terrain.normal(center)
        if record["mode"] != OPEN:
            along, across = record["end_velocity"][1:] + record["turning"]
            slip = along * record["first_tangent"] + across * record["second_tangent"]
        return ContactReport(
            name=name,
            position=center - record["radius"] * normal,
            normal=normal,
            force=record["impulse"] / self._time_step,
            impulse=record["impulse"].copy(),
            gap=gap,
            slip_velocity=slip,
            mode=MODES[record["mode"]],
        )
