"""What other threads ask of a loop, done between two of its turns."""

import queue
import threading
from collections.abc import Callable
from typing import Any

from ..errors import LeggedContactSimError, SimulationError

LOOK = 0.1  # s; between looks whether the loop is still there


class Requests:
    """A queue of actions: any thread asks, the loop's thread serves."""

    def __init__(self) -> None:
        """Begin with none."""
        self._waiting: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._ended = threading.Event()

    def ask(self, action: Callable[[], Any]) -> Any:
        """Have the loop do something and return its result.

        Raises:
            LeggedContactSimError: what the action raised, or that the loop has ended.
        """
        request = Request(action)
        self._waiting.put(request)
        return self.await_result(request)

    def await_result(self, request: "Request", meanwhile: Callable[[], None] | None = None) -> Any:
        """Return the result of a request; wait for it, however long it takes.

        Args:
            request: that the loop knows of.
            meanwhile: called again and again.

        Raises:
            LeggedContactSimError: what the action raised, or that the loop has ended.
        """
        while not request.done.wait(LOOK):
            if self._ended.is_set():
                raise SimulationError("the simulation has ended")
            if meanwhile:
                meanwhile()
        if request.error:
            raise request.error
        return request.value

    def serve(self) -> None:
        """Do what was asked so far."""
        while not self._waiting.empty():
            self._waiting.get().serve()

    def end(self) -> None:
        """Say that nothing will be served any more."""
        self._ended.set()


class Request:
    """Something to do, and its result.

    Attributes:
        done: set when there is a result.
        value: what the action returned.
        error: what it raised instead.
    """

    def __init__(self, action: Callable[[], Any]) -> None:
        """Keep the action."""
        self._action = action
        self.done = threading.Event()
        self.value: Any = None
        self.error: LeggedContactSimError | None = None

    def serve(self) -> None:
        """Do it."""
        try:
            self.value = self._action()
        except LeggedContactSimError as error:
            self.error = error
        self.done.set()
