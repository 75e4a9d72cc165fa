"""The record of a body's current step, and the arrays of such records that kernels work in."""

import numpy as np

from ..model import RobotModel

BODY = np.dtype(
    [
        ("rotation", "f8", 9),  # body axes to world axes, by rows
        ("position", "f8", 3),  # of the body's origin, relative to the reference point, m
        ("sine", "f8"),  # of the joint's angle
        ("cosine", "f8"),
        ("axis", "f8", 6),  # joint axis S (1-dof joints); spatial vectors have the angular part first
        ("velocity", "f8", 6),  # relative to the reference velocity
        ("coriolis", "f8", 6),  # velocity-product acceleration c of the joint
        ("inertia", "f8", 21),  # rigid, then composite or articulated, at last (FREE joints) its inverse
        ("bias", "f8", 6),  # force that the body would need to keep its acceleration zero, pA
        ("push", "f8", 6),  # U = IA S
        ("locked", "i8"),  # 1: the joint is held (its acceleration, if any, is part of coriolis)
        ("inverse_inertia", "f8"),  # 1 / D, D = S^T U + rotor inertia; 0 for a held joint
        ("drive", "f8"),  # u = effort - S^T pA
        ("acceleration", "f8", 6),  # relative to free fall: the world's is minus gravity
        ("jump", "f8", 6),  # change of velocity due to impulses
    ],
    align=True,
)


def workspace(robot: RobotModel, others: int = 0) -> np.ndarray:
    """Return body records, (n + others + 1,): one per link, others, and last, so that parent -1 finds it, the world.

    The world stands upright and accelerates against gravity, which spares every body its weight (Featherstone, 5.3).
    What bodies hand down to it is never read.
    """
    bodies = np.zeros(len(robot.links) + others + 1, dtype=BODY)
    bodies["rotation"][:] = np.eye(3).ravel()
    bodies["acceleration"][-1, 3:] = -robot.gravity
    return bodies
