"""The Simulator as users call it: state, steps, runs, pushes, reports, model switches, and what it refuses."""

import warnings

import numpy as np
import pytest
from contact_cases import GRAVITY, HARD_MODELS, ball_xml, box_xml, robot_named, simulator, wheel_xml

from legged_contact_sim import (
    LeggedContactSimError,
    ParameterError,
    RobotModel,
    SimulationError,
    Simulator,
    contact_models,
)
from legged_contact_sim.contact import MODELS
from legged_contact_sim.errors import ParameterWarning
from legged_contact_sim.terrain import Plane, Slope

models = pytest.mark.parametrize("model", HARD_MODELS)


def test_contact_models_are_listed_with_a_line_each():
    listed = contact_models()
    assert "exact_lcp" in listed
    assert all(text and "\n" not in text for text in listed.values())


def test_a_robot_may_be_a_name_a_model_or_text():
    for robot in ("quadruped12", robot_named("quadruped12"), robot_named("quadruped12").urdf):
        assert Simulator(robot).robot.joint_count == 12


@models
def test_reset_puts_the_robot_on_the_ground(model):
    for terrain in ("plane", Plane(0.7), Slope(0.2), {"kind": "slope", "angle": 0.1}):
        sim = simulator("quadruped12", model, terrain=terrain)
        lowest = min(contact.gap for contact in sim.step().contacts)
        assert abs(lowest) < 1e-5
        sim.reset()
        assert sim.time == 0.0
        assert (sim.state.v == 0.0).all()
        points = sim.robot.contact_points
        assert len(points) == len(sim.step().contacts)


@models
def test_reset_begins_anew(model):
    sim = simulator("quadruped12", model)
    sim.hold(150.0, 4.0)
    first = sim.run(0.2)
    sim.push("base_link", [50.0, 0.0, 0.0], duration=1.0)
    sim.run(0.1)
    sim.reset()
    again = sim.run(0.2)
    assert sim.time == pytest.approx(0.2)
    for name in ("time", "q", "v", "works", "forces", "solver"):
        assert (getattr(first, name) == getattr(again, name)).all(), name


@models
def test_reset_takes_a_state(model):
    sim = simulator(box_xml(), model)
    q = [1.0, 2.0, 3.0, 0.0, 0.0, np.sin(0.2), np.cos(0.2)]
    v = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    sim.reset(q, v)
    assert sim.state.q == pytest.approx(q)
    assert sim.state.v == pytest.approx(v)
    sim.state.q[:] = 0.0  # a copy
    assert sim.state.q == pytest.approx(q)


@models
def test_steps_count_time(model):
    sim = simulator(box_xml(), model, 2e-3)
    for k in range(1, 6):
        assert sim.step().time == pytest.approx(k * 2e-3)
        assert sim.time == pytest.approx(k * 2e-3)


@models
def test_running_is_stepping(model):
    robot = robot_named("quadruped12")
    ran, stepped, controlled = (simulator(robot, model, friction=0.5) for _ in range(3))
    for sim in (ran, stepped, controlled):
        sim.hold(150.0, 4.0)
        q = sim.home()
        q[2] += 0.03
        sim.reset(q)
    run = ran.run(0.1)
    calls = []

    def controller(time, q, v):
        calls.append(time)
        assert q.shape == (robot.nq,)
        assert v.shape == (robot.nv,)
        return np.zeros(12)

    other = controlled.run(0.1, controller)
    for k in range(200):
        stepped.step()
        assert (stepped.state.q == run.q[k]).all()
        assert np.abs(stepped.state.v - run.v[k]).max() < 1e-13  # base axes: numpy there, a kernel here
    assert (other.q == run.q).all()
    assert (other.v == run.v).all()
    assert calls == pytest.approx(np.arange(200) * 5e-4)


@models
def test_a_controller_sees_the_state_and_drives_the_joints(model):
    sim = simulator(wheel_xml(), model)
    run = sim.run(1.0, lambda time, q, v: [-4.0 * (q[0] - 1.0) - 3.0 * v[0]])
    assert run.q.shape == (2000, 1)
    assert run.effort.shape == (2000, 1)
    assert run.effort[0, 0] == pytest.approx(4.0)
    assert 0.5 < run.q[-1, 0] < 1.1
    spring = simulator(wheel_xml(), model)
    spring.hold(4.0, 3.0, [1.0])
    assert np.abs(spring.run(1.0).q - run.q).max() < 1e-3  # `hold` acts on the mean state of a step


