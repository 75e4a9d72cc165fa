"""Several robots in one world: a namespace for each, and parameters ``robots.<name>.<parameter>`` for one of them."""

import re
from collections.abc import Iterable, Mapping

from rclpy.node import Node
from rclpy.parameter import Parameter

from ..errors import ParameterError

ROBOTS = "robots"
NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")  # as part of a namespace


class RobotNode(Node):
    """The node of one of several robots, in the namespace of its name: its topics and its parameters."""

    def __init__(self, world: Node, name: str) -> None:
        """Begin with the parameters of all robots, and those that are only this one's."""
        namespace = f"{world.get_namespace().rstrip('/')}/{name}"
        arguments = ["--ros-args", "-r", f"__node:={world.get_name()}", "-r", f"__ns:={namespace}"]
        super().__init__(world.get_name(), cli_args=arguments)
        take_own(self)


def robot_names(node: Node) -> list[str]:
    """Return the names of the robots from the parameter ``robots``; none: the node is that of the only one.

    Raises:
        ParameterError: a name cannot be part of a topic, is there twice, or is not told but has parameters.
    """
    overrides = node._parameter_overrides
    given = overrides[ROBOTS].value if ROBOTS in overrides else []
    names = given if isinstance(given, list | tuple) else [given]
    if not all(isinstance(name, str) for name in names):
        raise ParameterError(f"{ROBOTS}: expected a list of names, found {given!r}")
    names = [name for name in names if name]
    for name in names:
        if not NAME.fullmatch(name):
            raise ParameterError(f"{ROBOTS}: expected letters, digits and underscores, found {name!r}")
        if names.count(name) > 1:
            raise ParameterError(f"{ROBOTS}: expected every name once, found {name!r} twice")
    for key in overrides:
        first, _, rest = key.partition(".")
        if first == ROBOTS and rest and rest.partition(".")[0] not in names:
            known = f"they are {', '.join(names)}" if names else f"{ROBOTS} names none"
            raise ParameterError(f"{key}: there is no such robot; {known}")
    return names


def refuse_own(node: Node, names: Iterable[str], of_the_world: Iterable[str]) -> None:
    """Refuse what one robot cannot have for itself.

    Raises:
        ParameterError: names it.
    """
    for name in names:
        for parameter in of_the_world:
            if own_name(name, parameter) in node._parameter_overrides:
                raise ParameterError(f"{own_name(name, parameter)}: it is the same for all robots; set {parameter}")


def own_name(robot: str, parameter: str) -> str:
    """Return the name of a parameter that is only one robot's."""
    return f"{ROBOTS}.{robot}.{parameter}"


def take_own(node: Node) -> None:
    """Let parameters of one robot be those of a node in its namespace; they go before those of all robots.

    The prefix of the robot's frames is its name, behind the prefix that all have, unless it is told for this one.
    """
    name = node.get_namespace().rpartition("/")[2]
    overrides = node._parameter_overrides
    if not name or ROBOTS not in overrides or name not in overrides[ROBOTS].value:
        return
    common = overrides["frame_prefix"].value if "frame_prefix" in overrides else ""
    overrides["frame_prefix"] = Parameter("frame_prefix", value=f"{common}{name}/")
    start = own_name(name, "")
    for key in [key for key in overrides if key.startswith(start)]:
        parameter = key.removeprefix(start)
        overrides[parameter] = Parameter(parameter, overrides[key].type_, overrides[key].value)


def refuse_shared(owners: Mapping[str, Iterable[str]], what: str) -> None:
    """Refuse what two robots have in common.

    Args:
        owners: by robot, what it has.
        what: they have, in a word.

    Raises:
        ParameterError: names the two and what they share.
    """
    seen: dict[str, str] = {}
    for robot, things in owners.items():
        for thing in things:
            if (other := seen.setdefault(thing, robot)) != robot:
                raise ParameterError(f"{ROBOTS}: {other} and {robot} have the same {what} {thing!r}")
