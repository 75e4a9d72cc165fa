"""Worlds that stop and go on: each gives what a simulator alone gives, whatever its neighbours and threads are."""

import os
import subprocess
import sys

import numpy as np
import pytest

from legged_contact_sim import ParameterError, RobotModel, Simulator
from legged_contact_sim.dynamics import centroidal_momentum
from legged_contact_sim.simulation.batch import WorldBatch, turned_back

ROBOT = RobotModel.from_urdf("quadruped12")
HOME = ROBOT.home[ROBOT.position_indices]


def alone(model, friction, targets, every, v0):
    sim = Simulator(ROBOT, model, 1e-3, friction=friction)
    sim.hold(200.0, 5.0)
    sim.reset(v=v0)
    run = sim.follow(targets, None, every, every)
    return run.q[-1], run.v[-1]


def test_each_world_is_what_a_simulator_alone_is():
    random = np.random.default_rng(0)
    frictions, model = np.array([0.3, 0.8, 0.5]), "exact_lcp"
    targets = HOME + random.uniform(-0.2, 0.2, (3, 6, 12))
    starts = random.normal(scale=0.1, size=(3, ROBOT.nv))
    found = []
    for threads in (1, 2):
        batch = WorldBatch(ROBOT, 3, (model,), 1e-3, threads=threads)
        batch.hold(200.0, 5.0)
        batch.worlds.frictions[:] = frictions
        q0 = np.tile(Simulator(ROBOT, model, 1e-3).home(), (3, 1))
        batch.place(np.ones(3, dtype=bool), q0, starts)
        for k in range(6):
            batch.command(targets[:, k])
            batch.advance(25)
        found.append((batch.q.copy(), batch.v))
        batch.close()
    np.testing.assert_array_equal(found[0][0], found[1][0])
    for w in range(3):
        q, v = alone(model, frictions[w], targets[w], 25, starts[w])
        np.testing.assert_allclose(found[0][0][w], q, atol=1e-10)
        np.testing.assert_allclose(found[0][1][w], v, atol=1e-10)


def thrown(count):
    """Return worlds that differ in everything: states, friction, masses, pushes, delays; some are in the air."""
    random = np.random.default_rng(5)
    batch = WorldBatch(ROBOT, count, time_step=1e-3)
    batch.hold(200.0, 5.0)
    many = 40  # whatever the count: the first worlds are the same
    q, worlds = np.tile(Simulator(ROBOT, "exact_lcp", 1e-3).home(), (many, 1)), batch.worlds
    q[:, 2] += np.where(np.arange(many) % 5 == 4, 0.05, 0.0)
    v = random.normal(scale=0.2, size=(many, ROBOT.nv))
    batch.place(np.ones(count, dtype=bool), q[:count], v[:count])
    worlds.frictions[:] = random.uniform(0.3, 0.9, many)[:count]
    worlds.masses[:] = random.uniform(0.8, 1.2, many)[:count]
    worlds.delays[:] = random.integers(0, 8, many)[:count]
    return batch, HOME + random.uniform(-0.2, 0.2, (4, many, 12)), random.uniform(-20.0, 20.0, (4, many, 6))


def play(batch, targets, wrenches):
    """Return the states at the end, and the share of steps that were not done side by side."""
    alone = 0
    for row, wrench in zip(targets, wrenches, strict=True):
        batch.command(row[: batch.count], wrench[: batch.count])
        batch.advance(25)
        alone += batch.alone
    return batch.worlds.states.copy(), alone / (100 * batch.count)


def test_a_world_has_the_same_bits_whatever_is_beside_it():
    found = []
    for count in (40, 13):
        batch, targets, wrenches = thrown(count)
        states, alone = play(batch, targets, wrenches)
        assert 0.0 < alone < 0.9
        found.append(states)
        batch.close()
    np.testing.assert_array_equal(found[1], found[0][:13])


