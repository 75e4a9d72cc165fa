"""Which robot a node loads: parameters that simulator and controller have in common, best set in one file for both."""

import warnings
from typing import Any

from rclpy.node import Node
from rclpy.parameter import Parameter

from ..errors import ModelWarning
from ..model import RobotModel
from ..model.actuators import ACTUATOR_FIELDS
from .declared import Declared, declare

PREFIX, ACTUATOR, BACKLASH = "contact_points.", "actuator.", "backlash."
ROBOT_PARAMETERS = {
    "robot": Declared("quadruped16", "packaged name, path of a URDF, xacro file or MJCF, or the XML text", fixed=True),
    "base": Declared("", "floating, fixed, or empty: as the URDF tells", fixed=True),
    "gravity": Declared([0.0, 0.0, -9.81], "m/s^2; in the world's axes", fixed=True),
    "meshes": Declared("hull", "collision meshes: hull (corners of the convex hull touch) or skip", fixed=True),
    "home": Declared("", "name of a pose or keyframe to stand in; empty: see docs/robots.md", fixed=True),
    "feet": Declared(Parameter.Type.STRING_ARRAY, "contact points or links to stand on; unset: found", fixed=True),
    "packages": Declared(Parameter.Type.STRING_ARRAY, "folders of the packages of package:// addresses", fixed=True),
    "srdf": Declared("", "path of an SRDF; empty: the one beside the URDF", fixed=True),
    "mimic": Declared("couple", "joints that mimic others: couple or lock", fixed=True),
    "self_collision": Declared(False, "whether the robot's bodies collide with one another", fixed=True),
    "xacro": Declared(Parameter.Type.STRING_ARRAY, "NAME:=VALUE; arguments of a xacro file", fixed=True),
} | {
    f"{ACTUATOR}{name}": Declared(
        Parameter.Type.DOUBLE_ARRAY, f"{unit}; one or one per joint; unset: the URDF's", fixed=True
    )
    for name, unit in ACTUATOR_FIELDS.items()
}
POINT_PARAMETERS = {
    "link": Declared(Parameter.Type.STRING, "name of the link that carries the contact point", fixed=True),
    "offset": Declared(Parameter.Type.DOUBLE_ARRAY, "m; x y z of the point in the link's frame", fixed=True),
    "radius": Declared(Parameter.Type.DOUBLE, "m; of the sphere around the point", fixed=True),
}
BACKLASH_PARAMETERS = {
    "play": Declared(Parameter.Type.DOUBLE, "rad or m; from stop to stop of a gear", fixed=True),
    "rotor_inertia": Declared(Parameter.Type.DOUBLE, "kg m^2 or kg; as felt at the joint", fixed=True),
}


def robot_declarations(node: Node) -> dict[str, Declared]:
    """Return the parameters of the robot by name, with those of the contact points and gears that its user names."""
    fields = {PREFIX: POINT_PARAMETERS, BACKLASH: BACKLASH_PARAMETERS}
    return ROBOT_PARAMETERS | {
        f"{prefix}{name}.{field}": declared
        for prefix, declared_fields in fields.items()
        for name in dict.fromkeys(
            _named(given, prefix) for given in node._parameter_overrides if given.startswith(prefix)
        )
        for field, declared in declared_fields.items()
    }


def _named(parameter: str, prefix: str) -> str:
    """Return the name in a parameter ``<prefix><name>.<field>``."""
    name, _, field = parameter.removeprefix(prefix).rpartition(".")
    return name or field


def _collected(values: dict[str, Any], prefix: str) -> dict[str, dict[str, Any]]:
    """Return {name: {field: value}} of the parameters ``<prefix><name>.<field>``."""
    found: dict[str, dict[str, Any]] = {}
    for parameter, value in values.items():
        if parameter.startswith(prefix):
            found.setdefault(_named(parameter, prefix), {})[parameter.rpartition(".")[2]] = value
    return found


def declare_robot(node: Node) -> RobotModel:
    """Declare the parameters of the robot on a node and load it.

    Raises:
        LeggedContactSimError: a parameter or the URDF cannot be used.
    """
    values = declare(node, robot_declarations(node))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = RobotModel.from_urdf(
            values["robot"],
            values["base"] or None,
            home=values["home"] or None,
            contact_points=_collected(values, PREFIX) or None,
            feet=values.get("feet"),
            gravity=values["gravity"],
            meshes=values["meshes"],
            packages=values.get("packages") or (),
            srdf=values["srdf"] or None,
            mimic=values["mimic"],
            self_collision=values["self_collision"],
            xacro_arguments=values.get("xacro") or (),
            backlash=_collected(values, BACKLASH),
        )
    drives = {name.removeprefix(ACTUATOR): given for name, given in values.items() if name.startswith(ACTUATOR)}
    if drives:
        robot = robot.with_actuators(**drives)
    for note in robot.notes:
        node.get_logger().warning(f"{robot.name}: {note}")
    return robot
