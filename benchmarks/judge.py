"""Judges from outside: closed forms, conservation and friction problems, ours beside MuJoCo and Pinocchio."""

import math
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import mujoco
import numpy as np

from legged_contact_sim import RobotModel, Simulator

from .friction import our_solution
from .friction_problems import built_in
from .judge_cases import CASES, Case, Path, turned
from .pinocchio_friction import ADMM, PGS, Friction
from .report import save
from .timing import print_table

TIME_STEP = 1e-3  # s
RESIDUAL = 1e-8  # m/s, of friction problems
STIFFNESS = 4e4  # 1/s^2, of MuJoCo's contact where it has to rebound
OUR_MODELS = ("exact_lcp", "moreau")
NOTES = f"""
Errors against closed forms, time step {1e3 * TIME_STEP:g} ms; 0 is exact. The cases are like those of SimBenchmark that
need no second body. MuJoCo, newest: implicitfast, elliptic cones, Newton, 10 noslip iterations. It has no
restitution: where a body has to rebound, its contact is a spring of {STIFFNESS:g} /s^2 with the damping that gives e,
its impedance as it comes. Friction problems: how many of the built-in ones reach {RESIDUAL:g} m/s.
"""


def our_path(case: Case, model: str) -> Path:
    """Return what one of our models does."""
    robot = RobotModel.from_urdf(case.urdf, "floating")
    parameters = {"friction": case.friction, "restitution": case.restitution}
    simulator = Simulator(robot, model, TIME_STEP, **parameters)
    q = np.array([0.0, 0.0, case.height, 0.0, 0.0, 0.0, 1.0])
    simulator.reset(q, np.array([*case.velocity, *case.rate]))
    run = simulator.run(case.duration)
    return Path(run.time, run.q[:, :3], run.q[:, 3:7], turned(run.q[:, 3:7], run.v[:, :3]), run.v[:, 3:6])


def mujoco_path(case: Case, newest: bool) -> Path:
    """Return what MuJoCo does, as it comes or with its newest options."""
    spec = mujoco.MjSpec.from_string(case.urdf)
    spec.body("body").add_freejoint()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    for geom in spec.geoms:
        geom.friction[0] = case.friction
        if case.restitution > 0.0:
            decay = -math.log(case.restitution)
            ratio = decay / math.hypot(math.pi, decay)
            geom.solref = [-STIFFNESS, -2.0 * ratio * math.sqrt(STIFFNESS)]
    spec.option.timestep = TIME_STEP
    if newest:
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone, spec.option.noslip_iterations = mujoco.mjtCone.mjCONE_ELLIPTIC, 10
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = 0.0, 0.0, case.height, 1.0, 0.0, 0.0, 0.0
    data.qvel[:] = *case.velocity, *case.rate
    rows = []
    for _ in range(round(case.duration / TIME_STEP)):
        mujoco.mj_step(model, data)
        rows.append(np.concatenate([[data.time], data.qpos, data.qvel]))
    table = np.array(rows)
    return Path(table[:, 0], table[:, 1:4], table[:, [5, 6, 7, 4]], table[:, 8:11], table[:, 11:14])


ENGINES: dict[str, Callable[[Case], Path]] = {
    **{f"ours, {model}": lambda case, model=model: our_path(case, model) for model in OUR_MODELS},
    "MuJoCo, default": lambda case: mujoco_path(case, newest=False),
    "MuJoCo, newest": lambda case: mujoco_path(case, newest=True),
}


def solved_problems() -> dict[str, int]:
    """Return how many of the built-in friction problems each solver solves."""
    problems = built_in()
    found = {"ours": sum(our_solution(problem).call is not None for problem in problems)}
    for name in (ADMM, PGS):
        found[name] = sum(Friction(problem).best(name, RESIDUAL).call is not None for problem in problems)
    return {**found, "all": len(problems)}


def plot(errors: dict[str, dict[str, float]]) -> None:
    """Draw all errors as bars on a logarithmic axis."""
    figure, axes = plt.subplots(figsize=(8, 6))
    names = list(errors)
    for k, engine in enumerate(ENGINES):
        places = [row + 0.2 * (k - 1.5) for row in range(len(names))]
        axes.barh(places, [max(errors[name][engine], 1e-9) for name in names], 0.2, label=engine)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="error, in the unit of its name", title="Judges: closed forms and conservation")
    axes.legend()
    save(figure, "judge")


def run(rounds: int) -> dict[str, Any]:
    """Let all engines do all cases; print, draw and return the errors. Nothing is timed: ``rounds`` is not used."""
    errors: dict[str, dict[str, float]] = {}
    for case in CASES:
        for engine, play in ENGINES.items():
            for quantity, error in case.judge(case, play(case)).items():
                errors.setdefault(f"{case.name}: {quantity}", {})[engine] = error
    rows = [[name, *(f"{found[engine]:.3g}" for engine in ENGINES)] for name, found in errors.items()]
    print_table("Judges", ["error", *ENGINES], rows)
    problems = solved_problems()
    print("\nFriction problems solved: " + ", ".join(f"{name} {count}" for name, count in problems.items()) + ".")
    print(NOTES)
    plot(errors)
    return {"time_step": TIME_STEP, "errors": errors, "friction_problems_solved": problems}
