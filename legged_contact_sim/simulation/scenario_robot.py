"""The robot of a scenario: its description and how it is read, as nodes and single processes both understand them."""

from collections.abc import Mapping
from typing import Any

from ..model import RobotModel

# Parameters by whole name, and families of them.
ROBOT_NAMES = (
    "robot", "base", "gravity", "meshes", "home", "feet", "packages", "srdf", "mimic", "self_collision", "xacro",
)  # fmt: skip
POINTS, ACTUATOR, BACKLASH = "contact_points.", "actuator.", "backlash."


def of_robot(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a scenario's parameters, by full name, that say what its robot is."""
    families = (POINTS, ACTUATOR, BACKLASH)
    return {name: value for name, value in values.items() if name in ROBOT_NAMES or name.startswith(families)}


def scenario_robot(values: Mapping[str, Any]) -> RobotModel:
    """Return the robot that a scenario's parameters, by full name, describe.

    What is empty or missing is as the description has it. Of a robot that is given as an object only the drives change.

    Raises:
        LeggedContactSimError: a parameter or the description cannot be used.
    """
    robot = values["robot"]
    if not isinstance(robot, RobotModel):
        robot = RobotModel.from_urdf(
            robot,
            values.get("base") or None,
            home=values.get("home") or None,
            contact_points=collected(values, POINTS) or None,
            feet=values.get("feet"),
            gravity=values.get("gravity", (0.0, 0.0, -9.81)),
            meshes=values.get("meshes", "hull"),
            packages=values.get("packages") or (),
            srdf=values.get("srdf") or None,
            mimic=values.get("mimic", "couple"),
            self_collision=values.get("self_collision", False),
            xacro_arguments=values.get("xacro") or (),
            backlash=collected(values, BACKLASH) or None,
        )
    drives = {name.removeprefix(ACTUATOR): value for name, value in values.items() if name.startswith(ACTUATOR)}
    return robot.with_actuators(**drives) if drives else robot


def collected(values: Mapping[str, Any], prefix: str) -> dict[str, dict[str, Any]]:
    """Return {name: {field: value}} of the parameters ``<prefix><name>.<field>``."""
    found: dict[str, dict[str, Any]] = {}
    for parameter, value in values.items():
        if parameter.startswith(prefix):
            found.setdefault(named(parameter, prefix), {})[parameter.rpartition(".")[2]] = value
    return found


def named(parameter: str, prefix: str) -> str:
    """Return the name in a parameter ``<prefix><name>.<field>``."""
    name, _, field = parameter.removeprefix(prefix).rpartition(".")
    return name or field
