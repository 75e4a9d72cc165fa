"""Gymnasium environments: what the interface asks, seeds, resets of single worlds, and what is drawn at random."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from legged_contact_sim import ParameterError
from legged_contact_sim.gym import Randomisation, RoughLanes, VelocityEnv, VelocityTask, VelocityVectorEnv
from legged_contact_sim.gym.curriculum import Curriculum

NAME = "legged_contact_sim/Quadruped12Velocity-v0"


@pytest.fixture(scope="module")
def worlds():
    made = VelocityVectorEnv(
        3, randomisation=Randomisation(friction=(0.3, 0.9), mass=(0.8, 1.2), push=30.0, latency=(0.0, 0.01))
    )
    yield made
    made.close()


def test_the_interface_is_kept():
    env = VelocityEnv()
    check_env(env, skip_render_check=True)
    env.close()


def test_the_name_makes_many_worlds():
    env = gymnasium.make_vec(NAME, num_envs=2, vectorization_mode="vector_entry_point")
    observation, _ = env.reset(seed=1)
    assert observation.shape == (2, env.single_observation_space.shape[0]) and observation.dtype == np.float32
    env.close()


def test_the_same_seed_gives_the_same_worlds(worlds):
    def play():
        observation, _ = worlds.reset(seed=7)
        random = np.random.default_rng(0)
        for _ in range(5):
            observation, reward, *_ = worlds.step(random.uniform(-1.0, 1.0, worlds.action_space.shape))
        return observation, reward

    for first, second in zip(play(), play(), strict=True):
        np.testing.assert_array_equal(first, second)
    assert len(set(worlds.batch.worlds.frictions)) == 3
    assert ((worlds.batch.worlds.masses >= 0.8) & (worlds.batch.worlds.masses <= 1.2)).all()


def test_a_world_that_falls_begins_anew_and_the_others_go_on(worlds):
    worlds.reset(seed=1)
    still = np.zeros(worlds.action_space.shape)
    worlds.step(still)
    worlds.batch.worlds.states[1, 2] = 0.05  # lies on the ground
    before = worlds.batch.q[0].copy()
    _, reward, terminated, truncated, info = worlds.step(still)
    np.testing.assert_array_equal(terminated, [False, True, False])
    assert not truncated.any() and reward[1] == 0.0 and reward[0] != 0.0
    assert info["final_obs"].shape == worlds.observation_space.shape
    assert worlds.batch.q[1, 2] == pytest.approx(worlds._home[2])
    assert np.abs(worlds.batch.q[0] - before).max() < 0.1


def test_an_episode_is_truncated_at_its_end(worlds):
    worlds.reset(seed=1)
    worlds._age[:] = (worlds._longest - 1, 5, 5)
    *_, terminated, truncated, _ = worlds.step(np.zeros(worlds.action_space.shape))
    assert not terminated.any()
    np.testing.assert_array_equal(truncated, [True, False, False])


def test_the_right_velocity_is_worth_most():
    task, v, upright = VelocityTask(), np.zeros((2, 18)), np.array([[0.0, 0.0, -1.0]] * 2)
    v[0, 0], v[1, 0] = 0.5, 0.2
    nothing = np.zeros((2, 12))
    found = task.reward(v, upright, np.array([[0.5, 0.0, 0.0]] * 2), (nothing, nothing), nothing)
    assert found[0] == pytest.approx(1.5) and found[1] < found[0]


def test_a_time_step_that_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="time_step"):
        VelocityVectorEnv(1, time_step=3e-3)


def test_lanes_grow_rougher_and_worlds_start_above_their_ground():
    lanes = RoughLanes(levels=3, roughest=0.12)
    curriculum = Curriculum(lanes, 3)
    curriculum.level[:] = (0, 1, 2)
    x = np.linspace(-5.0, 5.0, 101)
    for level, size in enumerate((0.0, 0.06, 0.12)):
        heights = curriculum.terrain.height(x, np.full(101, (level + 0.5) * lanes.width))
        assert heights.min() >= 0.0 and 0.7 * size <= heights.max() <= size
    x, y, top = curriculum.starts(np.ones(3, dtype=bool), np.random.default_rng(0)).T
    np.testing.assert_array_equal(np.floor(y / lanes.width), [0, 1, 2])
    assert (top >= curriculum.terrain.height(x, y)).all()


def test_worlds_that_follow_go_to_rougher_ground_and_others_back():
    curriculum = Curriculum(RoughLanes(levels=3), 6)
    curriculum.level[:] = (0, 1, 1, 0, 2, 1)
    ended = np.array([True, True, True, True, True, False])
    walked, wanted = np.array([9.0, 1.0, 5.0, 0.0, 9.0, 9.0]), np.array([10.0, 10.0, 10.0, 10.0, 10.0, 10.0])
    curriculum.judge(ended, walked, wanted, np.zeros(6, dtype=bool), np.random.default_rng(0))
    np.testing.assert_array_equal(curriculum.level[[0, 1, 2, 3, 5]], [1, 0, 1, 0, 1])
    assert 0 <= curriculum.level[4] < 3


def test_a_world_on_a_lane_stands_there_and_tells_its_level():
    envs = VelocityVectorEnv(2, curriculum=RoughLanes(levels=2, roughest=0.05), episode=0.1)
    envs.reset(seed=3)
    envs.curriculum.level[1] = 1
    envs._begin(np.array([False, True]))
    for _ in range(4):
        *_, terminated, _, info = envs.step(np.zeros(envs.action_space.shape))
        assert not terminated.any()
    np.testing.assert_array_equal(info["level"], [0, 1])
    envs._command[:], envs._walked[:] = (0.5, 0.0, 0.0), (0.5 * 0.1 * 0.5, 0.0)
    envs.step(np.zeros(envs.action_space.shape))  # the last period of the episode
    np.testing.assert_array_equal(envs.curriculum.level, [1, 0])
    envs.close()
