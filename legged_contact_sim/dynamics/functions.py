"""The public functions of the dynamics: thin, on numpy arrays, in the public conventions.

Coordinates ``q = [x y z, qx qy qz qw, joints...]`` and velocities ``v = [linear, angular, joints...]`` with the base's
velocity in its own axes (as in Pinocchio); results for links and points are in world axes.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ParameterError
from ..model import RobotModel
from .articulated_body import forward_dynamics_entry
from .closures import closed_forward_dynamics_entry, closure_work
from .composite_body import mass_matrix_entry
from .contact_inertia import ROW, contact_response_entry, inverse_contact_inertia_entry
from .energy import energy_entry
from .integrators import (
    DORMAND_PRINCE,
    MIDPOINT,
    RUNGE_KUTTA_4,
    SEMI_IMPLICIT_EULER,
    WORK_ROWS,
    integrate_entry,
)
from .jacobians import point_acceleration_entry, point_jacobian_entry
from .kinematics import forward_kinematics_entry
from .momentum import centroidal_entry
from .newton_euler import inverse_dynamics_entry
from .spatial import quaternion_matrix
from .workspace import workspace

Array = NDArray[np.float64]

SMALLEST = 5e-324  # the smallest number above zero
MOST_STEPS = 1e12  # of one call of integrate: weeks

INTEGRATORS = {
    "semi_implicit_euler": SEMI_IMPLICIT_EULER,
    "midpoint": MIDPOINT,
    "rk4": RUNGE_KUTTA_4,
    "dormand_prince": DORMAND_PRINCE,
}


class Poses(NamedTuple):
    """World poses of all bodies: ``rotation`` (n, 3, 3), ``position`` (n, 3) in m, in the order of `link_names`."""

    rotation: Array
    position: Array


def checked(name: str, value: ArrayLike, *shape: int) -> Array:
    """Return a finite float array of the given shape, or raise a ParameterError that names the argument."""
    try:
        # "same_kind" refuses complex numbers and text; always a writable copy: kernels are compiled for one kind
        array = np.asarray(value).astype(np.float64, order="C", casting="same_kind")
    except (TypeError, ValueError):
        size = " x ".join(map(str, shape))
        raise ParameterError(f"{name}: expected {size} numbers, found {value!r:.80}") from None
    if array.shape != shape:
        raise ParameterError(f"{name}: expected shape {shape}, found {array.shape}")
    if not np.isfinite(array).all():
        raise ParameterError(f"{name}: every number must be finite, found {array[~np.isfinite(array)][0]} in it")
    return array


def finite(name: str, value: float, lowest: float) -> float:
    """Return a finite number that is not below the lowest allowed, or raise a ParameterError that names it."""
    number = float(checked(name, value))
    if number < lowest:
        raise ParameterError(f"{name}: expected a finite number {'>= 0' if lowest == 0.0 else '> 0'}, found {value}")
    return number


def coordinates(robot: RobotModel, q: ArrayLike) -> Array:
    """Return q (nq,) as a checked copy whose quaternions have unit length."""
    array = checked("q", q, robot.nq)
    for k, _ in robot.free_indices:
        quaternion = array[k + 3 : k + 7]
        largest = max(map(abs, quaternion.tolist()))
        length = math.sqrt(quaternion @ quaternion) if largest < 2.0 else largest  # no overflow
        if not 0.5 < length < 2.0:
            raise ParameterError(f"q: the quaternion {quaternion} should have unit length, found {length:.3g}")
        quaternion /= length
    return array


def generalized_effort(robot: RobotModel, effort: ArrayLike | None) -> Array:
    """Return efforts (nv,) from one per joint (joint_count,), one per velocity (nv,), or None for zero."""
    if effort is None:
        return np.zeros(robot.nv)
    if getattr(effort, "shape", None) == (robot.nv,) or (isinstance(effort, Sequence) and len(effort) == robot.nv):
        return checked("effort", effort, robot.nv)
    full = np.zeros(robot.nv)
    full[robot.velocity_indices] = checked("effort", effort, robot.joint_count)
    return full


def external_wrenches(robot: RobotModel, forces: ArrayLike | None) -> Array:
    """Return external wrenches (n, 6), or (0, 6) for None."""
    if forces is None:
        return np.empty((0, 6))
    return checked("external_forces", forces, len(robot.links), 6)


def free_rotations(robot: RobotModel, q: Array) -> list[tuple[int, Array]]:
    """Return, for every FREE joint, where its velocities begin in v and its rotation (3, 3)."""
    found = []
    for k, j in robot.free_indices:
        x, y, z, w = q[k + 3 : k + 7].tolist()
        found.append((j, np.array(quaternion_matrix(x, y, z, w)).reshape(3, 3)))
    return found


def to_base_axes(robot: RobotModel, q: Array, v: Array) -> Array:
    """Return the public velocities v (nv,) from the kernels', which have FREE joints in outer axes."""
    public = v.copy()
    for j, rotation in free_rotations(robot, q):
        public[j : j + 3] = v[j : j + 3] @ rotation
        public[j + 3 : j + 6] = v[j + 3 : j + 6] @ rotation
    return public


