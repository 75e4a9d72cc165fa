"""This package as a contender: in a compiled loop, per compiled call, through numba's dispatch, per public function."""

from functools import partial
from typing import Any

import numpy as np

from legged_contact_sim import dynamics
from legged_contact_sim.dynamics.articulated_body import forward_dynamics_entry
from legged_contact_sim.dynamics.composite_body import mass_matrix_entry
from legged_contact_sim.dynamics.contact_inertia import ROW, inverse_contact_inertia_entry
from legged_contact_sim.dynamics.functions import contact_points
from legged_contact_sim.dynamics.integrators import WORK_ROWS, integrate_entry
from legged_contact_sim.dynamics.workspace import workspace
from legged_contact_sim.jit import bind, compiled, inlined

from .case import CALL, CONTACT_INERTIA, EULER_STEP, FORWARD_DYNAMICS, LOOP, MASS_MATRIX, MIDPOINT_STEP, Case
from .timing import Contender

NAME = "legged_contact_sim"
DISPATCH, PUBLIC = "through numba's dispatch", "public function"
REPEATS = 100
METHODS = {EULER_STEP: "semi_implicit_euler", MIDPOINT_STEP: "midpoint"}

# Entries are called from Python alone: loops that are compiled call what the entries are made of.
forward_dynamics = inlined(forward_dynamics_entry.py_func)
mass_matrix = inlined(mass_matrix_entry.py_func)
inverse_contact_inertia = inlined(inverse_contact_inertia_entry.py_func)


@compiled
def forward_dynamics_loop(count: int, links: Any, bodies: Any, state: Any, forces: Any) -> None:
    for _ in range(count):
        forward_dynamics(links, bodies, state, forces)


@compiled
def mass_matrix_loop(count: int, links: Any, bodies: Any, q: Any, v: Any, out: Any) -> None:
    for _ in range(count):
        mass_matrix(links, bodies, q, v, out)


@compiled
def contact_inertia_loop(
    count: int, links: Any, bodies: Any, points: Any, rows: Any, efforts: Any, q: Any, rates: Any, out: Any
) -> None:
    for _ in range(count):
        inverse_contact_inertia(links, bodies, points, rows, efforts, q, rates, out)


def forward_dynamics_arguments(case: Case) -> tuple[Any, ...]:
    """Return the arguments of the forward dynamics entry; the acceleration will stand at the end of the third."""
    state = np.concatenate([case.q, case.v, case.effort, case.robot.rotor_inertias, np.zeros(3 * case.robot.nv)])
    return case.robot.links, workspace(case.robot), state, np.empty((0, 6))


def mass_matrix_arguments(case: Case) -> tuple[Any, ...]:
    """Return the arguments of the mass matrix entry."""
    nv = case.robot.nv
    return case.robot.links, workspace(case.robot), case.q.copy(), np.zeros(nv), np.empty((nv, nv))


def contact_inertia_arguments(case: Case) -> tuple[Any, ...]:
    """Return the arguments of the inverse contact inertia entry."""
    robot, count = case.robot, 3 * len(case.points)
    rates = np.zeros((3, robot.nv))
    rates[2] = robot.rotor_inertias
    rows, efforts, out = np.zeros(count, dtype=ROW), np.zeros((count, len(robot.links))), np.empty((count, count))
    points = contact_points(robot, case.points)
    return robot.links, workspace(robot), points, rows, efforts, case.q.copy(), rates, out


def step_arguments(case: Case, task: str, steps: int) -> tuple[Any, ...]:
    """Return the arguments of the integrator's entry; the third is the state, which each call moves on."""
    y, settings = np.concatenate([case.q, case.v]), np.array([steps, case.time_step, 1e-10, 1e-10])
    method, work = dynamics.INTEGRATORS[METHODS[task]], np.empty((WORK_ROWS, len(y)))
    fixed = case.effort.copy(), case.robot.rotor_inertias, np.empty((0, 6))
    return case.robot.links, workspace(case.robot), y, *fixed, settings, method, work


def contend(task: str, entry: Any, loop: Any, arguments: tuple[Any, ...], public: Any) -> list[Contender]:
    """Return the four ways to call one entry whose arguments stay as they are."""
    return [
        Contender(NAME, task, LOOP, bind(loop, REPEATS, *arguments), REPEATS),
        Contender(NAME, task, CALL, bind(entry, *arguments)),
        Contender(NAME, task, DISPATCH, partial(entry, *arguments)),
        Contender(NAME, task, PUBLIC, public),
    ]


def contend_step(case: Case, task: str) -> list[Contender]:
    """Return the ways to take a free step; the state goes back to the start before each round."""
    many, one = step_arguments(case, task, REPEATS), step_arguments(case, task, 1)
    start = np.concatenate([case.q, case.v])
    back, step = partial(np.copyto, one[2], start), case.time_step
    public = partial(dynamics.integrate, case.robot, case.q, case.v, step, step, METHODS[task], case.effort)
    return [
        Contender(NAME, task, LOOP, bind(integrate_entry, *many), REPEATS, partial(np.copyto, many[2], start)),
        Contender(NAME, task, CALL, bind(integrate_entry, *one), reset=back),
        Contender(NAME, task, DISPATCH, partial(integrate_entry, *one), reset=back),
        Contender(NAME, task, PUBLIC, public),
    ]


def contend_forward_dynamics(case: Case) -> list[Contender]:
    """Return the ways to call the articulated body method."""
    public = partial(dynamics.forward_dynamics, case.robot, case.q, case.v, case.effort)
    arguments = forward_dynamics_arguments(case)
    return contend(FORWARD_DYNAMICS, forward_dynamics_entry, forward_dynamics_loop, arguments, public)


def contenders(case: Case) -> list[Contender]:
    """Return all ways to do all tasks."""
    matrix = partial(dynamics.mass_matrix, case.robot, case.q)
    inertia = partial(dynamics.inverse_contact_inertia, case.robot, case.q, case.points)
    return [
        *contend_forward_dynamics(case),
        *contend(MASS_MATRIX, mass_matrix_entry, mass_matrix_loop, mass_matrix_arguments(case), matrix),
        *contend(
            CONTACT_INERTIA,
            inverse_contact_inertia_entry,
            contact_inertia_loop,
            contact_inertia_arguments(case),
            inertia,
        ),
        *contend_step(case, EULER_STEP),
        *contend_step(case, MIDPOINT_STEP),
    ]


def results(case: Case) -> dict[str, np.ndarray]:
    """Return the result of every task, a free step's as the change of v."""
    robot, q, v, h = case.robot, case.q, case.v, case.time_step
    steps = {task: dynamics.integrate(robot, q, v, h, h, METHODS[task], case.effort)[1] - v for task in METHODS}
    return {
        FORWARD_DYNAMICS: dynamics.forward_dynamics(robot, q, v, case.effort),
        MASS_MATRIX: dynamics.mass_matrix(robot, q),
        CONTACT_INERTIA: dynamics.inverse_contact_inertia(robot, q, case.points),
        **steps,
    }
