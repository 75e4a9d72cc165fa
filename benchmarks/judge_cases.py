"""Single bodies whose motion is known in closed form: what they are, how they begin, and how far a path is from it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

GRAVITY = 9.81
BOX = '<box size="0.4 0.3 0.1"/>'
BALL = '<sphere radius="0.1"/>'


@dataclass(frozen=True)
class Path:
    """What an engine did: one row per step."""

    time: np.ndarray  # (T,), s
    position: np.ndarray  # (T, 3), m
    quaternion: np.ndarray  # (T, 4), x y z w
    velocity: np.ndarray  # (T, 3), m/s, world axes
    rate: np.ndarray  # (T, 3), rad/s, body axes


@dataclass(frozen=True)
class Case:
    """A body of a kilogram over a plane."""

    name: str
    shape: str  # of the URDF
    inertia: tuple[float, float, float]  # principal, kg m^2
    height: float  # of its centre at the start, m
    velocity: tuple[float, float, float]  # m/s
    rate: tuple[float, float, float]  # rad/s
    duration: float  # s
    judge: Callable[["Case", Path], dict[str, float]]  # errors by name
    friction: float = 0.8
    restitution: float = 0.0

    @property
    def urdf(self) -> str:
        """The robot's text."""
        x, y, z = self.inertia
        return (
            '<robot name="body"><link name="body"><inertial><mass value="1"/>'
            f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial>'
            f"<collision><geometry>{self.shape}</geometry></collision></link></robot>"
        )


def turned(quaternion: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return vectors (T, 3) turned by quaternions (T, 4)."""
    axis, w = quaternion[:, :3], quaternion[:, 3:]
    twice = 2.0 * np.cross(axis, x)
    turned_: np.ndarray = x + w * twice + np.cross(axis, twice)
    return turned_


def judge_tumbling(case: Case, path: Path) -> dict[str, float]:
    """Energy and angular momentum of a body that falls and turns about its middle axis."""
    inertia = np.array(case.inertia)
    turning = 0.5 * (inertia * path.rate**2).sum(axis=1)
    kinetic = 0.5 * (path.velocity**2).sum(axis=1) + turning
    energy = kinetic + GRAVITY * path.position[:, 2]
    spin, start = turned(path.quaternion, inertia * path.rate), inertia * np.array(case.rate)
    return {
        "energy, % of what the fall gives": 100.0 * float(np.ptp(energy) / kinetic.max()),
        "energy of turning, %": 100.0 * float(np.ptp(turning) / (0.5 * (start * np.array(case.rate)).sum())),
        "angular momentum, %": 100.0 * float(np.linalg.norm(spin - start, axis=1).max() / np.linalg.norm(start)),
    }


def judge_landing(case: Case, path: Path) -> dict[str, float]:
    """Time of touch-down, from the first step that ends without the velocity of fall, and depth in the ground."""
    falls = path.velocity[:, 2] < -GRAVITY * path.time + 1e-6
    landed = int(np.argmin(falls))
    time = np.sqrt(2.0 * (case.height - 0.1) / GRAVITY)
    return {
        "time of impact (to a step), ms": 1e3 * abs(float(path.time[landed]) - time),
        "depth, mm": 1e3 * max(0.0, 0.1 - float(path.position[:, 2].min())),
    }


def judge_bouncing(case: Case, path: Path) -> dict[str, float]:
    """Height of the first rebound, e^2 times that of the fall."""
    landed = int(np.argmax(path.velocity[:, 2] > 0.0))
    apex = float(path.position[landed:, 2].max()) - 0.1
    return {"rebound, mm": 1e3 * abs(apex - case.restitution**2 * (case.height - 0.1))}


def judge_sliding(case: Case, path: Path) -> dict[str, float]:
    """Distance until friction has stopped a box, v^2 / (2 mu g), and how it creeps afterwards."""
    distance = case.velocity[0] ** 2 / (2.0 * case.friction * GRAVITY)
    last = len(path.time) // 4
    creep = np.linalg.norm(path.position[-1, :2] - path.position[-last, :2]) / (path.time[-1] - path.time[-last])
    return {"distance, mm": 1e3 * abs(float(path.position[-1, 0]) - distance), "creep, mm/s": 1e3 * float(creep)}


UNEVEN, ROUND, REST = (0.01, 0.02, 0.03), (0.004, 0.004, 0.004), (0.0, 0.0, 0.0)
CASES = (
    Case("tumbling in free fall, 5 s", BALL, UNEVEN, 1000.0, (1.0, 0.0, 0.0), (0.1, 8.0, 0.1), 5.0, judge_tumbling),
    Case("landing from 1 m", BALL, ROUND, 1.1, REST, REST, 1.0, judge_landing),
    Case("bouncing, e = 0.5", BALL, ROUND, 1.1, REST, REST, 0.9, judge_bouncing, restitution=0.5),
    Case("sliding to a stop", BOX, UNEVEN, 0.05, (2.0, 0.0, 0.0), REST, 2.0, judge_sliding, friction=0.5),
)
