"""Work of contact within a step: what it may gain is the force times what the curved path lifts the point."""

from functools import cache

import numpy as np
from contact_cases import robot_named

from legged_contact_sim import Simulator
from legged_contact_sim.contact.log import LogRows, log_width
from legged_contact_sim.contact.records import CONTACT_NORMAL, CONTACT_TANGENTIAL, IMPACTS, UNCONVERGED
from legged_contact_sim.studies.ayit.runs import Course, simulate, still_targets

HEIGHT, DURATION = 1.5, 0.7  # m, s: the level drop lands after 0.55 s


@cache
def level_drop(time_step, explicit=False):
    """Return the log of a level drop; ``explicit``: under a PID whose efforts are held for a step."""
    robot = robot_named("quadruped16")
    sim = Simulator(robot, "exact_lcp", time_step)
    q = sim.home()
    q[2] += HEIGHT
    sim.reset(q)
    log = np.zeros((round(DURATION / time_step), log_width(robot)))
    if explicit:
        goal = robot.home[robot.position_indices]
        for k in range(len(log)):
            effort = 3000.0 * (goal - sim.q[robot.position_indices]) - 50.0 * sim.v[robot.velocity_indices]
            sim.advance(1, effort, log=log[k : k + 1])
    else:
        sim.hold(stiffness=3000.0, damping=50.0)
        sim.advance(len(log), log=log)
    return LogRows(robot, log)


def step_works(rows, *terms):
    """Return the work of some terms in every step, J."""
    return np.diff(rows.works[:, terms].sum(axis=1), prepend=0.0)


def test_normal_work_of_a_step_is_force_times_rise_of_the_gap():
    for rows in (level_drop(1e-3), level_drop(5e-4), level_drop(1e-3, explicit=True)):
        work, smooth = step_works(rows, CONTACT_NORMAL), rows.solver[:, IMPACTS] == 0
        rise = np.diff(rows.gap, axis=0, prepend=rows.gap[:1])
        most = (rows.force[:, :, 2] * np.maximum(rise, 0.0)).sum(axis=1)
        assert work.max() > 0.01, "the drop is hard enough to show it"
        assert (work[smooth] <= most[smooth] + 1e-9).all()
        assert (work[~smooth] < 0.0).all(), "a step with an impact takes energy"


def test_what_a_step_gains_vanishes_with_the_time_step():
    gains = [step_works(level_drop(h), CONTACT_NORMAL, CONTACT_TANGENTIAL).max() for h in (1e-3, 5e-4, 2.5e-4)]
    assert gains[1] < 0.6 * gains[0]
    assert gains[2] < 0.6 * gains[1]


def test_loaded_points_lift_by_the_square_of_the_time_step():
    lifts = []
    for h in (1e-3, 5e-4, 2.5e-4):
        rows = level_drop(h)
        lifts.append(rows.gap[rows.mode > 0].max())
    assert lifts[0] < 2e-5
    assert lifts[1] < 0.4 * lifts[0]
    assert lifts[2] < 0.4 * lifts[1]


def test_gains_are_small_beside_what_contact_takes():
    for rows in (level_drop(5e-4), level_drop(5e-4, explicit=True)):
        work = step_works(rows, CONTACT_NORMAL, CONTACT_TANGENTIAL)
        assert work[work > 0.0].sum() < 2e-3 * -work.sum()


def test_a_robot_that_tumbles_over_stiff_legs_never_gets_a_foot_into_the_ground():
    """Four feet strike at up to 5 m/s, several within a step, under drives of 70 kN m/rad and viscous friction."""
    run = simulate(Course(still_targets(), 1.5, (0.03, 0.03), duration=2.6), "exact")
    works = run.works[:, CONTACT_NORMAL] + run.works[:, CONTACT_TANGENTIAL]
    assert run.solver[-1, UNCONVERGED] == 0
    assert run.gaps.min() > -2e-5  # m
    assert (works - np.minimum.accumulate(works)).max() < 1.0  # J, of 1890
