"""The time step of robots whose tree is closed by loops or coupled joints (`dynamics/closures`).

The phases are those of `time_stepping`. Free velocities satisfy the closures; contacts and joint limits act on what
the closures leave of the robot, so that the solvers see a smaller inverse inertia and nothing else:

    G_closed = G - (J A^-1 C^T) (C A^-1 C^T)^-1 (C A^-1 J^T).

Velocities at the end of a step satisfy C v = 0 in the pose at its end, where C = C_middle + (h / 2) C'. What the
curvature of the path leaves of the gaps, of order h^3, is taken away by Newton steps on the pose.
"""

from ...actuation.joint_laws import add_contact_hold, hold_efforts
from ...actuation.rows import ACCELERATION, ADDED, APPLIED, CHANGE, FREE_VELOCITY, MIDDLE
from ...dynamics.articulated_body import gather_inertias, spread_from_inverses
from ...dynamics.closures import (
    add_closure_impulses,
    factor_closures,
    fill_bias,
    fill_gaps,
    fill_velocities,
    hand_in_closures,
    sides_coupling,
    solve_closures,
    take_away,
)
from ...dynamics.contact_inertia import invert_roots, spread_jumps
from ...dynamics.kinematics import carry_two_velocities, place_bodies
from ...dynamics.manifold import move
from ...jit import inlined, inlined_always
from ..constraint_rows import SOFTNESS, soften
from ..impulses import gather_impulses
from .acting_contacts import carry_free
from .time_stepping import (
    add_changes,
    advance_parts,
    detect,
    free_end,
    iterate_impulses,
    need_all_rows,
    place_and_drive,
    revise,
)

CLOSED = 1e-13  # m or rad
MAX_CORRECTIONS = 4


@inlined_always
def predict(system, method, part, pushed, settings):
    """Find the free velocities at the end of a part, which the closures allow."""
    links, bodies, dofs, closures, h = system.links, system.bodies, system.dofs, system.closures, part.length
    nq = len(system.state) - dofs.shape[1]
    q_middle, v = system.result[:nq], system.state[nq:]
    place_and_drive(system, h, pushed)
    fill_bias(links, bodies, closures, q_middle, dofs[MIDDLE])
    gather_inertias(links, bodies, dofs[APPLIED], dofs[ADDED])
    invert_roots(links, bodies)
    spread_from_inverses(links, bodies, dofs[ACCELERATION])
    if settings.dry:
        hold_efforts(system, v, h)
    free_end(system, v, h)
    hand_in_closures(links, bodies, closures, q_middle)
    factor_closures(links, bodies, closures)
    fill_velocities(links, bodies, closures, q_middle, dofs[FREE_VELOCITY], closures.velocities)
    for r in range(len(closures.bias)):
        closures.velocities[r] += 0.5 * h * closures.bias[r]
    take_away(links, bodies, closures, dofs[CHANGE])
    if settings.dry and h > 0.0:
        add_contact_hold(system, h)
    for j in range(len(v)):
        dofs[FREE_VELOCITY, j] += dofs[CHANGE, j]
    carry_two_velocities(links, bodies, v, dofs[FREE_VELOCITY])


@inlined
def close_rows(system, contacts, rows):
    """Take from G what the closures' impulses take from the motion that contacts and limits cause.

    A row that they leave no motion (a limit of a joint that follows one that friction holds) keeps a trace of it.
    """
    closures, G = system.closures, system.G
    couplings, responses, e = closures.couplings, closures.responses, len(closures.impulses)
    for s in range(rows):
        for r in range(e):
            shared = sides_coupling(system.links, system.bodies, closures, r, system.rows[s], system.row_efforts[s])
            couplings[s, r] = shared
        solve_closures(closures, couplings[s], responses[s])
        least = SOFTNESS * G[s, s]
        for t in range(s + 1):
            total = G[s, t]
            for r in range(e):
                total -= responses[s, r] * couplings[t, r]
            G[s, t], G[t, s] = total, total
        G[s, s] = max(G[s, s], least)
    for k in range(contacts):
        soften(G, 3 * k)


@inlined
def apply_closed(system, contacts, rows):
    """Change the velocities by the impulses of contacts and limits and by those of the closures that answer them."""
    closures, z = system.closures, system.impulses
    for r in range(len(closures.impulses)):
        closures.impulses[r] = 0.0
        for s in range(rows):
            closures.impulses[r] -= closures.responses[s, r] * z[s]
    gather_impulses(system, contacts, rows, z)
    add_closure_impulses(system.links, system.bodies, closures, closures.impulses)
    spread_jumps(system.links, system.bodies, system.dofs[CHANGE])
    add_changes(system)


@inlined_always
def solve_impulses(system, solve, part, acting, settings):
    """Find the impulses and the end velocities; return what acts in the end."""
    return iterate_impulses(system, solve, part, acting, settings, need_all_rows, close_rows, apply_closed, carry_free)


@inlined
def close_gaps(system):
    """Move the pose by the least, in the metric of the mass, that closes all loops; velocities stay."""
    links, bodies, dofs, closures = system.links, system.bodies, system.dofs, system.closures
    q = system.state[: len(system.state) - dofs.shape[1]]
    for _ in range(MAX_CORRECTIONS):
        place_bodies(links, bodies, q, dofs[MIDDLE])
        fill_gaps(links, bodies, closures, q, closures.velocities)
        largest = 0.0
        for gap in closures.velocities:
            largest = max(largest, abs(gap))
        if largest < CLOSED:
            break
        gather_inertias(links, bodies, dofs[APPLIED], dofs[ADDED])
        invert_roots(links, bodies)
        hand_in_closures(links, bodies, closures, q)
        factor_closures(links, bodies, closures)
        take_away(links, bodies, closures, dofs[CHANGE])
        move(links, q, dofs[CHANGE], 1.0, q)


@inlined_always
def advance_closed(system, h, settings, solve):
    """One whole step of length ``h``, s, of a robot with closures; arguments and result as of `advance`."""
    done = advance_parts(system, solve, h, settings, predict, detect, solve_impulses, revise)
    if done:
        close_gaps(system)
    return done
