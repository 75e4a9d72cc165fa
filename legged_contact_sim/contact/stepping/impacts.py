"""Impacts inside a step: how they follow one another, and how their restitution is kept from creating energy."""

import math
from typing import NamedTuple

from ...dynamics.kinematics import copy
from ...jit import inlined
from ..bookkeeping import clear_report
from ..records import BLENDING, ENERGY_LIMITED
from ..system import ARRIVAL, ARRIVALS, IMPACTS_SO_FAR, LEFT, LENGTH, SOLVER

# What a step does about points that come to the ground within it: let them arrive just at its end, stop at the first
# arrival, or hold them off the ground without an impact. IMPACT is a step of no length, in which only impulses act.
ARRIVE, STOP, HOLD_OFF, IMPACT = 0, 1, 2, 3
MAX_IMPACTS = 20  # within a step; after that, points are held off the ground


class Part(NamedTuple):
    """A part of a step: motion up to an arrival or to the step's end, or an impact."""

    length: float  # s; 0: an impact
    arrivals: int  # ARRIVE, STOP, HOLD_OFF or IMPACT
    arrival: float  # of an impact: when its points come to the ground, s from the start of the part before it


@inlined
def next_part(found, part, left, impacts):
    """Return how a step goes on after a part of it was tried: the next part, the time left, s, the number of impacts.

    ``found`` is the time of an arrival before which the part must end, inf if the part is done. The motion goes on to
    the arrival, an impact follows, then the rest of the step.
    """
    if found < math.inf:
        return Part(found, ARRIVE if found > 0.0 else IMPACT, found), left, impacts
    if part.arrivals == ARRIVE:
        return Part(0.0, IMPACT, part.arrival), left - part.length, impacts
    if part.arrivals == IMPACT:
        return Part(left, STOP if impacts + 1 < MAX_IMPACTS else HOLD_OFF, part.arrival), left, impacts + 1
    return Part(0.0, STOP, part.arrival), 0.0, impacts


@inlined
def gains_energy(system, contacts, z, bounce):
    """Keep an impact from creating energy, which Newton's law with friction can do; return whether to solve again.

    A gaining solution is set aside and the plastic impact (restitution 0, which never gains) is solved next; that one
    is then moved back towards the gaining one as far as nothing is gained.
    """
    if bounce > 0.0:
        if impulse_work(system, contacts, z) <= 0.0:
            return False
        copy(z, system.elastic_impulses)
        system.ledger[SOLVER + ENERGY_LIMITED] += 1.0
        system.ledger[SOLVER + BLENDING] = 1.0
        return True
    if system.ledger[SOLVER + BLENDING] > 0.0:
        blend_to_no_gain(system, contacts, z, system.elastic_impulses)
        system.ledger[SOLVER + BLENDING] = 0.0
    return False


@inlined
def impulse_work(system, contacts, z):
    """Return the work of impulses on the free velocities, ``z . w + z . G z / 2``, J."""
    total = 0.0
    for k in range(contacts):
        contact = system.contacts[system.active[k]]
        for m in range(3):
            r = 3 * k + m
            response = 0.0
            for s in range(3 * contacts):
                response += system.G[r, s] * z[s]
            total += z[r] * (contact.free_velocity[m] + 0.5 * response)
    return total


@inlined
def blend_to_no_gain(system, contacts, plastic, elastic):
    """Replace the plastic impulses by the mixture with the elastic ones that is nearest to these and gains nothing.

    The work is a quadratic function of the mixture, not positive at the plastic end, positive at the elastic one.
    """
    low, high = 0.0, 1.0
    size = 3 * contacts
    for r in range(size):
        elastic[r] -= plastic[r]
    for _ in range(60):
        share = 0.5 * (low + high)
        for r in range(size):
            plastic[r] += share * elastic[r]
        gain = impulse_work(system, contacts, plastic)
        for r in range(size):
            plastic[r] -= share * elastic[r]
        if gain > 0.0:
            high = share
        else:
            low = share
    for r in range(size):
        plastic[r] += low * elastic[r]


@inlined
def begin_or_resume(system, h):
    """Return part, time left, s, and impacts so far of a new step of length ``h``, s, or of the one that is pending."""
    pending = system.pending
    if pending[LEFT] == 0.0:
        clear_report(system)
        return Part(h, STOP, math.inf), h, 0
    left, pending[LEFT] = pending[LEFT], 0.0
    return Part(pending[LENGTH], int(pending[ARRIVALS]), pending[ARRIVAL]), left, int(pending[IMPACTS_SO_FAR])


@inlined
def suspend(system, part, left, impacts):
    """Note where a step is that cannot go on for want of room."""
    pending = system.pending
    pending[LEFT], pending[IMPACTS_SO_FAR] = left, impacts
    pending[LENGTH], pending[ARRIVALS], pending[ARRIVAL] = part.length, part.arrivals, part.arrival
