"""Spatial algebra and the configuration manifold, called as plain Python, against numpy, math and scipy."""

import math

import numba
import numpy as np
import pytest
from dynamics_oracle import assert_close, random_state, robot_named
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from legged_contact_sim.dynamics import manifold
from legged_contact_sim.dynamics import record_fields as fields
from legged_contact_sim.dynamics import spatial as sp
from legged_contact_sim.jit.compilation import MATHS

number = st.floats(-3.0, 3.0, allow_subnormal=False)
vectors = st.tuples(number, number, number)
spatials = st.builds(sp.Spatial, vectors, vectors)
rotations = st.tuples(*[number] * 4).filter(lambda x: np.linalg.norm(x) > 0.1).map(Rotation.from_quat)
examples = settings(max_examples=50, deadline=None)


def full(symmetric):
    """Return a symmetric matrix (3, 3)."""
    matrix = np.zeros((3, 3))
    matrix[np.triu_indices(3)] = symmetric
    return matrix + np.triu(matrix, 1).T


def dense(inertia):
    """Return an inertia as (6, 6)."""
    coupling = np.reshape(inertia.coupling, (3, 3))
    return np.block([[full(inertia.rotational), coupling], [coupling.T, full(inertia.linear)]])


def flat(spatial):
    return np.concatenate([spatial.angular, spatial.linear])


@st.composite
def inertias(draw):
    """Draw a rigid body's inertia, or one that a free joint has weakened (an articulated inertia)."""
    sides = np.square([draw(st.floats(0.1, 2.0)) for _ in range(3)])
    mass, turn = draw(st.floats(0.1, 10.0)), draw(rotations).as_matrix()
    about_com = turn @ np.diag(mass / 12.0 * (sides.sum() - sides)) @ turn.T
    inertia = sp.rigid_inertia(mass, draw(vectors), tuple(about_com[np.triu_indices(3)]))
    if draw(st.booleans()):
        push = sp.apply(inertia, draw(spatials))
        motion = np.linalg.solve(dense(inertia), flat(push))
        inertia = sp.remove_rank_one(inertia, push, 1.0 / (1.0 + motion @ flat(push)))
    return inertia


@examples
@given(inertias(), spatials)
def test_apply_is_the_product_and_solve_undoes_it(inertia, motion):
    matrix = dense(inertia)
    force = sp.apply(inertia, motion)
    assert_close(flat(force), matrix @ flat(motion), 1e-14, np.abs(matrix).max())
    tolerance = 1e-14 * np.linalg.cond(matrix)
    assert_close(flat(sp.solve(inertia, force)), flat(motion), tolerance, scale=1.0)
    again = sp.apply(inertia, sp.solve(inertia, motion))
    assert_close(flat(again), flat(motion), tolerance, scale=1.0)


@examples
@given(inertias(), spatials, number)
def test_remove_rank_one(inertia, force, k):
    expected = dense(inertia) - k * np.outer(flat(force), flat(force))
    assert_close(dense(sp.remove_rank_one(inertia, force, k)), expected, 1e-14, scale=1.0)


@examples
@given(st.floats(0.1, 10.0), vectors, vectors, vectors)
def test_rigid_inertia_is_the_sum_over_its_points(mass, com, arm, motion):
    """Two points of half the mass each, and the kinetic energy of a random motion of both."""
    about_com = mass * (np.dot(arm, arm) * np.eye(3) - np.outer(arm, arm))
    inertia = sp.rigid_inertia(mass, com, tuple(about_com[np.triu_indices(3)]))
    twist = sp.Spatial(motion, arm)
    velocities = [sp.velocity_at(twist, np.add(com, sign * np.array(arm))) for sign in (1, -1)]
    twice = sum(0.5 * mass * np.dot(v, v) for v in velocities)
    assert_close(sp.dot(twist, sp.apply(inertia, twist)), twice, 1e-12, scale=1.0)


