"""Bad arguments end in an error of the package that names the culprit."""

import math

import numpy as np
import pytest
from dynamics_oracle import robot_named, with_links

import legged_contact_sim.dynamics as dyn
from legged_contact_sim import ModelError, ParameterError

ROBOT = robot_named("quadruped12")
Q, V = ROBOT.home, np.zeros(ROBOT.nv)
A, FOOT = V, ROBOT.link_names[3]

CALLS = {
    "forward_dynamics": lambda q, v: dyn.forward_dynamics(ROBOT, q, v),
    "inverse_dynamics": lambda q, v: dyn.inverse_dynamics(ROBOT, q, v, A),
    "mass_matrix": lambda q, v: dyn.mass_matrix(ROBOT, q),
    "forward_kinematics": lambda q, v: dyn.forward_kinematics(ROBOT, q),
    "point_jacobian": lambda q, v: dyn.point_jacobian(ROBOT, q, FOOT),
    "link_jacobian": lambda q, v: dyn.link_jacobian(ROBOT, q, FOOT),
    "point_bias_acceleration": lambda q, v: dyn.point_bias_acceleration(ROBOT, q, v, FOOT),
    "inverse_contact_inertia": lambda q, v: dyn.inverse_contact_inertia(ROBOT, q),
    "contact_response": lambda q, v: dyn.contact_response(ROBOT, q),
    "center_of_mass": lambda q, v: dyn.center_of_mass(ROBOT, q),
    "centroidal_momentum": lambda q, v: dyn.centroidal_momentum(ROBOT, q, v),
    "kinetic_energy": lambda q, v: dyn.kinetic_energy(ROBOT, q, v),
    "potential_energy": lambda q, v: dyn.potential_energy(ROBOT, q),
    "spring_energy": lambda q, v: dyn.spring_energy(ROBOT, q),
    "integrate": lambda q, v: dyn.integrate(ROBOT, q, v, 1e-3),
}
WITH_RATES = (
    "forward_dynamics",
    "inverse_dynamics",
    "point_bias_acceleration",
    "centroidal_momentum",
    "kinetic_energy",
    "integrate",
)


def with_number(vector, k, number):
    changed = np.array(vector)
    changed[k] = number
    return changed


BAD = {
    "too short": lambda x: x[:-1],
    "too long": lambda x: np.append(x, 0.0),
    "a table": lambda x: x[None, :],
    "a column": lambda x: x[:, None],
    "nothing": lambda x: [],
    "one number": lambda x: np.array(1.0),
    "None": lambda x: None,
    "text": lambda x: "standing",
    "ragged": lambda x: [[1.0, 2.0], [3.0]],
    "not real": lambda x: x + 1j,
    "NaN": lambda x: with_number(x, -1, math.nan),
    "NaN first": lambda x: with_number(x, 0, math.nan),
    "infinite": lambda x: with_number(x, 2, -math.inf),
}
bad = pytest.mark.parametrize("spoil", BAD.values(), ids=BAD)


def test_every_public_function_is_tried():
    assert set(CALLS) == set(dyn.__all__) - {"INTEGRATORS", "Poses"}


@bad
@pytest.mark.parametrize("name", CALLS)
def test_bad_coordinates(name, spoil):
    with pytest.raises(ParameterError, match="^q:"):
        CALLS[name](spoil(Q), V)


@bad
@pytest.mark.parametrize("name", WITH_RATES)
def test_bad_rates(name, spoil):
    with pytest.raises(ParameterError, match="^v:"):
        CALLS[name](Q, spoil(V))


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("name", CALLS)
def test_a_quaternion_that_is_none(name):
    for length in (0.0, 1e-12, 10.0, 1e200):
        q = Q.copy()
        q[3:7] *= length
        with pytest.raises(ParameterError, match="^q: the quaternion"):
            CALLS[name](q, V)


@bad
@pytest.mark.parametrize("count", [ROBOT.nv, ROBOT.joint_count])
def test_bad_efforts(spoil, count):
    effort = spoil(np.ones(count))
    if effort is None:
        return  # zero effort
    with pytest.raises(ParameterError, match="^effort:"):
        dyn.forward_dynamics(ROBOT, Q, V, effort)
    with pytest.raises(ParameterError, match="^effort:"):
        dyn.integrate(ROBOT, Q, V, 1e-3, effort=effort)


@bad
def test_bad_accelerations(spoil):
    with pytest.raises(ParameterError, match="^acceleration:"):
        dyn.inverse_dynamics(ROBOT, Q, V, spoil(A))


FORCES = np.ones((len(ROBOT.links), 6))
BAD_FORCES = {
    "too few": FORCES[:-1],
    "too many": np.ones((len(FORCES) + 1, 6)),
    "transposed": FORCES.T,
    "flat": FORCES.ravel(),
    "text": "hard",
    "ragged": [[1.0, 2.0], [3.0]],
    "NaN": with_number(FORCES, (2, 3), math.nan),
    "infinite": with_number(FORCES, (2, 3), math.inf),
}


