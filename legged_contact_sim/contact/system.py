"""Everything a time-stepping kernel works on, as one named tuple of arrays; and the arrays that Python owns."""

from typing import Any, NamedTuple

import numpy as np

from ..actuation.rows import LOWER, RATE_ROWS, UPPER
from ..dynamics.contact_inertia import ROW
from ..dynamics.workspace import workspace
from ..model import RobotModel
from ..model.records import FREE, PRISMATIC
from ..terrain import Terrain
from .pushes import no_pushes
from .records import CONTACT, SOLVER_TERMS, WORK_TERMS


class System(NamedTuple):
    """A robot on a terrain in the middle of a step. Rates are in outer axes; n links, m contact points, r rows."""

    links: Any  # LINK (n,)
    bodies: Any  # BODY (n + 1,)
    contacts: Any  # the model's record, which begins with CONTACT's fields, (m,)
    terrain: Any  # TERRAIN (1,)
    heights: Any  # nodes of a height field
    rows: Any  # ROW (r,)
    state: Any  # q and v at the start of the (sub)step, (nq + nv,)
    result: Any  # q and v at its end, (nq + nv,)
    rates: Any  # (RATE_ROWS, nv): see actuation/rows.py
    forces: Any  # external wrenches in world axes at the links' origins, (n, 6)
    slides: Any  # per link: direction in which the joint's dry friction slides, -1 or 1; 0: it holds, (n,)
    ledger: Any  # work terms, then solver terms, (13,)
    pushes: Any  # PUSH records: external wrenches with an end
    row_efforts: Any  # what each row leaves in the joints, (r, n)
    columns: Any  # per row: the force that reaches the FREE body at its end, and the motion it gives, (12, r)
    active: Any  # indices of the contacts that act: rows 3 k to 3 k + 2 are those of contacts[active[k]], (r,)
    limited: Any  # links of the joints at a limit, whose rows come after the contacts', (r,)
    sides: Any  # per row of a joint limit: 1 at the lower limit, -1 at the upper one, (r,)
    G: Any  # inverse contact inertia, (r, r): row_velocities = G impulses + offsets
    offsets: Any  # velocities without impulses, with what gaps and restitution ask for, (r,)
    impulses: Any  # (r,), N s (N m s for a joint limit)
    row_velocities: Any  # (r,), m/s
    modes: Any  # OPEN, STICK or SLIP of each contact that acts, (r,)
    elastic_impulses: Any  # of an impact whose restitution would gain energy, (r,)
    work: Any  # of the solver: a named tuple of its own, or None


SOLVER = len(WORK_TERMS)  # where the solver terms begin in the ledger


def contact_records(robot: RobotModel, record: np.dtype = CONTACT) -> np.ndarray:
    """Return fresh records for the robot's contact points: CONTACT, or what extends it."""
    contacts = np.zeros(len(robot.contact_points), dtype=record)
    contacts["link"] = robot.contact_points["link"]
    contacts["offset"] = robot.contact_points["position"]
    contacts["radius"] = robot.contact_points["radius"]
    contacts["normal"][:, 2] = 1.0
    return contacts


def build_system(robot: RobotModel, terrain: Terrain, contact_record: np.dtype = CONTACT) -> System:
    """Return a system with the robot at rest in its home pose and all arrays allocated."""
    n, nv = len(robot.links), robot.nv
    r = max(1, 3 * len(robot.contact_points) + robot.joint_count)
    return System(
        links=robot.links,
        bodies=workspace(robot),
        contacts=contact_records(robot, contact_record),
        terrain=terrain.record,
        heights=terrain.heights,
        state=np.concatenate([robot.home, np.zeros(nv)]),
        result=np.zeros(robot.nq + nv),
        rates=rate_rows(robot),
        forces=np.zeros((n, 6)),
        slides=np.zeros(n),
        ledger=np.zeros(len(WORK_TERMS) + len(SOLVER_TERMS)),
        pushes=no_pushes(),
        work=None,
        **problem_arrays(n, r, r),
    )


def problem_arrays(links: int, rows: int, parts: int) -> dict[str, np.ndarray]:
    """Return the arrays of `System` for a contact problem with so many rows.

    Args:
        links: of the robot.
        rows: at most, in the problem.
        parts: at most, of its rows: a row that acts on two trees (a joint cut open) has two of them.
    """
    return {
        "rows": np.zeros(parts, dtype=ROW),
        "row_efforts": np.zeros((parts, links)),
        "columns": np.zeros((12, rows)),
        "active": np.zeros(rows, dtype=np.int64),
        "limited": np.zeros(rows, dtype=np.int64),
        "sides": np.zeros(rows),
        "G": np.zeros((rows, rows)),
        "offsets": np.zeros(rows),
        "impulses": np.zeros(parts),
        "row_velocities": np.zeros(rows),
        "modes": np.zeros(rows, dtype=np.int64),
        "elastic_impulses": np.zeros(rows),
    }


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
