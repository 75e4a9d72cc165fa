"""What drives the joints during a run: efforts and joint springs toward targets, row by row; and what is recorded."""

from ..compilation import inlined
from ..dynamics.kinematics import copy, rates_to_base_axes
from ..model.records import FREE
from .joint_laws import limit_effort
from .system import DAMPING, EFFORT, STIFFNESS

FEED, TARGET = 0, 1  # second index of a command array


@inlined
def command_joints(system, command):
    """Set the efforts of a step: ``feed + kp (target - q) - kd v``, within the drives' limits.

    Args:
        system: the system; its rates hold kp and kd in the rows STIFFNESS and DAMPING.
        command: (2, nv): feed-forward efforts (FREE joints: wrench in outer axes), target positions.
    """
    rates = system.rates
    nq = len(system.state) - rates.shape[1]
    for link in system.links:
        j = link.velocity_index
        if link.joint_kind == FREE:
            for k in range(j, j + 6):
                rates[EFFORT, k] = command[FEED, k]
        else:
            rate = system.state[nq + j]
            lag = command[TARGET, j] - system.state[link.position_index]
            effort = command[FEED, j] + rates[STIFFNESS, j] * lag - rates[DAMPING, j] * rate
            rates[EFFORT, j] = limit_effort(link, effort, rate)


@inlined
def record(system, row):
    """Write one row of a log: q, v (public axes), ledger, then impulse (3), end gap and mode of every contact point."""
    nv = system.rates.shape[1]
    nq, width = len(system.state) - nv, len(system.ledger)
    copy(system.state[:nq], row[:nq])
    rates_to_base_axes(system.links, system.state[:nq], system.state[nq:], row[nq : nq + nv])
    copy(system.ledger, row[nq + nv : nq + nv + width])
    k = nq + nv + width
    for contact in system.contacts:
        row[k], row[k + 1], row[k + 2] = contact.impulse[0], contact.impulse[1], contact.impulse[2]
        row[k + 3], row[k + 4] = contact.end_gap, contact.mode
        k += 5
