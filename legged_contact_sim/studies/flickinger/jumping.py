"""Flickinger's jumping leg (chapter 6): capability over configurations, stance over capability, and two jumps."""

from functools import cache
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from ...control import InProcess, make_controller
from ...control.capability import JumpingLeg
from ...dynamics import forward_kinematics
from ...model import RobotModel
from ...simulation import Simulator, Trajectory
from ...simulation.contacts import contact_centers
from ..frame import Result

DIRECTION = np.array([-1.0, 0.0, 1.0]) / np.sqrt(2.0)
GOAL = 5.0  # m away along the direction
LAW: dict[str, Any] = {
    "friction": 0.5,
    "dynamic_friction": 0.25,
    "restitution": 0.0,
    "energetic_restitution": 1.0,
}  # (table 6.1)
GUESS = (0.0, 0.09, -0.61)  # rad: coxa, femur, tibia (table 6.2)
FEMUR, TIBIA = (-0.3, 0.95), (-1.3, -0.25)  # rad; the sampled part of the configuration space
STEP, STANCE_STEP = 1.25e-5, 2e-4  # s; of output and of control: of the two jumps, and of the many short ones
DURATION, STANCE_DURATION = 0.3, 0.02  # s


@cache
def leg() -> JumpingLeg:
    """Return the document's leg."""
    return JumpingLeg(RobotModel.from_urdf("jumping_leg"))


@cache
def optimised() -> np.ndarray:
    """Return the pose of the greatest capability that our optimiser finds, (nq,)."""
    return leg().optimise(DIRECTION, LAW["friction"], starts=3).q


def guess() -> np.ndarray:
    """Return the document's first configuration, (nq,)."""
    return leg().standing(np.zeros(3), np.array(GUESS))


def jump(q: np.ndarray, duration: float, step: float = STEP) -> Trajectory:
    """Return a jump from a pose under `hybrid`; the motors are told anew every step, s, and rest in flight."""
    sim = Simulator(leg().robot, "hybrid", step, **LAW)
    sim.reset(q)
    return sim.run(duration, InProcess(make_controller("capability_jump", leg().robot), sim, step))


def stance(run: Trajectory) -> float:
    """Return how long the foot bears from the start on, s."""
    bears = run.forces[:, 0, 2] > 0.0
    return float(run.time[-1]) if bears.all() else float(np.argmin(bears) * run.time[0])


def run_field(quick: bool) -> Result:
    """Work out the capability over femur and tibia with the coxa at zero."""
    count = 25 if quick else 61
    femur, tibia = np.linspace(-1.0, 1.5, count), np.linspace(-2.2, 0.6, count)
    rows = [
        (f, t, leg().capability(leg().standing(np.zeros(3), np.array([0.0, f, t])), DIRECTION))
        for f in femur
        for t in tibia
    ]
    table = dict(zip(("femur", "tibia", "capability"), np.array(rows).T, strict=True))
    best, first = leg().capability(optimised(), DIRECTION), leg().capability(guess(), DIRECTION)
    numbers = {"guess": first, "optimised": best, "ratio": best / first, "side": count}
    return Result(numbers, {"field": table})


def run_stance(quick: bool) -> Result:
    """Let the leg jump from random planar configurations, and hold its stance against the capability."""
    rng = np.random.default_rng(0)
    rows: list[tuple[float, float, float, float]] = []
    wanted = 40 if quick else 200
    while len(rows) < wanted:
        femur, tibia = rng.uniform(*FEMUR), rng.uniform(*TIBIA)
        q = leg().standing(np.zeros(3), np.array([0.0, femur, tibia]))
        value = leg().capability(q, DIRECTION)
        if value > 0.0:
            rows.append((femur, tibia, value, stance(jump(q, STANCE_DURATION, STANCE_STEP))))
    table = dict(zip(("femur", "tibia", "capability", "stance"), np.array(rows).T, strict=True))
    kept = table["stance"] > STANCE_STEP
    table["filtered"] = kept.astype(float)
    correlation = spearmanr(table["capability"][kept], table["stance"][kept]).statistic
    numbers = {"rank_correlation": float(correlation), "configurations": wanted, "filtered": int(kept.sum())}
    return Result(numbers, {"stances": table})


def rise(run: Trajectory, q: np.ndarray) -> float:
    """Return how far the body rises, m."""
    return float(run.q[:, 2].max() - q[2])


def series(run: Trajectory) -> dict[str, np.ndarray]:
    """Return a jump's columns: body, foot, contact force, torques, motor angles, distance from the goal."""
    begin = run.q[0, :3]
    found = {"time": run.time, "x": run.q[:, 0], "y": run.q[:, 1], "z": run.q[:, 2], "tip": run.gaps[:, 0]}
    found["error"] = np.linalg.norm(begin + GOAL * DIRECTION - run.q[:, :3], axis=1)
    for k, axis in enumerate("xyz"):
        found[f"force_{axis}"] = run.forces[:, 0, k]
    for k, name in enumerate(("coxa", "femur", "tibia")):
        found[f"torque_{name}"] = run.effort[:, k]
        found[f"angle_{name}"] = run.q[:, 7 + k]
    return found


def skeleton(q: np.ndarray) -> dict[str, np.ndarray]:
    """Return the joints of the leg from body to foot in a pose, m: columns x, y and z, a row for each."""
    robot = leg().robot
    chain, body = [], int(robot.contact_points["link"][0])
    while body >= 0:
        chain.append(body)
        body = int(robot.links["parent"][body])
    places = [*forward_kinematics(robot, q).position[chain[::-1]], contact_centers(robot, q)[0][0]]
    return dict(zip("xyz", np.array(places).T, strict=True))


def run_jumps(quick: bool) -> Result:
    """Jump from the guess and from the optimum, at a step and at half of it."""
    numbers: dict[str, Any] = {}
    tables = {}
    duration = 0.2 if quick else DURATION
    for name, q in (("guess", guess()), ("optimised", optimised())):
        coarse, fine = jump(q, duration, 2.0 * STEP), jump(q, duration, STEP)
        numbers[f"rise_{name}"] = rise(fine, q)
        numbers[f"change_{name}"] = abs(rise(fine, q) / rise(coarse, q) - 1.0)
        numbers[f"stance_{name}"] = stance(fine)
        numbers[f"deepest_{name}"] = float(-fine.gaps[:, 0].min())
        tables[f"pose_{name}"] = skeleton(q)
        every = slice(None, None, 8)
        tables[name] = {column: values[every] for column, values in series(fine).items()}
    numbers["ratio"] = numbers["rise_optimised"] / numbers["rise_guess"]
    torques = [
        tables[name][f"torque_{joint}"] for name in ("guess", "optimised") for joint in ("coxa", "femur", "tibia")
    ]
    numbers["largest_torque"] = float(np.abs(torques).max())
    numbers["pose_optimised"] = optimised().tolist()
    return Result(numbers, tables)
