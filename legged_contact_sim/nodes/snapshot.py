"""What the simulator has just done, as arrays that all outputs read: views into the log of one control tick."""

import numpy as np

from ..contact.records import SOLVER_TERMS, WORK_TERMS
from ..simulation import Simulator
from ..simulation.trajectory import CONTACT_COLUMNS, log_width

NANOSECONDS = 1_000_000_000


class Snapshot:
    """The state after a control tick, and the contact impulses of each of its steps.

    Attributes:
        log: (steps, log_width), written by `Simulator.advance`.
        q: (nq,), after the tick.
        v: (nv,), base velocity in base axes.
        ledger: work terms, then solver terms.
        impulses: (steps, contact points, 3), N s, world axes.
        gaps: (contact points,), m.
        modes: (contact points,), see `contact.records`.
        effort: (joint_count,), as it acted in the last step.
        stamp: (2,), simulated seconds and nanoseconds.
    """

    def __init__(self, simulator: Simulator, steps: int) -> None:
        """Take the state as it stands now."""
        robot = simulator.robot
        self.log = np.zeros((steps, log_width(robot)))
        last, velocities, ledger = self.log[-1], robot.nq, robot.nq + robot.nv
        contacts = ledger + len(WORK_TERMS) + len(SOLVER_TERMS)
        table = self.log[:, contacts:].reshape(steps, len(robot.contact_names), CONTACT_COLUMNS)
        self.q, self.v, self.ledger = last[:velocities], last[velocities:ledger], last[ledger:contacts]
        self.impulses, self.gaps, self.modes = table[:, :, :3], table[-1, :, 3], table[-1, :, 4]
        self.effort = np.zeros(robot.joint_count)
        self.stamp = np.zeros(2, "<u4")
        self.nanoseconds = 0
        self.take_state(simulator)

    def take_state(self, simulator: Simulator) -> None:
        """Take a state that was set from outside: nothing touches as yet."""
        self.log[:] = 0.0
        self.q[:], self.v[:] = simulator.state
        self.effort[:] = 0.0

    def take_effort(self, simulator: Simulator) -> None:
        """Take the joint efforts of the last step, limits applied."""
        self.effort[:] = simulator.effort

    def take_time(self, nanoseconds: int) -> None:
        """Stamp the snapshot."""
        self.nanoseconds = nanoseconds
        self.stamp[:] = divmod(nanoseconds, NANOSECONDS)
