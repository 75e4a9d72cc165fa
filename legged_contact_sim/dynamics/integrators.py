"""Integrators of smooth motion: semi-implicit Euler, midpoint, Runge-Kutta 4, adaptive Dormand-Prince.

The state is one row ``y = [q, v]`` with FREE joints' velocities in outer axes. Commands and outer forces are held for
the whole call. Runge-Kutta stages treat quaternions as plain numbers and scale the result back to unit length, which
keeps the order of the method (Hairer, Lubich, Wanner, "Geometric Numerical Integration", IV.4).

A robot that is free as a whole and on which nothing but gravity acts keeps its momentum exactly, whatever the step:
the midpoint and Runge-Kutta steps end by giving the base the velocity that the momentum asks for.
"""

import math

import numpy as np

from ..jit import compiled_long, inlined
from .articulated_body import articulated_body
from .joint_forces import smooth_efforts
from .kinematics import copy, place_bodies, velocities_to_base_axes, velocities_to_outer_axes
from .manifold import coordinate_rates, move, normalize
from .momentum import carries_all, momentum_about_center, restore_momentum
from .record_fields import spatial
from .spatial import vadd, vscale

SEMI_IMPLICIT_EULER, MIDPOINT, RUNGE_KUTTA_4, DORMAND_PRINCE = 0, 1, 2, 3

# Explicit Runge-Kutta methods, one per code above: how many stages, the matrix that makes a stage's state from the
# stages before it, and the weights of the result. Semi-implicit Euler uses only its one stage.
STAGES = np.array([1, 2, 4, 7])
STAGE_MATRIX = np.zeros((4, 7, 7))
WEIGHTS = np.zeros((4, 7))
STAGE_MATRIX[MIDPOINT, 1, 0] = 1 / 2
WEIGHTS[MIDPOINT, :2] = 0, 1
STAGE_MATRIX[RUNGE_KUTTA_4, [1, 2, 3], [0, 1, 2]] = 1 / 2, 1 / 2, 1
WEIGHTS[RUNGE_KUTTA_4, :4] = 1 / 6, 1 / 3, 1 / 3, 1 / 6
# Dormand and Prince, "A family of embedded Runge-Kutta formulae" (1980), table 2.
STAGE_MATRIX[DORMAND_PRINCE, 1, :1] = 1 / 5
STAGE_MATRIX[DORMAND_PRINCE, 2, :2] = 3 / 40, 9 / 40
STAGE_MATRIX[DORMAND_PRINCE, 3, :3] = 44 / 45, -56 / 15, 32 / 9
STAGE_MATRIX[DORMAND_PRINCE, 4, :4] = 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729
STAGE_MATRIX[DORMAND_PRINCE, 5, :5] = 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656
STAGE_MATRIX[DORMAND_PRINCE, 6, :6] = 35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84
WEIGHTS[DORMAND_PRINCE] = STAGE_MATRIX[DORMAND_PRINCE, 6]
# The fifth-order result minus the embedded fourth-order one.
DORMAND_PRINCE_ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])

# Rows of work, each as long as y: the stages, then a stage's state, the step's result, and a scratch row.
STATE_ROW, RESULT_ROW, SCRATCH_ROW = 7, 8, 9
WORK_ROWS = 10

MOST_TRIALS = 10_000_000  # steps that Dormand-Prince tries before it gives up; a minute for a quadruped


@inlined
def derivative(links, bodies, y, effort, added_inertia, forces, scratch, out):
    """Write dy/dt for ``y = [q, v]``, (nq + nv,)."""
    nv = len(effort)
    nq = len(y) - nv
    smooth_efforts(links, y[:nq], y[nq:], effort, scratch[:nv])
    coordinate_rates(links, y[:nq], y[nq:], out[:nq])
    articulated_body(links, bodies, y[:nq], y[nq:], scratch[:nv], added_inertia, forces, out[nq:])


@inlined
def combine(y, h, weights, count, work, out):
    """Write ``y + h sum(weights[m] stage[m])`` over the first stages."""
    copy(y, out)
    for m in range(count):
        if weights[m] != 0.0:
            for k in range(len(y)):
                out[k] += h * weights[m] * work[m, k]


@inlined
def fill_stages(links, bodies, y, effort, added_inertia, forces, h, method, first, work):
    """Fill the stages of a step from number ``first`` on."""
    nq = len(y) - len(effort)
    for k in range(first, STAGES[method]):
        combine(y, h, STAGE_MATRIX[method, k], k, work, work[STATE_ROW])
        normalize(links, work[STATE_ROW, :nq])
        derivative(links, bodies, work[STATE_ROW], effort, added_inertia, forces, work[SCRATCH_ROW], work[k])


