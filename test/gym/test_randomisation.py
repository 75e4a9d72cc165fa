"""What is drawn at random at a reset acts: friction, masses, gains, latency, pushes and the contact model."""

import numpy as np
import pytest

from legged_contact_sim.dynamics import centroidal_momentum
from legged_contact_sim.gym import Randomisation, VelocityVectorEnv


def played(periods, action=0.0, lift=0.0, forward=0.0, **drawn):
    """Return one world after some periods of a constant action; it starts with no velocity but ``forward``, m/s."""
    env = VelocityVectorEnv(1, randomisation=Randomisation(velocity=0.0, **drawn), threads=1)
    env.reset(seed=5)
    env.batch.worlds.states[:, [2, env.robot.nq]] += (lift, forward)
    for _ in range(periods):
        env.step(np.full(env.action_space.shape, action))
    env.close()
    return env


def momentum(env):
    """Return the linear momentum of the world, (3,), kg m/s."""
    return centroidal_momentum(env.robot, env.batch.q[0], env.batch.v[0])[:3]


def test_without_friction_nothing_stops_a_robot_and_with_it_feet_hold():
    free, held = (momentum(played(10, forward=0.3, friction=(mu, mu)))[0] for mu in (0.0, 0.9))
    whole = 0.3 * 25.0  # kg m/s
    assert free == pytest.approx(whole, rel=1e-3) and held < 0.7 * whole


@pytest.mark.parametrize(("name", "heavier"), [("mass", 1.3), ("gains", 0.7)])
def test_a_heavier_robot_and_weaker_drives_sag(name, heavier):
    plain, other = (played(25, **{name: (factor, factor)}).batch.q[0, 2] for factor in (1.0, heavier))
    assert other < plain - 1e-3


def test_a_late_command_moves_later():
    """With a latency of a whole period the first period passes as if there were no command."""
    still, late, prompt = (
        played(1, action, latency=(delay, delay)).batch.q[0, 7:]
        for action, delay in ((0.0, 0.02), (0.5, 0.02), (0.5, 0.0))
    )
    np.testing.assert_array_equal(late, still)
    assert np.abs(prompt - still).max() > 0.01


def test_a_push_in_the_air_gives_its_impulse():
    """Momentum changes by force times time, whatever the joints do (and by gravity, which is vertical)."""
    env = played(1, lift=1.0, push=80.0, push_every=1e-9)
    force = env.batch.worlds.wrenches[0, :2]
    assert np.abs(force).max() > 1.0
    np.testing.assert_allclose(momentum(env)[:2], force * env.period, rtol=1e-6)


def test_each_episode_draws_one_of_the_contact_models():
    """That a world then moves under its own model is in test_simulation_worlds.py."""
    env = VelocityVectorEnv(40, contact_models=("exact_lcp", "penalty"), threads=1)
    env.reset(seed=0)
    assert 5 < env.batch.model_of.sum() < 35
    env.close()
