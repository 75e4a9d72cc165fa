"""Equality constraints of an MJCF: connections of bodies and couplings of joints, which are kept exactly here."""

from collections.abc import Callable
from typing import Any

from .closures import Closure, Connection, Coupling

# Numbers of MuJoCo's enumerations mjtEq and mjtObj.
CONNECT, WELD, JOINT, TENDON = 0, 1, 2, 3
SITE = 6
KINDS = {WELD: "weld", TENDON: "tendon"}


def read_equalities(
    model: Any, body_name: Callable[[int], str], joint_name: Callable[[int], str]
) -> tuple[list[Closure], list[str]]:
    """Return the closures of a compiled MuJoCo model, and notes on equality constraints that are not read.

    MuJoCo's constraints are soft springs, ours are exact: `solref` and `solimp` have no meaning here.
    """
    closures: list[Closure] = []
    notes: list[str] = []
    for index in range(model.neq):
        kind, name = int(model.eq_type[index]), f"equality {model.equality(index).name or index}"
        if not model.eq_active0[index]:
            notes.append(f"{name} is not active and is left out")
        elif kind == CONNECT:
            closures.append(_connection(model, index, name, body_name))
        elif kind == JOINT:
            closures.append(_coupling(model, index, name, joint_name))
        else:
            notes.append(f"{name} ({KINDS.get(kind, f'type {kind}')}) is left out: only connect and joint are read")
    return closures, notes


def _connection(model: Any, index: int, name: str, body_name: Callable[[int], str]) -> Connection:
    objects = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    data = model.eq_data[index]
    if model.eq_objtype[index] == SITE:
        bodies = tuple(int(model.site_bodyid[site]) for site in objects)
        points = model.site_pos[objects[0]].copy(), model.site_pos[objects[1]].copy()
    else:
        bodies, points = objects, (data[:3].copy(), data[3:6].copy())
    first, second = ("" if body == 0 else body_name(body) for body in bodies)
    return Connection(name, (first, second), points)


def _coupling(model: Any, index: int, name: str, joint_name: Callable[[int], str]) -> Coupling:
    joint, other = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    references = [float(model.qpos0[model.jnt_qposadr[k]]) if k >= 0 else 0.0 for k in (joint, other)]
    coefficients = tuple(float(value) for value in model.eq_data[index][: 5 if other >= 0 else 1])
    names = joint_name(joint), joint_name(other) if other >= 0 else ""
    return Coupling(name, *names, coefficients, (references[0], references[1]))
