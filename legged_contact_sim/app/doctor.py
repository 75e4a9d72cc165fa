"""What is installed, what is missing, and what to do about it."""

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from typing import NamedTuple

from ..contact import MODELS
from ..jit.cache import cache_folder
from ..model import robots
from ..simulation.scenarios import scenarios

LIBRARY = {"numpy": "numpy", "scipy": "scipy", "numba": "numba", "yaml": "PyYAML", "urdf_parser_py": "urdf_parser_py"}
MESSAGES = (
    "diagnostic_msgs", "geometry_msgs", "nav_msgs", "rosgraph_msgs", "sensor_msgs", "std_msgs", "std_srvs",
    "trajectory_msgs", "visualization_msgs",
)  # fmt: skip
FROM_PYPI = "source ROS 2 (Jazzy or later), or get it from PyPI: make sim, or pip install 'legged_contact_sim[ros]'"
ENVIRONMENT = (
    "ROS_DISTRO", "ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE", "RMW_IMPLEMENTATION", "AMENT_PREFIX_PATH",
)  # fmt: skip


class Finding(NamedTuple):
    """Something that was looked at.

    Attributes:
        subject: what.
        good: whether it is there.
        detail: its version, or what to do.
        needed: whether the simulator cannot run without it.
    """

    subject: str
    good: bool
    detail: str
    needed: bool = True


def examine() -> Iterator[Finding]:
    """Yield what is there and what is not, in the order in which it is needed."""
    yield Finding("Python", sys.version_info >= (3, 10), f"{platform.python_version()} ({sys.executable})")
    for module, package in LIBRARY.items():
        yield _module(module, package, f"pip install {package}")
    yield Finding("robots", bool(robots()), ", ".join(robots()) or "urdf/ is not where the package looks")
    yield Finding("scenarios", bool(scenarios()), ", ".join(scenarios()) or "config/ is not where the package looks")
    yield Finding("contact models", True, ", ".join(MODELS))
    folder = cache_folder()
    compiled = len(list(folder.rglob("*.nbc")))
    words = f"{compiled} entries in {folder}" if compiled else "none: the first run compiles, for a minute or two"
    yield Finding("compiled kernels", compiled > 0, words, needed=False)
    yield _module("rclpy", "ros-jazzy-rclpy", FROM_PYPI)
    missing = [name for name in MESSAGES if not _importable(name)]
    words = f"missing: {', '.join(missing)}; {FROM_PYPI}" if missing else "all there"
    yield Finding("ROS 2 messages", not missing, words)
    advice = "legged-contact-sim interfaces builds it, or make sim, which does"
    yield Finding("tf2_msgs", _importable("tf2_msgs"), "there" if _importable("tf2_msgs") else advice)
    ours = _importable("legged_contact_sim_msgs")
    words = "there" if ours else f"no contact states, energy audit and low-level commands: {advice}"
    yield Finding("legged_contact_sim_msgs", ours, words, needed=False)
    yield from _optional()


def _optional() -> Iterator[Finding]:
    for module, package, purpose in (
        ("viser", "viser", "legged-contact-sim view, the page in the browser"),
        ("mcap", "mcap", "legged-contact-sim record and plot"),
        ("rosbags", "rosbags", "legged-contact-sim record and plot"),
        ("matplotlib", "matplotlib", "legged-contact-sim plot"),
    ):
        yield _module(module, package, f"pip install {package}, for {purpose}", needed=False)
    for program, instead in (
        ("ros2", "legged-contact-sim run and record stand in for ros2 launch and ros2 bag"),
        ("rviz2", "install ROS 2's desktop variant to see RViz"),
        ("colcon", "pip install colcon-common-extensions, to build a ROS 2 workspace"),
        ("c++", "needed once, to build interfaces"),
    ):
        where = shutil.which(program)
        yield Finding(program, where is not None, where or instead, needed=False)
    found = _importable("simulation_interfaces")
    words = "its services are offered" if found else "the services reset, pause and step are there without it"
    yield Finding("simulation_interfaces", found, words, needed=False)
    for name in ENVIRONMENT:
        yield Finding(name, True, os.environ.get(name, "not set"), needed=False)


def report() -> int:
    """Print the findings; return 0 if the simulator's nodes can run, else 1."""
    findings = list(examine())
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        mark = "ok     " if finding.good else "MISSING" if finding.needed else "without"
        print(f"{mark}  {finding.subject:<{width}}  {finding.detail}")
    wrong = [finding.subject for finding in findings if finding.needed and not finding.good]
    print(f"\nnot ready for ROS 2: {', '.join(wrong)}" if wrong else "\nready: legged-contact-sim run")
    return 1 if wrong else 0


def _importable(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _module(module: str, package: str, advice: str, needed: bool = True) -> Finding:
    if not _importable(module):
        return Finding(module, False, advice, needed)
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        version = "there"
    return Finding(module, True, version, needed)
