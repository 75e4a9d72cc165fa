"""The controls of a replay: a slider for time, which run, and which ghost."""

from typing import Any

from .controls import Controls
from .page import Page
from .replay import Replay

NO_GHOST = "none"
STEP = 0.01  # s


class ReplayPanel(Controls):
    """Controls and plots of a replay."""

    def __init__(self, server: Any, replay: Replay, page: Page) -> None:
        """Lay out the panel."""
        self._replay = replay
        super().__init__(server, replay, page)

    def add_controls(self) -> None:
        """Add time, the runs and what is drawn."""
        replay, labels = self._replay, list(self._replay.recordings)
        longest = max(recording.end for recording in replay.recordings.values())
        self.running = self._gui.add_button_group("run", ("pause", "play", "start"))
        self.time = self._gui.add_slider("time [s]", 0.0, max(longest, STEP), STEP, 0.0)
        self._followed = float(self.time.value)  # what it was set to here; else somebody moved it
        self.speed = self._gui.add_slider("speed", 0.05, 2.0, 0.05, 1.0)
        self.run = self._gui.add_dropdown("run under", labels, initial_value=replay.label)
        self.ghost = self._gui.add_dropdown(
            "ghost", [NO_GHOST, *labels], initial_value=replay.ghost or NO_GHOST, hint="another run beside it"
        )
        self.add_view()
        self._connect()

    def _connect(self) -> None:
        replay = self._replay

        @self.running.on_click
        def _(event: Any) -> None:
            choice = event.target.value
            if choice == "start" or (choice == "play" and replay.time >= replay.end_time):
                replay.seek(0.0)
            replay.paused = choice == "pause"

        @self.speed.on_update
        def _(_: Any) -> None:
            replay.speed = float(self.speed.value)

        def choose(event: Any) -> None:
            if event.client is not None:
                replay.choose(str(self.run.value), str(self.ghost.value).replace(NO_GHOST, ""))

        self.run.on_update(choose)
        self.ghost.on_update(choose)

    def take(self) -> None:
        """Go where somebody has moved the slider to; else let it follow time."""
        replay, chosen = self._replay, float(self.time.value)
        if chosen != self._followed:
            replay.paused = True
            replay.seek(chosen)
            self._followed = chosen
            return
        now = round(replay.time / STEP) * STEP
        if abs(now - chosen) > 0.5 * STEP:
            self.time.value = now
            self._followed = float(self.time.value)

    def draw(self) -> None:
        """Draw what was before this moment, wherever the slider came from."""
        self.history.clear()
        for frame in self._replay.recent(self.history.length):
            self.history.take(frame)
        super().draw()

    def state(self) -> str:
        """Return whether time runs."""
        return "paused" if self._replay.paused else f"replay x {self._replay.speed:g}"
