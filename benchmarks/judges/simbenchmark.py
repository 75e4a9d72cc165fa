"""SimBenchmark's cases that need no second body, with its published figures beside those of this run.

Kang and Hwangbo, "SimBenchmark", 2018 (leggedrobotics/SimBenchmark on GitHub, data/*/sample.csv). Its machine: Core
i7-7700HQ. Errors are roots of its mean squares. What is done otherwise here:

- energy: the state at the end of the lift is worked out once and given to all engines, which then fly for 2 s;
- momentum: the ball's blow is an impulse of 50 N s at the trunk before the start, so that no second body is needed;
- bouncing: one ball for each engine; its error counts 49 times, as its 49 balls bounce alike.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path as File

import numpy as np

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.dynamics import centroidal_momentum, kinetic_energy, mass_matrix, potential_energy

from ..step_case import ROBOTS
from .bodies import GRAVITY, ball
from .scene import Path, Scene, bare

TIME_STEPS = (1e-4, 1e-3, 1e-2)  # s
ANYMAL_STANCE = (0.03, 0.4, -0.8, -0.03, 0.4, -0.8, 0.03, -0.4, 0.8, -0.03, -0.4, 0.8)  # rad: LF, RF, LH, RH
ANYMAL_GAINS, ANYMAL_HEIGHT = (40.0, 1.0), 0.54
BALLS, DROP, BALL_MASS = 49, 5.0, 10.0
BLOW = 50.0  # N s: a ball of 10 kg at 5 m/s that stays
STANDING_STEP = 5e-3  # s
WHOLE, PART = 250.0, 50.0  # s of standing; their difference is timed

Play = Callable[[Scene], Path]

# Mean squares as published, at TIME_STEPS; without error reduction, of solvers that differ little the first.
PUBLISHED: dict[str, dict[str, tuple[float, float, float]]] = {
    "energy": {
        "RaiSim": (0.000110813, 0.0118404, 1.39767),
        "Bullet": (0.0745214, 3.65233, 342.786),
        "ODE": (0.0390564, 3.89101, 378.123),
        "MuJoCo": (0.0348459, 3.48198, 343.91),
        "MuJoCo, RK4": (1.58355e-21, 1.6273e-17, 5.56596e-11),
        "DART": (203.189, 236.756, 918.391),
    },
    "momentum": {
        "RaiSim": (3.85431e-07, 4.67537e-05, 0.00538685),
        "Bullet": (2.64129e-06, 0.000265836, 0.022708),
        "ODE": (1.21474e-25, 4.58962e-26, 7.16393e-28),
        "MuJoCo": (8.81273e-06, 0.0011404, 0.0156349),
        "MuJoCo, RK4": (1.66381e-16, 4.66112e-13, 2.39848e-05),
        "DART": (182.305, 168.986, 104.792),
    },
    "bouncing": {
        "RaiSim": (1.86413e-06, 0.0186204, 185.953),
        "Bullet": (752.345, 75245.4, 7.40664e6),
        "ODE": (1.85055, 185.027, 18808.3),
        "DART": (483.166, 72274.4, 7.37588e6),
    },
}
UNITS = {"energy": "J", "momentum": "N s", "bouncing": "J"}
# Published seconds for 50,000 steps of one robot, mean of ten runs, as microseconds a step.
PUBLISHED_STEP = {"RaiSim": 8.2, "MuJoCo": 34.8, "Bullet": 73.7, "DART": 116.8, "ODE": 462.2}


@dataclass(frozen=True)
class Quadruped:
    """The robot of the cases.

    Attributes:
        name: what the tables call it.
        flying, standing: its text without anything that touches, and with its feet.
        q: where it stands, (nq,).
        gains: of its drives, N m/rad and N m s/rad.
    """

    name: str
    flying: str
    standing: str
    q: np.ndarray
    gains: tuple[float, float]


def quadruped(path: str | None) -> Quadruped:
    """Return the robot of a URDF file, the benchmark's ANYmal by its own stance and gains; None: a packaged one."""
    drive = ROBOTS[0]
    robot = RobotModel.from_urdf(drive.name if path is None else File(path), "floating")
    q, gains = robot.home.copy(), (drive.stiffness, drive.damping)
    if path is not None and robot.joint_count == len(ANYMAL_STANCE):
        q[7:], q[2], gains = ANYMAL_STANCE, ANYMAL_HEIGHT, ANYMAL_GAINS
    return Quadruped(robot.name, bare(robot.urdf, feet=False), bare(robot.urdf, feet=True), q, gains)


