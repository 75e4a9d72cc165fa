"""Which contacts act in a time step, and when those that do not act yet arrive at the ground."""

import math
from typing import NamedTuple

from ...actuation.rows import FREE_VELOCITY
from ...dynamics.kinematics import carry_velocities
from ...dynamics.record_fields import spatial
from ...jit import inlined, inlined_always, shared_always
from ...model.records import FREE
from ...terrain.motion import tilts
from ..bookkeeping import SOFTEST_IMPACT
from ..constraint_rows import CLOSED_GAP
from ..detection import measure_gap, normal_change, normal_speed, put_velocity, set_tangents, time_to_ground
from ..records import OPEN
from .impacts import ARRIVE, HOLD_OFF, IMPACT, STOP

SIMULTANEOUS = 1e-3  # of a time step; points that arrive closer together than this hit the ground in one impact

# Rules by which a contact acts: its gap would close by the end of the step, or it is closed at the midpoint (Moreau's
# scheme as Gehring writes it: no impacts inside the step, restitution at every step, nothing takes back the drift).
PREDICTED, AT_MIDPOINT = 0, 1
NO_ROOM = -1.0  # in place of an arrival's time: more contacts act than there is room for


class Acting(NamedTuple):
    """What acts in a part of a step."""

    contacts: int  # the first ones of System.active
    joints: int  # at a limit, the first ones of System.limited
    first: float  # when the first new contact or limit is hit, s; the part must end there. NO_ROOM: it cannot be solved


@inlined
def speed_bound(system, extent):
    """Return a speed, m/s, that no point of the robot exceeds with the velocities at the start or the free ones.

    Every velocity moves a point by at most itself times the robot's ``extent``, m (1 for a sliding joint). A plate that
    tilts can reach a far point at any speed.
    """
    if tilts(system.terrain[0]):
        return math.inf
    lever, bound, nv = max(extent, 1.0), 0.0, system.dofs.shape[1]
    start = len(system.state) - nv
    for j in range(nv):
        bound += max(abs(system.state[start + j]), abs(system.dofs[FREE_VELOCITY, j]))
    return bound * lever


@inlined
def arrival_time(gap, start, free, h, settings):
    """Return when a point (or a joint) that was away from the ground (its limit) hits it, s, from its gap halfway.

    inf: not in this step, or too softly to matter. One that is there already and still comes on hits it at once.
    """
    gap_before, acceleration = gap - 0.5 * h * start, (free - start) / h
    time = time_to_ground(gap_before if gap_before > CLOSED_GAP else 0.0, start, acceleration)
    if time >= h or -start - acceleration * time < SOFTEST_IMPACT * settings.impact_threshold:
        return math.inf
    return time


@inlined
def first_limit(system, q_middle, v, h, settings):
    """Return when the first joint that was away from its limits hits one, s; inf: none does in this step."""
    first = math.inf
    for i in range(len(system.links)):
        link, j = system.links[i], system.links[i].velocity_index
        if link.joint_kind == FREE or system.bodies[i].locked:
            continue
        q, free = q_middle[link.position_index], system.dofs[FREE_VELOCITY, j]
        if q + 0.5 * h * free < link.lower_limit and q - 0.5 * h * v[j] > link.lower_limit + CLOSED_GAP:
            first = min(first, arrival_time(q - link.lower_limit, v[j], free, h, settings))
        elif q + 0.5 * h * free > link.upper_limit and q - 0.5 * h * v[j] < link.upper_limit - CLOSED_GAP:
            first = min(first, arrival_time(link.upper_limit - q, -v[j], -free, h, settings))
    return first


@shared_always
def find_contacts(system, h, settings, arrivals):
    """List the contacts that act in this step; return how many, and when the first new one hits the ground, s."""
    reach = h * speed_bound(system, settings.extent) if arrivals != IMPACT else math.inf
    return find_within(system, h, settings, arrivals, reach)


@inlined_always
def find_within(system, h, settings, arrivals, reach):
    """Do what `find_contacts` does, knowing that no point of the robot goes farther than ``reach``, m, in the step.

    A point acts if its gap would close by the end of the step. One that was away before and comes faster than the
    threshold is left to an impact, in which all points that touch and those that arrive by ``h`` act. All are counted,
    also those for which there is no room in the list.
    """
    count, first, bodies, contacts = 0, math.inf, system.bodies, system.contacts
    terrain, heights = system.terrain, system.heights
    for k in range(len(contacts) - len(system.pairs)):
        contact = contacts[k]
        contact.mode = OPEN
        contact.clearance -= reach
        if contact.clearance > reach or not measure_gap(contact, bodies, terrain[0], heights, reach):
            contact.near, contact.arrival = 0, math.inf
            continue
        if acts_now(contact, bodies[contact.motion], h, settings, arrivals):
            activate(contact, bodies[contact.motion])
            if count < len(system.active):
                system.active[count] = k
            count += 1
        if arrivals == STOP:
            first = min(first, contact.arrival)
    return count, first


@inlined
def acts_now(contact, body, h, settings, arrivals):
    """Return whether a contact that is near acts in this step, and note when it arrives if it does not act yet."""
    start, free = normal_speed(contact, spatial(body.velocity)), normal_speed(contact, spatial(body.jump))
    contact.start_velocity[0], contact.free_velocity[0] = start, free
    closes = contact.gap + 0.5 * h * free <= 0.0
    if arrivals == STOP:
        contact.arrival = math.inf
        if closes and not contact.closed:
            contact.arrival = arrival_time(contact.gap, start, free, h, settings)
    if settings.activation == AT_MIDPOINT:
        contact.arrival = math.inf
        return contact.gap <= 0.0
    if arrivals == IMPACT:
        return contact.closed == 1 or contact.arrival <= h + SIMULTANEOUS * settings.time_step
    return closes and (contact.closed == 1 or arrivals == HOLD_OFF or contact.arrival == math.inf)


@inlined
def activate(contact, body):
    """Set the tangents of a contact that acts, and fill its velocities at the start and at the free end."""
    set_tangents(contact)
    put_velocity(contact, spatial(body.velocity), contact.start_velocity)
    put_velocity(contact, spatial(body.jump), contact.free_velocity)


@inlined
def append_overlooked(system, h, contacts, arrivals, carry_free):
    """Append contacts that the impulses would press into the ground; return the new number of active ones.

    All are counted, also those for which there is no room in the list.
    Bodies' ``jump`` holds the change of motion by the impulses, which is put back to the free end's, by
    ``carry_free``, if any is appended.
    """
    count = contacts
    for k in range(len(system.contacts)):
        contact = system.contacts[k]
        if contact.near and (contact.closed == 1 or arrivals != ARRIVE):
            end = contact.free_velocity[0] + normal_change(contact, spatial(system.bodies[contact.motion].jump))
            if contact.gap + 0.5 * h * end < -CLOSED_GAP and not is_listed(system.active, contacts, k):
                if count < len(system.active):
                    system.active[count] = k
                count += 1
    if contacts < count <= len(system.active):
        carry_free(system)
        for k in range(contacts, count):
            contact = system.contacts[system.active[k]]
            activate(contact, system.bodies[contact.motion])
    return count


@inlined
def carry_free(system):
    """Let every body's ``jump`` be its motion at the free end."""
    carry_velocities(system.links, system.bodies, system.dofs[FREE_VELOCITY])


@inlined
def is_listed(indices, count, k):
    """Return whether ``k`` is among the first indices."""
    for m in range(count):
        if indices[m] == k:
            return True
    return False
