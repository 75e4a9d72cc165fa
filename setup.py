"""Build for colcon (ament_python) and for pip alike; name, version and licence are those of package.xml."""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from setuptools import find_packages, setup

manifest = ElementTree.parse(Path(__file__).resolve().parent / "package.xml").getroot()
name = manifest.findtext("name")
maintainer = manifest.find("maintainer")


def shared(folder: str) -> list[tuple[str, list[str]]]:
    """Return the ``data_files`` entries that lay ``folder`` out again under ``share/<package>``."""
    files: dict[Path, list[str]] = {}
    for path in sorted(Path(folder).rglob("*")):
        hidden = any(part.startswith((".", "__")) for part in path.parts)
        if path.is_file() and not hidden:
            files.setdefault(path.parent, []).append(path.as_posix())
    return [(f"share/{name}/{parent.as_posix()}", paths) for parent, paths in files.items()]


def programs() -> list[tuple[str, list[str]]]:
    """Return what pip puts where `ros2 run` and `ros2 launch` look; colcon puts the programs there itself."""
    by_pip = {"bdist_wheel", "editable_wheel"} & set(sys.argv)
    return [(f"lib/{name}", sorted(path.as_posix() for path in Path("scripts").iterdir()))] if by_pip else []


# Real ROS 2 from PyPI exists for this platform only; elsewhere ROS 2 itself provides these.
ROS_WHEELS = "; sys_platform == 'linux' and platform_machine == 'x86_64'"
ros = [
    "ros-jazzy-rclpy[fastrtps]",
    "ros-jazzy-diagnostic-msgs",
    "ros-jazzy-geometry-msgs",
    "ros-jazzy-nav-msgs",
    "ros-jazzy-rosgraph-msgs",
    "ros-jazzy-sensor-msgs",
    "ros-jazzy-std-msgs",
    "ros-jazzy-std-srvs",
    "ros-jazzy-trajectory-msgs",
    "ros-jazzy-visualization-msgs",
]

viewer = ["viser>=1.1.1,<2"]
film = ["imageio>=2.34", "imageio-ffmpeg>=0.5", "pillow>=10"]
record = ["rosbags>=0.10", "mcap>=1.1", "mcap-ros2-support>=0.5", "zstandard>=0.22"]
plot = ["matplotlib>=3.8"]
xacro = ["xacro>=2.0"]
mjcf = ["mujoco>=3.3"]  # MjSpec tells the body of a geom since then; loops between sites are named since 3.2.3
policy = ["onnxruntime>=1.17"]
gym = ["gymnasium>=1.0"]
sweep = ["joblib>=1.4", "pyarrow>=15", "distributed>=2024.1", *plot]
engines = ["pin>=4", *mjcf]

setup(
    name=name,
    version=manifest.findtext("version"),
    description=manifest.findtext("description"),
    license=manifest.findtext("license"),
    maintainer=maintainer.text,
    maintainer_email=maintainer.get("email"),
    packages=find_packages(include=[name, f"{name}.*"]),
    package_data={"": ["py.typed", "README.md", "*.html", "*.js", "*.css"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{name}"]),
        (f"share/{name}", ["package.xml"]),
        *shared("launch"),
        *shared("config"),
        *shared("urdf"),
        *shared("interfaces"),
        *programs(),
    ],
    python_requires=">=3.10",
    install_requires=["numpy>=1.26", "scipy>=1.11", "numba>=0.59", "PyYAML>=6", "urdf_parser_py>=0.0.4"],
    extras_require={
        "ros": [wheel + ROS_WHEELS for wheel in ros],
        "viewer": viewer,
        "film": film,
        "record": record,
        "plot": plot,
        "policy": policy,
        "gym": gym,
        "sweep": sweep,
        "xacro": xacro,
        "mjcf": mjcf,
        "test": [
            "catkin_pkg",
            "hypothesis",
            "mypy",
            "pytest",
            "pytest-xdist",
            "ruff",
            "types-PyYAML",
            *engines,
            *viewer,
            *film,
            *record,
            *plot,
            *policy,
            *gym,
            "onnx",
            *sweep,
            *xacro,
        ],
        "docs": ["mkdocs>=1.6,<2", "mkdocs-material>=9.5", "latex2mathml>=3.77"],
        "bench": ["dartpy", "drake", "pybullet", *engines, *plot, *sweep],
    },
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "legged-contact-sim = legged_contact_sim.programs:command_line",
            "simulator_node = legged_contact_sim.programs:simulator_node",
            "controller_node = legged_contact_sim.programs:controller_node",
            "recorder_node = legged_contact_sim.programs:recorder_node",
            "teleop_node = legged_contact_sim.programs:teleop_node",
            "viewer_node = legged_contact_sim.programs:viewer_node",
        ],
    },
)
