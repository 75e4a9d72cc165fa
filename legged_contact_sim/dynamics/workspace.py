"""The record of a body's current step, and the arrays of such records that kernels work in."""

import numpy as np

BODY = np.dtype(
    [
        ("rotation", "f8", 9),  # body axes to world axes, by rows
        ("position", "f8", 3),  # of the body's origin, relative to the reference point, m
        ("axis", "f8", 6),  # joint axis S (1-dof joints); spatial vectors have the angular part first
        ("velocity", "f8", 6),  # relative to the reference velocity
        ("coriolis", "f8", 6),  # velocity-product acceleration c of the joint
        ("inertia", "f8", 21),  # rigid, then composite or articulated inertia, as the algorithm goes
        ("bias", "f8", 6),  # force that the body would need to keep its acceleration zero, pA
        ("push", "f8", 6),  # U = IA S
        ("inverse_inertia", "f8"),  # 1 / D, D = S^T U + rotor inertia
        ("drive", "f8"),  # u = effort - S^T pA
        ("acceleration", "f8", 6),  # of the body, gravity taken as an upward acceleration of the world
    ]
)


def workspace(link_count: int) -> np.ndarray:
    """Return zeroed body records, (link_count + 1,): one per link and, last, so that parent -1 finds it, the world."""
    bodies = np.zeros(link_count + 1, dtype=BODY)
    bodies["rotation"][:] = np.eye(3).ravel()
    return bodies
