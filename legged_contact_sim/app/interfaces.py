"""``legged-contact-sim interfaces``: build the messages that the ROS 2 wheels of PyPI lack into this environment."""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ..simulation.scenarios import config_folders

SCRIPT = "build.py"


def add_command(commands: Any) -> None:
    """Add the command to the command line's parser."""
    words = "build the messages that ROS 2 from PyPI lacks into this environment (seconds, once)"
    commands.add_parser("interfaces", help=words).set_defaults(action=build)


def script() -> Path:
    """Return what builds them: in the checkout, or installed beside the parameter files.

    Raises:
        ParameterError: it is not there.
    """
    for folder in config_folders():
        if (folder.parent / "interfaces" / SCRIPT).is_file():
            return folder.parent / "interfaces" / SCRIPT
    raise ParameterError(f"interfaces/{SCRIPT} is not where the package looks")


def build(_: argparse.Namespace) -> int:
    """Build what is missing.

    Raises:
        ParameterError: this is no virtual environment.
    """
    if sys.prefix == sys.base_prefix:
        raise ParameterError("interfaces: expected a virtual environment; with ROS 2 installed, colcon builds messages")
    status = subprocess.run([sys.executable, str(script())]).returncode
    if status == 0:
        print("all interfaces are there")
    return status
