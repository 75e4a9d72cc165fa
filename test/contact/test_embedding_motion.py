"""Event-driven motion by constraint embedding: reduced equations, closed forms, falls, joints, soft failures."""

import numpy as np
import pytest
from contact_cases import GRAVITY, ball_xml, box_xml, drop_state, pendulum_xml, simulator, tilted, world_velocity
from hypothesis import given, settings
from hypothesis import strategies as st

from legged_contact_sim import RobotModel
from legged_contact_sim.contact.events.flow.constrained_motion import derivative
from legged_contact_sim.contact.events.flow.embedded_motion import embedded_forces
from legged_contact_sim.contact.events.motion import CONTACT_COUNT
from legged_contact_sim.contact.records import OPEN, SLIP, STICK
from legged_contact_sim.dynamics import forward_dynamics, mass_matrix, point_bias_acceleration, point_jacobian
from legged_contact_sim.terrain import Slope

START = [4.0, 0.01, 0.0, 2.0944, -0.4363, -0.6981]  # of the study, Singh 5.2


def embedding(robot, time_step=1e-3, **parameters):
    return simulator(robot, "embedding", time_step, **parameters)


def kinds(events):
    return [event.kind for event in events]


def contact_frame():
    """Return the rows normal, first tangent, second tangent on flat ground."""
    return np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def with_named_fields(arrays):
    """Return what a kernel works on with records whose fields are attributes, so that it runs as plain Python."""
    if hasattr(arrays, "_make"):
        return arrays._make(map(with_named_fields, arrays))
    is_records = isinstance(arrays, np.ndarray) and arrays.dtype.names
    return arrays.view(np.recarray) if is_records else arrays


def evaluate(sim, q, v, modes, direction):
    """Evaluate the embedded equations in a state and in given modes; return accelerations and contact forces."""
    model = sim.model
    sim.reset(q, v)
    model.motion.y[: len(q)], model.motion.y[len(q) : len(q) + len(v)] = q, v
    model.motion.flow["static_friction"], model.motion.flow["dynamic_friction"] = 0.7, 0.7
    model.motion.points["slip_direction"] = direction
    model.system.contacts["mode"] = modes
    model.system.contacts["closed"] = np.asarray(modes) != OPEN
    system, motion = with_named_fields(model.system), with_named_fields(model.motion)
    derivative(system, motion, embedded_forces, motion.y, motion.stages[0])
    assert model.motion.counts[CONTACT_COUNT] == np.count_nonzero(modes)
    nq, nv = sim.robot.nq, sim.robot.nv
    return model.motion.stages[0, nq : nq + nv].copy(), model.system.contacts["force"].copy()


def dense_solution(robot, q, v, modes, slips, mu):
    """Return accelerations and forces of the same constraints from the dense KKT matrix, by least squares."""
    A, free = mass_matrix(robot, q), forward_dynamics(robot, q, v)
    held, forces, targets, places = [], [], [], []
    for k, mode in enumerate(modes):
        if mode == OPEN:
            continue
        point = robot.contact_points[k]
        link = robot.link_names[point["link"]]
        J = contact_frame() @ point_jacobian(robot, q, link, point["position"])
        bias = contact_frame() @ point_bias_acceleration(robot, q, v, link, point["position"])
        rows = range(3) if mode == STICK else range(1)
        for row in rows:
            held.append(J[row])
            forces.append(J[row] if mode == STICK else J[0] - mu * (slips[k] @ J[1:]))
            targets.append(-bias[row])
            places.append((k, row))
    held, forces = np.array(held), np.array(forces)
    n, r = robot.nv, len(held)
    matrix = np.block([[A, -forces.T], [held, np.zeros((r, r))]])
    solution = np.linalg.lstsq(matrix, np.concatenate([A @ free, targets]), rcond=1e-12)[0]
    found = np.zeros((len(modes), 3))
    for (k, row), value in zip(places, solution[n:], strict=True):
        found[k, row] = value
    for k, mode in enumerate(modes):
        if mode == SLIP:
            found[k, 1:] = -mu * slips[k] * found[k, 0]
    return solution[:n], found


