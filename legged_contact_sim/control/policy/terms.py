"""Terms of an observation: each a function of what is read, on arrays with worlds first."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Readings(NamedTuple):
    """What terms are made of, for N worlds and n joints in the policy's order.

    Attributes:
        time: since the start of the policy, (N,), s.
        linear_velocity: of the base in its own axes, (N, 3), m/s.
        angular_velocity: likewise, (N, 3), rad/s.
        gravity: direction of gravity in the base's axes, (N, 3), of length 1.
        positions: of the joints, minus the default pose, (N, n), rad or m.
        velocities: of the joints, (N, n), rad/s or m/s.
        last_action: that the network gave, (N, n).
        command: velocity wanted: forward, sideways, turning, (N, 3), m/s and rad/s.
    """

    time: np.ndarray
    linear_velocity: np.ndarray
    angular_velocity: np.ndarray
    gravity: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    last_action: np.ndarray
    command: np.ndarray


def linear_velocity(read: Readings, options: dict[str, Any]) -> np.ndarray:
    """Return the base's velocity; with ``at`` (3,), m, that of a sensor there, v + w x r."""
    if "at" not in options:
        return read.linear_velocity
    return read.linear_velocity + np.cross(read.angular_velocity, np.asarray(options["at"], dtype=float))


def phase(read: Readings, options: dict[str, Any]) -> np.ndarray:
    """Return sine and cosine of a clock that turns once a ``period``, s; one of each per entry of ``offsets``, rad.

    ``first`` is "sin" or "cos": which of them stands first.
    """
    offsets = np.atleast_1d(np.asarray(options.get("offsets", 0.0), dtype=float))
    angle = 2.0 * np.pi * read.time[:, None] / float(options["period"]) + offsets
    both = [np.sin(angle), np.cos(angle)]
    return np.concatenate(both if options.get("first", "sin") == "sin" else both[::-1], axis=1)


def constant(read: Readings, options: dict[str, Any]) -> np.ndarray:
    """Return the same ``values`` always: what a policy asks for that the robot does not measure."""
    values = np.atleast_1d(np.asarray(options["values"], dtype=float))
    return np.broadcast_to(values, (len(read.time), len(values)))


TERMS: dict[str, Callable[[Readings, dict[str, Any]], np.ndarray]] = {
    "base_linear_velocity": linear_velocity,
    "gyro": lambda read, _: read.angular_velocity,
    "projected_gravity": lambda read, _: read.gravity,
    "joint_positions": lambda read, _: read.positions,
    "joint_velocities": lambda read, _: read.velocities,
    "last_action": lambda read, _: read.last_action,
    "command": lambda read, _: read.command,
    "phase": phase,
    "constant": constant,
}
NEEDED = {"phase": ("period",), "constant": ("values",)}
OPTIONS = {
    "base_linear_velocity": ("at",),
    "phase": ("period", "offsets", "first"),
    "constant": ("values",),
}
