"""Contact with Coulomb friction as a problem of its own: given W and q, find the impulses.

Each contact has three rows (normal, tangent, tangent). With the velocities v = W r + q, find impulses r such that

    v_n >= 0,  r_n >= 0,  v_n r_n = 0,      |r_t| <= mu r_n,  with v_t opposite to r_t where v_t is not zero.

W (the Delassus matrix) is symmetric and positive semidefinite; redundant contacts make it singular. The time steps of
`exact_lcp` and the finish of `moreau` use the same code (`solvers.block`, `solvers.proximal`). Where that fails, convex
problems (`solvers.interior_point`) give better starts.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy  # its parts load when they are used
from numpy.typing import ArrayLike, NDArray

from ..dynamics.functions import checked
from ..errors import ParameterError
from ..jit import compiled, inlined
from .solvers.block import solve_any
from .solvers.block_sweeps import sweep
from .solvers.interior_point import convex_iterates
from .solvers.problem import FrictionProblem, FrictionWork
from .solvers.proximal import choose_nearest
from .solvers.residuals import natural_map

Array = NDArray[np.float64]

ASYMMETRY = 1e-8  # of W, relative to its largest number
CERTAIN = 1e-6  # relative; smaller velocities do not speak against a proof that there is no solution

CONTRACTING = 0.6  # a sweep that changes more than this part of what the last one did ends the first sweeps
BOUNDLESS = 1e6  # times what stops the fastest contact where least moves: a sweep that finds more found nothing
SETTLED = 0.1  # of the tolerance: the velocity of a last change that ends them, too

VECTORS = 14  # of a problem's size: ten of its work, four of an island

FIRST_TRY = 200  # iterations, after which convex problems give better starts
POLISH = 300  # iterations from each of these

STATUS = ("solved", "infeasible", "iteration_limit")


class FrictionSolution(NamedTuple):
    """What `solve_friction` found.

    Attributes:
        impulses: r (3n,), N s; the best found where nothing converged.
        velocities: W r + q (3n,), m/s.
        iterations: Newton steps, sweeps and interior point steps, the most of any island.
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


@inlined
def is_sound(W, q, mu):
    """Return whether all numbers are finite, W is symmetric with a positive diagonal, and no friction is negative."""
    rows, smallest, largest, asymmetry, total = len(q), math.inf, 0.0, 0.0, 0.0
    for r in range(rows):
        smallest, largest, total = min(smallest, W[r, r]), max(largest, W[r, r]), total + abs(q[r]) + abs(W[r, r])
        for s in range(r):
            asymmetry, total = max(asymmetry, abs(W[r, s] - W[s, r])), total + abs(W[r, s]) + abs(W[s, r])
    for k in range(len(mu)):
        total = math.inf if mu[k] < 0.0 else total + mu[k]
    return total < math.inf and smallest > 0.0 and asymmetry <= ASYMMETRY * largest


@inlined
def are_coupled(W, a, c):
    """Return whether contacts ``a`` and ``c`` move one another."""
    for r in range(3 * a, 3 * a + 3):
        for s in range(3 * c, 3 * c + 3):
            if W[r, s] != 0.0:
                return True
    return False


@inlined
def label_islands(W, labels, order):
    """Number the islands of contacts that W couples, and list the contacts by islands; return how many."""
    contacts, islands, listed = len(labels), 0, 0
    for k in range(contacts):
        labels[k] = -1
    for first in range(contacts):
        if labels[first] >= 0:
            continue
        labels[first], order[listed] = islands, first
        at, listed = listed, listed + 1
        while at < listed:
            for k in range(contacts):
                if labels[k] < 0 and are_coupled(W, order[at], k):
                    labels[k], order[listed] = islands, k
                    listed += 1
            at += 1
        islands += 1
    listed = 0
    for island in range(islands):
        for k in range(contacts):
            if labels[k] == island:
                order[listed] = k
                listed += 1
    return islands


@inlined
def drop_unless_below(problem, bound):
    """Take back impulses that are not all smaller than a bound, N s, or are no numbers; return whether they were."""
    z, sound = problem.z, True
    for r in range(problem.rows):
        sound = sound and abs(z[r]) < bound
    for r in range(0 if sound else problem.rows):
        z[r] = 0.0
    return not sound


