"""A replay: recorded runs and a place in time, which moves by itself or by a slider."""

import threading
import time as clock

from ..errors import ParameterError
from .recordings import Recording
from .stage import Frame, Stage

TICK = 1.0 / 60.0  # s
LEAST_SPEED, MOST_SPEED = 0.01, 10.0


class Replay:
    """Plays one recording, and another one beside it as a ghost; both at the same time of their runs.

    Attributes:
        recordings: by label.
        label: of what plays.
        ghost: label of what plays beside it; "": nothing.
        time: in the run, s.
        paused: whether time stands still.
        speed: seconds of the run per second.
        version, frame, ghost_frame, message: as `Show` has them.
    """

    def __init__(self, recordings: dict[str, Recording], ghost: str = "") -> None:
        """Begin with the first recording, at its first frame."""
        self.recordings = recordings
        self.label, self.ghost = next(iter(recordings)), ""
        self.paused, self.speed, self.message, self.version = False, 1.0, "", 0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="replay", daemon=True)
        self._lock = threading.Lock()
        self.choose(self.label, ghost)
        self.seek(self.playing.frames[0].time)

    @property
    def playing(self) -> Recording:
        """What plays."""
        return self.recordings[self.label]

    @property
    def stage(self) -> Stage:
        """Where it plays."""
        return self.playing.stage

    @property
    def ghost_stage(self) -> Stage | None:
        """Where the ghost plays."""
        return self.recordings[self.ghost].stage if self.ghost else None

    @property
    def end_time(self) -> float:
        """Until when there is anything to see, s."""
        return max(self.recordings[label].end for label in (self.label, self.ghost or self.label))

    def choose(self, label: str, ghost: str = "") -> None:
        """Play another run, and one beside it.

        Raises:
            ParameterError: there is no such run.
        """
        for name in (label, *([ghost] if ghost else [])):
            if name not in self.recordings:
                raise ParameterError(f"{name}: no such run; there are {', '.join(self.recordings)}")
        with self._lock:
            self.label, self.ghost = label, ghost if ghost != label else ""
            self.version += 1
        self.seek(getattr(self, "time", 0.0))

    def seek(self, time: float) -> None:
        """Go to a time of the run, s; beyond an end it is the end."""
        with self._lock:
            self.time = min(max(time, 0.0), self.end_time)
            self.frame: Frame = self.playing.frames[self.playing.index_at(self.time)]
            beside = self.recordings[self.ghost] if self.ghost else None
            self.ghost_frame = None if beside is None else beside.frames[beside.index_at(self.time)]

    def recent(self, most: int) -> tuple[Frame, ...]:
        """Return the frames up to now, at most so many."""
        last = self.playing.index_at(self.time)
        return self.playing.frames[max(0, last + 1 - most) : last + 1]

    def start(self) -> None:
        """Let time run."""
        self._thread.start()

    def end(self) -> None:
        """End the thread and wait for it."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)

    def _run(self) -> None:
        before = clock.monotonic()
        while not self._ending.wait(TICK):
            now = clock.monotonic()
            if not self.paused:
                self.seek(self.time + (now - before) * min(max(self.speed, LEAST_SPEED), MOST_SPEED))
                self.paused = self.time >= self.end_time
            before = now
