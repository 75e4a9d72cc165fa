"""The work that all engines get: one URDF, one state, one set of efforts, in the package's conventions."""

import re
from dataclasses import dataclass

import numpy as np

from legged_contact_sim import RobotModel

FORWARD_DYNAMICS = "forward dynamics"
MASS_MATRIX = "mass matrix"
CONTACT_INERTIA = "inverse contact inertia, 4 feet"
EULER_STEP = "free step, semi-implicit Euler"
MIDPOINT_STEP = "free step, midpoint"
TASKS = (FORWARD_DYNAMICS, MASS_MATRIX, CONTACT_INERTIA, EULER_STEP, MIDPOINT_STEP)

LOOP, CALL = "in a compiled loop", "per Python call"


@dataclass(frozen=True)
class Case:
    """A robot in a state.

    Attributes:
        name: of the robot.
        urdf: the XML text that every engine reads.
        robot: the robot as this package reads that text.
        q: coordinates, (nq,).
        v: rates, (nv,).
        effort: (nv,), zero on the base.
        points: names of the contact points of the inverse contact inertia.
        time_step: of a free step, s.
    """

    name: str
    urdf: str
    robot: RobotModel
    q: np.ndarray
    v: np.ndarray
    effort: np.ndarray
    points: tuple[str, ...] = ()
    time_step: float = 5e-4

    def point_on_body(self, name: str) -> tuple[str, np.ndarray]:
        """Return the link that gives a contact point's body its frame, and the point in that frame, m."""
        point = self.robot.contact_points[self.robot.contact_names.index(name)]
        return self.robot.link_names[point["link"]], point["position"].copy()


def moving(name: str, urdf: str, home: np.ndarray, points: tuple[str, ...] = ()) -> Case:
    """Return a case near a home pose, base turned, everything in motion, efforts in all joints."""
    robot, random = RobotModel.from_urdf(urdf, "floating"), np.random.default_rng(1)
    q, v, effort = home.copy(), random.normal(size=robot.nv), np.zeros(robot.nv)
    q[7:] += random.uniform(-0.2, 0.2, robot.joint_count)
    q[3:7] += random.uniform(-0.3, 0.3, 4)
    q[3:7] /= np.linalg.norm(q[3:7])
    effort[6:] = random.uniform(-5.0, 5.0, robot.joint_count)
    return Case(name, urdf, robot, q, v, effort, points)


def quadruped(name: str) -> Case:
    """Return a packaged quadruped; joint friction and damping, which engines treat differently, are left out."""
    packaged = RobotModel.from_urdf(name)
    feet = tuple(point for point in packaged.contact_names if point.endswith("foot"))
    return moving(name, re.sub(r"<dynamics\b[^>]*/>", "", packaged.urdf), packaged.home, feet)


def chain(count: int) -> Case:
    """Return a floating chain of ``count`` bodies on revolute joints whose axes take turns."""
    link = (
        '<link name="link_{k}"><inertial><origin xyz="0.01 0.02 -0.05"/><mass value="1"/>'
        '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.008"/></inertial></link>'
    )
    joint = (
        '<joint name="joint_{k:04d}" type="revolute"><parent link="link_{parent}"/><child link="link_{k}"/>'
        '<origin xyz="0 0 -0.1"/><axis xyz="{axis}"/>'
        '<limit lower="-3" upper="3" effort="100" velocity="100"/></joint>'
    )
    axes = ("1 0 0", "0 1 0", "0 0 1")
    parts = [link.format(k=k) for k in range(count)]
    parts += [joint.format(k=k, parent=k - 1, axis=axes[k % 3]) for k in range(1, count)]
    home = np.zeros(7 + count - 1)
    home[6] = 1.0
    return moving(f"chain of {count}", f'<robot name="chain">{"".join(parts)}</robot>', home)
