"""What the simulator offers where its interfaces are installed."""

import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .simulator_node import SimulatorNode


def offer_optional(node: "SimulatorNode") -> list[Any]:
    """Offer services and actions of packages that need not be there; return what has to live as long as the node."""
    offered: list[Any] = []
    if importlib.util.find_spec("simulation_interfaces"):
        from .simulation_services import SimulationServices

        offered.append(SimulationServices(node))
    # A controller in the simulator's process is the only one who commands.
    if importlib.util.find_spec("control_msgs") and not node.values["composed"]:
        from .follow_trajectory import FollowJointTrajectoryServer

        offered.append(FollowJointTrajectoryServer(node))
    return offered
