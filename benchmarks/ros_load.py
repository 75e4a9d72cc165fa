"""The simulator node at full load, over real DDS: how much of a core it takes, and whether it keeps time.

1 kHz joint states, wrenches and clock, 100 Hz transforms and markers, a controller that answers at 500 Hz, physics at
2 kHz, 16 joints; odometry as by default. Besides the controller, a meter subscribes to all of it but the odometry and
counts what comes. The simulator has a core to itself where there are several. Once more with IMU, contact states and
energy audit at 1 kHz. Prints JSON.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROBOT = "quadruped16"
STAND = {"robot": ROBOT, "hold.stiffness": 1500.0, "hold.damping": 60.0}
QUIET = {"imu_rate": 0.0, "contact_state_rate": 0.0, "energy_rate": 0.0}
FULL = {"tf_rate": 100.0, "marker_rate": 100.0, "wrench_rate": 1000.0, "clock_rate": 1000.0} | QUIET
SENSORS = FULL | dict.fromkeys(QUIET, 1000.0)
NO_CONTACTS = FULL | {"wrench_rate": 0.0, "marker_rate": 0.0}
PID = {"robot": ROBOT, "joint_pid.stiffness": "[1.0]", "joint_pid.damping": "[0.01]"}
MATCHED = 2.0  # s after which the controller, too, knows of the meter, which has to see the very first command
SETTLE = 5.0  # s before anything is measured


def main() -> None:
    """Measure with and without contact output, and with everything that sensors tell besides."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--domain", default="77", help="a ROS domain that nobody else uses")
    options = parser.parse_args()
    os.environ |= {"ROS_DOMAIN_ID": options.domain, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    cores = sorted(os.sched_getaffinity(0))
    full = measure(FULL, options.seconds, cores)
    without = measure(NO_CONTACTS, options.seconds / 3.0, cores)
    sensors = measure(SENSORS, options.seconds, cores)
    cost = sensors["part_of_a_core"] / full["part_of_a_core"]
    change = full["real_time_factor"] / without["real_time_factor"] - 1.0
    print(
        json.dumps(
            {
                "full": full,
                "without_contact_output": without,
                "change_of_factor": change,
                "with_sensors": sensors,
                "cost_of_sensors": cost,
            },
            indent=2,
        )
    )


def measure(rates: dict[str, float], seconds: float, cores: list[int]) -> dict[str, Any]:
    """Run simulator and controller for a while and return what they took."""
    import rclpy
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import WrenchStamped
    from rclpy.serialization import deserialize_message
    from rosgraph_msgs.msg import Clock
    from sensor_msgs.msg import JointState
    from tf2_msgs.msg import TFMessage
    from visualization_msgs.msg import MarkerArray

    from legged_contact_sim import RobotModel
    from legged_contact_sim.nodes.polling import Mailbox
    from legged_contact_sim.nodes.status import numbers_in

    rclpy.init()
    node = rclpy.create_node("load_meter")
    kinds = {"/joint_commands": JointState, "/clock": Clock, "/tf": TFMessage, "/contact_markers": MarkerArray}
    kinds |= {"/joint_states": JointState}
    kinds |= {f"/contacts/{point}/wrench": WrenchStamped for point in RobotModel.from_urdf(ROBOT).contact_names}
    boxes = {topic: Mailbox(node, kind, topic, 5000) for topic, kind in kinds.items()}
    counts = dict.fromkeys(boxes, 0)
    diagnostics = Mailbox(node, DiagnosticArray, "/diagnostics", 10)

    def tell(duration: float) -> dict[str, str]:
        """Count messages for a while; return the last diagnostics."""
        last: dict[str, str] = {}
        end = time.monotonic() + duration
        while time.monotonic() < end or not last:
            for topic, box in boxes.items():
                counts[topic] += sum(1 for _ in box.drain(5000))
            raw = diagnostics.newest()
            last = numbers_in(deserialize_message(raw, DiagnosticArray)) if raw else last
            time.sleep(0.01)
        return last

    controller = start("controller_node", PID)
    while not boxes["/joint_commands"].subscription.get_publisher_count():
        time.sleep(0.1)
    time.sleep(MATCHED)
    simulator = start("simulator_node", STAND | rates | {"await_command": "true", "diagnostics_rate": 10.0})
    others = cores[1:] or cores
    os.sched_setaffinity(simulator.pid, {cores[0]})
    for process in (controller.pid, 0):
        os.sched_setaffinity(process, set(others))
    try:
        while float(tell(0.2)["simulated_time"]) <= 0.0:
            pass
        tell(SETTLE)
        begin, wall, (user, kernel) = tell(0.5), time.monotonic(), cpu_seconds(simulator.pid)
        before = dict(counts)
        end = tell(seconds)
        wall, cpu = time.monotonic() - wall, cpu_seconds(simulator.pid)
        user, kernel = (cpu[0] - user) / wall, (cpu[1] - kernel) / wall
        rate = {topic: (counts[topic] - before[topic]) / wall for topic in counts}
        controller.send_signal(signal.SIGINT)
        controller.wait(20.0)
        final = tell(1.0)
    finally:
        for process in (controller, simulator):
            process.kill()
            process.wait()
        os.sched_setaffinity(0, set(cores))
        node.destroy_node()
        rclpy.shutdown()
    return {
        "seconds": wall,
        "real_time_factor": (float(end["simulated_time"]) - float(begin["simulated_time"])) / wall,
        "part_of_a_core": user + kernel,
        "of_that_in_the_kernel": kernel,
        "commands_seen_by_the_meter": counts["/joint_commands"],
        "commands_received_by_the_simulator": int(final["commands_received"]),
        "commands_dropped": int(final["commands_dropped"]),
        "missed_deadlines": int(end["missed_deadlines"]) - int(begin["missed_deadlines"]),
        "messages_per_second": rate,
        "load_average": os.getloadavg(),
    }


def start(module: str, parameters: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Start a node with parameters."""
    settings = [part for name, value in parameters.items() for part in ("-p", f"{name}:={value}")]
    return subprocess.Popen([sys.executable, "-m", f"legged_contact_sim.nodes.{module}", "--ros-args", *settings])


def cpu_seconds(pid: int) -> tuple[float, float]:
    """Return the time that a process has spent on cores, and that which the kernel has spent for it, s."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / ticks, int(fields[12]) / ticks


if __name__ == "__main__":
    main()
