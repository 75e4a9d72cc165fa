"""What every panel has: a status line, what is drawn, and plots."""

from typing import Any

import numpy as np

from .history import ENERGIES, History
from .page import Page
from .stage import Show

INKS = ("#4666c8", "#c83c3c", "#3ca046", "#dc961e", "#8c50be", "#28aab4")


class Controls:
    """The panel of a show; its children add what they can do with it in `add_controls`."""

    def __init__(self, server: Any, show: Show, page: Page) -> None:
        """Lay out the panel."""
        self._gui, self._scene, self._show, self._page = server.gui, server.scene, show, page
        self._gui.configure_theme(dark_mode=False, show_logo=False, show_share_button=False, brand_color=(38, 110, 180))
        self._gui.set_panel_label("legged_contact_sim")
        self.status = self._gui.add_markdown("")
        self.add_controls()
        self._plots = Plots(self._gui)
        self.rebuilt()

    def add_controls(self) -> None:
        """Add what stands between status line and plots."""
        self.add_view()

    def rebuilt(self) -> None:
        """Show what another stage is like."""
        self.history = History(self._show.stage)
        self._plots.begin(self.history)
        self._choose(None)

    def take(self) -> None:
        """Keep the newest frame for plots and trails; called for every picture."""
        self.history.take(self._show.frame)

    def draw(self) -> None:
        """Draw plots and trails, and write the status line."""
        self._plots.draw(self.history)
        self._page.draw_trails(self.history)
        stage, frame, message = self._show.stage, self._show.frame, self._show.message
        words = f"**{stage.robot.name}**" + (f" under **{stage.label}**" if stage.label else "")
        audit = "" if frame.energy is None else f", energy remainder {frame.energy.remainder:.2g} J"
        trouble = f"\n\n**{message}**" if message else ""
        self.status.content = f"{words}\n\nt = {frame.time:.2f} s, {self.state()}{audit}{trouble}"

    def state(self) -> str:
        """Return how it fares, for the status line."""
        return "live"

    def add_view(self) -> None:
        """Add what is drawn."""
        self.forces = self._gui.add_checkbox("contact forces", True)
        self.cones = self._gui.add_checkbox("friction cones", True)
        self.trails = self._gui.add_checkbox("trails", True)
        self.follow = self._gui.add_checkbox("camera follows", True)
        self._gui.add_markdown("green: the contact sticks; orange: it slips")
        for box in (self.forces, self.cones, self.trails):
            box.on_update(self._choose)

    def _choose(self, _: Any) -> None:
        figure = self._page.figure
        figure.show_forces, figure.show_cones = bool(self.forces.value), bool(self.cones.value)
        self._page.show_trails = bool(self.trails.value)


class Plots:
    """Plots of forces, energies, iterations and residuals."""

    def __init__(self, gui: Any) -> None:
        """Lay out where they go."""
        self._gui = gui
        self._folder = gui.add_folder("plots")
        self._handles: list[Any] = []

    def begin(self, history: History) -> None:
        """Make the plots of another robot."""
        for handle in self._handles:
            handle.remove()
        with self._folder:
            self._handles = [
                self._plot("normal force at the feet [N]", history.feet, history.forces),
                self._plot("work since the reset [J]", ENERGIES, history.energies),
                self._plot("iterations of the contact solver", ("iterations",), history.solver),
                self._plot("residual of the contact solver, power of ten", ("residual",), history.residuals),
            ]

    def _plot(self, title: str, names: tuple[str, ...], data: tuple[np.ndarray, ...]) -> Any:
        series: list[dict[str, Any]] = [{"label": "t [s]"}]
        series += [{"label": name, "stroke": ink, "width": 1.5} for name, ink in zip(names, INKS, strict=False)]
        return self._gui.add_uplot(
            data=data if len(data[0]) else tuple(np.zeros(1) for _ in data),
            series=tuple(series),
            title=title,
            scales={"x": {"time": False, "auto": True}, "y": {"auto": True}},
            legend={"show": len(names) > 1},
            height=150,
        )

    def draw(self, history: History) -> None:
        """Draw what the history has."""
        if len(history) > 1:
            shown = history.forces, history.energies, history.solver, history.residuals
            for handle, data in zip(self._handles, shown, strict=True):
                handle.data = data
