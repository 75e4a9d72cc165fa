"""The slipping impact of `hybrid`: its own solver against scipy's and a dense grid; the rank-revealing factor."""

import numpy as np
import pytest
from scipy.optimize import minimize

from legged_contact_sim.contact.events.impact.slip_barrier import build_slip_work
from legged_contact_sim.contact.events.impact.slip_optimisation import (
    EnergyBound,
    FrictionLaw,
    SlipProblem,
    blended_friction,
    optimise_slip,
)
from legged_contact_sim.contact.solvers.rank_revealing import factor, solve

STATIC, DYNAMIC, V_S = 0.5, 0.25, 1e-5


class SlippingImpact:
    """A random impact: G of points on a random mechanism with more freedom than rows."""

    def __init__(self, seed, points, planar, restitution=0.5):
        random = np.random.default_rng(seed)
        self.points, self.rows = points, 3 * points
        nv = self.rows + 3
        J, L = random.normal(size=(self.rows, nv)), random.normal(size=(nv, nv))
        self.before = random.normal(size=self.rows)
        self.before[0::3] = -np.abs(self.before[0::3]) - 0.1
        if planar:
            J[2::3], self.before[2::3] = 0.0, 0.0
        self.G = J @ np.linalg.inv(L @ L.T + np.eye(nv)) @ J.T
        self.target = np.zeros(self.rows)
        self.target[0::3] = -restitution * self.before[0::3]
        self.inverse = np.linalg.pinv(self.G)
        self.stick = self.inverse @ (self.target - self.before)
        normal, tangential = self.stick[0::3], np.hypot(self.stick[1::3], self.stick[2::3])
        needed = np.where(normal > 0.0, tangential / np.abs(normal), np.inf)
        self.sticks = bool((needed <= STATIC).all())
        self.least = np.minimum(DYNAMIC, needed)
        self.free = np.array([r for r in range(self.rows) if r % 3 == 1 or (r % 3 == 2 and not planar)])

    def velocities(self, x):
        after = self.target.copy()
        after[self.free] = x
        return after

    def impulses(self, x):
        return self.inverse @ (self.velocities(x) - self.before)

    def friction(self, x):
        after = self.velocities(x)
        return self.least + (STATIC - self.least) * np.exp(-np.hypot(after[1::3], after[2::3]) / V_S)

    def objective(self, x):
        return float(((STATIC - self.friction(x)) ** 2).sum() + np.square(x).sum())

    def room(self, x):
        p = self.impulses(x)
        return np.concatenate([self.friction(x) ** 2 * p[0::3] ** 2 - p[1::3] ** 2 - p[2::3] ** 2, p[0::3]])

    def ours(self, energy_bound=np.inf, kinetic=1.0):
        p = self.stick.copy()
        work = build_slip_work(self.rows)
        problem = SlipProblem(self.G, self.before, self.target, self.points, self.rows)
        law, bound = FrictionLaw(STATIC, DYNAMIC, V_S, 1.0), EnergyBound(energy_bound, kinetic)
        return optimise_slip(problem, law, bound, work, p), p

    def by_scipy(self, seed, starts=10):
        random, best = np.random.default_rng(seed), np.inf
        for _ in range(starts):
            found = minimize(
                self.objective,
                random.normal(scale=2.0, size=len(self.free)),
                method="SLSQP",
                constraints={"type": "ineq", "fun": self.room},
                options={"maxiter": 300, "ftol": 1e-12},
            )
            if self.room(found.x).min() > -1e-7:
                best = min(best, found.fun)
        return best


def slipping(points, planar, count):
    found, seed = [], 0
    while len(found) < count:
        impact = SlippingImpact(seed, points, planar)
        if not impact.sticks:
            found.append(seed)
        seed += 1
    return found


KINDS = [(points, planar) for points in (1, 2) for planar in (True, False)]
CASES = [(points, planar, seed) for points, planar in KINDS for seed in slipping(points, planar, 3)]


