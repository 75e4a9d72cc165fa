"""The simulator node at full load, over real DDS: how much of a core it takes, and whether it keeps time.

1 kHz joint states, wrenches and clock, 100 Hz transforms and markers, a controller that answers at 500 Hz, physics at
2 kHz, 16 joints; odometry as by default. Besides the controller, a meter subscribes to all of it but the odometry and
counts what comes. The simulator has a core to itself where there are several. In turns in one run: this load; with IMU,
contact states and energy audit at their default rates, to which the meter subscribes as well; with these at 1 kHz; and
the load without contact output. Prints JSON; costs are processor time per simulated second, which another load of the
machine does not change.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROBOT = "quadruped16"
STAND = {"robot": ROBOT, "hold.stiffness": 1500.0, "hold.damping": 60.0, "await_command": "true"}
QUIET = {"imu_rate": 0.0, "contact_state_rate": 0.0, "energy_rate": 0.0}
FULL = {"tf_rate": 100.0, "marker_rate": 100.0, "wrench_rate": 1000.0, "diagnostics_rate": 10.0} | QUIET
LOADS = {
    "full": FULL,
    "with_sensors": FULL | {"imu_rate": 500.0, "contact_state_rate": 100.0, "energy_rate": 100.0},
    "with_sensors_at_1_khz": FULL | dict.fromkeys(QUIET, 1000.0),
    "without_contact_output": FULL | {"wrench_rate": 0.0, "marker_rate": 0.0},
}
PID = {"robot": ROBOT, "joint_pid.stiffness": "[1.0]", "joint_pid.damping": "[0.01]"}
MATCHED = 2.0  # s after which the controller, too, knows of the meter, which has to see the very first command
SETTLE = 5.0  # s before anything is measured
BETWEEN = 1.0  # s between two loads


def main() -> None:
    """Measure all loads in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of every load")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--domain", default="77", help="a ROS domain that nobody else uses")
    options = parser.parse_args()
    os.environ |= {"ROS_DOMAIN_ID": options.domain, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    print(json.dumps(measure(options.seconds / options.rounds, options.rounds), indent=2))


class Meter:
    """A node that counts messages, listens to diagnostics and changes the simulator's rates."""

    def __init__(self) -> None:
        """Subscribe to the full load."""
        import rclpy
        from diagnostic_msgs.msg import DiagnosticArray
        from geometry_msgs.msg import WrenchStamped
        from legged_contact_sim_msgs.msg import ContactState, EnergyAudit
        from rcl_interfaces.srv import SetParameters
        from rosgraph_msgs.msg import Clock
        from sensor_msgs.msg import Imu, JointState
        from tf2_msgs.msg import TFMessage
        from visualization_msgs.msg import MarkerArray

        from legged_contact_sim import RobotModel
        from legged_contact_sim.nodes.polling import Mailbox

        rclpy.init()
        self.node = rclpy.create_node("load_meter")
        points = RobotModel.from_urdf(ROBOT).contact_names
        kinds = {"/joint_commands": JointState, "/clock": Clock, "/tf": TFMessage, "/contact_markers": MarkerArray}
        kinds |= {"/joint_states": JointState} | {f"/contacts/{point}/wrench": WrenchStamped for point in points}
        self._sensors: dict[str, Any] = {"/imu": Imu, "/energy": EnergyAudit}
        self._sensors |= {f"/contacts/{point}/state": ContactState for point in points}
        self._listen = lambda topic, kind: Mailbox(self.node, kind, topic, 5000)
        self.boxes = {topic: self._listen(topic, kind) for topic, kind in kinds.items()}
        self.counts = dict.fromkeys([*self.boxes, *self._sensors], 0)
        self._diagnostics = Mailbox(self.node, DiagnosticArray, "/diagnostics", 10)
        self._change = self.node.create_client(SetParameters, "/legged_contact_sim/set_parameters")

    def tell(self, duration: float) -> dict[str, str]:
        """Count messages for a while, s; return the last diagnostics."""
        from diagnostic_msgs.msg import DiagnosticArray
        from rclpy.serialization import deserialize_message

        from legged_contact_sim.nodes.status import numbers_in

        last: dict[str, str] = {}
        end = time.monotonic() + duration
        while time.monotonic() < end or not last:
            for topic, box in self.boxes.items():
                self.counts[topic] += sum(1 for _ in box.drain(5000))
            raw = self._diagnostics.newest()
            last = numbers_in(deserialize_message(raw, DiagnosticArray)) if raw else last
            time.sleep(0.01)
        return last

    def put_under(self, load: dict[str, float]) -> None:
        """Have the simulator publish at other rates, and listen to sensors if there are any."""
        import rclpy
        from rcl_interfaces.srv import SetParameters
        from rclpy.parameter import Parameter

        self._change.wait_for_service()
        changes = [Parameter(name, value=rate).to_parameter_msg() for name, rate in load.items()]
        answer = self._change.call_async(SetParameters.Request(parameters=changes))
        rclpy.spin_until_future_complete(self.node, answer)
        assert all(result.successful for result in answer.result().results)
        for topic, kind in self._sensors.items():
            if load["imu_rate"] and topic not in self.boxes:
                self.boxes[topic] = self._listen(topic, kind)
            elif not load["imu_rate"] and topic in self.boxes:
                self.node.destroy_subscription(self.boxes.pop(topic).subscription)

    def end(self) -> None:
        """Leave."""
        import rclpy

        self.node.destroy_node()
        rclpy.shutdown()


@contextmanager
def processes(meter: Meter) -> Iterator[tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]]:
    """Start controller and simulator, the latter on a core of its own where there are several; end both."""
    cores = sorted(os.sched_getaffinity(0))
    others = cores[1:] or cores
    controller = start("controller_node", PID)
    while not meter.boxes["/joint_commands"].subscription.get_publisher_count():
        time.sleep(0.1)
    time.sleep(MATCHED)
    simulator = start("simulator_node", STAND | FULL)
    os.sched_setaffinity(simulator.pid, {cores[0]})
    for process in (controller.pid, 0):
        os.sched_setaffinity(process, set(others))
    try:
        yield controller, simulator
    finally:
        for each in (controller, simulator):
            each.kill()
            each.wait()
        os.sched_setaffinity(0, set(cores))


