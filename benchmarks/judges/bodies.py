"""Single bodies whose motion is known in closed form: what they are, how they begin, and how far a path is from it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .scene import Path, Scene, turned

GRAVITY = 9.81
TIME_STEP = 1e-3  # s
RADIUS = 0.1  # m, of the ball
BOX = '<box size="0.4 0.3 0.1"/>'
BALL = f'<sphere radius="{RADIUS}"/>'


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
    def scene(self) -> Scene:
        """What engines get, but for the time step."""
        q = np.array([0.0, 0.0, self.height, 0.0, 0.0, 0.0, 1.0])
        v = np.array([*self.velocity, *self.rate])
        ground = {"friction": self.friction, "restitution": self.restitution}
        return Scene(body(1.0, self.inertia, self.shape), q, v, self.duration, TIME_STEP, **ground)


def body(mass: float, inertia: tuple[float, float, float], shape: str) -> str:
    """Return the URDF of a single body of a mass, kg, with principal moments of inertia, kg m^2."""
    x, y, z = inertia
    return (
        f'<robot name="body"><link name="body"><inertial><mass value="{mass}"/>'
        f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"<collision><geometry>{shape}</geometry></collision></link></robot>"
    )


def ball(mass: float) -> str:
    """Return the URDF of a solid ball."""
    moment = 0.4 * mass * RADIUS**2
    return body(mass, (moment, moment, moment), BALL)


def judge_tumbling(case: Case, path: Path) -> dict[str, float]:
    """Energy and angular momentum of a body that falls and turns about its middle axis."""
    inertia = np.array(case.inertia)
    turning = 0.5 * (inertia * path.v[:, 3:6] ** 2).sum(axis=1)
    kinetic = 0.5 * (path.velocity**2).sum(axis=1) + turning
    energy = kinetic + GRAVITY * path.q[:, 2]
    spin, start = turned(path.q[:, 3:7], inertia * path.v[:, 3:6]), inertia * np.array(case.rate)
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
        "depth, mm": 1e3 * max(0.0, 0.1 - float(path.q[:, 2].min())),
    }


def judge_bouncing(case: Case, path: Path) -> dict[str, float]:
    """Height of the first rebound, e^2 times that of the fall."""
    landed = int(np.argmax(path.velocity[:, 2] > 0.0))
    apex = float(path.q[landed:, 2].max()) - 0.1
    return {"rebound, mm": 1e3 * abs(apex - case.restitution**2 * (case.height - 0.1))}


def judge_sliding(case: Case, path: Path) -> dict[str, float]:
    """Distance until friction has stopped a box, v^2 / (2 mu g), and how it creeps afterwards."""
    distance = case.velocity[0] ** 2 / (2.0 * case.friction * GRAVITY)
    last = len(path.time) // 4
    creep = np.linalg.norm(path.q[-1, :2] - path.q[-last, :2]) / (path.time[-1] - path.time[-last])
    return {"distance, mm": 1e3 * abs(float(path.q[-1, 0]) - distance), "creep, mm/s": 1e3 * float(creep)}


UNEVEN, ROUND, REST = (0.01, 0.02, 0.03), (0.004, 0.004, 0.004), (0.0, 0.0, 0.0)
CASES = (
    Case("tumbling in free fall, 5 s", BALL, UNEVEN, 1000.0, (1.0, 0.0, 0.0), (0.1, 8.0, 0.1), 5.0, judge_tumbling),
    Case("landing from 1 m", BALL, ROUND, 1.1, REST, REST, 1.0, judge_landing),
    Case("bouncing, e = 0.5", BALL, ROUND, 1.1, REST, REST, 0.9, judge_bouncing, restitution=0.5),
    Case("sliding to a stop", BOX, UNEVEN, 0.05, (2.0, 0.0, 0.0), REST, 2.0, judge_sliding, friction=0.5),
)
