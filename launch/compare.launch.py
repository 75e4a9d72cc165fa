"""The same scenario under two contact models side by side, each in a namespace of its model's name."""

from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from legged_contact_sim.simulation.scenarios import config_folders

ARGUMENTS = {
    "first": ("exact_lcp", "contact model; it also gives the time"),
    "second": ("compliant", "the other contact model"),
    "scenario": ("quadruped_drop", "a file of config/, without .yaml, or the path of another"),
    "rviz": ("false", "show both robots in RViz"),
}


def generate_launch_description() -> LaunchDescription:
    """Return the arguments, and the two simulators that follow from them."""
    declared = [
        DeclareLaunchArgument(name, default_value=value, description=text) for name, (value, text) in ARGUMENTS.items()
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=_both)])


def _both(context: LaunchContext) -> list[Action]:
    first, second, scenario, rviz = (LaunchConfiguration(name).perform(context) for name in ARGUMENTS)
    if first == second:
        raise RuntimeError(f"second: expected another contact model than the first, found {second}")
    actions: list[Action] = [_simulator(model, scenario, clock=model == first) for model in (first, second)]
    if rviz == "true":
        view = next(folder for folder in config_folders() if folder.is_dir()) / "compare.rviz"
        actions.append(Node(package="rviz2", executable="rviz2", arguments=["-d", str(view)], output="screen"))
    return actions


def _simulator(model: str, scenario: str, clock: bool) -> Action:
    """Return one simulator with its controller; only one of them may tell the time on /clock."""
    arguments = {
        "scenario": scenario,
        "contact_model": model,
        "namespace": model,
        "clock": "true" if clock else "false",
        "rviz": "false",
        "record": "false",
    }
    source = PythonLaunchDescriptionSource(str(Path(__file__).with_name("simulator.launch.py")))
    return GroupAction([IncludeLaunchDescription(source, launch_arguments=arguments.items())])