@pytest.mark.parametrize("forces", BAD_FORCES.values(), ids=BAD_FORCES)
def test_bad_external_forces(forces):
    for call in (
        lambda: dyn.forward_dynamics(ROBOT, Q, V, None, forces),
        lambda: dyn.inverse_dynamics(ROBOT, Q, V, A, forces),
        lambda: dyn.integrate(ROBOT, Q, V, 1e-3, external_forces=forces),
    ):
        with pytest.raises(ParameterError, match="^external_forces:"):
            call()


def with_link(link, point=(0.0, 0.0, 0.0)):
    yield lambda: dyn.point_jacobian(ROBOT, Q, link, point)
    yield lambda: dyn.link_jacobian(ROBOT, Q, link, point)
    yield lambda: dyn.point_bias_acceleration(ROBOT, Q, V, link, point)


def test_unknown_link():
    for call in with_link("lf_foooot"):
        with pytest.raises(ModelError, match="'quadruped12' has no link 'lf_foooot'"):
            call()


@pytest.mark.parametrize("link", [-1, len(ROBOT.links), 10**9, 1.5, None])
def test_link_index_out_of_range(link):
    for call in with_link(link):
        with pytest.raises(ParameterError, match="^link: expected .*found"):
            call()


@bad
def test_bad_point(spoil):
    for call in with_link(FOOT, spoil(np.ones(3))):
        with pytest.raises(ParameterError, match="^point:"):
            call()


def test_a_link_of_the_fixed_world_does_not_move():
    robot = robot_named("double_pendulum")
    assert not dyn.link_jacobian(robot, robot.home, "world").any()
    assert not dyn.point_bias_acceleration(robot, robot.home, [1.0, 2.0], "world", [1.0, 2.0, 3.0]).any()
    with pytest.raises(ParameterError, match="^q:"):
        dyn.link_jacobian(robot, Q, "world")
    with pytest.raises(ParameterError, match="^v:"):
        dyn.point_bias_acceleration(robot, robot.home, V, "world")


def test_a_link_is_known_by_name_and_by_number():
    number = ROBOT.link_index(FOOT)
    by_name = dyn.link_jacobian(ROBOT, Q, FOOT, [0.1, 0.2, 0.3])
    assert np.array_equal(dyn.link_jacobian(ROBOT, Q, number, [0.1, 0.2, 0.3]), by_name)
    assert np.array_equal(dyn.link_jacobian(ROBOT, Q, np.int64(number), [0.1, 0.2, 0.3]), by_name)


def test_unknown_contact_point():
    for function in (dyn.inverse_contact_inertia, dyn.contact_response):
        with pytest.raises(ParameterError, match="^points: no contact point named 'toe'"):
            function(ROBOT, Q, [ROBOT.contact_names[0], "toe"])


@pytest.mark.parametrize("points", [ROBOT.contact_names[0], iter(ROBOT.contact_names), 3])
def test_contact_points_that_are_no_list(points):
    for function in (dyn.inverse_contact_inertia, dyn.contact_response):
        with pytest.raises(ParameterError, match="^points: expected a list of names, found"):
            function(ROBOT, Q, points)


@pytest.mark.parametrize("method", ["euler", ["rk4"], None])
def test_unknown_method(method):
    with pytest.raises(ParameterError, match="^method: expected one of .*rk4.* found"):
        dyn.integrate(ROBOT, Q, V, 1.0, method=method)


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, -math.inf, "long", None])
def test_bad_numbers_of_integrate(value):
    with pytest.raises(ParameterError, match="^duration:"):
        dyn.integrate(ROBOT, Q, V, value)
    with pytest.raises(ParameterError, match="^time_step:"):
        dyn.integrate(ROBOT, Q, V, 1.0, value)
    for name in ("absolute_tolerance", "relative_tolerance"):
        with pytest.raises(ParameterError, match=f"^{name}:"):
            dyn.integrate(ROBOT, Q, V, 1.0, method="dormand_prince", **{name: value})


def test_a_step_of_no_length():
    with pytest.raises(ParameterError, match="^time_step:"):
        dyn.integrate(ROBOT, Q, V, 1.0, 0.0)


@pytest.mark.parametrize("method", dyn.INTEGRATORS)
@pytest.mark.parametrize(("duration", "time_step"), [(1e300, 1e-300), (1e300, 1e-3), (1e9, 1e-9)])
def test_more_steps_than_can_be_taken(method, duration, time_step):
    with pytest.raises(ParameterError, match="^time_step: .* steps of"):
        dyn.integrate(ROBOT, Q, V, duration, time_step, method)


def test_a_joint_too_stiff_to_be_followed_is_told_and_does_not_hang():
    robot = with_links(robot_named("friction_block"), damping=1e11)
    with pytest.raises(ParameterError, match="could not be followed.* too stiff"):
        dyn.integrate(robot, [0.0], [1.0], 1.0, method="dormand_prince")


@pytest.mark.parametrize("method", dyn.INTEGRATORS)
def test_a_motion_out_of_bounds_is_told_and_not_returned(method):
    with pytest.raises(ParameterError, match="could not be followed"):
        dyn.integrate(ROBOT, Q, V + 1.0, 10.0, 0.1, method, effort=np.full(ROBOT.joint_count, 1e200))
