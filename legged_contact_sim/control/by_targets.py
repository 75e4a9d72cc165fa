"""Position control: a controller's joint targets at its rate, which the robot's drives follow."""

from collections import deque

import numpy as np

from ..simulation import Simulator
from .controller import Controller, DriveTargets, observe


class ByTargets:
    """A controller's joint targets as `Simulator.run` takes it: new ones every ``period``, s, for the drives.

    The efforts that it returns are zero: those of the drives come on top.
    """

    def __init__(
        self,
        controller: Controller,
        simulator: Simulator,
        period: float = 0.02,
        *,
        inside: bool = True,
        delay: float = 0.0,
    ) -> None:
        """Round period and delay to whole time steps, the period to at least one.

        Args:
            controller: whose `Controller.targets` are followed.
            simulator: whose drives follow them.
            period: between two targets, s.
            inside: the gains act in every step; False: once per target, when it comes into force (`Simulator.command`).
            delay: s, after which a target comes into force.
        """
        self.controller, self.simulator = controller, simulator
        self.every = max(1, round(period / simulator.time_step))
        self.late = round(delay / simulator.time_step)
        self.inside = inside
        self._calls = 0
        self._waiting: deque[tuple[int, DriveTargets]] = deque()
        self._nothing = np.zeros(simulator.robot.joint_count)

    def __call__(self, time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Ask for targets if they are due, bring into force what has come; return no effort, (joint_count,)."""
        if self._calls % self.every == 0:
            seen = observe(self.simulator, time, q, v)
            if self._calls == 0:
                self.controller.reset(seen)
            self._waiting.append((self._calls + self.late, self.controller.targets(seen)))
        while self._waiting and self._waiting[0][0] <= self._calls:
            wanted = self._waiting.popleft()[1]
            gains = {"stiffness": wanted.stiffness, "damping": wanted.damping}
            self.simulator.command(wanted.position, wanted.velocity, **gains, inside=self.inside)
        self._calls += 1
        return self._nothing
