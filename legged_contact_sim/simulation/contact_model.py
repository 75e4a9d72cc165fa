"""A simulator's contact model by name, and what is compiled beside its first step."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..contact import MODELS, ContactModel
from ..dynamics.functions import energies
from ..model import RobotModel
from ..terrain import Terrain
from .contacts import contact_centers


def make_contact_model(name: str, robot: RobotModel, terrain: Terrain, parameters: Mapping[str, Any]) -> ContactModel:
    """Return a contact model by name with checked parameters."""
    model = MODELS.named(name)
    return model(robot, terrain, model.make_parameters(**parameters))


def calls_of_a_start(robot: RobotModel, terrain: Terrain) -> list[Callable[[], Any]]:
    """Return what a start calls besides a step, to be compiled at the same time."""
    return [
        partial(energies, robot, robot.home, np.zeros(robot.nv)),
        partial(contact_centers, robot, robot.home),
        partial(terrain.gap, np.zeros((1, 3))),
    ]
