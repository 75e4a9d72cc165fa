"""Which contact points have topics and frames of their own: for robots with hundreds of points, those they stand on."""

from rclpy.node import Node

from ..errors import ModelError, ParameterError
from ..model import RobotModel
from .declared import Declared

NAME, ALL = "contact_topics", "all"
MOST = 64  # points; a message of each at 1 kHz is as much as a process can tell, and another can hear
CONTACT_TOPICS = {
    NAME: Declared(
        [""],
        f"contact points, links, feet or {ALL}: those with topics; empty: all of up to {MOST}, else feet",
        fixed=True,
    )
}


def points_with_topics(node: Node, robot: RobotModel) -> tuple[str, ...]:
    """Return the names of the contact points that have topics, by the node's parameter, in the robot's order.

    Raises:
        ParameterError: there is no such point or link.
    """
    given = [name for name in node.get_parameter(NAME).value if name]
    if ALL in given or (not given and len(robot.contact_names) <= MOST):
        return robot.contact_names
    try:
        chosen = robot.points_of(given) if given else robot.sole_points or robot.contact_names
    except ModelError as error:
        raise ParameterError(f"{NAME}: {error}") from None
    return chosen


def told_of(node: Node, robot: RobotModel) -> str:
    """Return in a sentence what has topics and what not; empty: all has."""
    chosen, count = points_with_topics(node, robot), len(robot.contact_names)
    if len(chosen) == count:
        return ""
    return f"{len(chosen)} of {count} contact points have topics and frames ({NAME}: names others, or {ALL})"
