"""Warnings that are given once in a while, however often there is reason for them."""

import time
from collections.abc import Callable

EVERY = 5.0  # s


class Throttle:
    """Passes on one message of each kind every few seconds, with the number of those it kept back."""

    def __init__(self, say: Callable[[str], object]) -> None:
        """Give what passes to ``say``."""
        self._say = say
        self._said: dict[str, float] = {}
        self._kept: dict[str, int] = {}

    def __call__(self, kind: str, message: str) -> None:
        """Say a message unless one of its kind was said a short while ago."""
        now = time.monotonic()
        if now - self._said.get(kind, -EVERY) < EVERY:
            self._kept[kind] = self._kept.get(kind, 0) + 1
            return
        kept = self._kept.pop(kind, 0)
        self._said[kind] = now
        self._say(f"{message} ({kept} more like this since the last word)" if kept else message)
