"""The log of a run: what a row holds and the kernel that writes it. Nothing else knows where things stand in a row."""

import numpy as np

from ..dynamics.kinematics import copy, place_poses, point_position, velocities_to_base_axes, world_position
from ..dynamics.record_fields import put_vector_at, vector
from ..dynamics.spatial import vadd, vscale, vsub
from ..jit import inlined, inlined_as_written, shared
from ..model import RobotModel
from ..terrain.surface import surface
from .records import OPEN, SOLVER_TERMS, WORK_TERMS

LEDGER = len(WORK_TERMS) + len(SOLVER_TERMS)
PER_POINT = 14  # force, slip velocity, position and normal (3 each), gap, mode
NO_LOG = np.empty((0, 0))


def log_width(robot: RobotModel) -> int:
    """Return the number of columns of a log row."""
    return robot.nq + robot.nv + LEDGER + 1 + PER_POINT * len(robot.contact_names)


class LogRows:
    """What rows of a log (..., log_width) hold, as views into them; m contact points.

    Attributes:
        q: coordinates, (..., nq).
        v: velocities, base velocity in the base's axes, (..., nv).
        ledger: `works` and `solver` side by side.
        works: done on the robot since the last reset, J, (..., 7), in the order of `WORK_TERMS`.
        solver: (..., 11), in the order of `SOLVER_TERMS`.
        total: sum of the kernels' state, (...): finite only if all of the state is.
        force: on the robot, mean over the step, world axes, N, (..., m, 3).
        slip_velocity: of the touching point relative to the ground, along it, world axes, m/s, (..., m, 3); open: zero.
        position: of the touching point in the world, m, (..., m, 3).
        normal: out of the ground, (..., m, 3).
        gap: distance to the ground, m, (..., m); negative: penetration.
        mode: OPEN, STICK or SLIP as a float, (..., m).
    """

    def __init__(self, robot: RobotModel, rows: np.ndarray) -> None:
        """Cut the rows into views."""
        points, begin = len(robot.contact_names), 0

        def part(size: int, *shape: int) -> np.ndarray:
            nonlocal begin
            begin += size
            return rows[..., begin - size : begin].reshape((*rows.shape[:-1], *shape))

        self.q, self.v = part(robot.nq, robot.nq), part(robot.nv, robot.nv)
        self.ledger = part(LEDGER, LEDGER)
        self.works, self.solver = self.ledger[..., : len(WORK_TERMS)], self.ledger[..., len(WORK_TERMS) :]
        self.total = part(1)
        self.force = part(3 * points, points, 3)
        self.slip_velocity = part(3 * points, points, 3)
        self.position = part(3 * points, points, 3)
        self.normal = part(3 * points, points, 3)
        self.gap, self.mode = part(points, points), part(points, points)


@inlined_as_written
def mean_force(impulse, h):
    """Return the force, N, whose impulse over ``h``, s, is given; divided as Python divides, not by a reciprocal."""
    return impulse[0] / h, impulse[1] / h, impulse[2] / h


@inlined
def gap_and_normal(system, contact, center):
    """Return a contact point's gap, m, and normal at the end of the step.

    The step has not measured a point that was too far from the ground to matter in it.
    """
    if contact.near == 0:
        gap, nx, ny, nz = surface(system.terrain[0], system.heights, center[0], center[1], center[2])
        return gap - contact.radius, (nx, ny, nz)
    return contact.end_gap, vector(contact.normal)


@inlined
def slip_velocity(contact):
    """Return the velocity of a touching point along the ground at the end of the step, world axes, m/s."""
    along, across = contact.end_velocity[1] + contact.turning[0], contact.end_velocity[2] + contact.turning[1]
    return vadd(vscale(vector(contact.first_tangent), along), vscale(vector(contact.second_tangent), across))


@inlined
def record_contacts(system, h, row):
    """Write the contact points' part of a log row: five blocks of vectors and numbers, see `LogRows`."""
    points = len(system.contacts) - len(system.pairs)
    slips, positions, normals, gaps = 3 * points, 6 * points, 9 * points, 12 * points
    for k in range(points):
        contact = system.contacts[k]
        center = world_position(system.bodies, point_position(system.bodies[contact.link], vector(contact.offset)))
        gap, normal = gap_and_normal(system, contact, center)
        slip = slip_velocity(contact) if contact.mode != OPEN else (0.0, 0.0, 0.0)
        put_vector_at(row, 3 * k, mean_force(contact.impulse, h))
        put_vector_at(row, slips + 3 * k, slip)
        put_vector_at(row, positions + 3 * k, vsub(center, vscale(normal, contact.radius)))
        put_vector_at(row, normals + 3 * k, normal)
        row[gaps + k], row[gaps + points + k] = gap, contact.mode


@shared
def record(system, h, row):
    """Write one row of a log after a step of length ``h``, s; see `LogRows`."""
    nv = system.dofs.shape[1]
    nq, width = len(system.state) - nv, len(system.ledger)
    q, v = system.state[:nq], system.state[nq:]
    place_poses(system.links, system.bodies, q, v)
    copy(q, row[:nq])
    velocities_to_base_axes(system.links, q, v, row[nq : nq + nv])
    copy(system.ledger, row[nq + nv : nq + nv + width])
    total = 0.0
    for number in system.state:
        total += number
    row[nq + nv + width] = total
    record_contacts(system, h, row[nq + nv + width + 1 :])