def energy_scene(robot: Quadruped) -> Scene:
    """Return the limp robot as it is after a second in which twice its weight has lifted it; it flies for 2 s."""
    model = RobotModel.from_urdf(robot.flying, "floating")
    lift = Simulator(model, "exact_lcp", TIME_STEPS[0])
    q = robot.q.copy()
    q[2] = 2.0
    lift.reset(q)
    lift.push(model.link_names[0], (0.0, 0.0, 2.0 * GRAVITY * model.total_mass), duration=1.0)
    lift.advance(round(1.0 / TIME_STEPS[0]))
    return Scene(robot.flying, lift.q.copy(), lift.v.copy(), 2.0, TIME_STEPS[0])


def momentum_scene(robot: Quadruped) -> Scene:
    """Return the limp robot without gravity, just after a blow from the side at its base, for 10 s."""
    model = RobotModel.from_urdf(robot.flying, "floating")
    q = robot.q.copy()
    q[2] = 2.0
    blow = np.zeros(model.nv)
    blow[1] = BLOW
    return Scene(robot.flying, q, np.linalg.solve(mass_matrix(model, q), blow), 10.0, TIME_STEPS[0], gravity=0.0)


def bouncing_scene() -> Scene:
    """Return an elastic ball without friction that falls 5 m, for 20 s."""
    q = np.array([0.0, 0.0, DROP, 0.0, 0.0, 0.0, 1.0])
    rest = np.zeros(6)
    return Scene(ball(BALL_MASS), q, rest, 20.0, TIME_STEPS[0], friction=0.0, restitution=1.0)


def standing_scene(robot: Quadruped) -> Scene:
    """Return the robot on its feet, held by its drives."""
    rest = np.zeros(len(robot.q) - 1)
    return Scene(robot.standing, robot.q, rest, WHOLE, STANDING_STEP, drives=robot.gains)


def energy(scene: Scene, q: np.ndarray, v: np.ndarray) -> float:
    """Return kinetic and potential energy, J."""
    return kinetic_energy(scene.robot, q, v) + potential_energy(scene.robot, q)


def energy_error(scene: Scene, path: Path) -> float:
    """Return the root mean square of the energy's change, J."""
    begin = energy(scene, scene.q, scene.v)
    change = [energy(scene, q, v) - begin for q, v in zip(path.q, path.v)]
    return float(np.sqrt(np.mean(np.square(change))))


def momentum_error(scene: Scene, path: Path) -> float:
    """Return the root mean square of the linear momentum's change, N s."""
    begin = centroidal_momentum(scene.robot, scene.q, scene.v)[:3]
    change = [centroidal_momentum(scene.robot, q, v)[:3] - begin for q, v in zip(path.q, path.v)]
    return float(np.sqrt(np.mean(np.sum(np.square(change), axis=1))))


def bouncing_error(scene: Scene, path: Path) -> float:
    """Return the root mean square of the energy's change of all balls, J."""
    return BALLS * energy_error(scene, path)


def judged(judge: Callable[[Scene, Path], float], scene: Scene, path: Path) -> float:
    """Return an engine's error; infinite where its numbers did not stay finite."""
    return judge(scene, path) if np.isfinite(path.q).all() and np.isfinite(path.v).all() else np.inf


def errors(robot: Quadruped, engines: dict[str, Play], elastic: tuple[str, ...]) -> dict[str, dict[str, list[float]]]:
    """Return the errors at all time steps by case and engine; only some engines bounce."""
    cases = {
        "energy": (energy_scene(robot), energy_error),
        "momentum": (momentum_scene(robot), momentum_error),
        "bouncing": (bouncing_scene(), bouncing_error),
    }
    return {
        case: {
            name: [judged(judge, scene, play(scene.at(step))) for step in TIME_STEPS]
            for name, play in engines.items()
            if case != "bouncing" or name in elastic
        }
        for case, (scene, judge) in cases.items()
    }


def standing(robot: Quadruped, engines: dict[str, Play]) -> dict[str, dict[str, float]]:
    """Return by engine how far the trunk creeps while the robot stands, mm, and the time of a step, us."""
    scene = standing_scene(robot)
    found = {}
    for name, play in engines.items():
        begin = time.process_time()
        play(replace(scene, duration=PART))
        between = time.process_time()
        path = play(scene)
        spent = (time.process_time() - between) - (between - begin)
        settled = path.q[np.searchsorted(path.time, 10.0), :3]
        stands = path.q[-1, 2] >= 0.7 * settled[2] and settled[2] >= 0.5 * scene.q[2]  # false for numbers that are none
        creep = 1e3 * np.linalg.norm(path.q[-1, :3] - settled) if stands else np.inf
        found[name] = {"creep": float(creep), "step": 1e6 * spent / ((WHOLE - PART) / STANDING_STEP)}
    return found
