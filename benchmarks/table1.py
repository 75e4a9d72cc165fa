"""Gehring's Table 1: all eleven configurations of the standing quadruped, beside the published speeds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np

from legged_contact_sim import Simulator
from legged_contact_sim.contact import Commands

from .report import save
from .timing import Contender, interleave, print_table

ROBOT, STIFFNESS, DAMPING = "quadruped12", 150.0, 4.0
SETTLING = 2.0  # s
STEPS = 40
# The study's tolerances; iterations warm-start from the last step's impulses.
STUDY = {"friction": 0.8, "relative_tolerance": 1e-6, "absolute_tolerance": 1e-6}
AGREEMENT = 1e-4  # m, of the trunk's pose


class Row(NamedTuple):
    """A configuration of the table, the evaluations per second it was published with, and how many times it we want."""

    model: str
    time_step: float
    parameters: Mapping[str, Any]
    published: float
    goal: float


def hard(coordinates: str, prox: str, bilateral: str, alpha: float, published: float) -> Row:
    """Return a configuration with hard contact."""
    own = {"coordinates": coordinates, "prox": prox, "bilateral": bilateral, "alpha": alpha}
    return Row("moreau", 2.5e-3, {**STUDY, **own}, published, 10.0 if coordinates == "minimal" else 5.0)


TABLE = {
    "Cm": Row("compliant", 1.25e-3, {"friction": 0.8}, 8900, 10.0),
    "HmJ": hard("minimal", "jor", "direct", 0.6, 5400),
    "HmS": hard("minimal", "sor", "direct", 0.6, 4700),
    "HEJD": hard("extended", "jor", "direct", 0.6, 2700),
    "HEJP": hard("extended", "jor", "prox", 0.5, 2900),
    "HESD": hard("extended", "sor", "direct", 0.6, 2500),
    "HESP": hard("extended", "sor", "prox", 0.6, 2400),
    "HMJD": hard("maximal", "jor", "direct", 1.0, 1600),
    "HMJP": hard("maximal", "jor", "prox", 0.4, 600),
    "HMSD": hard("maximal", "sor", "direct", 1.0, 1600),
    "HMSP": hard("maximal", "sor", "prox", 0.6, 800),
}


# The study's springs, 30,000 N/m, give way by 2 mm under the robot; these, by 0.06 mm, tell whether the rest agrees.
STIFF = Row("compliant", 1.25e-3, {"friction": 0.8, "normal_stiffness": 1e6, "tangential_stiffness": 1e6}, 0.0, 0.0)
NOTE = "Distance of Cm: on springs of 1e6 N/m; on the study's, 3e4 N/m, it stands 2.1 mm lower, as its weight asks.\n"


def standing(row: Row) -> Simulator:
    """Return the quadruped after it has come to rest in a configuration."""
    simulator = Simulator(ROBOT, row.model, row.time_step, **row.parameters)
    simulator.hold(STIFFNESS, DAMPING)
    simulator.run(SETTLING)
    return simulator


def contender(name: str, row: Row, simulator: Simulator) -> Contender:
    """Return a compiled run of standing steps."""
    robot = simulator.robot
    targets = np.zeros((1, 2, robot.nv))
    targets[0, 1, robot.velocity_indices] = robot.home[robot.position_indices]
    commands = Commands(targets)
    return Contender(name, "step", "run", lambda: simulator.drive(STEPS, commands), STEPS)


def check(robots: dict[str, Simulator]) -> dict[str, float]:
    """Return how far each configuration's trunk is from that of HmJ, m; disagreement is refused."""
    poses = {name: simulator.state.q[:7] for name, simulator in (robots | {"Cm": standing(STIFF)}).items()}
    away = {name: float(np.abs(pose - poses["HmJ"]).max()) for name, pose in poses.items()}
    for name, distance in away.items():
        if not distance <= AGREEMENT:
            raise RuntimeError(f"{name}: its trunk is {distance:.1e} m from that of HmJ, more than {AGREEMENT:.0e} m")
    return away


def run(rounds: int) -> dict[str, Any]:
    """Let all configurations stand, check that they agree, time them, print and plot."""
    robots = {name: standing(row) for name, row in TABLE.items()}
    away = check(robots)
    timings = interleave([contender(name, TABLE[name], sim) for name, sim in robots.items()], rounds)
    speeds = {name: 1e6 / timing.minimum for name, timing in zip(TABLE, timings)}
    rows = [
        [name, f"{row.published:.0f}", f"{speeds[name]:.0f}", f"{speeds[name] / row.published:.1f}x", f"{row.goal:g}x",
         f"{speeds[name] * row.time_step:.0f}", f"{away[name]:.0e}"]
        for name, row in TABLE.items()
    ]  # fmt: skip
    header = ["", "published, 1/s", "here, 1/s", "ratio", "goal", "real-time factor", "trunk from HmJ, m"]
    print_table("Gehring's Table 1, standing: evaluations per second", header, rows)
    print(NOTE)
    plot(speeds)
    return {
        name: {"published": row.published, "per_second": speeds[name], "median_microseconds": timing.median,
               "ratio": speeds[name] / row.published, "goal": row.goal, "distance": away[name]}
        for (name, row), timing in zip(TABLE.items(), timings)
    }  # fmt: skip


def plot(speeds: Mapping[str, float]) -> None:
    """Plot our speeds beside the published ones, with the goals as marks."""
    figure, axes = plt.subplots(figsize=(8, 4))
    places = np.arange(len(TABLE))
    axes.bar(places - 0.2, [row.published for row in TABLE.values()], 0.4, label="published", color="0.6")
    axes.bar(places + 0.2, [speeds[name] for name in TABLE], 0.4, label="legged_contact_sim")
    axes.plot(places + 0.2, [row.goal * row.published for row in TABLE.values()], "k_", markersize=14, label="goal")
    axes.set_xticks(places, list(TABLE))
    axes.set(yscale="log", ylabel="evaluations per second", title="Table 1 of Gehring, standing")
    axes.legend()
    save(figure, "table1")
