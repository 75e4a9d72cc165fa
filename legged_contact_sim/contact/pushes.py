"""Pushes: external wrenches on links for some steps, applied inside a run."""

import numpy as np

from ..dynamics.kinematics import place_bodies
from ..dynamics.record_fields import matrix, put_vector_at, vector, vector_at
from ..dynamics.spatial import ZERO, rotate, vadd, vcross, vscale
from ..errors import ParameterError
from ..jit import inlined

MOST = 64  # pushes at a time
KNOTS = 32  # of a push's profile, at most
UNUSED = -1  # value of ``left`` in a record that holds no push

CONSTANT = np.zeros((0, 2))  # profile of a push that does not change

PUSH = np.dtype(
    [
        ("left", "i8"),  # steps for which it still acts; 0: it has ended
        ("steps", "i8"),  # for which it acts in all
        ("body", "i8"),  # index of the body that is pushed
        ("offset", "f8", 3),  # where the force acts, in the body's frame, m
        ("force", "f8", 3),  # world axes, N
        ("torque", "f8", 3),  # world axes, N m
        ("knots", "i8"),  # of its profile; 0: it is constant
        ("instants", "f8", KNOTS),  # of the knots, steps since it began, in order
        ("factors", "f8", KNOTS),  # by which force and torque are multiplied there; linear in between, 0 outside
    ],
    align=True,
)


def no_pushes() -> np.ndarray:
    """Return records for pushes, (MOST,), none in use; those in use come first."""
    pushes = np.zeros(MOST, dtype=PUSH)
    pushes["left"] = UNUSED
    return pushes


def add_push(
    pushes: np.ndarray,
    steps: int,
    body: int,
    offset: np.ndarray,
    force: np.ndarray,
    torque: np.ndarray,
    profile: np.ndarray = CONSTANT,
) -> None:
    """Let a wrench act on a body for the next ``steps``, times the factors of a profile (K, 2): instants, factors."""
    count = keep_pushes(pushes, pushes["left"] > 0)
    if count == MOST:
        raise ParameterError(f"push: expected at most {MOST} pushes at a time; end_push() ends those on a link")
    knots = np.zeros((2, KNOTS))
    knots[:, : len(profile)] = profile.T
    pushes[count] = (steps, steps, body, offset, force, torque, len(profile), *knots)


def keep_pushes(pushes: np.ndarray, kept: np.ndarray) -> int:
    """Keep the pushes where ``kept`` (MOST,) is true and forget the others; return how many there are."""
    chosen = pushes[kept]
    pushes["left"] = UNUSED
    pushes[: len(chosen)] = chosen
    return len(chosen)


@inlined
def profile_factor(push):
    """Return the factor of a push in the middle of its present step."""
    if push.knots == 0:
        return 1.0
    now = push.steps - push.left + 0.5
    for k in range(1, push.knots):
        before, after = push.instants[k - 1], push.instants[k]
        if before <= now < after:
            share = (now - before) / (after - before)
            return (1.0 - share) * push.factors[k - 1] + share * push.factors[k]
    return 0.0


@inlined
def push_bodies(system):
    """Set the external wrenches of the coming step: a push moves with its link, and ends by itself."""
    if system.pushes[0].left == UNUSED:
        return
    for i in range(len(system.links)):
        put_vector_at(system.forces[i], 0, ZERO)
        put_vector_at(system.forces[i], 3, ZERO)
    acting = 0
    for push in system.pushes:
        acting += 1 if push.left > 0 else 0
    if acting == 0:
        for push in system.pushes:
            push.left = UNUSED
        return
    nq = len(system.state) - system.dofs.shape[1]
    place_bodies(system.links, system.bodies, system.state[:nq], system.state[nq:])
    for push in system.pushes:
        if push.left > 0:
            factor = profile_factor(push)
            push.left -= 1
            lever = rotate(matrix(system.bodies[push.body].rotation), vector(push.offset))
            wrench, force = system.forces[push.body], vscale(vector(push.force), factor)
            torque = vadd(vscale(vector(push.torque), factor), vcross(lever, force))
            put_vector_at(wrench, 0, vadd(vector(wrench), force))
            put_vector_at(wrench, 3, vadd(vector_at(wrench, 3), torque))
