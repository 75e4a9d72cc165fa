"""Many worlds, as learning needs them: our batch and environments, MuJoCo's rollouts, Gymnasium's MuJoCo worlds.

Everyone takes the same trotting quadruped and control period, and is watched before it is timed. Figures are steps per
second of processor time, of all threads together, which other programs on the machine disturb little; and of the clock.
"""

import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import mujoco
import numpy as np
from mujoco import rollout

from legged_contact_sim.control.policy.layout import parse_layout
from legged_contact_sim.gym import VelocityTask, VelocityVectorEnv
from legged_contact_sim.simulation.batch import WorldBatch

from .batch import all_cores
from .mujoco_steps import DEFAULT, Options, default_player, robot_on_ground
from .our_steps import EXACT
from .step_case import ROBOTS, SETTLING, TROTTING, WATCHING, StepCase, behaviour, step_case
from .timing import print_table

WORLDS, PERIODS = 64, 1
STEPS = (5e-4, 2.5e-3)  # s
MANY = 1024
NEVER = VelocityTask(fallen_tilt=3.2, fallen_height=-1.0)  # worlds go on whatever happens
LAYOUT = {
    "time_step": 2.5e-3,
    "observation": ["base_linear_velocity", "gyro", "projected_gravity", "joint_positions", "joint_velocities"],
    "action": {"scale": 1.0},
}


class Contender(NamedTuple):
    """Who plays many worlds, and where the first of them is."""

    play: Callable[[np.ndarray], Any]  # along joint targets (rows, joint_count)
    look: Callable[[], np.ndarray]  # coordinates of the first world, in our order


def our_batch(case: StepCase, threads: int = 1) -> Contender:
    """Return our batch, one compiled call a row of targets on each thread."""
    batch = WorldBatch(case.robot, WORLDS, (EXACT,), case.time_step, threads=threads)
    batch.hold(case.drive.stiffness, case.drive.damping)

    def play(rows: np.ndarray) -> None:
        for row in rows:
            batch.command(row)
            batch.advance(case.every)

    return Contender(play, lambda: batch.q[0].copy())


def our_environment(case: StepCase) -> Contender:
    """Return our vector environment: observations, rewards and resets as well."""
    gains = {"stiffness": case.drive.stiffness, "damping": case.drive.damping}
    layout = parse_layout("bench", {**LAYOUT, "gains": gains})
    env = VelocityVectorEnv(
        WORLDS, robot=case.robot, layout=layout, time_step=case.time_step, task=NEVER, episode=1e6, threads=1
    )
    env.reset(seed=0)

    def play(rows: np.ndarray) -> None:
        for row in rows:
            env.step(np.broadcast_to(row - case.joint_home, env.action_space.shape))

    return Contender(play, lambda: env.batch.q[0].copy())


def mujoco_rollout(case: StepCase, threads: int = 1) -> Contender:
    """Return MuJoCo's own rollout of many worlds, its states kept."""
    player = default_player(case)
    data = [mujoco.MjData(player.model) for _ in range(threads)]
    states = [np.tile(player.state(), (WORLDS, 1))]
    pool = rollout.Rollout(nthread=threads if threads > 1 else 0)

    def play(rows: np.ndarray) -> None:
        controls = np.zeros((1, len(rows), len(player.drives)))
        controls[0][:, player.drives] = rows
        controls = np.repeat(np.repeat(controls, case.every, axis=1), WORLDS, axis=0)
        found, _ = pool.rollout(player.model, data, states[0], controls)
        states[0] = found[:, -1]

    return Contender(play, lambda: states[0][0, 1 + player.positions])  # time comes first