@inlined
def sweep_from_none(problem, tolerance):
    """Sweep from a start that is none, as long as the impulses settle well; return the number of sweeps.

    Where they do not, what the first sweep found is left: more of them may only lead away. Where a contact's own block
    is singular, a sweep's impulses may be without bounds: then they are dropped.
    """
    kept, rows = problem.work.kept, problem.rows
    before, largest, smallest, speed = sweep(problem, 1.0), 0.0, math.inf, 0.0
    for r in range(rows):
        kept[r], speed = problem.z[r], max(speed, abs(problem.b[r]))
        largest, smallest = max(largest, problem.G[r, r]), min(smallest, problem.G[r, r])
    if drop_unless_below(problem, BOUNDLESS * speed / smallest):
        return 1
    for k in range(problem.contacts):
        change = sweep(problem, 1.0)
        if change * largest <= SETTLED * tolerance:
            return k + 2
        if change > CONTRACTING * before:
            for r in range(rows):
                problem.z[r] = kept[r]
            return k + 2
        before = change
    return problem.contacts + 1


@inlined
def solve_island(problem, tolerance, max_iterations, cold):
    """Solve one problem, by sweeps first from a ``cold`` start; return the iterations and the natural map, m/s.

    Of many solutions the one nearest to the start is taken.
    """
    work, sweeps = problem.work, 0
    for r in range(problem.rows):
        work.centre[r], work.shares[r] = problem.z[r], 0.0
    if cold:
        sweeps = sweep_from_none(problem, tolerance)
    iterations, residual = solve_any(problem, tolerance, tolerance, max_iterations, max_iterations, natural_map)
    if residual <= tolerance:
        residual = natural_map(problem)
        if problem.contacts > 1:
            steps, residual = choose_nearest(problem, tolerance, natural_map)
            iterations += steps
    if drop_unless_below(problem, math.inf):
        residual = natural_map(problem)
    return iterations + sweeps, residual


