"""Gehring's eleven configurations of a trotting quadruped, its standing and its fall after a push."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ...control.trot_plan import trot_plan
from ...dynamics import forward_kinematics
from ...model import RobotModel
from ...simulation import Simulator, Trajectory

HARD_STEP, COMPLIANT_STEP = 2.5e-3, 1.25e-3  # s; controller at 400 Hz
STIFFNESS, DAMPING = 150.0, 4.0  # N m/rad and N m s/rad of the joints' drives: our choice
SOFT = (10.0, 1.0)  # the same of a robot that is pushed over
SPEED = 0.1  # m/s of the trot: our choice
CYCLE = 0.8  # s: 1.25 Hz
FOOT = "lf_foot"
# The study's own mode: contacts closed at the midpoint, its tolerances, no halving of alpha, no Newton finish.
STUDY = {
    "friction": 0.8,
    "relative_tolerance": 1e-6,
    "absolute_tolerance": 1e-6,
    "activation": "midpoint",
    "patience": 10**9,
    "finish": "none",
    "max_iterations": 10000,
}
COMPLIANT = {"friction": 0.8, "normal_stiffness": 3e4, "normal_damping": 50.0}
COMPLIANT |= {"tangential_stiffness": 3e4, "tangential_damping": 50.0}


@dataclass(frozen=True)
class Configuration:
    """A row of Table 1: what is simulated, and the evaluations per second and real-time factor that were published."""

    model: str
    time_step: float
    parameters: Mapping[str, Any]
    evaluations: float
    factor: float

    def simulator(self, **changes: Any) -> Simulator:
        """Return the standing robot."""
        sim = Simulator(quadruped(), self.model, self.time_step, **{**self.parameters, **changes})
        sim.hold(STIFFNESS, DAMPING)
        return sim


def hard(coordinates: str, prox: str, bilateral: str, alpha: float, evaluations: float, factor: float) -> Configuration:
    """Return a configuration with hard contact."""
    own = {"coordinates": coordinates, "prox": prox, "bilateral": bilateral, "alpha": alpha}
    return Configuration("moreau", HARD_STEP, {**STUDY, **own}, evaluations, factor)


TABLE = {
    "Cm": Configuration("compliant", COMPLIANT_STEP, COMPLIANT, 8900, 11.5),
    "HmJ": hard("minimal", "jor", "direct", 0.6, 5400, 13.5),
    "HmS": hard("minimal", "sor", "direct", 0.6, 4700, 11.8),
    "HEJD": hard("extended", "jor", "direct", 0.6, 2700, 6.8),
    "HEJP": hard("extended", "jor", "prox", 0.5, 2900, 7.1),
    "HESD": hard("extended", "sor", "direct", 0.6, 2500, 6.1),
    "HESP": hard("extended", "sor", "prox", 0.6, 2400, 6.0),
    "HMJD": hard("maximal", "jor", "direct", 1.0, 1600, 4.1),
    "HMJP": hard("maximal", "jor", "prox", 0.4, 600, 1.5),
    "HMSD": hard("maximal", "sor", "direct", 1.0, 1600, 3.9),
    "HMSP": hard("maximal", "sor", "prox", 0.6, 800, 2.0),
}
HARD_ROWS = [name for name, row in TABLE.items() if row.model == "moreau"]


@cache
def quadruped() -> RobotModel:
    """Return the study's robot."""
    return RobotModel.from_urdf("quadruped12")


@cache
def targets(duration: float) -> np.ndarray:
    """Return the joint positions of the trot, a row for each period of the controller."""
    return trot_plan(quadruped(), SPEED, duration, HARD_STEP)


def trot(row: Configuration, duration: float, **changes: Any) -> tuple[Trajectory, float]:
    """Trot for a duration, s; return the trajectory and the CPU time, s."""
    sim, rows = row.simulator(**changes), targets(duration)
    every = round(HARD_STEP / sim.time_step)
    begin = time.process_time()
    run = sim.follow(rows, None, every, every)
    return run, time.process_time() - begin


def foot_force(run: Trajectory) -> np.ndarray:
    """Return the normal force of the left fore foot, (T,), N."""
    return run.forces[:, run.robot.contact_names.index(FOOT), 2]


def lowest_gap(run: Trajectory) -> np.ndarray:
    """Return the depth of the deepest point at every sample, (T,), m."""
    return np.maximum(0.0, -run.gaps.min(axis=1))


def drift(row: Configuration, minutes: float, **changes: Any) -> float:
    """Return how far the standing trunk sinks in a minute, m/min, after it has settled."""
    sim = row.simulator(**changes)
    sim.run(2.0, sample_every=100)
    start = float(sim.state.q[2])
    sim.run(60.0 * minutes, sample_every=1000)
    return (start - float(sim.state.q[2])) / minutes


def joint_drift(row: Configuration, minutes: float, trots: bool = True) -> tuple[float, float]:
    """Return how far the worst joint of cut bodies comes apart in a minute, m/min, trotting or standing.

    And what the turning of the trunk alone would make of it (`turned_apart`).
    """
    sim, every = row.simulator(), round(HARD_STEP / row.time_step)
    sim.run(2.0, sample_every=100)
    start, duration = sim.model.joint_gaps(), 60.0 * minutes  # type: ignore[attr-defined]
    run = sim.follow(targets(duration), None, every, 1) if trots else sim.run(duration)
    measured = float((sim.model.joint_gaps() - start).max())  # type: ignore[attr-defined]
    return measured / minutes, turned_apart(run, row.time_step) / minutes


def turned_apart(run: Trajectory, h: float) -> float:
    """Return how far the scheme takes the worst joint on the trunk off it, m, since velocities are those of midpoints.

    A trunk that turns at w carries the joint r away from its origin along a circle, the velocities w x r of the
    midpoint along its tangent: w x (w x r) h^2 / 2 is missing in every step of length h.
    """
    robot, turning = run.robot, run.v[:, 3:6]
    poses = forward_kinematics(robot, robot.home)
    carried = [k for k, link in enumerate(robot.links) if link["parent"] == 0]
    arms = [poses.rotation[0].T @ (poses.position[k] - poses.position[0]) for k in carried]
    missing = [0.5 * h**2 * np.cross(turning, np.cross(turning, arm)).sum(axis=0) for arm in arms]
    return max(float(np.linalg.norm(gap)) for gap in missing)


def push(force: float, duration: float, stiffness: float = SOFT[0], damping: float = SOFT[1]) -> Trajectory:
    """Push the standing robot sideways for 0.3 s and return its fall; its drives are soft from the push on."""
    sim = TABLE["HmJ"].simulator(patience=20, finish="newton")
    sim.run(0.5)
    sim.hold(stiffness, damping)
    sim.push("base_link", (0.0, force, 0.0), duration=0.3)
    return sim.run(duration)
