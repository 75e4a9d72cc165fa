"""Contacts with Coulomb friction: Newton steps from a good first guess, sweeps where they fail, proximal steps last.

The law is that of `problem`, the friction disc exact.
"""

import math

from ...jit import inlined, inlined_always, shared_always
from ..records import COMPLIANCE
from ..system import SOLVER as SOLVER_TERMS
from .block_sweeps import block_gauss_seidel, sweep
from .factored import factored_residual, factored_step, factored_sweep
from .newton import BLUNT, SHARP, newton_step
from .problem import friction_work, problem_of_step, project_row
from .proximal import own_scale, solve_proximal
from .residuals import complementarity_residual, prox_contact
from .solver import Solver

ACCEPTABLE = 100.0  # times the tolerance: residual that a step accepts where it does not fall any more
SETTLING = 0.25  # relaxation of the prox step that ends a step without any other, with FEW contacts
FEW = 4  # more of them push the same body, each as if it were alone: together they would go too far
QUICK = 30  # Newton steps and sweeps, after which the proximal method takes over
PATIENCE = 100  # iterations from a first guess, after which the search begins anew without it
COMPLIANCES = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)  # tried one after the other, relative to the rows' inverse inertia
RIGID = 2 * PATIENCE  # iterations without compliance
SOFTER = 150  # iterations with each of the others


@inlined
def solve_contacts(problem, tolerance, accepted, max_iterations, measure):
    """Solve a problem with a dense G; arguments and result as for `step_and_sweep`."""
    return step_and_sweep(problem, tolerance, accepted, max_iterations, measure, newton_step, sweep)


@inlined
def step_and_sweep(problem, tolerance, accepted, max_iterations, measure, newton_step, sweep):
    """Solve by Newton steps from the first guess, by sweeps where they fail; return the iterations and the residual.

    A Newton step that does not halve the residual is taken back, and a blunter one is tried; after that some sweeps,
    ever more, come before the next one.
    Feet that a stiff robot cannot move apart ask for velocities that fit only to rounding: there the residual stays a
    little above the tolerance, and where it does not go down any more, one below ``accepted`` is.

    ``measure(problem)`` is the residual, which fills velocities and modes, too; ``newton_step(problem, proximal)`` and
    ``sweep(problem, relaxation)`` are those of the problem's kind.
    """
    z, kept, rows = problem.z, problem.work.kept, problem.rows
    iterations, patience, proximal = 0, 0, SHARP
    before = measure(problem)
    while iterations < max_iterations and before > tolerance:
        if patience > 0:
            sweeps = block_gauss_seidel(problem, tolerance, patience, sweep)
            iterations += min(sweeps, patience)
            before = measure(problem)
            if before <= tolerance:
                break
        for r in range(rows):
            kept[r] = z[r]
        newton_step(problem, proximal)
        iterations += 1
        after = measure(problem)
        if after <= 0.5 * before:
            before = after
            continue
        for r in range(rows):
            z[r] = kept[r]
        if proximal == SHARP:
            proximal = BLUNT
            before = measure(problem)
            continue
        if before <= accepted:
            break
        patience = min(max(2, 2 * patience), 64)
    if iterations == 0:
        settle(problem)
    return iterations, before


@inlined
def settle(problem):
    """Take a small prox step from impulses that are good enough as they are, to where they would come to rest.

    A robot that stands starts every step with the right impulses but for an error below the tolerance. Without this
    step the errors of such steps would add up until Newton's method has to take them back, every few steps for ever.
    """
    G, z, w = problem.G, problem.z, problem.w
    share = SETTLING * FEW / max(FEW, problem.contacts)
    for k in range(problem.contacts):
        r = 3 * k
        p0, p1, p2, _ = prox_contact(G, z, r, w[r], w[r + 1], w[r + 2], problem.mu[k], problem.nu)
        z[r] += share * (p0 - z[r])
        z[r + 1] += share * (p1 - z[r + 1])
        z[r + 2] += share * (p2 - z[r + 2])
    for r in range(3 * problem.contacts, problem.rows):
        z[r] += share * (project_row(z[r] - w[r] / G[r, r], problem.work.bounds[r]) - z[r])


@inlined
def begin_anew(problem):
    """Forget the impulses: go back to what one sweep finds from none."""
    for r in range(problem.rows):
        problem.z[r], problem.work.shares[r] = 0.0, 0.0
    sweep(problem, 1.0)


