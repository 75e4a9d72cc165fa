"""Ayit's quadruped: the joint references of trot, drops and jump, and their runs under exact contact and penalty."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from ...contact.records import CONTACT_NORMAL, CONTACT_TANGENTIAL
from ...control.leg_kinematics import find_legs
from ...control.trot_plan import trot_plan
from ...model import RobotModel
from ...simulation import Simulator, Trajectory

TIME_STEP, DURATION = 5e-4, 10.6  # s (table 5.2)
STIFFNESS = (6000.0, 20000.0, 70000.0, 30000.0)  # N m/rad: hip lateral, hip ventral, knee, ankle (table 5.3)
DAMPING, INTEGRAL = 1.0, 120.0  # N m s/rad and N m/(rad s), of every joint
FEET = {"RB": "rh", "LB": "lh", "RF": "rf", "LF": "lf"}  # the document's names of the legs, and ours
TROT_VELOCITY = 0.09  # m/s
CROUCH, EXTENDED = 0.40, 0.76  # m; heights of the trunk before and after the thrust
CROUCH_TIME, EXTEND_TIME, JUMP_START = 0.8, 0.085, 0.5  # s
SAMPLES = 4  # steps of which a sample is the mean

GROUND = {"friction": 0.3, "viscous_friction": 0.4}  # (table 5.2)
PRINTED = {"solver": "printed_pgs", "tolerance": 1e-20, "max_iterations": 100}  # the sweeps of section 4.4
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "exact": ("exact_lcp", {**GROUND, "restitution": 0.0}),
    "printed": ("exact_lcp", {**GROUND, **PRINTED}),
    "penalty": ("penalty", {**GROUND, "tangential_stiffness": 5000.0}),
    "stiff_penalty": ("penalty", {**GROUND, "normal_stiffness": 6e7, "normal_damping": 3000.0}),
    "stiffer_penalty": ("penalty", {**GROUND, "normal_stiffness": 1e8, "normal_damping": 3000.0}),
}


@dataclass(frozen=True)
class Course:
    """A run of the document.

    Attributes:
        height: from which the robot is let go, m.
        targets: of the joints, (T, 16), rad, one for each step of 0.5 ms; the last one holds to the end.
        tilt: of the trunk at the start, (roll, pitch), rad.
        duration: s.
    """

    targets: np.ndarray
    height: float = 0.0
    tilt: tuple[float, float] = (0.0, 0.0)
    duration: float = DURATION
    changes: dict[str, Any] = field(default_factory=dict)


@cache
def quadruped() -> RobotModel:
    """Return the document's robot: only the tips of its legs touch."""
    packaged = RobotModel.from_urdf("quadruped16")
    home = dict(zip(packaged.joint_names, packaged.home[packaged.position_indices].tolist(), strict=True))
    return RobotModel.from_urdf(packaged.urdf, "floating", home=home)


def trot_targets(duration: float) -> np.ndarray:
    """Return the joint reference of the trot led by the zero moment point, (T, 16), rad."""
    return trot_plan(quadruped(), TROT_VELOCITY, duration, TIME_STEP)


def pose(height: float) -> np.ndarray:
    """Return the joint positions with the feet below the hips and the trunk at a height, m; (16,), rad."""
    robot = quadruped()
    joints = robot.home[robot.position_indices].copy()
    for leg in find_legs(robot):
        foot = leg.foot(leg.home)
        foot[2] = leg.radius - height
        joints[leg.joints] = leg.angles(foot)
    return joints


def jump_targets() -> np.ndarray:
    """Return the joint reference of the jump: stand, crouch, extend, and the home pose in flight; (T, 16), rad."""
    home = quadruped().home[quadruped().position_indices]
    stand, crouch = round(JUMP_START / TIME_STEP), round(CROUCH_TIME / TIME_STEP)
    extend = round(EXTEND_TIME / TIME_STEP)
    start = float(quadruped().home[2])
    heights = np.concatenate([np.linspace(start, CROUCH, crouch), np.linspace(CROUCH, EXTENDED, extend)])
    rows = [home] * stand + [pose(height) for height in heights]
    flight = np.linspace(rows[-1], home, round(0.3 / TIME_STEP))
    return np.vstack([rows, flight])


