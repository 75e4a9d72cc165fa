"""What other threads ask of a loop, done between two of its turns."""

import queue
import threading
from collections.abc import Callable
from typing import Any

from ..errors import LeggedContactSimError

ANSWER_SECONDS = 10.0  # how long an asker waits


class Requests:
    """A queue of actions: any thread asks, the loop's thread serves."""

    def __init__(self) -> None:
        """Begin with none."""
        self._waiting: queue.SimpleQueue[_Request] = queue.SimpleQueue()

    def ask(self, action: Callable[[], Any]) -> Any:
        """Have the loop do something and return its result.

        Raises:
            LeggedContactSimError: what the action raised.
            TimeoutError: the loop did not come to it.
        """
        request = _Request(action)
        self._waiting.put(request)
        return request.result()

    def serve(self) -> None:
        """Do what was asked so far."""
        while not self._waiting.empty():
            self._waiting.get().serve()


class _Request:
    """Something to do, and its result."""

    def __init__(self, action: Callable[[], Any]) -> None:
        self._action = action
        self._done = threading.Event()
        self._value: Any = None
        self._error: LeggedContactSimError | None = None

    def serve(self) -> None:
        try:
            self._value = self._action()
        except LeggedContactSimError as error:
            self._error = error
        self._done.set()

    def result(self) -> Any:
        if not self._done.wait(ANSWER_SECONDS):
            raise TimeoutError(f"the simulation did not answer within {ANSWER_SECONDS:g} s")
        if self._error:
            raise self._error
        return self._value
