"""What the robot is: from a URDF to the arrays that the dynamics read."""

from ..errors import ModelError
from .packaged import robots
from .records import CONTACT_POINT, FREE, LINK, PRISMATIC, REVOLUTE
from .robot import RobotModel
from .tree import Frame

__all__ = [
    "CONTACT_POINT",
    "FREE",
    "LINK",
    "PRISMATIC",
    "REVOLUTE",
    "Frame",
    "ModelError",
    "RobotModel",
    "robots",
]
