"""Many worlds side by side and in another process: the same bits as one after the other; failures by number."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from contact_cases import HARD_MODELS, robot_named

import legged_contact_sim
from legged_contact_sim import ParameterError, Simulator

HERE = Path(__file__).resolve()
ARRAYS = ("time", "q", "v", "effort", "works", "solver", "forces", "gaps", "modes")
WORLDS, GROUND = 5, {"time_step": 1e-3, "friction": 0.3, "restitution": 0.1}
models = pytest.mark.parametrize("model", HARD_MODELS)


def starts(worlds=WORLDS):
    """Return states of a quadruped that falls, thrown differently in every world."""
    robot, random = robot_named("quadruped12"), np.random.default_rng(3)
    q, v = np.tile(robot.home, (worlds, 1)), 0.3 * random.normal(size=(worlds, robot.nv))
    q[:, 2] += 0.1 * random.random(worlds)
    return q, v


def alone(model, world, duration=0.2):
    """Return the trajectory of one world from a simulator of its own."""
    sim = Simulator(robot_named("quadruped12"), model, **GROUND)
    sim.hold(150.0, 4.0)
    q, v = starts()
    sim.reset(q[world], v[world])
    return sim.run(duration)


def digest(trajectory):
    """Return a fingerprint of every bit of a trajectory."""
    text = hashlib.sha256()
    for name in ARRAYS:
        text.update(np.ascontiguousarray(getattr(trajectory, name)).tobytes())
    return text.hexdigest()


@models
@pytest.mark.parametrize("threads", [1, 2])
def test_every_world_has_the_bits_of_a_simulator_alone(model, threads):
    robot, (q, v) = robot_named("quadruped12"), starts()
    found = legged_contact_sim.rollout(
        robot, q, v, duration=0.2, stiffness=150.0, damping=4.0, contact_model=model, threads=threads, **GROUND
    )
    assert [digest(trajectory) for trajectory in found.trajectories] == [digest(alone(model, k)) for k in range(WORLDS)]
    assert found.failed == ()
    assert found.q.shape == (WORLDS, 200, robot.nq)
    assert found.forces.shape == (WORLDS, 200, len(robot.contact_names), 3)
    assert (found.v[3] == found.trajectories[3].v).all()
    assert np.abs(found.remainder - [trajectory.remainder for trajectory in found.trajectories]).max() < 1e-12
    assert "\n" not in repr(found)


def test_efforts_and_targets_are_those_of_follow():
    robot, (q, v) = robot_named("quadruped12"), starts(2)
    random = np.random.default_rng(1)
    targets = robot.home[robot.position_indices] + 0.1 * random.normal(size=(2, 6, 12))
    efforts = random.normal(size=(6, 12))
    found = legged_contact_sim.rollout(
        robot, q, v, targets=targets, efforts=efforts, every=7, stiffness=150.0, damping=4.0, sample_every=3, threads=1
    )
    for world in range(2):
        sim = Simulator(robot)
        sim.hold(150.0, 4.0)
        sim.reset(q[world], v[world])
        run = sim.follow(targets[world], efforts, every=7, sample_every=3)
        assert digest(run) == digest(found.trajectories[world])
        assert (run.effort[-1] == efforts[-1]).all()


def test_a_world_that_fails_is_told_by_number_and_the_others_go_on():
    robot = robot_named("quadruped12")
    q = np.tile(robot.home, (4, 1))
    q[[0, 1, 3], 2] += 100.0  # in the air, where a penalty that explodes does not act
    found = legged_contact_sim.rollout(
        robot, q, duration=3.0, contact_model="penalty", time_step=0.01, normal_damping=1e7, threads=2
    )
    assert found.failed == (2,)
    assert "finite" in found.errors[2]
    assert np.isfinite(found.q[[0, 1, 3]]).all()
    begun = np.isfinite(found.q[2]).all(axis=1)
    assert not begun.all()
    assert (np.diff(begun.astype(int)) <= 0).all()  # once it has failed, nothing is told of it
    assert np.isfinite(found.trajectories[2].touches["force"]).all()
    assert (found.q[1] == found.q[0]).all()


@models
def test_another_process_gives_the_same_bits(model):
    here = digest(alone(model, 3))
    program = f"from test_simulation_batch import digest, alone; print(digest(alone({model!r}, 3)))"
    folders = [HERE.parent, HERE.parents[1] / "contact", HERE.parents[2], os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=1200, env=environment
    )
    assert done.stdout.split()[-1] == here


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"q0": np.zeros(19)}, ("q0", "19")),
        ({"q0": np.zeros((0, 19))}, ("q0", "at least one world")),
        ({"q0": np.zeros((2, 19))}, (r"q0\[0\]", "quaternion")),
        ({"q0": 3.0}, ("q0", "worlds")),
        ({"v0": np.full((2, 18), np.nan)}, ("v0", "finite")),
        ({"efforts": np.zeros((3, 5, 12))}, ("efforts", "expected shape")),
        ({"efforts": np.zeros(12)}, ("efforts", "rows")),
        ({"efforts": np.zeros((5, 12)), "targets": np.zeros((4, 12))}, ("targets", "5 rows")),
        ({"duration": None}, ("duration",)),
        ({"threads": 0}, ("threads",)),
        ({"every": 0}, ("every",)),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, words):
    robot = robot_named("quadruped12")
    given = {"q0": np.tile(robot.home, (2, 1)), "duration": 0.01, "threads": 1, **arguments}
    with pytest.raises(ParameterError, match=".*".join(words)):
        legged_contact_sim.rollout(robot, **given)
