"""What acts in the joints without a switch or a corner: efforts, viscous damping, springs, rotor inertia."""

from ..jit import inlined
from ..model.records import FREE
from .kinematics import copy


@inlined
def smooth_efforts(links, q, v, effort, out):
    """Write the efforts (nv,) that commands, damping and springs give together: ``effort - d v - k (q - q_rest)``."""
    copy(effort, out)
    for link in links:
        if link.joint_kind != FREE:
            j = link.velocity_index
            out[j] -= link.damping * v[j] + link.stiffness * (q[link.position_index] - link.rest_position)
