"""Integrators of smooth motion: semi-implicit Euler, midpoint, Runge-Kutta 4, adaptive Dormand-Prince.

The state is one row ``y = [q, v]`` with FREE joints' rates in outer axes. Commands and external forces are held for
the whole call. Runge-Kutta stages treat quaternions as plain numbers and scale the result back to unit length, which
keeps the order of the method (Hairer, Lubich, Wanner, "Geometric Numerical Integration", IV.4).

A robot that is free as a whole and on which nothing but gravity acts keeps its momentum exactly, whatever the step:
the midpoint and Runge-Kutta steps end by giving the base the velocity that the momentum asks for.
"""

import math

import numpy as np

from ..compilation import compiled, inlined
from .articulated_body import articulated_body
from .joint_forces import smooth_efforts
from .kinematics import place_bodies, rates_to_base_axes, rates_to_outer_axes
from .manifold import coordinate_rates, move, normalize
from .momentum import carries_all, momentum_about_center, restore_momentum
from .spatial import vadd, vector, vscale

SEMI_IMPLICIT_EULER, MIDPOINT, RUNGE_KUTTA_4, DORMAND_PRINCE = 0, 1, 2, 3

# Rows of work that `advance` needs: seven stages, a stage state, a candidate, and efforts.
WORK_ROWS = 10

