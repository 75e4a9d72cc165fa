"""A recorded run: state, energies, contact forces and modes over time, as arrays."""

from dataclasses import dataclass, field

import numpy as np

from ..contact.model import Event
from ..contact.records import SOLVER_TERMS, WORK_TERMS
from ..dynamics.functions import energies
from ..model import RobotModel

CONTACT_COLUMNS = 5  # impulse (3), gap, mode


def log_width(robot: RobotModel) -> int:
    """Return the number of columns of a log row: q, v, ledger, contacts."""
    ledger = len(WORK_TERMS) + len(SOLVER_TERMS)
    return robot.nq + robot.nv + ledger + CONTACT_COLUMNS * len(robot.contact_names)


@dataclass(frozen=True)
class Trajectory:
    """T samples of a run.

    Attributes:
        robot: whose run it is.
        time: (T,), s.
        q: (T, nq).
        v: (T, nv).
        effort: (T, joint_count), as commanded.
        works: (T, 6) since the last reset, J, in the order of `WORK_TERMS`.
        solver: (T, 7), in the order of `SOLVER_TERMS`.
        forces: (T, contact points, 3), mean over the step, world axes, N.
        gaps: (T, contact points), m.
        modes: (T, contact points), 0 open, 1 stick, 2 slip.
        start_energy: mechanical energy at the last reset, J.
        events: of an event-driven model.
    """

    robot: RobotModel
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    effort: np.ndarray
    works: np.ndarray
    solver: np.ndarray
    forces: np.ndarray
    gaps: np.ndarray
    modes: np.ndarray
    start_energy: float
    events: list[Event] = field(default_factory=list)

    @property
    def energies(self) -> np.ndarray:
        """Kinetic, potential and spring energy, (T, 3), J."""
        return np.array([energies(self.robot, q, v) for q, v in zip(self.q, self.v, strict=True)])

    @property
    def remainder(self) -> np.ndarray:
        """Energy that no work accounts for, (T,), J: the integrator's error since the last reset."""
        return self.energies.sum(axis=1) - self.start_energy - self.works.sum(axis=1)

    @classmethod
    def from_log(
        cls,
        robot: RobotModel,
        time: np.ndarray,
        log: np.ndarray,
        effort: np.ndarray,
        sample_step: float,
        start_energy: float,
        events: list[Event],
    ) -> "Trajectory":
        """Return a trajectory from log rows (see `log_width`); ``sample_step`` is the time step of the impulses, s."""
        ledger = robot.nq + robot.nv
        contacts = ledger + len(WORK_TERMS) + len(SOLVER_TERMS)
        table = log[:, contacts:].reshape(len(log), len(robot.contact_names), CONTACT_COLUMNS)
        return cls(
            robot=robot,
            time=time,
            q=log[:, : robot.nq].copy(),
            v=log[:, robot.nq : ledger].copy(),
            effort=effort,
            works=log[:, ledger : ledger + len(WORK_TERMS)].copy(),
            solver=log[:, ledger + len(WORK_TERMS) : contacts].copy(),
            forces=table[:, :, :3] / sample_step,
            gaps=table[:, :, 3].copy(),
            modes=table[:, :, 4].astype(int),
            start_energy=start_energy,
            events=events,
        )