def measure(seconds: float, rounds: int) -> dict[str, Any]:
    """Run every load for so many seconds in every round and return what they took."""
    meter = Meter()
    sums = {name: {"seconds": 0.0, "simulated": 0.0, "cpu": 0.0, "kernel": 0.0, "missed": 0} for name in LOADS}
    heard = {name: dict.fromkeys(meter.counts, 0) for name in LOADS}
    with processes(meter) as (controller, simulator):
        while float(meter.tell(0.2)["simulated_time"]) <= 0.0:
            pass
        meter.tell(SETTLE)
        for _ in range(rounds):
            for name, load in LOADS.items():
                meter.put_under(load)
                begin, wall, before = meter.tell(BETWEEN), time.monotonic(), cpu_seconds(simulator.pid)
                counted = dict(meter.counts)
                end = meter.tell(seconds)
                after, taken = cpu_seconds(simulator.pid), sums[name]
                taken["seconds"] += time.monotonic() - wall
                taken["simulated"] += float(end["simulated_time"]) - float(begin["simulated_time"])
                taken["cpu"] += sum(after) - sum(before)
                taken["kernel"] += after[1] - before[1]
                taken["missed"] += int(end["missed_deadlines"]) - int(begin["missed_deadlines"])
                for topic, count in meter.counts.items():
                    heard[name][topic] += count - counted[topic]
        controller.send_signal(signal.SIGINT)
        controller.wait(20.0)
        final = meter.tell(1.0)
    meter.end()
    found: dict[str, Any] = {name: _summary(taken, heard[name]) for name, taken in sums.items()}
    cost = {name: found[name]["cpu_per_simulated_second"] for name in LOADS}
    factor = {name: found[name]["real_time_factor"] for name in LOADS}
    return found | {
        "cost_of_sensors": cost["with_sensors"] / cost["full"],
        "cost_of_sensors_at_1_khz": cost["with_sensors_at_1_khz"] / cost["full"],
        "change_of_factor_by_contact_output": factor["full"] / factor["without_contact_output"] - 1.0,
        "commands_seen_by_the_meter": meter.counts["/joint_commands"],
        "commands_received_by_the_simulator": int(final["commands_received"]),
        "commands_dropped": int(final["commands_dropped"]),
        "load_average": os.getloadavg(),
    }


def _summary(taken: dict[str, Any], heard: dict[str, int]) -> dict[str, Any]:
    seconds = taken["seconds"]
    return {
        "seconds": seconds,
        "real_time_factor": taken["simulated"] / seconds,
        "part_of_a_core": taken["cpu"] / seconds,
        "of_that_in_the_kernel": taken["kernel"] / seconds,
        "cpu_per_simulated_second": taken["cpu"] / taken["simulated"],
        "missed_deadlines": taken["missed"],
        "messages_per_second": {topic: count / seconds for topic, count in heard.items()},
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