@inlined_always
def solve_any(problem, tolerance, accepted, max_iterations, patience, measure):
    """Solve a friction problem, quickly where that is possible; return the iterations and the residual.

    Arguments as for `solve_contacts`; the proximal method takes over where that one takes too long. After ``patience``
    iterations the search begins anew from no impulses: where contacts are redundant, a first guess may share them in a
    way from which no step leads to a solution.
    """
    iterations, residual = 0, math.inf
    for end in (min(patience, max_iterations), max_iterations):
        if residual <= accepted or iterations >= end:
            break
        if iterations > 0:
            begin_anew(problem)
        steps, residual = solve_contacts(problem, tolerance, accepted, min(QUICK, end - iterations), measure)
        iterations += steps
        if accepted < residual < math.inf and iterations < end:
            steps, residual = solve_proximal(problem, tolerance, accepted, end - iterations, measure)
            iterations += steps
    return iterations, residual


@inlined
def add_compliance(problem, share):
    """Add so much of its own inverse inertia to every row's diagonal in G."""
    weight = problem.work.weight
    for r in range(problem.rows):
        weight[r] = share * own_scale(problem, r)
    for r in range(problem.rows):
        problem.G[r, r] += weight[r]


@inlined_always
def solve_or_soften(problem, tolerance, accepted, max_iterations, compliance, measure):
    """Solve a friction problem, with compliance if need be; return the iterations, the residual, and the compliance.

    Joints that dry friction or a limit holds make a robot stiff and its contacts redundant: G is singular. What is
    asked of the contacts (gaps to be closed, turning within the step) then fits only to the error of a step, 1e-10 to
    1e-6 m/s: of two feet that stick on one rigid body, one would have to slip by that, under inner forces as large as
    friction allows; or, jammed between limits, there is no answer. Contacts that contradict one another give way,

        w = (G + s D) z + b,      D: each row's own inverse inertia,      s as small as will do;

    G + s D is regular, and shares the inner forces out. Arguments as for `solve_any`; ``compliance`` is the s to begin
    with. G is left with what the compliance adds, and the residual is that of this problem.
    """
    iterations, residual = 0, math.inf
    if compliance > 0.0:
        add_compliance(problem, compliance)
    for softer in COMPLIANCES:
        if residual <= accepted or iterations >= max_iterations:
            break
        if softer < compliance:
            continue
        if softer > compliance:
            add_compliance(problem, softer - compliance)
            begin_anew(problem)
        compliance = softer
        most = min(SOFTER if softer > 0.0 else RIGID, max_iterations - iterations)
        steps, residual = solve_any(problem, tolerance, accepted, most, most if softer > 0.0 else PATIENCE, measure)
        iterations += steps
    return iterations, residual, compliance


@shared_always
def solve_by_blocks(system, contacts, rows, h, settings):
    """Solve the contact problem of a step; return the iterations, the residual, and whether it is solved."""
    problem = problem_of_step(system, system.work, contacts, rows, h, settings)
    tolerance, accepted, most = settings.tolerance, ACCEPTABLE * settings.tolerance, settings.max_iterations
    compliance = system.ledger[SOLVER_TERMS + COMPLIANCE]  # of an earlier pass over the step
    if compliance == 0.0:  # a robot that stands begins at its solution: a call of the search would cost it a twentieth
        residual = complementarity_residual(problem)
        if residual <= tolerance:
            settle(problem)
            return 0, residual, True
    iterations, residual, compliance = solve_or_soften(
        problem, tolerance, accepted, most, compliance, complementarity_residual
    )
    system.ledger[SOLVER_TERMS + COMPLIANCE] = compliance
    return iterations, residual, residual <= accepted


@inlined
def solve_factored(problem, settings):
    """Solve the contact problem of a step with G as a product; result as of `solve_by_blocks`.

    One that is not solved quickly is left to that: the proximal method needs G.
    """
    tolerance, accepted, most = settings.tolerance, ACCEPTABLE * settings.tolerance, min(QUICK, settings.max_iterations)
    iterations, residual = step_and_sweep(
        problem, tolerance, accepted, most, factored_residual, factored_step, factored_sweep
    )
    return iterations, residual, residual <= accepted


SOLVER = Solver(solve_by_blocks, friction_work)
