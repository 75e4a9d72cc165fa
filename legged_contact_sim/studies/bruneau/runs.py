"""Bruneau's planar biped: a flat drop, and standing with spread legs while both ankles are pulled."""

from functools import cache
from typing import Any

import numpy as np

from ...contact.records import OPEN, SLIP
from ...model import RobotModel
from ...simulation import Simulator, Trajectory

TIME_STEP = 5e-4  # s
WEIGHT = 75.0 * 9.81  # N
DROP = 0.3  # m
GAINS = 20000.0, 400.0  # N m/rad and N m s/rad of all joints: our choice, legs that hardly give way
ROOT = 3  # joints of the pelvis: free
SOLE = 0.0023  # m; how deep the soles lie at rest under the printed parameters
SPREAD, LEAN = 0.25, 0.308  # rad; legs fore and aft, and the trunk: then both feet bear alike
GROWTH = 3300.0  # N/s of both ankles' pull together
PEAK, LEVEL, END = 0.17, 350.0, 0.47  # s, N, s; when the pull stops to grow, what it falls to, and when it is gone
# The document gives none of these. Its feet slide on for a while once the pull is gone, and stick at 0.496 s.
PULL = np.array([(0.0, 0.0), (PEAK, GROWTH * PEAK), (PEAK + 0.03, LEVEL), (END - 0.02, LEVEL), (END, 0.0)])
FEET = {"left": "lf_sole", "right": "rf_sole"}


@cache
def biped() -> RobotModel:
    """Return the document's biped."""
    return RobotModel.from_urdf("biped_planar")


def pose(height: float, **joints: float) -> np.ndarray:
    """Return a pose with the pelvis at a height, m, and joints by name, rad; all others at home."""
    robot = biped()
    q = robot.home.copy()
    for name, value in {"root_z": height, **joints}.items():
        q[robot.position_indices[robot.joint_names.index(name)]] = value
    return q


def standing(q: np.ndarray) -> Simulator:
    """Return the biped in a pose that its drives hold; the pelvis is free."""
    sim = Simulator(biped(), "distributed", TIME_STEP)
    stiffness, damping = (np.full(biped().joint_count, gain) for gain in GAINS)
    stiffness[:ROOT] = damping[:ROOT] = 0.0
    sim.hold(stiffness, damping, q[biped().position_indices])
    sim.reset(q)
    return sim


def drop(duration: float) -> Trajectory:
    """Let the biped fall flat; it leans so that its centre of mass is above the middle of its soles."""
    lean = 0.07
    return standing(pose(0.9252 + DROP, root_pitch=lean, left_ankle=-lean, right_ankle=-lean)).run(duration)


def pull(times: np.ndarray) -> np.ndarray:
    """Return the pull on both ankles together, N, at some times, s."""
    return np.interp(times, *PULL.T)


def spread_pose() -> np.ndarray:
    """Return the pose with one leg forward and one backward, soles flat on the ground."""
    thigh, shank = 0.42875, 0.4305
    height = (thigh + shank) * np.cos(SPREAD) + 0.06825 - SOLE
    hips = {"left_hip": -SPREAD - LEAN, "right_hip": SPREAD - LEAN}
    return pose(height, root_pitch=LEAN, left_ankle=SPREAD, right_ankle=-SPREAD, **hips)


def slide(duration: float) -> Trajectory:
    """Pull both ankles along x; time 0 is when the pull begins, after the biped has come to rest."""
    sim = standing(spread_pose())
    sim.run(1.5)
    sim.reset(sim.state.q, sim.state.v)
    for link in ("left_foot", "right_foot"):
        sim.push(link, (0.5, 0.0, 0.0), profile=PULL)
    return sim.run(duration)


def points_of(prefix: str) -> list[int]:
    """Return the indices of the testing points of a foot."""
    return [k for k, name in enumerate(biped().contact_names) if name.startswith(prefix)]


def foot_columns(run: Trajectory) -> dict[str, np.ndarray]:
    """Return normal and tangential force, N, and the numbers of touching and sliding points of each foot over time."""
    found: dict[str, np.ndarray] = {}
    for foot, prefix in FEET.items():
        points = points_of(prefix)
        found[f"normal_{foot}"] = run.forces[:, points, 2].sum(axis=1)
        found[f"tangential_{foot}"] = run.forces[:, points, 0].sum(axis=1)
        found[f"sliding_{foot}"] = (run.modes[:, points] == SLIP).sum(axis=1)
        found[f"touching_{foot}"] = (run.modes[:, points] != OPEN).sum(axis=1)
    return found


def ratio(columns: dict[str, Any]) -> np.ndarray:
    """Return the document's lambda_g: tangential over normal force of both feet together, (T,)."""
    normal = columns["normal_left"] + columns["normal_right"]
    tangential = columns["tangential_left"] + columns["tangential_right"]
    return np.abs(tangential) / np.maximum(normal, 1e-9)


def sole_velocity(run: Trajectory) -> np.ndarray:
    """Return the mean velocity along x of the testing points that touch, (T,), m/s; 0: none does."""
    points = [k for prefix in FEET.values() for k in points_of(prefix)]
    touching = run.modes[:, points] != OPEN
    total = (run.slip_velocities[:, points, 0] * touching).sum(axis=1)
    return np.asarray(total / np.maximum(touching.sum(axis=1), 1))
