"""What acts on the robot in a step of a run: efforts and joint springs toward targets, row by row; and pushes."""

from ..actuation.integral import accumulate_errors
from ..actuation.rows import ACCUMULATED, FEED, TARGET
from ..dynamics.kinematics import copy
from ..jit import inlined
from .pushes import push_bodies

# Of a command: feed-forward efforts and target positions of the joints. A base has no drive, its columns are zero:
# what acts on it from outside is a push.
COMMAND_ROWS = 2


@inlined
def take_command(system, command):
    """Take over a command (2, nv) for the coming step, and the pushes that act in it."""
    copy(command[1], system.dofs[TARGET])
    accumulate_errors(system)
    for j in range(system.dofs.shape[1]):
        system.dofs[FEED, j] = command[0, j] + system.dofs[ACCUMULATED, j]
    push_bodies(system)
