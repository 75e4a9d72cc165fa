"""Numbers of a compiled MJCF that no robot can have: MuJoCo takes NaN, infinity and negative damping as they come."""

from typing import Any

import numpy as np

from ..errors import ModelError

# What has the number, where the compiled model keeps it, and what it is.
FINITE = (
    ("body", "body_pos", "position"),
    ("body", "body_quat", "orientation"),
    ("body", "body_ipos", "centre of mass"),
    ("body", "body_mass", "mass"),
    ("body", "body_inertia", "inertia"),
    ("joint", "jnt_pos", "anchor"),
    ("joint", "jnt_axis", "axis"),
    ("geom", "geom_pos", "position"),
    ("geom", "geom_quat", "orientation"),
    ("geom", "geom_size", "size"),
    ("site", "site_pos", "position"),
    ("site", "site_quat", "orientation"),
    ("equality", "eq_data", "anchor or coefficient"),
    ("actuator", "actuator_gear", "gear"),
    ("actuator", "actuator_gainprm", "gain"),
    ("actuator", "actuator_biasprm", "bias"),
    ("key", "key_qpos", "qpos"),
)
NOT_NEGATIVE = (
    ("joint", "jnt_stiffness", "stiffness"),
    ("dof", "dof_damping", "damping"),
    ("dof", "dof_armature", "armature"),
    ("dof", "dof_frictionloss", "frictionloss"),
)
NO_NAN = (("joint", "jnt_range", "range"), ("actuator", "actuator_forcerange", "forcerange"))


def check_numbers(model: Any) -> None:
    """Refuse a compiled model with a number that cannot be meant.

    Raises:
        ModelError: names the first, and what has it.
    """
    for tables, wrong, expected in (
        ((*FINITE, *NOT_NEGATIVE), lambda values: ~np.isfinite(values), "finite numbers"),
        (NO_NAN, np.isnan, "numbers"),
        (NOT_NEGATIVE, lambda values: values[:, :1] < 0.0, "0 or more"),
    ):
        for kind, array, what in tables:
            values = np.asarray(getattr(model, array))
            values = values.reshape(len(values), values[:1].size)
            rows = np.flatnonzero(wrong(values).any(axis=1))
            if len(rows):
                found = " ".join(f"{value:g}" for value in values[rows[0]][: 1 if expected == "0 or more" else None])
                raise ModelError(f"{_name(model, kind, int(rows[0]))} has the {what} {found}; expected {expected}")
    for array, what in (("qpos0", "ref"), ("qpos_spring", "springref")):
        if not np.isfinite(getattr(model, array)).all():
            raise ModelError(f"a joint has a {what} or a body a place that is not finite")


def _name(model: Any, kind: str, number: int) -> str:
    if kind == "dof":
        kind, number = "joint", int(model.dof_jntid[number])
    return f"{kind} {getattr(model, kind)(number).name or number!r}"