def test_embedded_equations_of_the_planar_leg_agree_with_the_dense_ones():
    random = np.random.default_rng(0)
    sim = embedding("planar_leg")
    for modes in ([STICK, OPEN, OPEN, OPEN, OPEN], [SLIP, SLIP, OPEN, OPEN, OPEN], [STICK, OPEN, STICK, OPEN, OPEN]):
        q, v = np.array(START) + 0.1 * random.normal(size=6), random.normal(size=6)
        slips = np.zeros((5, 2))
        slips[:, 0] = np.sign(random.normal())
        for k, mode in enumerate(modes):
            if mode == SLIP:
                point = sim.robot.contact_points[k]
                J = point_jacobian(sim.robot, q, sim.robot.link_names[point["link"]], point["position"])
                slips[k, 0] = np.sign((J @ v)[0])
        acceleration, force = evaluate(sim, q, v, modes, slips)
        expected, forces = dense_solution(sim.robot, q, v, modes, slips, 0.7)
        assert acceleration == pytest.approx(expected, rel=1e-8, abs=1e-8)
        assert force[np.array(modes) != OPEN] == pytest.approx(forces[np.array(modes) != OPEN], rel=1e-7, abs=1e-6)


def test_redundant_points_of_a_flat_foot_carry_the_dense_sum():
    """Both ends of the foot stick: the tangential rows are the same, only their sum is determined."""
    sim = embedding("planar_leg")
    q, v, modes = np.array(START), np.zeros(6), [STICK, STICK, OPEN, OPEN, OPEN]
    acceleration, force = evaluate(sim, q, v, modes, np.tile([1.0, 0.0], (5, 1)))
    expected, forces = dense_solution(sim.robot, q, v, modes, np.zeros((5, 2)), 0.7)
    assert acceleration == pytest.approx(expected, abs=1e-8)
    assert force[:2, 0] == pytest.approx(forces[:2, 0], rel=1e-8)
    assert force[:2, 1].sum() == pytest.approx(forces[:2, 1].sum(), rel=1e-8)


def test_embedded_equations_of_a_quadruped_agree_with_the_dense_ones():
    random = np.random.default_rng(1)
    sim = embedding("quadruped12")
    feet = [k for k, point in enumerate(sim.robot.contact_points) if sim.robot.contact_names[k].endswith("foot")]
    feet = feet or list(range(4))
    q, v = sim.home(), np.zeros(18)
    v[6:] = 0.3 * random.normal(size=12)
    modes = np.zeros(len(sim.robot.contact_points), dtype=int)
    modes[feet[:3]] = STICK
    sim.model.system.contacts["radius"] = 0.0
    sim.model.motion.points["semi_axes"] = 0.0
    acceleration, force = evaluate(sim, q, v, modes, np.tile([1.0, 0.0], (len(modes), 1)))
    expected, forces = dense_solution(sim.robot, q, v, modes, np.zeros((len(modes), 2)), 0.7)
    assert acceleration == pytest.approx(expected, rel=1e-7, abs=1e-7)
    assert force[feet[:3]] == pytest.approx(forces[feet[:3]], rel=1e-7, abs=1e-6)


def test_a_bouncing_ball_meets_the_closed_form():
    sim = embedding(ball_xml(0.1, 1.0), restitution=0.9)
    sim.reset([0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 1.0])
    run = sim.run(9.0)
    impacts = [event for event in run.events if event.kind == "impact"]
    first = np.sqrt(2.0 / GRAVITY)
    expected = first * (1.0 + 2.0 * np.cumsum(0.9 ** np.arange(len(impacts))) - 2.0)
    assert len(impacts) >= 60
    assert np.array([event.time for event in impacts]) == pytest.approx(expected, abs=1e-9)
    for event in impacts:
        height = event.energy_before - GRAVITY * 0.1
        assert event.energy_after - GRAVITY * 0.1 == pytest.approx(0.81 * height, rel=1e-9)
    assert kinds(run.events)[-2:] == ["contact", "stick"]
    assert run.forces[-1, 0, 2] == pytest.approx(GRAVITY, rel=1e-9)
    assert np.abs(run.remainder).max() < 1e-9
    assert run.gaps.min() > -1e-12


