"""The trot's reference: zero moment point on the support, feet that step in turn, a path that follows the command."""

import itertools

import numpy as np
import pytest
from control_cases import distance_to_hull
from hypothesis import given, settings
from hypothesis import strategies as st

from legged_contact_sim.control.trot_reference import PLAN_PERIOD, Gait, Pose2, TrotReference, bump, smooth_step

STANCE = np.array([[0.3, 0.2], [-0.3, 0.2], [0.3, -0.2], [-0.3, -0.2]])
PAIRS = (np.array([0, 3]), np.array([1, 2]))
GAIT = Gait(0.3, 0.1, 0.06, 1.6, 0.4, 0.5, 1.0)


def planned(command, duration, stop=None):
    reference = TrotReference(GAIT, 0.5, STANCE, PAIRS)
    reference.command = np.array(command)
    for k in range(round(duration / PLAN_PERIOD)):
        if stop is not None and k * PLAN_PERIOD >= stop:
            reference.command = np.zeros(3)
        yield reference
        reference.advance(np.zeros(2))


@pytest.mark.parametrize("command", [(0.3, 0.0, 0.0), (-0.2, 0.1, 0.0), (0.0, 0.2, 0.0), (0.2, 0.0, 0.4)])
def test_the_zero_moment_point_stays_in_the_support_region(command):
    worst = 0.0
    for reference in planned(command, 5.0):
        footing = reference.footing(0.0)
        support = footing.position[~footing.swings, :2]
        worst = max(worst, distance_to_hull(reference.pendulum.zmp, support))
    assert worst < 6e-3  # a diagonal is a line: preview control leaves it by a few millimetres where it changes


def test_diagonal_pairs_swing_in_turn_and_clear_the_ground():
    swings, heights = [], []
    for reference in planned((0.3, 0.0, 0.0), 4.0):
        footing = reference.footing(0.0)
        swings.append(tuple(footing.swings))
        heights.append(footing.position[:, 2].max())
    changes = [now for now, before in zip(swings[1:], swings, strict=False) if now != before and any(now)]
    assert set(changes) == {(True, False, False, True), (False, True, True, False)}
    assert all(a != b for a, b in itertools.pairwise(changes))
    assert max(heights) == pytest.approx(GAIT.clearance, rel=0.02)


@settings(deadline=None, max_examples=4)
@given(forward=st.floats(-0.3, 0.3), sideways=st.floats(-0.2, 0.2), turning=st.floats(-0.4, 0.4))
def test_the_centre_of_mass_follows_the_path_of_the_command(forward, sideways, turning):
    reference = list(planned((forward, sideways, turning), 6.0))[-1]
    assert reference.pendulum.state[0] == pytest.approx(np.array(reference.path[:2]), abs=0.04)
    moving = Pose2(0.0, 0.0, 0.0).moved(np.array([forward, sideways, turning]), 6.0)
    assert reference.path.yaw == pytest.approx(moving.yaw, abs=0.3 + 0.6 * abs(turning))


def test_without_a_command_it_stands_and_after_a_stop_all_feet_are_home():
    reference = list(planned((0.0, 0.0, 0.0), 2.0))[-1]
    assert reference.standing and reference.pendulum.state[0] == pytest.approx(np.zeros(2), abs=1e-9)
    reference = list(planned((0.3, 0.1, 0.2), 9.0, stop=4.0))[-1]
    assert reference.standing
    assert reference.feet == pytest.approx(reference.path.apply(STANCE), abs=6e-3)
    assert np.abs(reference.pendulum.state[1:]).max() < 1e-3
    assert reference.pendulum.state[0] == pytest.approx(reference.feet.mean(axis=0), abs=1e-3)


@settings(deadline=None)
@given(s=st.floats(0.01, 0.99), shape=st.sampled_from([smooth_step, bump]))
def test_swing_shapes_have_the_derivatives_that_they_tell(s, shape):
    step = 1e-6
    for k in (1, 2):
        slope = (shape(s + step)[k - 1] - shape(s - step)[k - 1]) / (2.0 * step)
        assert shape(s)[k] == pytest.approx(slope, abs=1e-4)
    assert shape(0.0)[1:] == shape(1.0)[1:] == (0.0, 0.0)


@settings(deadline=None)
@given(forward=st.floats(-1, 1), sideways=st.floats(-1, 1), turning=st.floats(-1, 1), time=st.floats(0, 2))
def test_poses_move_as_a_group(forward, sideways, turning, time):
    velocity, start = np.array([forward, sideways, turning]), Pose2(1.0, -2.0, 0.7)
    halves = start.moved(velocity, 0.5 * time).moved(velocity, 0.5 * time)
    assert np.array(start.moved(velocity, time)) == pytest.approx(np.array(halves), abs=1e-6)


def test_feet_that_cannot_step_sideways_land_on_the_line_that_is_asked_for():
    """Sideways they land where they are; the line through both is the one that free feet would stand on."""
    plain, held = (list(planned((0.2, 0.0, 0.3), 2.17))[-1] for _ in range(2))
    seen = held.footing(0.0).position[:, :2] + (0.01, -0.02)
    held.see(seen)
    correction = np.array([0.01, 0.03])
    plain.advance(correction)
    held.advance(correction)
    legs = held.swinging
    left = np.array([-np.sin(held.path.yaw), np.cos(held.path.yaw)])
    assert held.goal[legs] @ left == pytest.approx(seen[legs] @ left, abs=1e-12)
    free, own = plain.goal[legs], held.goal[legs]
    (x, y), (ahead, aside) = own[1] - own[0], free.mean(axis=0) - own.mean(axis=0)
    assert x * aside - y * ahead == pytest.approx(0.0, abs=1e-12)
    assert held.feet[held.supporting] == pytest.approx(seen[held.supporting])
