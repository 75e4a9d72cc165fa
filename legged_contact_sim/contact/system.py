"""Everything a time-stepping kernel works on, as one named tuple of arrays; and the arrays that Python owns.

The contact problem has room for some contacts at once, not for all points of a robot. A step that needs more room is
interrupted (`pending` says where), Python makes room (`with_room`), and the step goes on.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..actuation.rows import DOF_ROWS, LOWER, UPPER
from ..dynamics.closures import closure_work
from ..dynamics.contact_inertia import ROW
from ..dynamics.workspace import workspace
from ..model import RobotModel
from ..model.records import FREE, PRISMATIC
from ..terrain import Terrain
from .pushes import no_pushes
from .records import CONTACT, SOLVER_TERMS, WORK_TERMS


class System(NamedTuple):
    """A robot on a terrain in the middle of a step. Velocities are in outer axes.

    n links, m contact points, p pairs of bodies that can collide; room for c contacts and s scalar rows (joint limits)
    at once, r = 3 c + s rows.
    """

    links: Any  # LINK (n,)
    bodies: Any  # BODY (n + p + 1,): links, relative motions of pairs, the world
    contacts: Any  # the model's record, which begins with CONTACT's fields, (m + p,)
    terrain: Any  # TERRAIN (1,)
    heights: Any  # nodes of a height field
    rows: Any  # ROW (r,)
    state: Any  # q and v at the start of the (sub)step, (nq + nv,)
    result: Any  # q and v at its end, (nq + nv,)
    dofs: Any  # (DOF_ROWS, nv): see actuation/rows.py
    forces: Any  # external wrenches in world axes at the links' origins, (n, 6)
    slides: Any  # per link: direction in which the joint's dry friction slides, -1 or 1; 0: it holds, (n,)
    ledger: Any  # work terms, then solver terms, (18,)
    pushes: Any  # PUSH records: external wrenches with an end
    pending: Any  # a step that was interrupted for want of room: see `LEFT`, (6,)
    row_efforts: Any  # what each row leaves in the joints, (r, n)
    # per row: the force that reaches the FREE body at its end, and the motion it gives; of many rows what they leave in
    # all degrees of freedom, the motion it gives, and their softness (`factored_rows`), (max(12, 2 nv + 1), r)
    columns: Any
    active: Any  # indices of the contacts that act: rows 3 k to 3 k + 2 are those of contacts[active[k]], (c,)
    limited: Any  # links of the joints at a limit, whose rows come after the contacts', (s,)
    sides: Any  # per row of a joint limit: 1 at the lower limit, -1 at the upper one, (r,)
    G: Any  # inverse contact inertia, (r, r): row_velocities = G impulses + offsets
    bounds: Any  # per scalar row: 0 for a limit, z >= 0; else the largest size of the impulse, (r,)
    offsets: Any  # velocities without impulses, with what gaps and restitution ask for, (r,)
    impulses: Any  # (r,), N s (N m s for a joint limit)
    row_velocities: Any  # (r,), m/s
    modes: Any  # OPEN, STICK or SLIP of each contact that acts, (c,)
    elastic_impulses: Any  # of an impact whose restitution would gain energy, (r,)
    work: Any  # of the solver: a named tuple of its own, or None
    pairs: Any  # PAIR records of bodies that can collide, whose contacts are the last ones, (p,)
    closures: Any  # `Closures` of a robot with loops or coupled joints, else ()


ROWS_OF_A_JOINT = 3  # at most: its limit, its dry friction, its drive
SOLVER = len(WORK_TERMS)  # where the solver terms begin in the ledger
# Places in System.pending: time left of the step, s (0: none is pending), its part, impacts so far, contacts that act.
LEFT, LENGTH, ARRIVALS, ARRIVAL, IMPACTS_SO_FAR, NEEDED = range(6)


def contact_records(robot: RobotModel, record: np.dtype = CONTACT) -> np.ndarray:
    """Return fresh records for the robot's contact points and, after them, its collision pairs.

    Args:
        robot: the robot.
        record: CONTACT, or what extends it.
    """
    points, pairs = robot.contact_points, robot.collision_pairs
    contacts = np.zeros(contact_count(robot), dtype=record)
    contacts["link"] = np.concatenate([points["link"], pairs["first"]])
    contacts["motion"] = np.concatenate([points["link"], len(robot.links) + np.arange(len(pairs))])
    contacts["offset"][: len(points)] = points["position"]
    contacts["radius"][: len(points)] = points["radius"]
    contacts["normal"][:, 2] = 1.0
    return contacts


def contact_count(robot: RobotModel) -> int:
    """Return how many contacts there can be at once: points on the ground, and pairs of bodies."""
    return len(robot.contact_points) + len(robot.collision_pairs)


def build_system(
    robot: RobotModel, terrain: Terrain, contact_record: np.dtype = CONTACT, room: int | None = None
) -> System:
    """Return a system with the robot at rest in its home pose and all arrays allocated.

    Args:
        robot: the robot.
        terrain: the ground.
        contact_record: what the model keeps of a contact point.
        room: for so many contacts at once; None: for all.
    """
    n, nv, most = len(robot.links), robot.nv, contact_count(robot)
    contacts = most if room is None else min(room, most)
    return System(
        links=robot.links,
        bodies=workspace(robot, len(robot.collision_pairs)),
        contacts=contact_records(robot, contact_record),
        terrain=terrain.record.copy() if terrain.moves else terrain.record,
        heights=terrain.heights,
        state=np.concatenate([robot.home, np.zeros(nv)]),
        result=np.zeros(robot.nq + nv),
        dofs=dof_rows(robot),
        forces=np.zeros((n, 6)),
        slides=np.zeros(n),
        ledger=np.zeros(len(WORK_TERMS) + len(SOLVER_TERMS)),
        pushes=no_pushes(),
        pending=np.zeros(6),
        work=None,
        pairs=robot.collision_pairs,
        closures=closure_work(robot.closures, n, 3 * most + ROWS_OF_A_JOINT * robot.joint_count)
        if len(robot.closures)
        else (),
        **problem_arrays(n, nv, contacts, ROWS_OF_A_JOINT * robot.joint_count),
    )


def problem_arrays(links: int, velocities: int, contacts: int, others: int, mirrored: int = 0) -> dict[str, np.ndarray]:
    """Return the arrays of `System` for a contact problem with at most so many rows.

    Args:
        links: of the robot.
        velocities: of the robot.
        contacts: at once, three rows each.
        others: scalar rows: joint limits, bilateral constraints.
        mirrored: rows that act on two trees (a joint cut open), which have a second part.
    """
    rows = max(1, 3 * contacts + others)
    parts = rows + mirrored
    return {
        "rows": np.zeros(parts, dtype=ROW),
        "row_efforts": np.zeros((parts, links)),
        "columns": np.zeros((max(12, 2 * velocities + 1), rows)),
        "active": np.zeros(contacts, dtype=np.int64),
        "limited": np.zeros(others, dtype=np.int64),
        "sides": np.zeros(rows),
        "G": np.zeros((rows, rows)),
        "bounds": np.zeros(rows),
        "offsets": np.zeros(rows),
        "impulses": np.zeros(parts),
        "row_velocities": np.zeros(rows),
        "modes": np.zeros(contacts, dtype=np.int64),
        "elastic_impulses": np.zeros(rows),
    }


def with_room(system: System, robot: RobotModel, contacts: int, make_work: Callable[[int], Any]) -> System:
    """Return the system with room for more contacts at once, and all that it holds.

    ``make_work(rows)`` returns the solver's work for so many rows.
    """
    arrays = problem_arrays(len(robot.links), robot.nv, contacts, ROWS_OF_A_JOINT * robot.joint_count)
    work = make_work(len(arrays["offsets"]))
    for name, array in arrays.items():
        copy_into(getattr(system, name), array)
    copy_into(system.work, work)
    return system._replace(work=work, **arrays)


def copy_into(old: Any, new: Any) -> None:
    """Copy an array into the first corner of a larger one; or the arrays of a tuple, or of tuples in it."""
    if isinstance(old, tuple):
        for part, larger in zip(old, new, strict=True):
            copy_into(part, larger)
    elif old is not None:
        new[tuple(slice(size) for size in old.shape)] = old


def dof_rows(robot: RobotModel) -> np.ndarray:
    """Return the numbers of the degrees of freedom, (DOF_ROWS, nv), zero but for the joints' limits."""
    dofs = np.zeros((DOF_ROWS, robot.nv))
    dofs[LOWER], dofs[UPPER] = -np.inf, np.inf
    joints = robot.links[robot.links["joint_kind"] != FREE]
    dofs[LOWER, joints["velocity_index"]] = joints["lower_limit"]
    dofs[UPPER, joints["velocity_index"]] = joints["upper_limit"]
    return dofs


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
