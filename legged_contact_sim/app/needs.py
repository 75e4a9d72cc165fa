"""What commands need beside the library: said before anything runs, with the way to get it."""

import importlib.util

from ..errors import ParameterError

EXTRAS = {"matplotlib": "plot", "viser": "viewer", "mcap": "record", "rosbags": "record", "zstandard": "record"}


def need(*modules: str) -> None:
    """See whether modules of the extras are installed.

    Raises:
        ParameterError: one is not.
    """
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise ParameterError(f"{module} is not installed; pip install 'legged_contact_sim[{EXTRAS[module]}]'")


def need_plots() -> None:
    """See whether pictures can be drawn."""
    need("matplotlib")


def need_recorder() -> None:
    """See whether bags can be read and written."""
    need("mcap", "rosbags", "zstandard")


def need_ros() -> None:
    """See whether ROS 2 is there.

    Raises:
        ParameterError: it is not.
    """
    if any(importlib.util.find_spec(module) is None for module in ("rclpy", "tf2_msgs")):
        raise ParameterError("ROS 2 is not there; legged-contact-sim doctor says what is missing and what to do")
