"""Friction problems with known structure: rigid bodies, their contacts, and the matrices W and q that follow."""

import numpy as np
import pytest

GRAVITY, STEP = 9.81, 1e-2


def skew(a):
    """Return the matrix of the cross product with a vector."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def contact_rows(bodies, a, at_a, b, at_b, normal=(0.0, 0.0, 1.0)):
    """Return the three rows (normal, tangents) of a contact in which body ``b`` (-1: the ground) pushes body ``a``."""
    n = np.asarray(normal)
    t = np.cross(n, (0.0, 1.0, 0.0) if abs(n[1]) < 0.9 else (1.0, 0.0, 0.0))
    axes = np.array([n, t / np.linalg.norm(t), np.cross(n, t / np.linalg.norm(t))])
    rows = np.zeros((3, 6 * bodies))
    for body, place, sign in ((a, at_a, 1.0), (b, at_b, -1.0)):
        if body >= 0:
            rows[:, 6 * body : 6 * body + 3] = sign * axes
            rows[:, 6 * body + 3 : 6 * body + 6] = -sign * axes @ skew(place)
    return rows


def problem(J, masses, inertias, v):
    """Return W and q of bodies with velocities ``v`` that fall for one step; bodies' axes are principal."""
    inverse = np.concatenate([np.r_[np.full(3, 1.0 / m), 1.0 / np.asarray(i)] for m, i in zip(masses, inertias)])
    free = np.array(v, dtype=float)
    free[2::6] -= GRAVITY * STEP
    W = (J * inverse) @ J.T
    return 0.5 * (W + W.T), J @ free


def plate(points, v=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), mass=20.0):
    """Return a plate on a grid of points x points contacts: rank 6, whatever their number."""
    places = np.linspace(-0.5, 0.5, points)
    J = np.vstack([contact_rows(1, 0, (x, y, -0.05), -1, None) for x in places for y in places])
    return problem(J, [mass], [(1.7, 1.7, 3.3)], v)


def stack(masses, v=None, size=0.2):
    """Return boxes on top of one another, four contacts between neighbours."""
    count, half, rows = len(masses), 0.5 * size, []
    for level in range(count):
        for x in (-half, half):
            for y in (-half, half):
                rows.append(contact_rows(count, level, (x, y, -half), level - 1, (x, y, half)))
    inertias = [np.full(3, m * size**2 / 6.0) for m in masses]
    return problem(np.vstack(rows), masses, inertias, np.zeros(6 * count) if v is None else v)


def heap(random, bodies, contacts):
    """Return bodies in a heap: contacts with the ground and, with leaning normals, with one another."""
    masses, places, rows = 10.0 ** random.uniform(-1.0, 1.0, bodies), random.uniform(-1.0, 1.0, (bodies, 3)), []
    for _ in range(contacts):
        a, b = random.choice(bodies, 2, replace=False)
        normal, at_a, at_b = np.array([0.0, 0.0, 1.0]), 0.1 * random.normal(size=3), 0.1 * random.normal(size=3)
        if random.random() < 0.5:
            b, at_b = -1, None
        else:
            normal = places[a] - places[b]
        rows.append(contact_rows(bodies, a, at_a, b, at_b, normal / np.linalg.norm(normal)))
    inertias = [m * 0.01 * 10.0 ** random.uniform(-0.3, 0.3, 3) for m in masses]
    return problem(np.vstack(rows), masses, inertias, random.choice([0.0, 0.1, 1.0]) * random.normal(size=6 * bodies))


def scattered(random, contacts, bodies, decades):
    """Return contacts at random places of free bodies whose inertias spread over so many decades either way."""
    J = np.zeros((3 * contacts, 6 * bodies))
    for k in range(contacts):
        a, b = int(random.integers(bodies)), int(random.integers(bodies))
        normal, place = random.normal(size=3) * 0.3 + (0.0, 0.0, 1.0), random.normal(size=3) * (1.0, 1.0, 0.1)
        b = b if b != a and random.random() < 0.4 else -1
        J[3 * k : 3 * k + 3] = contact_rows(bodies, a, place, b, place, normal / np.linalg.norm(normal))
    inverse = 10.0 ** random.uniform(-decades, decades, 6 * bodies)
    v = np.tile((0.0, 0.0, -0.01, 0.0, 0.0, 0.0), bodies) + random.normal(size=6 * bodies) * 10.0 ** random.uniform(
        -4, 0
    )
    W = (J * inverse) @ J.T
    return 0.5 * (W + W.T), J @ v


def assert_coulomb(W, q, mu, r, error):
    """Check the law itself, contact by contact; velocities within ``error``, m/s, impulses within what it moves."""
    v, mu = (W @ r + q).reshape(-1, 3), np.broadcast_to(mu, len(q) // 3)
    slack = error / np.diag(W).min()
    for (rn, *rt), (vn, *vt), m in zip(r.reshape(-1, 3), v, mu):
        friction, slip = np.linalg.norm(rt), np.linalg.norm(vt)
        assert rn >= -slack
        assert vn >= -error
        assert min(rn, vn) <= max(slack, error)
        assert friction <= m * rn + slack
        if slip > 1e3 * error:
            assert friction == pytest.approx(m * rn, abs=1e3 * slack)
            assert np.dot(rt, vt) == pytest.approx(-friction * slip, abs=1e3 * slack * slip)
