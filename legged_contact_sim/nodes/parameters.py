"""The simulator node's parameters, and how they are turned into what the library takes."""

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from rclpy.node import Node
from rclpy.parameter import Parameter

from ..contact import MODELS
from ..control import CONTROLLERS
from ..errors import ParameterError
from ..terrain import TERRAINS
from ..terrain.shapes import HeightField
from .declared import Declared

BIG = 1e9
DEFAULT_MODEL = "exact_lcp"
GROUND = {  # what every contact model is told, with the highest value
    "friction": ("Coulomb coefficient of the ground; default: the contact model's", 100.0),
    "restitution": ("of the ground; default: the contact model's", 1.0),
}
FAMILIES = (  # under these, unknown names are errors
    "actuator", "backlash", "base_velocity", "contact", "contact_points", "contact_switch", "drive", "encoder",
    "height_scan", "hold", "imu", "initial", "push", "terrain",
)  # fmt: skip


WORLD_PARAMETERS: dict[str, Declared] = {  # the same for all robots
    "robots": Declared([""], "names of several robots, each a namespace of its own; empty: there is one", fixed=True),
    "control_rate": Declared(1000.0, "Hz; joint states, and how often commands are taken", 1.0, 1e5, fixed=True),
    "real_time_factor": Declared(1.0, "simulated over wall time; 0: as fast as possible", 0.0, 1e3),
    "clock_rate": Declared(1000.0, "Hz; 0: no /clock", 0.0, 1e5),
    "paused": Declared(False, "begin paused", fixed=True),
}
WORLD = frozenset(WORLD_PARAMETERS)
NODE_PARAMETERS: dict[str, Declared] = WORLD_PARAMETERS | {
    "contact_model": Declared(DEFAULT_MODEL, f"one of {', '.join(MODELS)}"),
    "time_step": Declared(5e-4, "s; of the physics", 1e-6, 0.1, fixed=True),
    "lockstep": Declared(False, "wait for the command that answers the last joint state"),
    "command_rate": Declared(500.0, "Hz; in lockstep, so many joint states are waited for", 0.1, 1e5, fixed=True),
    "composed": Declared(False, "run the controller in this process, in lockstep without waiting", fixed=True),
    "await_command": Declared(False, "time begins with the first command, after every reset too"),
    "command_timeout": Declared(0.1, "s; an older command is replaced by zero effort; 0: never", 0.0, BIG),
    "wrench_rate": Declared(1000.0, "Hz; contact wrenches, each the mean force since the last; 0: none", 0.0, 1e5),
    "odom_rate": Declared(1000.0, "Hz; 0: none", 0.0, 1e5),
    "tf_rate": Declared(100.0, "Hz; 0: none", 0.0, 1e5),
    "link_frames": Declared(
        True, "false: /tf has base and contact points only, beside robot_state_publisher", fixed=True
    ),
    "marker_rate": Declared(50.0, "Hz; 0: none", 0.0, 1e5),
    "diagnostics_rate": Declared(5.0, "Hz; 0: none", 0.0, 1e3),
    "marker_scale": Declared(0.0, "m of arrow per N; 0: half a metre for the robot's weight", 0.0, 1e3),
    "world_frame": Declared("world", "name of the frame in which the robot moves", fixed=True),
    "frame_prefix": Declared("", "put before the name of every frame of the robot", fixed=True),
    "joints": Declared([""], "order of effort_controller/commands; empty: the robot's joint order", fixed=True),
    "push_duration": Declared(0.1, "s; how long a message on external_wrench pushes", 0.0, 1e3),
    "push.links": Declared([""], "links that are pushed from the start on; empty: none", fixed=True),
    "push.force": Declared(Parameter.Type.DOUBLE_ARRAY, "N; x y z in world axes, at each link's origin", fixed=True),
    "push.torque": Declared(Parameter.Type.DOUBLE_ARRAY, "N m; likewise", fixed=True),
    "push.times": Declared(Parameter.Type.DOUBLE_ARRAY, "s since the start, in order; unset: 0 and 1", fixed=True),
    "push.factors": Declared(
        Parameter.Type.DOUBLE_ARRAY, "of force and torque at these times; linear between, none outside", fixed=True
    ),
    "hold.stiffness": Declared(0.0, "N m/rad; drives that hold the start pose without a controller; 0: none", 0.0, BIG),
    "hold.damping": Declared(0.0, "N m s/rad; of these drives", 0.0, BIG),
    "hold.integral": Declared(0.0, "N m/(rad s); of these drives", 0.0, BIG),
    "hold.proposed": Declared(False, "these drives have gains proposed from the robot's inertia instead"),
    "drive.stiffness": Declared(
        Parameter.Type.DOUBLE_ARRAY, "N m/rad; gains of position commands, one or per joint; unset: found", fixed=True
    ),
    "drive.damping": Declared(
        Parameter.Type.DOUBLE_ARRAY, "N m s/rad; of position and velocity commands, likewise", fixed=True
    ),
    "drive.inside": Declared(
        True, "gains act inside every step; false: once per command, as a driver does", fixed=True
    ),
    "drive.delay": Declared(0.0, "s; of simulated time, after which a command comes into force", 0.0, 10.0, fixed=True),
    "initial.lift": Declared(0.0, "m; how far above the ground the robot starts", 0.0, 1e3),
    "initial.place": Declared(
        Parameter.Type.DOUBLE_ARRAY, "m; x y where a floating base starts, feet on the ground; unset: home pose"
    ),
    "initial.position": Declared(Parameter.Type.DOUBLE_ARRAY, "m; x y z of a floating base; unset: feet on the ground"),
    "initial.orientation": Declared(Parameter.Type.DOUBLE_ARRAY, "x y z w of a floating base; unset: home pose"),
    "initial.joints": Declared(Parameter.Type.DOUBLE_ARRAY, "rad or m in joint order; unset: home pose"),
    "initial.q": Declared(Parameter.Type.DOUBLE_ARRAY, "all of q; goes before the others"),
    "initial.v": Declared(Parameter.Type.DOUBLE_ARRAY, "all of v, base velocity in base axes; unset: at rest"),
}
WHAT_OTHERS_DECLARE = (  # in files that all nodes share, and by rclpy itself
    *CONTROLLERS, "controller", "robots", "rate", "answer_with", "sensor_timeout", "contact_forces", "topics",
    "bag", "flush_period", "host", "port", "use_sim_time", "qos_overrides", "start_type_description_service",
)  # fmt: skip


