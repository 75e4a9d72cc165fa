"""Which robot a node loads: parameters that simulator and controller have in common, best set in one file for both."""

import warnings

from rclpy.node import Node
from rclpy.parameter import Parameter

from ..errors import ModelWarning
from ..model import RobotModel
from ..model.actuators import ACTUATOR_FIELDS
from ..simulation.scenario_robot import ACTUATOR, BACKLASH, POINTS, named, scenario_robot
from .contact_topics import CONTACT_TOPICS
from .declared import Declared, declare

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
    fields = {POINTS: POINT_PARAMETERS, BACKLASH: BACKLASH_PARAMETERS}
    of_names = {
        f"{prefix}{name}.{field}": declared
        for prefix, declared_fields in fields.items()
        for name in dict.fromkeys(
            named(given, prefix) for given in node._parameter_overrides if given.startswith(prefix)
        )
        for field, declared in declared_fields.items()
    }
    return ROBOT_PARAMETERS | CONTACT_TOPICS | of_names


def declare_robot(node: Node) -> RobotModel:
    """Declare the parameters of the robot on a node and load it.

    Raises:
        LeggedContactSimError: a parameter or the URDF cannot be used.
    """
    values = declare(node, robot_declarations(node))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = scenario_robot(values)
    for note in robot.notes:
        node.get_logger().warning(f"{robot.name}: {note}")
    return robot
