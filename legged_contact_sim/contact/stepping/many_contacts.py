"""A step with many contacts: solved without the matrix G of all of them, where that goes quickly."""

import math

from ...jit import inlined, inlined_always, shared
from ..constraint_rows import hand_in_rows
from ..factored_rows import are_many, factor_problem
from ..solvers.block import solve_factored
from ..solvers.factored import as_product
from ..solvers.problem import problem_of_step
from .acting_contacts import carry_free
from .time_stepping import advance_parts, apply_all, detect, iterate_impulses, leave_rows, predict, revise


@shared
def solve_many(system, contacts, joints, h, settings):
    """Solve for the impulses of contacts and limits with G as a product; result as of `solve_by_blocks`."""
    rows = 3 * contacts + joints
    hand_in_rows(system, contacts, joints)
    efforts, motions, softness, width = factor_problem(system, contacts, rows)
    problem = problem_of_step(system, system.work, contacts, rows, h, settings)
    return solve_factored(as_product(problem, efforts, motions, softness, width), settings)


@inlined
def solve_as_product(system, contacts, joints, h, settings):
    """Solve for the impulses of many rows; few of them, for which G is the cheaper way, are left unsolved."""
    if not are_many(system, 3 * contacts + joints):
        return 0, math.inf, False
    return solve_many(system, contacts, joints, h, settings)


@inlined_always
def solve_impulses(system, solve, part, acting, settings):
    """Find the impulses and the end velocities; return what acts in the end."""
    return iterate_impulses(system, solve, part, acting, settings, solve_as_product, leave_rows, apply_all, carry_free)


@inlined_always
def advance_many(system, h, settings, solve):
    """One whole step of length ``h``, s; arguments and result as of `advance`, whose solver is `solve_by_blocks`."""
    return advance_parts(system, solve, h, settings, predict, detect, solve_impulses, revise)
