"""Hunt and Crossley's contact: the rebound that was asked for, the spring's law, and energy that only shrinks."""

import math

import numpy as np
import pytest
from contact_cases import GRAVITY, ball_xml, simulator
from scipy.integrate import solve_ivp

from legged_contact_sim.contact.models.hunt_crossley import HuntCrossleyParameters, dissipation

LAW = HuntCrossleyParameters()
MASS, RADIUS = 2.0, 0.1


def bounced(speed, time_step=5e-4, duration=0.04, **parameters):
    """Let a ball hit the ground with a speed, m/s."""
    sim = simulator(ball_xml(RADIUS, MASS), "hunt_crossley", time_step, **parameters)
    sim.reset([0.0, 0.0, RADIUS, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -speed, 0.0, 0.0, 0.0])
    return sim.run(duration)


@pytest.mark.parametrize("restitution", [0.05, 0.3, 0.7, 0.95, 1.0])
def test_damping_gives_the_restitution_of_gonthiers_relation(restitution):
    d = dissipation(restitution)
    assert (1.0 - restitution * d) * math.exp(d * (1.0 + restitution)) == pytest.approx(1.0 + d, rel=1e-6)
    assert 0.0 < d < 1.0 / restitution if restitution < 1.0 else d == 0.0


@pytest.mark.parametrize("speed", [0.5, 3.0])
@pytest.mark.parametrize("restitution", [0.1, 0.5, 0.9, 1.0])
def test_a_ball_leaves_with_the_restitution_times_its_speed(restitution, speed):
    """On ground so stiff that gravity does nothing during the impact; whatever the exponent."""
    for exponent in (1.0, 1.5):
        stiff = {"normal_stiffness": 1e8 if exponent == 1.0 else 2e10, "normal_exponent": exponent}
        run = bounced(speed, 5e-6, 0.002, restitution=restitution, **stiff)
        assert run.v[:, 2].max() == pytest.approx(restitution * speed, rel=0.01, abs=0.01 * speed)
        assert run.works[-1, 2] <= 1e-9 * speed**2  # contact work, normal


def test_a_bounce_follows_the_equation_of_motion():
    """Depth over time, and the rebound at the default stiffness, where gravity matters, against an integration."""
    speed = 2.0
    damping = dissipation(LAW.restitution) / speed

    def motion(time, state):
        depth, rate = max(0.0, state[0]), state[1]
        force = LAW.normal_stiffness * depth**LAW.normal_exponent * max(0.0, 1.0 + damping * rate)
        return [rate, GRAVITY - force / MASS]

    run = bounced(speed, 1e-4)
    exact = solve_ivp(motion, (0.0, run.time[-1]), [0.0, speed], rtol=1e-10, atol=1e-12, t_eval=run.time).y
    turned = np.argmax(run.v[:, 2] > 0.0) + 20
    assert np.abs(RADIUS - run.q[:turned, 2] - exact[0, :turned]).max() < 1e-2 * exact[0].max()
    assert run.v[:, 2].max() == pytest.approx(-exact[1].min(), rel=1e-2)


def test_a_slow_arrival_keeps_more_and_a_ball_comes_to_rest():
    slow = bounced(0.02, 1e-5, 0.02, normal_stiffness=2e9, restitution=0.3)
    assert slow.v[:, 2].max() > 0.5 * 0.02  # slower than `slow_speed`: nearly elastic
    run = bounced(1.0, duration=2.0)
    depth = (MASS * GRAVITY / LAW.normal_stiffness) ** (1.0 / LAW.normal_exponent)
    assert RADIUS - run.q[-1, 2] == pytest.approx(depth, rel=1e-6)
    assert np.abs(run.v[-1]).max() < 1e-6
    assert (run.solver[:, 2] == 0.0).all()  # every step was solved


def test_restitution_zero_is_nearly_that():
    run = bounced(2.0, 1e-5, 0.01, normal_stiffness=2e9, restitution=0.0)
    assert run.v[:, 2].max() < 0.03 * 2.0
