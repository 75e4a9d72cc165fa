"""Ayit's drop of the 16-joint quadruped: height, and the arguments of simulator.launch.py."""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration


def generate_launch_description() -> LaunchDescription:
    """Return the simulator's launch description with this scenario."""
    simulator = str(Path(__file__).with_name("simulator.launch.py"))
    scenario = {"scenario": "ayit_drop", "lift": LaunchConfiguration("height")}
    height = DeclareLaunchArgument("height", default_value="0.5", description="m; the document has 0.1, 0.5 and 1.5")
    return LaunchDescription(
        [height, IncludeLaunchDescription(PythonLaunchDescriptionSource(simulator), launch_arguments=scenario.items())]
    )
