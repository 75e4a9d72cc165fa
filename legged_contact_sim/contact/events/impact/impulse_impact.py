"""An impact in the impulse domain (Darboux, Keller, Stronge): velocities as functions of one normal impulse.

Positions stand still, forces that are not impulses have no time to act, and the velocities of all touching points
follow from the impulses alone, ``w = w_0 + G p`` (Singh eq. 3.4). All impulses grow with one of them, the sum s of the
normal impulses (Singh eq. 3.5): ``dp/ds = f``, piecewise constant in the plane. What several points share of it is
left open by rigid-body dynamics; it is settled by compatibility: the points of one impact compress and expand
together. While they compress, f makes every closing speed fall in the same proportion,

    w_n(s) = (1 - s / s_c) w_n   where f_n > 0,     so that all of them end compression at once, at s = s_c,

and while they expand, every normal velocity grows in proportion to the speed u at which its point arrived. A point that
would leave sooner gets no impulse, and nor does one that is leaving; a single point has nothing to share. Friction
follows the slip of the moment: against it while a point slips; where the slip comes to a stop the point
sticks, or slips on in another direction, as the cone decides (`stick_slip`). In space the direction of slip turns
along the way, and s goes in steps over which it turns little.

The end is Stronge's: with W the work of the normal impulses and W_c its value when compression ends (both negative),
expansion stops when ``W = (1 - e^2) W_c`` (Singh eq. 3.11). Friction only takes energy: an impact never gives any.

Where friction outweighs the normal inertia (Painleve), a slip jams: impulses drive the point into the ground, faster
and faster, and brake the slip until it stops. A point that bears a load and slips can begin to do so by itself, without
an approach. Joint limits take part as points without restitution.
"""

import math

from ....jit import inlined
from ...solvers.stick_slip import LOOSE, RESTING, SLIPPING, classify, solve_forces
from .jam import find_jam, press_on

RESOLVED, JAMMED, CUT_OFF = 0, 1, 2  # how an impact went; see `collide`

STEPS = 10_000  # along the normal impulse, before friction is given up
TURN = 0.005  # rad; largest turn of a slip direction in a step
STRAIGHT = 1e-12  # sine of the angle to its own slip below which a change of slip is straight
STILL = 1e-8  # of the impact's largest velocity; slower along the normal is a standstill,
CREEP = 100.0  # and so many times as much along the ground: what is left is taken off while the point sticks
SLIGHT = 1e-9  # of an impact's work; normal impulses that took up less give nothing back


@inlined
def largest_velocity(problem, rows):
    """Return the largest velocity of any row, m/s."""
    largest = 0.0
    for r in range(rows):
        largest = max(largest, abs(problem.velocity[r]))
    return largest


@inlined
def begin(problem, contacts, rows, still, friction):
    """Let every row rest, slip or be loose as its velocity says; note the speeds u at which contacts arrive."""
    for k in range(contacts):
        problem.arrival[k] = max(0.0, -problem.velocity[3 * k])
        if problem.velocity[3 * k] > still:
            problem.motion[k] = LOOSE
        else:
            classify(problem, k, CREEP * still, friction)
    for r in range(3 * contacts, rows):
        problem.motion[r - 2 * contacts] = LOOSE if problem.velocity[r] > still else RESTING


@inlined
def aim(problem, contacts, rows, compressing):
    """Set the offsets: by how much, and in which proportion, the rows' velocities shall change."""
    for k in range(contacts):
        r = 3 * k
        problem.offset[r] = min(0.0, problem.velocity[r]) if compressing else -problem.arrival[k]
        # a point at rest may have kept a trace of slip
        problem.offset[r + 1], problem.offset[r + 2] = problem.velocity[r + 1], problem.velocity[r + 2]
    for r in range(3 * contacts, rows):
        problem.offset[r] = min(0.0, problem.velocity[r])


@inlined
def drive(problem, contacts, rows, static, dynamic, compressing, still):
    """Find the impulses per unit of normal impulse; return how, and the normal impulse that would end compression.

    Without compatible impulses (JAMMED) friction makes points go on into the ground, and no end is in sight.
    """
    outcome, end = RESOLVED, math.inf
    if not solve_forces(problem, contacts, rows, static, dynamic):
        outcome = JAMMED
        if not find_jam(problem, contacts, rows, static, dynamic):
            press_on(problem, contacts, rows, static, dynamic, compressing, still)
    total = 0.0
    for r in range(rows):
        if r >= 3 * contacts or r % 3 == 0:
            total += problem.force[r]
    if total > 0.0:
        for r in range(rows):
            problem.force[r] /= total
            problem.response[r] /= total
        end = total if outcome == RESOLVED else math.inf
    return outcome, end


