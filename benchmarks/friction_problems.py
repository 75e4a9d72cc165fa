"""Friction problems to solve: built-in ones with redundant contacts, and folders of ``.npz`` files with W, q and mu."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

STEP, GRAVITY = 1e-2, 9.81
SIDES = ((-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0))
GRIDS = {1: (1, 1), 4: (2, 2), 16: (4, 4), 64: (8, 8)}


class Problem(NamedTuple):
    """Find r with v = W r + q and Coulomb's law in every contact."""

    name: str
    W: np.ndarray  # (3n, 3n), 1/kg
    q: np.ndarray  # (3n,), m/s
    mu: np.ndarray  # (n,)


class Touch(NamedTuple):
    """A contact with a vertical normal, in which one body lies on another."""

    body: int
    place: tuple[float, float, float]  # from the body's centre, m
    below: int = -1  # -1: the ground
    place_below: tuple[float, float, float] = (0.0, 0.0, 0.0)


def natural_map(problem: Problem, r: np.ndarray) -> float:
    """Return the largest |r - P(r - s v)| / s of all contacts, m/s, with De Saxce's term in v; s = 3 / trace."""
    impulse, v = r.reshape(-1, 3), (problem.W @ r + problem.q).reshape(-1, 3)
    mu, scale = problem.mu, 3.0 / np.diag(problem.W).reshape(-1, 3).sum(axis=1)
    lifted = v.copy()
    lifted[:, 0] += mu * np.hypot(v[:, 1], v[:, 2])
    wanted = impulse - scale[:, None] * lifted
    normal, tangent = wanted[:, 0], np.hypot(wanted[:, 1], wanted[:, 2])
    on_cone = np.maximum((normal + mu * tangent) / (1.0 + mu**2), 0.0)
    shrink = np.divide(mu * on_cone, tangent, out=np.zeros_like(mu), where=tangent > 0.0)
    projected = np.column_stack([on_cone, shrink[:, None] * wanted[:, 1:]])
    inside = (tangent <= mu * normal) & (normal > 0.0)
    projected[inside] = wanted[inside]
    return float((np.linalg.norm(impulse - projected, axis=1) / scale).max())


def rows_of(touch: Touch, bodies: int) -> np.ndarray:
    """Return the contact's Jacobian, rows normal and two tangents, (3, 6 bodies)."""
    axes = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    rows = np.zeros((3, 6 * bodies))
    for body, place, sign in ((touch.body, touch.place, 1.0), (touch.below, touch.place_below, -1.0)):
        if body >= 0:
            rows[:, 6 * body : 6 * body + 3] = sign * axes
            rows[:, 6 * body + 3 : 6 * body + 6] = sign * np.cross(place, axes)
    return rows


def falling(name: str, masses: Iterable[float], size: float, touches: list[Touch], v: np.ndarray, mu: float) -> Problem:
    """Return the problem of cubes of a size, m, with velocities ``v`` (6 bodies,) that fall for one step."""
    masses = list(masses)
    inverse = np.concatenate([np.r_[np.full(3, 1.0 / m), np.full(3, 6.0 / (m * size**2))] for m in masses])
    J = np.vstack([rows_of(touch, len(masses)) for touch in touches])
    free = v.copy()
    free[2::6] -= GRAVITY * STEP
    return Problem(name, (J * inverse) @ J.T, J @ free, np.full(len(touches), mu))


def plate(count: int, v: tuple[float, ...], state: str) -> Problem:
    """Return a plate on a grid of contacts: its rank is 6, however many there are."""
    columns, rows = GRIDS[count]
    places = [(x, y, -0.05) for x in np.linspace(-0.5, 0.5, columns) for y in np.linspace(-0.5, 0.5, rows)]
    places = places if count > 1 else [(0.0, 0.0, -0.05)]
    touches = [Touch(0, place) for place in places]
    return falling(f"plate, {count} contacts, {state}", [20.0], 1.0, touches, np.array(v), 0.6)


def stack(masses: list[float], speed: float, state: str) -> Problem:
    """Return cubes on top of one another, four contacts between neighbours, the top one pushed at a speed, m/s."""
    touches = []
    for level in range(len(masses)):
        for x, y in SIDES:
            touches.append(Touch(level, (0.1 * x, 0.1 * y, -0.1), level - 1, (0.1 * x, 0.1 * y, 0.1)))
    v = np.zeros(6 * len(masses))
    v[-6] = speed
    return falling(f"stack of {len(masses)}, {len(touches)} contacts, {state}", masses, 0.2, touches, v, 0.5)


def built_in() -> list[Problem]:
    """Return redundant problems of 1 to 64 contacts."""
    rest, spin = (0.0,) * 6, (2.0, 0.5, 0.0, 0.0, 0.0, 4.0)
    found = [plate(count, v, state) for count in GRIDS for v, state in ((rest, "resting"), (spin, "spinning"))]
    found.append(stack([1.0] * 4, 0.0, "resting"))
    found.append(stack([1.0] * 4, 1.0, "pushed"))
    found.append(stack([0.3, 30.0, 1.0, 100.0, 0.5, 10.0, 1.0, 50.0], 0.0, "uneven masses"))
    found.append(stack([1.0] * 16, 0.0, "resting"))
    return found


def in_folder(folder: Path) -> list[Problem]:
    """Return the problems of a folder, fewest contacts first."""
    found = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as data:
            found.append(Problem(path.stem, data["W"], data["q"], data["mu"]))
    return sorted(found, key=lambda problem: len(problem.mu))
