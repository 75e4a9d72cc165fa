"""Forward kinematics: pose, velocity and velocity-product acceleration of every body, from the root outward.

Kernels describe motion in world axes about a *reference point* that sits at the base's origin and moves with the
base's velocity of that instant. Forces and accelerations are the same in that frame (Galilei), while numbers
stay small however far and however fast the robot travels; the base of a planar robot is what its slides carry.

Kernels take the velocities of a FREE joint in the axes of its outer frame (for a floating base: world axes), since
the linear velocity of a tumbling base varies slowly there; the public functions take them in the base's own axes.
`velocities_to_outer_axes` and `accelerations_to_base_axes` convert.
"""

from ..jit import compiled, inlined
from ..model.records import FREE, PRISMATIC, REVOLUTE
from .record_fields import (
    matrix,
    put_inertia,
    put_matrix,
    put_spatial,
    put_vector,
    put_vector_at,
    spatial,
    symmetric,
    vector,
    vector_at,
)
from .spatial import (
    UPRIGHT,
    ZERO,
    Spatial,
    add,
    congruence,
    cross_motion,
    product,
    quaternion_matrix,
    rigid_inertia,
    rotate,
    rotate_back,
    scale,
    sincos,
    stretch,
    turn,
    twist_at,
    vadd,
    vcross,
    velocity_at,
    vscale,
    vsub,
    wrench_at,
)


@inlined
def copy(source, out):
    """Copy an array (numba's ``out[:] = source`` costs several times as much for short ones)."""
    for k in range(len(out)):
        out[k] = source[k]


@inlined
def free_rotation(q, k):
    """Return the rotation matrix of the FREE joint whose coordinates begin at ``q[k]``."""
    return quaternion_matrix(q[k + 3], q[k + 4], q[k + 5], q[k + 6])


@inlined
def reference_point(links, q, v):
    """Return position and velocity in the world of a FREE root's origin, or of the first beyond a fixed base's slides.

    The root's placement is included, so that its origin lands exactly on the reference point.
    """
    placement, home = vector(links[0].placement), matrix(links[0].home)
    if links[0].joint_kind == FREE:
        return vadd(placement, rotate(home, vector(q))), rotate(home, vector(v))
    frame, position, velocity = UPRIGHT, placement, ZERO
    for i in range(len(links) - 1):
        link, outer = links[i], links[i + 1]
        if link.joint_kind != PRISMATIC:
            break
        slide = rotate(frame, vector(link.axis))
        position = vadd(position, vscale(slide, q[link.position_index]))
        velocity = vadd(velocity, vscale(slide, v[link.velocity_index]))
        if outer.parent != i:
            break
        frame = product(frame, matrix(link.home))
        position = vadd(position, rotate(frame, vector(outer.placement)))
    return position, velocity


@inlined
def place_world(links, bodies, q, v):
    """Set the world's record: it lies and moves opposite to the reference point."""
    position, velocity = reference_point(links, q, v)
    put_vector(bodies[-1].position, vscale(position, -1.0))
    put_spatial(bodies[-1].velocity, Spatial(ZERO, vscale(velocity, -1.0)))


@inlined
def put_pose(body, link, rotation, position, velocity):
    """Store a body's pose and velocity, its rigid inertia and the force that its velocity alone needs.

    That force is ``v x* I v``: at the centre of mass, the linear part m w x v_c and the moment w x I_c w.
    """
    com, spin = vadd(position, rotate(rotation, vector(link.com))), velocity.angular
    about_com = congruence(rotation, symmetric(link.inertia))
    put_matrix(body.rotation, rotation)
    put_vector(body.position, position)
    put_spatial(body.velocity, velocity)
    put_inertia(body.inertia, rigid_inertia(link.mass, com, about_com))
    turning = vscale(vcross(spin, velocity_at(velocity, com)), link.mass)
    put_spatial(body.bias, wrench_at(com, turning, vcross(spin, stretch(about_com, spin))))


@inlined
def place_revolute(body, link, parent, rate):
    """Place a body on a revolute joint: pose, axis, velocity and ``c = v_parent x S rate``."""
    home, sine_part, cosine_part = matrix(link.home), matrix(link.sine_part), matrix(link.cosine_part)
    carrier, carrier_velocity = matrix(parent.rotation), spatial(parent.velocity)
    direction = rotate(carrier, vector(link.axis))
    position = vadd(vector(parent.position), rotate(carrier, vector(link.placement)))
    rotation = product(carrier, turn(home, sine_part, cosine_part, body.sine, body.cosine))
    axis = Spatial(direction, vcross(position, direction))
    joint_velocity = scale(axis, rate)
    put_spatial(body.axis, axis)
    put_spatial(body.coriolis, cross_motion(carrier_velocity, joint_velocity))
    put_pose(body, link, rotation, position, add(carrier_velocity, joint_velocity))


