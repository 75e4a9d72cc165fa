"""What every engine is given, and what it gives back: a robot or a single body over a plane, and its path."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from legged_contact_sim import RobotModel

SAMPLES = 5000  # of a path, at the most
SMALLEST_FOOT = 0.01  # m, radius; engines other than ours do not let points touch


@dataclass(frozen=True)
class Scene:
    """A robot with a free base over the plane z = 0, and how it begins.

    Attributes:
        urdf: its text.
        q: coordinates at the start, base and joints, in the order of this package, (nq,).
        v: velocities, the base's in its own axes, (nv,).
        duration, time_step: s.
        gravity: downwards, m/s^2.
        friction, restitution: of the ground.
        drives: stiffness and damping that hold the joints where they begin, N m/rad and N m s/rad; None: they are free.
    """

    urdf: str
    q: np.ndarray
    v: np.ndarray
    duration: float
    time_step: float
    gravity: float = 9.81
    friction: float = 0.8
    restitution: float = 0.0
    drives: tuple[float, float] | None = None

    @cached_property
    def robot(self) -> RobotModel:
        """The robot as this package reads it."""
        return RobotModel.from_urdf(self.urdf, "floating", gravity=(0.0, 0.0, -self.gravity))

    @property
    def steps(self) -> int:
        """How many steps it takes."""
        return round(self.duration / self.time_step)

    @property
    def sample_every(self) -> int:
        """Steps between two samples of the path."""
        return max(1, self.steps // SAMPLES)

    def at(self, time_step: float) -> "Scene":
        """Return the same at another time step, s."""
        return replace(self, time_step=time_step)


@dataclass(frozen=True)
class Path:
    """What an engine did, T samples."""

    time: np.ndarray  # (T,), s
    q: np.ndarray  # (T, nq)
    v: np.ndarray  # (T, nv), the base's velocity in its own axes

    @property
    def velocity(self) -> np.ndarray:
        """Of the base, world axes, (T, 3), m/s."""
        return turned(self.q[:, 3:7], self.v[:, :3])


def turned(quaternion: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return vectors (T, 3) turned by quaternions x y z w (T, 4), or one by one."""
    axis, w = quaternion[..., :3], quaternion[..., 3:]
    twice = 2.0 * np.cross(axis, x)
    turned_: np.ndarray = x + w * twice + np.cross(axis, twice)
    return turned_


def turned_back(quaternion: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return vectors in the axes of the body that quaternions have turned."""
    return turned(quaternion * np.array([-1.0, -1.0, -1.0, 1.0]), x)


def bare(urdf: str, feet: bool) -> str:
    """Return a URDF without what engines treat differently: joint limits, damping, friction, and all that touches.

    Args:
        urdf: text of a robot.
        feet: let each foot touch as a sphere.
    """
    root = ElementTree.fromstring(urdf)
    robot = RobotModel.from_urdf(urdf, "floating")
    links = {link.get("name"): link for link in root.iter("link")}
    for link in links.values():
        for part in [*link.iter("collision"), *link.iter("visual")]:
            link.remove(part)
    for joint in root.iter("joint"):
        for part in [part for part in joint if part.tag in ("dynamics", "limit", "safety_controller")]:
            joint.remove(part)
        if joint.get("type") == "revolute":
            joint.set("type", "continuous")
    for name in robot.feet if feet else ():
        point = robot.contact_points[robot.contact_names.index(name)]
        x, y, z = point["position"].tolist()
        radius = max(float(point["radius"]), SMALLEST_FOOT)
        sole = f'<origin xyz="{x} {y} {z}"/><geometry><sphere radius="{radius}"/></geometry>'
        links[robot.link_names[point["link"]]].append(ElementTree.fromstring(f"<collision>{sole}</collision>"))
    return ElementTree.tostring(root, encoding="unicode")