@examples
@given(inertias(), rotations, spatials)
def test_an_inertia_turned_gives_the_turned_force(inertia, rotation, motion):
    R = tuple(rotation.as_matrix().ravel())
    coupling = sp.product(sp.product(R, inertia.coupling), tuple(rotation.inv().as_matrix().ravel()))
    turned = sp.Inertia(sp.congruence(R, inertia.rotational), coupling, sp.congruence(R, inertia.linear))
    found = sp.apply(turned, sp.Spatial(sp.rotate(R, motion.angular), sp.rotate(R, motion.linear)))
    expected = sp.apply(inertia, motion)
    scale = np.abs(dense(inertia)).max()
    assert_close(sp.rotate_back(R, found.angular), expected.angular, 1e-13, scale)
    assert_close(sp.rotate_back(R, found.linear), expected.linear, 1e-13, scale)


@examples
@given(spatials, spatials, spatials, vectors)
def test_cross_products_and_points(a, b, force, point):
    jacobi = flat(sp.cross_motion(a, b)) + flat(sp.cross_motion(b, a))
    assert_close(jacobi, np.zeros(6), 1e-13)
    carried = sp.cross_motion(a, b)
    assert_close(carried.angular, np.cross(a.angular, b.angular), 1e-14)
    assert_close(carried.linear, np.cross(a.angular, b.linear) + np.cross(a.linear, b.angular), 1e-14)
    # A twist built at a point has that velocity there, and the power of a wrench there is force times velocity.
    twist, wrench = sp.twist_at(point, a.linear, a.angular), sp.wrench_at(point, force.linear, force.angular)
    assert_close(sp.velocity_at(twist, point), a.linear, 1e-13, scale=10.0)
    assert_close(sp.dot(twist, wrench), sp.dot(a, force), 1e-13, scale=100.0)
    assert sp.force_at(point, force.linear) == sp.wrench_at(point, force.linear, sp.ZERO)


@examples
@given(rotations, rotations, vectors, st.tuples(*[number] * 6))
def test_small_matrices(a, b, x, symmetric):
    A, B = a.as_matrix(), b.as_matrix()
    assert_close(np.reshape(sp.product(tuple(A.ravel()), tuple(B.ravel())), (3, 3)), A @ B, 1e-15, scale=1.0)
    assert_close(sp.rotate(A.ravel(), x), A @ x, 1e-14)
    assert_close(sp.rotate_back(A.ravel(), x), A.T @ x, 1e-14)
    assert_close(sp.stretch(symmetric, x), full(symmetric) @ x, 1e-14)
    assert_close(full(sp.congruence(tuple(A.ravel()), symmetric)), A @ full(symmetric) @ A.T, 1e-14)
    assert_close(np.reshape(sp.quaternion_matrix(*a.as_quat()), (3, 3)), A, 1e-14)
    positive = full(symmetric) @ full(symmetric) + np.eye(3)
    inverse = full(sp.sym_inverse(tuple(positive[np.triu_indices(3)])))
    assert_close(inverse @ positive, np.eye(3), 1e-14 * np.linalg.cond(positive))


def angles():
    spread = np.random.default_rng(0).uniform(-1e4, 1e4, 20000)
    near = (np.arange(-6000, 6000, 7)[:, None] * (math.pi / 4.0) + [0.0, 1e-9, -1e-9]).ravel()
    return np.concatenate([spread, near, np.linspace(-10.0, 10.0, 2001), [0.0, -0.0, 1e4, -1e4]])


@numba.njit(**MATHS)
def tabulate(angles, out):
    for k in range(len(angles)):
        out[k, 0], out[k, 1] = sp.sincos(angles[k])


@pytest.mark.parametrize("way", [tabulate.py_func, tabulate], ids=["plain", "compiled"])
def test_sincos_to_the_last_digit(way):
    table, out = angles(), np.empty((len(angles()), 2))
    way(table, out)
    exact = np.array([[math.sin(x), math.cos(x)] for x in table])
    assert np.abs(out - exact).max() <= 2.3e-16


