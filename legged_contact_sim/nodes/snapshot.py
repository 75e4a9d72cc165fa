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
        mean_forces: (contact points, 3), mean over the tick.
        slips: (contact points,), speed along the ground, mean over the tick, m/s.
        gaps: (contact points,), m.
        modes: (contact points,), see `contact.records`.
        position: (joint_count,), what the encoders tell.
        velocity: (joint_count,), likewise.
        effort: (joint_count,), as it acted in the last step.
        stamp: (2,), simulated seconds and nanoseconds.
    """

    def __init__(self, simulator: Simulator, steps: int) -> None:
        """Take the state as it stands now."""
        robot = simulator.robot
        self.log = np.zeros((steps, log_width(robot)))
        last = LogRows(robot, self.log[-1])
        self.q, self.v, self.ledger, self.gaps, self.modes = last.q, last.v, last.ledger, last.gap, last.mode
        steps_of_it = LogRows(robot, self.log)
        self.forces, self._slip_velocities = steps_of_it.force, steps_of_it.slip_velocity
        self.mean_forces, self.slips = np.zeros(self.forces.shape[1:]), np.zeros(len(self.gaps))
        self.position, self.velocity, self.effort = np.zeros((3, robot.joint_count))
        self._positions, self._velocities = robot.position_indices, robot.velocity_indices
        self.stamp = np.zeros(2, "<u4")
        self.nanoseconds = 0
        self.take_state(simulator)

    def take_state(self, simulator: Simulator) -> None:
        """Take a state that was set from outside: nothing touches as yet."""
        self.log[:] = 0.0
        self.q[:], self.v[:] = simulator.q, simulator.v
        self.effort[:] = 0.0
        self.mean_forces[:], self.slips[:] = 0.0, 0.0
        self._take_joints()

    def take_tick(self, simulator: Simulator) -> None:
        """Take what a control tick has left besides the log: joint efforts of the last step, and means over all."""
        self.effort[:] = simulator.effort
        self.forces.mean(axis=0, out=self.mean_forces)
        slips = self._slip_velocities
        np.sqrt(np.einsum("ski,ski->sk", slips, slips)).mean(axis=0, out=self.slips)
        self._take_joints()

    def _take_joints(self) -> None:
        self.position[:], self.velocity[:] = self.q[self._positions], self.v[self._velocities]

    def take_time(self, nanoseconds: int) -> None:
        """Stamp the snapshot."""
        self.nanoseconds = nanoseconds
        self.stamp[:] = divmod(nanoseconds, NANOSECONDS)
