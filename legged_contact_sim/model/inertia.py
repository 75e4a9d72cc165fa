"""Rigid-body inertia: adding bodies up, and telling impossible and odd ones."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .placement import Array, Placement, cross_matrix

# Files round to a few digits, so an inertia at the edge of the possible (a thin plate) may stand just beyond it.
TOLERANCE = 1e-6

# Where the six numbers of a symmetric matrix stand in it: xx xy xz yy yz zz.
SIX = np.triu_indices(3)


@dataclass(frozen=True)
class RigidInertia:
    """The inertia of a rigid body.

    Attributes:
        mass: kg.
        com: (3,), centre of mass in the frame of the body, m.
        moments: (3, 3), about the centre of mass, axes of that frame, kg m^2.
    """

    mass: float
    com: Array
    moments: Array

    def placed(self, placement: Placement) -> "RigidInertia":
        """Return the inertia seen from the frame in which the body's own frame has the given placement."""
        rotation = placement.rotation
        return RigidInertia(self.mass, placement.position + rotation @ self.com, rotation @ self.moments @ rotation.T)


MASSLESS = RigidInertia(0.0, np.zeros(3), np.zeros((3, 3)))


def total(inertias: Iterable[RigidInertia]) -> RigidInertia:
    """Return the inertia of bodies fixed to one another, all given in one frame (parallel axis theorem)."""
    bodies = list(inertias)
    mass = sum(body.mass for body in bodies)
    if mass == 0.0:
        return MASSLESS
    if len(bodies) == 1:
        return bodies[0]
    com = sum((body.mass * body.com for body in bodies), np.zeros(3)) / mass
    moments = np.zeros((3, 3))
    with np.errstate(over="ignore", invalid="ignore"):  # `fault` tells of an overflow
        for body in bodies:
            arm = cross_matrix(body.com - com)
            moments += body.moments - body.mass * arm @ arm
    return RigidInertia(mass, com, moments)


def fault(moments: Array) -> str | None:
    """Return why nothing can move with the moments of inertia (3, 3), kg m^2; None if it can: they are positive."""
    if principal_moments(moments)[0] > 0.0:
        return None
    return f"{_listed(moments)}; expected a positive definite inertia"


def oddity(moments: Array) -> str | None:
    """Return what no body could have about moments of inertia (3, 3) that can be simulated, kg m^2; None if nothing is.

    No principal moment exceeds the sum of the other two, since each is an integral of two squared coordinates over the
    mass. Files hold such moments all the same, and the equations of motion have a solution with any positive ones.
    """
    smallest, middle, largest = principal_moments(moments)
    if largest - middle > smallest + TOLERANCE * largest:
        return (
            f"{_listed(moments)}; the largest exceeds the sum of the others, as of no real body (triangle inequality)"
        )
    return None


def _listed(moments: Array) -> str:
    return "principal moments of inertia {:.3g}, {:.3g}, {:.3g} kg m^2".format(*principal_moments(moments))


def is_negative(moments: Array) -> bool:
    """Tell whether a principal moment of a part of a body is below zero, beyond rounding.

    Parts are held to this alone: files give dummy links, fixed to a real one, moments that no body could have.
    """
    smallest, _, largest = principal_moments(moments)
    return not smallest >= -TOLERANCE * abs(largest)


def principal_moments(moments: Array) -> Array:
    """Return the principal moments (3,) of moments of inertia (3, 3), smallest first, kg m^2; NaN after an overflow."""
    if not np.all(np.isfinite(moments)):
        return np.full(3, np.nan)
    return np.asarray(np.linalg.eigvalsh(moments), dtype=float)