def to_outer_axes(robot: RobotModel, q: Array, v: Array) -> Array:
    """Return the kernels' velocities (nv,) from public ones v (nv,)."""
    outer = v.copy()
    for j, rotation in free_rotations(robot, q):
        outer[j : j + 3] = rotation @ v[j : j + 3]
        outer[j + 3 : j + 6] = rotation @ v[j + 3 : j + 6]
    return outer


def forward_dynamics(
    robot: RobotModel,
    q: ArrayLike,
    v: ArrayLike,
    effort: ArrayLike | None = None,
    external_forces: ArrayLike | None = None,
) -> Array:
    """Return the acceleration that efforts and external forces cause, by the articulated body method.

    Loops and coupled joints (`RobotModel.closures`) hold; all other functions here are those of the tree.

    Args:
        robot: the robot.
        q: coordinates, (nq,), m and rad.
        v: velocities, (nv,), m/s and rad/s.
        effort: joint efforts, (joint_count,) or, with the base's wrench, (nv,); N m or N. None: zero.
        external_forces: wrench on every link, (n, 6): force N, moment N m, in world axes at the link's origin.

    Returns:
        dv/dt, (nv,), the derivatives of the numbers in ``v``.
    """
    nq, nv = robot.nq, robot.nv
    state = np.empty(nq + 6 * nv)
    state[:nq] = coordinates(robot, q)
    state[nq : nq + nv] = checked("v", v, nv)
    state[nq + nv : nq + 2 * nv] = generalized_effort(robot, effort)
    state[nq + 2 * nv : nq + 3 * nv] = robot.rotor_inertias
    forces = external_wrenches(robot, external_forces)
    if len(robot.closures):
        closures = closure_work(robot.closures, len(robot.links), 0)
        closed_forward_dynamics_entry(robot.links, workspace(robot), closures, state, forces)
    else:
        forward_dynamics_entry(robot.links, workspace(robot), state, forces)
    return state[nq + 5 * nv :].copy()


def inverse_dynamics(
    robot: RobotModel, q: ArrayLike, v: ArrayLike, acceleration: ArrayLike, external_forces: ArrayLike | None = None
) -> Array:
    """Return the generalised efforts (nv,) that a motion needs, by the recursive Newton-Euler method.

    Arguments as for `forward_dynamics`; ``acceleration`` is dv/dt, (nv,).
    """
    effort = np.empty(robot.nv)
    inverse_dynamics_entry(
        robot.links,
        workspace(robot),
        coordinates(robot, q),
        checked("v", v, robot.nv),
        checked("acceleration", acceleration, robot.nv),
        external_wrenches(robot, external_forces),
        np.empty((3, robot.nv)),
        effort,
    )
    return effort


def mass_matrix(robot: RobotModel, q: ArrayLike) -> Array:
    """Return the mass matrix A(q), (nv, nv), rotor inertias included, by the composite rigid body method."""
    matrix = np.empty((robot.nv, robot.nv))
    bodies, rest = workspace(robot), np.zeros(robot.nv)
    mass_matrix_entry(robot.links, bodies, coordinates(robot, q), rest, matrix)
    return matrix


def forward_kinematics(robot: RobotModel, q: ArrayLike) -> Poses:
    """Return the world poses of all bodies."""
    count = len(robot.links)
    rotations, positions = np.empty((count, 9)), np.empty((count, 3))
    forward_kinematics_entry(
        robot.links, workspace(robot), coordinates(robot, q), np.zeros(robot.nv), rotations, positions
    )
    return Poses(rotations.reshape(count, 3, 3), positions)


