"""Contact with Coulomb friction as a problem of its own: given W and q, find the impulses.

Each contact has three rows (normal, tangent, tangent). With the velocities v = W r + q, find impulses r such that

    v_n >= 0,  r_n >= 0,  v_n r_n = 0,      |r_t| <= mu r_n,  with v_t opposite to r_t where v_t is not zero.

W (the Delassus matrix) is symmetric and positive semidefinite; redundant contacts make it singular. The time steps of
`exact_lcp` and the finish of `moreau` use the same code (`solvers.block`, `solvers.proximal`), here island by island
(`solvers.islands`). Where that fails, convex problems (`solvers.interior_point`) give better starts.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy  # its parts load when they are used
from numpy.typing import ArrayLike, NDArray

from ..dynamics.functions import checked
from ..errors import ParameterError
from .solvers.interior_point import convex_iterates
from .solvers.islands import ASYMMETRY, friction_entry, room_for

Array = NDArray[np.float64]

CERTAIN = 1e-6  # relative; smaller velocities do not speak against a proof that there is no solution

FIRST_TRY = 200  # iterations, after which convex problems give better starts
POLISH = 300  # iterations from each of these

INDEFINITE = 1e-5  # of W's largest number: an eigenvalue that may be negative, since numbers of 32 bits are rounded
STALE = 12  # convex problems in a row that bring nothing, after which no more are tried
ROUNDING = 4.0 * np.finfo(np.float64).eps  # of the largest sum |W| |r| of a row: its velocity is not known any better

STATUS = ("solved", "rounding", "infeasible", "iteration_limit")  # best first
ARRAY, FLOAT = np.ndarray, np.dtype(np.float64)


class FrictionSolution(NamedTuple):
    """What `solve_friction` found.

    Attributes:
        impulses: r (3n,), N s; the best found where nothing converged.
        velocities: W r + q (3n,), m/s.
        iterations: Newton steps, sweeps and interior point steps, the most of any island.
        residual: natural map with De Saxce's correction, the largest of all contacts, m/s.
        converged: whether the residual is within the tolerance.
        status: "solved"; "rounding", the residual is as small as the rounding of W r allows, but above the tolerance;
            "infeasible", no impulses can keep the contacts from closing; "iteration_limit", the search gave up.
    """

    impulses: Array
    velocities: Array
    iterations: int
    residual: float
    converged: bool
    status: str


def solve_friction(
    W: Any,
    q: ArrayLike,
    mu: ArrayLike,
    tolerance: float = 1e-10,
    start: ArrayLike | None = None,
    *,
    max_iterations: int = 10000,
) -> FrictionSolution:
    """Find the impulses of n contacts with Coulomb friction, three rows each: normal, tangent, tangent.

    Contacts that share no body (islands) are solved on their own. Where contacts are redundant, the solution is the one
    nearest to the start: without a start the one of least norm.

    Args:
        W: symmetric matrix (3n, 3n), 1/kg, dense or any matrix of `scipy.sparse`.
        q: velocities without impulses (3n,), m/s.
        mu: friction coefficient of each contact (n,), or one number for all.
        tolerance: of the residual, m/s.
        start: impulses (3n,) to begin with, N s; none: zero.
        max_iterations: where to give up; iterations of all methods together, of the hardest island.

    Returns:
        A `FrictionSolution`. A problem that could not be solved has a status that says so, and the best impulses found.
    """
    plain = type(tolerance) is float and type(max_iterations) is int
    if not (plain and 0.0 < tolerance < math.inf and max_iterations > 0):
        tolerance, max_iterations = _checked_options(tolerance, max_iterations)
    free: Any = q
    friction: Any = mu
    plain = type(W) is type(free) is type(friction) is ARRAY and W.dtype is free.dtype is friction.dtype is FLOAT
    plain = plain and W.flags.carray and free.flags.carray and friction.flags.carray
    if not (plain and W.ndim == 2 and free.ndim == 1 and friction.ndim == 1):  # the kernel is compiled for such arrays
        if _is_sparse(W):
            if W.shape != (0, 0):
                return _solve_sparse(*_checked_problem(W, free, friction), tolerance, start, max_iterations)
            W = W.toarray()
        W, free, friction = _as_arrays(W, free, friction)
    guess = None if start is None else checked("start", start, len(free))
    if W.size == len(free) == len(friction) == 0:
        return FrictionSolution(np.empty(0), np.empty(0), 0, 0.0, True, STATUS[0])
    found = _solve_dense(
        W, free, friction, tolerance, guess, FIRST_TRY if max_iterations > FIRST_TRY else max_iterations
    )
    if found.converged:
        return found
    if guess is not None and found.status == "iteration_limit" and found.iterations < max_iterations:
        anew = _solve_dense(W, free, friction, tolerance, None, min(max_iterations - found.iterations, FIRST_TRY))
        found = (anew if anew.residual < found.residual else found)._replace(
            iterations=found.iterations + anew.iterations
        )
    if found.status != "iteration_limit" or found.iterations >= max_iterations:
        return found
    return _solve_by_convex_problems(W, free, friction, tolerance, found, max_iterations)


def _solve_dense(
    W: Array, q: Array, mu: Array, tolerance: float, start: Array | None, max_iterations: int
) -> FrictionSolution:
    """Solve a dense problem, island by island, from a start or none."""
    rows = len(q)
    z, w, room = np.zeros(rows) if start is None else start.copy(), np.empty(rows), np.empty(room_for(rows))
    iterations, residual = friction_entry(W, q, mu, z, w, room, tolerance, max_iterations, start is None)
    if residual <= tolerance:
        return FrictionSolution(z, w, iterations, residual, True, STATUS[0])
    if iterations < 0:
        _checked_problem(W, q, mu)
        raise ParameterError(f"W, q, mu: the sum of their numbers overflows; the largest of W is {np.abs(W).max():.3g}")
    contacts = len(mu)
    labels, failed = room[contacts : 2 * contacts].view(np.int64), ~(room[:contacts] <= tolerance)
    status = _failure(W, q, mu, z, room[:contacts], labels, failed)
    return FrictionSolution(z, w, iterations, residual, False, STATUS[status])


def _solve_by_convex_problems(
    W: Array, q: Array, mu: Array, tolerance: float, best: FrictionSolution, max_iterations: int
) -> FrictionSolution:
    """Start anew from the solutions of convex problems, until one leads to the end; return the best that was found."""
    if not best.residual < math.inf:
        return best  # its impulses overflow
    iterations, stale = best.iterations, 0
    lowest = float(np.linalg.eigvalsh(W)[0])
    if lowest < -INDEFINITE * np.abs(W).max():
        raise ParameterError(f"W: expected a positive semidefinite matrix, found the eigenvalue {lowest:.3g}")
    for impulses, steps in _while_finite(convex_iterates(W - min(lowest, 0.0) * np.eye(len(q)), q, mu)):
        found = _solve_dense(W, q, mu, tolerance, impulses, POLISH)
        iterations += steps + max(1, found.iterations)
        stale = stale + 1 if found.residual > 0.5 * best.residual else 0
        best = found if found.residual < best.residual else best
        if best.status != "iteration_limit" or stale == STALE or iterations >= max_iterations:
            break
    return best._replace(iterations=iterations)


def _while_finite(iterates: Iterator[tuple[Array, int]]) -> Iterator[tuple[Array, int]]:
    """Yield impulses and steps as long as no number overflows."""
    while True:
        with np.errstate(all="ignore"):
            impulses, steps = next(iterates)
        if not np.isfinite(impulses).all():
            return
        yield impulses, steps


def _checked_options(tolerance: Any, max_iterations: Any) -> tuple[float, int]:
    """Return the options as the kernel is compiled for them, or raise a ParameterError that names what is wrong."""
    if not (isinstance(tolerance, float | int | np.floating | np.integer) and 0.0 < tolerance < math.inf):
        raise ParameterError(f"tolerance is {tolerance!r}; expected a positive number")
    if not (isinstance(max_iterations, int | np.integer) and max_iterations >= 1):
        raise ParameterError(f"max_iterations is {max_iterations!r}; expected an integer of at least 1")
    return float(tolerance), int(max_iterations)


def _as_arrays(W: Any, q: Any, mu: Any) -> tuple[Array, Array, Array]:
    """Return a dense problem as arrays that the kernel takes; whether their numbers and sizes fit, it finds out."""
    try:
        matrix, free = _as_numbers(W), _as_numbers(q)
        friction = _as_numbers(mu if np.ndim(mu) else np.full(len(free) // 3, mu))
    except (TypeError, ValueError):
        return _checked_problem(W, q, mu)
    if not matrix.ndim == 2 == 2 * free.ndim == 2 * friction.ndim:
        return _checked_problem(W, q, mu)
    return matrix, free, friction


def _as_numbers(value: Any) -> Array:
    """Return a copy as an array in C order; what is complex or text raises a TypeError."""
    return np.asarray(value).astype(np.float64, order="C", casting="same_kind")


def _failure(
    W: Array, q: Array, mu: Array, z: Array, errors: Array, labels: NDArray[np.int64], failed: NDArray[np.bool_]
) -> int:
    """Return the status of a problem with islands that were not solved."""
    status = 0
    for label in np.unique(labels[failed]):
        contacts = np.flatnonzero(labels == label)
        rows = _rows_of(contacts)
        own, free, impulses, error = W[np.ix_(rows, rows)], q[rows], z[rows], errors[contacts[0]]
        if error <= ROUNDING * np.max(np.abs(own) @ np.abs(impulses) + np.abs(free)):
            status = max(status, STATUS.index("rounding"))
        elif error > CERTAIN * np.abs(free).max() and _is_infeasible(own, free, mu[contacts], impulses):
            status = max(status, STATUS.index("infeasible"))
        else:
            status = STATUS.index("iteration_limit")
    return status


def _rows_of(contacts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rows of contacts."""
    rows: NDArray[np.intp] = (3 * contacts[:, None] + np.arange(3)).ravel()
    return rows


