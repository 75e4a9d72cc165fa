"""What the simulator has just done, as arrays that all outputs read: views into the log of one control tick."""

import numpy as np

from ..contact.log import LogRows, log_width
from ..simulation import Simulator

NANOSECONDS = 1_000_000_000


class Snapshot:
    """The state after a control tick, and the contact forces of each of its steps.

    Attributes:
        log: (steps, log_width), written by `Simulator.advance`.
        q: (nq,), after the tick.
        v: (nv,), base velocity in base axes.
        ledger: work terms, then solver terms.
        forces: (steps, contact points, 3), mean over each step, N, world axes.
        gaps: (contact points,), m.
        modes: (contact points,), see `contact.records`.
        effort: (joint_count,), as it acted in the last step.
        stamp: (2,), simulated seconds and nanoseconds.
    """

    def __init__(self, simulator: Simulator, steps: int) -> None:
        """Take the state as it stands now."""
        robot = simulator.robot
        self.log = np.zeros((steps, log_width(robot)))
        last = LogRows(robot, self.log[-1])
        self.q, self.v, self.ledger, self.gaps, self.modes = last.q, last.v, last.ledger, last.gap, last.mode
        self.forces = LogRows(robot, self.log).force
        self.effort = np.zeros(robot.joint_count)
        self.stamp = np.zeros(2, "<u4")
        self.nanoseconds = 0
        self.take_state(simulator)

    def take_state(self, simulator: Simulator) -> None:
        """Take a state that was set from outside: nothing touches as yet."""
        self.log[:] = 0.0
        self.q[:], self.v[:] = simulator.q, simulator.v
        self.effort[:] = 0.0

    def take_effort(self, simulator: Simulator) -> None:
        """Take the joint efforts of the last step, limits applied."""
        self.effort[:] = simulator.effort

    def take_time(self, nanoseconds: int) -> None:
        """Stamp the snapshot."""
        self.nanoseconds = nanoseconds
        self.stamp[:] = divmod(nanoseconds, NANOSECONDS)
