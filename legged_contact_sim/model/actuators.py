"""Real drives: what motors and gears do to efforts, joint by joint, beyond what the description says."""

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ParameterError

if TYPE_CHECKING:
    from .robot import RobotModel

# Fields of LINK that can be given per joint, with their units.
ACTUATOR_FIELDS = {
    "effort_limit": "N m or N",
    "velocity_limit": "rad/s or m/s",
    "corner_velocity": "rad/s or m/s, where the torque-speed curve begins to fall",
    "rotor_inertia": "kg m^2 or kg, as felt at the joint: rotor times squared reduction",
    "damping": "N m s/rad or N s/m",
    "friction": "N m or N, dry",
}
CAN_BE_INFINITE = ("effort_limit", "velocity_limit", "corner_velocity")


def with_actuators(robot: "RobotModel", **given: Any) -> "RobotModel":
    """Return a robot whose drives are as given; see `RobotModel.with_actuators`."""
    links = robot.links.copy()
    for name, value in given.items():
        if name not in ACTUATOR_FIELDS:
            raise ParameterError(f"actuator.{name}: there is no such number; expected {', '.join(ACTUATOR_FIELDS)}")
        links[name][robot.joint_links] = _per_joint(name, value, robot.joint_count)
    joints = links[robot.joint_links]
    falls = joints["corner_velocity"] < math.inf
    wrong = falls & ~((joints["corner_velocity"] < joints["velocity_limit"]) & np.isfinite(joints["velocity_limit"]))
    for k in np.flatnonzero(wrong):
        found, top = joints["corner_velocity"][k], joints["velocity_limit"][k]
        raise ParameterError(
            f"actuator.corner_velocity: {robot.joint_names[k]}: expected less than a finite velocity_limit, "
            f"found {found:g} and {top:g}"
        )
    links.flags.writeable = False
    return dataclasses.replace(robot, links=links)


def _per_joint(name: str, value: Any, count: int) -> np.ndarray:
    """Return one checked number per joint."""
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    highest = math.inf if name in CAN_BE_INFINITE else 1e9
    if numbers.shape not in ((1,), (count,)) or not ((numbers >= 0.0) & (numbers <= highest)).all():
        raise ParameterError(
            f"actuator.{name}: expected one number >= 0 or {count} ({ACTUATOR_FIELDS[name]}), found {value}"
        )
    return np.broadcast_to(numbers, (count,))
