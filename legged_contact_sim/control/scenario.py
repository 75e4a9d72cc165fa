"""A scenario in one process: robot, simulator and controller as a parameter file describes them, without ROS."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..contact import MODELS
from ..errors import ParameterError
from ..model import RobotModel
from ..simulation import Simulator
from ..simulation.scenario_robot import of_robot, scenario_robot
from ..simulation.scenario_start import holding_gains, start_pushes, start_state
from ..simulation.scenarios import find_scenario, read_scenario
from ..terrain import Terrain
from .controller import Controller, InProcess
from .registry import controller_class, make_controller
from .scenario_names import NONE, check_names

DEFAULTS: dict[str, Any] = {
    "robot": "quadruped16",
    "contact_model": "exact_lcp",
    "time_step": 5e-4,
    "rate": 500.0,
    "controller": NONE,
    "initial.lift": 0.0,
    "hold.stiffness": 0.0,
    "hold.damping": 0.0,
    "hold.integral": 0.0,
    "hold.proposed": False,
}


def flattened(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested parameters by their full names, ``initial.lift``."""
    flat: dict[str, Any] = {}
    for name, value in nested.items():
        if isinstance(value, Mapping):
            flat |= flattened(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


def controllers_of(values: Mapping[str, Any], chosen: str = "") -> dict[str, str]:
    """Return the controller of every robot of a scenario by its name, which is empty for the only robot.

    Args:
        values: parameters by full name, as `flattened` gives them.
        chosen: the controller of all robots; empty: those of the scenario.
    """
    names = [name for name in values.get("robots", ()) if name] or [""]
    common = values.get("controller", NONE)
    return {name: chosen or values.get(f"robots.{name}.controller", common) for name in names}


@dataclass(frozen=True)
class Scenario:
    """What a parameter file says, as far as one process needs it.

    Attributes:
        name: of the scenario.
        values: parameters by full name; what is missing has the default of the nodes.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, name: str, **changes: Any) -> "Scenario":
        """Return a scenario by packaged name or path, with some parameters changed (None: as in the file).

        Raises:
            ParameterError: there is none, or it is one of several robots, or a change's name is unknown.
        """
        path = find_scenario(name)
        values = flattened(read_scenario(path))
        if names := [robot for robot in controllers_of(values) if robot]:
            raise ParameterError(
                f"{name}: there are several robots, {', '.join(names)}; expected one: `run` simulates them"
            )
        return cls(path.stem, values).changed(changes)

    def changed(self, changes: Mapping[str, Any]) -> "Scenario":
        """Return the scenario with some parameters changed, by full name (None: as they are).

        A ``terrain`` takes the place of all that the scenario says of its ground.

        Raises:
            ParameterError: nothing reads a parameter of that name.
        """
        given = {key: value for key, value in changes.items() if value is not None}
        check_names(given, given.get("controller", self["controller"]))
        values = dict(self.values)
        if "terrain" in given:
            values = {key: value for key, value in values.items() if not key.startswith("terrain.")}
        return Scenario(self.name, {**values, **given})

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name, DEFAULTS.get(name))

    def _under(self, prefix: str) -> dict[str, Any]:
        """Return the parameters whose names begin with a prefix, without it."""
        return {key.removeprefix(prefix): value for key, value in self.values.items() if key.startswith(prefix)}

    def robot(self) -> RobotModel:
        """Load the robot."""
        return scenario_robot({"robot": self["robot"], **of_robot(self.values)})

    def contact_parameters(self) -> dict[str, Any]:
        """Return the parameters of the contact model that the scenario sets: friction, restitution and its own."""
        model = self["contact_model"]
        known = {item.name for item in fields(MODELS.named(model).Parameters)}
        shared = {key: self.values[key] for key in ("friction", "restitution") if key in self.values and key in known}
        return shared | self._under(f"contact.{model}.")

    def terrain(self) -> Terrain | Mapping[str, Any] | str:
        """Return the ground as `make_terrain` takes it."""
        whole, parts = self["terrain"], self._under("terrain.")
        if whole is None or not parts:
            return whole or parts or "plane"
        if isinstance(whole, Terrain):
            raise ParameterError(f"terrain.{min(parts)}: expected none beside a terrain that is an object")
        return {**({"kind": whole} if isinstance(whole, str) else whole), **parts}

    def simulator(self, robot: RobotModel | None = None) -> Simulator:
        """Return the simulator at the start of the scenario."""
        sim = Simulator(
            self.robot() if robot is None else robot,
            self["contact_model"],
            self["time_step"],
            self.terrain(),
            **self.contact_parameters(),
        )
        values = {**DEFAULTS, **self.values}
        sim.reset(*start_state(sim, values))
        gains = stiffness, damping, integral = holding_gains(sim.robot, values)
        if self["controller"] == NONE and any(gain.any() for gain in gains):
            sim.hold(stiffness, damping, sim.state.q[sim.robot.position_indices], integral)
        start_pushes(sim, self.values)
        return sim

    def controller(self, robot: RobotModel) -> Controller | None:
        """Return the controller; None: the scenario has none."""
        name = self["controller"]
        if name == NONE:
            return None
        if isinstance(name, Controller):
            return name
        return make_controller(name, robot, self._under(f"{controller_class(name).name}."))

    def start(self) -> tuple[Simulator, InProcess | None]:
        """Return the simulator at the start, and its controller as `Simulator.run` takes it; None: there is none."""
        sim = self.simulator()
        return sim, self.driving(sim)

    def driving(self, sim: Simulator) -> InProcess | None:
        """Return the controller as `Simulator.run` takes it for a simulator of this scenario; None: there is none.

        Raises:
            ParameterError: it does not suit the robot, or its rate is no number above 0.
        """
        controller = self.controller(sim.robot)
        if controller is None:
            return None
        rate = self["rate"]
        if not isinstance(rate, int | float) or not rate > 0.0:
            raise ParameterError(f"rate: expected a number above 0 Hz, found {rate!r}")
        return InProcess(controller, sim, 1.0 / rate)
