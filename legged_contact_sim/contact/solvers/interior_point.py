"""Friction problems as a row of convex ones, each solved by an interior point method: slow, and hard to defeat.

With De Saxce's change of variable the velocities u~ = W r + q + mu |u_t| e_n lie in the dual of the friction cones.
Where the slip speeds |u_t| in it are held, this is a convex problem,

    min 1/2 r . W r + (q + mu |u_t| e_n) . r      over the friction cones,

whose solution gives the next slip speeds (Cadoux, Acary, "A formulation of the Coulomb friction problem", 2011). The
interior point method is that of Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010): Nesterov
and Todd's scaling, Mehrotra's corrector. Impulses are written r = M y with M = diag(1, mu, mu), so that y and the
velocities M u~ lie in Lorentz cones, also where mu is zero.
"""

from collections.abc import Iterator

import numpy as np
import scipy  # its parts load when they are used
from numpy.typing import NDArray

Array = NDArray[np.float64]

MEMORY = 5  # earlier slip speeds that the next ones are mixed from
STEPS = 60  # of one convex problem, at most
COMPLEMENTARY = 1e-13  # y . u at the end, relative to its start
TO_THE_BOUNDARY = 0.99  # part of the way to the cones' boundary that a step may go


def convex_iterates(W: Array, q: Array, mu: Array) -> Iterator[tuple[Array, int]]:
    """Yield the impulses of one convex problem after the other, and the steps that each took.

    Args:
        W: symmetric positive semidefinite matrix (3n, 3n), 1/kg; rows normal, tangent, tangent.
        q: velocities without impulses (3n,), m/s.
        mu: friction coefficients (n,).
    """
    scale = np.repeat(mu, 3)
    scale[::3] = 1.0
    scaled = W * scale * scale[:, None]
    slip = np.zeros(len(mu))
    tried: list[Array] = []
    changes: list[Array] = []
    while True:
        raised = q.copy()
        raised[::3] += mu * slip
        y, steps = solve_convex(scaled, scale * raised)
        impulses = scale * y
        velocities = W @ impulses + q
        yield impulses, steps
        change = np.hypot(velocities[1::3], velocities[2::3]) - slip
        if changes and np.abs(change).max() > np.abs(changes[-1]).max():
            tried, changes = [], []
        tried, changes = [*tried[-MEMORY:], slip], [*changes[-MEMORY:], change]
        slip = _mixed(tried, changes)


def _mixed(tried: list[Array], changes: list[Array]) -> Array:
    """Return slip speeds whose change, were it linear in them, would be least (Anderson, 1965); none is negative."""
    plain = tried[-1] + changes[-1]
    if len(tried) == 1:
        return plain
    slope = np.diff(np.array(changes), axis=0).T
    weights = np.linalg.lstsq(slope, changes[-1], rcond=1e-8)[0]
    mixed: Array = plain - (np.diff(np.array(tried), axis=0).T + slope) @ weights
    return np.maximum(mixed, 0.0)


