"""The state in which the robot starts, from the parameters under `initial`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..dynamics.functions import checked, coordinates
from ..errors import ParameterError
from .simulator import Simulator


def start_state(simulator: Simulator, values: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return q (nq,) and v (nv,) of the start: the home pose, as far as the parameters do not say otherwise.

    Raises:
        ParameterError: names the parameter, what was found and what was expected.
    """
    robot = simulator.robot
    v = checked("initial.v", values.get("initial.v", [0.0] * robot.nv), robot.nv)
    if "initial.q" in values:
        return _named("initial.q", lambda: coordinates(robot, values["initial.q"])), v
    q = robot.home.copy()
    if "initial.joints" in values:
        q[robot.position_indices] = checked("initial.joints", values["initial.joints"], robot.joint_count)
    for name, place in (("initial.position", slice(0, 3)), ("initial.orientation", slice(3, 7))):
        if name in values:
            if robot.base != "floating":
                raise ParameterError(f"{name}: {robot.name} has no floating base")
            q[place] = checked(name, values[name], place.stop - place.start)
    q = _named("initial.orientation", lambda: coordinates(robot, q))
    if "initial.position" not in values:
        q = simulator.grounded(q)
    if robot.base == "floating":
        q[2] += values["initial.lift"]
    return q, v


def _named(name: str, make: Any) -> Any:
    try:
        return make()
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None
