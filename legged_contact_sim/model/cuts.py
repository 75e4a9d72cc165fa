"""Coordinate sets beyond the minimal one: a robot cut into free trees, and the joints that hold them together.

Gehring compares three sets: minimal (nothing is cut), extended (every joint on the base is cut, the limbs keep their
inner joints) and maximal (every joint is cut: free bodies). A cut joint becomes bilateral constraints between the body
that it moves and the one that carries it.

A body without inertia cannot be free. It belongs to the joint that is cut: its own joint and the next one together
make a joint with two freedoms (a hip without mass: a universal joint).
"""

from dataclasses import dataclass

import numpy as np

from ..errors import ParameterError
from .records import FREE
from .robot import RobotModel

COORDINATES = ("minimal", "extended", "maximal")
MOST_FREEDOMS = 2

CUT = np.dtype(
    [
        ("body", "i8"),  # index of the body that is cut free
        ("carrier", "i8"),  # index of the body that carries its joint
        ("freedoms", "i8"),  # how many joints lie between them: the body's own and those of bodies without inertia
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class Forest:
    """A robot cut apart. Bodies keep their indices, so that contact points and wrenches stay where they are.

    Attributes:
        links: LINK records: cut bodies are FREE children of the world, whose velocities begin at the robot's nv.
        cuts: CUT records, carriers before the bodies that they carry.
        nv: how many velocities the forest has: those of the robot, then six for every cut body.
    """

    links: np.ndarray
    cuts: np.ndarray
    nv: int

    @property
    def constraint_rows(self) -> int:
        """How many bilateral constraints hold the forest together."""
        return int((6 - self.cuts["freedoms"]).sum())

    @property
    def degrees_of_freedom(self) -> int:
        """How many velocities the free trees have in all (20 rows on 38 for a quadruped with three joints a leg)."""
        return self.nv - int(self.cuts["freedoms"].sum())


def cut(robot: RobotModel, coordinates: str) -> Forest:
    """Cut a robot with a floating base into a forest.

    Args:
        robot: the robot.
        coordinates: "minimal", "extended" or "maximal".

    Raises:
        ParameterError: the robot cannot be cut like that.
    """
    if coordinates not in COORDINATES:
        raise ParameterError(f"coordinates: expected one of {', '.join(COORDINATES)}, found {coordinates!r}")
    if coordinates != "minimal" and len(robot.closures):
        raise ParameterError(f"coordinates: {coordinates} cannot keep {robot.closure_names[0]}; expected minimal")
    links = robot.links.copy()
    found: list[tuple[int, int, int]] = []
    if coordinates != "minimal":
        _check_base(robot, coordinates)
        inert = _has_inertia(robot.links)
        _check_contacts(robot, inert, coordinates)
        for body in range(1, len(links)):
            carrier, freedoms = _carrier(robot, inert, body)
            if inert[body] and (coordinates == "maximal" or carrier == 0):
                found.append((body, carrier, freedoms))
    for k, (body, _, _) in enumerate(found):
        _free(links[body : body + 1], robot.nv + 6 * k)
    links.flags.writeable = False
    return Forest(links, np.array(found, dtype=CUT), robot.nv + 6 * len(found))


def _has_inertia(links: np.ndarray) -> np.ndarray:
    return (links["mass"] > 0.0) & (links["inertia"][:, [0, 3, 5]] > 0.0).all(axis=1)


def _carrier(robot: RobotModel, inert: np.ndarray, body: int) -> tuple[int, int]:
    """Return the nearest body with inertia that carries a body, and the number of joints between them."""
    carrier, freedoms = int(robot.links["parent"][body]), 1
    while not inert[carrier]:
        carrier, freedoms = int(robot.links["parent"][carrier]), freedoms + 1
    if freedoms > MOST_FREEDOMS:
        raise ParameterError(
            f"coordinates: {robot.link_names[body]!r} hangs on {freedoms - 1} links without inertia in a row; "
            "expected at most 1 outside minimal coordinates"
        )
    return carrier, freedoms


def _free(link: np.ndarray, velocity_index: int) -> None:
    """Make the one record a free child of the world."""
    link["parent"], link["joint_kind"], link["velocity_index"] = -1, FREE, velocity_index
    link["placement"], link["home"] = 0.0, np.eye(3).ravel()


def _check_base(robot: RobotModel, coordinates: str) -> None:
    free = np.flatnonzero(robot.links["joint_kind"] == FREE)
    if robot.base != "floating" or free.tolist() != [0]:
        raise ParameterError(
            f"coordinates: {coordinates} needs one floating base and no other floating joint, "
            f"found base {robot.base!r} with {len(free)} floating joints; expected minimal"
        )


def _check_contacts(robot: RobotModel, inert: np.ndarray, coordinates: str) -> None:
    for name, link in zip(robot.contact_names, robot.contact_points["link"], strict=True):
        if not inert[link]:
            raise ParameterError(
                f"coordinates: contact point {name!r} is on a link without inertia, which {coordinates} coordinates "
                "cannot carry; expected minimal"
            )
