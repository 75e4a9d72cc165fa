"""The kernels as compiled: one signature each, no allocation, and the same numbers as the Python they are made of."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import pytest
from dynamics_oracle import assert_close, random_state, robot_named

import legged_contact_sim.dynamics as dyn
from legged_contact_sim.dynamics import articulated_body, composite_body, energy, newton_euler
from legged_contact_sim.dynamics.workspace import workspace
from legged_contact_sim.jit import compilation

ROOT = Path(__file__).resolve().parents[2]

# In a process of its own: other tests, too, may call entries, with arrays of other kinds.
SURVEY = """
import json, numpy as np
import legged_contact_sim.dynamics as dyn
from legged_contact_sim.jit import compilation
from legged_contact_sim import RobotModel
from legged_contact_sim.jit import compilation

def survey(robot):
    q, v, forces = robot.home, np.zeros(robot.nv), np.zeros((len(robot.links), 6))
    efforts = None, [0.0] * robot.joint_count, np.zeros(robot.nv)
    for effort in efforts:
        for pushed in (None, forces, forces.tolist(), np.asfortranarray(forces)):
            dyn.forward_dynamics(robot, q, v, effort, pushed)
            dyn.inverse_dynamics(robot, list(q), v, v, pushed)
            for method in dyn.INTEGRATORS:
                dyn.integrate(robot, q, v, 1e-3, 5e-4, method, effort, pushed)
                dyn.integrate(robot, q, v, 1, 1, method)
    read_only = np.zeros(3)
    read_only.setflags(write=False)
    for q in (robot.home, robot.home.copy(), robot.home.tolist(), np.repeat(robot.home, 2)[::2]):
        dyn.mass_matrix(robot, q), dyn.forward_kinematics(robot, q), dyn.center_of_mass(robot, q)
        dyn.centroidal_momentum(robot, q, v), dyn.kinetic_energy(robot, q, v), dyn.potential_energy(robot, q)
        dyn.spring_energy(robot, q)
        for link in (robot.link_names[-1], 0, np.int32(1)):
            for point in ((0, 0, 1), read_only):
                dyn.point_jacobian(robot, q, link, point), dyn.link_jacobian(robot, q, link, point)
                dyn.point_bias_acceleration(robot, q, v, link, point)
        for points in (None, robot.contact_names[:1], list(robot.contact_names), []):
            dyn.inverse_contact_inertia(robot, q, points), dyn.contact_response(robot, q, points)

for name in ("quadruped12", "double_pendulum"):
    survey(RobotModel.from_urdf(name))
signatures = {entry.py_func.__name__: len(entry.signatures) for entry in compilation.entries if entry.signatures}
print(json.dumps({"signatures": signatures}))
"""


@pytest.fixture(scope="module")
def survey():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", SURVEY], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_entry_is_compiled_for_one_kind_of_arguments(survey):
    assert len(survey["signatures"]) >= 10
    assert set(survey["signatures"].values()) == {1}, survey["signatures"]


def test_a_kernel_that_allocates_does_not_compile():
    @compilation.compiled
    def allocates(n):
        return np.zeros(n)

    @compilation.compiled
    def copies(a, b):
        a[:] = b

    with pytest.raises(numba.core.errors.NumbaError):
        allocates(3)
    with pytest.raises(numba.core.errors.NumbaError):
        copies(np.zeros(3), np.ones(3))


def records(robot):
    """Return links and workspace as arrays whose records plain Python can read by attribute."""
    return robot.links.view(np.recarray), workspace(robot).view(np.recarray)


@pytest.mark.parametrize("name", ["jumping_leg", "friction_block_ground"])
def test_uncompiled_kernels_give_the_same_numbers(name):
    robot = robot_named(name)
    q, v, acceleration, random = random_state(robot, 0)
    effort, forces = random.normal(size=robot.nv), random.normal(size=(len(robot.links), 6))
    added = robot.rotor_inertias
    state = np.concatenate([q, v, effort, added, np.zeros(3 * robot.nv)])
    articulated_body.forward_dynamics_entry.py_func(*records(robot), state, forces)
    assert_close(state[-robot.nv :], dyn.forward_dynamics(robot, q, v, effort, forces), 1e-12)
    found = np.zeros(robot.nv)
    newton_euler.inverse_dynamics_entry.py_func(
        *records(robot), q, v, acceleration, forces, np.zeros((3, robot.nv)), found
    )
    assert_close(found, dyn.inverse_dynamics(robot, q, v, acceleration, forces), 1e-12)
    mass = np.zeros((robot.nv, robot.nv))
    composite_body.mass_matrix_entry.py_func(*records(robot), q, np.zeros(robot.nv), mass)
    assert_close(mass, dyn.mass_matrix(robot, q), 1e-12)
    energies = np.zeros(3)
    energy.energy_entry.py_func(*records(robot), q, v, np.zeros(robot.nv), energies)
    expected = dyn.kinetic_energy(robot, q, v), dyn.potential_energy(robot, q), dyn.spring_energy(robot, q)
    assert_close(energies, expected, 1e-12)


def test_a_second_call_in_the_same_workspace_gives_the_same():
    """Nothing that a call leaves behind in its records may reach the next one."""
    robot = robot_named("quadruped12")
    bodies, outcomes = workspace(robot), []
    for _ in range(3):
        q, v, effort, _ = random_state(robot, 0)
        state = np.concatenate([q, v, effort, np.zeros(4 * robot.nv)])
        articulated_body.forward_dynamics_entry(robot.links, bodies, state, np.empty((0, 6)))
        outcomes.append(state)
        other = np.concatenate([robot.home, 3.0 * v, effort, np.zeros(4 * robot.nv)])
        articulated_body.forward_dynamics_entry(robot.links, bodies, other, np.empty((0, 6)))
    assert np.array_equal(outcomes[0], outcomes[1])
    assert np.array_equal(outcomes[0], outcomes[2])


def test_threads_share_a_robot_and_nothing_else():
    """Kernels that let go of Python's lock run side by side on one robot."""
    robot = robot_named("quadruped12")
    q, v, *_ = random_state(robot, 0)
    with ThreadPoolExecutor(4) as pool:
        reached = list(pool.map(lambda _: np.concatenate(dyn.integrate(robot, q, v, 0.2)), range(16)))
    assert all(np.array_equal(reached[0], other) for other in reached)
