"""Two quadrupeds trot side by side, each under its own contact model. Arguments are those of simulator.launch.py."""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description() -> LaunchDescription:
    """Return the simulator's launch description with this scenario."""
    simulator = str(Path(__file__).with_name("simulator.launch.py"))
    scenario = {"scenario": "two_quadrupeds"}
    return LaunchDescription(
        [IncludeLaunchDescription(PythonLaunchDescriptionSource(simulator), launch_arguments=scenario.items())]
    )