@inlined
def place_prismatic(body, link, parent, distance, rate):
    """Place a body on a prismatic joint: pose, axis, velocity and ``c = v_parent x S rate``."""
    carrier, carrier_velocity = matrix(parent.rotation), spatial(parent.velocity)
    direction = rotate(carrier, vector(link.axis))
    start = vadd(vector(parent.position), rotate(carrier, vector(link.placement)))
    joint_velocity = Spatial(ZERO, vscale(direction, rate))
    put_spatial(body.axis, Spatial(ZERO, direction))
    put_spatial(body.coriolis, cross_motion(carrier_velocity, joint_velocity))
    position = vadd(start, vscale(direction, distance))
    put_pose(body, link, product(carrier, matrix(link.home)), position, add(carrier_velocity, joint_velocity))


@inlined
def place_free(body, link, parent, q, v):
    """Place a body on a FREE joint, whose velocities are in the outer frame's axes.

    With w and l the joint's angular and linear rate in world axes, W the parent's angular velocity and p the body's
    origin, the joint's motion is (w, l + p x w) and its derivative at constant velocities is
    c = (W x w, W x l + p' x w + p x (W x w)).
    """
    k, j = link.position_index, link.velocity_index
    outer, spin = matrix(parent.rotation), spatial(parent.velocity).angular
    frame = product(outer, matrix(link.home))
    start = vadd(vector(parent.position), rotate(outer, vector(link.placement)))
    position = vadd(start, rotate(frame, vector_at(q, k)))
    linear, angular = rotate(frame, vector_at(v, j)), rotate(frame, vector_at(v, j + 3))
    velocity = add(spatial(parent.velocity), twist_at(position, linear, angular))
    carried = vcross(spin, angular)
    rate = vadd(vcross(spin, linear), vcross(velocity_at(velocity, position), angular))
    put_spatial(body.coriolis, Spatial(carried, vadd(rate, vcross(position, carried))))
    put_pose(body, link, product(frame, free_rotation(q, k)), position, velocity)


@inlined
def place_bodies(links, bodies, q, v):
    """Pass 1 of every algorithm, outward: pose, axis, velocity, rigid inertia and bias force of all bodies.

    Args:
        links: LINK records, (n,).
        bodies: BODY records, (n + 1,), written; the last is the world.
        q: coordinates, (nq,).
        v: velocities, (nv,), FREE joints in outer axes.
    """
    place_world(links, bodies, q, v)
    for i in range(len(links)):  # angles have no order in which to wait for one another
        bodies[i].sine, bodies[i].cosine = sincos(q[links[i].position_index])
    for i in range(len(links)):
        link, body, parent = links[i], bodies[i], bodies[links[i].parent]
        if link.joint_kind == REVOLUTE:
            place_revolute(body, link, parent, v[link.velocity_index])
        elif link.joint_kind == PRISMATIC:
            place_prismatic(body, link, parent, q[link.position_index], v[link.velocity_index])
        else:
            place_free(body, link, parent, q, v)


@inlined
def place_poses(links, bodies, q, v):
    """Like `place_bodies`, for who needs the poses only: nothing else of the bodies is written."""
    place_world(links, bodies, q, v)
    for i in range(len(links)):
        bodies[i].sine, bodies[i].cosine = sincos(q[links[i].position_index])
    for i in range(len(links)):
        link, body, parent = links[i], bodies[i], bodies[links[i].parent]
        carrier, home = matrix(parent.rotation), matrix(link.home)
        position = vadd(vector(parent.position), rotate(carrier, vector(link.placement)))
        if link.joint_kind == REVOLUTE:
            home = turn(home, matrix(link.sine_part), matrix(link.cosine_part), body.sine, body.cosine)
        elif link.joint_kind == PRISMATIC:
            position = vadd(position, vscale(rotate(carrier, vector(link.axis)), q[link.position_index]))
        else:
            k = link.position_index
            position = vadd(position, rotate(product(carrier, home), vector_at(q, k)))
            home = product(home, free_rotation(q, k))
        put_matrix(body.rotation, product(carrier, home))
        put_vector(body.position, position)


@inlined
def outer_frame(link, parent):
    """Return the rotation from a FREE joint's outer frame to world axes."""
    return product(matrix(parent.rotation), matrix(link.home))


@inlined
def carry_acceleration(body, link, parent, acceleration):
    """Set and return a body's acceleration from its parent's and its joint's (``acceleration``: (nv,), outer axes)."""
    j = link.velocity_index
    carried = add(spatial(parent.acceleration), spatial(body.coriolis))
    if link.joint_kind == FREE:
        frame = outer_frame(link, parent)
        linear, angular = rotate(frame, vector_at(acceleration, j)), rotate(frame, vector_at(acceleration, j + 3))
        own = twist_at(vector(body.position), linear, angular)
    else:
        own = scale(spatial(body.axis), acceleration[j])
    total = add(carried, own)
    put_spatial(body.acceleration, total)
    return total


