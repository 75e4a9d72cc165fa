"""Pushes that follow a function of time: their impulse is the integral of the profile, also inside compiled runs."""

import numpy as np
import pytest

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.control.scenario import Scenario
from legged_contact_sim.dynamics import centroidal_momentum
from legged_contact_sim.errors import ParameterError

STEP = 5e-4
TABLE = [(0.1, 0.0), (0.2, 1.0), (0.3, 1.0), (0.3, 0.5), (0.5, 0.0)]  # area 0.05 + 0.1 + 0.05
AREA = 0.2  # s


@pytest.fixture(scope="module")
def flying():
    """Return a quadruped high above the ground, whose momentum only gravity and pushes change."""
    sim = Simulator(RobotModel.from_urdf("quadruped12"), "exact_lcp", STEP)
    sim.hold(150.0, 4.0)
    return sim


def sideways_momentum(sim, profile, duration, run):
    start = sim.home()
    start[2] += 20.0
    sim.reset(start)
    sim.push("base_link", (0.0, 30.0, 0.0), duration=duration, profile=profile)
    run(sim)
    return centroidal_momentum(sim.robot, sim.q, sim.v)[1]


@pytest.mark.parametrize("stepwise", (False, True))
def test_a_table_of_factors_gives_its_area_as_impulse(flying, stepwise):
    def run(sim):
        if stepwise:
            for _ in range(1200):
                sim.step()
        else:
            sim.run(0.6)

    assert sideways_momentum(flying, TABLE, 0.0, run) == pytest.approx(30.0 * AREA, rel=1e-6)


def test_a_function_of_time_is_followed(flying):
    found = sideways_momentum(flying, lambda time: np.sin(np.pi * time / 0.4), 0.4, lambda sim: sim.run(0.6))
    assert found == pytest.approx(30.0 * 0.4 * 2.0 / np.pi, rel=2e-3)  # 32 knots, linear in between


@pytest.mark.parametrize(
    "profile", ([(0.0, 1.0)], [(0.2, 1.0), (0.1, 0.0)], [(-0.1, 1.0), (0.1, 0.0)], "up", [(0.0, np.nan), (1.0, 1.0)])
)
def test_what_is_no_profile_is_refused(flying, profile):
    with pytest.raises(ParameterError, match="profile"):
        flying.push("base_link", (1.0, 0.0, 0.0), profile=profile)


def test_a_function_needs_a_duration(flying):
    with pytest.raises(ParameterError, match="duration"):
        flying.push("base_link", (1.0, 0.0, 0.0), profile=lambda time: time)


def test_a_scenario_pushes_from_its_start_on():
    times, factors = zip(*TABLE, strict=True)
    values = {
        "robot": "quadruped12", "initial.lift": 20.0, "hold.stiffness": 150.0, "hold.damping": 4.0,
        "push.links": ["base_link"], "push.force": [0.0, 30.0, 0.0], "push.times": times, "push.factors": factors,
    }  # fmt: skip
    sim = Scenario("pushed", values).simulator()
    sim.run(0.6)
    assert centroidal_momentum(sim.robot, sim.q, sim.v)[1] == pytest.approx(30.0 * AREA, rel=1e-6)
    with pytest.raises(ParameterError, match="push.factors"):
        Scenario("pushed", {**values, "push.factors": [1.0]}).simulator()
