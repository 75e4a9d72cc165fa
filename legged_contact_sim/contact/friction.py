"""Contact with Coulomb friction as a problem of its own: given W and q, find the impulses.

Each contact has three rows (normal, tangent, tangent). With the velocities v = W r + q, find impulses r such that

    v_n >= 0,  r_n >= 0,  v_n r_n = 0,      |r_t| <= mu r_n,  with v_t opposite to r_t where v_t is not zero.

W (the Delassus matrix) is symmetric and positive semidefinite; redundant contacts make it singular. The time steps of
`exact_lcp` and the finish of `moreau` use the same code (`solvers.block`, `solvers.proximal`).
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..dynamics.functions import checked
from ..errors import ParameterError
from ..jit import compiled
from .solvers.block import solve_any
from .solvers.block_sweeps import sweep
from .solvers.problem import FrictionProblem, friction_work
from .solvers.proximal import choose_nearest
from .solvers.residuals import natural_map

Array = NDArray[np.float64]

FEW = 8  # contacts; so few are not searched for islands
ASYMMETRY = 1e-8  # of W, relative to its largest number
CERTAIN = 1e-6  # relative; smaller velocities do not speak against a proof that there is no solution

STATUS = ("solved", "infeasible", "iteration_limit")


class FrictionSolution(NamedTuple):
    """What `solve_friction` found.

    Attributes:
        impulses: r (3n,), N s; the best found where nothing converged.
        velocities: W r + q (3n,), m/s.
        iterations: Newton steps and sweeps, the most of any island.
        residual: natural map with De Saxce's correction, the largest of all contacts, m/s.
        converged: whether the residual is within the tolerance.
        status: "solved"; "infeasible", no impulses can keep the contacts from closing; "iteration_limit".
    """

    impulses: Array
    velocities: Array
    iterations: int
    residual: float
    converged: bool
    status: str


@compiled
def friction_entry(G, b, z, w, mu, modes, work, tolerance, max_iterations, cold):
    """Solve one problem, by a sweep first from a ``cold`` start; return the iterations and the natural map, m/s.

    Of many solutions the one nearest to the start is taken.
    """
    problem = FrictionProblem(G, b, z, w, mu, 0.0, modes, work, len(mu), len(b))
    for r in range(len(b)):
        work.centre[r] = z[r]
    if cold:
        sweep(problem, 1.0)
    iterations, residual = solve_any(problem, tolerance, tolerance, max_iterations, natural_map)
    if residual <= tolerance:
        residual = natural_map(problem)
        if len(mu) > 1:
            steps, residual = choose_nearest(problem, tolerance, natural_map)
            iterations += steps
    return iterations + int(cold), residual


def solve_friction(
    W: Any,
    q: ArrayLike,
    mu: ArrayLike,
    tolerance: float = 1e-10,
    start: ArrayLike | None = None,
    *,
    max_iterations: int = 2000,
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
        max_iterations: most Newton steps and sweeps of an island.

    Returns:
        A `FrictionSolution`. A problem that could not be solved is told by its status, with the best impulses found.
    """
    W, q, mu = _checked_problem(W, q, mu)
    if not 0.0 < tolerance < math.inf:
        raise ParameterError(f"tolerance is {tolerance!r}; expected a positive number")
    if not (isinstance(max_iterations, int | np.integer) and max_iterations >= 1):
        raise ParameterError(f"max_iterations is {max_iterations!r}; expected an integer of at least 1")
    z = np.zeros(len(q)) if start is None else checked("start", start, len(q)).copy()
    w, iterations, residual, status = np.empty(len(q)), 0, 0.0, 0
    for rows, contacts in _islands(W, len(mu)):
        part, friction, solution, velocities = _dense(W, rows), mu[contacts], z[rows], np.empty(len(q[rows]))
        modes, work = np.zeros(len(friction), dtype=np.int64), friction_work(len(velocities))
        done, error = friction_entry(
            part, q[rows], solution, velocities, friction, modes, work, tolerance, max_iterations, start is None
        )
        z[rows], w[rows] = solution, velocities
        iterations, residual = max(iterations, done), max(residual, error)
        if not error <= tolerance:
            status = max(status, 1 if _is_infeasible(part, q[rows], friction, solution) else 2)
    return FrictionSolution(z, w, int(iterations), float(residual), bool(residual <= tolerance), STATUS[status])


def _islands(W: Any, count: int) -> Iterator[tuple[Any, Any]]:
    """Yield the rows and the contacts of every group of contacts that W couples."""
    if count <= FEW and not sparse.issparse(W):
        yield slice(None), slice(None)
        return
    if sparse.issparse(W):
        coupling = W.tocoo()
        pattern = sparse.coo_matrix((np.ones(coupling.nnz), (coupling.row // 3, coupling.col // 3)), (count, count))
    else:
        pattern = sparse.csr_matrix((W != 0.0).reshape(count, 3, count, 3).any(axis=(1, 3)))
    islands, labels = connected_components(pattern, directed=False)
    if islands == 1:
        yield slice(None), slice(None)
        return
    order, ends = np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))
    for contacts in np.split(order, ends[:-1]):
        yield (3 * contacts[:, None] + np.arange(3)).ravel(), contacts


def _dense(W: Any, rows: Any) -> Array:
    """Return the rows and columns of an island as a dense matrix."""
    if isinstance(rows, slice):
        return W.toarray() if sparse.issparse(W) else W
    if sparse.issparse(W):
        return np.ascontiguousarray(W[rows][:, rows].toarray())
    return np.ascontiguousarray(W[np.ix_(rows, rows)])


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
    return bool(rise.max() <= CERTAIN * np.max(np.diag(W)) and q @ y < -CERTAIN * np.abs(q).max() * len(mu))


def _checked_problem(W: Any, q: ArrayLike, mu: ArrayLike) -> tuple[Any, Array, Array]:
    """Return the problem as float64 arrays (W: C order, or CSR), or raise a ParameterError that names what is wrong."""
    if sparse.issparse(W):
        matrix = sparse.csr_matrix(W, dtype=np.float64)
        numbers = matrix.data
    else:
        try:
            matrix = np.ascontiguousarray(W, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"W: expected a matrix of numbers, found {W!r:.80}") from None
        numbers = matrix
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] % 3 or matrix.shape[0] == 0:
        raise ParameterError(f"W: expected a square matrix with three rows per contact, found shape {matrix.shape}")
    if not np.isfinite(numbers).all():
        raise ParameterError("W: every number must be finite, found NaN or infinity")
    diagonal = matrix.diagonal()
    if not diagonal.min() > 0.0:
        row = int(np.argmin(diagonal))
        raise ParameterError(
            f"W[{row}, {row}]: expected a positive number (what an impulse moves), found {diagonal[row]}"
        )
    asymmetry = abs(matrix - matrix.T).max()
    if asymmetry > ASYMMETRY * diagonal.max():
        raise ParameterError(f"W: expected a symmetric matrix, found entries that differ by {asymmetry:.3g}")
    count = matrix.shape[0] // 3
    friction = checked("mu", np.full(count, mu) if np.ndim(mu) == 0 else mu, count)
    if friction.min() < 0.0:
        k = int(np.argmin(friction))
        raise ParameterError(f"mu[{k}]: expected a number of at least 0, found {friction[k]}")
    return matrix, checked("q", q, matrix.shape[0]), friction
