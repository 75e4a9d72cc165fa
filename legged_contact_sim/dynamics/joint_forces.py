"""What acts in the joints without a switch or a corner: efforts, viscous damping, springs, rotor inertia."""

from ..compilation import inlined
from ..model.records import FREE


@inlined
def smooth_efforts(links, q, v, effort, out):
    """Write the efforts (nv,) that commands, damping and springs give together: ``effort - d v - k (q - q_rest)``."""
    out[:] = effort
    for link in links:
        if link.joint_kind != FREE:
            j = link.velocity_index
            out[j] -= link.damping * v[j] + link.stiffness * (q[link.position_index] - link.rest_position)


@inlined
def rotor_inertias(links, out):
    """Write what every rate's rotor adds to its joint's inertia, (nv,); zero at FREE joints."""
    out[:] = 0.0
    for link in links:
        if link.joint_kind != FREE:
            out[link.velocity_index] = link.rotor_inertia