def declarations(contact_model: str = DEFAULT_MODEL) -> dict[str, Declared]:
    """Return all parameters of the simulator node by name, but those of the robot.

    Friction and restitution have the defaults of the contact model that the node begins with.
    """
    ground, others = _of_the_ground(contact_model), _of_contact_models()
    return NODE_PARAMETERS | dict(ground) | dict(others) | dict(_of_terrains())


def _of_the_ground(contact_model: str) -> Iterator[tuple[str, Declared]]:
    model = MODELS.usable().get(contact_model, MODELS[DEFAULT_MODEL])
    defaults = {item.name: item.default for item in dataclasses.fields(model.Parameters)}
    for name, (words, high) in GROUND.items():
        yield name, Declared(defaults.get(name, Parameter.Type.DOUBLE), words, 0.0, high)


def _of_contact_models() -> Iterator[tuple[str, Declared]]:
    for model in MODELS.usable().values():
        for item in dataclasses.fields(model.Parameters):
            if item.name not in GROUND:
                rule = item.metadata
                words = f"one of {', '.join(rule['allowed'])}" if "allowed" in rule else rule.get("unit", "")
                low, high = rule.get("low"), rule.get("high")
                yield f"contact.{model.name}.{item.name}", Declared(item.default, words, low, high)


def _of_terrains() -> Iterator[tuple[str, Declared]]:
    yield "terrain.kind", Declared("plane", f"one of {', '.join(TERRAINS)}")
    owners: dict[str, list[str]] = {}
    for kind, maker in _terrain_makers().items():
        for name in inspect.signature(maker).parameters:
            owners.setdefault(name, []).append(kind)
    special = {"path": Parameter.Type.STRING, "count": Parameter.Type.INTEGER, "seed": Parameter.Type.INTEGER}
    pairs = ("height_range", "origin")
    for name, kinds in owners.items():
        kind_of_value = special.get(name, Parameter.Type.DOUBLE_ARRAY if name in pairs else Parameter.Type.DOUBLE)
        yield f"terrain.{name}", Declared(kind_of_value, f"of {', '.join(kinds)}")


def _terrain_makers() -> dict[str, Any]:
    return {kind: maker.from_png if maker is HeightField else maker for kind, maker in TERRAINS.items()}


def refuse_unknown(node: Node, declared: Mapping[str, Declared]) -> None:
    """Warn of parameters that no node of this package knows.

    Raises:
        ParameterError: a name that can only be meant for the simulator is unknown.
    """
    for name in node._parameter_overrides:
        first = name.split(".")[0]
        if name in declared or first in WHAT_OTHERS_DECLARE:
            continue
        if first in FAMILIES:
            known = [other for other in declared if other.startswith(f"{first}.")]
            raise ParameterError(f"{name}: there is no such parameter; {_nearest(name, known)}")
        node.get_logger().warning(f"{name}: there is no such parameter; {_nearest(name, list(declared))}")


def _nearest(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"is {close[0]} meant?" if close else f"there are {', '.join(known)}"


def contact_settings(values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the contact model's name and its parameters.

    Raises:
        ParameterError: there is no such model, or it does not allow a value.
    """
    name = values["contact_model"]
    model = MODELS.named(name)
    fields = model.parameter_names()
    given = {field: values[field] for field in GROUND if field in values and (field in fields or values[field])}
    given |= {field: values[f"contact.{name}.{field}"] for field in fields if field not in GROUND}
    model.make_parameters(**given)
    return name, given


def terrain_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the terrain as `make_terrain` takes it: its kind and those parameters that the kind has."""
    kind = values["terrain.kind"]
    if kind not in TERRAINS:
        raise ParameterError(f"terrain.kind: expected one of {', '.join(TERRAINS)}, found {kind!r}")
    names = inspect.signature(_terrain_makers()[kind]).parameters
    return {"kind": kind} | {name: values[f"terrain.{name}"] for name in names if f"terrain.{name}" in values}
