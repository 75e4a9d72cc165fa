"""Inverse dynamics with feet on the ground: the equations of motion hold, forces stay in their pyramids."""

import numpy as np
import pytest
from control_cases import GRAVITY, robot_named
from hypothesis import given, settings
from hypothesis import strategies as st

from legged_contact_sim.control import BaseState, Observation
from legged_contact_sim.control.whole_body import WholeBody, attitude_error, heading, turned
from legged_contact_sim.dynamics import inverse_dynamics, point_bias_acceleration, point_jacobian
from legged_contact_sim.dynamics.limbs import STEEPEST

ALL = np.ones(4, dtype=bool)
DIAGONAL = np.array([True, False, False, True])
WEIGHTS = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
names = pytest.mark.parametrize("name", ["quadruped12", "quadruped16"])


def moving(robot, seed):
    """Return what sensors tell of a robot near its home pose, in motion."""
    rng = np.random.default_rng(seed)
    quaternion = np.append(0.1 * rng.normal(size=3), 1.0)
    base = BaseState(
        rng.normal(size=3), quaternion / np.linalg.norm(quaternion), rng.normal(size=3), 0.5 * rng.normal(size=3)
    )
    home = robot.home[robot.position_indices]
    return Observation(0.0, home + 0.1 * rng.normal(size=len(home)), rng.normal(size=len(home)), base)


@names
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 1000))
def test_efforts_and_forces_together_cause_the_wanted_accelerations(name, seed):
    robot = robot_named(name)
    body, rng = WholeBody(robot, 5.0), np.random.default_rng(seed)
    body.effort_limit = np.full(robot.joint_count, np.inf)
    motion = body.observe(moving(robot, seed))
    trunk, feet = 0.5 * rng.normal(size=6) + (0.0, 0.0, 3.0, 0.0, 0.0, 0.0), 0.5 * rng.normal(size=(4, 3))
    effort, forces = body.effort(motion, trunk, feet, ALL, WEIGHTS)
    wanted = body.accelerations(motion, trunk, feet, (50.0, 10.0))
    rest = inverse_dynamics(robot, motion.q, motion.v, wanted)
    rest[robot.velocity_indices] -= effort
    for J, force in zip(motion.jacobians, forces, strict=True):
        rest -= force @ J
    assert rest[robot.velocity_indices] == pytest.approx(np.zeros(robot.joint_count), abs=1e-9)
    assert rest[:6] == pytest.approx(np.zeros(6), abs=2e-3 * robot.total_mass * GRAVITY)  # forces are regularised
    reached = np.array([J @ wanted + bias for J, bias in zip(motion.jacobians, motion.biases, strict=True)])
    assert reached == pytest.approx(feet, abs=1e-3)


@pytest.mark.parametrize("knee", [0.0, 1e-4, -0.01, 0.05])
def test_a_straight_leg_is_asked_for_bounded_accelerations(knee):
    """A foot out of reach stretches its leg; the accelerations that move it then must not tear the robot apart."""
    robot = robot_named("quadruped12")
    body, positions = WholeBody(robot, 0.5), robot.home[robot.position_indices].copy()
    leg = body.legs[0]
    straight = min(np.linspace(-1.5, 1.5, 3001), key=lambda angle: -np.linalg.norm(leg.foot(np.array([0, 0, angle]))))
    positions[leg.joints] = 0.0, 0.0, straight + knee
    base = BaseState(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3))
    motion = body.observe(Observation(0.0, positions, np.zeros(robot.joint_count), base))
    feet = np.zeros((4, 3))
    feet[0] = 3.0, 0.0, -40.0
    asked = body.accelerations(motion, np.zeros(6), feet, (0.0, 0.0))[robot.velocity_indices][leg.joints]
    length = np.linalg.norm(leg.offsets[1:], axis=1).sum()
    assert np.abs(asked).max() <= STEEPEST * np.linalg.norm(feet[0]) / length * (1.0 + 1e-9)


@names
def test_motion_is_that_of_the_public_functions(name):
    robot = robot_named(name)
    body = WholeBody(robot, 0.5)
    motion = body.observe(moving(robot, 3))
    for k, leg in enumerate(body.legs):
        offset = robot.contact_points["position"][leg.point]
        assert motion.jacobians[k] == pytest.approx(point_jacobian(robot, motion.q, leg.link, offset), abs=1e-12)
        bias = point_bias_acceleration(robot, motion.q, motion.v, leg.link, offset)
        assert motion.biases[k] == pytest.approx(bias, abs=1e-9)


@names
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 1000), diagonal=st.booleans())
def test_forces_stay_in_the_friction_pyramid_whatever_is_asked(name, seed, diagonal):
    robot = robot_named(name)
    body, rng = WholeBody(robot, 0.4, smallest_force=3.0), np.random.default_rng(seed)
    motion = body.observe(moving(robot, seed))
    stance = DIAGONAL if diagonal else ALL
    forces = body.distribute(motion, 1e3 * rng.normal(size=6), stance, WEIGHTS)
    assert (np.abs(forces[stance, :2]).sum(axis=1) <= 0.4 * forces[stance, 2] + 1e-9).all()
    assert (forces[stance, 2] >= 3.0 - 1e-9).all()
    assert (forces[~stance] == 0.0).all()


@settings(deadline=None)
@given(axis=st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)), yaw=st.floats(-3.0, 3.0))
def test_the_attitude_error_turns_one_rotation_into_the_other(axis, yaw):
    from scipy.spatial.transform import Rotation

    start, turn = turned(yaw), Rotation.from_rotvec(axis)
    assert attitude_error(start, turn.as_matrix() @ start) == pytest.approx(np.array(axis), abs=1e-6)
    assert heading(start) == pytest.approx(yaw, abs=1e-9)
