"""Commands that stop coming, and commands that nobody can mean."""

import itertools
import signal
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message
from ros_bench import DEEP, PID, STAND, collect, seconds, values_of, wait_for
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from legged_contact_sim import RobotModel

ROBOT = RobotModel.from_urdf("quadruped16")
NAMES = list(ROBOT.joint_names)
NAN, INF = float("nan"), float("inf")


def test_effort_is_zero_when_the_controller_is_killed_and_comes_back_with_it(bench):
    timeout = 0.2
    slow = "real_time_factor:=0.2"  # a busy machine's delays are short in simulated time
    bench.simulator("await_command:=true", f"command_timeout:={timeout}", "diagnostics_rate:=20.0", slow)
    controller = bench.controller(*PID, "sensor_timeout:=100.0")  # states that come late are no reason for zero effort
    joints = bench.mailbox(JointState, "/joint_states")
    diagnostics = bench.mailbox(DiagnosticArray, "/diagnostics")
    wait_for(lambda: seconds(bench.next(joints).header.stamp) > 0.3, "it stands", bench.processes)
    wait_for(lambda: np.abs(bench.latest(joints).effort).max() > 5.0, "it drives", bench.processes)
    bench.next(diagnostics)

    controller.send(signal.SIGKILL)
    killed = seconds(bench.latest(joints).header.stamp)
    controller.wait()
    states: list = []
    wait_for(lambda: collect(joints, states) and not any(states[-1].effort), "zero effort")
    first = next(seconds(state.header.stamp) for state in states if not any(state.effort))
    # The time at which the killer saw the last state is not exact: messages are on their way.
    assert first - killed <= timeout + 0.3
    values = wait_for(lambda: warned(bench, diagnostics), "diagnostics tell")
    assert values["message"] == "no commands: joint efforts are zero"

    bench.controller(*PID)
    wait_for(lambda: np.abs(bench.latest(joints).effort).max() > 5.0, "it takes over", bench.processes)
    wait_for(lambda: bench.diagnostics(diagnostics)["command"] == "fresh", "diagnostics tell")


def warned(bench, diagnostics):
    values = bench.diagnostics(diagnostics)
    return values if values["command"] == "timed out" else None


HOSTILE = {
    "finite": JointState(name=NAMES, effort=[NAN] * 16),
    "infinite": JointState(name=NAMES, effort=[INF] * 16),
    "length": JointState(name=NAMES, effort=[1.0] * 15),
    "empty": JointState(name=NAMES),
    "name": JointState(name=["tail"], effort=[1.0]),
    "twice": JointState(name=[NAMES[0]] * 2, effort=[1.0, 2.0]),
    "large": JointState(name=NAMES, effort=[1e300] * 16),
    "many": JointState(name=[f"joint_{k}" for k in range(100_000)], effort=[0.0] * 100_000),
}


