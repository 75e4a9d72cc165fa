"""Inverse kinematics of one leg on the records of a model: a foot brought to a place, and its sole level."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from .feet import chain
from .home import joint_placement
from .placement import IDENTITY, Array, Placement
from .records import FREE, REVOLUTE

DAMPING = 1e-3
ROUNDING = 1e-13  # of the equations: a leg of 1 km is not singular
ITERATIONS = 100
LONGEST_STEP = 0.3  # rad or m
WIDEST = np.pi  # rad: a joint without limits is searched within half a turn
LEVEL_WEIGHT = 0.3  # m/rad, of the sole's attitude against the foot's place


@dataclass(frozen=True, eq=False)
class LegChain:
    """The joints of a leg, from the trunk, or from a waist that carries both legs, down to a foot.

    Attributes:
        carrier: where the body that carries the first joint stands in the trunk's frame.
        bodies: indices of the bodies that the joints move, trunk first.
        records: their LINK records.
        foot: (3,), centre of the foot's contact point in the last body's frame, m.
        radius: of that point, m.
        lower: (n,), limits of the joints' positions, rad or m; half a turn where there are none.
        upper: (n,).
    """

    carrier: Placement
    bodies: list[int]
    records: np.ndarray
    foot: Array
    radius: float
    lower: Array
    upper: Array

    @classmethod
    def of(cls, links: np.ndarray, point: np.void, shared: Collection[int] = ()) -> "LegChain | None":
        """Return the chain to a contact point; None if a joint on the way is free.

        Args:
            links: LINK records.
            point: CONTACT_POINT record.
            shared: bodies that carry other legs, too; their joints stay where they are nearest to zero.
        """
        all_bodies = chain(links, int(point["link"]))
        if (links["joint_kind"][all_bodies] == FREE).any():
            return None
        carrier = IDENTITY
        for body in (body for body in all_bodies if body in shared):
            nearest = np.clip(0.0, links["lower_limit"][body], links["upper_limit"][body])
            carrier = carrier.compose(joint_placement(links[body], np.array([nearest])))
        bodies = [body for body in all_bodies if body not in shared]
        records = links[bodies]
        lower = np.maximum(records["lower_limit"], -WIDEST)
        upper = np.minimum(records["upper_limit"], WIDEST)
        return cls(carrier, bodies, records, point["position"].copy(), float(point["radius"]), lower, upper)

    @property
    def start(self) -> Array:
        """The positions nearest to zero, (n,)."""
        return np.clip(np.zeros(len(self.bodies)), self.lower, self.upper)

    def placements(self, angles: Array) -> list[Placement]:
        """Return where each body stands in the trunk's frame."""
        found: list[Placement] = []
        for record, angle in zip(self.records, angles, strict=True):
            joint = joint_placement(record, np.array([angle]))
            found.append((found[-1] if found else self.carrier).compose(joint))
        return found

    def foot_place(self, angles: Array) -> Array:
        """Return the centre of the foot in the trunk's frame, (3,), m."""
        return self.placements(angles)[-1].apply(self.foot)

    def axes(self, angles: Array) -> tuple[Array, Array]:
        """Return the joints' axes and origins in the trunk's frame, (n, 3) each."""
        placed = self.placements(angles)
        carriers = [self.carrier.rotation, *(place.rotation for place in placed[:-1])]
        axes = [turn @ record["axis"] for turn, record in zip(carriers, self.records, strict=True)]
        return np.array(axes), np.array([place.position for place in placed])

    def jacobian(self, angles: Array) -> Array:
        """Return the derivative (6, n) of the foot's place and attitude, m and rad, in the trunk's frame."""
        axes, origins = self.axes(angles)
        turning = self.records["joint_kind"] == REVOLUTE
        arms = self.foot_place(angles) - origins
        linear = np.where(turning[:, None], np.cross(axes, arms), axes)
        return np.concatenate([linear.T, np.where(turning[:, None], axes, 0.0).T])

    def reach(
        self, target: Array, angles: Array, sole: Array | None = None, level: float = LEVEL_WEIGHT
    ) -> tuple[Array, float]:
        """Return positions (n,) within the limits that bring the foot to a place, and what is missing, m.

        Damped least squares; joints at a limit are left out of the step.

        Args:
            target: of the foot's centre in the trunk's frame, (3,), m.
            angles: where to begin, (n,).
            sole: rotation (3, 3) of the last body in the trunk's frame that the foot is to have; None: any.
            level: how much that counts against the foot's place, m/rad.
        """
        angles = np.clip(angles, self.lower, self.upper)
        for _ in range(ITERATIONS):
            error = self._error(target, angles, sole, level)
            if np.abs(error).max() < 1e-9:
                break
            jacobian = self.jacobian(angles)[: len(error)]
            jacobian[3:] *= level
            step = _step(jacobian, error)
            stuck = ((angles <= self.lower) & (step < 0.0)) | ((angles >= self.upper) & (step > 0.0))
            if stuck.any():
                jacobian[:, stuck] = 0.0
                step = _step(jacobian, error)
            step *= min(1.0, LONGEST_STEP / max(np.abs(step).max(), 1e-12))
            angles = np.clip(angles + step, self.lower, self.upper)
        return angles, float(np.linalg.norm(self._error(target, angles, sole, level)))

    def _error(self, target: Array, angles: Array, sole: Array | None, level: float) -> Array:
        last = self.placements(angles)[-1]
        away = target - last.apply(self.foot)
        if sole is None:
            return away
        turn = sole @ last.rotation.T
        tilt = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        return np.concatenate([away, level * tilt])


def _step(jacobian: Array, error: Array) -> Array:
    gram = jacobian @ jacobian.T
    gram += (DAMPING**2 + ROUNDING * np.trace(gram)) * np.eye(len(error))
    return jacobian.T @ np.linalg.solve(gram, error)
