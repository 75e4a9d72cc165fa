"""Preview control of the zero moment point: against the optimum by brute force, and its invariances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legged_contact_sim.control.preview_control import PreviewGains, PreviewPendulum, transition

PERIOD, HEIGHT, WEIGHT = 0.02, 0.5, 1e-6


def response(count):
    """Return the matrix (count, count) from jerks to zero moment points one to ``count`` periods later."""
    A, B = transition(PERIOD)
    C = np.array([1.0, 0.0, -HEIGHT / 9.81])
    pulse = [C @ np.linalg.matrix_power(A, k) @ B for k in range(count)]
    return np.array([[pulse[i - j] if i >= j else 0.0 for j in range(count)] for i in range(count)])


def led(reference, gains, start=0.0):
    """Return jerks and zero moment points of a pendulum led along a reference (T,), constant before and after."""
    pendulum = PreviewPendulum(gains, PERIOD, np.array([start, 0.0]))
    padded = np.concatenate([reference, np.full(len(gains.preview) + 1, reference[-1])])
    jerks, points = [], []
    for k in range(len(reference)):
        ahead = np.stack([padded[k : k + len(gains.preview) + 1], np.zeros(len(gains.preview) + 1)], axis=1)
        points.append(pendulum.zmp[0])
        pendulum.plan(ahead)
        jerks.append(pendulum.jerk[0])
        pendulum.advance()
    return np.array(jerks), np.array(points)


def test_the_law_is_the_optimum_of_its_cost():
    count, steps = 240, 60
    reference = np.where(np.arange(count) * PERIOD < 0.8, 0.0, 0.1)
    jerks, points = led(reference, PreviewGains.of_pendulum(HEIGHT, PERIOD, 3.0, WEIGHT))
    change = np.sqrt(WEIGHT) * (np.eye(count) - np.eye(count, k=-1))
    goal = np.concatenate([np.append(reference[1:], 0.1), np.zeros(count)])
    best = np.linalg.lstsq(np.vstack([response(count), change]), goal, rcond=None)[0]
    assert np.abs(jerks[:steps] - best[:steps]).max() < 1e-8 * np.abs(best).max()
    assert np.abs(points - reference)[50:].max() < 1e-3


@settings(deadline=None, max_examples=20)
@given(place=st.floats(-100.0, 100.0))
def test_the_law_knows_no_place(place):
    gains = PreviewGains.of_pendulum(HEIGHT, PERIOD, 1.2)
    reference = np.clip(np.arange(100) * PERIOD - 1.0, 0.0, 0.3)
    near, _ = led(reference, gains)
    far, _ = led(reference + place, gains, place)
    assert far == pytest.approx(near, abs=1e-5)


def test_a_point_that_moves_steadily_is_followed_closely():
    gains = PreviewGains.of_pendulum(HEIGHT, PERIOD, 1.6)
    reference = np.clip(np.arange(600) * PERIOD - 2.0, 0.0, None) * 0.3
    _, points = led(reference, gains)
    assert np.abs(points - reference)[300:500].max() < 5e-4


def test_between_plans_the_pendulum_moves_with_constant_jerk():
    pendulum = PreviewPendulum(PreviewGains.of_pendulum(HEIGHT, PERIOD, 1.2), PERIOD, np.zeros(2))
    pendulum.plan(np.full((61, 2), 0.1))
    ahead = pendulum.ahead(PERIOD)
    pendulum.advance()
    assert pendulum.state == pytest.approx(ahead, abs=1e-12)
    assert pendulum.ahead(0.0) == pytest.approx(pendulum.state, abs=1e-12)
