"""A controller in the simulator's process: the same topics and parameters, without the way through the middleware."""

import numpy as np

from ..control import BaseState, Observation
from ..model import RobotModel
from .controller_node import ControllerNode
from .joint_commands import Commands
from .snapshot import Snapshot


class Composition:
    """Asks a controller node at its rate and hands its answers to the simulator's drives.

    What the controller sees is what it would read from the topics, number by number, so that a run is the same to the
    last bit as one in lockstep with a controller in another process.
    """

    def __init__(self, robot: RobotModel, control_rate: float, namespace: str) -> None:
        """Make the controller node in a namespace; it is asked at the control tick nearest to its rate.

        Raises:
            LeggedContactSimError: a parameter cannot be used.
        """
        self._robot = robot
        self.node = ControllerNode("joint_pid", composed_in=namespace)
        self._every = max(1, round(control_rate * self.node.period))
        self._felt = [robot.contact_names.index(name) for name in self.node.felt]

    def tick(self, tick: int, snapshot: Snapshot, forces: np.ndarray, commands: Commands, now: float) -> None:
        """Command what the controller answers at a control tick, if it is due.

        Args:
            tick: control ticks since the reset.
            snapshot: what was published.
            forces: mean contact forces as they were published, (contact points, 3), N.
            commands: that take the answer.
            now: simulated time, s.
        """
        if tick % self._every == 0:
            answer = self.node.ask(snapshot.nanoseconds, self._observation(snapshot, forces))
            commands.take_answer(snapshot.nanoseconds, answer, now)

    def _observation(self, snapshot: Snapshot, forces: np.ndarray) -> Observation:
        q, v = snapshot.q, snapshot.v
        floating = self._robot.base == "floating"
        base = BaseState(q[:3].copy(), q[3:7].copy(), v[:3].copy(), v[3:6].copy()) if floating else None
        felt = {self._robot.contact_names[k]: forces[k].copy() for k in self._felt}
        return Observation(snapshot.nanoseconds * 1e-9, snapshot.position.copy(), snapshot.velocity.copy(), base, felt)
