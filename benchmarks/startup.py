"""How long a user waits: from process start to the first step, with a warm cache and with none."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from .timing import print_table, use_all_cores

FIRST_STEP = """
from legged_contact_sim import Simulator
Simulator("quadruped12").step()
"""

FREE_STEP = """
from legged_contact_sim import RobotModel
from legged_contact_sim.dynamics import integrate
robot = RobotModel.from_urdf("quadruped12")
rates = [0.0] * robot.nv
integrate(robot, robot.home, rates, 5e-4)
"""

EVERYTHING = (
    FREE_STEP
    + """
from legged_contact_sim import dynamics as d
q, v, foot = robot.home, rates, robot.link_names[-1]
d.forward_dynamics(robot, q, v), d.inverse_dynamics(robot, q, v, v), d.mass_matrix(robot, q)
d.forward_kinematics(robot, q), d.point_jacobian(robot, q, foot), d.point_bias_acceleration(robot, q, v, foot)
d.inverse_contact_inertia(robot, q), d.contact_response(robot, q)
d.center_of_mass(robot, q), d.kinetic_energy(robot, q, v)
"""
)

WARM = "process start to first step of a simulator, warm cache"
COLD = "the same, compiling what it needs"
COLD_FREE = "first free step of the dynamics alone, compiling what it needs"
COLD_ALL = "the same, compiling every dynamics kernel"
GOALS = {WARM: 2.0, COLD: 30.0, COLD_FREE: 30.0}  # nobody waits for every kernel at once
CHECKOUT = Path(__file__).resolve().parents[1]


class Wait(NamedTuple):
    """How long a process took, s: on the clock, and of the processor (which a busy machine does not lengthen)."""

    wall: float
    processor: float


def wait(code: str, cache: str) -> Wait:
    """Return how long a fresh Python takes to start and run the code with that cache folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    before = os.times()
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=CHECKOUT,
        env=environment,
        check=True,
        stderr=subprocess.DEVNULL,
        preexec_fn=use_all_cores,
    )
    spent = [end - start for start, end in zip(before, os.times())]
    return Wait(wall=spent[4], processor=spent[2] + spent[3])


def measure(warm_starts: int = 7) -> dict[str, Wait]:
    """Return waits by name: the best warm one, and each cold one, which starts with an empty cache folder."""
    with tempfile.TemporaryDirectory() as cache:
        cold = wait(FIRST_STEP, cache)
        warm = min(wait(FIRST_STEP, cache) for _ in range(warm_starts))
    with tempfile.TemporaryDirectory() as cache:
        free = wait(FREE_STEP, cache)
    with tempfile.TemporaryDirectory() as cache:
        everything = wait(EVERYTHING, cache)
    return {WARM: warm, COLD: cold, COLD_FREE: free, COLD_ALL: everything}


def run() -> dict[str, Any]:
    """Measure, print beside the goals, and return the numbers."""
    found = measure()
    goals = {name: f"{goal:g}" for name, goal in GOALS.items()}
    rows = [[name, f"{x.wall:.2f}", f"{x.processor:.2f}", goals.get(name, "")] for name, x in found.items()]
    print_table("Start-up of quadruped12, s", ["", "on the clock", "processor", "goal"], rows)
    return {name: {**x._asdict(), "goal": GOALS.get(name)} for name, x in found.items()}