def gymnasium_worlds(case: StepCase, folder: Path) -> Contender:
    """Return Gymnasium's vector of MuJoCo worlds with the same robot: its Ant task, which takes any description."""
    path = folder / f"{case.every}.xml"
    spec = robot_on_ground(case, Options())
    spec.compile()
    path.write_text(spec.to_xml())
    player = default_player(case)
    envs = gymnasium.make_vec(
        "Ant-v5", WORLDS, vectorization_mode="sync", xml_file=str(path), frame_skip=case.every,
        healthy_z_range=(-1e6, 1e6), main_body=1, disable_env_checker=True, max_episode_steps=10**9,
        reset_noise_scale=0.0,
    )  # fmt: skip
    envs.reset(seed=0)
    for env in envs.envs:
        env.unwrapped.set_state(player.data.qpos.copy(), player.data.qvel.copy())

    def play(rows: np.ndarray) -> None:
        actions = np.zeros((WORLDS, len(player.drives)))
        for row in rows:
            actions[:, player.drives] = row
            envs.step(actions)

    return Contender(play, lambda: envs.envs[0].unwrapped.data.qpos[player.positions].copy())


def watch(contender: Contender, case: StepCase) -> str:
    """Let the robots settle and then trot for some periods; return why that is no trot, or an empty text."""
    contender.play(case.targets(SETTLING, growing=True))
    path = []
    for row in case.targets(WATCHING):
        contender.play(row[None])
        path.append(contender.look())
    return behaviour(case, np.array(path)).failure


def measure(contenders: dict[str, Contender], case: StepCase, rounds: int) -> dict[str, tuple[float, float]]:
    """Return thousand steps per second of processor time and of the clock, the best of rounds in turn."""
    best = {name: np.full(2, np.inf) for name in contenders}
    for name, contender in contenders.items():
        failure = watch(contender, case)
        if failure:
            raise RuntimeError(f"{name}, {case.name}: {failure}")
    rows = case.targets(PERIODS)
    for _ in range(rounds):
        for name, contender in contenders.items():
            begin = np.array([time.process_time(), time.perf_counter()])
            contender.play(rows)
            best[name] = np.minimum(best[name], np.array([time.process_time(), time.perf_counter()]) - begin)
    steps = 1e-3 * WORLDS * case.every * len(rows)
    return {name: (float(steps / spent[0]), float(steps / spent[1])) for name, spent in best.items()}


def memory(case: StepCase) -> float:
    """Return what each of many worlds holds, kB."""
    WorldBatch(case.robot, 1, (EXACT,), case.time_step, threads=1).advance(1)  # what all share is there now
    tracemalloc.start()
    batch = WorldBatch(case.robot, MANY, (EXACT,), case.time_step, threads=1)
    batch.advance(1)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / MANY / 1e3


def run(rounds: int) -> dict[str, Any]:
    """Measure quadruped12, print and return thousand steps a second by time step and contender."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, all_cores():
        for step in STEPS:
            case = step_case(ROBOTS[0], TROTTING, step)
            makers: dict[str, Callable[[], Contender]] = {
                "our batch": partial(our_batch, case),
                "our batch, 2 threads": partial(our_batch, case, 2),
                "our environment": partial(our_environment, case),
                f"{DEFAULT}, rollout": partial(mujoco_rollout, case),
                f"{DEFAULT}, rollout, 2 threads": partial(mujoco_rollout, case, 2),
                "Gymnasium's MuJoCo": partial(gymnasium_worlds, case, Path(folder)),
            }
            found[f"{1e3 * step:g} ms"] = measure(
                {name: make() for name, make in makers.items()}, case, max(3, rounds // 40)
            )
    each = memory(step_case(ROBOTS[0], TROTTING, STEPS[0]))
    names = list(next(iter(found.values())))
    rows = [[name, *(f"{speed:.0f}" for speeds in found.values() for speed in speeds[name])] for name in names]
    header = ["", *(f"{step}, {kind}" for step in found for kind in ("processor", "clock"))]
    print_table(f"{WORLDS} worlds of a trotting quadruped12, thousand steps per second", header, rows)
    print(f"{MANY} worlds of our batch: {each:.1f} kB each")
    return {"worlds": WORLDS, "thousand_steps_per_second": found, "kilobytes_per_world": each}
