"""Event-driven contact: closed forms, redundant points, no energy from nowhere, and what cannot be resolved."""

import numpy as np
import pytest
from contact_cases import (
    GRAVITY,
    ball_xml,
    box_xml,
    drop_state,
    gaps,
    pendulum_xml,
    robot_named,
    simulator,
    tilted,
    total_energy,
    wheel_xml,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.errors import ParameterError
from legged_contact_sim.model import robots

ROD = (
    '<robot name="rod"><link name="rod"><inertial><mass value="1"/><inertia ixx="1e-4" iyy="0.333333" izz="0.333333" '
    'ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
)


def impacts(sim):
    return [event for event in sim.events if event.kind == "impact"]


def test_bouncing_ball_hits_at_the_closed_form_instants():
    sim = simulator(ball_xml(), "hybrid", 5e-3, restitution=0.9)
    sim.reset([0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 1.0])
    sim.run(9.0)
    fall = np.sqrt(2.0 / GRAVITY)
    count = len(impacts(sim))
    expected = fall * (1.0 + 2.0 * np.cumsum(np.concatenate([[0.0], 0.9 ** np.arange(1, count)])))
    assert count >= 60
    np.testing.assert_allclose([event.time for event in impacts(sim)], expected, rtol=0.0, atol=1e-9)
    end = sim.events[count]  # slower than the threshold: the bouncing ends there
    assert end.kind == "contact"
    assert "no rebound" in end.note
    assert np.abs(sim.state.v).max() == 0.0


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
def test_rebound_keeps_the_square_of_the_restitution(restitution):
    sim = simulator(ball_xml(), "hybrid", 1e-2, restitution=restitution)
    sim.reset([0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 1.0])
    sim.run(0.5)
    event = impacts(sim)[0]
    kinetic = 2.0 * GRAVITY * 1.0
    assert event.energy_before - event.energy_after == pytest.approx((1.0 - restitution**2) * kinetic, abs=1e-8)
    assert event.impulses[0, 2] == pytest.approx((1.0 + restitution) * 2.0 * np.sqrt(2.0 * GRAVITY), rel=1e-9)


def test_sliding_box_stops_where_coulomb_says():
    sim = simulator(box_xml(), "hybrid", 1e-2, friction=0.5, dynamic_friction=0.4)
    sim.reset([0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    trajectory = sim.run(0.5)
    assert trajectory.q[-1, 0] == pytest.approx(1.0 / (2.0 * 0.4 * GRAVITY), rel=1e-6)
    stick = [event.time for event in sim.events if event.kind == "stick"]
    assert stick[-1] == pytest.approx(1.0 / (0.4 * GRAVITY), rel=1e-6)
    assert trajectory.forces[-1, :, 2].sum() == pytest.approx(2.0 * GRAVITY)
    assert np.abs(trajectory.remainder).max() < 1e-8


@pytest.mark.parametrize(("angle", "slides"), [(0.3, False), (0.6, True)])
def test_box_rests_on_a_slope_below_the_static_angle(angle, slides):
    slope = {"kind": "slope", "angle": angle}
    sim = simulator(box_xml(), "hybrid", 1e-2, friction=0.5, dynamic_friction=0.4, terrain=slope)
    height = 0.05 / np.cos(angle)
    sim.reset([0.0, 0.0, height, *tilted(angle)])
    trajectory = sim.run(0.5)
    expected = GRAVITY * (np.sin(angle) - 0.4 * np.cos(angle)) * 0.5 if slides else 0.0
    assert np.linalg.norm(trajectory.v[-1, :3]) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_rolling_ball_ends_with_five_sevenths():
    sim = simulator(ball_xml(), "hybrid", 1e-2, friction=0.3)
    sim.reset([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    trajectory = sim.run(0.5)
    speed = np.linalg.norm(np.diff(trajectory.q[-2:, :3], axis=0)) / 1e-2
    assert speed == pytest.approx(5.0 / 7.0, rel=1e-6)
    assert trajectory.modes[-1, 0] == 1


@pytest.mark.parametrize("name", sorted(robots()))
def test_every_robot_runs(name):
    sim = Simulator(name, "hybrid", 2e-3, restitution=0.3)
    q = sim.home()
    if sim.robot.base == "floating":
        q[2] += 0.02
    sim.reset(q)
    trajectory = sim.run(0.1)
    assert np.isfinite(trajectory.q).all()
    assert trajectory.gaps.size == 0 or trajectory.gaps.min() > -1e-8
    assert trajectory.forces.size == 0 or trajectory.forces[..., 2].min() >= -1e-9
    assert np.abs(trajectory.remainder).max() < 1e-6
    assert not any(event.kind == "unresolved" for event in trajectory.events)


@pytest.mark.parametrize("name", ["quadruped12", "quadruped16"])
def test_quadruped_held_by_its_drives_bears_its_weight(name):
    sim = Simulator(name, "hybrid", 2e-3)
    sim.hold(400.0, 20.0)
    report = None
    for _ in range(500):
        report = sim.step()
    force = sum(contact.force for contact in report.contacts)
    assert force[2] == pytest.approx(sim.robot.total_mass * GRAVITY, rel=2e-3)
    assert report.energy.remainder == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("name", ["quadruped12", "planar_leg"])
def test_hundreds_of_random_impacts_never_gain_energy(name):
    robot, count = robot_named(name), 0
    for seed in range(160):
        random = np.random.default_rng(seed)
        control = ("attenuation", "constraint", "restitution")[seed % 3]
        given = {"friction": random.uniform(0.0, 1.5), "restitution": random.random(), "energy_control": control}
        sim = simulator(robot, "hybrid", 5e-3, **given)
        sim.reset(*drop_state(robot, random))
        sim.run(0.1)
        count += len(impacts(sim))
        for event in sim.events:
            assert event.energy_after <= event.energy_before + 1e-9 * (1.0 + abs(event.energy_before))
    assert count >= 500


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    friction=st.floats(0.0, 2.0),
    share=st.floats(0.0, 1.0),
    restitution=st.floats(0.0, 1.0),
    energetic=st.floats(0.3, 1.0),
    slope=st.floats(0.0, 1.0),
)
def test_boxes_never_gain_energy_nor_sink(seed, friction, share, restitution, energetic, slope):
    random = np.random.default_rng(seed)
    sim = simulator(
        box_xml(), "hybrid", 5e-3, terrain={"kind": "slope", "angle": slope}, friction=friction,
        dynamic_friction=share * friction, restitution=restitution, energetic_restitution=energetic,
    )  # fmt: skip
    quaternion = random.normal(size=4)
    sim.reset([0.0, 0.0, 0.4, *(quaternion / np.linalg.norm(quaternion))], random.normal(size=6))
    start = total_energy(sim)
    trajectory = sim.run(0.3)
    assert trajectory.energies.sum(axis=1).max() <= start + 1e-6
    assert trajectory.gaps.min() > -1e-5
    for event in sim.events:
        assert event.energy_after <= event.energy_before + 1e-9


def test_planar_leg_lands_as_in_exact_contact():
    robot, landed = robot_named("planar_leg"), {}
    for model in ("hybrid", "exact_lcp"):
        sim = simulator(robot, model, 1e-3 if model == "hybrid" else 1e-4)
        sim.reset(robot.home)
        landed[model] = sim.run(0.1).v[-1]
    scale = np.abs(landed["exact_lcp"]).max()
    np.testing.assert_allclose(landed["hybrid"], landed["exact_lcp"], atol=1e-2 * scale)


def test_planar_leg_keeps_both_feet_on_the_ground():
    sim = simulator("planar_leg", "hybrid", 1e-3)
    sim.reset(robot_named("planar_leg").home)
    trajectory = sim.run(0.2)
    flight = trajectory.time < sim.events[0].time
    assert np.abs(trajectory.remainder[flight]).max() < 1e-6 * trajectory.start_energy
    assert (trajectory.modes[-1, :2] > 0).all()
    assert np.abs(gaps(sim)[:2]).max() < 1e-8


@pytest.mark.parametrize("angle", [0.6, 1.0, 1.2])
@pytest.mark.parametrize("speed", [-2.0, 2.0])
@pytest.mark.parametrize("friction", [1.2, 2.0, 3.0])
def test_painleves_rod_ends_in_a_report_not_in_a_crash(angle, speed, friction):
    points = {name: {"link": "rod", "offset": [x, 0, 0], "radius": 0.0} for name, x in (("a", -1.0), ("b", 1.0))}
    robot = RobotModel.from_urdf(ROD, contact_points=points)
    sim = simulator(robot, "hybrid", 1e-3, friction=friction)
    c, s = np.cos(angle), np.sin(angle)
    sim.reset([0.0, 0.0, s, *tilted(angle)], [speed * c, 0.0, -speed * s, 0.0, 0.0, 0.0])
    start = total_energy(sim)
    trajectory = sim.run(0.3)
    assert trajectory.gaps.min() > -1e-8
    assert trajectory.energies.sum(axis=1).max() <= start + 1e-9
    assert np.abs(trajectory.remainder).max() < 1e-6
    assert len(sim.events) < 100


def test_chattering_is_bounded_and_reported():
    sim = simulator(ball_xml(), "hybrid", 0.1, restitution=0.9, max_events=4, impact_threshold=1e-9)
    sim.reset([0.0, 0.0, 0.1001, 0.0, 0.0, 0.0, 1.0])
    trajectory = sim.run(0.5)
    assert any("too many events" in event.note for event in sim.events)
    assert len(sim.events) < 100
    assert trajectory.gaps.min() > -1e-6


def test_joint_limit_stops_a_pendulum():
    sim = simulator(pendulum_xml(1, lower=-0.5, upper=0.5), "hybrid", 1e-2)
    sim.reset([0.0])
    trajectory = sim.run(1.0)
    assert trajectory.q[-1, 0] == pytest.approx(0.5, abs=1e-9)
    assert any(event.kind == "limit" for event in sim.events)
    assert np.abs(trajectory.remainder).max() < 1e-7


def test_dry_joint_friction_stops_a_wheel_and_holds_it():
    sim = simulator(wheel_xml(friction=1.0, inertia=0.5), "hybrid", 1e-2)
    sim.reset([0.0], [2.0])
    trajectory = sim.run(1.5)
    assert trajectory.q[-1, 0] == pytest.approx(0.5 * 0.5 * 2.0**2 / 1.0, rel=1e-7)
    sim.step([0.9])
    assert sim.state.v[0] == 0.0
    sim.step([1.1])
    assert sim.state.v[0] == pytest.approx(0.1 / 0.5 * 1e-2, rel=1e-6)


def test_push_moves_a_box_and_is_audited():
    sim = simulator(box_xml(), "hybrid", 1e-2, friction=0.5, dynamic_friction=0.4)
    sim.push("box", [12.0, 0.0, 0.0], duration=0.1)
    sim.run(0.1)
    report = sim.step()
    assert report.energy.external > 0.0
    assert report.energy.remainder == pytest.approx(0.0, abs=1e-8)


def test_events_carry_the_simulators_time_after_the_state_was_set():
    sim = simulator(ball_xml(), "hybrid", 1e-2, restitution=0.5)
    sim.reset([0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0])
    sim.run(0.2)
    sim.set_state([0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 1.0])
    sim.run(0.2)
    assert sim.events[0].time == pytest.approx(0.2 + np.sqrt(0.2 / GRAVITY), abs=1e-9)


@pytest.mark.parametrize("given", [{"back_wheel": (0.25, 0.0, 0.125)}, "{back_wheel: [0.25, 0, 0.125]}"])
def test_elliptic_wheel_touches_in_its_support_point(given):
    sim = Simulator("bicycle", "hybrid", 1e-2, contact_shapes=given)
    sim.reset([0.0, 2.0, 0.0, np.pi / 4, 0.0])
    contact = sim.step().contacts[0]
    reach = np.sqrt((0.25**2 + 0.125**2) / 2)
    side = (0.25**2 - 0.125**2) / 2 / reach
    height = sim.state.q[1]
    assert contact.gap == pytest.approx(height - reach, abs=1e-9)
    np.testing.assert_allclose(np.abs(contact.position - [-0.5, 0.0, height - reach]), [side, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"dynamic_friction": -0.1}, "dynamic_friction: expected a number in [0, 100]"),
        ({"energy_control": "magic"}, "energy_control: expected one of restitution, attenuation, constraint, none"),
        ({"contact_shapes": {"nose": (1, 1, 1)}}, "no contact point named 'nose'"),
        ({"contact_shapes": {"tip": (1, 1)}}, "tip: expected three semi-axes"),
        ({"contact_shapes": 3}, "contact_shapes: expected"),
    ],
)
def test_bad_parameters_are_refused_by_name(given, words):
    with pytest.raises(ParameterError) as error:
        Simulator("double_pendulum", "hybrid", **given)
    assert words in str(error.value)
