"""Start the simulator on a scenario, and with it a controller, a view and a recording, if they are asked for."""

import importlib.util
import shutil

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from legged_contact_sim.control.scenario import controllers_of, flattened
from legged_contact_sim.simulation.scenarios import find_scenario, read_scenario

PACKAGE = "legged_contact_sim"
RECORDING = ("mcap", "rosbags", "zstandard")  # what this package's recorder needs
ARGUMENTS = {
    "scenario": ("quadruped_stand", "a file of config/, without .yaml, or the path of another"),
    "robot": ("", "packaged name or path of a URDF; empty: the scenario's"),
    "contact_model": ("", "empty: the scenario's"),
    "lift": ("", "m; how far above the ground the robot starts; empty: the scenario's"),
    "controller": ("", "its name, or none; empty: the scenario's"),
    "real_time_factor": ("", "simulated over wall time; 0.0: as fast as possible; empty: the scenario's"),
    "lockstep": ("", "true: wait for the answer to every joint state on the control grid; empty: the scenario's"),
    "composed": ("false", "true: run the controller in the simulator's process"),
    "namespace": ("", "of all nodes, and before the names of the robot's frames"),
    "clock": ("true", "publish /clock"),
    "rviz": ("false", "show the robot in RViz"),
    "view": ("false", "show the robot in the browser; needs viser"),
    "record": ("false", "record all topics: with ros2 bag where it is installed, else with this package's recorder"),
}


def generate_launch_description() -> LaunchDescription:
    """Return the arguments, and the nodes that follow from them."""
    declared = [
        DeclareLaunchArgument(name, default_value=value, description=text) for name, (value, text) in ARGUMENTS.items()
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=_nodes)])


def _nodes(context: LaunchContext) -> list[Action]:
    chosen = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    path = find_scenario(chosen["scenario"])
    team = controllers_of(flattened(read_scenario(path)), chosen["controller"])
    common = {"package": PACKAGE, "namespace": chosen["namespace"], "output": "screen", "on_exit": _end_all}
    parameters = [str(path), _settings(chosen, team)]
    nodes: list[Action] = [Node(executable="simulator_node", name=PACKAGE, parameters=parameters, **common)]
    of_robot = {robot: common | {"namespace": f"{chosen['namespace']}/{robot}".strip("/")} for robot in team}
    for robot, controller in team.items():
        if controller != "none" and chosen["composed"] != "true":
            node = Node(executable="controller_node", name="controller", parameters=parameters, **of_robot[robot])
            nodes.append(node)
    if chosen["view"] == "true":  # of several robots it shows the first
        inside = next(iter(of_robot.values()))
        nodes.append(Node(executable="viewer_node", name="viewer", parameters=parameters, **inside))
    if chosen["rviz"] == "true":
        view = path.parent / "legged_robot.rviz"
        nodes.append(Node(package="rviz2", executable="rviz2", arguments=["-d", str(view)], output="screen"))
    if chosen["record"] == "true":
        nodes.append(_recorder(common))
    return nodes


def _settings(chosen: dict[str, str], team: dict[str, str]) -> dict[str, object]:
    """Return what the arguments change in the scenario, of which every robot has a controller or none."""
    settings: dict[str, object] = {name: chosen[name] for name in ("robot", "contact_model") if chosen[name]}
    if chosen["real_time_factor"]:
        settings["real_time_factor"] = float(chosen["real_time_factor"])
    if chosen["lift"]:
        settings["initial.lift"] = float(chosen["lift"])
    if chosen["lockstep"]:
        settings["lockstep"] = chosen["lockstep"] == "true"
    for robot, controller in team.items():
        own = f"robots.{robot}." if robot else ""
        settings[f"{own}controller"] = controller
        settings[f"{own}composed"] = chosen["composed"] == "true" and controller != "none"
        if controller == "none":
            settings |= {f"{own}await_command": False, f"{own}lockstep": False}
    if chosen["namespace"]:
        settings["frame_prefix"] = f"{chosen['namespace']}/"
    if chosen["clock"] != "true":
        settings["clock_rate"] = 0.0
    return settings


def _recorder(common: dict[str, object]) -> Action:
    if shutil.which("ros2") and importlib.util.find_spec("ros2bag"):
        record = ["ros2", "bag", "record", "--all", "--storage", "mcap"]
        return ExecuteProcess(cmd=record, output="screen", on_exit=_end_all)
    missing = [module for module in RECORDING if importlib.util.find_spec(module) is None]
    if missing:
        raise RuntimeError(f"record: there is neither ros2 bag nor, for this package's recorder, {', '.join(missing)}")
    return Node(executable="recorder_node", **common)


def _end_all(event: ProcessExited, context: LaunchContext) -> list[Action]:
    """End all processes with the first that ends: none is of use without the others.

    Raises:
        RuntimeError: it has failed. Launch then shuts down, too, and ends with a status that says so.
    """
    if event.returncode and not context.is_shutdown:
        raise RuntimeError(f"{event.process_name} has ended with status {event.returncode}")
    return [Shutdown(reason=f"{event.process_name} has ended")]
