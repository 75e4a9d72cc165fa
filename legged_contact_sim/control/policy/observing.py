"""Observations of a policy from what is read: terms, scaled and clipped, with their history."""

from typing import Any

import numpy as np

from ...errors import ParameterError
from .layout import Layout
from .terms import TERMS, Readings

__all__ = ["Observer", "Readings", "gravity_direction", "readings_of"]


class Observer:
    """Makes the observations of a layout for N worlds and keeps their history."""

    def __init__(self, layout: Layout, joints: int, worlds: int = 1) -> None:
        """Find the size of every term, by reading nothing.

        Raises:
            ParameterError: names the term whose scale or clip does not fit its length.
        """
        self.layout, self.worlds = layout, worlds
        self._scales = [np.asarray(options.get("scale", 1.0), dtype=float) for _, options in layout.observation]
        self._clips = [_clip(options) for _, options in layout.observation]
        vectors, joint_rows = np.zeros((worlds, 3)), np.zeros((worlds, joints))
        nothing = Readings(
            np.zeros(worlds), vectors, vectors, vectors, joint_rows, joint_rows, joint_rows, command=vectors
        )
        self._past: list[np.ndarray] = []
        self._new = np.ones(worlds, dtype=bool)  # worlds without a history
        self.term_sizes = [term.shape[1] for term in self._terms(nothing)]
        self.length = layout.history["length"]
        self.size = self.length * sum(self.term_sizes)

    def reset(self, worlds: np.ndarray | None = None) -> None:
        """Forget the history of all worlds, or of those that a mask (N,) names; the next frame fills it."""
        self._new |= True if worlds is None else worlds

    def observe(self, read: Readings) -> np.ndarray:
        """Return the observations, (N, size)."""
        frame = self._frame(read)
        if self.length == 1:
            return frame
        self._past = [*self._past, frame][-self.length :] if self._past else [frame] * self.length
        return self._with_history(frame)

    def observe_anew(self, read: Readings) -> np.ndarray:
        """Return the observations, (N, size), when worlds were reset and no time has passed since `observe`."""
        frame = self._frame(read)
        return frame if self.length == 1 else self._with_history(frame)

    def _frame(self, read: Readings) -> np.ndarray:
        limit = self.layout.observation_clip
        return np.clip(np.concatenate(self._terms(read), axis=1), -limit, limit)

    def _terms(self, read: Readings) -> list[np.ndarray]:
        found = []
        for (name, options), scale, clip in zip(self.layout.observation, self._scales, self._clips, strict=True):
            value = TERMS[name](read, options)
            if scale.ndim and len(scale) != value.shape[1]:
                raise ParameterError(f"observation: {name} has {value.shape[1]} numbers, found {len(scale)} scales")
            found.append(scale * (value if clip is None else np.clip(value, *clip)))
        return found

    def _with_history(self, frame: np.ndarray) -> np.ndarray:
        """Return frames in the layout's order; before the first, the first stands in for those that were not."""
        if self._new.any():
            self._past = [np.where(self._new[:, None], frame, old) for old in self._past]
            self._new[:] = False
        frames = self._past if self.layout.history["order"] == "oldest_first" else self._past[::-1]
        if self.layout.history["by"] == "frame":
            return np.concatenate(frames, axis=1)
        stacked = np.stack(frames, axis=1)
        parts = np.split(stacked, np.cumsum(self.term_sizes)[:-1], axis=2)
        return np.concatenate([part.reshape(len(frame), -1) for part in parts], axis=1)


def gravity_direction(orientations: np.ndarray) -> np.ndarray:
    """Return where gravity points in the axes of bodies with orientations (N, 4), x y z w; (N, 3) of length 1."""
    x, y, z, w = orientations.T
    return np.stack([2.0 * (w * y - x * z), -2.0 * (y * z + w * x), 2.0 * (x * x + y * y) - 1.0], axis=1)


def readings_of(
    time: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    joints: tuple[np.ndarray, np.ndarray, np.ndarray],
    last_action: np.ndarray,
    command: np.ndarray,
) -> Readings:
    """Return what terms are made of, from states q (N, nq) and v (N, nv) of robots with a floating base.

    ``joints``: indices into q and into v of the policy's joints, and their default pose.
    """
    places, rates, default = joints
    return Readings(
        time,
        v[:, :3],
        v[:, 3:6],
        gravity_direction(q[:, 3:7]),
        q[:, places] - default,
        v[:, rates],
        last_action,
        command,
    )


def _clip(options: dict[str, Any]) -> tuple[float, float] | None:
    given = options.get("clip")
    if given is None:
        return None
    low, high = given if isinstance(given, list) else (-given, given)
    return float(low), float(high)