def test_a_sliding_ball_ends_by_rolling_with_five_sevenths_of_its_speed():
    sim = embedding(ball_xml(), friction=0.3)
    sim.reset([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], [1.0, 0.3, 0.0, 0.0, 0.0, 0.0])
    run = sim.run(0.6)
    velocity = world_velocity(sim.robot, *sim.state)
    assert velocity == pytest.approx([5.0 / 7.0, 1.5 / 7.0, 0.0], abs=1e-9)
    stick = next(event for event in run.events if event.kind == "stick")
    assert stick.time == pytest.approx(2.0 / 7.0 * np.hypot(1.0, 0.3) / (0.3 * GRAVITY), rel=1e-7)


@pytest.mark.parametrize("friction", [0.2, 0.5])
def test_a_box_slides_or_rests_on_a_slope(friction):
    angle = np.deg2rad(20.0)
    sim = embedding(box_xml(), friction=friction, terrain=Slope(angle))
    start = 0.05 * np.array([-np.sin(angle), 0.0, np.cos(angle)])
    sim.reset(np.concatenate([start, tilted(angle)]))
    run = sim.run(0.5)
    pull = max(0.0, GRAVITY * (np.sin(angle) - friction * np.cos(angle)))
    assert np.linalg.norm(sim.state.q[:3] - start) == pytest.approx(0.5 * pull * 0.25, abs=1e-10)
    assert np.abs(run.remainder).max() < 1e-9


def fall(duration=0.25):
    sim = embedding("planar_leg")
    sim.reset(START)
    return sim.run(duration)


def test_the_planar_leg_falls_lands_and_stands_on_both_ends_of_its_foot():
    run = fall()
    total, start = run.energies.sum(axis=1), run.start_energy
    landing = run.events[0]
    assert landing.kind == "impact"
    assert landing.points == ("E", "F")
    assert landing.time == pytest.approx(np.sqrt(2.0 * 0.01 / GRAVITY), abs=1e-9)
    flight = run.time < landing.time
    assert np.abs(total[flight] - start).max() < 1e-6 * start
    for event in run.events:
        assert event.energy_after <= event.energy_before + 1e-9
    assert landing.energy_after < landing.energy_before - 1.0
    standing = run.time > landing.time
    assert (run.modes[standing][:, :2] == STICK).all()
    assert np.abs(run.gaps[standing][:, :2]).max() < 1e-8
    assert (run.forces[standing][:, :2, 2] > 0.0).all()
    assert np.abs(run.remainder).max() < 1e-8


def test_a_quadruped_lands_and_stands():
    sim = embedding("quadruped12")
    sim.hold(200.0, 5.0)
    q = sim.home()
    q[2] += 0.1
    sim.reset(q)
    run = sim.run(0.6)
    weight = sim.robot.total_mass * GRAVITY
    assert run.forces[-1, :, 2].sum() == pytest.approx(weight, rel=1e-3)
    assert run.gaps.min() > -1e-8
    assert np.abs(run.remainder).max() < 1e-6
    assert not any(event.note for event in run.events)


@pytest.mark.parametrize("name", ["planar_leg", "quadruped12"])
def test_no_impact_of_a_robot_gains_energy(name):
    count = 0

    @settings(max_examples=150, deadline=None)
    @given(seed=st.integers(0, 10**6), friction=st.floats(0.0, 2.0), restitution=st.floats(0.0, 1.0))
    def strike(seed, friction, restitution):
        nonlocal count
        sim = embedding(name, 1e-3, friction=friction, restitution=restitution)
        sim.reset(*drop_state(sim.robot, np.random.default_rng(seed)))
        sim.run(5e-3)
        scale = abs(sim.start_energy) + 1.0
        for event in sim.events:
            if event.kind == "impact":
                count += 1
                assert event.energy_after <= event.energy_before + 1e-9 * scale
        assert np.isfinite(sim.state.v).all()

    strike()
    assert count >= 80