@models
def test_every_sample_is_a_step(model):
    all_steps, some = simulator(ball_xml(), model), simulator(ball_xml(), model)
    for sim in (all_steps, some):
        sim.reset([0.0, 0.0, 0.12, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    full, thin = all_steps.run(0.1), some.run(0.1, sample_every=7)
    assert thin.time == pytest.approx(full.time[6::7])
    assert (thin.q == full.q[6::7]).all()
    assert (thin.forces == full.forces[6::7]).all()


@models
def test_follow_holds_each_target_for_its_steps(model):
    sim = simulator(wheel_xml(), model)
    sim.hold(1.0, 0.0)
    run = sim.follow([[0.5], [-0.5]], [[0.1], [0.0]], every=2)
    assert run.q.shape == (4, 1)
    assert run.v[0, 0] == pytest.approx((0.5 + 0.1) / 0.5 * 5e-4, rel=1e-4)
    assert run.v[3, 0] == pytest.approx(run.v[1, 0] - 2 * 0.5 / 0.5 * 5e-4, rel=1e-3)
    assert sim.time == pytest.approx(4 * 5e-4)


@models
def test_a_push_ends_by_itself(model):
    sim = simulator(box_xml(), model, friction=0.0)
    sim.push("box", [4.0, 0.0, 0.0], duration=0.01)
    run = sim.run(0.03)
    assert run.v[19, 0] == pytest.approx(4.0 / 2.0 * 0.01, rel=1e-9)
    assert np.abs(run.v[19:, 0] - run.v[19, 0]).max() < 1e-12
    assert run.works[-1, 4] == pytest.approx(0.5 * 2.0 * 0.02**2, rel=1e-9)


@models
def test_a_push_turns_too(model):
    sim = simulator(box_xml(), model, friction=0.0)
    sim.reset([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    sim.push("box", [0.0, 0.0, 0.0], [0.0, 0.0, 0.1], duration=0.01)
    sim.run(0.05)
    assert sim.state.v[5] == pytest.approx(0.1 * 0.01 / (2.0 / 12.0 * 0.08), rel=1e-6)


@models
def test_pushes_that_overlap_add_up(model):
    sim = simulator(box_xml(), model, friction=0.0)
    sim.push("box", [1.0, 0.0, 0.0], duration=0.02)
    sim.run(0.01)
    sim.push("box", [2.0, 0.0, 0.0], duration=0.02)
    sim.run(0.04)
    assert sim.state.v[0] == pytest.approx((1.0 * 0.02 + 2.0 * 0.02) / 2.0, rel=1e-9)


@models
def test_switching_keeps_the_state(model):
    sim = simulator("quadruped12", model)
    sim.hold(150.0, 4.0)
    sim.run(0.2)
    state, time = sim.state, sim.time
    for name in HARD_MODELS:
        sim.switch_contact_model(name, friction=0.5)
        assert sim.contact_model == name
        assert (sim.state.q == state.q).all()
        assert np.abs(sim.state.v - state.v).max() < 1e-14
        assert sim.time == time
        assert sim.model.parameters.friction == 0.5
    run = sim.run(0.5)
    assert run.time[0] == pytest.approx(time + 5e-4)
    assert run.forces[-1, :, 2].sum() == pytest.approx(sim.robot.total_mass * GRAVITY, rel=1e-3)
    with pytest.raises(ParameterError):
        sim.switch_contact_model("no_such_model")
    assert sim.contact_model in HARD_MODELS  # a refused switch changes nothing
    sim.step()


@models
def test_a_contact_report_says_what_happens(model):
    sim = simulator(ball_xml(), model, friction=0.3)
    sim.reset([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    report = sim.step()
    (contact,) = report.contacts
    assert contact.name == "ball"
    assert contact.mode == "slip"
    assert contact.position == pytest.approx([1.0 * 5e-4, 0.0, 0.0], abs=1e-5)
    assert contact.normal == pytest.approx([0.0, 0.0, 1.0])
    assert contact.force == pytest.approx([-0.3 * 2.0 * GRAVITY, 0.0, 2.0 * GRAVITY], rel=1e-9)
    assert contact.impulse == pytest.approx(contact.force * 5e-4)
    assert contact.gap == pytest.approx(0.0, abs=1e-12)
    assert contact.slip_velocity == pytest.approx([1.0 - 3.5 * 0.3 * GRAVITY * 5e-4, 0.0, 0.0], rel=1e-9)
    assert report.active_contacts == 1
    assert report.residual < 1e-10
    assert report.iterations >= 1
    assert report.unconverged == 0
    assert report.impacts == 0
    kept = contact.force.copy()
    sim.step()
    assert (contact.force == kept).all()  # a report outlives the next step


@models
def test_an_open_contact_reports_its_distance(model):
    sim = simulator(ball_xml(), model)
    sim.reset([0.0, 0.0, 0.6, 0.0, 0.0, 0.0, 1.0])
    (contact,) = sim.step().contacts
    assert contact.mode == "open"
    assert contact.gap == pytest.approx(0.5, abs=1e-4)
    assert (contact.force == 0.0).all()
    assert (contact.slip_velocity == 0.0).all()


@models
def test_a_report_of_an_old_step_can_be_read_late(model):
    sim = simulator("quadruped12", model)
    sim.hold(150.0, 4.0)
    report = sim.step()
    now = report.energy.total, [contact.force for contact in report.contacts]
    late = sim.step()
    sim.run(0.1)
    assert late.time == pytest.approx(2 * 5e-4)
    assert report.energy.total == now[0]
    assert np.array_equal(np.array([contact.force for contact in report.contacts]), np.array(now[1]))


@models
def test_an_unconverged_step_is_counted_and_told(model):
    alone = {"finish": "none"} if model == "moreau" else {}  # without Newton's method, which needs one step here
    sim = simulator("quadruped12", model, friction=0.3, max_iterations=1, **alone)
    q, v = sim.home(), np.zeros(sim.robot.nv)
    v[0] = 1.0
    sim.reset(q, v)
    reports = [sim.step() for _ in range(20)]
    assert reports[-1].unconverged > 0
    assert max(report.residual for report in reports) > 1e-10
    assert "iteration_limit" in {report.status for report in reports}
    sim.reset()
    assert sim.step(np.zeros(12)).unconverged <= 1  # counted since the last reset


@models
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"friction": -0.1}, ("friction", "[0", "-0.1")),
        ({"friction": np.nan}, ("friction", "[0", "nan")),
        ({"friction": np.inf}, ("friction", "inf")),
        ({"friction": "rough"}, ("friction", "rough")),
        ({"friction": None}, ("friction", "None")),
        ({"friction": True}, ("friction", "True")),
        ({"restitution": -0.1}, ("restitution", "[0, 1]")),
        ({"restitution": 1.1}, ("restitution", "[0, 1]", "1.1")),
        ({"restitution": np.nan}, ("restitution", "[0, 1]", "nan")),
        ({"max_iterations": 0}, ("max_iterations", "[1")),
        ({"max_iterations": 2.5}, ("max_iterations", "whole")),
        ({"tolerance": -1e-3}, ("tolerance",)),
        ({"stickiness": 3.0}, ("stickiness", "friction")),
    ],
)
def test_bad_parameters_are_refused_by_name(model, parameters, words):
    with pytest.raises(ParameterError) as refusal:
        simulator(ball_xml(), model, **parameters)
    for word in words:
        assert word in str(refusal.value)
    with pytest.raises(ParameterError):
        simulator(ball_xml(), model).switch_contact_model(model, **parameters)


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match=r"solver.*block_pgs.*'magic'"):
        simulator(ball_xml(), "exact_lcp", solver="magic")
    with pytest.raises(ParameterError, match=r"contact_model.*exact_lcp.*'magic'"):
        simulator(ball_xml(), "magic")
    with pytest.raises(ParameterError, match="moon"):
        simulator(ball_xml(), terrain="moon")
    with pytest.raises(LeggedContactSimError, match="no_such_robot"):
        Simulator("no_such_robot")


@pytest.mark.parametrize("time_step", [0.0, -1e-3, np.nan, np.inf, 1.0, "fast", None])
def test_bad_time_steps_are_refused(time_step):
    with pytest.raises(ParameterError, match=r"time_step.*\]0, 0.1\]"):
        simulator(ball_xml(), time_step=time_step)


@models
@pytest.mark.parametrize("effort", [np.zeros(3), [1.0], np.full(12, np.nan), [np.inf] * 12, "push", 1.0, [[0.0] * 12]])
def test_bad_efforts_are_refused(model, effort):
    sim = simulator("quadruped12", model)
    state = sim.state
    with pytest.raises(ParameterError, match="effort"):
        sim.step(effort)
    assert (sim.state.q == state.q).all()
    assert sim.time == 0.0
    with pytest.raises(ParameterError, match="effort"):
        sim.run(0.01, lambda time, q, v: effort)


@models
def test_bad_states_are_refused(model):
    sim = simulator(box_xml(), model)
    good = sim.home()
    for q, name in (([0.0] * 7, "quaternion"), ([np.nan] * 7, "q"), ([0.0] * 6, "q"), ("up", "q")):
        with pytest.raises(ParameterError, match=name):
            sim.reset(q)
    for v in ([np.nan] * 6, [0.0] * 5):
        with pytest.raises(ParameterError, match="v"):
            sim.reset(good, v)
    sim.reset(good)
    sim.step()


@models
def test_bad_gains_pushes_and_durations_are_refused(model):
    sim = simulator("quadruped12", model)
    with pytest.raises(ParameterError, match="stiffness"):
        sim.hold(-1.0, 0.0)
    with pytest.raises(ParameterError, match="damping"):
        sim.hold(1.0, np.nan)
    with pytest.raises(ParameterError, match="damping"):
        sim.hold(1.0, [1.0, 2.0])
    with pytest.raises(ParameterError, match="target"):
        sim.hold(1.0, 1.0, np.zeros(3))
    with pytest.raises(ParameterError, match="force"):
        sim.push("base_link", [np.nan, 0.0, 0.0])
    with pytest.raises(ParameterError, match="torque"):
        sim.push("base_link", [0.0, 0.0, 0.0], [0.0, 0.0])
    with pytest.raises(ParameterError, match="duration"):
        sim.push("base_link", [0.0, 0.0, 0.0], duration=-1.0)
    with pytest.raises(LeggedContactSimError, match="no_such_link"):
        sim.push("no_such_link", [0.0, 0.0, 0.0])
    for duration in (-1.0, np.nan, np.inf):
        with pytest.raises(ParameterError, match="duration"):
            sim.run(duration)
    with pytest.raises(ParameterError, match="sample_every"):
        sim.run(0.01, sample_every=0)
    with pytest.raises(ParameterError, match="targets"):
        sim.follow(np.zeros((4, 3)), None, every=1)
    with pytest.raises(ParameterError, match="every"):
        sim.follow(np.zeros((4, 12)), None, every=0)
    with pytest.raises(ParameterError, match="targets"):
        sim.follow(np.full((4, 12), np.nan), None, every=1)


@models
def test_a_robot_without_contact_points_swings(model):
    sim = simulator("friction_block", model)
    run = sim.run(0.1)
    assert np.isfinite(run.q).all()
    assert run.forces.shape[1] == 0
    assert sim.step().contacts == ()


@models
def test_gravity_of_the_robot_counts(model):
    moon = RobotModel.from_urdf(ball_xml(), gravity=(0.0, 0.0, -1.62))
    (contact,) = simulator(moon, model).step().contacts
    assert contact.force[2] == pytest.approx(2.0 * 1.62, rel=1e-9)


def test_a_state_that_is_not_finite_any_more_is_an_error_at_that_step():
    sim = Simulator("quadruped12", contact_model="penalty", time_step=0.01, normal_damping=1e7)
    with pytest.raises(SimulationError, match=r"penalty: the state is no longer finite after 0\.\d+ s"):
        for _ in range(500):
            sim.step()
    sim.reset()
    with pytest.raises(SimulationError, match="penalty: the state is no longer finite after 5 s"):
        sim.run(5.0)
    sim.reset()
    assert np.isfinite(sim.state.q).all()


def test_friction_and_restitution_stay_with_the_ground():
    """Asked for or not, they stay when the model changes; a model that cannot honour one says so."""
    sim = simulator(ball_xml(), "exact_lcp", friction=0.3, restitution=0.4)
    with pytest.warns(ParameterWarning, match="restitution: penalty cannot honour it: the rebound follows from"):
        sim.switch_contact_model("penalty")
    assert sim.model.parameters.friction == 0.3
    sim.switch_contact_model("exact_lcp")
    assert (sim.model.parameters.friction, sim.model.parameters.restitution) == (0.3, 0.4)
    sim.switch_contact_model("exact_lcp", friction=0.5)
    assert (sim.model.parameters.friction, sim.model.parameters.restitution) == (0.5, 0.4)
    untouched = simulator(ball_xml(), "penalty")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        untouched.switch_contact_model("exact_lcp")
        assert untouched.model.parameters.friction == MODELS["penalty"].Parameters().friction
        untouched.switch_contact_model("penalty")  # nobody asked for a restitution
