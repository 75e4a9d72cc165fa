"""What acts on the robot in a step of a run: efforts and joint springs toward targets, row by row; and pushes."""

from ..actuation.rows import FEED, TARGET
from ..dynamics.kinematics import copy
from ..jit import inlined
from .pushes import push_bodies

COMMAND_ROWS = 2  # of a command: feed-forward efforts (FREE joints: wrench in outer axes), target positions


@inlined
def take_command(system, command):
    """Take over a command (2, nv) for the coming step, and the pushes that act in it."""
    copy(command[0], system.dofs[FEED])
    copy(command[1], system.dofs[TARGET])
    push_bodies(system)
