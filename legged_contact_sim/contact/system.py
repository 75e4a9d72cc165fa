"""Everything a time-stepping kernel works on, as one named tuple of arrays; and the arrays that Python owns."""

from typing import Any, NamedTuple

import numpy as np

from ..actuation.rows import LOWER, RATE_ROWS, UPPER
from ..dynamics.contact_inertia import ROW
from ..dynamics.workspace import workspace
from ..model import RobotModel
from ..model.records import FREE, PRISMATIC
from ..terrain import Terrain
from .records import CONTACT, SOLVER_TERMS, WORK_TERMS


class System(NamedTuple):
    """A robot on a terrain in the middle of a step. Rates are in outer axes; n links, m contact points, r rows."""

    links: Any  # LINK (n,)
    bodies: Any  # BODY (n + 1,)
    contacts: Any  # CONTACT (m,)
    terrain: Any  # TERRAIN (1,)
    heights: Any  # nodes of a height field
    rows: Any  # ROW (r,)
    state: Any  # q and v at the start of the (sub)step, (nq + nv,)
    result: Any  # q and v at its end, (nq + nv,)
    rates: Any  # (RATE_ROWS, nv): see actuation/rows.py
    forces: Any  # external wrenches in world axes at the links' origins, (n, 6)
    slides: Any  # per link: direction in which the joint's dry friction slides, -1 or 1; 0: it holds, (n,)
    row_efforts: Any  # what each row leaves in the joints, (r, n)
    G: Any  # inverse contact inertia, (r, r)
    matrix: Any  # work of the couplings (12, r) and of the solver (r + 2, r + 3)
    vectors: Any  # (VECTOR_ROWS, r): see below
    indices: Any  # (3, r): active contacts, links of the joints at a limit, contact modes
    ledger: Any  # work terms, then solver terms, (12,)


# Rows of System.vectors.
OFFSET, IMPULSE, SHARE, SIDE, ALTERNATIVE, KEPT, VELOCITY = range(7)
VECTOR_ROWS = 7
SOLVER = len(WORK_TERMS)  # where the solver terms begin in the ledger
# Rows of System.indices.
ACTIVE, JOINTED, MODE = range(3)


def contact_records(robot: RobotModel) -> np.ndarray:
    """Return fresh CONTACT records for the robot's contact points."""
    contacts = np.zeros(len(robot.contact_points), dtype=CONTACT)
    contacts["link"] = robot.contact_points["link"]
    contacts["offset"] = robot.contact_points["position"]
    contacts["radius"] = robot.contact_points["radius"]
    contacts["normal"][:, 2] = 1.0
    return contacts


def build_system(robot: RobotModel, terrain: Terrain) -> System:
    """Return a system with the robot at rest in its home pose and all arrays allocated."""
    n, nv = len(robot.links), robot.nv
    r = max(1, 3 * len(robot.contact_points) + robot.joint_count)
    return System(
        links=robot.links,
        bodies=workspace(robot),
        contacts=contact_records(robot),
        terrain=terrain.record,
        heights=terrain.heights,
        rows=np.zeros(r, dtype=ROW),
        state=np.concatenate([robot.home, np.zeros(nv)]),
        result=np.zeros(robot.nq + nv),
        rates=rate_rows(robot),
        forces=np.zeros((n, 6)),
        slides=np.zeros(n),
        row_efforts=np.zeros((r, n)),
        G=np.zeros((r, r)),
        matrix=solver_work(r),
        vectors=np.zeros((VECTOR_ROWS, r)),
        indices=np.zeros((3, r), dtype=np.int64),
        ledger=np.zeros(len(WORK_TERMS) + len(SOLVER_TERMS)),
    )


def solver_work(rows: int) -> np.ndarray:
    """Return room for the couplings of so many rows and for the solvers."""
    return np.zeros((max(rows + 2, 12), rows + 3))


def rate_rows(robot: RobotModel) -> np.ndarray:
    """Return the rows of rates, (RATE_ROWS, nv), zero but for the joints' limits."""
    rates = np.zeros((RATE_ROWS, robot.nv))
    rates[LOWER], rates[UPPER] = -np.inf, np.inf
    joints = robot.links[robot.links["joint_kind"] != FREE]
    rates[LOWER, joints["velocity_index"]] = joints["lower_limit"]
    rates[UPPER, joints["velocity_index"]] = joints["upper_limit"]
    return rates


def extent(robot: RobotModel) -> float:
    """Return a distance, m, that no contact point can have from any joint that moves it: all links laid end to end."""
    slides_inside = (robot.links["joint_kind"] == PRISMATIC) & (robot.links["parent"] >= 0)
    spans = np.linalg.norm(robot.links["placement"], axis=1)
    points = np.linalg.norm(robot.contact_points["position"], axis=1) + robot.contact_points["radius"]
    total = float(spans.sum() + points.max(initial=0.0))
    return total + 100.0 * slides_inside.any()  # no sliding joint inside a robot is longer


def dry_joints(robot: RobotModel) -> int:
    """Return 1 if any joint has dry friction, else 0."""
    return int((robot.links["friction"] > 0.0).any())
