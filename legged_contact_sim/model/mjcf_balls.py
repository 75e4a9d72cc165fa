"""Ball joints of an MJCF as three hinges in a row, about x, then y, then z.

The motion is the same. The three angles have a singular pose, a quarter turn about y, far from which rods and loops
stay; damping, friction and armature act about the hinges' axes instead of the child's.
"""

import numpy as np

from .placement import IDENTITY, Array, Placement, rotation_from_quaternion
from .urdf import JointDescription

AXES = "xyz"


def ball_hinges(
    name: str, parent: str, child: str, place: Placement, template: JointDescription
) -> tuple[list[str], list[JointDescription]]:
    """Return the names of the links between the hinges of a ball joint, and the hinges.

    Args:
        name: of the ball joint.
        parent: name of the link that carries it.
        child: name of the link that it moves.
        place: of the joint in the parent link's frame.
        template: a hinge with the joint's damping, friction and armature.
    """
    between = [f"{child}_at_{name}_{axis}" for axis in AXES[:2]]
    ends = [parent, *between, child]
    placements = (place, IDENTITY, IDENTITY)
    hinges = [
        JointDescription(
            f"{name}_{axis}",
            "continuous",
            ends[k],
            ends[k + 1],
            placements[k],
            np.eye(3)[k],
            damping=template.damping,
            friction=template.friction,
            transmission=template.transmission,
        )
        for k, axis in enumerate(AXES)
    ]
    return between, hinges


def ball_angles(name: str, quaternion: Array) -> dict[str, float]:
    """Return the hinges' positions, rad, at a quaternion (4,), w x y z."""
    turn = rotation_from_quaternion(quaternion[[1, 2, 3, 0]])
    angles = (
        np.arctan2(-turn[1, 2], turn[2, 2]),
        np.arcsin(np.clip(turn[0, 2], -1.0, 1.0)),
        np.arctan2(-turn[0, 1], turn[0, 0]),
    )
    return {f"{name}_{axis}": float(angle) for axis, angle in zip(AXES, angles, strict=True)}