@pytest.mark.parametrize(("points", "planar", "seed"), CASES)
def test_solution_is_as_good_as_scipys_and_feasible(points, planar, seed):
    impact = SlippingImpact(seed, points, planar)
    value, p = impact.ours()
    reference = impact.by_scipy(seed)
    if value == np.inf:
        assert reference == np.inf
        return
    assert value <= 1.01 * reference
    after = impact.before + impact.G @ p
    np.testing.assert_allclose(after[0::3], impact.target[0::3], atol=1e-9)
    assert (p[0::3] >= -1e-9).all()
    assert (np.hypot(p[1::3], p[2::3]) <= STATIC * p[0::3] + 1e-9).all()
    assert impact.objective(after[impact.free]) == pytest.approx(value, rel=1e-2)


@pytest.mark.parametrize("seed", slipping(1, True, 6))
def test_one_planar_point_agrees_with_a_dense_grid(seed):
    impact = SlippingImpact(seed, 1, True)
    grid = np.concatenate([[0.0], np.linspace(-8.0, 8.0, 20_001)])
    values = [(impact.objective(np.array([x])), x) for x in grid if impact.room(np.array([x])).min() >= 0.0]
    best, x = min(values)
    value, p = impact.ours()
    after = impact.before + impact.G @ p
    assert value == pytest.approx(best, rel=1e-2)
    assert after[1] == pytest.approx(x, rel=1e-2, abs=1e-3)


def test_two_planar_points_agree_with_a_dense_grid():
    for seed in slipping(2, True, 4):
        impact = SlippingImpact(seed, 2, True)
        line = np.union1d(np.linspace(-4.0, 4.0, 401), [0.0])
        X, Y = np.meshgrid(line, line)
        after = np.repeat(impact.target[:, None], X.size, axis=1)
        after[1], after[4] = X.ravel(), Y.ravel()
        p = impact.inverse @ (after - impact.before[:, None])
        mu = impact.least[:, None] + (STATIC - impact.least[:, None]) * np.exp(-np.abs(after[[1, 4]]) / V_S)
        feasible = ((np.abs(p[[1, 4]]) <= mu * p[[0, 3]]) & (p[[0, 3]] >= 0.0)).all(axis=0)
        values = np.where(feasible, ((STATIC - mu) ** 2).sum(axis=0) + np.square(after[[1, 4]]).sum(axis=0), np.inf)
        value, _ = impact.ours()
        if value == np.inf:
            assert values.min() == np.inf
        else:  # the grid's best point is up to a cell away from the edge of the feasible region
            assert value <= values.min() * (1.0 + 1e-6)
            assert values.min() <= 1.05 * value + 0.05


def test_energy_bound_is_kept_or_refused():
    kept = 0
    for seed in slipping(2, False, 6):
        impact = SlippingImpact(seed, 2, False, restitution=0.9)
        value, p = impact.ours()
        if value == np.inf:
            continue
        gain = p @ (impact.before + 0.5 * impact.G @ p)
        bounded, q = impact.ours(energy_bound=gain - 0.05, kinetic=1.0)
        if bounded < np.inf:
            kept += 1
            assert q @ (impact.before + 0.5 * impact.G @ q) <= gain - 0.05 + 1e-9
            assert bounded >= value - 1e-9
    assert kept > 0


def test_friction_falls_from_static_to_least():
    law = FrictionLaw(0.5, 0.2, 1e-5, 1.0)
    assert blended_friction(0.0, 0.2, law) == 0.5
    assert blended_friction(1.0, 0.2, law) == pytest.approx(0.2)
    assert blended_friction(1e-5, 0.2, law) == pytest.approx(0.2 + 0.3 / np.e)


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (3, 2), (6, 3), (12, 6), (12, 12), (9, 0)])
def test_factor_gives_the_solution_of_smallest_norm(n, rank):
    random = np.random.default_rng(n + rank)
    A, b = random.normal(size=(n, rank)) @ random.normal(size=(rank, n)), random.normal(size=n)
    M, order, normal, x = A.copy(), np.zeros((2, n), dtype=int), np.zeros((2, n, n)), np.zeros(n)
    assert factor(M, n, order, normal) == rank
    solve(M, n, rank, order, normal, b, x, np.zeros(n))
    np.testing.assert_allclose(x, np.linalg.pinv(A) @ b, atol=1e-9 * (1.0 + np.abs(x).max()))