def point_on_link(robot: RobotModel, link: str | int, point: ArrayLike) -> tuple[int, Array]:
    """Return body index and offset in the body's frame, m, of a point in the frame of a link (merged ones too)."""
    offset = checked("point", point, 3)
    if isinstance(link, str):
        body = robot.link_index(link)
        return body, robot.frames[link].position + robot.frames[link].rotation @ offset
    if not isinstance(link, int | np.integer) or not 0 <= link < len(robot.links):
        raise ParameterError(f"link: expected a name or an index from 0 to {len(robot.links) - 1}, found {link!r}")
    return int(link), offset


def point_jacobian(robot: RobotModel, q: ArrayLike, link: str | int, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the Jacobian J (3, nv) of a point's velocity in world axes, ``point`` (3,) in the link's frame, m."""
    return link_jacobian(robot, q, link, point)[:3]


def link_jacobian(robot: RobotModel, q: ArrayLike, link: str | int, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the Jacobian (6, nv) of a point's velocity and the link's angular velocity, both in world axes."""
    body, offset = point_on_link(robot, link, point)
    place, jacobian = coordinates(robot, q), np.zeros((6, robot.nv))
    if body >= 0:
        point_jacobian_entry(robot.links, workspace(robot), place, np.zeros(robot.nv), body, offset, jacobian)
    return jacobian


def point_bias_acceleration(
    robot: RobotModel, q: ArrayLike, v: ArrayLike, link: str | int, point: ArrayLike = (0.0, 0.0, 0.0)
) -> Array:
    """Return ``dJ/dt v`` (3,), the acceleration in world axes that a point has while v stays constant, m/s^2."""
    body, offset = point_on_link(robot, link, point)
    place, velocities, acceleration = coordinates(robot, q), checked("v", v, robot.nv), np.zeros(3)
    if body >= 0:
        point_acceleration_entry(
            robot.links,
            workspace(robot),
            place,
            velocities,
            np.zeros(robot.nv),
            np.empty((2, robot.nv)),
            body,
            offset,
            acceleration,
        )
    return acceleration


def contact_points(robot: RobotModel, points: Sequence[str] | None) -> NDArray[np.void]:
    """Return the CONTACT_POINT records of the named points, all of the robot's for None."""
    if points is None:
        return robot.contact_points
    if isinstance(points, str) or not isinstance(points, Sequence | np.ndarray):
        raise ParameterError(f"points: expected a list of names, found {points!r:.80}")
    unknown = [name for name in points if name not in robot.contact_names]
    if unknown:
        known = ", ".join(robot.contact_names)
        raise ParameterError(f"points: no contact point named {unknown[0]!r}; there are {known}")
    chosen = robot.contact_points[[robot.contact_names.index(name) for name in points]]
    chosen.setflags(write=False)  # as the robot's own: kernels are compiled for one kind of array
    return chosen


def inverse_contact_inertia(robot: RobotModel, q: ArrayLike, points: Sequence[str] | None = None) -> Array:
    """Return ``J A^-1 J^T`` (3m, 3m) of m contact points' centres in world axes, 1/kg; by default all points."""
    records = contact_points(robot, points)
    count = 3 * len(records)
    inverse = np.empty((count, count))
    dofs = np.zeros((3, robot.nv))
    dofs[2] = robot.rotor_inertias
    inverse_contact_inertia_entry(
        robot.links,
        workspace(robot),
        records,
        np.zeros(count, dtype=ROW),
        np.zeros((count, len(robot.links))),
        coordinates(robot, q),
        dofs,
        inverse,
    )
    return inverse


def contact_response(robot: RobotModel, q: ArrayLike, points: Sequence[str] | None = None) -> Array:
    """Return ``A^-1 J^T`` (nv, 3m): the jump of v per unit impulse at m contact points, in world axes."""
    records = contact_points(robot, points)
    response = np.empty((robot.nv, 3 * len(records)))
    dofs = np.zeros((3, robot.nv))
    dofs[2] = robot.rotor_inertias
    bodies, change = workspace(robot), np.empty(robot.nv)
    contact_response_entry(robot.links, bodies, records, coordinates(robot, q), dofs, change, response)
    return response


def _centroidal(robot: RobotModel, q: ArrayLike, v: ArrayLike) -> Array:
    out = np.empty((3, 3))
    bodies, velocities = workspace(robot), checked("v", v, robot.nv)
    centroidal_entry(robot.links, bodies, coordinates(robot, q), velocities, np.empty(robot.nv), out)
    return out


def center_of_mass(robot: RobotModel, q: ArrayLike) -> Array:
    """Return the centre of mass (3,) in the world, m."""
    return _centroidal(robot, q, np.zeros(robot.nv))[0]


def centroidal_momentum(robot: RobotModel, q: ArrayLike, v: ArrayLike) -> Array:
    """Return linear momentum, kg m/s, and angular momentum about the centre of mass, kg m^2/s, (6,), world axes."""
    return _centroidal(robot, q, v)[1:].ravel()


def energies(robot: RobotModel, q: ArrayLike, v: ArrayLike) -> Array:
    """Return kinetic, potential and spring energy, (3,), J."""
    out = np.empty(3)
    bodies, velocities = workspace(robot), checked("v", v, robot.nv)
    energy_entry(robot.links, bodies, coordinates(robot, q), velocities, np.empty(robot.nv), out)
    return out


def kinetic_energy(robot: RobotModel, q: ArrayLike, v: ArrayLike) -> float:
    """Return the kinetic energy of bodies and rotors, J."""
    return float(energies(robot, q, v)[0])


def potential_energy(robot: RobotModel, q: ArrayLike) -> float:
    """Return the potential energy of gravity, J, zero at the world's origin."""
    return float(energies(robot, q, np.zeros(robot.nv))[1])


def spring_energy(robot: RobotModel, q: ArrayLike) -> float:
    """Return the energy in the joint springs, J."""
    return float(energies(robot, q, np.zeros(robot.nv))[2])


def integrate(
    robot: RobotModel,
    q: ArrayLike,
    v: ArrayLike,
    duration: float,
    time_step: float = 5e-4,
    method: str = "midpoint",
    effort: ArrayLike | None = None,
    external_forces: ArrayLike | None = None,
    absolute_tolerance: float = 1e-10,
    relative_tolerance: float = 1e-10,
) -> tuple[Array, Array]:
    """Return q and v after smooth motion (no contact, no limits, no dry friction) under held efforts and forces.

    Args:
        robot: the robot; joint damping and springs act.
        q: coordinates at the start, (nq,).
        v: velocities at the start, (nv,).
        duration: s; the nearest whole number of steps is taken.
        time_step: s; with "dormand_prince" only the first trial step.
        method: "semi_implicit_euler", "midpoint", "rk4" or "dormand_prince".
        effort: as for `forward_dynamics`.
        external_forces: as for `forward_dynamics`.
        absolute_tolerance: of "dormand_prince", per number of the state.
        relative_tolerance: of "dormand_prince".
    """
    if method not in tuple(INTEGRATORS):
        raise ParameterError(f"method: expected one of {', '.join(INTEGRATORS)}, found {method!r}")
    duration, time_step = finite("duration", duration, 0.0), finite("time_step", time_step, SMALLEST)
    absolute_tolerance = finite("absolute_tolerance", absolute_tolerance, SMALLEST)
    relative_tolerance = finite("relative_tolerance", relative_tolerance, 0.0)
    if duration / time_step > MOST_STEPS:
        raise ParameterError(f"time_step: {duration} s take more than {MOST_STEPS:g} steps of {time_step} s")
    code, steps = INTEGRATORS[method], round(duration / time_step)
    if code == DORMAND_PRINCE:
        steps, time_step = max(steps, 1), duration / max(steps, 1)
    y = np.concatenate([coordinates(robot, q), checked("v", v, robot.nv)])
    settings = np.array([steps, time_step, absolute_tolerance, relative_tolerance])
    taken = integrate_entry(
        robot.links,
        workspace(robot),
        y,
        generalized_effort(robot, effort),
        robot.rotor_inertias.copy(),
        external_wrenches(robot, external_forces),
        settings,
        code,
        np.empty((WORK_ROWS, len(y))),
    )
    if taken < 0 or not np.isfinite(y).all():
        raise ParameterError(
            "integrate: the motion could not be followed; the time step or a force is too large, or a joint too stiff"
        )
    return y[: robot.nq], y[robot.nq :]