def solve_convex(W: Array, q: Array) -> tuple[Array, int]:
    """Return y of n Lorentz cones (3n,) with u = W y + q in them, too, and y . u = 0; and the steps taken."""
    size = np.abs(q).max() / np.diag(W).max()
    y, u = np.zeros((len(q) // 3, 3)), np.zeros((len(q) // 3, 3))
    y[:, 0] = max(size, np.finfo(float).tiny)
    u[:, 0] = max(np.abs(q).max(), np.finfo(float).tiny)
    first = float(np.sum(y * u))
    for step in range(STEPS):
        error = (W @ y.ravel() + q - u.ravel()).reshape(-1, 3)
        gap = float(np.sum(y * u))
        if gap <= COMPLEMENTARY * first and np.abs(error).max() <= COMPLEMENTARY * np.abs(q).max():
            return y.ravel(), step
        moved = _step(W, y, u, error, gap / len(y))
        if moved is None:
            return y.ravel(), step
        y, u = moved
    return y.ravel(), STEPS


def _step(W: Array, y: Array, u: Array, error: Array, mean_gap: float) -> tuple[Array, Array] | None:
    """Take one predictor-corrector step; none where rounding has used up what the cones leave."""
    w, beta = _scaling_point(y, u)
    if not (np.isfinite(w).all() and np.isfinite(beta).all()):
        return None
    centre = _scale(w, beta, y)
    matrix = W.copy()
    blocks = 2.0 * w[:, :, None] * w[:, None, :] - np.diag([1.0, -1.0, -1.0])
    for k, block in enumerate(blocks * (beta**2)[:, None, None]):
        matrix[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] += block
    try:
        factor = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return None

    def direction(target: Array) -> tuple[Array, Array]:
        wanted = _scale(w, beta, _divide(centre, target))
        right = (wanted - error).ravel()
        dy = scipy.linalg.cho_solve((factor, True), right).reshape(-1, 3)
        return dy, (W @ dy.ravel()).reshape(-1, 3) + error

    square = _product(centre, centre)
    dy, du = direction(-square)
    length = min(1.0, _longest(y, dy), _longest(u, du))
    rest = float(np.sum((y + length * dy) * (u + length * du))) / (mean_gap * len(y))
    corrected = -square - _product(_scale(w, beta, dy), _unscale(w, beta, du))
    corrected[:, 0] += min(1.0, max(rest, 0.0)) ** 3 * mean_gap
    dy, du = direction(corrected)
    length = min(1.0, TO_THE_BOUNDARY * min(_longest(y, dy), _longest(u, du)))
    return y + length * dy, u + length * du


def _minor(a: Array) -> Array:
    """Return a_0^2 - |a_t|^2 of every cone, as a product that keeps its digits near the boundary."""
    length: Array = np.hypot(a[:, 1], a[:, 2])
    return (a[:, 0] - length) * (a[:, 0] + length)


def _scaling_point(y: Array, u: Array) -> tuple[Array, Array]:
    """Return w and beta of Nesterov and Todd's scaling F, with F y = F^-1 u."""
    with np.errstate(all="ignore"):
        size_y, size_u = np.sqrt(_minor(y)), np.sqrt(_minor(u))
        unit_y, unit_u = y / size_y[:, None], u / size_u[:, None]
        gamma = np.sqrt(0.5 * (1.0 + np.sum(unit_y * unit_u, axis=1)))
        w = (unit_u + unit_y * [1.0, -1.0, -1.0]) / (2.0 * gamma)[:, None]
        return w, np.sqrt(size_u / size_y)


def _scale(w: Array, beta: Array, a: Array) -> Array:
    """Return F a."""
    along = w[:, 1] * a[:, 1] + w[:, 2] * a[:, 2]
    tail = a[:, 1:] + w[:, 1:] * (a[:, 0] + along / (1.0 + w[:, 0]))[:, None]
    return beta[:, None] * np.column_stack((w[:, 0] * a[:, 0] + along, tail))


def _unscale(w: Array, beta: Array, a: Array) -> Array:
    """Return F^-1 a."""
    mirrored = w * [1.0, -1.0, -1.0]
    return _scale(mirrored, 1.0 / beta, a)


def _product(a: Array, b: Array) -> Array:
    """Return the Jordan product of every cone: (a . b, a_0 b_t + b_0 a_t)."""
    return np.column_stack((np.sum(a * b, axis=1), a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:]))


def _divide(a: Array, b: Array) -> Array:
    """Return x with a o x = b."""
    along = a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2]
    first = (a[:, 0] * b[:, 0] - along) / _minor(a)
    return np.column_stack((first, (b[:, 1:] - a[:, 1:] * first[:, None]) / a[:, :1]))


def _longest(a: Array, d: Array) -> float:
    """Return how far all cones let ``a`` go along ``d``: the smallest positive root of (a + s d)'s minor, or inf."""
    qa, qc = _minor(d), _minor(a)
    qb = a[:, 0] * d[:, 0] - a[:, 1] * d[:, 1] - a[:, 2] * d[:, 2]
    root = np.sqrt(np.maximum(qb * qb - qa * qc, 0.0))
    with np.errstate(all="ignore"):
        toward = -qb + np.where(qb <= 0.0, root, -root)
        candidates = np.stack((qc / toward, toward / qa, -a[:, 0] / d[:, 0]))
    candidates = np.where(np.isfinite(candidates) & (candidates > 0.0), candidates, np.inf)
    blocked = (qa < 0.0) | (qb < 0.0) | (d[:, 0] < 0.0)
    return float(np.where(blocked, candidates.min(axis=0), np.inf).min())
