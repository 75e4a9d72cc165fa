"""What event-driven motion works on besides a `System`: extended state, modes, tolerances, the solver's arrays."""

from typing import Any, NamedTuple

import numpy as np

from ...model import RobotModel
from ..records import WORK_TERMS
from .contact_shape import point_records
from .flow.constraint_embedding import reduction_of

FLOW = np.dtype(
    [
        ("absolute_tolerance", "f8"),  # of the integrator, per number of the state
        ("relative_tolerance", "f8"),
        ("static_friction", "f8"),  # coefficient up to which a point sticks
        ("dynamic_friction", "f8"),  # coefficient of a point that slips
        ("stick_speed", "f8"),  # m/s; slower slip is rest
        ("force_tolerance", "f8"),  # N (or N m): a force this far beyond its bound is within it
        ("longest_step", "f8"),  # s
    ],
    align=True,
)


class Motion(NamedTuple):
    """What event-driven motion works on besides a `System`; m contact points, r rows, n links."""

    points: Any  # POINT (m,)
    flow: Any  # FLOW (1,)
    y: Any  # q, v, then work of every kind and the contacts' impulses since the last output: see `state_length`
    stages: Any  # (STAGE_ROWS, len(y)): of the Runge-Kutta step
    stops: Any  # per link: 1 or -1 while the joint rests at its lower or upper limit, else 0, (n,)
    M: Any  # selection matrix, (r, r)
    normal: Any  # of its factors, (2, r, r)
    order: Any  # of its rows and columns, (2, r)
    vectors: Any  # (MOTION_ROWS, r)
    unknowns: Any  # (2, r): the row of every unknown; whether it is the normal force of a slipping point
    counts: Any  # active contacts, joints at a limit, unknowns, rank of M
    values: Any  # (3, codes): event functions at the start of the step, now, and where they begin to count
    step: Any  # (2,): see below
    reduction: Any  # work of the constraint embedding, if that is what finds the forces, else None


RIGHT, SOLUTION, WORK = range(3)
MOTION_ROWS = 3
ROW_OF, SLIPPING = range(2)
CONTACT_COUNT, STOP_COUNT, UNKNOWN_COUNT, RANK = range(4)
STAGE_ROWS = 9
# Places in Motion.step: next trial step, s; 1 while dry joints are damped instead.
TRIAL, DAMPED = range(2)
FIRST_TRIAL = 1e-4  # s; of the integrator after a reset


def state_length(robot: RobotModel) -> int:
    """Return the length of the extended state: q, v, work terms, three impulses per contact point."""
    return robot.nq + robot.nv + len(WORK_TERMS) + 3 * len(robot.contact_points)


def build_motion(robot: RobotModel, embedded: bool = False) -> Motion:
    """Return the work of a robot's event-driven motion, all arrays allocated."""
    m, n = len(robot.contact_points), len(robot.links)
    r = max(1, 3 * m + robot.joint_count)
    flow = np.zeros(1, dtype=FLOW)
    flow["force_tolerance"] = 1e-9 * (10.0 * robot.total_mass + 1.0)
    flow["longest_step"] = np.inf
    return Motion(
        points=point_records(robot.contact_points),
        flow=flow,
        y=np.zeros(state_length(robot)),
        stages=np.zeros((STAGE_ROWS, state_length(robot))),
        stops=np.zeros(n),
        M=np.zeros((r, r)),
        normal=np.zeros((2, r, r)),
        order=np.zeros((2, r), dtype=np.int64),
        vectors=np.zeros((MOTION_ROWS, r)),
        unknowns=np.zeros((2, r), dtype=np.int64),
        counts=np.zeros(4, dtype=np.int64),
        values=np.zeros((3, 2 * m + 2 * n)),
        step=np.array([FIRST_TRIAL, 0.0]),
        reduction=reduction_of(robot) if embedded else None,
    )


def restart_motion(motion: Motion) -> None:
    """Forget joint stops, event functions and how the integrator stepped."""
    motion.stops[:] = 0.0
    motion.values[:] = 0.0
    motion.step[:] = FIRST_TRIAL, 0.0
