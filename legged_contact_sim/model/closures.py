"""What closes the tree: couplings of joints (mimic) and loops, as equations of which each one is kept exactly.

A coupling is one equation between the positions of two joints, y of the first and x of the second,

    y - y_0 = c_0 + c_1 (x - x_0) + ... + c_4 (x - x_0)^4,

as URDF's `<mimic>` (c_0 the offset, c_1 the multiplier) and MuJoCo's `equality/joint` have it. A loop keeps a point of
one body on a point of another one: three equations (MuJoCo's `equality/connect`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from .finite import finite_array
from .placement import Array
from .suggestion import suggestion

if TYPE_CHECKING:
    from .tree import Frame

WORLD = -1
CONNECTION, COUPLING = 0, 1
ROWS = (3, 1)  # equations of each kind

CLOSURE = np.dtype(
    [
        ("kind", "i8"),  # CONNECTION or COUPLING
        ("first", "i8"),  # CONNECTION: body that carries the first point; COUPLING: body that the joint y moves
        ("second", "i8"),  # likewise of the second; -1: the world, or no joint (y is constant)
        ("row", "i8"),  # number of its first equation
        ("first_point", "f8", 3),  # in the body's frame, m
        ("second_point", "f8", 3),
        ("first_reference", "f8"),  # y_0, rad or m
        ("second_reference", "f8"),  # x_0
        ("coefficients", "f8", 5),  # c_0 to c_4
    ],
    align=True,
)


@dataclass(frozen=True)
class Coupling:
    """Two joints by name, of which the first follows the second ("": none); references y_0, x_0; c_0 to c_4."""

    name: str
    joint: str
    other: str
    coefficients: tuple[float, ...]
    references: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Connection:
    """Two links by name ("": the world), and on each a point (3,), m, in the link's frame, that stay together."""

    name: str
    links: tuple[str, str]
    points: tuple[Array, Array]


Closure = Coupling | Connection


def read_closures(given: Any) -> list[Connection]:
    """Return the loops of a sidecar: {name: {"links": [link, link], "points": [[x, y, z], [x, y, z]]}}.

    Raises:
        ModelError: an entry is not of this form.
    """
    if not isinstance(given, Mapping):
        raise ModelError(f"closures is a {type(given).__name__}; expected a mapping from names to loops")
    return [_read_closure(str(name), value) for name, value in given.items()]


def _read_closure(name: str, value: Any) -> Connection:
    expected = 'expected {"links": [link, link], "points": [[x, y, z], [x, y, z]]}'
    if not isinstance(value, Mapping) or set(value) != {"links", "points"}:
        raise ModelError(f"closure {name!r} is {value!r:.60}; {expected}")
    links, points = value["links"], finite_array(value["points"], (2, 3))
    if not isinstance(links, Sequence) or len(links) != 2 or not all(isinstance(link, str) for link in links):
        raise ModelError(f"closure {name!r} has the links {links!r:.60}; {expected}")
    if points is None:
        raise ModelError(f"closure {name!r} has the points {value['points']!r:.60}; {expected}")
    return Connection(name, (links[0], links[1]), (points[0], points[1]))


def closure_records(
    closures: Sequence[Closure], frames: Mapping[str, "Frame"], joints: Mapping[str, int]
) -> np.ndarray:
    """Return one CLOSURE record per closure.

    Args:
        closures: as described.
        frames: where the links stand.
        joints: index of the body that each joint with one coordinate moves.

    Raises:
        ModelError: a closure names a link or joint that is not there, or closes nothing.
    """
    records = np.zeros(len(closures), CLOSURE)
    row = 0
    for record, closure in zip(records, closures, strict=True):
        record["row"] = row
        if isinstance(closure, Coupling):
            _write_coupling(record, closure, joints)
        else:
            _write_connection(record, closure, frames)
        row += ROWS[record["kind"]]
    return records


def _write_coupling(record: np.void, coupling: Coupling, joints: Mapping[str, int]) -> None:
    for joint in (coupling.joint, coupling.other):
        if joint and joint not in joints:
            raise ModelError(
                f"{coupling.name} refers to joint {joint!r}, which the robot does not have as a revolute, continuous "
                f"or prismatic one; {suggestion(joint, joints)}"
            )
    if coupling.joint == coupling.other:
        raise ModelError(f"{coupling.name} couples joint {coupling.joint!r} to itself; expected another joint")
    record["kind"], record["first"] = COUPLING, joints[coupling.joint]
    record["second"] = joints[coupling.other] if coupling.other else WORLD
    record["coefficients"][: len(coupling.coefficients)] = coupling.coefficients
    record["first_reference"], record["second_reference"] = coupling.references


def _write_connection(record: np.void, connection: Connection, frames: Mapping[str, "Frame"]) -> None:
    record["kind"] = CONNECTION
    for side, link, point in zip(("first", "second"), connection.links, connection.points, strict=True):
        if link and link not in frames:
            raise ModelError(
                f"closure {connection.name!r} refers to link {link!r}, which the robot does not have; "
                f"{suggestion(link, frames)}"
            )
        record[side] = frames[link].link if link else WORLD
        record[f"{side}_point"] = frames[link].placement.apply(point) if link else point
    if record["first"] == record["second"]:
        links = " and ".join(map(repr, connection.links))
        raise ModelError(f"closure {connection.name!r} joins {links}, which move as one body; expected two bodies")


def row_count(closures: np.ndarray) -> int:
    """Return how many equations CLOSURE records have."""
    return int(sum(ROWS[kind] for kind in closures["kind"]))
