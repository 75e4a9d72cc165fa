"""Buffers of viser's messages that every thread may fill.

viser wakes the tasks of its event loop from whatever thread a message comes from. Where the loop adds or removes a task
meanwhile, that is an error in the thread that draws ("deque mutated during iteration"). Here only the loop wakes them:
viser asks it to after every message, too.
"""

import asyncio
import inspect
from typing import Any


class LoopEvent(asyncio.Event):
    """An event that only its loop sets; other threads ask the loop for it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Belong to a loop."""
        super().__init__()
        self._owner = loop

    def set(self) -> None:
        """Wake who waits, if this is the loop's thread; else nothing."""
        if running_loop() is self._owner:
            super().set()


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the loop that runs in this thread; None: there is none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def make_buffers_safe() -> None:
    """Give such an event to every buffer that viser makes from now on; a viser whose buffers take none is left alone.

    Buffers are no part of what viser promises to keep.
    """
    try:
        from viser.infra import _infra

        plain = _infra.AsyncMessageBuffer
        takes = set(inspect.signature(plain.__init__).parameters)
    except (ImportError, AttributeError, TypeError, ValueError):
        return
    if not {"event_loop", "message_event"} <= takes:
        return  # it cannot be done, or is: a `Buffer` takes none

    class Buffer(plain):  # type: ignore[misc,valid-type]
        """A buffer with an event of its loop's."""

        def __init__(self, event_loop: asyncio.AbstractEventLoop, *rest: Any, **options: Any) -> None:
            super().__init__(event_loop, *rest, message_event=LoopEvent(event_loop), **options)

    _infra.AsyncMessageBuffer = Buffer  # type: ignore[assignment,misc]
