"""How moving ground moves: kernels over one ``TERRAIN`` record.

A belt keeps its shape and moves along itself. A plate tilts about the horizontal line through the world's origin across
its heading, at a steady speed until its stop; ``angle`` is where it is at the start of a step, ``tilt`` where the step
measures gaps.
"""

import math

from ..jit import inlined
from .records import TILTING


@inlined
def tilts(terrain):
    """Return whether the ground's shape changes with time."""
    return terrain.motion == TILTING


@inlined
def tilt_halfway(terrain, h):
    """Put a plate where it is in the middle of a step of length ``h``, s, which takes it at most to its stop."""
    if terrain.motion == TILTING:
        way = terrain.stop - terrain.angle
        if abs(way) > abs(terrain.speed) * h:
            terrain.rate = terrain.speed
        else:
            terrain.rate = way / h if h > 0.0 else 0.0
        put_tilt(terrain, terrain.angle + 0.5 * h * terrain.rate)


@inlined
def carry_ground(terrain, h):
    """Take a plate to the end of the step of length ``h``, s, for which `tilt_halfway` was called."""
    if terrain.motion == TILTING:
        arrives = abs(terrain.stop - terrain.angle) <= abs(terrain.speed) * h
        terrain.angle = terrain.stop if arrives else terrain.angle + h * terrain.rate
        put_tilt(terrain, terrain.angle)


@inlined
def put_tilt(terrain, angle):
    """Incline the ground, rad."""
    terrain.tilt[0], terrain.tilt[1] = math.cos(angle), math.sin(angle)


@inlined
def ground_velocity(terrain, x, y, z):
    """Return the velocity of the ground's material at a point, world axes, m/s: v + omega x p.

    A positive rate lifts what lies along the heading (c, s): omega = rate (s, -c, 0).
    """
    vx, vy, vz = terrain.velocity[0], terrain.velocity[1], terrain.velocity[2]
    ox, oy = terrain.rate * terrain.heading[1], -terrain.rate * terrain.heading[0]
    return vx + oy * z, vy - ox * z, vz + ox * y - oy * x
