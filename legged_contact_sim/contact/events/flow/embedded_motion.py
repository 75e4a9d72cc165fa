"""Smooth motion by constraint embedding: how the loads of the moment enter it, and what follows from its forces."""

import math

from ....actuation.rows import CHANGE
from ....dynamics.kinematics import carry_velocities
from ....jit import inlined
from ..motion import CONTACT_COUNT, ROW_OF, SLIPPING, SOLUTION, STOP_COUNT
from .constrained_motion import list_unknowns, push_robot, slip_direction, spread_forces
from .constraint_embedding import embed

LIGHTEST = 1e-10  # smallest load, relative to the heaviest, by which points share redundant forces


@inlined
def embed_forces(system, motion, y):
    """Find the forces of the held rows and the accelerations that they add.

    Redundant normal forces stay near the last ones. Redundant friction is shared by the loads of the moment, so that
    the points of a foot come to the bound of their friction together, not one after the other.
    """
    reduction = motion.reduction
    held, f = list_unknowns(system, motion), motion.vectors[SOLUTION]
    drags, weights = reduction.drags, reduction.weights
    rows, contacts, mu = motion.unknowns[ROW_OF], motion.counts[CONTACT_COUNT], motion.flow[0].dynamic_friction
    load = 0.0
    for k in range(contacts):
        load = max(load, system.contacts[system.active[k]].force[0])
    for a in range(held):
        drags[0, a], drags[1, a], weights[a], f[a] = 0.0, 0.0, 1.0, 0.0
        if rows[a] < 3 * contacts:
            k = system.active[rows[a] // 3]
            f[a] = system.contacts[k].force[0] if rows[a] % 3 == 0 else 0.0
            if motion.unknowns[SLIPPING, a]:
                first, second = slip_direction(system.contacts[k], motion.points[k])
                drags[0, a], drags[1, a] = mu * first, mu * second
            if load > 0.0:
                weights[a] = math.sqrt(max(system.contacts[k].force[0] / load, LIGHTEST))
    embed(system, reduction, y, contacts, motion.counts[STOP_COUNT], rows, held, f)


@inlined
def is_any_held(system):
    """Return whether dry friction holds a joint."""
    for i in range(len(system.links)):
        if system.bodies[i].locked:
            return True
    return False


@inlined
def embedded_forces(system, motion, y):
    """Find the forces of all rows, (normal, tangents) per contact, then joint stops, and what they add to the motion.

    The way of `embedding`. Where dry friction holds a joint, what it has to hold follows from the forces.
    """
    embed_forces(system, motion, y)
    spread_forces(system, motion)
    if is_any_held(system):
        push_robot(system, motion)
    else:
        carry_velocities(system.links, system.bodies, system.dofs[CHANGE])
