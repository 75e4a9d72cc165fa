"""Kinematics of legs, found in the robot's model: closed form for hip-hip-knee legs, damped least squares for others.

A leg is the chain of joints from the trunk to a foot. All its vectors are kept in the trunk's axes in the pose in
which all joints stand at zero, so that the foot is ``p1 + R1 (p2 - p1 + R2 (p3 - p2 + ... ))`` with ``Ri`` the rotation
about the joint's axis (product of exponentials).
"""

import cmath
import math
from dataclasses import dataclass, field

import numpy as np

from ..errors import ModelError
from ..model import RobotModel
from ..model.feet import chain
from ..model.home import body_placements
from ..model.records import REVOLUTE

DAMPING = 1e-4  # m, of the least squares: errors along directions that the leg hardly moves in are left
TOLERANCE = 1e-8  # rad, of the last step
MAX_ITERATIONS = 50
LONGEST_STEP = 0.5  # rad


@dataclass(frozen=True, eq=False)
class Leg:
    """A serial chain of revolute joints from the trunk to a foot.

    Attributes:
        name: of the contact point at the foot.
        point: index of that contact point.
        link: index of the body that carries it.
        radius: of the foot's sphere, m; positions below are those of its centre.
        joints: indices of the joints in joint order, trunk first.
        axes: (n, 3), in the trunk's axes at zero angles.
        offsets: (n + 1, 3), m: trunk to first joint, joint to joint, last joint to foot, likewise.
        home: (n,), rad.
        limits: (2, n), rad.
    """

    name: str
    point: int
    link: int
    radius: float
    joints: np.ndarray
    axes: np.ndarray
    offsets: np.ndarray
    home: np.ndarray
    limits: np.ndarray
    tilde: np.ndarray = field(init=False)
    square: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        """Prepare Rodrigues' formula: the matrices of ``axis x`` and of ``axis x axis x``, (n, 3, 3)."""
        x, y, z = self.axes.T
        o = np.zeros(len(x))
        tilde = np.array([[o, -z, y], [z, o, -x], [-y, x, o]]).transpose(2, 0, 1)
        object.__setattr__(self, "tilde", tilde)
        object.__setattr__(self, "square", tilde @ tilde)

    @property
    def planar(self) -> bool:
        """Whether the closed form applies: three joints, the last two parallel and at right angles to the first."""
        if len(self.joints) != 3:
            return False
        first, second, third = self.axes
        return bool(abs(first @ second) < 1e-9 and np.abs(second - third).max() < 1e-9)

    def foot(self, angles: np.ndarray) -> np.ndarray:
        """Return the foot's position (3,) in the trunk's frame, m."""
        return self.foot_and_jacobian(angles)[0]

    def jacobian(self, angles: np.ndarray) -> np.ndarray:
        """Return the derivative (3, n) of the foot's position in the trunk's frame, m/rad."""
        return self.foot_and_jacobian(angles)[1]

    def foot_and_jacobian(self, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return both in one pass down the leg."""
        rotation, origin = np.eye(3), np.zeros(3)
        axes, origins = [], []
        for k, angle in enumerate(angles.tolist()):
            origin = origin + rotation @ self.offsets[k]
            axes.append(rotation @ self.axes[k])
            origins.append(origin)
            turn = math.sin(angle) * self.tilde[k] + (1.0 - math.cos(angle)) * self.square[k]
            rotation = rotation + rotation @ turn
        foot = origin + rotation @ self.offsets[-1]
        columns = [cross(axis, foot - place) for axis, place in zip(axes, origins, strict=True)]
        return foot, np.array(columns).T

    def angles(
        self, target: np.ndarray, guess: np.ndarray | None = None, iterations: int = MAX_ITERATIONS
    ) -> np.ndarray:
        """Return joint angles (n,) that bring the foot to a target (3,) in the trunk's frame, or as near as they can.

        Knees bend as in the home pose. A leg with more than three joints stays as near to its home pose as it can.

        Args:
            target: m.
            guess: where the iteration begins, (n,), rad; None: home. The closed form needs none.
            iterations: at most; a few do for a target that moves on a little from call to call.
        """
        found = self._closed_form(target) if self.planar else self._least_squares(target, guess, iterations)
        return np.clip(found, self.limits[0], self.limits[1])

    def _closed_form(self, target: np.ndarray) -> np.ndarray:
        """Solve the hip-hip-knee leg: abduction by its lateral offset, then two links in a plane.

        With e1, e2 the two axes and e3 = e1 x e2, a vector in the plane of e1 and e3 is the complex number
        ``e3 part + i e1 part``; a turn by q about e2 multiplies it by ``exp(i q)``.
        """
        e1, e2 = self.axes[0], self.axes[1]
        e3 = cross(e1, e2)
        lateral = float(e2 @ self.offsets[1:].sum(axis=0))
        below = math.copysign(1.0, float(e3 @ (self.foot(self.home) - self.offsets[0])))
        reach = target - self.offsets[0]
        x2, x3 = float(e2 @ reach), float(e3 @ reach)
        height = below * math.sqrt(max(x2 * x2 + x3 * x3 - lateral * lateral, 0.0))
        abduction = math.atan2(x3, x2) - math.atan2(height, lateral)
        upper, lower = (complex(e3 @ vector, e1 @ vector) for vector in self.offsets[2:])
        across = complex(height, e1 @ reach) - complex(e3 @ self.offsets[1], e1 @ self.offsets[1])
        product = upper.conjugate() * lower
        cosine = (abs(across) ** 2 - abs(upper) ** 2 - abs(lower) ** 2) / (2.0 * abs(product))
        bend = math.acos(min(1.0, max(-1.0, cosine)))
        side = math.copysign(1.0, wrapped(self.home[2] + cmath.phase(product)))
        knee = wrapped(side * bend - cmath.phase(product))
        flexion = cmath.phase(across) - cmath.phase(upper + lower * cmath.exp(1j * knee))
        return np.array([wrapped(abduction), wrapped(flexion), knee])

    def _least_squares(self, target: np.ndarray, guess: np.ndarray | None, iterations: int) -> np.ndarray:
        """Iterate ``dq = J^+ e + (1 - J^+ J)(home - q)`` with the damped inverse ``J^T (J J^T + d^2)^-1``."""
        angles = (self.home if guess is None else guess).copy()
        for _ in range(iterations):
            foot, J = self.foot_and_jacobian(angles)
            posture = self.home - angles
            within = np.linalg.solve(J @ J.T + DAMPING**2 * np.eye(3), target - foot - J @ posture)
            step = within @ J + posture
            largest = np.abs(step).max()
            angles += step * min(1.0, LONGEST_STEP / max(largest, 1e-12))
            if largest < TOLERANCE:
                break
        return angles


def find_legs(robot: RobotModel) -> tuple[Leg, ...]:
    """Return the legs of a robot with a floating base: one for each of its feet (see `RobotModel.feet`).

    Raises:
        ModelError: the base is not free, there is no leg, or a leg has a joint that does not turn.
    """
    if robot.base != "floating":
        raise ModelError(f"{robot.name}: legs are found from a floating trunk; its base is {robot.base}")
    if not robot.feet:
        raise ModelError(f"{robot.name}: has no leg: no joint stands between its trunk and a contact point")
    return tuple(_leg(robot, robot.contact_names.index(foot)) for foot in robot.feet)


def _leg(robot: RobotModel, point: int) -> Leg:
    record = robot.contact_points[point]
    bodies = chain(robot.links, int(record["link"]))
    joint_of = {int(link): joint for joint, link in enumerate(robot.joint_links)}
    for body in bodies:
        if body not in joint_of or robot.links["joint_kind"][body] != REVOLUTE:
            raise ModelError(f"{robot.name}: leg {robot.contact_names[point]!r} has a joint that is not revolute")
    zero = np.zeros(robot.nq)
    zero[6] = 1.0
    placed = body_placements(robot.links, zero)
    trunk = placed[0]
    origins = [trunk.rotation.T @ (placed[body].position - trunk.position) for body in bodies]
    end = trunk.rotation.T @ (placed[record["link"]].apply(record["position"]) - trunk.position)
    parents = robot.links["parent"]
    axes = [trunk.rotation.T @ placed[parents[body]].rotation @ robot.links["axis"][body] for body in bodies]
    joints = np.array([joint_of[body] for body in bodies])
    return Leg(
        name=robot.contact_names[point],
        point=point,
        link=int(record["link"]),
        radius=float(record["radius"]),
        joints=joints,
        axes=np.array(axes),
        offsets=np.diff(np.array([np.zeros(3), *origins, end]), axis=0),
        home=robot.home[robot.position_indices[joints]],
        limits=np.array([robot.links[limit][bodies] for limit in ("lower_limit", "upper_limit")]),
    )


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the cross product of two vectors (3,); numpy's own takes ten times as long."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def wrapped(angle: float) -> float:
    """Return an angle in ]-pi, pi]."""
    return math.atan2(math.sin(angle), math.cos(angle))