def test_a_pendulum_stops_at_its_joint_limit():
    sim = embedding(pendulum_xml(lower=-1.0, upper=0.3))
    sim.reset([0.0])
    run = sim.run(1.0)
    limit = next(event for event in run.events if event.kind == "limit")
    assert limit.energy_after < limit.energy_before
    assert run.q.max() <= 0.3 + 1e-9
    assert run.q[-1, 0] == pytest.approx(0.3, abs=1e-9)
    assert run.works[-1, 5] == pytest.approx(limit.energy_after - limit.energy_before, rel=1e-6)


def test_dry_friction_holds_a_joint_until_it_is_pushed():
    sim = embedding(pendulum_xml(friction=6.0))
    sim.reset([0.0])
    assert np.abs(sim.run(0.2).q).max() == 0.0  # weight 4.9 N m, friction 6 N m
    run = sim.run(0.1, lambda time, q, v: [2.0])
    inertia = 1.0 / 3.0
    assert run.v[-1, 0] == pytest.approx(0.1 * (4.905 + 2.0 - 6.0) / inertia, rel=2e-2)
    assert np.abs(run.remainder).max() < 1e-9


def test_a_push_lifts_a_ball_and_its_work_is_booked():
    sim = embedding(ball_xml(0.1, 1.0))
    sim.run(0.01)
    sim.push("ball", [0.0, 0.0, 2.0 * GRAVITY], duration=0.05)
    run = sim.run(0.05)
    assert sim.state.v[2] == pytest.approx(GRAVITY * 0.05, rel=1e-9)
    assert kinds(run.events)[-1] == "separation"
    assert run.works[-1, 4] == pytest.approx(2.0 * GRAVITY * sim.state.q[2] - 2.0 * GRAVITY * 0.1, rel=1e-6)


def test_painleves_rod_ends_in_a_note_not_in_a_crash():
    """A rod that slides on its end with much friction: no force fits, the slip jams and is stopped by impulses."""
    text = (
        '<robot name="rod"><link name="world"/><link name="x"/><link name="z"/><link name="rod"><inertial>'
        '<origin xyz="0.5 0 0"/><mass value="1"/>'
        '<inertia ixx="1e-4" iyy="0.0833" izz="0.0833" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="root_x" type="prismatic"><parent link="world"/><child link="x"/><axis xyz="1 0 0"/>'
        '<limit lower="-99" upper="99" effort="0" velocity="99"/></joint>'
        '<joint name="root_z" type="prismatic"><parent link="x"/><child link="z"/><axis xyz="0 0 1"/>'
        '<limit lower="-99" upper="99" effort="0" velocity="99"/></joint>'
        '<joint name="turn" type="revolute"><parent link="z"/><child link="rod"/><axis xyz="0 -1 0"/>'
        '<limit lower="-99" upper="99" effort="0" velocity="99"/></joint></robot>'
    )
    robot = RobotModel.from_urdf(text, contact_points={"end": {"link": "rod", "offset": [0, 0, 0], "radius": 0.0}})
    sim = embedding(robot, friction=3.0)
    sim.reset([0.0, 0.0, 1.2], [-2.0, 0.0, 0.0])
    run = sim.run(0.2)
    assert any("Painleve" in event.note for event in run.events)
    assert all(event.energy_after <= event.energy_before + 1e-9 for event in run.events)
    assert np.isfinite(run.q).all()
    assert run.gaps.min() > -1e-8


def test_too_many_events_in_a_step_end_in_a_note():
    sim = embedding(ball_xml(), 0.05, restitution=0.5, impact_threshold=1e-9, max_events=4)
    sim.reset([0.0, 0.0, 0.1001, 0.0, 0.0, 0.0, 1.0])
    run = sim.run(0.2)
    assert any("too many events" in event.note for event in run.events)
    assert len(run.events) < 40
    assert run.gaps.min() > -1e-8
