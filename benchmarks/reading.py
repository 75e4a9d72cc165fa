"""A controller's loop from Python: efforts written, one step, state and contact forces read; ours and MuJoCo's."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import mujoco
import numpy as np

from legged_contact_sim import RobotModel, Simulator

from .mujoco_steps import DEFAULT, MuJoCoPlayer, Options
from .our_steps import EXACT, MODELS, MOREAU
from .step_case import ROBOTS, STANDING, StepCase, step_case
from .timing import Contender, Timing, interleave, print_table

GOAL = 2.0  # MuJoCo's time over ours
SETTLING = 0.5  # s
OBJECTS, ALL_POINTS = f"{EXACT}, an object per contact", f"{EXACT}, all contact points"
NOTES = """
Standing on four feet, 0.5 ms. Ours: `sim.step(effort)`, then numbers read from `sim.q`, `sim.v` and
`sim.contacts.force` (world axes). MuJoCo, default settings: `data.ctrl[:] = ...`, `mj_step`, numbers read from
`data.qpos` and `data.qvel`, `mj_contactForce` for each of `data.ncon` contacts (contact axes). Arrays are views,
fetched once.
"""


def standing_simulator(case: StepCase, model: str, robot: RobotModel) -> Simulator:
    """Return a robot that has come to rest; its weight is checked on its feet."""
    simulator = Simulator(robot, model, case.time_step, **MODELS[model])
    simulator.hold(case.drive.stiffness, case.drive.damping)
    simulator.run(SETTLING, sample_every=1000)
    check_weight(case, model, float(simulator.contacts.force[:, 2].sum()))
    return simulator


def check_weight(case: StepCase, name: str, force: float) -> None:
    """Refuse to time a robot that does not stand on its feet."""
    weight = case.robot.total_mass * 9.81
    if not 0.98 * weight < force < 1.02 * weight:
        raise RuntimeError(f"{case.name}, {name}: expected contact forces of {weight:.1f} N in sum, found {force:.1f}")


def our_loop(simulator: Simulator) -> Callable[[], float]:
    """Return a turn of the loop with arrays."""
    effort = np.zeros(simulator.robot.joint_count)
    q, v, force = simulator.q, simulator.v, simulator.contacts.force

    def turn() -> float:
        simulator.step(effort)
        return float(q[2] + v[2] + force[0, 2])

    return turn


def our_objects(simulator: Simulator) -> Callable[[], float]:
    """Return a turn of the loop with a state and an object per contact."""
    effort = np.zeros(simulator.robot.joint_count)

    def turn() -> float:
        contacts = simulator.step(effort).contacts
        state = simulator.state
        return float(state.q[2] + state.v[2] + contacts[0].force[2])

    return turn


def mujoco_loop(case: StepCase) -> Callable[[], float]:
    """Return a turn of the loop in MuJoCo, from a robot that has come to rest."""
    player = MuJoCoPlayer(case, Options(), DEFAULT)
    model, data, targets, force = player.model, player.data, np.zeros(len(player.drives)), np.zeros(6)
    targets[player.drives] = case.joint_home
    q, v, controls = data.qpos, data.qvel, data.ctrl
    controls[:] = targets
    mujoco.mj_step(model, data, nstep=round(SETTLING / case.time_step))

    def turn() -> float:
        controls[:] = targets
        mujoco.mj_step(model, data)
        for contact in range(data.ncon):
            mujoco.mj_contactForce(model, data, contact, force)
        return float(q[2] + v[2] + force[0])

    turn()
    total = 0.0
    for contact in range(data.ncon):
        mujoco.mj_contactForce(model, data, contact, force)
        total += force[0]
    check_weight(case, DEFAULT, total)
    return turn


def measure(case: StepCase, rounds: int) -> dict[str, Timing]:
    """Return what a turn takes, µs, by name."""
    loops: dict[str, Callable[[], float]] = {
        model: our_loop(standing_simulator(case, model, case.robot)) for model in (EXACT, MOREAU)
    }
    loops[ALL_POINTS] = our_loop(standing_simulator(case, EXACT, RobotModel.from_urdf(case.drive.name)))
    loops[OBJECTS] = our_objects(standing_simulator(case, EXACT, case.robot))
    loops[DEFAULT] = mujoco_loop(case)
    contenders = [Contender(name, STANDING, "call", turn) for name, turn in loops.items()]
    return dict(zip(loops, interleave(contenders, rounds, 1e-3)))


def run(rounds: int) -> dict[str, Any]:
    """Measure both quadrupeds, print and return times and ratios."""
    found = {drive.name: measure(step_case(drive, STANDING, 5e-4), rounds) for drive in ROBOTS}
    names = list(next(iter(found.values())))
    rows = [[name, *(f"{timings[name].minimum:.2f}" for timings in found.values())] for name in names]
    ratios = {robot: timings[DEFAULT].minimum / timings[EXACT].minimum for robot, timings in found.items()}
    rows.append([f"{DEFAULT} / {EXACT} (goal {GOAL:g})", *(f"{ratio:.2f}" for ratio in ratios.values())])
    print_table("Efforts, a step, state and contact forces from Python, µs (minimum)", ["", *found], rows)
    print(NOTES)
    return {
        "turns": {robot: {name: asdict(x) for name, x in timings.items()} for robot, timings in found.items()},
        "ratios": ratios,
        "goal": GOAL,
    }
