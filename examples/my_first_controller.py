"""A controller of your own in one file: joint states in, joint efforts out. Copy it and change `efforts`.

Start the simulator in one terminal (without a controller of its own, best in lockstep: it then waits for every answer,
however busy the machine is), this file in another:

    python examples/my_first_controller.py

It needs nothing of this package but the two topics. Here every joint holds the pose that it was first seen in, by a
spring and a damper; when no states come, the efforts are zero.
"""

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState

STIFFNESS = 80.0  # N m/rad
DAMPING = 1.0  # N m s/rad; low, because efforts come some milliseconds late
TIMEOUT = 0.1  # s of wall time without joint states until the efforts are zero


class MyFirstController(Node):
    """Holds the pose in which it finds the robot."""

    def __init__(self) -> None:
        """Connect to the robot."""
        super().__init__("my_first_controller")
        self.target: dict[str, float] = {}
        self.commands = self.create_publisher(JointState, "joint_commands", 10)
        self.create_subscription(JointState, "joint_states", self.answer, 10)
        self.watchdog = self.create_timer(TIMEOUT, self.go_limp)

    def answer(self, state: JointState) -> None:
        """Answer a joint state with efforts, under the same stamp: the simulator knows then what it answers."""
        self.watchdog.reset()
        for name, position in zip(state.name, state.position):
            self.target.setdefault(name, position)
        command = JointState()
        command.header.stamp = state.header.stamp
        command.name = state.name
        command.effort = self.efforts(state)
        self.commands.publish(command)

    def efforts(self, state: JointState) -> list[float]:
        """Return one effort per joint, N m: your control law."""
        return [
            STIFFNESS * (self.target[name] - position) - DAMPING * velocity
            for name, position, velocity in zip(state.name, state.position, state.velocity)
        ]

    def go_limp(self) -> None:
        """Without news of the joints, let go rather than guess."""
        if self.target:
            self.get_logger().warning("no joint states: zero effort", throttle_duration_sec=2.0)
            self.commands.publish(JointState(name=list(self.target), effort=[0.0] * len(self.target)))


def main() -> None:
    """Run until Ctrl-C."""
    rclpy.init()
    node = MyFirstController()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if rclpy.ok():  # otherwise it was about to publish when Ctrl-C closed the context
            raise
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
