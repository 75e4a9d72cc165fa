"""Impulses on the robot: what gives way to them in the joints, and the velocities that they change."""

from ..actuation.rows import ADDED, APPLIED, CHANGE
from ..dynamics.contact_inertia import spread_jumps
from ..dynamics.record_fields import increase_spatial, put_spatial, spatial
from ..dynamics.spatial import ZERO, Spatial, scale
from ..jit import inlined
from ..model.records import FREE


@inlined
def external_forces_act(forces):
    """Return whether any external wrench is not zero."""
    total = 0.0
    for f in forces:
        total += abs(f[0]) + abs(f[1]) + abs(f[2]) + abs(f[3]) + abs(f[4]) + abs(f[5])
    return total != 0.0


@inlined
def release_joints(system):
    """Leave only rotors in the joints: dry friction, drives and dampers are finite and give way to an impulse."""
    for i in range(len(system.links)):
        system.bodies[i].locked = 0
        j = system.links[i].velocity_index
        if system.links[i].joint_kind == FREE:
            for k in range(j, j + 6):
                system.dofs[APPLIED, k] = 0.0
        else:
            system.dofs[APPLIED, j] = 0.0
            system.dofs[ADDED, j] = system.links[i].rotor_inertia


@inlined
def gather_impulses(system, contacts, rows, z):
    """Collect in joints and FREE bodies what the impulses leave in them; each row's unit impulse is known there."""
    links, bodies = system.links, system.bodies
    for i in range(len(links)):
        bodies[i].drive = 0.0
        if links[i].joint_kind == FREE:
            put_spatial(bodies[i].bias, Spatial(ZERO, ZERO))
    for k in range(contacts):
        r, i, end = 3 * k, system.rows[3 * k].link, system.rows[3 * k].end
        while i != end:
            efforts = system.row_efforts[r, i] * z[r] + system.row_efforts[r + 1, i] * z[r + 1]
            bodies[i].drive += efforts + system.row_efforts[r + 2, i] * z[r + 2]
            i = links[i].parent
        if end >= 0:
            for m in range(r, r + 3):
                increase_spatial(bodies[end].bias, scale(spatial(system.rows[m].force), -z[m]))
    for r in range(3 * contacts, rows):
        row = system.rows[r]
        i = row.link
        while i != row.end:
            bodies[i].drive += system.row_efforts[r, i] * z[r]
            i = links[i].parent
        if i >= 0:
            increase_spatial(bodies[i].bias, scale(spatial(row.force), -z[r]))


@inlined
def apply_impulses(system, contacts, rows, z):
    """Write the change of velocities that the impulses cause; every body's ``jump`` becomes its change of motion."""
    gather_impulses(system, contacts, rows, z)
    spread_jumps(system.links, system.bodies, system.dofs[CHANGE])
