"""Position control: targets and gains followed inside the step at any rate; once per target only at a high one."""

import numpy as np
import pytest
from control_cases import robot_named, tilt

from legged_contact_sim import ParameterError, Simulator
from legged_contact_sim.control import ByTargets, make_controller, observe

GAINS = {"feedback": False, "stiffness": [150.0], "damping": [3.0]}


def walk(rate, duration, speed=0.2, **drives):
    sim = Simulator(robot_named("quadruped12"), friction=0.8)
    settings = {**GAINS, "velocity": [speed, 0.0, 0.0], "start_delay": 0.0}
    follow = ByTargets(make_controller("zmp_trot", sim.robot, settings), sim, 1.0 / rate, **drives)
    return sim.run(duration, follow, sample_every=20)


def test_a_trot_by_targets_at_50_hz_keeps_its_speed():
    run = walk(50.0, 3.0)
    late = run.time > 1.5
    assert tilt(run.q).max() < 0.1
    assert (run.q[-1, 0] - run.q[late][0, 0]) / (run.time[-1] - run.time[late][0]) == pytest.approx(0.2, rel=0.1)
    assert np.diff(run.works[:, 2:4].sum(axis=1)).max() < 1e-3, "contacts create no energy"


def test_the_same_gains_once_per_target_need_a_rate_above_kd_over_twice_the_inertia():
    """Held for a period T, damping d on an inertia I turns a rate w into (1 - d T / I) w: it grows beyond d T = 2 I."""
    rates = {"inside": (50.0, True), "fast": (500.0, False), "slow": (50.0, False)}
    shaken = {name: rms(walk(rate, 1.0, inside=inside)) for name, (rate, inside) in rates.items()}
    assert shaken["fast"] == pytest.approx(shaken["inside"], rel=0.3)
    assert shaken["slow"] > 3.0 * shaken["inside"]


def rms(run):
    return float(np.sqrt(np.mean(run.v[:, 6:] ** 2)))


def test_targets_come_into_force_after_their_delay():
    """Until then the drives have nothing to follow: a fall of half g t^2, knees that no effort holds."""
    sim = Simulator(robot_named("quadruped12"), friction=0.8)
    controller = make_controller("joint_pid", sim.robot, {"stiffness": [150.0], "damping": [3.0]})
    follow = ByTargets(controller, sim, 0.002, delay=0.004)
    efforts = []
    for _ in range(10):
        sim.step(follow(sim.time, *sim.state))
        efforts.append(np.abs(sim.effort).max())
    assert max(efforts[:8]) == 0.0 and min(efforts[8:]) > 0.0


def test_the_targets_of_joint_pid_are_its_efforts_law():
    sim = Simulator(robot_named("quadruped12"))
    goal = sim.q[7:] + 0.1
    controller = make_controller("joint_pid", sim.robot, {"stiffness": [80.0], "damping": [1.0], "target": list(goal)})
    seen = observe(sim, 0.0, sim.q, sim.v)
    controller.reset(seen)
    wanted = controller.targets(seen)
    effort = wanted.stiffness * (wanted.position - seen.positions) + wanted.damping * (
        wanted.velocity - seen.velocities
    )
    np.testing.assert_allclose(effort, controller.effort(seen))


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("zmp_trot", {}, "feedback: expected false with joint targets"),
        ("joint_pid", {"integral": [3.0]}, "integral: expected 0 with joint targets, found 3"),
        ("balance", {}, "balance: it has no joint targets, only efforts"),
    ],
)
def test_controllers_that_have_efforts_only_say_so(name, settings, words):
    sim = Simulator(robot_named("quadruped12"))
    controller, seen = make_controller(name, sim.robot, settings), observe(sim, 0.0, sim.q, sim.v)
    controller.reset(seen)
    with pytest.raises(ParameterError, match=words):
        controller.targets(seen)
