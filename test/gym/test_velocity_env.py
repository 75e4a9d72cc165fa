"""Gymnasium environments: what the interface asks, seeds, resets of single worlds, and what is drawn at random."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from legged_contact_sim import ParameterError
from legged_contact_sim.control.policy.layout import parse_layout
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


@pytest.mark.parametrize(
    "program",
    ["import gymnasium, legged_contact_sim", "import legged_contact_sim, gymnasium", "import gymnasium"],
)
def test_the_name_is_known_in_a_new_process_whichever_package_comes_first(program):
    """With Gymnasium alone, by ``module:name``."""
    name = NAME if "legged" in program else f"legged_contact_sim:{NAME}"
    lines = f"{program}; import sys; from gymnasium.envs.registration import _find_spec as find"
    lines += f"; assert find({name!r}).vector_entry_point; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", lines], check=True)


def test_a_world_that_ended_begins_anew_as_the_mode_says():
    for mode in AutoresetMode:
        envs = VelocityVectorEnv(2, autoreset_mode=mode, threads=1, episode=0.2)
        assert envs.metadata["autoreset_mode"] == mode
        still = np.zeros(envs.action_space.shape)
        _, info = envs.reset(seed=3)
        first = info["command"].copy()
        envs._age[0] = envs._longest - 1
        last, _, _, truncated, info = envs.step(still)
        np.testing.assert_array_equal(truncated, [True, False])
        np.testing.assert_array_equal(info["command"], first)
        height = envs.batch.q[0, 2]
        if mode == AutoresetMode.SAME_STEP:
            np.testing.assert_array_equal(info["_final_obs"], [True, False])
            assert (info["final_obs"][0] != last[0]).any() and (info["final_obs"][1] == last[1]).all()
            assert height == envs._home[2]
        else:
            assert height != envs._home[2] and "final_obs" not in info
        if mode == AutoresetMode.NEXT_STEP:
            _, reward, _, truncated, _ = envs.step(still + 1.0)
            assert envs.batch.q[0, 2] == envs._home[2] and reward[0] == 0.0 and not truncated.any()
            assert envs.step(still)[1][0] != 0.0
        if mode == AutoresetMode.DISABLED:
            envs.reset(options={"reset_mask": np.array([True, False])})
            assert envs.batch.q[0, 2] == envs._home[2] != envs.batch.q[1, 2]
            assert (envs._command[0] != first[0]).any() and (envs._command[1] == first[1]).all()
        envs.close()


def test_what_cannot_be_meant_is_refused_by_name(worlds):
    worlds.reset(seed=1)
    with pytest.raises(ParameterError, match=r"actions.*\(3, 12\).*\(12,\)"):
        worlds.step(np.zeros(12))
    with pytest.raises(ParameterError, match="actions.*finite.*nan"):
        worlds.step(np.full(worlds.action_space.shape, np.nan))
    with pytest.raises(ParameterError, match="reset_mask"):
        worlds.reset(options={"reset_mask": [True]})
    with pytest.raises(ParameterError, match="num_envs"):
        VelocityVectorEnv(0)
    with pytest.raises(ParameterError, match="autoreset_mode.*SAME_STEP.*sometimes"):
        VelocityVectorEnv(1, autoreset_mode="sometimes")
    alone = VelocityEnv()
    with pytest.raises(ResetNeeded):
        alone.step(np.zeros(12))
    alone.close()
    alone.close()


def test_a_history_ends_with_what_was_seen_last_and_begins_with_the_first_frame():
    layout = parse_layout(
        "past", {"time_step": 0.02, "observation": ["joint_positions"], "history": 3, "action": {"scale": 1.0}}
    )
    envs = VelocityVectorEnv(2, layout=layout, threads=1)
    envs.reset(seed=0)
    seen = [envs.step(np.full(envs.action_space.shape, 0.1 * k))[0] for k in range(3)]
    envs._age[0] = envs._longest - 1
    fresh, _, _, _, info = envs.step(np.zeros(envs.action_space.shape))
    frames, final = fresh.reshape(2, 3, 12), info["final_obs"].reshape(2, 3, 12)
    np.testing.assert_array_equal(final[:, :2], seen[-1].reshape(2, 3, 12)[:, 1:])
    np.testing.assert_array_equal(frames[1], final[1])
    np.testing.assert_array_equal(frames[0, 0], frames[0, 2])
    assert (final[0, 2] != frames[0, 2]).any()
    envs.close()


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