def test_a_world_that_fails_is_told_by_number_and_the_others_go_on():
    found = []
    for bad in (False, True):
        batch, targets, wrenches = thrown(13)
        if bad:
            batch.worlds.states[3, 8] = np.nan
        found.append(play(batch, targets, wrenches)[0])
        assert batch.failed == ((3,) if bad else ())
        batch.close()
    others = np.arange(13) != 3
    np.testing.assert_array_equal(found[1][others], found[0][others])


def test_heavier_worlds_fall_as_fast_and_a_wrench_gives_momentum():
    batch = WorldBatch(ROBOT, 2, time_step=1e-3, threads=1)
    batch.hold(200.0, 5.0)
    batch.worlds.masses[:] = (1.0, 1.5)
    batch.place(np.ones(2, dtype=bool), np.tile(ROBOT.home + np.eye(ROBOT.nq)[2], (2, 1)), np.zeros((2, ROBOT.nv)))
    wrench = np.zeros(6)
    wrench[1] = 50.0
    batch.command(np.tile(HOME, (2, 1)), wrench)
    batch.advance(100)  # in the air
    momentum = [
        factor * centroidal_momentum(ROBOT, q, v) for factor, q, v in zip((1.0, 1.5), batch.q, batch.v, strict=True)
    ]
    np.testing.assert_allclose([whole[1] for whole in momentum], 50.0 * 0.1, rtol=1e-3)
    fallen = ROBOT.home[2] + 1.0 - batch.q[:, 2]
    np.testing.assert_allclose(fallen, 0.5 * 9.81 * 0.1**2, rtol=0.05)
    batch.close()


MIXED = """
import numpy as np
from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.simulation.batch import WorldBatch
from legged_contact_sim.simulation.world_entries import ENTRIES

robot, count = RobotModel.from_urdf("quadruped12"), len(ENTRIES)
targets = robot.home[robot.position_indices] + 0.1
v0 = np.random.default_rng(1).normal(scale=0.2, size=robot.nv)
sims = [Simulator(robot, model, 1e-3, friction=0.5) for model in ENTRIES]
q0 = sims[0].home() - 1e-3 * np.eye(robot.nq)[2]
batch = WorldBatch(robot, count, tuple(ENTRIES), 1e-3, threads=1)
batch.hold(200.0, 5.0)
batch.model_of[:], batch.worlds.frictions[:] = np.arange(count), 0.5
batch.place(np.ones(count, dtype=bool), np.tile(q0, (count, 1)), np.tile(v0, (count, 1)))
for _ in range(2):
    batch.command(targets)
    batch.advance(2)
for sim, q, v in zip(sims, batch.q, batch.v):
    sim.hold(200.0, 5.0, targets)
    sim.reset(q0, v0)
    touched = False
    for _ in range(4):
        sim.step()
        touched |= sim.contacts.force.any()
    assert touched, sim
    np.testing.assert_allclose(q, sim.q, atol=1e-10, err_msg=repr(sim))
    np.testing.assert_allclose(v, sim.v, atol=1e-10, err_msg=repr(sim))
assert len({tuple(v) for v in batch.v}) == count
"""


def test_worlds_of_one_batch_move_each_under_its_own_model():
    """All models with an entry, uncompiled: each entry would take a dozen seconds to compile."""
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", MIXED], env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_turning_back_is_the_inverse_rotation():
    half = np.sin(np.pi / 4)
    vectors = np.array([[[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]])
    found = turned_back(np.array([[0.0, 0.0, half, half]]), vectors)  # a quarter turn about z
    np.testing.assert_allclose(found, [[[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]], atol=1e-15)


def test_models_without_steps_and_fixed_robots_are_refused():
    with pytest.raises(ParameterError, match="hybrid"):
        WorldBatch(ROBOT, 2, ("hybrid",))
    for other in ({"solver": "pgs"}, {"solver": "lemke"}):
        with pytest.raises(ParameterError, match="exact_lcp: many worlds know its usual solver"):
            WorldBatch(ROBOT, 2, **other)
    with pytest.raises(ParameterError, match="floating"):
        WorldBatch(RobotModel.from_urdf("double_pendulum"), 2)
