"""The controls of a simulation that runs here; each asks the session for something and never waits."""

from typing import Any

import numpy as np

from ..contact import MODELS
from ..model import robots
from ..simulation.scenarios import scenarios
from .controls import Controls
from .page import ROOT, Page
from .session import Session
from .world import World, find_world

NO_GHOST = "none"
PUSHES = {"left": (0.0, 1.0, 0.0), "right": (0.0, -1.0, 0.0), "forward": (1.0, 0.0, 0.0), "back": (-1.0, 0.0, 0.0)}
PUSH_DURATION = 0.15  # s
LONG = 1.0  # s; only the compiler takes as long
PULL_DURATION = 0.5  # s; for which the force of a dragged handle acts at most, if the browser is gone


class Panel(Controls):
    """Controls and plots of a session."""

    def __init__(self, server: Any, session: Session, page: Page) -> None:
        """Lay out the panel."""
        self._session = session
        self._handle: Any = None
        self._dragged = False
        super().__init__(server, session, page)

    def add_controls(self) -> None:
        """Add time, contact, pushes and what is drawn."""
        self._add_running()
        tabs = self._gui.add_tab_group()
        with tabs.add_tab("Contact"):
            self._add_contact()
        with tabs.add_tab("Push"):
            self._add_pushes()
        with tabs.add_tab("View"):
            self.add_view()

    def rebuilt(self) -> None:
        """Show what another world is like."""
        super().rebuilt()
        world = self._session.world
        self.model.value = world.sim.contact_model
        self.friction.value, self.restitution.value = world.friction, world.restitution
        self.gravity.value = float(np.linalg.norm(world.robot.gravity))
        ghost = self._session.ghost
        self.ghost.value = NO_GHOST if ghost is None else ghost.sim.contact_model
        self._walk.visible = world.walks
        self.forward.value, self.sideways.value, self.turning.value = world.command
        weight = world.robot.total_mass * 9.81
        self.push_force.value = round(0.4 * weight, 1)
        self._add_handle()

    def take(self) -> None:
        """Keep the newest frame; the handle stays with the robot unless somebody holds it."""
        super().take()
        self._handle.visible = bool(self.drag.value)
        buttons = _buttons(self._session.paused)
        if self.running.options != buttons:
            self.running.options = buttons
        if not self._dragged:
            self._handle.position = self._show.frame.positions[0]

    def state(self) -> str:
        """Return whether time runs, and how fast."""
        if self._session.busy > LONG:
            return f"compiling kernels, which are kept: {self._session.busy:.0f} s"
        return "paused" if self._session.paused else f"{self._session.factor:.2f} x real time"

    def _add_handle(self) -> None:
        """Add what can be dragged: it pulls at the first body as a spring of a weight per size of the robot does."""
        world, size = self._session.world, self._page.size
        stiffness = world.robot.total_mass * 9.81 / (0.5 * size)
        self._dragged = False
        self._handle = self._scene.add_transform_controls(
            f"{ROOT}/drag", scale=0.35 * size, disable_rotations=True, depth_test=False, visible=bool(self.drag.value)
        )

        def pull(force: np.ndarray) -> None:
            self._session.ask(lambda s: s.both(lambda world: world.pull(force, PULL_DURATION)))

        @self._handle.on_update
        def _(event: Any) -> None:
            if event.client is None:
                return
            self._dragged = event.phase != "end"
            reach = np.asarray(self._handle.position) - self._show.frame.positions[0]
            force = stiffness * np.clip(np.nan_to_num(reach), -2.0 * size, 2.0 * size)
            pull(force if self._dragged else np.zeros(3))

    def _add_running(self) -> None:
        self.running = self._gui.add_button_group("run", _buttons(self._session.paused))
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
            if choice in ("pause", "go on"):
                session.paused = choice == "pause"
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
        self.drag = self._gui.add_checkbox("drag", False, hint="shows a handle that pulls at the robot like a spring")
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


def _buttons(paused: bool) -> tuple[str, ...]:
    return "go on" if paused else "pause", "step", "reset"
