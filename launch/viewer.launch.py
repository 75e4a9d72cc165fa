"""Show in the browser whatever simulator publishes /joint_states, /tf or odom, and robot_description."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = {
    "namespace": ("", "of the topics"),
    "port": ("8080", "to listen at"),
    "host": ("localhost", "address to listen at; outside localhost a token is needed"),
    "terrain": ("plane", "kind of the ground"),
}


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    declared = [
        DeclareLaunchArgument(name, default_value=value, description=text) for name, (value, text) in ARGUMENTS.items()
    ]
    parameters = {
        "host": LaunchConfiguration("host"),
        "port": ParameterValue(LaunchConfiguration("port"), value_type=int),
        "terrain.kind": LaunchConfiguration("terrain"),
    }
    node = Node(
        package="legged_contact_sim",
        executable="viewer_node",
        name="viewer",
        namespace=LaunchConfiguration("namespace"),
        parameters=[parameters],
        output="screen",
    )
    return LaunchDescription([*declared, node])
