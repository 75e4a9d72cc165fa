"""Rollouts side by side and in another process: the same bits as one after the other."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from contact_cases import HARD_MODELS, robot_named, simulator

from legged_contact_sim.simulation import run_batch

HERE = Path(__file__).resolve()
ARRAYS = ("time", "q", "v", "works", "solver", "forces", "gaps", "modes")
models = pytest.mark.parametrize("model", HARD_MODELS)


def make(model, k):
    """Return a simulator with a quadruped that falls, thrown differently for every k."""
    robot = robot_named("quadruped12")
    sim = simulator(robot, model, 1e-3, friction=0.2 + 0.1 * (k % 4), restitution=0.1 * (k % 3))
    sim.hold(150.0, 4.0)
    random = np.random.default_rng(k)
    q, v = sim.home(), 0.3 * random.normal(size=robot.nv)
    q[2] += 0.1 * random.random()
    sim.reset(q, v)
    return sim


def digest(trajectory):
    """Return a fingerprint of every bit of a trajectory."""
    text = hashlib.sha256()
    for name in ARRAYS:
        text.update(np.ascontiguousarray(getattr(trajectory, name)).tobytes())
    return text.hexdigest()


@models
@pytest.mark.parametrize("threads", [1, 2, None])
def test_a_batch_gives_the_bits_of_single_runs(model, threads):
    single = [digest(make(model, k).run(0.3)) for k in range(6)]
    batch = run_batch(lambda k: make(model, k), 6, lambda sim: sim.run(0.3), threads)
    assert [digest(trajectory) for trajectory in batch] == single
    assert len(set(single)) == 6


@models
def test_another_process_gives_the_same_bits(model):
    here = digest(make(model, 3).run(0.3))
    program = f"from test_simulation_batch import digest, make; print(digest(make({model!r}, 3).run(0.3)))"
    folders = [HERE.parent, HERE.parents[1] / "contact", HERE.parents[2], os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300, env=environment
    )
    assert done.stdout.split()[-1] == here


@models
def test_an_empty_batch_is_empty(model):
    assert run_batch(lambda k: make(model, k), 0, lambda sim: sim.run(0.1)) == []


@models
def test_a_failing_rollout_is_not_hidden(model):
    def fail(sim):
        raise RuntimeError("the rollout's own trouble")

    with pytest.raises(RuntimeError, match="own trouble"):
        run_batch(lambda k: make(model, k), 2, fail)