@inlined
def step_to_stop(problem, k):
    """Return how far to go at most for the slip of contact ``k``: to its stop, or while it turns little."""
    r, heading = 3 * k, problem.heading[k]
    first, second = problem.response[r + 1], problem.response[r + 2]
    along, across = first * heading[0] + second * heading[1], second * heading[0] - first * heading[1]
    speed = problem.velocity[r + 1] * heading[0] + problem.velocity[r + 2] * heading[1]
    stop = max(0.0, -speed / along) if along < 0.0 else math.inf
    if abs(across) <= STRAIGHT * abs(along) or speed <= 0.0:
        return stop
    return min(0.2 * stop, TURN * speed / abs(across))


@inlined
def step_to_meet(velocity, response, pressed):
    """Return how far a row is from a standstill that changes its part: one that leaves comes back, or the reverse.

    Args:
        velocity: of the row, m/s.
        response: its change per unit of normal impulse.
        pressed: whether its impulse may take it beyond a standstill.
    """
    if velocity > 0.0 and response < 0.0:
        return -velocity / response
    if not pressed and velocity < 0.0 and response > 0.0:
        return -velocity / response
    return math.inf


@inlined
def longest_step(problem, contacts, rows, still, expanding):
    """Return how far the present impulses may act: until a point stops to slip, turns, arrives or leaves.

    Only in expansion may an impulse take its point beyond a standstill.
    """
    longest, velocity, response = math.inf, problem.velocity, problem.response
    for k in range(contacts):
        if problem.motion[k] == SLIPPING and problem.force[3 * k] > 0.0:
            longest = min(longest, step_to_stop(problem, k))
        if abs(velocity[3 * k]) > still:
            pressed = expanding and problem.motion[k] != LOOSE and problem.force[3 * k] > 0.0
            longest = min(longest, step_to_meet(velocity[3 * k], response[3 * k], pressed))
    for r in range(3 * contacts, rows):
        if abs(velocity[r]) > still:
            longest = min(longest, step_to_meet(velocity[r], response[r], False))  # a limit gives nothing back
    return longest


@inlined
def turns(problem, contacts):
    """Return whether any slip changes its direction under the present impulses."""
    for k in range(contacts):
        if problem.motion[k] == SLIPPING and problem.force[3 * k] > 0.0:
            first, second = problem.response[3 * k + 1], problem.response[3 * k + 2]
            across = second * problem.heading[k, 0] - first * problem.heading[k, 1]
            if abs(across) > STRAIGHT * (abs(first) + abs(second)):
                return True
    return False


@inlined
def turn_headings(problem, contacts, ahead, still):
    """Turn the slip directions into those that the velocities will have ``ahead``."""
    for k in range(contacts):
        if problem.motion[k] == SLIPPING:
            first = problem.velocity[3 * k + 1] + ahead * problem.response[3 * k + 1]
            second = problem.velocity[3 * k + 2] + ahead * problem.response[3 * k + 2]
            speed = math.sqrt(first * first + second * second)
            if speed > still and problem.heading[k, 0] ** 2 + problem.heading[k, 1] ** 2 > 0.0:
                problem.heading[k, 0], problem.heading[k, 1] = first / speed, second / speed


@inlined
def power(problem, contacts):
    """Return W' and W''/2 of the normal work as a function of the normal impulse."""
    slope, curvature = 0.0, 0.0
    for k in range(contacts):
        slope += problem.force[3 * k] * problem.velocity[3 * k]
        curvature += 0.5 * problem.force[3 * k] * problem.response[3 * k]
    return slope, curvature


@inlined
def step_to_work(slope, curvature, wanted):
    """Return how far to go until the normal impulses have done the wanted work, J; inf: never."""
    if wanted <= 0.0:
        return 0.0
    if curvature == 0.0:
        return wanted / slope if slope > 0.0 else math.inf
    discriminant = slope * slope + 4.0 * curvature * wanted
    if discriminant < 0.0:
        return math.inf
    root = math.sqrt(discriminant)
    if slope + root > 0.0:  # the form that does not cancel
        return 2.0 * wanted / (slope + root)
    return math.inf if curvature < 0.0 else (root - slope) / (2.0 * curvature)


@inlined
def travel(problem, contacts, rows, step):
    """Let the impulses grow by a step of normal impulse; add up impulses and works."""
    velocity, force, response = problem.velocity, problem.force, problem.response
    for r in range(rows):
        work = force[r] * (velocity[r] + 0.5 * step * response[r]) * step
        kind = 2 if r >= 3 * contacts else min(r % 3, 1)
        problem.works[kind] += work
        problem.impulse[r] += force[r] * step
    for r in range(rows):
        velocity[r] += response[r] * step


@inlined
def change_parts(problem, contacts, rows, still, friction):
    """Let points that came to rest, that leave or that come back change their parts after a step."""
    velocity = problem.velocity
    for k in range(contacts):
        r, heading = 3 * k, problem.heading[k]
        if problem.motion[k] == LOOSE:
            if velocity[r] <= still:
                classify(problem, k, CREEP * still, friction)
        elif velocity[r] > still and problem.force[r] == 0.0:
            problem.motion[k] = LOOSE
        elif problem.motion[k] == SLIPPING and heading[0] * heading[0] + heading[1] * heading[1] > 0.0:
            along = velocity[r + 1] * heading[0] + velocity[r + 2] * heading[1]
            slows = problem.response[r + 1] * heading[0] + problem.response[r + 2] * heading[1] < 0.0
            if along <= CREEP * still and slows:
                problem.motion[k] = RESTING
    for r in range(3 * contacts, rows):
        problem.motion[r - 2 * contacts] = LOOSE if velocity[r] > still else RESTING


