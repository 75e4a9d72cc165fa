"""What the ground does to a foot that touches with many points: its force, where it acts, and its moment there."""

from dataclasses import dataclass

import numpy as np

from .contacts import touching_points
from .trajectory import Trajectory


@dataclass(frozen=True)
class FootWrench:
    """The sum of the forces of a foot's points over the T samples of a run, world axes.

    Attributes:
        force: (T, 3), N.
        center: centre of pressure, the mean of the points weighted by their normal forces, (T, 3), m; NaN in the air.
        moment: of all forces about the centre of pressure, (T, 3), N m; vertical on level ground.
    """

    force: np.ndarray
    center: np.ndarray
    moment: np.ndarray


def foot_wrench(run: Trajectory, link: str) -> FootWrench:
    """Return the force, the centre of pressure and the moment of the contact points of a link.

    The points are taken where they are at the end of each step.
    """
    body = run.robot.link_index(link)
    chosen = np.flatnonzero(run.robot.contact_points["link"] == body)
    forces = run.forces[:, chosen]
    center, moment = np.full((len(run.time), 3), np.nan), np.zeros((len(run.time), 3))
    for k in np.flatnonzero(forces.any(axis=(1, 2))):
        touching = touching_points(run.robot, run.terrain.at(run.time[k]), run.semi_axes, run.q[k])
        places, normals = touching.position[chosen], touching.normal[chosen]
        loads = np.einsum("ij,ij->i", forces[k], normals)
        if loads.sum() > 0.0:
            center[k] = loads @ places / loads.sum()
            moment[k] = np.cross(places - center[k], forces[k]).sum(axis=0)
    return FootWrench(forces.sum(axis=1), center, moment)
