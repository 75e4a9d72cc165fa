"""The controllers by name."""

from collections.abc import Mapping
from typing import Any

from ..errors import ParameterError
from ..model import RobotModel
from .balance import Balance
from .capability_jump import CapabilityJump
from .controller import Controller
from .joint_pid import JointPid
from .operational_space_jump import OperationalSpaceJump
from .parameters import make_parameters
from .quadruped_jump import QuadrupedJump
from .zmp_trot import ZmpTrot

CONTROLLERS: dict[str, type[Controller]] = {
    kind.name: kind for kind in (JointPid, ZmpTrot, Balance, QuadrupedJump, OperationalSpaceJump, CapabilityJump)
}


def controllers() -> dict[str, str]:
    """Return the names of the controllers with a line about each."""
    return {name: kind.summary for name, kind in CONTROLLERS.items()}


def make_controller(name: str, robot: RobotModel, parameters: Mapping[str, Any] | None = None) -> Controller:
    """Return a controller by name with checked parameters.

    Args:
        name: see `controllers`.
        robot: the robot it is to move.
        parameters: by name; those that are not given have their default.

    Raises:
        ParameterError: names the controller or the parameter, what was found and what is allowed.
    """
    if name not in CONTROLLERS:
        raise ParameterError(f"controller: expected one of {', '.join(CONTROLLERS)}, found {name!r}")
    kind = CONTROLLERS[name]
    return kind(robot, make_parameters(kind.Parameters, name, parameters or {}))