@inlined
def closes(problem, contacts, rows, still):
    """Return whether any row still goes into the ground or its limit."""
    for k in range(contacts):
        if problem.velocity[3 * k] < -still:
            return True
    for r in range(3 * contacts, rows):
        if problem.velocity[r] < -still:
            return True
    return False


@inlined
def has_arrived(problem, contacts, still):
    """Return whether any contact came to the ground at a speed that can be given back."""
    for k in range(contacts):
        if problem.arrival[k] > still:
            return True
    return False


@inlined
def give_up_friction(problem, contacts):
    """Let all contacts slip without friction from here on."""
    for k in range(contacts):
        problem.heading[k, 0], problem.heading[k, 1] = 0.0, 0.0
        if problem.motion[k] == RESTING:
            problem.motion[k] = SLIPPING


@inlined
def start_jam(problem, contacts, rows, static, dynamic, still):
    """Let points that touch without an approach stop their slip if it jams; return whether it did."""
    for r in range(rows):
        normal = r >= 3 * contacts or r % 3 == 0
        problem.offset[r] = -1.0 if normal and r < 3 * contacts else 0.0
    outcome, _ = drive(problem, contacts, rows, static, dynamic, True, still)
    step = longest_step(problem, contacts, rows, still, False)
    if outcome != JAMMED or not step < math.inf:
        return False
    travel(problem, contacts, rows, step)
    turn_headings(problem, contacts, 0.0, still)
    change_parts(problem, contacts, rows, still, static)
    return True


@inlined
def collide(problem, contacts, rows, static, dynamic, restitution):
    """Take the rows' velocities through an impact; return how it went and the work W_c of compression, J.

    RESOLVED: by the laws above. JAMMED: by them, through a slip that jammed. CUT_OFF: too many changes between stick
    and slip; the rest of the impact was done without friction.

    Args:
        problem: G and velocity are read; velocity, motion, heading, impulse and works are those after the impact then.
        contacts: number of contacts, m.
        rows: all rows, r.
        static: coefficient of friction of a point that rests.
        dynamic: coefficient of friction of a point that slips.
        restitution: Stronge's energetic coefficient e.
    """
    still = STILL * largest_velocity(problem, rows)
    for r in range(rows):
        problem.impulse[r] = 0.0
    problem.works[0], problem.works[1], problem.works[2] = 0.0, 0.0, 0.0
    begin(problem, contacts, rows, still, static)
    outcome, compression, expanding, steps = RESOLVED, 0.0, False, 0
    compressing = closes(problem, contacts, rows, still)
    if not compressing:
        compressing = start_jam(problem, contacts, rows, static, dynamic, still)
        outcome = JAMMED if compressing else RESOLVED
    while (compressing or expanding) and steps < STEPS + 50:
        steps += 1
        if steps >= STEPS:
            outcome, static, dynamic = CUT_OFF, 0.0, 0.0
            give_up_friction(problem, contacts)
        aim(problem, contacts, rows, compressing)
        way, end = drive(problem, contacts, rows, static, dynamic, compressing, still)
        outcome = max(outcome, way)
        step = longest_step(problem, contacts, rows, still, expanding)
        if turns(problem, contacts):  # the direction of slip is taken at the middle of the step
            turn_headings(problem, contacts, 0.5 * min(step, end), still)
            way, end = drive(problem, contacts, rows, static, dynamic, compressing, still)
            outcome = max(outcome, way)
            step = min(step, longest_step(problem, contacts, rows, still, expanding))
        if compressing:
            step = min(step, end)
        else:
            slope, curvature = power(problem, contacts)
            wanted = step_to_work(slope, curvature, (1.0 - restitution * restitution) * compression - problem.works[0])
            expanding = wanted > step
            step = min(step, wanted)
        if not step < math.inf:  # nothing pushes any more
            break
        travel(problem, contacts, rows, step)
        turn_headings(problem, contacts, 0.0, still)
        change_parts(problem, contacts, rows, still, static)
        if not (compressing or expanding) and closes(problem, contacts, rows, still):
            compressing, restitution = True, 0.0  # what pushed others off pressed a point into the ground
            begin(problem, contacts, rows, still, static)
        if compressing and not closes(problem, contacts, rows, still):
            compressing, compression = False, min(compression, problem.works[0])
            least = SLIGHT * (abs(problem.works[0]) + abs(problem.works[1]) + abs(problem.works[2]))
            expanding = restitution > 0.0 and compression < -least and has_arrived(problem, contacts, still)
    return outcome, compression