# Dormand and Prince, "A family of embedded Runge-Kutta formulae" (1980), table 2; the last row of A is the solution.
DP_A = np.array(
    [
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
DP_ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


@inlined
def derivative(links, bodies, y, effort, added_inertia, forces, gravity, work, out):
    """Write dy/dt for ``y = [q, v]``, (nq + nv,)."""
    nq = len(y) - len(effort)
    smooth_efforts(links, y[:nq], y[nq:], effort, work[: len(effort)])
    coordinate_rates(links, y[:nq], y[nq:], out[:nq])
    articulated_body(
        links, bodies, y[:nq], y[nq:], work[: len(effort)], added_inertia, forces, gravity, out[nq:]
    )


@inlined
def euler_step(links, bodies, y, effort, added_inertia, forces, gravity, h, work):
    """Semi-implicit (symplectic) Euler: new rates from old accelerations, new coordinates from new rates."""
    nq = len(y) - len(effort)
    derivative(links, bodies, y, effort, added_inertia, forces, gravity, work[9], work[0])
    y[nq:] += h * work[0, nq:]
    move(links, y[:nq], y[nq:], h, y[:nq])


@inlined
def midpoint_step(links, bodies, y, effort, added_inertia, forces, gravity, h, work):
    """Explicit midpoint rule, second order: the step is taken with rates and accelerations half-way."""
    nq, middle = len(y) - len(effort), work[7]
    derivative(links, bodies, y, effort, added_inertia, forces, gravity, work[9], work[0])
    middle[nq:] = y[nq:] + 0.5 * h * work[0, nq:]
    move(links, y[:nq], y[nq:], 0.5 * h, middle[:nq])
    derivative(links, bodies, middle, effort, added_inertia, forces, gravity, work[9], work[1])
    y[nq:] += h * work[1, nq:]
    move(links, y[:nq], middle[nq:], h, y[:nq])


@inlined
def runge_kutta_step(links, bodies, y, effort, added_inertia, forces, gravity, h, work):
    """Classical Runge-Kutta, fourth order."""
    nq, stage = len(y) - len(effort), work[7]
    derivative(links, bodies, y, effort, added_inertia, forces, gravity, work[9], work[0])
    for k in range(1, 4):
        stage[:] = y + (h if k == 3 else 0.5 * h) * work[k - 1]
        normalize(links, stage[:nq])
        derivative(links, bodies, stage, effort, added_inertia, forces, gravity, work[9], work[k])
    y[:] += h / 6.0 * (work[0] + 2.0 * work[1] + 2.0 * work[2] + work[3])
    normalize(links, y[:nq])


@inlined
def dormand_prince_stages(links, bodies, y, effort, added_inertia, forces, gravity, h, work):
    """Fill stages 1 to 6 in ``work[1:7]`` from stage 0; leave the fifth-order candidate in ``work[7]``.

    The last stage is the derivative at the candidate (first same as last), so an accepted step gives the next one's
    stage 0 for nothing.
    """
    nq, stage = len(y) - len(effort), work[7]
    for k in range(1, 7):
        stage[:] = y
        for m in range(k):
            stage += (h * DP_A[k - 1, m]) * work[m]
        normalize(links, stage[:nq])
        derivative(links, bodies, stage, effort, added_inertia, forces, gravity, work[9], work[k])


@inlined
def scaled_error(y, candidate, work, h, absolute, relative):
    """Return the step's error estimate, root mean square over the state, in units of the tolerance."""
    total = 0.0
    for k in range(len(y)):
        error = 0.0
        for m in range(7):
            error += DP_ERROR[m] * work[m, k]
        scale = absolute + relative * max(abs(y[k]), abs(candidate[k]))
        total += (h * error / scale) ** 2
    return math.sqrt(total / len(y))


@inlined
def dormand_prince(links, bodies, y, effort, added_inertia, forces, gravity, duration, h, absolute, relative, work):
    """Adaptive Dormand-Prince 5(4) over a duration, s.

    Returns the number of accepted steps (-1: the step shrank below rounding) and the step size to go on with, s.
    """
    time, steps = 0.0, 0
    h = min(h, duration)
    derivative(links, bodies, y, effort, added_inertia, forces, gravity, work[9], work[0])
    while duration - time > 1e-14 * duration:
        last = h >= duration - time
        trial = duration - time if last else h
        dormand_prince_stages(links, bodies, y, effort, added_inertia, forces, gravity, trial, work)
        error = scaled_error(y, work[7], work, trial, absolute, relative)
        if error <= 1.0:
            y[:] = work[7]
            work[0] = work[6]
            time = duration if last else time + trial
            steps += 1
        elif not trial > 1e-15 * duration:  # NaN errors end here too
            return -1, h
        growth = min(5.0, max(0.2, 0.9 * (error + 1e-12) ** -0.2))
        if error > 1.0 or not last or growth < 1.0:
            h = trial * growth
        elif not error <= 1.0:
            h = 0.2 * trial
    return steps, h


@inlined
def only_gravity_acts(links, effort, forces):
    """Return whether the robot is free as a whole and no external force but gravity acts on it."""
    if not carries_all(links) or len(forces) > 0:
        return False
    for k in range(6):
        if effort[k] != 0.0:
            return False
    return True


@inlined
def fixed_step(links, bodies, y, effort, added_inertia, forces, gravity, h, method, work):
    """One step of a fixed-step method; midpoint and Runge-Kutta keep the momentum of a free robot."""
    if method == SEMI_IMPLICIT_EULER:
        euler_step(links, bodies, y, effort, added_inertia, forces, gravity, h, work)
        return
    nq = len(y) - len(effort)
    free = only_gravity_acts(links, effort, forces)
    mass, linear, angular = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if free:
        place_bodies(links, bodies, y[:nq], y[nq:], gravity)
        mass, _, linear, angular = momentum_about_center(links, bodies)
    if method == MIDPOINT:
        midpoint_step(links, bodies, y, effort, added_inertia, forces, gravity, h, work)
    else:
        runge_kutta_step(links, bodies, y, effort, added_inertia, forces, gravity, h, work)
    if free:
        place_bodies(links, bodies, y[:nq], y[nq:], gravity)
        restore_momentum(links, bodies, vadd(linear, vscale(vector(gravity), mass * h)), angular, y[nq:])


@compiled
def integrate_entry(links, bodies, y, effort, added_inertia, forces, gravity, settings, method, work):
    """Advance ``y = [q, v]`` (public axes) by settings[0] steps of settings[1] s; return the steps taken, -1: failed.

    ``settings`` is (steps, h, absolute tolerance, relative tolerance); Dormand-Prince treats steps times h as the
    duration and h as its first step. ``added_inertia`` (nv,) holds the rotor inertias.
    """
    nv = len(effort)
    nq = len(y) - nv
    work[8, :nv] = y[nq:]
    rates_to_outer_axes(links, y[:nq], work[8, :nv], y[nq:])
    steps, h = int(settings[0]), settings[1]
    if method == DORMAND_PRINCE:
        steps, _ = dormand_prince(
            links, bodies, y, effort, added_inertia, forces, gravity, steps * h, h, settings[2], settings[3], work
        )
    else:
        for _ in range(steps):
            fixed_step(links, bodies, y, effort, added_inertia, forces, gravity, h, method, work)
    work[8, :nv] = y[nq:]
    rates_to_base_axes(links, y[:nq], work[8, :nv], y[nq:])
    return steps
