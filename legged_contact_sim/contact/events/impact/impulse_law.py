"""Singh's impact law, and impacts by friction alone: what touches is taken through the impulse domain.

The law is that of `impulse_impact`: all points that touch take part, compress and expand together, and end where
Stronge's energetic restitution says. It never gives energy. An impact that does not end the approach is followed by
another one; the last one is plastic and without friction, which always ends it.

A slip that jams (Painleve) is stopped by the same law, though nothing arrives at the ground. A rod that is pushed along
the ground, leaning forward, is pressed down by its own friction. Where that outweighs the inertia, ``G_nn < mu G_nt``,
no finite forces obey contact and friction (Painleve 1895); they grow without bound on the way there (Genot and
Brogliato 1999, "dynamic jam"). What resolves it is an impact without a collision (Lecornu 1905, Stewart 2000): impulses
within friction that brake the slip until it stops, without restitution. Normal velocities go from zero into the ground
and back to zero, friction acts against the slip throughout.
"""

from ....actuation.rows import CHANGE
from ....jit import inlined
from ...impulses import apply_impulses
from ...records import CONTACT_NORMAL, CONTACT_TANGENTIAL, LIMITS
from .. import notes
from ..impact_rows import book_impulses, energy_now, list_touching
from ..laws import Strike
from ..motion import CONTACT_COUNT, STOP_COUNT
from .friction_shares import share_friction
from .impulse_impact import CUT_OFF, JAMMED, collide

MOST_STRIKES = 8  # impacts at one instant, after which one without friction has to end the approach


@inlined
def fastest_approach(velocity, contacts, rows):
    """Return how fast the fastest point comes on to the ground, or joint to its limit, m/s or rad/s."""
    approach = 0.0
    for r in range(rows):
        if r >= 3 * contacts or r % 3 == 0:
            approach = max(approach, -velocity[r])
    return approach


@inlined
def pose_impact(system, motion, problem):
    """List what touches, and copy its inertia and velocities; return the numbers of points and rows."""
    list_touching(system, motion)
    points = motion.counts[CONTACT_COUNT]
    rows = 3 * points + motion.counts[STOP_COUNT]
    for r in range(rows):
        problem.velocity[r] = system.offsets[r]
        system.impulses[r] = 0.0
        for s in range(rows):
            problem.G[r, s] = system.G[r, s]
    return points, rows


@inlined
def collide_and_book(system, motion, problem, friction, restitution):
    """Take the problem through an impact; add its impulses to the system's, and book its works.

    ``friction`` holds the static and the dynamic coefficient. Returns the outcome and the change of energy, J.
    """
    points, n = motion.counts[CONTACT_COUNT], len(system.state)
    rows = 3 * points + motion.counts[STOP_COUNT]
    outcome, _ = collide(problem, points, rows, friction[0], friction[1], restitution)
    for r in range(rows):
        system.impulses[r] += problem.impulse[r]
    motion.y[n + CONTACT_NORMAL] += problem.works[0]
    motion.y[n + CONTACT_TANGENTIAL] += problem.works[1]
    motion.y[n + LIMITS] += problem.works[2]
    return outcome, problem.works[0] + problem.works[1] + problem.works[2]


@inlined
def change_velocities(system, motion, points, rows):
    """Change the velocities in ``motion.y`` by the system's impulses, shared among redundant points; book these."""
    share_friction(system, motion, system.impulses)
    nq, nv = len(system.state) - system.dofs.shape[1], system.dofs.shape[1]
    apply_impulses(system, points, rows, system.impulses)
    for j in range(nv):
        motion.y[nq + j] += system.dofs[CHANGE, j]
    book_impulses(system, motion, system.impulses, points)


@inlined
def stop_slip(system, motion, problem, settings):
    """Change the velocities in ``motion.y`` by the impact that stops a slip which jams.

    Returns whether one jammed, and the energy before and after, J. The impulses stay in ``system.impulses``.
    """
    before = energy_now(system, motion)
    points, rows = pose_impact(system, motion, problem)
    friction = (settings.friction, settings.dynamic_friction)
    outcome, change = collide_and_book(system, motion, problem, friction, 0.0)
    change_velocities(system, motion, points, rows)
    return outcome == JAMMED, before, before + change


@inlined
def strike_in_impulse_domain(system, motion, problem, settings, bounce):
    """Change the velocities in ``motion.y`` by impacts of all that touches, until nothing comes on; see `Laws`."""
    before = energy_now(system, motion)
    points, rows = pose_impact(system, motion, problem)
    approach = fastest_approach(problem.velocity, points, rows)
    rebounds = bounce and approach > settings.impact_threshold
    after, note, strikes, closing = before, 0, 0, approach
    while strikes == 0 or (strikes <= MOST_STRIKES and closing > settings.impact_threshold):
        last = strikes == MOST_STRIKES
        friction = (0.0, 0.0) if last else (settings.friction, settings.dynamic_friction)
        restitution = settings.restitution if rebounds and not last else 0.0
        outcome, change = collide_and_book(system, motion, problem, friction, restitution)
        after += change
        if outcome == JAMMED:
            note |= notes.JAMMED
        if outcome == CUT_OFF or last:
            note |= notes.ENDLESS
        closing = fastest_approach(problem.velocity, points, rows)
        strikes += 1
    change_velocities(system, motion, points, rows)
    return Strike(approach, note, before, after, 1.0)
