"""The slipping contact's one scalar equation, shared by the solvers that treat contact after contact."""

import math

from ...jit import inlined


@inlined
def slip_root(tangential, velocity, normal, mu, nu, start):
    """Return the impulse (normal, tangents) of a contact that slips, and its share s.

    Friction opposes the slip that it leaves: w_t = -s z_t with s > 0, so that z_t = -(H + s)^-1 u. The normal impulse
    follows from the tangential one, z_n = -(w_n + G_nt z_t) / G_nn, and s is the root of |z_t| (1 - nu s) = mu z_n,
    found by Newton's method inside a bracket.

    Args:
        tangential: H, the symmetric 2x2 matrix of the tangents as (h11, h12, h22), 1/kg.
        velocity: u, the two tangential velocities that H z_t changes, m/s.
        normal: w_n, the two numbers of G_nt, and G_nn: the normal velocity without the contact's impulse and its row.
        mu: friction coefficient.
        nu: viscous friction times the time step, kg.
        start: first guess of s, 1/kg; 0: none.
    """
    h11, h12, h22 = tangential
    u1, u2 = velocity
    w0, n1, n2, nn = normal
    low, high = 0.0, math.inf
    s = start if start > 0.0 else 0.5 * (h11 + h22)
    z0, z1, z2 = 0.0, 0.0, 0.0
    for _ in range(60):
        a, c = h11 + s, h22 + s
        k = 1.0 / (a * c - h12 * h12)
        z1, z2 = -(c * u1 - h12 * u2) * k, -(a * u2 - h12 * u1) * k
        z0 = -(w0 + n1 * z1 + n2 * z2) / nn
        length = math.sqrt(z1 * z1 + z2 * z2)
        drag = 1.0 - nu * s
        excess = length * drag - mu * z0
        if excess > 0.0:
            low = s
        else:
            high = s
        # dz_t/ds = -(H + s)^-1 z_t
        d1, d2 = -(c * z1 - h12 * z2) * k, -(a * z2 - h12 * z1) * k
        slope = (z1 * d1 + z2 * d2) / max(length, 1e-300) * drag - nu * length + mu * (n1 * d1 + n2 * d2) / nn
        trial = s - excess / slope
        if not low < trial < high:
            trial = 0.5 * (low + high) if high < math.inf else 4.0 * s
        if abs(trial - s) <= 1e-15 * s:
            break
        s = trial
    return z0, z1, z2, s
