"""A scenario that runs while somebody watches: it takes steps, changes its ground and its robot, and can be pushed."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contact.records import OPEN, SLIP
from ..control.controller import Controller, observe
from ..control.scenario import Scenario
from ..dynamics import forward_kinematics
from ..errors import ParameterError
from ..model import robots
from ..model.packaged import load
from ..simulation import Simulator
from ..simulation.scenarios import scenarios
from ..terrain import Terrain
from .stage import Frame, Stage

Array = NDArray[np.float64]
STANDING = "stand"  # the scenario in which any robot stands


def find_world(name: str, **changes: Any) -> "World":
    """Return the world of a scenario (packaged name or parameter file), or of a robot that stands.

    Args:
        name: of a scenario or robot; path of a parameter file, or of a URDF, xacro or MJCF file.
        changes: of the scenario's parameters; None: as they are.
    """
    if name in scenarios() or Path(name).suffix in (".yaml", ".yml"):
        return World(Scenario.load(name, **changes))
    if name not in robots() and not Path(name).is_file():
        raise ParameterError(
            f"{name}: no such file; the packaged scenarios are {', '.join(scenarios())}; "
            f"the robots are {', '.join(robots())}"
        )
    return World(Scenario.load(STANDING, robot=name, **changes))


class World:
    """A scenario's simulator and controller, advanced by whole control periods."""

    sim: Simulator
    _start: float  # s that had passed when this simulator began
    _awake: bool  # whether the controller was reset
    _every: int  # steps of a control period

    def __init__(self, scenario: Scenario) -> None:
        """Load the robot and stand at the start."""
        self.scenario = scenario
        self.source = scenario["robot"]
        self.robot = scenario.robot()
        self.command = self._proposed_velocity()
        self._begin(scenario.simulator(self.robot), 0.0)
        self.controller = self._make_controller()

    @property
    def folder(self) -> Path | None:
        """Folder of the robot's file; None: it came as text or object."""
        return load(self.source).folder if isinstance(self.source, str) else None

    @property
    def terrain(self) -> Terrain:
        """The ground."""
        return self.sim.terrain_now

    @property
    def stage(self) -> Stage:
        """What a picture needs besides frames."""
        names = self.robot.contact_names
        return Stage(self.robot, self.folder, self.terrain, self.friction, names, self.sim.contact_model)

    @property
    def time(self) -> float:
        """Simulated time since the last reset, s."""
        return self._start + self.sim.time

    @property
    def friction(self) -> float:
        """Coefficient of friction in force."""
        return float(getattr(self.sim.model.parameters, "friction", 0.0))

    @property
    def restitution(self) -> float:
        """Coefficient of restitution in force."""
        return float(getattr(self.sim.model.parameters, "restitution", 0.0))

    @property
    def walks(self) -> bool:
        """Whether the controller follows a velocity command."""
        controller = self.controller
        return controller is not None and type(controller).command_velocity is not Controller.command_velocity

    def reset(self) -> None:
        """Stand at the start again, on the ground and under the model as they are now."""
        self._begin(self.scenario.simulator(self.robot), 0.0)
        self.controller = self._make_controller()
        self.command_velocity(*self.command)

    def advance(self, duration: float) -> None:
        """Advance by about a duration, s: whole periods of the controller, at least one."""
        for _ in range(max(1, round(duration / (self._every * self.sim.time_step)))):
            if self.controller is None:
                self.sim.advance(self._every)
                continue
            seen = observe(self.sim, self.time, self.sim.q.copy(), self.sim.v.copy())
            if not self._awake:
                self.controller.reset(seen)
                self._awake = True
            self.sim.advance(self._every, self.controller.effort(seen))

    def step(self) -> None:
        """Advance by one period of the controller."""
        self.advance(0.0)

    def change(self, parameters: Mapping[str, Any]) -> None:
        """Change contact_model, friction or restitution while the simulation runs; a reset keeps them.

        Raises:
            ParameterError: what is in force stays.
        """
        changed = self.scenario.changed(parameters)
        self.sim.switch_contact_model(changed["contact_model"], **changed.contact_parameters())
        self.scenario = changed

    def set_gravity(self, gravity: float) -> None:
        """Let another gravity, m/s^2, act downwards from now on; the controller does not know of it."""
        if not (np.isfinite(gravity) and 0.0 <= gravity <= 100.0):
            raise ParameterError(f"gravity: expected a number from 0 to 100 m/s^2, found {gravity}")
        vector = np.array([0.0, 0.0, -gravity])
        vector.flags.writeable = False
        state, time = self.sim.state, self.time
        self.robot = replace(self.robot, gravity=vector)
        simulator = self.scenario.simulator(self.robot)
        simulator.reset(state.q, state.v)
        awake = self._awake
        self._begin(simulator, time)
        self._awake = awake

    def push(self, force: Array, duration: float, link: str = "") -> None:
        """Push a link with a force (3,), N, in world axes for a duration, s; no link: the first body of the robot."""
        self.sim.push(link or self.robot.link_names[0], force, duration=duration)

    def pull(self, force: Array, duration: float) -> None:
        """Let a force (3,), N, on the first body replace those that act there; it ends after a duration, s."""
        self.sim.end_push(self.robot.link_names[0])
        if force.any():
            self.push(force, duration)

    def command_velocity(self, forward: float, sideways: float, turning: float) -> None:
        """Ask a walking controller for a velocity, m/s and rad/s; others ignore it."""
        self.command = (forward, sideways, turning)
        if self.controller is not None:
            self.controller.command_velocity(forward, sideways, turning)

    def frame(self) -> Frame:
        """Return what a picture of this moment needs."""
        rotations, positions = forward_kinematics(self.robot, self.sim.q)
        contacts = self.sim.contacts
        forces = contacts.force.copy()
        modes = contacts.mode.astype(int)
        report = self.sim.report
        return Frame(
            time=self.time,
            rotations=rotations,
            positions=positions,
            contact_positions=contacts.position.copy(),
            contact_normals=contacts.normal.copy(),
            contact_forces=forces,
            contact_modes=np.where(forces.any(axis=1) & (modes == OPEN), SLIP, modes),
            energy=report.energy,
            iterations=report.iterations,
            residual=report.residual,
        )

    def _begin(self, simulator: Simulator, time: float) -> None:
        self.sim = simulator
        self._start = time
        self._awake = False
        self._every = max(1, round(1.0 / (self.scenario["rate"] * simulator.time_step)))

    def _proposed_velocity(self) -> tuple[float, float, float]:
        """Return the velocity that the scenario's controller begins with: forward and sideways, m/s, turning, rad/s."""
        forward, sideways, turning = self.scenario[f"{self.scenario['controller']}.velocity"] or (0.0, 0.0, 0.0)
        return float(forward), float(sideways), float(turning)

    def _make_controller(self) -> Controller | None:
        return self.scenario.controller(self.robot)