def _is_sparse(W: Any) -> bool:
    """Return whether a matrix is one of `scipy.sparse`, without loading that for one that is not."""
    return hasattr(W, "tocsr")


def _solve_sparse(
    W: Any, q: Array, mu: Array, tolerance: float, start: ArrayLike | None, max_iterations: int
) -> FrictionSolution:
    """Solve every island of a sparse problem as a dense one."""
    guess = None if start is None else checked("start", start, len(q))
    coupling, count = W.tocoo(), len(mu)
    pattern = scipy.sparse.coo_matrix((np.ones(coupling.nnz), (coupling.row // 3, coupling.col // 3)), (count, count))
    labels = scipy.sparse.csgraph.connected_components(pattern, directed=False)[1]
    z, w, iterations, residual, status = np.empty(len(q)), np.empty(len(q)), 0, 0.0, 0
    order, ends = np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))
    for contacts in np.split(order, ends[:-1]):
        rows = _rows_of(contacts)
        own = None if guess is None else guess[rows]
        found = solve_friction(
            W[rows][:, rows].toarray(), q[rows], mu[contacts], tolerance, own, max_iterations=max_iterations
        )
        z[rows], w[rows] = found.impulses, found.velocities
        iterations, residual = max(iterations, found.iterations), max(residual, found.residual)
        status = max(status, STATUS.index(found.status))
    return FrictionSolution(z, w, iterations, residual, status == 0, STATUS[status])


def _is_infeasible(W: Array, q: Array, mu: Array, z: Array) -> bool:
    """Return whether the normal impulses of a failed search prove that there is no solution (Farkas' lemma).

    With y >= 0 along the normals, W y within the polar of the friction cones and q . y < 0, no r of the cones has
    (W r + q)_n >= 0, since y . (W r + q) = r . W y + q . y < 0.
    """
    size = np.max(z[::3], initial=0.0)
    if not 0.0 < size < math.inf:
        return False
    y = np.zeros(len(z))
    y[::3] = np.maximum(z[::3], 0.0) / size
    response = W @ y
    rise = response[::3] + mu * np.hypot(response[1::3], response[2::3])
    rounding = CERTAIN * (np.abs(W) @ y)  # of each row's own sum: masses may differ by many decades
    return bool((rise <= rounding[::3]).all() and q @ y < -CERTAIN * np.abs(q).max() * len(mu))


def _checked_problem(W: Any, q: ArrayLike, mu: ArrayLike) -> tuple[Any, Array, Array]:
    """Return the problem as float64 arrays (W: C order, or CSR), or raise a ParameterError that names what is wrong."""
    if _is_sparse(W):
        if not np.can_cast(W.dtype, FLOAT, "same_kind"):
            raise ParameterError(f"W: expected a matrix of numbers, found the type {W.dtype}")
        matrix = scipy.sparse.csr_matrix(W, dtype=np.float64)
        numbers = matrix.data
    else:
        try:
            matrix = _as_numbers(W)
        except (TypeError, ValueError):
            raise ParameterError(f"W: expected a matrix of numbers, found {W!r:.80}") from None
        numbers = matrix
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] % 3:
        raise ParameterError(f"W: expected a square matrix with three rows per contact, found shape {matrix.shape}")
    if not np.isfinite(numbers).all():
        raise ParameterError("W: every number must be finite, found NaN or infinity")
    diagonal = matrix.diagonal()
    if len(diagonal) and not diagonal.min() > 0.0:
        row = int(np.argmin(diagonal))
        raise ParameterError(
            f"W[{row}, {row}]: expected a positive number (what an impulse moves), found {diagonal[row]}"
        )
    asymmetry = abs(matrix - matrix.T).max() if len(diagonal) else 0.0
    if len(diagonal) and asymmetry > ASYMMETRY * diagonal.max():
        raise ParameterError(f"W: expected a symmetric matrix, found entries that differ by {asymmetry:.3g}")
    count = matrix.shape[0] // 3
    friction = checked("mu", np.full(count, mu) if np.ndim(mu) == 0 else mu, count)
    if count and friction.min() < 0.0:
        k = int(np.argmin(friction))
        raise ParameterError(f"mu[{k}]: expected a number of at least 0, found {friction[k]}")
    return matrix, checked("q", q, matrix.shape[0]), friction
