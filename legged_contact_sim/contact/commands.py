"""What drives the joints during a run: efforts and joint springs toward targets, row by row; and what is recorded."""

from ..actuation.rows import FEED, TARGET
from ..dynamics.kinematics import copy, place_bodies, rates_to_base_axes
from ..jit import inlined, shared
from .detection import measure_all_gaps

COMMAND_ROWS = 2  # of a command: feed-forward efforts (FREE joints: wrench in outer axes), target positions


@inlined
def take_command(system, command):
    """Take over a command (2, nv) for the coming step."""
    copy(command[0], system.rates[FEED])
    copy(command[1], system.rates[TARGET])


@shared
def record(system, row):
    """Write one row of a log: q, v (public axes), ledger, then impulse (3), end gap and mode of every contact point."""
    nv = system.rates.shape[1]
    nq, width = len(system.state) - nv, len(system.ledger)
    place_bodies(system.links, system.bodies, system.state[:nq], system.state[nq:])
    measure_all_gaps(system.contacts, system.bodies, system.terrain[0], system.heights)
    copy(system.state[:nq], row[:nq])
    rates_to_base_axes(system.links, system.state[:nq], system.state[nq:], row[nq : nq + nv])
    copy(system.ledger, row[nq + nv : nq + nv + width])
    k = nq + nv + width
    for contact in system.contacts:
        row[k], row[k + 1], row[k + 2] = contact.impulse[0], contact.impulse[1], contact.impulse[2]
        row[k + 3], row[k + 4] = contact.end_gap, contact.mode
        k += 5
