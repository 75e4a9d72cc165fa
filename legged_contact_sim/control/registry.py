"""The controllers by name."""

import importlib
import os
import sys
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
from .planar_walk import PlanarWalk
from .policy import Policy
from .quadruped_jump import QuadrupedJump
from .zmp_trot import ZmpTrot

CONTROLLERS: dict[str, type[Controller]] = {
    kind.name: kind
    for kind in (JointPid, ZmpTrot, Balance, QuadrupedJump, OperationalSpaceJump, CapabilityJump, PlanarWalk, Policy)
}

# Parameters of a controller begin with its name; these names begin others in a scenario.
TAKEN = ("actuator", "backlash", "contact", "contact_points", "drive", "hold", "initial", "push", "robots", "terrain")


def controllers() -> dict[str, str]:
    """Return the names of the controllers with a line about each."""
    return {name: kind.summary for name, kind in CONTROLLERS.items()}


def controller_class(name: str) -> type[Controller]:
    """Return a controller by name, or a user's own by ``module:Class``.

    Raises:
        ParameterError: there is none, or it cannot be imported.
    """
    if name in CONTROLLERS:
        return CONTROLLERS[name]
    module, separator, attribute = name.partition(":")
    if not separator:
        known = ", ".join(CONTROLLERS)
        raise ParameterError(f"controller: expected one of {known}, or MODULE:CLASS, found {name!r}")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # whatever a user's module raises while it is imported
        words = " ".join(str(error).split())
        raise ParameterError(f"controller: {name!r} cannot be imported: {type(error).__name__}: {words}") from None
    if not (isinstance(found, type) and issubclass(found, Controller)):
        raise ParameterError(f"controller: {name!r} is no subclass of legged_contact_sim.control.Controller")
    for needed in ("name", "Parameters"):
        if not hasattr(found, needed):
            raise ParameterError(f"controller: {name!r} has no {needed!r}; expected name, summary and Parameters")
    if found.name in TAKEN:
        raise ParameterError(f"controller: {name!r} has the name {found.name!r}, which begins parameters of a scenario")
    return found


def make_controller(name: str, robot: RobotModel, parameters: Mapping[str, Any] | None = None) -> Controller:
    """Return a controller by name with checked parameters.

    Args:
        name: see `controllers`; or ``module:Class``.
        robot: the robot it is to move.
        parameters: by name; those that are not given have their default.

    Raises:
        ParameterError: names the controller or the parameter, what was found and what is allowed.
    """
    kind = controller_class(name)
    return kind(robot, make_parameters(kind.Parameters, kind.name, parameters or {}))