def still_targets() -> np.ndarray:
    """Return the home pose, (1, 16), rad."""
    return quadruped().home[quadruped().position_indices][None]


def simulate(course: Course, model: str) -> Trajectory:
    """Run a course under one of `MODELS`, with drives that act inside the step."""
    name, parameters = MODELS[model]
    sim = Simulator(quadruped(), name, TIME_STEP, **{**parameters, **course.changes})
    roll, pitch = course.tilt
    q = sim.robot.home.copy()
    q[3:7] = quaternion(roll, pitch)
    q = sim.grounded(q)
    q[2] += course.height
    sim.reset(q)
    sim.hold(np.tile(STIFFNESS, 4), DAMPING, integral=INTEGRAL)
    steps = round(course.duration / TIME_STEP)
    last = np.repeat(course.targets[-1:], max(0, steps - len(course.targets)), axis=0)
    return sim.follow(np.vstack([course.targets[:steps], last]), None, 1)


def quaternion(roll: float, pitch: float) -> np.ndarray:
    """Return the orientation (x, y, z, w) of a turn by pitch about y after one by roll about x, rad."""
    a, b = 0.5 * roll, 0.5 * pitch
    return np.array([np.sin(a) * np.cos(b), np.cos(a) * np.sin(b), -np.sin(a) * np.sin(b), np.cos(a) * np.cos(b)])


def attitude(q: np.ndarray) -> np.ndarray:
    """Return roll, pitch and yaw (T, 3), rad, of orientations in q (T, nq)."""
    x, y, z, w = q[:, 3:7].T
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.stack([np.unwrap(roll), pitch, np.unwrap(yaw)], axis=1)


def columns(run: Trajectory) -> dict[str, np.ndarray]:
    """Return the series of a run, every fourth step: base, attitude, and the forces' means over four steps."""
    count = len(run.time) // SAMPLES * SAMPLES
    last = slice(SAMPLES - 1, count, SAMPLES)
    found = {"time": run.time[last], "x": run.q[last, 0], "y": run.q[last, 1], "z": run.q[last, 2]}
    found |= dict(zip(("roll", "pitch", "yaw"), attitude(run.q)[last].T, strict=True))
    for theirs, ours in FEET.items():
        k = next(k for k, name in enumerate(run.robot.contact_names) if name.startswith(ours))
        means = run.forces[:count, k].reshape(-1, SAMPLES, 3).mean(axis=1)
        found |= {f"F{axis}_{theirs}": means[:, c] for c, axis in enumerate("xyz")}
    return found


def figures(run: Trajectory) -> dict[str, float]:
    """Return the single figures of a run."""
    works = run.works[:, CONTACT_NORMAL] + run.works[:, CONTACT_TANGENTIAL]
    late = run.time > run.time[-1] - 0.5
    weight = -float(run.robot.gravity[2]) * run.robot.total_mass
    up = 1.0 - 2.0 * (run.q[:, 3] ** 2 + run.q[:, 4] ** 2)
    return {
        "forward": float(run.q[-1, 0]),
        "sideways": float(run.q[-1, 1]),
        "least_upright": float(up.min()),
        "end_upright": float(up[-1]),
        "apex": float(run.q[:, 2].max()),
        "end_height": float(run.q[-1, 2]),
        "end_force": float(run.forces[late, :, 2].sum(axis=1).mean() / weight),
        "end_speed": float(np.abs(run.v[-1, :3]).max()),
        "largest_force": float(run.forces[:, :, 2].max()),
        "energy_from_contact": float(works.max(initial=0.0)) / run.start_energy,
        "largest_contact_work": float(works.max(initial=0.0)),
        "rise_from_contact": float((works - np.minimum.accumulate(works)).max()) / run.start_energy,
        "audit_gain": float((run.energies.sum(axis=1) - run.start_energy - run.works.sum(axis=1)).max()),
        "unconverged": float(run.solver[-1, 2]),
        "iterations": float(run.solver[:, 0].mean()),
        "largest_residual": float(run.solver[:, 1].max()),
    }
