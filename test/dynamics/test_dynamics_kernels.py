"""The kernels as compiled: one signature each, no allocation, and the same numbers as the Python they are made of."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from dynamics_oracle import assert_close, random_state, robot_named

import legged_contact_sim.dynamics as dyn
from legged_contact_sim.dynamics import articulated_body, composite_body, energy, newton_euler
from legged_contact_sim.dynamics.workspace import workspace

ROOT = Path(__file__).resolve().parents[2]

# In a process of its own: other tests, too, may call entries, with arrays of other kinds.
SURVEY = """
import json, numpy as np
import legged_contact_sim.dynamics as dyn
from legged_contact_sim import RobotModel, compilation
from numba.core.runtime import rtsys

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

def allocations(function, *arguments):
    before = rtsys.get_allocation_stats().alloc
    function(*arguments)
    return rtsys.get_allocation_stats().alloc - before

for name in ("quadruped12", "double_pendulum"):
    survey(RobotModel.from_urdf(name))
signatures = {entry.py_func.__name__: len(entry.signatures) for entry in compilation._entries if entry.signatures}
small, large = RobotModel.from_urdf("jumping_leg"), RobotModel.from_urdf("quadruped16")
cases = [(robot, n) for robot in (small, large) for n in (1, 100)]
of_steps = {
    method: [allocations(dyn.integrate, r, r.home, np.zeros(r.nv), n * 1e-4, 1e-4, method) for r, n in cases]
    for method in dyn.INTEGRATORS
}
calls = {
    "forward_dynamics": lambda r: (r.home, np.zeros(r.nv), None, np.zeros((len(r.links), 6))),
    "inverse_dynamics": lambda r: (r.home, np.zeros(r.nv), np.zeros(r.nv)),
    "mass_matrix": lambda r: (r.home,),
    "forward_kinematics": lambda r: (r.home,),
    "link_jacobian": lambda r: (r.home, r.link_names[-1]),
    "point_bias_acceleration": lambda r: (r.home, np.zeros(r.nv), r.link_names[-1]),
    "inverse_contact_inertia": lambda r: (r.home,),
    "contact_response": lambda r: (r.home,),
    "centroidal_momentum": lambda r: (r.home, np.zeros(r.nv)),
    "kinetic_energy": lambda r: (r.home, np.zeros(r.nv)),
}
of_calls = {
    name: [allocations(getattr(dyn, name), r, *given(r)) for r in (small, large)] for name, given in calls.items()
}
print(json.dumps({"signatures": signatures, "of_steps": of_steps, "of_calls": of_calls}))
"""


@pytest.fixture(scope="module")
def survey():
    environment = {**os.environ, "NUMBA_NRT_STATS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", SURVEY], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_entry_is_compiled_for_one_kind_of_arguments(survey):
    assert len(survey["signatures"]) >= 10
    assert set(survey["signatures"].values()) == {1}, survey["signatures"]


@pytest.mark.parametrize("method", dyn.INTEGRATORS)
def test_steps_allocate_nothing(survey, method):
    """Numba counts one record per array that Python hands over, and must count no more with steps or with bodies."""
    counts = survey["of_steps"][method]
    assert counts[0] > 0  # the counter works
    assert set(counts) == {counts[0]}


def test_calls_allocate_nothing(survey):
    for name, (small, large) in survey["of_calls"].items():
        assert 0 < small <= 10, name  # one per array handed over
        assert small == large, name


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
