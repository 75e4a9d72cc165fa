"""What every panel has: a status line, what is drawn, and plots."""

from typing import Any

import numpy as np

from .history import ENERGIES, SPAN, History
from .page import Page
from .stage import Show

LEGEND = "arrows: contact forces, cones: friction; **green** sticks, **orange** slips"
INKS = ("#4666c8", "#c83c3c", "#3ca046", "#dc961e", "#8c50be", "#28aab4")


NOTHING = (np.array([-SPAN, 0.0]), np.zeros(2))  # times before now, s, and a curve before there is any
HIDDEN_FOR = 5  # pictures of the plots, which is a second
TITLES = (
    "normal force at the feet [N]",
    "work since the reset [J]",
    "iterations of the contact solver",
    "residual of the contact solver, power of ten",
)


class Controls:
    """The panel of a show; its children add what they can do with it in `add_controls`."""

    def __init__(self, server: Any, show: Show, page: Page) -> None:
        """Lay out the panel."""
        self._gui, self._scene, self._show, self._page = server.gui, server.scene, show, page
        self._gui.configure_theme(dark_mode=False, show_logo=False, show_share_button=False, brand_color=(38, 110, 180))
        self._gui.set_panel_label("legged_contact_sim")
        self.status = self._gui.add_markdown("")
        self._gui.add_markdown(LEGEND)
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
        for box in (self.forces, self.cones, self.trails, self.follow):
            box.on_update(self._choose)

    def _choose(self, _: Any) -> None:
        figure = self._page.figure
        figure.show_forces, figure.show_cones = bool(self.forces.value), bool(self.cones.value)
        self._page.show_trails, self._page.follow = bool(self.trails.value), bool(self.follow.value)


class Plots:
    """Plots of forces, energies, iterations and residuals."""

    def __init__(self, gui: Any) -> None:
        """Lay out where they go."""
        self._gui, self._hidden = gui, 0  # for how many pictures
        with gui.add_folder("plots"):
            self._handles = [self._plot(title) for title in TITLES]

    def _plot(self, title: str) -> Any:
        return self._gui.add_uplot(
            data=NOTHING,
            series=_series(("",)),
            title=title,
            scales={"x": {"time": False, "auto": True}, "y": {"auto": True}},
            axes=({}, {"size": 58}),
            height=150,
        )

    def begin(self, history: History) -> None:
        """Show another robot; plots stay, since a browser may be about to be told of their data.

        A plot on a page that gets other curves loses its axes: it is hidden until every page has forgotten it.
        """
        for handle, names in zip(self._handles, (history.feet, ENERGIES, ("",), ("",)), strict=True):
            other = handle.series != _series(names)
            if other:
                handle.visible, self._hidden = False, HIDDEN_FOR
            handle.data = NOTHING + NOTHING[1:] * (len(names) - 1)
            if other:
                handle.series, handle.legend = _series(names), {"show": len(names) > 1}

    def draw(self, history: History) -> None:
        """Draw what the history has."""
        self._hidden = max(0, self._hidden - 1)
        if len(history) > 1:
            shown = history.forces, history.energies, history.solver, history.residuals
            for handle, data in zip(self._handles, shown, strict=True):
                handle.data = data
        for handle in self._handles:
            handle.visible = handle.visible or not self._hidden


def _series(names: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    """Return what uplot wants to know of curves with these names."""
    curves = [{"label": name, "stroke": ink, "width": 1.5} for name, ink in zip(names, INKS, strict=False)]
    return ({"label": "s before now"}, *curves)
