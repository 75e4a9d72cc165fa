"""Impacts by friction: a slip that jams (Painleve) is stopped by impulses, though nothing arrives at the ground.

A rod that is pushed along the ground, leaning forward, is pressed down by its own friction. Where that outweighs the
inertia, ``G_nn < mu G_nt``, no finite forces obey contact and friction (Painleve 1895); they grow without bound on the
way there (Genot and Brogliato 1999, "dynamic jam"). What resolves it is an impact without a collision (Lecornu 1905,
Stewart 2000): impulses within friction that brake the slip until it stops. They follow from the impact in the impulse
domain of `impulse_impact`, without restitution, and never give energy: normal velocities go from zero into the ground
and back to zero, friction acts against the slip throughout.
"""

from ....actuation.rows import CHANGE
from ....jit import inlined
from ...impulses import apply_impulses
from ..impact_rows import book_impact, list_touching, total_energy
from ..motion import CONTACT_COUNT, STOP_COUNT
from .impulse_impact import JAMMED, collide


@inlined
def stop_slip(system, motion, problem, settings):
    """Change the rates in ``motion.y`` by the impact that stops a slip which jams.

    Returns whether one jammed, and the energy before and after, J. The impulses stay in ``system.impulses``.
    """
    nv = system.rates.shape[1]
    nq, p = len(system.state) - nv, system.impulses
    q, v = motion.y[:nq], motion.y[nq : nq + nv]
    _, total = total_energy(system, q, v)
    list_touching(system, motion)
    points, rows = motion.counts[CONTACT_COUNT], 3 * motion.counts[CONTACT_COUNT] + motion.counts[STOP_COUNT]
    for r in range(rows):
        problem.velocity[r] = system.offsets[r]
        for s in range(rows):
            problem.G[r, s] = system.G[r, s]
    outcome, _ = collide(problem, points, rows, settings.friction, settings.dynamic_friction, 0.0)
    for r in range(rows):
        p[r] = problem.impulse[r]
    change = problem.works[0] + problem.works[1] + problem.works[2]
    apply_impulses(system, points, rows, p)
    for j in range(nv):
        v[j] += system.rates[CHANGE, j]
    book_impact(system, motion, p, points, rows, 1.0, change)
    return outcome == JAMMED, total, total + change
