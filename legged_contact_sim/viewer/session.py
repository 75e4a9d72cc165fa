"""The simulation behind the view: it runs in a thread of its own at a chosen pace and never waits for who watches."""

import threading
import time as clock
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from ..errors import LeggedContactSimError
from .stage import Frame, Stage
from .world import World

SLICE = 1.0 / 60.0  # s of wall clock between two looks at the requests
MOST_LATE = 0.25  # s by which a slow machine may fall behind before it slows time down instead
LEAST_SPEED, MOST_SPEED = 0.01, 10.0


class Session:
    """A world that runs, and whatever somebody asked of it.

    Requests are functions of the session; its thread carries them out between two steps, in order. What the world is
    like is in ``frame`` and ``ghost_frame``, which are replaced, never changed: reading them needs no lock.

    Attributes:
        world: what is simulated; only the session's thread may touch it.
        ghost: a second world beside it; None: there is none.
        paused: whether time stands still.
        speed: simulated seconds per second.
        factor: simulated seconds per second that were reached of late.
        message: the last thing that went wrong, in words.
        version: counts how often the robot or its ground was replaced.
    """

    def __init__(self, world: World) -> None:
        """Take a world at its start; `start` lets time run."""
        self.world, self.ghost = world, None  # type: World, World | None
        self.paused, self.speed, self.factor, self.message, self.version = False, 1.0, 0.0, "", 0
        self.frame: Frame = world.frame()
        self.ghost_frame: Frame | None = None
        self._requests: SimpleQueue[Callable[[Session], Any]] = SimpleQueue()
        self._ending = threading.Event()
        self._since: float | None = None  # when the work began that its thread does now
        self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)

    @property
    def busy(self) -> float:
        """For how long its thread has been at one step or request, s: kernels that are new take long, once."""
        since = self._since
        return 0.0 if since is None else clock.monotonic() - since

    @property
    def stage(self) -> Stage:
        """Where the world plays."""
        return self.world.stage

    @property
    def ghost_stage(self) -> Stage | None:
        """Where the ghost plays."""
        return None if self.ghost is None else self.ghost.stage

    def start(self) -> None:
        """Let time run."""
        self._thread.start()

    def end(self) -> None:
        """End the thread and wait for it."""
        self._ending.set()
        self._requests.put(lambda _: None)
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)

    def ask(self, request: Callable[["Session"], Any]) -> None:
        """Let the session's thread carry out a request before its next step."""
        self._requests.put(request)

    def replace(self, world: World) -> None:
        """Go on with another world (a request)."""
        self.world, self.ghost = world, None
        self.version += 1

    def both(self, action: Callable[[World], None]) -> None:
        """Do the same to the world and its ghost (a request)."""
        for world in (self.world, self.ghost):
            if world is not None:
                action(world)

    def add_ghost(self, contact_model: str) -> None:
        """Let a second world under another contact model run beside the first, both from the start; "": none."""
        self.world.reset()
        self.ghost = None
        if contact_model:
            self.ghost = World(self.world.scenario.changed({"contact_model": contact_model}))
            self.ghost.command_velocity(*self.world.command)
        self.version += 1

    def advance(self, duration: float) -> None:
        """Advance the worlds by a duration, s, of simulated time; what fails pauses and says why."""
        self._since = clock.monotonic()
        try:
            self.both(lambda world: world.advance(duration))
        except LeggedContactSimError as error:
            self.paused, self.message = True, str(error)
        self._show()
        self._since = None

    def _run(self) -> None:
        due, began, simulated = clock.monotonic(), clock.monotonic(), self.world.time
        while not self._ending.is_set():
            changed = self._serve(wait=self.paused)
            now = clock.monotonic()
            if changed or self.paused:
                due, began, simulated = now, now, self.world.time
                if changed:
                    self._show()
                continue
            speed = min(max(self.speed, LEAST_SPEED), MOST_SPEED)
            before = self.world.time
            self.advance(SLICE * speed)
            due = max(due + (self.world.time - before) / speed, now - MOST_LATE)
            now = clock.monotonic()
            if now - began > 1.0:
                self.factor = (self.world.time - simulated) / (now - began)
                began, simulated = now, self.world.time
            if due > now:
                self._ending.wait(due - now)

    def _serve(self, wait: bool) -> bool:
        """Carry out what was asked for; return whether there was anything."""
        served = False
        while True:
            try:
                request = self._requests.get(timeout=0.1 if wait and not served else None, block=wait and not served)
            except Empty:
                return served
            served, self._since = True, clock.monotonic()
            try:
                request(self)
            except LeggedContactSimError as error:
                self.message = str(error)
            self._since = None

    def _show(self) -> None:
        self.frame = self.world.frame()
        self.ghost_frame = None if self.ghost is None else self.ghost.frame()
