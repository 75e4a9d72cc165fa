"""Forward dynamics by the articulated body method (Featherstone, table 7.1), in three passes over the bodies.

A FREE joint passes no force: its body starts a tree of its own, whose acceleration follows from the 6x6 solve with
the tree's articulated inertia (Ayit's floating base).
"""

from ..jit import anywhere, choose, compiled, inlined
from ..model.records import FREE
from .kinematics import (
    accelerations_to_base_axes,
    outer_frame,
    place_bodies,
    velocities_to_outer_axes,
)
from .record_fields import (
    increase_inertia,
    increase_spatial,
    inertia,
    put_spatial,
    put_vector_at,
    spatial,
    vector,
    vector_at,
)
from .spatial import add, apply, dot, remove_rank_one, rotate, rotate_back, scale, solve, sub, velocity_at, wrench_at


@inlined
def apply_external_forces(links, bodies, forces):
    """Take external forces, (n, 6) in world axes at each body's origin (force, moment), off the bodies' bias."""
    for i in range(len(links)):
        wrench = wrench_at(vector(bodies[i].position), vector(forces[i]), vector_at(forces[i], 3))
        increase_spatial(bodies[i].bias, scale(wrench, -1.0))


@inlined
def hand_down(body, parent, effort, added_inertia):
    """Pass 2, inward: add to the parent what it feels of this body through the joint that it carries."""
    axis, bias, articulated = spatial(body.axis), spatial(body.bias), inertia(body.inertia)
    coriolis = spatial(body.coriolis)
    push = apply(articulated, axis)  # U = IA S
    free, inverse = body.locked == 0, 0.0
    if anywhere(free):
        inverse = choose(free, 1.0 / (dot(axis, push) + added_inertia), 0.0)  # 1 / D,  D = S^T U
    drive = effort - dot(axis, bias)  # u = tau - S^T pA
    increase_inertia(parent.inertia, remove_rank_one(articulated, push, inverse))  # Ia = IA - U D^-1 U^T
    # pa = pA + Ia c + U D^-1 u, written so that it waits for nothing but D
    yielding = scale(push, (drive - dot(coriolis, push)) * inverse)
    increase_spatial(parent.bias, add(add(bias, apply(articulated, coriolis)), yielding))
    put_spatial(body.push, push)
    body.inverse_inertia = inverse
    body.drive = drive


@inlined
def release(body, link, parent, effort):
    """Pass 2 at a FREE joint: the generalised effort (outer axes, at the body's origin) acts on both sides."""
    frame, j = outer_frame(link, parent), link.velocity_index
    force, moment = rotate(frame, vector_at(effort, j)), rotate(frame, vector_at(effort, j + 3))
    wrench = wrench_at(vector(body.position), force, moment)
    increase_spatial(body.bias, scale(wrench, -1.0))
    increase_spatial(parent.bias, wrench)


@inlined
def accelerate(body, parent):
    """Pass 3, outward: set the body's acceleration and return the joint's."""
    carried = add(spatial(parent.acceleration), spatial(body.coriolis))
    rate = (body.drive - dot(carried, spatial(body.push))) * body.inverse_inertia
    put_spatial(body.acceleration, add(carried, scale(spatial(body.axis), rate)))
    return rate


@inlined
def accelerate_free(body, link, parent, out):
    """Pass 3 at a FREE joint: solve with the articulated inertia; write the derivatives of the joint's velocities."""
    put_free(body, link, parent, solve(inertia(body.inertia), scale(spatial(body.bias), -1.0)), out)


@inlined
def put_free(body, link, parent, acceleration, out):
    """Store the acceleration of a FREE joint's body, and write the derivatives of the joint's velocities."""
    put_spatial(body.acceleration, acceleration)
    relative = sub(acceleration, add(spatial(parent.acceleration), spatial(body.coriolis)))
    frame, j = outer_frame(link, parent), link.velocity_index
    put_vector_at(out, j, rotate_back(frame, velocity_at(relative, vector(body.position))))
    put_vector_at(out, j + 3, rotate_back(frame, relative.angular))


@inlined
def gather_inertias(links, bodies, effort, added_inertia):
    """Pass 2 over all bodies: articulated inertias and bias forces.

    Args:
        links: LINK records, (n,).
        bodies: BODY records after pass 1, (n + 1,).
        effort: generalised efforts, (nv,), FREE joints in outer axes (force, moment).
        added_inertia: what each joint adds to its own D (rotor inertia, implicit damping), (nv,).
    """
    for i in range(len(links) - 1, -1, -1):
        link, j = links[i], links[i].velocity_index
        if link.joint_kind == FREE:
            release(bodies[i], link, bodies[link.parent], effort)
        else:
            hand_down(bodies[i], bodies[link.parent], effort[j], added_inertia[j])


@inlined
def spread_accelerations(links, bodies, acceleration):
    """Pass 3 over all bodies: write the derivatives of the velocities, (nv,), FREE joints in outer axes."""
    for i in range(len(links)):
        link = links[i]
        if link.joint_kind == FREE:
            accelerate_free(bodies[i], link, bodies[link.parent], acceleration)
        else:
            acceleration[link.velocity_index] = accelerate(bodies[i], bodies[link.parent])


@inlined
def spread_from_inverses(links, bodies, acceleration):
    """Like `spread_accelerations`, where `invert_roots` has put inverses in the place of the FREE bodies' inertias."""
    for i in range(len(links)):
        link, body, parent = links[i], bodies[i], bodies[links[i].parent]
        if link.joint_kind == FREE:
            moved = apply(inertia(body.inertia), scale(spatial(body.bias), -1.0))
            put_free(body, link, parent, moved, acceleration)
        else:
            acceleration[link.velocity_index] = accelerate(body, parent)


@inlined
def articulated_body(links, bodies, q, v, effort, added_inertia, forces, acceleration):
    """Forward dynamics of the whole forest; ``forces`` may have zero rows when nothing pushes."""
    place_bodies(links, bodies, q, v)
    if len(forces) > 0:
        apply_external_forces(links, bodies, forces)
    gather_inertias(links, bodies, effort, added_inertia)
    spread_accelerations(links, bodies, acceleration)


@compiled
def forward_dynamics_entry(links, bodies, state, forces):
    """Forward dynamics in public axes on one flat array.

    ``state`` holds rows of length nv or nq one after another: q (nq), v, effort, added inertia (nv each), and three
    rows of work (nv each), of which the last receives the acceleration.
    """
    nv = links[-1].velocity_index + (6 if links[-1].joint_kind == FREE else 1)
    nq = len(state) - 6 * nv
    q, v, effort = state[:nq], state[nq : nq + nv], state[nq + nv : nq + 2 * nv]
    added, velocities = state[nq + 2 * nv : nq + 3 * nv], state[nq + 3 * nv : nq + 4 * nv]
    derivative, acceleration = state[nq + 4 * nv : nq + 5 * nv], state[nq + 5 * nv :]
    velocities_to_outer_axes(links, q, v, velocities)
    velocities_to_outer_axes(links, q, effort, acceleration)
    articulated_body(links, bodies, q, velocities, acceleration, added, forces, derivative)
    accelerations_to_base_axes(links, q, velocities, derivative, acceleration)
