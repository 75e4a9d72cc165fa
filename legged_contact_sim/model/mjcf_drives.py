"""Actuators of an MJCF: effort limits and gains of the joints that they drive."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Numbers of MuJoCo's enumerations mjtTrn, mjtGain, mjtBias and mjtDyn.
JOINT, JOINT_IN_PARENT = 0, 1
FIXED_GAIN, NO_BIAS, AFFINE_BIAS = 0, 0, 1
NO_DYNAMICS = 0


@dataclass
class Drives:
    """What actuators tell of joints.

    Attributes:
        limits: {joint: largest effort}, N m or N.
        gains: {joint: (stiffness, damping)} where an actuator holds a position.
        notes: on actuators that are not read.
    """

    limits: dict[str, float] = field(default_factory=dict)
    gains: dict[str, tuple[float, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_drives(model: Any, joint_name: Callable[[int], str]) -> Drives:
    """Return the drives of a compiled MuJoCo model."""
    found = Drives()
    for joint in range(model.njnt):
        if model.jnt_actfrclimited[joint]:
            found.limits[joint_name(joint)] = float(np.abs(model.jnt_actfrcrange[joint]).max())
    for index in range(model.nu):
        if model.actuator_trntype[index] not in (JOINT, JOINT_IN_PARENT):
            found.notes.append(f"actuator {index} does not act on a joint and is left out")
            continue
        joint = int(model.actuator_trnid[index][0])
        name, gear = joint_name(joint), float(model.actuator_gear[index][0])
        limit = _limit(model, index) * abs(gear)
        if limit > 0.0:
            found.limits[name] = min(limit, found.limits.get(name, np.inf))
        if model.actuator_dyntype[index] != NO_DYNAMICS:
            found.notes.append(f"the dynamics of actuator {index} (joint {name!r}) is left out")
        if model.actuator_gaintype[index] == FIXED_GAIN and model.actuator_biastype[index] == AFFINE_BIAS:
            stiffness, damping = (0.0 - float(value) * gear**2 for value in model.actuator_biasprm[index][1:3])
            if stiffness > 0.0:
                found.gains[name] = (stiffness, damping)
    return found


def _limit(model: Any, index: int) -> float:
    """Return the largest force of an actuator before its gear; infinite without a limit."""
    if model.actuator_forcelimited[index]:
        return float(np.abs(model.actuator_forcerange[index]).max())
    motor = model.actuator_gaintype[index] == FIXED_GAIN and model.actuator_biastype[index] == NO_BIAS
    if motor and model.actuator_ctrllimited[index]:
        return float(np.abs(model.actuator_ctrlrange[index]).max() * abs(model.actuator_gainprm[index][0]))
    return np.inf
