"""The integral term of the drives: what it adds to their efforts grows with the error, step by step."""

from ..jit import inlined
from ..model.records import FREE
from .rows import ACCUMULATED, BOUND, INTEGRAL, TARGET


@inlined
def accumulate_errors(system):
    """Add the errors at the start of the coming step, ``Ki h (q* - q)``, to the integrals' efforts.

    A drive that is at its effort limit waits, so that its integral does not wind up.
    """
    dofs, acting = system.dofs, 0.0
    for j in range(dofs.shape[1]):
        acting += dofs[INTEGRAL, j]
    if acting == 0.0:
        return
    for link in system.links:
        j = link.velocity_index
        if link.joint_kind != FREE and dofs[BOUND, j] == 0.0:
            dofs[ACCUMULATED, j] += dofs[INTEGRAL, j] * (dofs[TARGET, j] - system.state[link.position_index])
