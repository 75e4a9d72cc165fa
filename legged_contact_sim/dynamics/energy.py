"""Kinetic and potential energy of the whole robot."""

from ..jit import compiled, inlined
from ..model.records import FREE
from .kinematics import place_bodies, velocities_to_outer_axes, world_position
from .momentum import first_moment, total_momentum
from .record_fields import inertia, spatial
from .spatial import apply, dot, vdot, vscale


@inlined
def kinetic(links, bodies, v):
    """Return the kinetic energy, J, after pass 1 with velocities ``v`` (nv,): bodies and rotors."""
    twice = 0.0
    for i in range(len(links)):
        velocity = spatial(bodies[i].velocity)
        twice += dot(velocity, apply(inertia(bodies[i].inertia), velocity))
        if links[i].joint_kind != FREE:
            twice += links[i].rotor_inertia * v[links[i].velocity_index] ** 2
    mass, _ = first_moment(bodies, len(links))
    carried = vscale(spatial(bodies[-1].velocity).linear, -1.0)
    relative = total_momentum(bodies, len(links))
    return 0.5 * twice + vdot(carried, relative.linear) + 0.5 * mass * vdot(carried, carried)


@inlined
def gravitational(links, bodies):
    """Return the potential energy of gravity, J, zero at the world's origin, after pass 1."""
    mass, moment = first_moment(bodies, len(links))
    return mass * vdot(spatial(bodies[-1].acceleration).linear, world_position(bodies, vscale(moment, 1.0 / mass)))


@inlined
def elastic(links, q):
    """Return the energy in the joint springs, J."""
    twice = 0.0
    for link in links:
        if link.joint_kind != FREE:
            twice += link.stiffness * (q[link.position_index] - link.rest_position) ** 2
    return 0.5 * twice


@compiled
def energy_entry(links, bodies, q, v, work, out):
    """Write kinetic, gravitational and elastic energy, (3,), J."""
    velocities_to_outer_axes(links, q, v, work)
    place_bodies(links, bodies, q, work)
    out[0] = kinetic(links, bodies, work)
    out[1] = gravitational(links, bodies)
    out[2] = elastic(links, q)
