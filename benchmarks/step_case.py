"""The work that all engines get when feet touch the ground: a quadruped that stands, or trots in place."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import numpy as np

from legged_contact_sim import RobotModel
from legged_contact_sim.dynamics import forward_kinematics

STANDING, TROTTING = "standing", "trotting"
GAITS = (STANDING, TROTTING)
TIME_STEPS = (5e-4, 2.5e-3)
CONTROL_PERIOD = 2.5e-3  # s, for which a row of joint targets holds
GAIT_PERIOD = 0.4  # s
SETTLING, WATCHING = 4, 5  # gait periods before the robot is watched, and while it is
FRICTION = 0.8
DIAGONALS = (("lf", "rh"), ("rf", "lh"))


@dataclass(frozen=True)
class Robot:
    """How a quadruped is driven: gains of its joints, N m/rad and N m s/rad, and how far a swinging leg folds."""

    name: str
    stiffness: float
    damping: float
    fold: float


ROBOTS = (Robot("quadruped12", 150.0, 4.0, 0.4), Robot("quadruped16", 6000.0, 100.0, 0.15))


@dataclass(frozen=True)
class StepCase:
    """A quadruped with a gait and a time step.

    Attributes:
        drive: its gains.
        gait: `STANDING` or `TROTTING`.
        time_step: s.
        urdf: the XML text that every engine reads.
        robot: the robot as this package reads that text.
    """

    drive: Robot
    gait: str
    time_step: float
    urdf: str
    robot: RobotModel

    @property
    def name(self) -> str:
        """Robot, gait and time step in words."""
        return f"{self.drive.name}, {self.gait}, {1e3 * self.time_step:g} ms"

    @property
    def every(self) -> int:
        """Steps for which a row of targets holds."""
        return round(CONTROL_PERIOD / self.time_step)

    @property
    def joint_home(self) -> np.ndarray:
        """Joint positions of the stance, (joint_count,), rad."""
        return self.robot.home[self.robot.position_indices]

    def targets(self, periods: int, growing: bool = False) -> np.ndarray:
        """Return joint targets of some gait periods, (rows, joint_count), rad; growing: steps that begin small.

        A leg that swings folds all its joints in proportion, which keeps its foot below the hip; diagonal pairs take
        turns.
        """
        time = np.arange(round(periods * GAIT_PERIOD / CONTROL_PERIOD)) * CONTROL_PERIOD
        rows = np.tile(self.joint_home, (len(time), 1))
        if self.gait == TROTTING:
            size = self.drive.fold * (1.0 - np.exp(-time / 0.2) if growing else np.ones_like(time))
            wave = np.sin(2.0 * np.pi / GAIT_PERIOD * time)
            for k, name in enumerate(self.robot.joint_names):
                turn = 1.0 if name[:2] in DIAGONALS[0] else -1.0
                rows[:, k] *= 1.0 + size * np.maximum(0.0, turn * wave)
        return rows


def step_case(drive: Robot, gait: str, time_step: float) -> StepCase:
    """Return a case from a packaged quadruped."""
    packaged = RobotModel.from_urdf(drive.name)
    urdf = feet_only(packaged.urdf)
    home = dict(zip(packaged.joint_names, packaged.home[packaged.position_indices].tolist()))
    return StepCase(drive, gait, time_step, urdf, RobotModel.from_urdf(urdf, "floating", home=home))


GRAM = """<inertial><mass value="0.001"/>
    <inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial>"""


def feet_only(urdf: str) -> str:
    """Return a URDF without what engines treat differently.

    Only feet touch; there is no joint friction and nothing to draw; a link without mass gets a gram.
    """
    root = ElementTree.fromstring(urdf)
    for link in root.iter("link"):
        if link.find("inertial") is None:
            link.append(ElementTree.fromstring(GRAM))
        for part in [*link.iter("collision"), *link.iter("visual")]:
            if part.tag == "visual" or not part.get("name", "").endswith("foot"):
                link.remove(part)
    for joint in root.iter("joint"):
        for part in list(joint.iter("dynamics")):
            joint.remove(part)
    return ElementTree.tostring(root, encoding="unicode")


def foot_heights(case: StepCase, q: np.ndarray) -> np.ndarray:
    """Return the heights of the soles above the ground, (feet,), m, from the coordinates alone."""
    rotation, position = forward_kinematics(case.robot, q)
    points = case.robot.contact_points
    centers = position[points["link"]] + np.einsum("kij,kj->ki", rotation[points["link"]], points["position"])
    heights: np.ndarray = centers[:, 2] - points["radius"]
    return heights


@dataclass(frozen=True)
class Behaviour:
    """What a robot did while it was watched.

    Attributes:
        failure: why it does not count as standing or trotting; empty: it does.
        lowest, highest: height of the base over its home, 1 is at home.
        upright: smallest cosine between the base's and the world's vertical.
        deepest: largest depth of a sole in the ground, m.
        swings: how often each foot left the ground, (feet,).
    """

    failure: str
    lowest: float
    highest: float
    upright: float
    deepest: float
    swings: tuple[int, ...]


LIFTED, SUNK = 0.01, 0.03  # m: a foot in the air; a foot too deep in the ground
UPRIGHT = {STANDING: 0.999, TROTTING: 0.95}
HEIGHTS = {STANDING: (0.9, 1.02), TROTTING: (0.75, 1.1)}


def behaviour(case: StepCase, path: np.ndarray) -> Behaviour:
    """Return what a path (T, nq) over the watched gait periods shows, one row per control period."""
    if not np.isfinite(path).all():
        return Behaviour("its state is not finite", np.nan, np.nan, np.nan, np.nan, ())
    height = path[:, 2] / case.robot.home[2]
    upright = 1.0 - 2.0 * (path[:, 3] ** 2 + path[:, 4] ** 2)
    feet = np.array([foot_heights(case, q) for q in path])
    swings = (np.diff((feet > LIFTED).astype(int), axis=0) == 1).sum(axis=0)
    found = (float(height.min()), float(height.max()), float(upright.min()), -float(feet.min()))
    return Behaviour(failure(case, feet, swings, *found), *found, tuple(swings.tolist()))


def failure(
    case: StepCase,
    feet: np.ndarray,
    swings: np.ndarray,
    lowest: float,
    highest: float,
    upright: float,
    deepest: float,
) -> str:
    """Return why this is not the gait of the case, or an empty text."""
    low, high = HEIGHTS[case.gait]
    if not low < lowest <= highest < high:
        return f"its base is between {lowest:.2f} and {highest:.2f} of its height"
    if upright < UPRIGHT[case.gait]:
        return f"it tilts by {np.rad2deg(np.arccos(upright)):.0f} degrees"
    if deepest > SUNK:
        return f"a foot sinks {1e3 * deepest:.0f} mm"
    if case.gait == STANDING:
        return "a foot is in the air" if swings.any() or (feet[-1] > LIFTED).any() else ""
    if (swings < WATCHING - 1).any():
        return f"its feet swing {swings.min()} times in {WATCHING} periods"
    names = [name[:2] for name in case.robot.contact_names]
    first, second = ((feet[:, [names.index(leg) for leg in pair]] > LIFTED).all(axis=1) for pair in DIAGONALS)
    if not (first.mean() > 0.1 and second.mean() > 0.1 and (first & second).mean() < 0.02):
        return "its diagonal pairs of feet do not take turns"
    return ""
