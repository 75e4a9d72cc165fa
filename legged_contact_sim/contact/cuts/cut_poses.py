"""Poses of cut bodies, integrated on their own beside the robot's minimal coordinates: how joints would come apart.

The constraints of cut joints hold for velocities, and only to the solver's tolerance. In the study the poses of the
cut bodies are coordinates, and nothing takes back what they drift apart. Here the robot is placed by its minimal
coordinates, which cannot drift; beside them every cut body's own pose follows the velocities that steps end with,

    half a step with the last end velocity, half a step with the new one,

so that the drift exists and can be measured. It acts on nothing.
"""

import math

import numpy as np

from ...actuation.rows import CHANGE, FREE_VELOCITY
from ...dynamics.functions import Poses
from ...dynamics.manifold import put_unit_quaternion, quaternion_of, quaternion_product, rotation_quaternion
from ...jit import inlined
from ...model.placement import rotation_from_quaternion
from .cut_joints import Cuts


@inlined
def follow_motion(pose, motion, duration):
    """Move a pose (7,) at a constant velocity (6,) for a duration, s."""
    for m in range(3):
        pose[m] += duration * motion[m]
    turned = rotation_quaternion(duration * motion[3], duration * motion[4], duration * motion[5])
    put_unit_quaternion(pose, 3, quaternion_product(turned, quaternion_of(pose, 3)))


@inlined
def integrate_poses(forest, cuts, h):
    """Take the poses of the cut bodies over a step of length ``h``, s, whose end velocities the forest holds."""
    for c in range(len(cuts.joints)):
        pose, motion, j = cuts.poses[c], cuts.motions[c], forest.links[cuts.joints[c].body].velocity_index
        if math.isnan(motion[0]):  # the first step
            for m in range(6):
                motion[m] = forest.state[j + m]
        follow_motion(pose, motion, 0.5 * h)
        for m in range(6):
            motion[m] = forest.dofs[FREE_VELOCITY, j + m] + forest.dofs[CHANGE, j + m]
        follow_motion(pose, motion, 0.5 * h)


def begin_poses(cuts: Cuts, start: Poses) -> None:
    """Let the cut bodies be where the robot's bodies are; quaternions are of the turn since then."""
    cuts.poses[:, :3] = start.position[cuts.joints["body"]]
    cuts.poses[:, 3:] = 0.0, 0.0, 0.0, 1.0
    cuts.motions[:] = np.nan


def joint_gaps(cuts: Cuts, start: Poses, now: Poses) -> np.ndarray:
    """Return how far the two ends of every cut joint are apart, (c,), m.

    Args:
        cuts: with the poses that the steps integrated.
        start: of the robot's bodies when they began.
        now: of the robot's bodies; only those that are not cut count.
    """
    own = {int(body): c for c, body in enumerate(cuts.joints["body"])}
    gaps = np.zeros(len(own))
    for body, c in own.items():
        carrier = int(cuts.joints["carrier"][c])
        position, rotation = now.position[carrier], now.rotation[carrier]
        if carrier in own:
            pose = cuts.poses[own[carrier]]
            position, rotation = pose[:3], rotation_from_quaternion(pose[3:]) @ start.rotation[carrier]
        reach = start.rotation[carrier].T @ (start.position[body] - start.position[carrier])
        gaps[c] = np.linalg.norm(cuts.poses[c, :3] - position - rotation @ reach)
    return gaps