@pytest.mark.parametrize("angle", [0.0, 0.3, -2.0, 100.0, 1e4])
def test_turn_is_a_rotation_about_the_axis(angle):
    random = np.random.default_rng(1)
    for _ in range(10):
        home, axis = Rotation.random(random_state=random).as_matrix(), random.normal(size=3)
        axis /= np.linalg.norm(axis)
        cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
        parts = home, home @ cross, home @ cross @ cross
        found = np.reshape(sp.turn(*(tuple(part.ravel()) for part in parts), *sp.sincos(angle)), (3, 3))
        assert_close(found, home @ Rotation.from_rotvec(math.remainder(angle, math.tau) * axis).as_matrix(), 1e-11)
        assert_close(found @ found.T, np.eye(3), 1e-14)
        assert np.linalg.det(found) == pytest.approx(1.0, abs=1e-14)


def test_records_are_read_and_written_alike():
    numbers = np.arange(1.0, 22.0)
    copy = np.zeros(21)
    fields.put_inertia(copy, fields.inertia(numbers))
    assert np.array_equal(copy, numbers)
    fields.increase_inertia(copy, fields.inertia(numbers))
    assert np.array_equal(copy, 2.0 * numbers)
    fields.put_spatial(copy, fields.spatial(numbers))
    fields.increase_spatial(copy, fields.spatial(numbers))
    assert np.array_equal(copy[:6], 2.0 * numbers[:6])
    fields.put_matrix(copy, fields.matrix(numbers))
    assert np.array_equal(copy[:9], numbers[:9])
    fields.put_vector_at(copy, 4, fields.vector_at(numbers, 10))
    assert np.array_equal(copy[4:7], numbers[10:13])
    assert fields.symmetric(numbers) == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)


@examples
@given(vectors, st.sampled_from([1.0, 1e-3, 1e-4, 1e-5, 1e-9, 0.0, 30.0]))
def test_rotation_quaternion_is_scipys(vector, scale):
    vector = scale * np.array(vector)
    found = np.array(manifold.rotation_quaternion(*vector))
    expected = Rotation.from_rotvec(vector).as_quat()
    assert_close(found * np.sign(found @ expected), expected, 1e-14)


@examples
@given(rotations, rotations)
def test_quaternion_product_is_scipys(a, b):
    found = np.array(manifold.quaternion_product(a.as_quat(), b.as_quat()))
    expected = (a * b).as_quat()
    assert_close(found * np.sign(found @ expected), expected, 1e-14)


@pytest.mark.parametrize("name", ["quadruped12", "bicycle"])
@pytest.mark.parametrize("duration", [0.3, 1e-6, -0.2])
def test_move_is_scipys_rotation_and_addition(name, duration):
    robot = robot_named(name)
    q, v, *_ = random_state(robot, 0)
    expected = q.copy()
    expected[robot.position_indices] += duration * v[robot.velocity_indices]
    if robot.base == "floating":
        expected[:3] += duration * v[:3]
        turned = (Rotation.from_rotvec(duration * v[3:6]) * Rotation.from_quat(q[3:7])).as_quat()
        expected[3:7] = turned * np.sign(turned @ q[3:7])
    links = robot.links.view(np.recarray)
    found = np.empty(robot.nq)
    manifold.move(links, q, v, duration, found)
    assert_close(found, expected, 1e-14)
    manifold.move(links, q, v, duration, q)  # in place
    assert np.array_equal(q, found)


def test_coordinate_rates_are_the_slope_of_move():
    robot = robot_named("quadruped12")
    links = robot.links.view(np.recarray)
    q, v, *_ = random_state(robot, 1)
    ahead, behind, rates = np.empty((3, robot.nq))
    manifold.move(links, q, v, 1e-5, ahead)
    manifold.move(links, q, v, -1e-5, behind)
    manifold.coordinate_rates(links, q, v, rates)
    assert_close(rates, (ahead - behind) / 2e-5, 1e-8)


def test_normalize_keeps_the_direction():
    robot = robot_named("quadruped12")
    q, *_ = random_state(robot, 2)
    longer = q.copy()
    longer[3:7] *= 1.7
    manifold.normalize(robot.links.view(np.recarray), longer)
    assert_close(longer, q, 1e-15)