@inlined
def finish_step(links, y, nv, h, method, work):
    """Write the step's result from its stages to the result row."""
    nq, result = len(y) - nv, work[RESULT_ROW]
    if method == SEMI_IMPLICIT_EULER:  # new velocities from old accelerations, new coordinates from new velocities
        for k in range(nq, len(y)):
            result[k] = y[k] + h * work[0, k]
        move(links, y[:nq], result[nq:], h, result[:nq])
    else:
        combine(y, h, WEIGHTS[method], STAGES[method], work, result)
        normalize(links, result[:nq])


@inlined
def scaled_error(y, h, absolute, relative, work):
    """Return Dormand-Prince's error estimate, root mean square over the state, in units of the tolerance."""
    total = 0.0
    for k in range(len(y)):
        error = 0.0
        for m in range(7):
            error += DORMAND_PRINCE_ERROR[m] * work[m, k]
        scale = absolute + relative * max(abs(y[k]), abs(work[RESULT_ROW, k]))
        total += (h * error / scale) ** 2
    return math.sqrt(total / len(y))


@inlined
def next_step_size(h, error):
    """Return the step size that the error (in units of the tolerance) suggests, within a factor of five."""
    if not error >= 0.0:  # NaN: the step ran into nonsense
        return 0.2 * h
    return h * min(5.0, max(0.2, 0.9 * (error + 1e-12) ** -0.2))


@inlined
def only_gravity_acts(links, effort, forces):
    """Return whether the robot is free as a whole and no external force but gravity acts on it."""
    if not carries_all(links):
        return False
    for k in range(6):
        if effort[k] != 0.0:
            return False
        for i in range(len(forces)):
            if forces[i, k] != 0.0:
                return False
    return True


@inlined
def keep_momentum(links, bodies, y, result, nv, h):
    """Give the base in the result the velocity that the momentum in ``y``, changed by gravity alone, asks for."""
    nq = len(y) - nv
    place_bodies(links, bodies, y[:nq], y[nq:])
    mass, _, linear, angular = momentum_about_center(links, bodies)
    fall = vscale(spatial(bodies[-1].acceleration).linear, -mass * h)
    place_bodies(links, bodies, result[:nq], result[nq:])
    restore_momentum(links, bodies, vadd(linear, fall), angular, result[nq:])


@inlined
def advance(links, bodies, y, effort, added_inertia, forces, settings, method, work):
    """Advance ``y`` (outer axes) over all steps; return how many were taken, -1: the step size (nearly) vanished."""
    nv, count, h, tolerance = len(effort), settings[0], settings[1], settings[2:]
    left, smallest = count * h, 1e-14 * count * h
    adaptive = method == DORMAND_PRINCE
    momentum_kept = method in (MIDPOINT, RUNGE_KUTTA_4) and only_gravity_acts(links, effort, forces)
    first, steps, trials = 0, 0, 0
    while left > smallest if adaptive else steps < count:
        trial = min(h, left) if adaptive else h
        fill_stages(links, bodies, y, effort, added_inertia, forces, trial, method, first, work)
        finish_step(links, y, nv, trial, method, work)
        error = scaled_error(y, trial, tolerance[0], tolerance[1], work) if adaptive else 0.0
        if error <= 1.0:
            if momentum_kept:
                keep_momentum(links, bodies, y, work[RESULT_ROW], nv, trial)
            copy(work[RESULT_ROW], y)
            if adaptive:  # the last stage is the next step's first
                copy(work[6], work[0])
            left -= trial
            steps += 1
        elif trial <= smallest:
            return -1
        if adaptive:
            first, trials = 1, trials + 1
            if trials == MOST_TRIALS:
                return -1
            h = max(next_step_size(trial, error), h if trial < h and error <= 1.0 else 0.0)
    return steps


@compiled_long
def integrate_entry(links, bodies, y, effort, added_inertia, forces, settings, method, work):
    """Advance ``y = [q, v]`` (public axes) by settings[0] steps of settings[1] s; return the steps taken, -1: failed.

    ``settings`` is (steps, h, absolute tolerance, relative tolerance); Dormand-Prince treats steps times h as the
    duration and h as its first step. ``added_inertia`` (nv,) holds the rotor inertias.
    """
    nv = len(effort)
    nq = len(y) - nv
    copy(y[nq:], work[SCRATCH_ROW, :nv])
    velocities_to_outer_axes(links, y[:nq], work[SCRATCH_ROW, :nv], y[nq:])
    steps = advance(links, bodies, y, effort, added_inertia, forces, settings, method, work)
    copy(y[nq:], work[SCRATCH_ROW, :nv])
    velocities_to_base_axes(links, y[:nq], work[SCRATCH_ROW, :nv], y[nq:])
    return steps
