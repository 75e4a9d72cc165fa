"""Foot contact as robots report it: a boolean with hysteresis, the force, time in the air and on the ground, slip."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..contact.parameters import Parameters, number
from ..errors import ParameterError
from ..model import RobotModel
from ..simulation import Simulator
from .imperfections import BIG


@dataclass(frozen=True)
class FootSettings(Parameters):
    """When a foot is said to touch.

    Attributes:
        on: normal force at which contact begins, N; 0: 2 % of the robot's weight.
        off: normal force below which it ends, N; 0: half of ``on``.
    """

    on: float = number(0.0, 0.0, BIG, "N")
    off: float = number(0.0, 0.0, BIG, "N")

    def thresholds(self, weight: float) -> tuple[float, float]:
        """Return both for a robot of a weight, N.

        Raises:
            ParameterError: contact would end above where it begins.
        """
        on = self.on or 0.02 * weight
        off = self.off or 0.5 * on
        if off > on:
            raise ParameterError(f"off: expected at most on = {on:g} N, found {off:g}")
        return on, off


class FootContacts:
    """The contact sensors of m feet; arrays that every update writes to.

    Attributes:
        names: of the contact points.
        touching: (m,), bool.
        force: on the robot, mean over the last interval, world axes, N, (m, 3).
        normal_force: along the ground's normal, N, (m,).
        contact_time: s since touchdown, (m,); 0 in the air.
        air_time: s since lift-off, (m,); 0 on the ground.
        last_contact_time: s that the last whole contact lasted, (m,).
        last_air_time: s that the last whole flight lasted, (m,).
        slip_distance: path along the ground since touchdown, m, (m,); kept in the air.
    """

    def __init__(
        self, robot: RobotModel, points: Sequence[str] | None = None, settings: FootSettings | None = None
    ) -> None:
        """Take contact points by name; None: the robot's feet, all contact points if it has none.

        Raises:
            ParameterError: there is no such contact point.
        """
        self.names = tuple(robot.feet or robot.contact_names) if points is None else tuple(points)
        for name in self.names:
            if name not in robot.contact_names:
                raise ParameterError(f"{name!r} is no contact point of {robot.name}")
        self._columns = np.array([robot.contact_names.index(name) for name in self.names], dtype=int)
        self._on, self._off = (settings or FootSettings()).thresholds(
            robot.total_mass * float(np.linalg.norm(robot.gravity))
        )
        count = len(self.names)
        self.touching = np.zeros(count, dtype=bool)
        self.force, self.normal_force = np.zeros((count, 3)), np.zeros(count)
        self.contact_time, self.air_time = np.zeros(count), np.zeros(count)
        self.last_contact_time, self.last_air_time = np.zeros(count), np.zeros(count)
        self.slip_distance = np.zeros(count)
        self._time = 0.0

    def reset(self, simulator: Simulator) -> None:
        """Begin anew: all feet in the air."""
        self.touching[:] = False
        for array in (self.force, self.normal_force, self.contact_time, self.air_time):
            array[...] = 0.0
        for array in (self.last_contact_time, self.last_air_time, self.slip_distance):
            array[...] = 0.0
        self._time = simulator.time

    def read(self, simulator: Simulator) -> None:
        """Take the last step of a simulator; to be called after every step."""
        contacts = simulator.contacts
        slip = np.linalg.norm(contacts.slip_velocity, axis=1)
        self.update(contacts.force, contacts.normal, slip, simulator.time - self._time)

    def update(self, force: np.ndarray, normal: np.ndarray, slip: np.ndarray, elapsed: float) -> None:
        """Take an interval of ``elapsed`` s.

        Args:
            force: on all contact points, mean over the interval, world axes, N, (points, 3).
            normal: out of the ground, (points, 3).
            slip: speed along the ground, mean over the interval, m/s, (points,).
            elapsed: s.
        """
        self._time += elapsed
        self.force[:] = force[self._columns]
        np.einsum("ki,ki->k", self.force, normal[self._columns], out=self.normal_force)
        before = self.touching.copy()
        self.touching[:] = self.normal_force >= np.where(before, self._off, self._on)
        landed, lifted = self.touching & ~before, before & ~self.touching
        self.last_air_time[landed] = self.air_time[landed]
        self.last_contact_time[lifted] = self.contact_time[lifted]
        self.slip_distance[landed] = 0.0
        self.contact_time[:] = np.where(self.touching, self.contact_time + elapsed, 0.0)
        self.air_time[:] = np.where(self.touching, 0.0, self.air_time + elapsed)
        self.slip_distance += np.where(self.touching, slip[self._columns] * elapsed, 0.0)
