"""Drives that hold a target by gains give no more than their limit, whatever happens within a step."""

import re

import numpy as np
import pytest
from contact_cases import TIME_STEPS, pendulum_xml, robot_named, simulator, wheel_xml

from legged_contact_sim import RobotModel
from legged_contact_sim.actuation.rows import ACCUMULATED
from legged_contact_sim.errors import ParameterError

MODELS = ("exact_lcp", "moreau", "compliant", "penalty", "distributed")
QUADRUPEDS = {model: (model, {}) for model in MODELS} | {
    "maximal": ("moreau", {"coordinates": "maximal"}),
    "penalty": ("penalty", {"normal_damping": 200.0}),  # what the feet of quadruped12 can bear
}
models = pytest.mark.parametrize("model", MODELS)
steps = pytest.mark.parametrize("time_step", TIME_STEPS)


@models
@steps
def test_a_push_does_not_get_more_than_its_limit_out_of_a_drive(model, time_step):
    """The damper alone would answer the push within the step by several times the drive's 10 N m."""
    inertia, limit, torque, rate = 1.0, 10.0, 1000.0, 0.0999
    sim = simulator(robot_named(wheel_xml(inertia=inertia, effort=limit)), model, time_step)
    sim.hold(stiffness=0.0, damping=100.0)
    sim.reset([0.0], [rate])
    sim.push("rotor", (0.0, 0.0, 0.0), (0.0, 0.0, torque), 4 * time_step)
    for k in range(1, 5):
        report = sim.step()
        assert sim.effort == pytest.approx([-limit], rel=1e-9)
        assert sim.state.v[0] == pytest.approx(rate + (torque - limit) / inertia * k * time_step, rel=1e-9)
    assert abs(report.energy.remainder) < 1e-9 * report.energy.kinetic


@models
@steps
def test_a_drive_that_brakes_at_its_limit_brings_a_light_wheel_to_rest(model, time_step):
    """J dw/dt = -limit until the damper asks for less; then it stays, although one step at the limit would turn it."""
    inertia, limit, rate = 0.01, 10.0, 5.05
    sim = simulator(robot_named(wheel_xml(inertia=inertia, effort=limit)), model, time_step)
    sim.hold(stiffness=0.0, damping=500.0)
    sim.reset([0.0], [rate])
    sim.step()
    assert sim.state.v[0] == pytest.approx(rate - limit / inertia * time_step, rel=1e-9)
    run = sim.run(5.0)
    assert abs(run.v[-1, 0]) < 1e-9
    assert run.works[-1, 0] == pytest.approx(-0.5 * inertia * rate**2, rel=1e-9)
    assert np.abs(run.remainder).max() < 1e-12
    assert run.solver[-1, 2] == 0


@pytest.mark.parametrize("name", QUADRUPEDS)
def test_stiff_drives_of_a_dropped_quadruped_stay_within_their_limits(name):
    model, settings = QUADRUPEDS[name]
    robot = RobotModel.from_urdf("quadruped12")
    limits = robot.links["effort_limit"][robot.joint_links]
    sim = simulator(robot, model, 5e-4, **settings)
    sim.hold(stiffness=2000.0, damping=40.0)
    start = sim.home()
    start[2] += 0.3
    sim.reset(start)
    most = 0.0
    for _ in range(1200):
        report = sim.step()
        most = max(most, (np.abs(sim.effort) / limits).max())
    assert most == pytest.approx(1.0, abs=2e-6), "the landing asks for all they have, and gets no more"
    assert abs(report.energy.remainder) < 0.05


@pytest.mark.parametrize("model", [*MODELS, "hybrid", "embedding"])
def test_a_drive_without_a_top_speed_turns_a_wheel_that_turns_already(model):
    """J dw/dt = effort, both ways: event-driven models once gave a drive of unlimited speed nothing forward."""
    inertia, effort, rate, time = 2.0, 5.0, 3.0, 0.1
    text = re.sub("<limit[^>]*>", "", wheel_xml(inertia=inertia).replace("revolute", "continuous"))
    for sign in (1.0, -1.0):
        sim = simulator(robot_named(text), model)
        sim.reset([0.0], [rate])
        run = sim.run(time, lambda *_, given=[sign * effort]: given)
        assert run.v[-1, 0] == pytest.approx(rate + sign * effort / inertia * time, rel=1e-9)
        assert run.works[-1, 0] == pytest.approx(0.5 * inertia * (run.v[-1, 0] ** 2 - rate**2), rel=1e-8)


@models
def test_a_drive_let_go_at_its_limit_gives_nothing(model):
    sim = simulator(robot_named(wheel_xml(inertia=1.0, effort=10.0)), model)
    sim.hold(stiffness=0.0, damping=100.0)
    sim.reset([0.0], [5.0])
    sim.step()
    assert sim.effort == pytest.approx([-10.0], rel=1e-9)
    rate = sim.state.v[0]
    sim.hold(stiffness=0.0, damping=0.0)
    sim.step()
    assert sim.effort == pytest.approx([0.0], abs=1e-12)
    assert sim.state.v[0] == rate


@pytest.mark.parametrize("model", ("exact_lcp", "compliant"))
def test_an_integral_takes_away_what_a_weight_leaves(model):
    """Proportional gains alone leave the offset m g l / (2 kp); the integral's effort ends as the weight's torque."""
    sim = simulator(robot_named(pendulum_xml()), model, 1e-3)
    sim.hold(100.0, 20.0, [0.0])
    sim.run(3.0)
    weight = 0.5 * 9.81
    assert sim.q[0] == pytest.approx(weight / 100.0, rel=2e-3)
    sim.hold(100.0, 20.0, [0.0], integral=200.0)
    run = sim.run(6.0)
    assert abs(sim.q[0]) < 1e-6
    assert sim.effort == pytest.approx([-weight], rel=1e-6)
    assert np.abs(run.remainder).max() < 1e-4
    sim.hold(100.0, 20.0, [0.0])
    sim.run(3.0)
    assert sim.q[0] == pytest.approx(weight / 100.0, rel=2e-3), "a gain of 0 ends the integral"


def test_an_integral_waits_while_its_drive_is_at_the_limit():
    sim = simulator(robot_named(wheel_xml(inertia=1.0, effort=10.0)), "exact_lcp", 1e-3)
    sim.hold(50.0, 10.0, [100.0], integral=100.0)  # far away: at its limit for seconds
    sim.run(4.0)
    assert np.abs(sim.model.system.dofs[ACCUMULATED]).max() < 20.0  # one step's error alone adds 10 N m
    with pytest.raises(ParameterError, match="integral"):
        sim.command([0.0], stiffness=1.0, integral=1.0, inside=False)
