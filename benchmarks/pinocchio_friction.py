"""Pinocchio's solvers of friction problems, each with the loosest tolerance that reaches the wanted residual."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pinocchio

from .friction_problems import Problem, natural_map

ADMM, PGS = "Pinocchio, ADMM", "Pinocchio, PGS"
TOLERANCES = (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12)
MOST_ITERATIONS = 10_000
KINDS = {
    ADMM: (pinocchio.ADMMConstraintSolver, pinocchio.ADMMSolverSettings, pinocchio.ADMMSolverResult),
    PGS: (pinocchio.PGSConstraintSolver, pinocchio.PGSSolverSettings, pinocchio.PGSSolverResult),
}


class Found(NamedTuple):
    """How a solver did: ``call`` solves the problem from the start; None: it does not reach the residual."""

    name: str
    iterations: int
    residual: float  # m/s
    settings: dict[str, Any]
    call: Callable[[], Any] | None


class Friction:
    """A friction problem as Pinocchio takes it: rows tangent, tangent, normal."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        count = len(problem.mu)
        self.order = np.arange(3 * count).reshape(count, 3)[:, [1, 2, 0]].ravel()
        self.W = np.asfortranarray(problem.W[np.ix_(self.order, self.order)])
        self.q = problem.q[self.order].copy()
        self.models, self.datas = pinocchio.StdVec_ConstraintModel(), pinocchio.StdVec_ConstraintData()
        world = pinocchio.Model()
        for mu in problem.mu:
            contact = pinocchio.PointContactConstraintModel(world, 0)
            contact.setFriction(float(mu))
            model = pinocchio.ConstraintModel(contact)
            self.models.append(model)
            self.datas.append(model.createData())

    def _solve(self, name: str, solver: Any, settings: Any) -> tuple[np.ndarray, int]:
        """Return impulses, in Pinocchio's order, and iterations: from W as an array to the impulses as an array."""
        result, delassus = KINDS[name][2](), pinocchio.DelassusOperatorDense(self.W)
        solver.solve(delassus, self.q, self.models, self.datas, settings, result)
        return result.retrieveConstraintImpulses(), int(result.iterations)

    def _try(self, name: str, rule: Any, tolerance: float, wanted: float) -> Found:
        make_solver, make_settings, _ = KINDS[name]
        solver, settings = make_solver(len(self.q)), make_settings()
        settings.max_iterations = MOST_ITERATIONS
        settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = tolerance
        settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
        if rule is not None:
            settings.admm_update_rule = rule
        call = partial(self._solve, name, solver, settings)
        impulses, iterations = call()
        r = np.zeros(len(self.q))
        r[self.order] = impulses
        residual = natural_map(self.problem, r) if np.isfinite(r).all() else np.inf
        chosen = {"tolerance": tolerance, "update_rule": str(rule) if rule is not None else None}
        return Found(name, iterations, residual, chosen, call if residual <= wanted else None)

    def best(self, name: str, wanted: float) -> Found:
        """Return a solver with the settings that reach a residual, m/s, with the fewest iterations, or come closest."""
        rules = [None]
        if name == ADMM:
            rules = [pinocchio.ADMMUpdateRule.OSQP, pinocchio.ADMMUpdateRule.SPECTRAL]
        found = []
        for rule in rules:
            for tolerance in TOLERANCES:
                found.append(self._try(name, rule, tolerance, wanted))
                if found[-1].call is not None or found[-1].iterations > MOST_ITERATIONS:
                    break
        able = [one for one in found if one.call is not None]
        return min(able, key=lambda one: one.iterations) if able else min(found, key=lambda one: one.residual)
