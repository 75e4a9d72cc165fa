"""Distributed contact: a foot block that sticks, breaks away, slides and sticks again, and a biped that drops."""

import numpy as np
import pytest
from contact_cases import GRAVITY, simulator
from scipy.integrate import solve_ivp

from legged_contact_sim import RobotModel
from legged_contact_sim.contact.models.distributed import DistributedParameters
from legged_contact_sim.dynamics import center_of_mass
from legged_contact_sim.simulation.foot_wrench import foot_wrench

LAW = DistributedParameters()
FOOT, PULLER, SPRING = 20.0, 5.0, 5000.0  # kg, kg, N/m
POINTS = 4
RAMP, RELEASE, DURATION = 400.0, 0.6, 0.93  # the pull grows by N/s until it stops, s
NORMAL = FOOT * GRAVITY
DEPTH = (NORMAL / POINTS / LAW.normal_stiffness) ** (1.0 / LAW.normal_exponent)


def foot_block(points=None):
    """Return a foot of 20 kg that a mass of 5 kg pulls along x by a spring; it may sink but not turn."""
    link = (
        '<link name="{}"><inertial><mass value="{}"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )
    joint = (
        '<joint name="{0}" type="prismatic"><parent link="{1}"/><child link="{2}"/><axis xyz="{3}"/>'
        '<limit lower="-100" upper="100" effort="1e5" velocity="1e3"/></joint>'
    )
    text = (
        '<robot name="foot_block"><link name="world"/><link name="carriage"/>'
        + link.format("puller", PULLER)
        + link.format("foot", FOOT)
        + joint.format("pull", "world", "puller", "1 0 0")
        + joint.format("spring", "puller", "carriage", "1 0 0")
        + joint.format("lift", "carriage", "foot", "0 0 1")
        + f'<gazebo reference="spring"><springStiffness>{SPRING}</springStiffness></gazebo></robot>'
    )
    corners = {
        f"sole_{k}": {"link": "foot", "offset": [0.1 * (k % 2), 0.05 * (k // 2), 0.0], "radius": 0.0}
        for k in range(POINTS)
    }
    return RobotModel.from_urdf(text, contact_points=points or corners, home={"lift": -DEPTH})


def pull(time):
    return RAMP * time if time < RELEASE else 0.0


def pulled_foot(time_step, duration=DURATION):
    sim = simulator(foot_block(), "distributed", time_step)
    sim.reset([0.0, 0.0, -DEPTH])
    return sim.run(duration, lambda time, q, v: [pull(time + 0.5 * time_step), 0.0, 0.0])


def two_masses():
    """Return the times of breakaway and of the next stick, and the foot's position over time, from the two-mass model.

    The normal force is the weight, so each phase is a linear equation of motion, integrated to 1e-10.
    """
    stiffness, damping = POINTS * LAW.tangential_stiffness, POINTS * LAW.tangential_damping

    def motion(friction):
        def rates(time, state):
            stretched = SPRING * (state[1] - state[0])
            force = friction(time, state[1], state[3])
            return [state[2], state[3], (pull(time) + stretched) / PULLER, (force - stretched) / FOOT]

        return rates

    def sticking(origin):
        return lambda time, x, v: -stiffness * (x - origin) - damping * v

    def sliding(time, x, v):
        return -(LAW.friction * NORMAL + POINTS * LAW.sliding_damping * v)

    def blend(first, second, start, duration):
        def force(time, x, v):
            share = min(1.0, (time - start) / duration)
            return (1.0 - share) * first(time, x, v) + share * second(time, x, v)

        return force

    def until(friction, start, state, event=None, stops=(RELEASE, DURATION)):
        times, states = [np.array([start])], [np.array(state)[:, None]]
        for stop in (stop for stop in stops if stop > start):
            span, options = (times[-1][-1], stop), {"rtol": 1e-10, "atol": 1e-12, "max_step": 1e-3}
            part = solve_ivp(motion(friction), span, states[-1][:, -1], events=event, **options)
            times.append(part.t)
            states.append(part.y)
            if event is not None and len(part.t_events[0]):
                break
        return np.concatenate(times), np.concatenate(states, axis=1)

    def breaks(time, state):
        return LAW.static_friction * NORMAL + sticking(0.0)(time, state[1], state[3])

    def stops(time, state):
        return state[3]

    breaks.terminal = stops.terminal = True
    stops.direction = -1.0
    stick = until(sticking(0.0), 0.0, np.zeros(4), breaks)
    breakaway = stick[0][-1]
    slide = until(blend(sticking(0.0), sliding, breakaway, LAW.breakaway_time), breakaway, stick[1][:, -1], stops)
    restick = slide[0][-1]
    again = sticking(slide[1][1, -1])
    rest = until(blend(sliding, again, restick, LAW.restick_time), restick, slide[1][:, -1])
    time = np.concatenate([stick[0], slide[0], rest[0]])
    return breakaway, restick, lambda t: np.interp(t, time, np.concatenate([stick[1][1], slide[1][1], rest[1][1]]))


def phase_changes(run):
    """Return when the foot begins to slide and when it sticks again, s."""
    slides = run.modes[:, 0] == 2
    begin = int(np.argmax(slides))
    return run.time[begin], run.time[begin + int(np.argmin(slides[begin:]))]


@pytest.mark.parametrize("time_step", [1e-4, 5e-4])
def test_stick_breakaway_slide_and_stick_of_two_masses(time_step):
    breakaway, restick, position = two_masses()
    run = pulled_foot(time_step)
    begin, end = phase_changes(run)
    assert 0.2 < breakaway < RELEASE < restick < 1.0
    assert begin == pytest.approx(breakaway, abs=2.0 * time_step)
    assert end == pytest.approx(restick, abs=4.0 * time_step)
    foot, expected = run.q[:, 0] + run.q[:, 1], position(run.time)
    assert np.ptp(expected) > 0.01
    assert np.abs(foot - expected).max() < 1e-3 * np.ptp(expected) * time_step / 1e-4
    assert (run.modes.min(axis=1) == run.modes.max(axis=1)).all()  # the points of a foot slide together
    assert run.forces[:, :, 2].sum(axis=1) == pytest.approx(NORMAL, rel=1e-9)


def test_force_ratio_at_breakaway_and_while_sliding():
    run = pulled_foot(1e-4)
    begin, end = phase_changes(run)
    ratio = np.abs(run.forces[:, :, 0].sum(axis=1)) / run.forces[:, :, 2].sum(axis=1)
    assert ratio[run.time < begin].max() == pytest.approx(LAW.static_friction, abs=0.01)
    assert ratio.max() < LAW.static_friction + 0.01
    sliding = ratio[(run.time > begin + LAW.breakaway_time + 1e-3) & (run.time < end - 1e-3)]
    assert len(sliding) > 100
    assert sliding.min() >= 0.40 and sliding.max() <= 0.45
    assert sliding.max() > 0.401  # viscous part


def test_the_force_is_continuous_in_time():
    """A jump would not shrink with the time step. In the long run the puller swings, and slides end within a blend."""
    jumps = []
    for time_step in (4e-4, 1e-4):
        run = pulled_foot(time_step, duration=1.5)
        assert np.count_nonzero(np.diff(run.modes[:, 0]) > 0) >= 3
        jumps.append(np.abs(np.diff(run.forces.sum(axis=1), axis=0)).max())
    assert jumps[1] < 0.3 * jumps[0]
    assert jumps[1] < 4.0 * NORMAL * LAW.static_friction / LAW.breakaway_time * 1e-4


def test_the_normal_law_of_a_landing_point():
    """Force over depth and speed as in equation 16, and never a pull."""
    exponents = {"damping_exponent": 1.0, "normal_damping": 3e4}
    sim = simulator(foot_block(), "distributed", 1e-5, **exponents)
    sim.reset([0.0, 0.0, 1e-4], [0.0, 0.0, -0.5])
    run = sim.run(0.1)
    depth, speed = -run.q[:, 2], run.v[:, 2]
    middle, mean = 0.5 * (depth[1:] + depth[:-1]), 0.5 * (speed[1:] + speed[:-1])
    deep = np.flatnonzero(middle > 1e-4)
    law = LAW.normal_stiffness * middle[deep] ** 1.2 - 3e4 * middle[deep] * mean[deep]
    assert run.forces[1:, 0, 2][deep] == pytest.approx(np.maximum(law, 0.0), rel=1e-4, abs=1e-3)
    assert run.forces.min() >= 0.0


def leaning_biped(time_step, height, free_joints):
    """Return the biped, held but for its first joints, leaning: its centre of mass is above the middle of its soles."""
    sim = simulator("biped_planar", "distributed", time_step)
    robot = sim.robot
    stiffness, damping = np.full(robot.joint_count, 20000.0), np.full(robot.joint_count, 400.0)
    stiffness[:free_joints] = damping[:free_joints] = 0.0
    lean = {"root_z": 0.9252 + height, "root_pitch": 0.07, "left_ankle": -0.07, "right_ankle": -0.07}
    q = robot.home.copy()
    for name, value in lean.items():
        q[robot.position_indices[robot.joint_names.index(name)]] = value
    sim.hold(stiffness, damping, q[robot.position_indices])
    sim.reset(q)
    return sim


def dropped_biped(time_step, duration):
    """Drop the biped from 0.3 m."""
    return leaning_biped(time_step, 0.3, 3).run(duration)


def test_a_sliding_foot_that_pitches_goes_on_sliding():
    """Points that lose their load inside the ground keep their mode: they do not start again as sticking."""
    sim = leaning_biped(5e-4, 0.0, 2)
    sim.run(0.5)
    begin, efforts = sim.time, np.zeros(sim.robot.joint_count)

    def pull(time, q, v):
        efforts[sim.robot.joint_names.index("root_x")] = 3300.0 * (time - begin)
        return efforts

    run = sim.run(0.28, pull)
    force, sliding = run.forces.sum(axis=1), (run.modes == 2).any(axis=1)
    relieved = (run.modes == 2) & (run.forces[:, :, 2] == 0.0)
    assert np.count_nonzero(relieved.any(axis=1)) > 20  # the foot pitches, and points lose their load
    slides = run.time > run.time[np.argmax(sliding)] + LAW.breakaway_time + 1e-3
    ratio = np.abs(force[:, 0]) / force[:, 2]
    assert np.count_nonzero(slides) > 100
    assert ratio[slides].min() >= 0.40 and ratio[slides].max() <= 0.45
    assert np.abs(np.diff(force[slides], axis=0)).max() < 10.0


def test_a_point_that_lands_on_a_sliding_foot_slides():
    """Three corners slide; the fourth is a little higher, comes down as the load grows, and slides at once."""
    corners = {f"corner_{k}": {"link": "foot", "offset": [0.1 * (k % 2), 0.05 * (k // 2), 0.0]} for k in range(3)}
    deep = (4.0 / 3.0) ** (1.0 / LAW.normal_exponent) * DEPTH  # three bear the weight of four
    corners["late"] = {"link": "foot", "offset": [0.1, 0.05, deep + 1e-3]}
    sim = simulator(foot_block(corners), "distributed", 1e-4)
    sim.reset([0.0, 0.0, -deep])
    efforts = np.array([0.0, 0.0, 0.0])

    def press(time, q, v):
        efforts[0], efforts[2] = 2.0 * NORMAL, -20.0 * NORMAL * max(0.0, time - 0.1)
        return efforts

    run = sim.run(0.3, press)
    landing = int(np.argmax(run.modes[:, 3] > 0))
    assert run.time[landing] > 0.1 and (run.modes[landing - 1, :3] == 2).all()
    assert (run.modes[landing:, 3] == 2).all()
    slides = run.time > run.time[landing] - 0.01
    ratio = np.abs(run.forces.sum(axis=1)[slides, 0]) / run.forces.sum(axis=1)[slides, 2]
    assert ratio.min() >= 0.40 and ratio.max() <= 0.45


def test_a_dropped_biped_ends_with_its_weight():
    run = dropped_biped(5e-4, 3.0)
    weight = run.robot.total_mass * GRAVITY
    total = run.forces[:, :, 2].sum(axis=1)
    assert total.max() > 3.0 * weight
    assert total[-1] == pytest.approx(weight, rel=1e-3)
    assert (run.forces[:, :, 2] >= 0.0).all()
    soles = [k for k, name in enumerate(run.robot.contact_names) if "sole" in name]
    assert (run.gaps[-1, soles] < 0.0).all()
    feet = [foot_wrench(run, link) for link in ("left_foot", "right_foot")]
    assert sum(foot.force[-1, 2] for foot in feet) == pytest.approx(total[-1])
    for foot in feet:
        assert np.isnan(foot.center[0]).all()  # in the air
        assert -0.0665 < foot.center[-1, 0] - run.q[-1, 0] < 0.1995 + 0.1  # on the sole, a little ahead of the hips
        assert foot.moment[-1, :2] == pytest.approx(0.0, abs=1e-3 * weight)
    center = sum(foot.force[-1, 2] * foot.center[-1, 0] for foot in feet) / total[-1]
    assert center == pytest.approx(center_of_mass(run.robot, run.q[-1])[0], abs=1e-3)  # at rest
    assert run.solver[-1, 2] == 0.0


def test_energy_audit_closes_with_the_square_of_the_time_step():
    coarse, fine = dropped_biped(5e-4, 0.5), dropped_biped(1.25e-4, 0.5)
    exchanged = np.abs(fine.works).max()
    assert exchanged > 100.0
    assert np.abs(coarse.remainder).max() < 1e-3 * exchanged
    assert np.abs(fine.remainder).max() < np.abs(coarse.remainder).max() / 6.0


def test_friction_of_the_ground_is_that_of_sliding_and_keeps_the_ratio_of_the_study():
    law = simulator(foot_block(), "distributed", friction=0.6).model.parameters
    assert (law.friction, law.static_friction) == pytest.approx((0.6, 0.6 * 0.7 / 0.4), rel=1e-15)
