"""Scenarios: the ROS parameter files in config/, as launch files and the command line both read them."""

import sys
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from ..errors import ParameterError
from ..model.packaged import ament_shares

EVERY_NODE = "/**"


def config_folders() -> list[Path]:
    """Return where parameter files may be: in the checkout, or installed by pip or colcon."""
    checkout = Path(__file__).resolve().parents[2]
    shares = [Path(sys.prefix) / "share", *ament_shares()]
    return [checkout / "config", *(share / "legged_contact_sim" / "config" for share in shares)]


def scenarios() -> dict[str, Path]:
    """Return the packaged scenarios by name: the parameter files that name a robot."""
    found: dict[str, Path] = {}
    for folder in config_folders():
        for path in sorted(folder.glob("*.yaml")):
            if "robot" in read_scenario(path):
                found.setdefault(path.stem, path)
    return found


def find_scenario(name: str) -> Path:
    """Return the file of a scenario, given by packaged name or path.

    Raises:
        ParameterError: there is none.
    """
    path = scenarios().get(name, Path(name))
    if not path.is_file():
        raise ParameterError(f"{name}: no such file, and the packaged scenarios are {', '.join(scenarios())}")
    return path


def read_scenario(path: Path) -> dict[str, Any]:
    """Return the parameters that a file has for every node.

    Raises:
        ParameterError: it is no ROS parameter file.
    """
    try:
        content = yaml.safe_load(path.read_text())
        return content[EVERY_NODE]["ros__parameters"]
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ParameterError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None
    except (KeyError, TypeError):
        raise ParameterError(f"{path}: expected a section '{EVERY_NODE}' with 'ros__parameters'") from None


def summary(path: Path) -> str:
    """Return the first line of comment in a file."""
    first = path.read_text().partition("\n")[0]
    return first.lstrip("# ") if first.startswith("#") else ""
