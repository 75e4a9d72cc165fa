"""The controls and plots beside the scene; each control asks the session for something and never waits."""

from typing import Any

import numpy as np

from ..contact import MODELS
from ..model import robots
from ..simulation.scenarios import scenarios
from .history import ENERGIES, History
from .page import Page
from .session import Session
from .world import World, find_world

NO_GHOST = "none"
INKS = ("#4666c8", "#c83c3c", "#3ca046", "#dc961e", "#8c50be", "#28aab4")
PUSHES = {"left": (0.0, 1.0, 0.0), "right": (0.0, -1.0, 0.0), "forward": (1.0, 0.0, 0.0), "back": (-1.0, 0.0, 0.0)}
PUSH_DURATION = 0.15  # s


class Panel:
    """Controls and plots of a session."""

    def __init__(self, server: Any, session: Session, page: Page) -> None:
        """Lay out the panel."""
        self._gui, self._session, self._page = server.gui, session, page
        self._gui.configure_theme(dark_mode=False, show_logo=False, show_share_button=False, brand_color=(38, 110, 180))
        self._gui.set_panel_label("legged_contact_sim")
        self.status = self._gui.add_markdown("")
        self._add_running()
        tabs = self._gui.add_tab_group()
        with tabs.add_tab("Contact"):
            self._add_contact()
        with tabs.add_tab("Push"):
            self._add_pushes()
        with tabs.add_tab("View"):
            self._add_view()
        self._plots = Plots(self._gui)
        self.rebuilt()

    def rebuilt(self) -> None:
        """Show what another world is like."""
        world = self._session.world
        self.history = History(world.robot)
        self._plots.begin(self.history)
        self.model.value = world.sim.contact_model
        self.friction.value, self.restitution.value = world.friction, world.restitution
        self._walk.visible = world.walks
        weight = world.robot.total_mass * 9.81
        self.push_force.value = round(0.8 * weight, 1)

    def draw(self) -> None:
        """Draw plots and trails, and write the status line."""
        self._plots.draw(self.history)
        self._page.draw_trails(self.history)
        session = self._session
        frame, world = session.frame, session.world
        state = "paused" if session.paused else f"{session.factor:.2f} x real time"
        remainder = 0.0 if frame.energy is None else frame.energy.remainder
        trouble = f"\n\n**{session.message}**" if session.message else ""
        self.status.content = (
            f"**{world.robot.name}** under **{world.sim.contact_model}**\n\n"
            f"t = {frame.time:.2f} s, {state}, energy remainder {remainder:.2g} J{trouble}"
        )

    def _add_running(self) -> None:
        self.running = self._gui.add_button_group("run", ("pause", "step", "reset"))
        self.speed = self._gui.add_slider("speed", 0.05, 2.0, 0.05, 1.0)
        known = [*scenarios(), *(f"robot: {name}" for name in robots())]
        current = self._session.world.scenario.name
        self.scenario = self._gui.add_dropdown(
            "scenario", known if current in known else [current, *known], initial_value=current
        )

        @self.running.on_click
        def _(event: Any) -> None:
            session, choice = self._session, event.target.value
            session.message = ""
            if choice == "pause":
                session.paused = not session.paused
            elif choice == "step":
                session.paused = True
                session.ask(lambda s: s.both(World.step))
            else:
                session.ask(lambda s: s.both(World.reset))

        @self.speed.on_update
        def _(_: Any) -> None:
            self._session.speed = float(self.speed.value)

        @self.scenario.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                name = str(self.scenario.value).removeprefix("robot: ")
                self._session.ask(lambda s: s.replace(find_world(name)))

    def _add_contact(self) -> None:
        names = list(MODELS)
        self.model = self._gui.add_dropdown("contact model", names, initial_value=self._session.world.sim.contact_model)
        self.friction = self._gui.add_slider("friction", 0.0, 1.5, 0.05, 0.8)
        self.restitution = self._gui.add_slider("restitution", 0.0, 1.0, 0.05, 0.0)
        self.gravity = self._gui.add_slider("gravity [m/s²]", 0.0, 20.0, 0.01, 9.81)
        self.ghost = self._gui.add_dropdown(
            "ghost under",
            [NO_GHOST, *names],
            initial_value=NO_GHOST,
            hint="a second run from the start, for comparison",
        )

        @self.model.on_update
        def _(event: Any) -> None:
            self._change(event, contact_model=str(self.model.value))

        @self.friction.on_update
        def _(event: Any) -> None:
            value = float(self.friction.value)
            self._change(event, friction=value)
            self._page.figure.shape_cones(value)

        @self.restitution.on_update
        def _(event: Any) -> None:
            self._change(event, restitution=float(self.restitution.value))

        @self.gravity.on_update
        def _(event: Any) -> None:
            value = float(self.gravity.value)
            if event.client is not None:
                self._session.ask(lambda s: s.both(lambda world: world.set_gravity(value)))

        @self.ghost.on_update
        def _(event: Any) -> None:
            name = str(self.ghost.value).replace(NO_GHOST, "")
            if event.client is not None:
                self._session.ask(lambda s: s.add_ghost(name))

    def _change(self, event: Any, **parameters: Any) -> None:
        """Ask for other contact parameters, if a person and not the program moved the control."""
        if event.client is not None:
            self._session.message = ""
            self._session.ask(lambda s: s.world.change(parameters))

    def _add_pushes(self) -> None:
        self.push_force = self._gui.add_number("force [N]", 100.0, min=0.0, max=1e5, step=1.0)
        self.push = self._gui.add_button_group("push to", tuple(PUSHES))
        self._walk = self._gui.add_folder("walk")
        with self._walk:
            self.forward = self._gui.add_slider("forward [m/s]", -0.4, 0.4, 0.02, 0.1)
            self.sideways = self._gui.add_slider("sideways [m/s]", -0.2, 0.2, 0.02, 0.0)
            self.turning = self._gui.add_slider("turning [rad/s]", -0.5, 0.5, 0.02, 0.0)

        @self.push.on_click
        def _(event: Any) -> None:
            force = float(self.push_force.value) * np.array(PUSHES[event.target.value])
            self._session.ask(lambda s: s.both(lambda world: world.push(force, PUSH_DURATION)))

        def steer(event: Any) -> None:
            wish = float(self.forward.value), float(self.sideways.value), float(self.turning.value)
            if event.client is not None:
                self._session.ask(lambda s: s.both(lambda world: world.command_velocity(*wish)))

        for slider in (self.forward, self.sideways, self.turning):
            slider.on_update(steer)

    def _add_view(self) -> None:
        self.forces = self._gui.add_checkbox("contact forces", True)
        self.cones = self._gui.add_checkbox("friction cones", True)
        self.trails = self._gui.add_checkbox("trails", True)
        self.follow = self._gui.add_checkbox("camera follows", True)
        self._gui.add_markdown("green: the contact sticks; orange: it slips")

        def choose(_: Any) -> None:
            figure = self._page.figure
            figure.show_forces, figure.show_cones = bool(self.forces.value), bool(self.cones.value)
            self._page.show_trails = bool(self.trails.value)

        for box in (self.forces, self.cones, self.trails):
            box.on_update(choose)


class Plots:
    """Live plots of forces, energies and iterations."""

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
            for handle, data in zip(self._handles, (history.forces, history.energies, history.solver), strict=True):
                handle.data = data