@inlined
def carry_velocities(links, bodies, v):
    """Set every body's ``jump`` to its velocity in the world in the present pose with velocities ``v`` (nv,)."""
    put_spatial(bodies[-1].jump, Spatial(ZERO, ZERO))
    for i in range(len(links)):
        link, body, parent = links[i], bodies[i], bodies[links[i].parent]
        j = link.velocity_index
        if link.joint_kind == FREE:
            frame = outer_frame(link, parent)
            linear, angular = rotate(frame, vector_at(v, j)), rotate(frame, vector_at(v, j + 3))
            own = twist_at(vector(body.position), linear, angular)
        else:
            own = scale(spatial(body.axis), v[j])
        put_spatial(body.jump, add(spatial(parent.jump), own))


@inlined
def carry_two_velocities(links, bodies, first, second):
    """Like `carry_velocities` for two sets of velocities at once: motions go to ``velocity`` and to ``jump``."""
    put_spatial(bodies[-1].velocity, Spatial(ZERO, ZERO))
    put_spatial(bodies[-1].jump, Spatial(ZERO, ZERO))
    for i in range(len(links)):
        link, body, parent = links[i], bodies[i], bodies[links[i].parent]
        j = link.velocity_index
        if link.joint_kind == FREE:
            frame, position = outer_frame(link, parent), vector(body.position)
            own = twist_at(position, rotate(frame, vector_at(first, j)), rotate(frame, vector_at(first, j + 3)))
            other = twist_at(position, rotate(frame, vector_at(second, j)), rotate(frame, vector_at(second, j + 3)))
        else:
            own, other = scale(spatial(body.axis), first[j]), scale(spatial(body.axis), second[j])
        put_spatial(body.velocity, add(spatial(parent.velocity), own))
        put_spatial(body.jump, add(spatial(parent.jump), other))


@inlined
def point_position(body, offset):
    """Return where a point, ``offset`` in the body's frame, lies relative to the reference point, m."""
    return vadd(vector(body.position), rotate(matrix(body.rotation), offset))


@inlined
def point_acceleration(body, position):
    """Return the acceleration of a body's point, relative to free fall: the spatial one there plus ``w x velocity``."""
    velocity = spatial(body.velocity)
    turned = vcross(velocity.angular, velocity_at(velocity, position))
    return vadd(velocity_at(spatial(body.acceleration), position), turned)


@inlined
def world_position(bodies, position):
    """Return a position in the world from one relative to the reference point."""
    return vsub(position, vector(bodies[-1].position))


@inlined
def world_velocity(bodies, velocity):
    """Return a velocity in the world from one relative to the reference velocity."""
    return vsub(velocity, spatial(bodies[-1].velocity).linear)


@inlined
def velocities_to_outer_axes(links, q, v, out):
    """Turn the velocities of FREE joints from the moved body's axes (public) to the outer frame's axes (kernels)."""
    copy(v, out)
    for link in links:
        if link.joint_kind == FREE:
            rotation, j = free_rotation(q, link.position_index), link.velocity_index
            put_vector_at(out, j, rotate(rotation, vector_at(v, j)))
            put_vector_at(out, j + 3, rotate(rotation, vector_at(v, j + 3)))


@inlined
def velocities_to_base_axes(links, q, v, out):
    """Turn the velocities (or dual forces) of FREE joints from outer axes (kernels) to the moved body's (public)."""
    copy(v, out)
    for link in links:
        if link.joint_kind == FREE:
            rotation, j = free_rotation(q, link.position_index), link.velocity_index
            put_vector_at(out, j, rotate_back(rotation, vector_at(v, j)))
            put_vector_at(out, j + 3, rotate_back(rotation, vector_at(v, j + 3)))


@inlined
def accelerations_to_base_axes(links, q, v, a, out):
    """Turn derivatives of outer-axes velocities into derivatives of body-axes velocities: ``R^T (a - w x v)``."""
    copy(a, out)
    for link in links:
        if link.joint_kind == FREE:
            rotation, j = free_rotation(q, link.position_index), link.velocity_index
            linear = vsub(vector_at(a, j), vcross(vector_at(v, j + 3), vector_at(v, j)))
            put_vector_at(out, j, rotate_back(rotation, linear))
            put_vector_at(out, j + 3, rotate_back(rotation, vector_at(a, j + 3)))


@inlined
def accelerations_to_outer_axes(links, q, v, a, out):
    """Turn derivatives of body-axes velocities into derivatives of outer-axes velocities ``v``: ``R a + w x v``."""
    copy(a, out)
    for link in links:
        if link.joint_kind == FREE:
            rotation, j = free_rotation(q, link.position_index), link.velocity_index
            linear = vadd(rotate(rotation, vector_at(a, j)), vcross(vector_at(v, j + 3), vector_at(v, j)))
            put_vector_at(out, j, linear)
            put_vector_at(out, j + 3, rotate(rotation, vector_at(a, j + 3)))


@compiled
def forward_kinematics_entry(links, bodies, q, v, rotations, positions):
    """Write the world pose of every body: rotations (n, 9) by rows, positions (n, 3) in m."""
    place_bodies(links, bodies, q, v)
    for i in range(len(links)):
        copy(bodies[i].rotation, rotations[i])
        put_vector(positions[i], world_position(bodies, vector(bodies[i].position)))
