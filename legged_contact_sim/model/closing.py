"""Poses that satisfy a robot's closures: how far a pose is from that, and the nearest one that does."""

from collections.abc import Sequence

import numpy as np

from ..errors import ModelError
from .closures import CONNECTION, row_count
from .feet import chain
from .home import body_placements, stand
from .placement import Array, Placement
from .posture import Mechanism, Posture
from .records import FREE, REVOLUTE

CLOSED = 1e-12  # m or rad
ACCEPTED = 1e-6  # m or rad; what limits that are rounded may leave, and the first step takes away
ITERATIONS = 200
LONGEST_STEP = 0.2  # rad or m
WIDEST = 1e3  # a joint without limits


def closure_gaps(links: np.ndarray, closures: np.ndarray, q: Array) -> Array:
    """Return what is left of each equation at position q, (rows,), m or rad."""
    return _equations(links, closures, q, body_placements(links, q))[0]


def closed_pose(
    links: np.ndarray, closures: np.ndarray, names: Sequence[str], q: Array, keep: Sequence[int] = ()
) -> Array:
    """Return the position near q (nq,) that satisfies all closures, joints within their limits and FREE ones untouched.

    Gauss-Newton steps of smallest norm, in which joints to be kept count ten times as much.

    Args:
        links: LINK records.
        closures: CLOSURE records.
        names: of the closures.
        q: where to begin.
        keep: bodies whose joints should move least.

    Raises:
        ModelError: no such position was found; names the closure.
    """
    q = q.copy()
    if not len(closures):
        return q
    joints = links[links["joint_kind"] != FREE]
    position, rate = joints["position_index"], joints["velocity_index"]
    lower, upper = np.maximum(joints["lower_limit"], -WIDEST), np.minimum(joints["upper_limit"], WIDEST)
    kept = np.isin(np.flatnonzero(links["joint_kind"] != FREE), list(keep))
    mobility = np.where(kept, 0.01, 1.0)
    for _ in range(ITERATIONS):
        gaps, jacobian = _equations(links, closures, q, body_placements(links, q))
        if np.abs(gaps).max() < CLOSED:
            break
        step = _step(jacobian[:, rate], gaps, mobility)
        stuck = ((q[position] <= lower) & (step < 0.0)) | ((q[position] >= upper) & (step > 0.0))
        if stuck.any():
            step = _step(jacobian[:, rate], gaps, np.where(stuck, 0.0, mobility))
        step *= min(1.0, LONGEST_STEP / max(np.abs(step).max(), 1e-300))
        q[position] = np.clip(q[position] + step, lower, upper)
    gaps = closure_gaps(links, closures, q)
    worst = int(np.abs(gaps).argmax())
    if abs(gaps[worst]) > ACCEPTED:
        index = int(np.flatnonzero(closures["row"] <= worst)[-1])
        raise ModelError(
            f"{names[index]} cannot be closed from the pose given: {abs(gaps[worst]):.3g} m or rad is left; "
            "expected one near a pose in which all loops are closed"
        )
    return q


def closed_home(mechanism: Mechanism, closures: np.ndarray, names: Sequence[str], posture: Posture) -> Array:
    """Return the home pose with all loops closed, joints between trunk and feet moved least, standing as before."""
    if not len(closures):
        return posture.home
    links, points = mechanism.links, mechanism.contacts
    legs = {body for foot in posture.feet for body in chain(links, int(points["link"][foot]))}
    q = closed_pose(links, closures, names, posture.home, sorted(legs))
    if not np.array_equal(q, posture.home):
        stand(q, links, points)
    return q


def _step(jacobian: Array, gaps: Array, mobility: Array) -> Array:
    """Return the step (n,) of smallest weighted norm that takes the gaps away to first order."""
    weighted = jacobian * np.sqrt(mobility)
    return -np.sqrt(mobility) * (np.linalg.pinv(weighted, rcond=1e-8) @ gaps)


def _equations(links: np.ndarray, closures: np.ndarray, q: Array, placed: list[Placement]) -> tuple[Array, Array]:
    """Return the gaps (rows,) and their derivatives (rows, nv) by the velocities of joints; zero at FREE ones."""
    nv = int(links["velocity_index"].max()) + 6
    gaps, jacobian = np.zeros(row_count(closures)), np.zeros((row_count(closures), nv))
    for closure in closures:
        row = int(closure["row"])
        if closure["kind"] == CONNECTION:
            ends = [_end(closure, side, placed) for side in ("first", "second")]
            gaps[row : row + 3] = ends[0] - ends[1]
            for sign, side, end in zip((1.0, -1.0), ("first", "second"), ends, strict=True):
                _add_columns(links, placed, int(closure[side]), end, sign, jacobian[row : row + 3])
        else:
            gaps[row] = _coupled(links, closure, q, jacobian[row])
    return gaps, jacobian


def _coupled(links: np.ndarray, closure: np.void, q: Array, derivative: Array) -> float:
    """Return what is left of a coupling's equation; write its derivative."""
    first, second = links[closure["first"]], links[closure["second"]]
    polynomial = np.polynomial.Polynomial(closure["coefficients"])
    derivative[first["velocity_index"]] = 1.0
    x = 0.0
    if closure["second"] >= 0:
        x = float(q[second["position_index"]] - closure["second_reference"])
        derivative[second["velocity_index"]] = -float(polynomial.deriv()(x))
    return float(q[first["position_index"]] - closure["first_reference"] - polynomial(x))


def _end(closure: np.void, side: str, placed: list[Placement]) -> Array:
    point, body = np.array(closure[f"{side}_point"]), int(closure[side])
    return placed[body].apply(point) if body >= 0 else point


def _add_columns(links: np.ndarray, placed: list[Placement], body: int, end: Array, sign: float, out: Array) -> None:
    """Add what the joints that carry a body do to a point of it, (3, nv)."""
    while body >= 0 and links["joint_kind"][body] != FREE:
        link, parent = links[body], int(links["parent"][body])
        axis = placed[parent].rotation @ link["axis"] if parent >= 0 else link["axis"]
        column = np.cross(axis, end - placed[body].position) if link["joint_kind"] == REVOLUTE else axis
        out[:, link["velocity_index"]] += sign * column
        body = parent
