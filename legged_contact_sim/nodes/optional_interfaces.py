"""What the simulator offers where its interfaces are installed."""

import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .simulated_robot import SimulatedRobot
    from .simulator_node import SimulatorNode


def offer_services(node: "SimulatorNode") -> Any:
    """Offer the services of simulation_interfaces, if they are there; return what has to live as long as the node."""
    if not importlib.util.find_spec("simulation_interfaces"):
        return None
    from .simulation_services import SimulationServices

    return SimulationServices(node)


def offer_trajectories(robot: "SimulatedRobot") -> Any:
    """Offer the action FollowJointTrajectory, if it is there; return what has to live as long as the node.

    A controller in the simulator's process is the only one who commands.
    """
    if not importlib.util.find_spec("control_msgs") or robot.composition:
        return None
    from .follow_trajectory import FollowJointTrajectoryServer

    return FollowJointTrajectoryServer(robot)
