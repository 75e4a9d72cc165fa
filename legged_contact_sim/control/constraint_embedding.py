"""Equations of motion reduced by sticking contacts, and efforts for tasks in operational space (Singh, chapters 3, 4).

Contacts that stick hold ``J_c dq/dt = 0``. QR factorisation with column pivoting picks the dependent speeds; with the
independent ones w, ``dq/dt = K w`` and ``d2q/dt2 = K dw/dt + k``. Premultiplied by K^T the equations of motion lose the
contact forces: ``K^T A K dw/dt + K^T (A k + b + g) = K^T G^T u``.
"""

from typing import NamedTuple

import numpy as np
import scipy  # its parts load when they are used


class Reduced(NamedTuple):
    """The reduced equations ``M dw/dt + h = B u`` and what they came from.

    Attributes:
        M: K^T A K, (n, n).
        h: (n,).
        B: K^T G^T, (n, motors).
        K: (nv, n).
        k: (nv,): acceleration that the constraints ask for by themselves.
        A: (nv, nv).
        bias: b + g, (nv,).
        G: (motors, nv), gear matrix.
        J: J_c, (rows, nv).
    """

    M: np.ndarray
    h: np.ndarray
    B: np.ndarray
    K: np.ndarray
    k: np.ndarray
    A: np.ndarray
    bias: np.ndarray
    G: np.ndarray
    J: np.ndarray


class Task(NamedTuple):
    """What is to be done: ``J dv/dt + bias = acceleration``, J (rows, nv)."""

    J: np.ndarray
    bias: np.ndarray
    acceleration: np.ndarray


def reduce(A: np.ndarray, bias: np.ndarray, G: np.ndarray, J: np.ndarray, curvature: np.ndarray) -> Reduced:
    """Embed sticking contacts.

    Args:
        A: mass matrix, (nv, nv).
        bias: Coriolis, centrifugal and gravity efforts, (nv,).
        G: gear matrix, (motors, nv).
        J: rows of the contacts that are independent, (rows, nv); none: the free equations.
        curvature: dJ/dt v, (rows,).
    """
    rows, size = J.shape
    K, k = np.eye(size), np.zeros(size)
    if rows:
        Q, R, order = scipy.linalg.qr(J, pivoting=True)
        K, dependent, independent = np.zeros((size, size - rows)), order[:rows], order[rows:]
        K[dependent] = -np.linalg.solve(R[:, :rows], R[:, rows:])
        K[independent] = np.eye(size - rows)
        k[dependent] = -np.linalg.solve(R[:, :rows], Q.T @ curvature)
    return Reduced(K.T @ A @ K, K.T @ (A @ k + bias), K.T @ G.T, K, k, A, bias, G, J)


def square(system: Reduced, task: Task) -> np.ndarray:
    """Return efforts by inverting the task's Jacobian; it has as many rows as there are independent speeds.

    ``u = (M^-1 B)^-1 (J^-1 (dv/dt - dJ/dt v) + M^-1 h)`` (Singh 4.6); with fewer motors than speeds, in the sense of
    least squares.
    """
    wanted = np.linalg.solve(task.J @ system.K, _needed(system, task))
    return np.linalg.lstsq(np.linalg.solve(system.M, system.B), wanted + np.linalg.solve(system.M, system.h))[0]


def product(system: Reduced, task: Task) -> np.ndarray:
    """Return efforts by inverting the product ``J M^-1 B`` (Singh 4.12); the task has as many rows as there are motors.

    The variant with a padded Jacobian is this one: rows are added until there are enough.
    """
    J = task.J @ system.K
    needed = _needed(system, task) + J @ np.linalg.solve(system.M, system.h)
    return np.linalg.lstsq(J @ np.linalg.solve(system.M, system.B), needed)[0]


def consistent(system: Reduced, task: Task, rest: np.ndarray) -> np.ndarray:
    """Return efforts by the dynamically consistent inverse ``Jbar = M^-1 J^T L``, ``L = (J M^-1 J^T)^-1`` (4.13).

    The task may have fewer rows than there are motors. Of all changes from the effort ``rest`` (motors,) it takes the
    one that moves the leg with the least kinetic energy; ``W = B^T M^-1 B`` measures them. Where every speed has a
    motor this is ``B u = J^T F + (1 - J^T Jbar^T) B rest`` with the task's force
    ``F = L (dv/dt - dJ/dt v) + Jbar^T h``; where one has none, as on the toe, it still reaches the task.
    """
    J = task.J @ system.K
    driven = np.linalg.solve(system.M, system.B)
    P = J @ driven
    needed = _needed(system, task) + J @ np.linalg.solve(system.M, system.h)
    across = np.linalg.solve(system.B.T @ driven, P.T)
    return rest + across @ np.linalg.lstsq(P @ across, needed - P @ rest)[0]


def stacked(*tasks: Task) -> Task:
    """Return several tasks as one."""
    return Task(*(np.concatenate(parts) for parts in zip(*tasks, strict=True)))


def _needed(system: Reduced, task: Task) -> np.ndarray:
    """Return what the independent speeds have to give of the task's acceleration."""
    return task.acceleration - task.bias - task.J @ system.k


def reactions(system: Reduced) -> tuple[np.ndarray, np.ndarray]:
    """Return f0 (rows,) and S (rows, motors): the contacts' forces are ``f0 + S u``."""
    K, J = system.K, system.J
    free = K @ np.linalg.solve(system.M, -system.h) + system.k
    driven = K @ np.linalg.solve(system.M, system.B)
    lever = np.linalg.solve(J @ J.T, J)
    return lever @ (system.A @ free + system.bias), lever @ (system.A @ driven - system.G.T)


def bounded(
    wanted: np.ndarray, metric: np.ndarray, limit: np.ndarray, rows: np.ndarray, bounds: np.ndarray
) -> np.ndarray:
    """Return the efforts nearest to those wanted that keep their limits and linear conditions.

    ``min |metric (u - wanted)|`` subject to ``|u| <= limit`` and ``rows u <= bounds``, as a least-distance problem
    solved by non-negative least squares (Lawson and Hanson, chapter 23). Conditions that cannot be kept together with
    the limits are given up, limits never.

    Args:
        wanted: (n,).
        metric: (m, n) of rank n.
        limit: (n,).
        rows: (k, n).
        bounds: (k,).
    """
    R = np.asarray(np.linalg.qr(metric, mode="r"))
    size = np.eye(len(wanted))
    C = np.vstack([size, -size, rows])
    slack = np.concatenate([limit - wanted, limit + wanted, bounds - rows @ wanted])
    if (slack >= 0.0).all():
        return wanted
    scaled = np.linalg.solve(R.T, C.T).T
    lengths = np.maximum(np.linalg.norm(scaled, axis=1), 1e-12)
    scaled, slack = scaled / lengths[:, None], slack / lengths
    stacked = np.vstack([-scaled.T, -slack[None]])
    goal = np.zeros(len(stacked))
    goal[-1] = 1.0
    weights, residual = scipy.optimize.nnls(stacked, goal)
    if residual < 1e-9:
        return np.clip(wanted, -limit, limit)
    rest = stacked @ weights - goal
    return np.clip(wanted + np.linalg.solve(R, -rest[:-1] / rest[-1]), -limit, limit)
