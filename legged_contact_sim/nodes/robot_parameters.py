"""Which robot a node loads: parameters that simulator and controller have in common, best set in one file for both."""

import warnings
from typing import Any

from rclpy.node import Node
from rclpy.parameter import Parameter

from ..errors import ModelWarning
from ..model import RobotModel
from ..model.actuators import ACTUATOR_FIELDS
from .declared import Declared, declare

PREFIX, ACTUATOR = "contact_points.", "actuator."
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


def robot_declarations(node: Node) -> dict[str, Declared]:
    """Return the parameters of the robot by name, with those of the contact points that the node's user names."""
    points = dict.fromkeys(_point(name) for name in node._parameter_overrides if name.startswith(PREFIX))
    return ROBOT_PARAMETERS | {
        f"{PREFIX}{point}.{field}": declared for point in points for field, declared in POINT_PARAMETERS.items()
    }


def _point(parameter: str) -> str:
    """Return the name of the contact point that a parameter, ``contact_points.<name>.<field>``, is of."""
    point, _, field = parameter.removeprefix(PREFIX).rpartition(".")
    return point or field


def declare_robot(node: Node) -> RobotModel:
    """Declare the parameters of the robot on a node and load it.

    Raises:
        LeggedContactSimError: a parameter or the URDF cannot be used.
    """
    values = declare(node, robot_declarations(node))
    points: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        if name.startswith(PREFIX):
            points.setdefault(_point(name), {})[name.rpartition(".")[2]] = value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = RobotModel.from_urdf(
            values["robot"],
            values["base"] or None,
            home=values["home"] or None,
            contact_points=points or None,
            feet=values.get("feet"),
            gravity=values["gravity"],
            meshes=values["meshes"],
            packages=values.get("packages") or (),
            srdf=values["srdf"] or None,
            mimic=values["mimic"],
            self_collision=values["self_collision"],
            xacro_arguments=values.get("xacro") or (),
        )
    drives = {name.removeprefix(ACTUATOR): given for name, given in values.items() if name.startswith(ACTUATOR)}
    if drives:
        robot = robot.with_actuators(**drives)
    for note in robot.notes:
        node.get_logger().warning(f"{robot.name}: {note}")
    return robot