def test_hostile_commands_do_nothing_but_cause_a_few_warnings(bench):
    simulator = bench.simulator(*STAND, "diagnostics_rate:=20.0")
    joints = bench.mailbox(JointState, "/joint_states")
    diagnostics = bench.mailbox(DiagnosticArray, "/diagnostics")
    wait_for(lambda: seconds(bench.next(joints).header.stamp) > 0.5, "it stands", bench.processes)
    named = bench.node.create_publisher(JointState, "/joint_commands", 10)
    listed = bench.node.create_publisher(Float64MultiArray, "/effort_controller/commands", 10)
    pushes = bench.node.create_publisher(WrenchStamped, "/external_wrench", 10)
    for publisher in (named, listed, pushes):
        wait_for(lambda p=publisher: p.get_subscription_count() > 0, "matched")
    before, start = simulator.memory(), seconds(bench.latest(joints).header.stamp)
    states: list[bytes] = []
    for message in HOSTILE.values():
        for _ in range(3 if len(message.name) > 100 else 200):
            named.publish(message)
        for data in ([NAN] * 16, [1.0] * 3, [1e300] * 16, []):
            listed.publish(Float64MultiArray(data=data))
        for frame, x in (("nowhere", 1.0), ("base_link", NAN), ("base_link", 1e300), ("world", 1.0)):
            push = WrenchStamped()
            push.header.frame_id, push.wrench.force.x = frame, x
            pushes.publish(push)
        states += joints.drain(DEEP.depth)
        time.sleep(0.05)
    # The largest message is overtaken by the others where the machine is busy: send it alone until it has come.
    many = HOSTILE["many"]
    wait_for(lambda: named.publish(many) or "bytes" in simulator.said(), "the largest one", bench.processes)
    end = time.monotonic() + 1.0
    flood = [serialize_message(message) for name, message in HOSTILE.items() if name != "many"]
    while time.monotonic() < end:
        for raw in flood:
            named.publish(raw)
        states += joints.drain(DEEP.depth)
    wait_for(lambda: seconds(bench.latest(joints).header.stamp) > start + 1.0, "time goes on", bench.processes)
    states += joints.drain(DEEP.depth)
    messages = [deserialize_message(raw, JointState) for raw in states[::10]]
    numbers = np.array([[*state.position, *state.velocity, *state.effort] for state in messages])
    assert np.isfinite(numbers).all()
    assert np.abs(numbers[:, 16:32]).max() < 0.5, "the robot was moved"
    values = values_of(bench.latest(diagnostics))
    assert int(values["commands_dropped"]) > 100 and int(values["commands_received"]) == 0
    assert int(values["pushes_dropped"]) >= 4
    assert simulator.memory() - before < 100e6
    warnings = [line for line in simulator.said().splitlines() if "WARN" in line]
    reasons = ("not finite", "expected 16 efforts", "no joint 'tail'", "named twice", "larger than", "bytes", "a push")
    for reason in reasons:
        count = sum(reason in line for line in warnings)
        assert 1 <= count <= 8, (reason, count)


class HandMadeStates:
    """Joint states and odometry of a robot at rest, a little off its home pose, published by hand."""

    def __init__(self, bench):
        self.states = bench.node.create_publisher(JointState, "/joint_states", 10)
        self.odometry = bench.node.create_publisher(Odometry, "/odom", 10)
        self.positions = (ROBOT.home[ROBOT.position_indices] - 0.01).tolist()

    def publish(self, instant):
        """Publish the readings of an instant, ms."""
        state, base = JointState(name=NAMES, position=self.positions, velocity=[0.0] * 16), Odometry()
        base.pose.pose.orientation.w = 1.0
        for message in (state, base):
            message.header.stamp.sec, message.header.stamp.nanosec = instant // 1000, 1_000_000 * (instant % 1000)
        self.odometry.publish(base)
        self.states.publish(state)


def instant_of(answer):
    """Return the stamp of an answer, ns."""
    return answer.header.stamp.sec * 1_000_000_000 + answer.header.stamp.nanosec


def test_controller_answers_with_the_stamp_of_the_state_and_falls_silent_with_it(bench):
    """Without a simulator: states by hand, answers by stamp; no more states, and the last word is zero effort.

    On a busy machine no state may come for `sensor_timeout` between two of them, too: then there is a zero effort with
    a stamp between two states, which is passed over.
    """
    bench.controller(*PID, "sensor_timeout:=0.3", "contact_forces:=false")
    answers, readings = bench.mailbox(JointState, "/joint_commands"), HandMadeStates(bench)
    told = itertools.count(0, 2)
    # Each side matches the other when it sees it: answers come once both have.
    wait_for(lambda: readings.publish(next(told)) or answers.newest() is not None, "an answer", bench.processes)
    first, heard = next(told) + 1000, []
    for k in range(20):
        readings.publish(first + k)
        while k % 2 == 0 and (not heard or instant_of(heard[-1]) < (first + k) * 1_000_000):
            heard.append(bench.next(answers))
    driving = [each for each in heard if instant_of(each) >= first * 1_000_000 and instant_of(each) % 1_000_000 == 0]
    assert [instant_of(answer) for answer in driving] == [1_000_000 * (first + k) for k in range(0, 20, 2)], "at 500 Hz"
    last = bench.next(answers)
    assert not any(last.effort)
    assert instant_of(last) > instant_of(driving[-1]), "it is no second answer to the last state"
    expected = 0.01 * np.tile([800.0, 800.0, 800.0, 400.0], 4)
    assert np.array(driving[-1].effort) == pytest.approx(expected, rel=1e-6)
    assert list(driving[-1].name) == NAMES
