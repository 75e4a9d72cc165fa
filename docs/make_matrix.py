"""Measure what each contact model does, in real runs, and write docs/matrix.md and the table of the README.

python docs/make_matrix.py           # some minutes: every model is compiled and run
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from legged_contact_sim import RobotModel, Simulator, contact_models
from legged_contact_sim.errors import LeggedContactSimError
from legged_contact_sim.terrain import Slope

ROOT = Path(__file__).resolve().parent.parent
BALL = """<robot name="ball"><link name="ball"><inertial><mass value="1"/>
<inertia ixx="4e-3" iyy="4e-3" izz="4e-3" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""
BLOCK = """<robot name="block"><link name="block"><inertial><mass value="10"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.4 0.3 0.1"/></geometry></collision></link></robot>"""
TIME_STEP = 5e-4  # s
WANTED = 0.5  # restitution
SLOPE = float(np.radians(20.0))
BEGIN, END = "<!-- matrix: docs/make_matrix.py writes from here -->", "<!-- matrix ends -->"


def standing(model: str) -> Simulator:
    """Return a quadruped that has stood for half a second, held by its drives."""
    sim = Simulator(RobotModel.from_urdf("quadruped12"), model, TIME_STEP, friction=0.8)
    sim.hold(150.0, 4.0)
    sim.run(0.5)
    return sim


def creep(model: str) -> str:
    """How fast a block moves down a slope of 20 degrees, mm/s, half a second after it was put there."""
    sim = Simulator(RobotModel.from_urdf(BLOCK), model, TIME_STEP, Slope(SLOPE), friction=0.8)
    normal = np.array([-np.sin(SLOPE), 0.0, np.cos(SLOPE)])
    sim.reset(np.array([*(0.05 * normal), 0.0, -np.sin(0.5 * SLOPE), 0.0, np.cos(0.5 * SLOPE)]))
    sim.run(0.5)
    before = sim.q[:3].copy()
    sim.run(0.5)
    return _scaled(1e3 * float(np.linalg.norm(sim.q[:3] - before)) / 0.5, "mm/s")


def rebound(model: str) -> str:
    """With which share of its speed a ball leaves that comes at 1 m/s, where 0.5 was asked for."""
    robot = RobotModel.from_urdf(BALL)
    try:
        sim = Simulator(robot, model, TIME_STEP, friction=0.8, restitution=WANTED)
    except LeggedContactSimError:
        return "no such parameter"
    if "restitution" not in sim.model.parameter_names():
        return "follows from damping"
    v = np.zeros(robot.nv)
    v[2] = -1.0
    sim.reset(robot.home, v)
    run = sim.run(0.05)
    return f"{float(run.v[:, 2].max()):.2f}"


def asymmetry(sim: Simulator) -> str:
    """How far the loads of left and right feet are apart, of the weight: four feet share it in many ways."""
    names, forces = sim.robot.contact_names, sim.run(0.1).forces.mean(axis=0)
    load = {foot[:2]: forces[names.index(foot), 2] for foot in sim.robot.feet}
    weight = sim.robot.total_mass * 9.81
    return f"{max(abs(load['lf'] - load['rf']), abs(load['lh'] - load['rh'])) / weight:.0e}".replace("0e+00", "0")


def sinkage(sim: Simulator) -> str:
    """How deep the feet of the standing robot are in the ground, at most, in a tenth of a second."""
    run = sim.run(0.1)
    if len(run.touches) < 0.5 * len(sim.robot.feet) * len(run.time):
        return "rattles"  # its feet are in the air most of the time
    return _scaled(max(0.0, -1e3 * float(run.touches["gap"].min())), "mm")


def cost(sim: Simulator) -> str:
    """Processor time of a step of the standing robot, the least of five rounds."""
    rounds = []
    for _ in range(5):
        begin = time.process_time()
        sim.run(0.1, sample_every=200)
        rounds.append(time.process_time() - begin)
    return f"{1e6 * min(rounds) / (0.1 / TIME_STEP):.1f} us"


def energy(model: str) -> str:
    """What no work explains of a drop from 0.1 m, J, and of how much: the work that contact took."""
    robot = RobotModel.from_urdf("quadruped12")
    sim = Simulator(robot, model, TIME_STEP, friction=0.8)
    sim.hold(150.0, 4.0)
    start = robot.home.copy()
    start[2] += 0.1
    sim.reset(start)
    sim.run(0.5)
    audit = sim.report.energy
    return f"{abs(audit.remainder):.0e} of {abs(audit.contact):.1f} J"


def _scaled(value: float, unit: str) -> str:
    return f"0 {unit}" if value < 1e-6 else f"{value:.1e} {unit}" if value < 0.01 else f"{value:.2f} {unit}"


COLUMNS: tuple[tuple[str, str], ...] = (
    ("stick", "creep of a block of 10 kg on a slope of 20 degrees, where friction 0.8 holds it"),
    ("restitution", "measured on a ball that comes at 1 m/s, 0.5 asked for"),
    ("redundancy", "left and right feet differ by this share of the weight"),
    ("soft ground", "depth of the feet at rest with the default stiffness, which for `penalty` is made for 97 kg"),
    ("speed", "processor time of a step of 0.5 ms, standing"),
    ("energy", "unexplained, of the work of contact in a drop from 0.1 m"),
)


def row(model: str) -> list[str]:
    """Measure one model."""

    def tried(measure: Callable[[], str]) -> str:
        try:
            return measure()
        except LeggedContactSimError as error:
            return f"fails: {str(error)[:40]}"

    sim = standing(model)
    measures: tuple[Callable[[], str], ...] = (
        lambda: creep(model),
        lambda: rebound(model),
        lambda: asymmetry(sim),
        lambda: sinkage(sim),
        lambda: cost(sim),
        lambda: energy(model),
    )
    return [f"`{model}`", *map(tried, measures)]


def table(rows: list[list[str]]) -> str:
    """Return the matrix as Markdown."""
    header = ["model", *(name for name, _ in COLUMNS)]
    lines = [f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows)]
    return "\n".join(lines)


def main() -> None:
    """Measure all models and write the pages."""
    rows = []
    for model in contact_models():
        rows.append(row(model))
        print(*rows[-1], sep=" | ", flush=True)
    matrix = table(rows)
    meaning = "\n".join(f"- **{name}**: {words}." for name, words in COLUMNS)
    page = (
        "# Which model does what\n\nMeasured on `quadruped12` (25 kg, four feet, drives that hold the home pose, "
        "steps of 0.5 ms) by `make matrix`, not typed. Speed depends on the machine; the rest does not.\n\n"
        f"{matrix}\n\n{meaning}\n\nWhat each assumes and gets wrong stands on its own page: "
        "[contact models](contact/README.md). "
        "Your own question, asked of all of them: [compare](compare.md).\n"
    )
    (ROOT / "docs/matrix.md").write_text(page)
    readme = ROOT / "README.md"
    text = readme.read_text()
    readme.write_text(re.sub(f"{BEGIN}.*?{END}", f"{BEGIN}\n{matrix}\n{END}", text, flags=re.S))


if __name__ == "__main__":
    main()
