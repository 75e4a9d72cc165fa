"""This package as a player: every time-stepping contact model, in compiled runs, and one step per Python call."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from legged_contact_sim import Simulator
from legged_contact_sim.contact import Commands

from .step_case import FRICTION, StepCase

EXACT, MOREAU = "exact_lcp", "moreau"
# Soft models: springs that sink a foot by some millimetres and are stable at the longer time step.
MODELS: dict[str, dict[str, Any]] = {
    EXACT: {"friction": FRICTION},
    MOREAU: {"friction": FRICTION},
    "compliant": {"friction": FRICTION},
    "penalty": {
        "friction": FRICTION,
        "normal_stiffness": 3e4,
        "normal_damping": 50.0,
        "tangential_stiffness": 3e4,
        "tangential_damping": 50.0,
    },
    "distributed": {"friction": FRICTION, "static_ratio": 1.0, "normal_stiffness": 1e5},
}


class OurPlayer:
    """One robot under one contact model; a run along targets is one compiled call."""

    piece = 200

    def __init__(self, case: StepCase, model: str) -> None:
        self.case = case
        self.name = model
        self.settings: Mapping[str, Any] = MODELS[model]
        self.simulator = Simulator(case.robot, model, case.time_step, **MODELS[model])
        self.simulator.hold(case.drive.stiffness, case.drive.damping)
        self._kept = self.simulator.state

    def ready(self, rows: np.ndarray) -> Callable[[], Any]:
        """See `Player.ready`."""
        robot = self.case.robot
        commands = np.zeros((len(rows), 2, robot.nv))
        commands[:, 1, robot.velocity_indices] = rows
        every = self.case.every
        return partial(self.simulator.drive, every * len(rows), Commands(commands, every))

    def coordinates(self) -> np.ndarray:
        """See `Player.coordinates`."""
        return self.simulator.state.q

    def save(self) -> None:
        """See `Player.save`."""
        self._kept = self.simulator.state

    def restore(self) -> None:
        """See `Player.restore`."""
        self.simulator.set_state(*self._kept)

    def single_step(self) -> Callable[[], Any]:
        """Return one step as a Python user takes it; the joints hold the stance."""
        return self.simulator.step