@inlined
def gather_island(W, q, mu, z, own, problem):
    """Copy the part of the contacts ``own`` into a problem of their own."""
    for r in range(problem.rows):
        k, m = own[r // 3], r % 3
        problem.b[r], problem.z[r], problem.mu[r // 3] = q[3 * k + m], z[3 * k + m], mu[k]
        for s in range(problem.rows):
            problem.G[r, s] = W[3 * k + m, 3 * own[s // 3] + s % 3]


@compiled
def friction_entry(W, q, mu, z, w, errors, labels, integers, vectors, room, tolerance, max_iterations, cold):
    """Solve a problem island by island; return the most iterations of an island, or -1 if it is not sound.

    Args:
        W: symmetric matrix (3n, 3n), 1/kg.
        q: velocities without impulses (3n,), m/s.
        mu: friction coefficients (n,).
        z: impulses (3n,), N s: first guess in, solution out.
        w: velocities (3n,), m/s, written.
        errors: natural map of every contact's island (n,), m/s, written.
        labels: number of every contact's island (n,), written.
        integers: room for work, (5n,).
        vectors: room for work and for an island, (VECTORS, 3n), zero.
        room: for work and for an island, (2, 3n + 2, 3n + 3).
        tolerance: of the natural map, m/s.
        max_iterations: of an island.
        cold: whether the first guess is none.
    """
    if not is_sound(W, q, mu):
        return -1
    contacts, rows = len(mu), len(q)
    order, modes = integers[rows : rows + contacts], integers[rows + contacts :]
    work = FrictionWork(
        room[0], vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5], vectors[6], vectors[7],
        vectors[8], vectors[9], integers,
    )  # fmt: skip
    if label_islands(W, labels, order) == 1:
        iterations, errors[:] = solve_island(
            FrictionProblem(W, q, z, w, mu, 0.0, modes, work, contacts, rows), tolerance, max_iterations, cold
        )
        return iterations
    most, first = 0, 0
    while first < contacts:
        last = first + 1
        while last < contacts and labels[order[last]] == labels[order[first]]:
            last += 1
        own, size = order[first:last], last - first
        island = FrictionProblem(
            room[1], vectors[10], vectors[11], vectors[12], vectors[13], 0.0, modes, work, size, 3 * size
        )
        gather_island(W, q, mu, z, own, island)
        iterations, error = solve_island(island, tolerance, max_iterations, cold)
        for r in range(3 * size):
            k, m = own[r // 3], r % 3
            z[3 * k + m], w[3 * k + m], errors[k] = island.z[r], island.w[r], error
        most, first = max(most, iterations), last
    return most


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
        A `FrictionSolution`. A problem that could not be solved is told by its status, with the best impulses found.
    """
    if not (isinstance(tolerance, float | int | np.number) and 0.0 < tolerance < math.inf):
        raise ParameterError(f"tolerance is {tolerance!r}; expected a positive number")
    if not (isinstance(max_iterations, int | np.integer) and max_iterations >= 1):
        raise ParameterError(f"max_iterations is {max_iterations!r}; expected an integer of at least 1")
    if _is_sparse(W) and W.shape != (0, 0):
        return _solve_sparse(*_checked_problem(W, q, mu), tolerance, start, max_iterations)
    W, q, mu = _as_arrays(W.toarray() if _is_sparse(W) else W, q, mu)
    guess = None if start is None else checked("start", start, len(q))
    if len(mu) == 0:
        return FrictionSolution(np.empty(0), np.empty(0), 0, 0.0, True, STATUS[0])
    found = _solve_dense(W, q, mu, tolerance, guess, min(max_iterations, FIRST_TRY))
    if guess is not None and found.status == "iteration_limit" and found.iterations < max_iterations:
        anew = _solve_dense(W, q, mu, tolerance, None, min(max_iterations - found.iterations, FIRST_TRY))
        found = (anew if anew.residual < found.residual else found)._replace(
            iterations=found.iterations + anew.iterations
        )
    if found.status != "iteration_limit" or found.iterations >= max_iterations:
        return found
    return _solve_by_convex_problems(W, q, mu, tolerance, found, max_iterations)


def _solve_dense(
    W: Array, q: Array, mu: Array, tolerance: float, start: Array | None, max_iterations: int
) -> FrictionSolution:
    """Solve a dense problem, island by island, from a start or none."""
    rows = len(q)
    z = np.zeros(rows) if start is None else start.copy()
    w, errors, vectors = np.empty(rows), np.empty(len(mu)), np.zeros((VECTORS, rows))
    labels, integers = np.empty(len(mu), np.int64), np.empty(5 * len(mu), np.int64)
    room = np.empty((2, rows + 2, rows + 3))
    iterations = friction_entry(
        W, q, mu, z, w, errors, labels, integers, vectors, room, tolerance, max_iterations, start is None
    )
    if iterations < 0:
        _checked_problem(W, q, mu)
    residual = float(errors.max())
    status = 0 if residual <= tolerance else _failure(W, q, mu, z, labels, errors > tolerance)
    return FrictionSolution(z, w, iterations, residual, status == 0, STATUS[status])


def _solve_by_convex_problems(
    W: Array, q: Array, mu: Array, tolerance: float, best: FrictionSolution, max_iterations: int
) -> FrictionSolution:
    """Start anew from the solutions of convex problems, until one leads to the end; return the best that was found."""
    iterations = best.iterations
    lowest = float(np.linalg.eigvalsh(W)[0])
    if lowest < -ASYMMETRY * np.abs(W).max():
        raise ParameterError(f"W: expected a positive semidefinite matrix, found the eigenvalue {lowest:.3g}")
    for impulses, steps in convex_iterates(W, q, mu):
        if not np.isfinite(impulses).all():
            return best._replace(iterations=iterations)
        found = _solve_dense(W, q, mu, tolerance, impulses, POLISH)
        iterations += steps + max(1, found.iterations)
        best = found if found.residual < best.residual else best
        if best.converged or iterations >= max_iterations:
            return best._replace(iterations=iterations)
    return best


def _as_arrays(W: Any, q: Any, mu: Any) -> tuple[Array, Array, Array]:
    """Return a dense problem as float64 arrays in C order with shapes that fit; the numbers may still be wrong."""
    try:
        matrix, free = np.ascontiguousarray(W, dtype=np.float64), np.ascontiguousarray(q, dtype=np.float64)
        count = len(free) // 3
        friction = np.ascontiguousarray(mu, dtype=np.float64) if np.ndim(mu) else np.full(count, mu, dtype=np.float64)
    except (TypeError, ValueError):
        return _checked_problem(W, q, mu)
    rows = 3 * count
    if matrix.shape != (rows, rows) or free.shape != (rows,) or friction.shape != (count,):
        return _checked_problem(W, q, mu)
    if not (matrix.flags.writeable and free.flags.writeable and friction.flags.writeable):  # compiled for one kind
        return matrix.copy(), free.copy(), friction.copy()
    return matrix, free, friction


def _failure(W: Array, q: Array, mu: Array, z: Array, labels: NDArray[np.int64], failed: NDArray[np.bool_]) -> int:
    """Return the status of a problem with islands that were not solved."""
    status = 0
    for label in np.unique(labels[failed]):
        contacts = np.flatnonzero(labels == label)
        rows = _rows_of(contacts)
        infeasible = _is_infeasible(W[np.ix_(rows, rows)], q[rows], mu[contacts], z[rows])
        status = max(status, 1 if infeasible else 2)
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
    return bool(rise.max() <= CERTAIN * np.max(np.diag(W)) and q @ y < -CERTAIN * np.abs(q).max() * len(mu))


def _checked_problem(W: Any, q: ArrayLike, mu: ArrayLike) -> tuple[Any, Array, Array]:
    """Return the problem as float64 arrays (W: C order, or CSR), or raise a ParameterError that names what is wrong."""
    if _is_sparse(W):
        matrix = scipy.sparse.csr_matrix(W, dtype=np.float64)
        numbers = matrix.data
    else:
        try:
            matrix = np.ascontiguousarray(W, dtype=np.float64)
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
