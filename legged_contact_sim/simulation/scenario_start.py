"""How a scenario starts: state (parameters under `initial`), drives that hold it (`hold`), pushes to come (`push`)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..dynamics.functions import checked, coordinates
from ..errors import ParameterError
from ..model import RobotModel
from ..model.gains import proposed_gains
from .simulator import Simulator

# Of the coordinates of a floating base; of place and position the latter counts.
PARTS = {"initial.place": slice(0, 2), "initial.position": slice(0, 3), "initial.orientation": slice(3, 7)}


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
    for name, place in PARTS.items():
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


def holding_gains(robot: RobotModel, values: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return stiffness, damping and integral gain of the drives that hold the start inside the step.

    Each is (joint_count,); all zero: none do.
    """
    own = (np.full(robot.joint_count, values[f"hold.{name}"]) for name in ("stiffness", "damping", "integral"))
    stiffness, damping, integral = own
    if values["hold.proposed"]:
        stiffness, damping = proposed_gains(robot, period=0.0)
    return stiffness, damping, integral


def start_pushes(simulator: Simulator, values: Mapping[str, Any]) -> None:
    """Let the push of the parameters under `push` act on its links: a wrench times factors over the time from now on.

    Raises:
        ParameterError: names the parameter, what was found and what was expected.
    """
    links = [link for link in values.get("push.links", []) if link]
    if not links:
        return
    times, factors = values.get("push.times", [0.0, 1.0]), values.get("push.factors", [1.0, 1.0])
    if len(times) != len(factors):
        raise ParameterError(f"push.factors: expected {len(times)} numbers, as in push.times, found {len(factors)}")
    force, torque = (checked(f"push.{name}", values.get(f"push.{name}", [0.0] * 3), 3) for name in ("force", "torque"))
    for link in links:
        _named("push", lambda link=link: simulator.push(link, force, torque, profile=np.column_stack([times, factors])))


def _named(name: str, make: Any) -> Any:
    try:
        return make()
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None
