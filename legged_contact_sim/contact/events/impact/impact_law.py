"""The impact law: restitution, stick first, slip by optimisation, control of the energy (Flickinger, chapters 3 to 5).

All points that touch take part, those that arrive and those that bear already, and so do joints at a limit:

    w+ = E w-      with -e_n for normals, -e_t for tangents (0: sticking), 0 for joint stops and slow arrivals,
    p  = G^+ (w+ - w-),        v+ = v- + A^-1 J^T p,

with G = J A^-1 J^T and its pseudo-inverse, since redundant points make G singular. Where all impulses lie in their
friction cones that is the result. Otherwise all tangential velocities come from the optimisation of
`slip_optimisation`. Points that would have to pull are left out, points that the others would press into the ground
are taken in (impact, contact, separation: eq. 3.1 for impulses). What no set of points resolves ends as an impact
without friction, which always exists.

Newton's restitution with friction can create energy. Its energetic coefficient e* bounds the kinetic energy after an
impact by e* times the one before, in one of three ways:

- by lower restitution: ``p = p_0 + eta (p_1 - p_0)`` between the plastic impact p_0 and the elastic one p_1, with the
  largest eta in [0, 1] that keeps the bound. Both obey contact and friction, so p does; only contact impulses act.
- by attenuating all velocities (section 5.1), ``v+ = e~ (v- + A^-1 J^T p)``. No contact impulses do that: they are
  reported as the study has them, e~ p (eq. 5.4), and ``J^T e~ p = A (v+ - e~ v-)``; e~ is part of the event.
- by a constraint of the optimisation (section 5.4), which concerns impacts that slip, and by attenuation where that is
  not enough.

Of all impulses that give the same velocities, the smallest are reported (section 3.5 minimises p . G p, which does not
tell them apart).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ....actuation.rows import CHANGE
from ....jit import inlined
from ...impulses import apply_impulses
from ...solvers.gauss_seidel import pgs_kernel
from .. import notes
from ..flow.constrained_motion import solve_rows
from ..impact_rows import book_impulses, book_works, impulse_work, list_touching, total_energy
from ..laws import Strike
from ..motion import CONTACT_COUNT, RIGHT, ROW_OF, SOLUTION, STOP_COUNT
from ..settings import EVENT_FIELDS
from .slip_barrier import SlipWork, build_slip_work
from .slip_optimisation import EnergyBound, FrictionLaw, SlipProblem, optimise_slip

IMPACT_SETTINGS = np.dtype(
    [
        *EVENT_FIELDS,
        ("stribeck_speed", "f8"),  # v_s, m/s: within it the coefficient falls from static to dynamic
        ("stribeck_exponent", "f8"),  # alpha
        ("tangential_restitution", "f8"),  # e_t of the no-slip impact
        ("energetic_restitution", "f8"),  # e*
        ("energy_control", "i8"),  # ATTENUATION, CONSTRAINT, NO_CONTROL or LOWER_RESTITUTION
    ],
    align=True,
)


class Impact(NamedTuple):
    """Work of an impact; R rows: three per contact point, then one per joint at a limit."""

    G: Any  # (R, R) of the rows that take part
    before: Any  # (R,): their velocities
    target: Any  # (R,): what these should become
    p: Any  # (R,): their impulses
    index: Any  # (R,): where they stand among all rows
    part: Any  # (R,): whether a row takes part
    targets: Any  # (R,): what the velocities of all rows should become
    elastic: Any  # (R,): impulses with full restitution
    slip: SlipWork


def build_impact(rows: int) -> Impact:
    """Return the work of impacts with at most so many rows."""
    return Impact(
        G=np.zeros((rows, rows)),
        before=np.zeros(rows),
        target=np.zeros(rows),
        p=np.zeros(rows),
        index=np.zeros(rows, dtype=np.int64),
        part=np.zeros(rows, dtype=np.int64),
        targets=np.zeros(rows),
        elastic=np.zeros(rows),
        slip=build_slip_work(rows),
    )


ATTENUATION, CONSTRAINT, NO_CONTROL, LOWER_RESTITUTION = 0, 1, 2, 3
STICKS, SLIPS, FRICTIONLESS = 0, 1, 2
RESTING_SPEED = 1e-9  # m/s; what leaves the ground faster takes no part by itself
CONE_TOLERANCE = 1e-9  # of the largest impulse
FALLBACK_TOLERANCE, FALLBACK_SWEEPS = 1e-13, 20_000


@inlined
def fill_targets(before, points, rows, settings, bounce, target):
    """Write what the rows' velocities should become, ``E w-``; return the fastest approach, m/s.

    Restitution acts on all points or on none: if the fastest of them is faster than the threshold.
    """
    approach = 0.0
    for k in range(points):
        approach = max(approach, -before[3 * k])
    lively = bounce and approach > settings.impact_threshold
    for r in range(rows):
        target[r] = 0.0
    if lively:
        for k in range(points):
            target[3 * k] = -settings.restitution * min(before[3 * k], 0.0)
            for m in range(1, 3):
                target[3 * k + m] = -settings.tangential_restitution * before[3 * k + m]
    return approach


@inlined
def gather_part(G, before, target, points, rows, part, work):
    """Copy the rows of the points and stops that take part to the front of the work; return their two numbers."""
    chosen, number = 0, 0
    for r in range(rows):
        if part[r]:
            work.index[chosen] = r
            chosen += 1
            if r < 3 * points and r % 3 == 0:
                number += 1
    for a in range(chosen):
        work.before[a], work.target[a] = before[work.index[a]], target[work.index[a]]
        for c in range(chosen):
            work.G[a, c] = G[work.index[a], work.index[c]]
    return number, chosen


@inlined
def in_cones(p, points, rows, friction):
    """Return whether no impulse pulls and all tangential ones are within friction."""
    largest = 0.0
    for r in range(rows):
        largest = max(largest, abs(p[r]))
    allowed = CONE_TOLERANCE * largest
    for k in range(points):
        size = math.sqrt(p[3 * k + 1] ** 2 + p[3 * k + 2] ** 2)
        if p[3 * k] < -allowed or size > friction * p[3 * k] + allowed:
            return False
    for r in range(3 * points, rows):
        if p[r] < -allowed:
            return False
    return True


@inlined
def stick_impulses(work, motion, rows):
    """Write the impulses that bring all rows to their targets, of smallest norm."""
    for a in range(rows):
        for c in range(rows):
            motion.M[a, c] = work.G[a, c]
        motion.vectors[RIGHT, a] = work.target[a] - work.before[a]
    solve_rows(motion, rows)
    for a in range(rows):
        work.p[a] = motion.vectors[SOLUTION, a]


@inlined
def solve_part(work, motion, points, rows, settings, bound, energy):
    """Find the impulses of the points that take part; return STICKS, SLIPS or FRICTIONLESS (none were found).

    Also returned: whether they keep within the energy bound.
    """
    stick_impulses(work, motion, rows)
    if in_cones(work.p, points, rows, settings.friction):
        return STICKS, True
    for r in range(3 * points):  # what sticks in part of the optimisation comes to rest
        if r % 3 != 0:
            work.target[r] = 0.0
    slip = SlipProblem(work.G, work.before, work.target, points, rows)
    law = FrictionLaw(settings.friction, settings.dynamic_friction, settings.stribeck_speed, settings.stribeck_exponent)
    for bounded in (True, False):
        if bounded or bound < math.inf:
            value = optimise_slip(slip, law, EnergyBound(bound if bounded else math.inf, energy), work.slip, work.p)
            if value < math.inf:
                return SLIPS, bounded
    return FRICTIONLESS, True


@inlined
def drop_pulling(work, motion, points, rows, part):
    """Leave out the point or stop that pulls hardest in the impact without friction; return whether there was one."""
    count, listed = 0, motion.unknowns[ROW_OF]
    for r in range(rows):
        if r >= 3 * points or r % 3 == 0:
            listed[count] = r
            count += 1
    for a in range(count):
        for c in range(count):
            motion.M[a, c] = work.G[listed[a], listed[c]]
        motion.vectors[RIGHT, a] = work.target[listed[a]] - work.before[listed[a]]
    solve_rows(motion, count)
    worst, p = 0, motion.vectors[SOLUTION]
    for a in range(count):
        if p[a] < p[worst]:
            worst = a
    if count < 2 or not p[worst] <= 0.0:
        return False
    r = listed[worst]
    for m in range(1 if r >= 3 * points else 3):
        part[work.index[r + m]] = 0
    return True


@inlined
def add_pressed(G, before, target, points, rows, p, part):
    """Take in points and stops that the impulses would press into the ground; return whether there were any."""
    added = False
    for r in range(rows):
        if part[r] or (r < 3 * points and r % 3 != 0):
            continue
        velocity = before[r]
        for s in range(rows):
            velocity += G[r, s] * p[s]
        if velocity < min(target[r], 0.0) - 1e-9:
            for m in range(3 if r < 3 * points else 1):
                part[r + m] = 1
            added = True
    return added


@inlined
def frictionless(work, motion, G, before, target, points, rows, p):
    """Write the impulses of the impact without friction: a complementarity problem that always has a solution."""
    count = 0
    for r in range(rows):
        p[r] = 0.0
        if r >= 3 * points or r % 3 == 0:
            work.index[count] = r
            count += 1
    for a in range(count):
        motion.vectors[RIGHT, a] = before[work.index[a]] - target[work.index[a]]
        motion.vectors[SOLUTION, a] = 0.0
        for c in range(count):
            motion.M[a, c] = G[work.index[a], work.index[c]]
    M, b, z = motion.M[:count, :count], motion.vectors[RIGHT, :count], motion.vectors[SOLUTION, :count]
    pgs_kernel(M, b, z, 1.0, FALLBACK_TOLERANCE, FALLBACK_SWEEPS)
    for a in range(count):
        p[work.index[a]] = z[a]


@inlined
def find_impulses(system, motion, impact, settings, bound, energy, target, p):
    """Find the impulses of all rows; return STICKS, SLIPS or FRICTIONLESS, and whether the energy bound was met."""
    before, part = system.offsets, impact.part
    points, rows = motion.counts[CONTACT_COUNT], 3 * motion.counts[CONTACT_COUNT] + motion.counts[STOP_COUNT]
    for r in range(rows):
        normal = before[r] if r >= 3 * points else before[r - r % 3]
        part[r] = 1 if normal <= RESTING_SPEED else 0
    for _ in range(2 * rows + 4):
        for r in range(rows):
            p[r] = 0.0
        chosen, size = gather_part(system.G, before, target, points, rows, part, impact)
        found, bounded = STICKS, True
        if size > 0:
            found, bounded = solve_part(impact, motion, chosen, size, settings, bound, energy)
            if found == FRICTIONLESS:
                if not drop_pulling(impact, motion, chosen, size, part):
                    break
                continue
        for a in range(size):
            p[impact.index[a]] = impact.p[a]
        if not add_pressed(system.G, before, target, points, rows, p, part):
            return found, bounded
    frictionless(impact, motion, system.G, before, target, points, rows, p)
    return FRICTIONLESS, True


@inlined
def largest_share(linear, square, room):
    """Return the largest eta in [0, 1] with ``linear eta + square eta^2 <= room``, where 1 is too much; square > 0."""
    if room <= 0.0:
        return 0.0
    root = math.sqrt(linear * linear + 4.0 * square * room)
    return 2.0 * room / (linear + root) if linear > 0.0 else (root - linear) / (2.0 * square)


@inlined
def lower_restitution(system, motion, impact, settings, energy, most, p):
    """Change the impulses of an impact so that the kinetic energy changes by ``most``, J; return by what it does.

    The plastic impact takes what contact impulses can take; where that is not enough, it is the result.
    """
    points, before, target = motion.counts[CONTACT_COUNT], system.offsets, impact.targets
    rows = 3 * points + motion.counts[STOP_COUNT]
    for r in range(rows):
        impact.elastic[r], target[r] = p[r], 0.0
    find_impulses(system, motion, impact, settings, math.inf, energy, target, p)
    plastic = impulse_work(system.G, before, p, rows)
    if plastic > 0.0:
        frictionless(impact, motion, system.G, before, target, points, rows, p)
        plastic = impulse_work(system.G, before, p, rows)
    linear, square = 0.0, 0.0
    for r in range(rows):
        velocity, change = before[r], 0.0
        for s in range(rows):
            velocity += system.G[r, s] * p[s]
            change += system.G[r, s] * (impact.elastic[s] - p[s])
        linear += (impact.elastic[r] - p[r]) * velocity
        square += 0.5 * (impact.elastic[r] - p[r]) * change
    share = largest_share(linear, square, most - plastic)
    for r in range(rows):
        p[r] += share * (impact.elastic[r] - p[r])
    return plastic + share * (linear + share * square)


@inlined
def notes_of(found, factor, bounded):
    """Return the notes of an impact: how it was found, whether velocities were attenuated and its bound met."""
    note = notes.ATTENUATED if factor < 1.0 else 0
    if found == FRICTIONLESS:
        note += notes.WITHOUT_FRICTION
    return note if bounded else note + notes.UNBOUNDED


@inlined
def strike_by_restitution(system, motion, impact, settings, bounce):
    """Change the velocities in ``motion.y`` by an impact of all that touches; see `Laws`."""
    nv = system.dofs.shape[1]
    nq, p, target = len(system.state) - nv, system.impulses, impact.targets
    q, v = motion.y[:nq], motion.y[nq : nq + nv]
    energy, total = total_energy(system, q, v)
    list_touching(system, motion)
    points, rows = motion.counts[CONTACT_COUNT], 3 * motion.counts[CONTACT_COUNT] + motion.counts[STOP_COUNT]
    approach = fill_targets(system.offsets, points, rows, settings, bounce, target)
    share = settings.energetic_restitution
    if not (bounce and approach > settings.impact_threshold):
        share = max(share, 1.0)  # a contact that begins softly is no impact: it only must not gain
    bound = (share - 1.0) * energy if settings.energy_control == CONSTRAINT else math.inf
    found, bounded = find_impulses(system, motion, impact, settings, bound, energy, target, p)
    change = impulse_work(system.G, system.offsets, p, rows)
    factor, most, lowered = 1.0, (share - 1.0) * energy, False
    if settings.energy_control != NO_CONTROL and energy + change > share * energy * (1.0 + 1e-12):
        if settings.energy_control == LOWER_RESTITUTION:
            change = lower_restitution(system, motion, impact, settings, energy, most, p)
            lowered, bounded = True, change <= most + 1e-9 * energy
        else:
            factor = math.sqrt(share * energy / (energy + change))
            change = most
    apply_impulses(system, points, rows, p)
    for j in range(nv):
        v[j] = factor * (v[j] + system.dofs[CHANGE, j])
    book_works(system, motion, p, factor, change)
    for r in range(rows):
        p[r] *= factor
    book_impulses(system, motion, p, points)
    note = notes_of(found, factor, bounded) | (notes.LOWERED if lowered else 0)
    return Strike(approach, note, total, total + change, factor)
