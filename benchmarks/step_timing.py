"""Timing of whole gait periods, in short pieces, so that a busy machine can be kept out of it.

The cost of a step depends on which feet touch, so only whole periods compare. A period takes longer than a busy machine
leaves anyone alone: it is cut into pieces, every round plays all of them from the same saved state, and each piece
counts with its minimum (and its median) over the rounds. Slow engines sit out most rounds, so that they do not take all
of the time.
"""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .step_case import SETTLING, WATCHING, Behaviour, StepCase, behaviour
from .timing import Timing, no_garbage_collection

TURN = 0.05  # s: a player whose gait period takes longer sits out rounds


class Player(Protocol):
    """A quadruped in some engine, ready to follow joint targets.

    Attributes:
        name: of the engine and what of it is used.
        settings: what a reader needs to do the same.
        piece: steps that take a millisecond or two, so that they can be timed between two disturbances.
    """

    name: str
    settings: Mapping[str, Any]
    piece: int

    def ready(self, rows: np.ndarray) -> Callable[[], Any]:
        """Return a call that follows joint targets (rows, joint_count), rad, each for the case's ``every`` steps."""

    def coordinates(self) -> np.ndarray:
        """Return q in the package's conventions, (nq,)."""

    def save(self) -> None:
        """Keep the present state."""

    def restore(self) -> None:
        """Go back to the kept state."""

    def single_step(self) -> Callable[[], Any]:
        """Return one step as a Python user takes it; the joints hold the stance."""


@dataclass(frozen=True)
class Lap:
    """What a player showed, and what a step took; None: it failed its check and was not timed."""

    name: str
    settings: Mapping[str, Any]
    behaviour: Behaviour
    timing: Timing | None


def watch(case: StepCase, player: Player) -> Behaviour:
    """Let a player start from its home pose, settle and be watched; keep the state it ends in."""
    rows = case.targets(SETTLING + WATCHING, growing=True)
    settled = len(case.targets(SETTLING))
    player.ready(rows[:settled])()
    path = []
    for k in range(settled, len(rows)):
        player.ready(rows[k : k + 1])()
        path.append(player.coordinates())
    player.save()
    return behaviour(case, np.array(path))


def pieces(case: StepCase, size: int) -> list[np.ndarray]:
    """Return the targets of one gait period, cut into pieces of about ``size`` steps."""
    rows = case.targets(1)
    return np.array_split(rows, max(1, round(len(rows) * case.every / size)))


def time_players(case: StepCase, players: Sequence[Player], rounds: int) -> list[Timing]:
    """Return what a step takes in every player, µs; they take turns, a gait period each."""
    parts = [[player.ready(rows) for rows in pieces(case, player.piece)] for player in players]
    samples: list[list[list[float]]] = [[[] for _ in own] for own in parts]
    strides = [1] * len(players)
    with no_garbage_collection():
        for turn in range(rounds):
            for k, player in enumerate(players):
                if turn % strides[k]:
                    continue
                player.restore()
                for part, times in zip(parts[k], samples[k]):
                    start = time.perf_counter()
                    part()
                    times.append(time.perf_counter() - start)
                strides[k] = max(1, round(sum(map(min, samples[k])) / TURN))
    scale = 1e6 / (case.every * len(case.targets(1)))
    return [Timing(scale * sum(map(min, row)), scale * sum(map(statistics.median, row))) for row in samples]


def compare(case: StepCase, players: Sequence[Player], rounds: int) -> list[Lap]:
    """Watch all players and time those that do what they should."""
    seen = [watch(case, player) for player in players]
    able = [player for player, shown in zip(players, seen) if not shown.failure]
    timings = dict(zip(map(id, able), time_players(case, able, rounds)))
    return [Lap(p.name, p.settings, shown, timings.get(id(p))) for p, shown in zip(players, seen)]
