"""Centre of mass and momentum of the whole robot, and the base velocity that a given momentum asks for."""

from ..jit import compiled, inlined
from ..model.records import FREE
from .kinematics import (
    outer_frame,
    place_bodies,
    velocities_to_outer_axes,
    world_position,
    world_velocity,
)
from .record_fields import inertia, put_vector, put_vector_at, spatial, vector, vector_at
from .spatial import (
    Spatial,
    add,
    apply,
    rigid_inertia,
    rotate_back,
    stretch,
    sym_inverse,
    sym_sub,
    vadd,
    vcross,
    vscale,
    vsub,
)


@inlined
def first_moment(bodies, count):
    """Return mass (kg) and mass-weighted position (kg m, relative to the reference point) of the first bodies."""
    mass, moment = 0.0, (0.0, 0.0, 0.0)
    for i in range(count):
        _, coupling, linear = inertia(bodies[i].inertia)
        mass += linear[0]
        moment = vadd(moment, (coupling[7], coupling[2], coupling[3]))
    return mass, moment


@inlined
def total_momentum(bodies, count):
    """Return the momentum of the first bodies about, and relative to, the moving reference point (after pass 1)."""
    total = Spatial((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for i in range(count):
        total = add(total, apply(inertia(bodies[i].inertia), spatial(bodies[i].velocity)))
    return total


@inlined
def momentum_about_center(links, bodies):
    """Return mass, centre of mass (world), linear momentum and angular momentum about the centre of mass (world)."""
    mass, moment = first_moment(bodies, len(links))
    center, relative = vscale(moment, 1.0 / mass), total_momentum(bodies, len(links))
    linear = vscale(world_velocity(bodies, vscale(relative.linear, 1.0 / mass)), mass)
    angular = vsub(relative.angular, vcross(center, relative.linear))
    return mass, world_position(bodies, center), linear, angular


@inlined
def carries_all(links):
    """Return whether every body hangs, directly or not, from a FREE first body: a robot that is free as a whole."""
    if links[0].joint_kind != FREE:
        return False
    for i in range(1, len(links)):
        if links[i].parent < 0:
            return False
    return True


@inlined
def restore_momentum(links, bodies, linear, angular, v):
    """Correct the base's velocities in ``v`` so that the robot, free as a whole, has the given momentum.

    Joint velocities stay; the robot as it stands is moved rigidly by the missing momentum.

    Args:
        links: LINK records, (n,).
        bodies: BODY records after pass 1 with the velocities ``v``, (n + 1,).
        linear: wanted linear momentum, kg m/s, world axes.
        angular: wanted angular momentum about the centre of mass, kg m^2/s, world axes.
        v: velocities, (nv,), outer axes; corrected in place.
    """
    mass, moment = first_moment(bodies, len(links))
    center = vscale(moment, 1.0 / mass)
    _, _, present_linear, present_angular = momentum_about_center(links, bodies)
    spin = stretch(sym_inverse(rotational_inertia(bodies, len(links), mass, center)), vsub(angular, present_angular))
    shift = vscale(vsub(linear, present_linear), 1.0 / mass)
    frame = outer_frame(links[0], bodies[-1])
    put_vector(v, vadd(vector(v), rotate_back(frame, vsub(shift, vcross(spin, center)))))
    put_vector_at(v, 3, vadd(vector_at(v, 3), rotate_back(frame, spin)))


@inlined
def rotational_inertia(bodies, count, mass, center):
    """Return the inertia of the first bodies about their centre of mass as if welded, kg m^2, world axes."""
    total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(count):
        a, b = total, inertia(bodies[i].inertia).rotational
        total = (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])
    return sym_sub(total, rigid_inertia(mass, center, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)).rotational)


@compiled
def centroidal_entry(links, bodies, q, v, work, out):
    """Write centre of mass (3,), linear momentum (3,) and angular momentum about the centre (3,) in world axes."""
    velocities_to_outer_axes(links, q, v, work)
    place_bodies(links, bodies, q, work)
    _, center, linear, angular = momentum_about_center(links, bodies)
    put_vector(out[0], center)
    put_vector(out[1], linear)
    put_vector(out[2], angular)
