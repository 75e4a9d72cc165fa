"""Many rollouts at once: trotting quadrupeds on one and on two threads, against MuJoCo's own rollouts."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from mujoco import MjData, rollout

import legged_contact_sim

from .mujoco_steps import DEFAULT, MuJoCoPlayer, default_player
from .our_steps import EXACT, MODELS, MOREAU
from .step_case import ROBOTS, TROTTING, StepCase, step_case
from .timing import print_table

ROLLOUTS, PERIODS = 8, 5
THREADS = (1, 2)
CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()  # before anyone keeps to one core


@contextmanager
def all_cores() -> Iterator[None]:
    """Use all cores again for a while."""
    if not CORES:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, CORES)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def our_batch(case: StepCase, model: str) -> Callable[[int], Any]:
    """Return a call that runs the batch on some threads."""
    targets = case.targets(PERIODS, growing=True)
    return lambda threads: legged_contact_sim.rollout(
        case.robot,
        np.tile(case.robot.home, (ROLLOUTS, 1)),
        targets=targets,
        every=case.every,
        stiffness=case.drive.stiffness,
        damping=case.drive.damping,
        contact_model=model,
        time_step=case.time_step,
        sample_every=100,
        threads=threads,
        **MODELS[model],
    )


def mujoco_batch(case: StepCase, player: MuJoCoPlayer) -> Callable[[int], Any]:
    """Return a call that runs the batch on some threads."""
    controls = np.zeros((1, len(case.targets(PERIODS)), len(player.drives)))
    controls[0][:, player.drives] = case.targets(PERIODS, growing=True)
    controls = np.repeat(np.repeat(controls, case.every, axis=1), ROLLOUTS, axis=0)
    start = np.tile(player.state(), (ROLLOUTS, 1))
    data = [MjData(player.model) for _ in range(max(THREADS))]

    def run(threads: int) -> None:
        with rollout.Rollout(nthread=threads) as pool:
            pool.rollout(player.model, data[:threads], start, controls)

    return run


def throughput(batch: Callable[[int], Any], threads: int, steps: int, rounds: int) -> float:
    """Return the best number of steps per second over all rounds."""
    best = np.inf
    for _ in range(rounds):
        start = time.perf_counter()
        batch(threads)
        best = min(best, time.perf_counter() - start)
    return steps / best


def run(rounds: int) -> dict[str, Any]:
    """Measure both quadrupeds, print and return steps per second by robot, engine and threads."""
    found: dict[str, Any] = {}
    with all_cores():
        for drive in ROBOTS:
            case = step_case(drive, TROTTING, 5e-4)
            steps = ROLLOUTS * case.every * len(case.targets(PERIODS))
            batches = {model: our_batch(case, model) for model in (EXACT, MOREAU)}
            batches[DEFAULT] = mujoco_batch(case, default_player(case))
            found[drive.name] = {
                name: {count: throughput(batch, count, steps, max(5, rounds // 10)) for count in THREADS}
                for name, batch in batches.items()
            }
    rows = [
        [f"{robot}, {name}", *(f"{1e-3 * speeds[count]:.0f}" for count in THREADS), f"{speeds[2] / speeds[1]:.2f}x"]
        for robot, engines in found.items()
        for name, speeds in engines.items()
    ]
    header = ["", *(f"{count} thread{'s' * (count > 1)}" for count in THREADS), "gain"]
    cores = len(CORES) or os.cpu_count()
    print_table(f"Batch of {ROLLOUTS} trotting rollouts, 0.5 ms, thousand steps/s ({cores} cores)", header, rows)
    return {"cores": cores, "rollouts": ROLLOUTS, "steps_per_second": found}
