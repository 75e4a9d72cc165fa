"""Several robots in one world: a namespace for each, one time for all, and every robot as if it were alone."""

import os
import threading

import numpy as np
import pytest
import rclpy
from nav_msgs.msg import Odometry
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from ros_bench import DEEP, PID, collect, seconds, wait_for
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

from legged_contact_sim.errors import LeggedContactSimError
from legged_contact_sim.nodes.process import Running
from legged_contact_sim.nodes.readings import stamp_of
from legged_contact_sim.nodes.simulator_node import SimulatorNode

TICKS = 60
COMMON = ["lockstep:=true", "real_time_factor:=0.0", "command_rate:=500.0", "rate:=500.0", "initial.lift:=0.01"]
KINDS = {
    "left": ["robot:=quadruped16", "contact_model:=exact_lcp", "initial.place:=[0.5, 1.0]", *PID],
    "right": [
        "robot:=quadruped12",
        "contact_model:=compliant",
        "initial.place:=[0.0, -1.0]",
        "joint_pid.stiffness:=[100.0]",
        "joint_pid.damping:=[2.0]",
    ],
}
BOTH = ["robots:=[left, right]", *COMMON, *(f"robots.{name}.{each}" for name, own in KINDS.items() for each in own)]


class OneRun(Running):
    """A loop's permission to go on that this test withdraws."""

    def __init__(self):
        self.wanted = True

    def __bool__(self):
        return self.wanted


class Loop:
    """A simulator node in this process, its loop in a thread."""

    def __init__(self, *parameters):
        rclpy.init(args=["--ros-args", *(part for each in parameters for part in ("-p", each))])
        self.node, self.running = SimulatorNode(), OneRun()

    def __enter__(self):
        self.thread = threading.Thread(target=self.node.run, args=(self.running,), daemon=True)
        self.thread.start()
        return self.node

    def __exit__(self, *_):
        self.running.wanted = False
        self.thread.join()
        for node in (*self.node.others, self.node):
            node.destroy_node()
        rclpy.shutdown()


def alone(name) -> list[bytes]:
    """Return joint positions, velocities and efforts of a robot that nobody else is simulated with."""
    with Loop(*COMMON, *KINDS[name], "composed:=true", "paused:=true") as node:
        rows = []
        for _ in range(TICKS):
            seen = node.robots[0].snapshot
            rows.append(seen.position.tobytes() + seen.velocity.tobytes() + seen.effort.tobytes())
            node.step(1)
    return rows


@pytest.mark.skipif("SOAK" not in os.environ, reason="make soak: it stood still in one run of several, cause not known")
def test_two_robots_in_lockstep_are_each_as_if_alone(bench):
    """Over real topics: two controllers in processes of their own; time waits for both of them."""
    expected = {name: alone(name) for name in KINDS}
    boxes = {name: bench.mailbox(JointState, f"/{name}/joint_states") for name in KINDS}
    frames, clock = bench.mailbox(TFMessage, "/tf"), bench.mailbox(Clock, "/clock")
    base = {name: bench.mailbox(Odometry, f"/{name}/odom") for name in KINDS}
    answers = bench.mailbox(JointState, "/left/joint_commands")
    states: dict[str, dict[int, bytes]] = {name: {} for name in KINDS}

    def listen():
        for name, box in boxes.items():
            for raw in box.drain(DEEP.depth):
                states[name].setdefault(stamp_of(raw), raw)
        return min(map(len, states.values()))

    processes = [bench.simulator(*BOTH)]
    wait_for(listen, "the states that the simulator waits with", processes)
    for name in KINDS:
        assert max(map(len, states.values())) == 1, "time waits for the controllers of both"
        inside = ("--ros-args", "-r", f"__ns:=/{name}")
        processes.append(bench.start("nodes.controller_node", *BOTH, arguments=inside))
        if name == "left":
            assert seconds(bench.next(answers).header.stamp) == 0.0
            listen()
    wait_for(lambda: listen() > TICKS, "joint states", processes)
    for name in KINDS:
        first = sorted(states[name])[:TICKS]
        assert first == [k * 1_000_000 for k in range(TICKS)], "states were lost"
        messages = [deserialize_message(states[name][stamp], JointState) for stamp in first]
        over_ros = [m.position.tobytes() + m.velocity.tobytes() + m.effort.tobytes() for m in messages]
        assert over_ros == expected[name], name
        assert np.ptp([m.position for m in messages], axis=0).max() > 1e-3, "the robot moves"
    # One clock, frames by robot, and every robot where it was put.
    assert bench.node.count_publishers("/clock") == 1 and collect(clock, [])
    transforms: list = []
    wait_for(lambda: len({t.child_frame_id for m in collect(frames, transforms) for t in m.transforms}) > 50, "frames")
    children = {(t.header.frame_id, t.child_frame_id) for message in transforms for t in message.transforms}
    assert {child.partition("/")[0] for _, child in children} == set(KINDS)
    assert {parent for parent, _ in children if not parent.startswith(tuple(KINDS))} == {"world"}
    for name, (x, y) in {"left": (0.5, 1.0), "right": (0.0, -1.0)}.items():
        at = bench.latest(base[name]).pose.pose.position
        assert (at.x, at.y) == pytest.approx((x, y), abs=0.2)
    # A reset is one of the world.
    assert bench.call(Trigger, "/reset").success
    for box in boxes.values():
        wait_for(lambda b=box: any(stamp_of(raw) == 0 for raw in b.drain(DEEP.depth)), "time zero", processes)


@pytest.fixture(scope="class")
def pair():
    with Loop(
        "robots:=[left, right]", "robot:=quadruped12", "paused:=true", "robots.right.initial.place:=[0.0, 1.0]"
    ) as node:
        yield node


class TestPair:
    """Two robots in this process, paused."""

    def test_a_parameter_of_one_robot_is_its_own(self, pair):
        left, right = pair.robots
        assert (left.name, right.name) == ("left", "right")
        assert left.node.get_fully_qualified_name() == "/left/legged_contact_sim"
        assert left.values["frame_prefix"] == "left/" and right.values["frame_prefix"] == "right/"
        assert right.simulator.q[1] == pytest.approx(1.0) and left.simulator.q[1] == 0.0
        assert not pair.has_parameter("friction") and not left.node.has_parameter("real_time_factor")
        (result,) = left.node.set_parameters([Parameter("friction", value=0.3)])
        assert result.successful
        assert (left.simulator.model.parameters.friction, right.simulator.model.parameters.friction) == (0.3, 0.8)
        (result,) = pair.set_parameters([Parameter("real_time_factor", value=2.0)])
        assert result.successful and pair.pacer.target == 2.0

    def test_time_is_one_through_steps_states_and_resets(self, pair):
        left, right = pair.robots
        pair.reset()
        pair.step(7)
        assert left.snapshot.nanoseconds == right.snapshot.nanoseconds == pair.nanoseconds == 7_000_000
        pair.reset(time_too=False)
        pair.step(1)
        assert left.snapshot.nanoseconds == right.snapshot.nanoseconds == 8_000_000
        pair.reset(state_too=False)
        assert pair.nanoseconds == 0 and left.resets == right.resets

    def test_a_robot_whose_state_is_lost_goes_back_to_its_start_and_the_other_goes_on(self, pair):
        left, right = pair.robots
        pair.reset()
        pair.step(5)
        fast = right.simulator.v.copy()
        fast[6:] = 1e200
        pair.set_state(right, right.simulator.q.copy(), fast)
        with pytest.raises(LeggedContactSimError, match="reset after"):
            pair.step(2)
        assert (right.resets, right.simulator.time) == (left.resets + 1, 0.0)
        assert left.simulator.time == pytest.approx(0.006)
        assert left.snapshot.nanoseconds == right.snapshot.nanoseconds == right.nanoseconds == 6_000_000
        pair.step(3)
        assert left.nanoseconds == right.nanoseconds == 9_000_000

    def test_in_lockstep_commands_are_awaited_at_the_same_stamps_after_a_reset_of_the_state(self, pair):
        """The controller answers on the grid of its rate, beside which a count from the reset on would wait."""
        left, right = pair.robots
        pair.reset()
        pair.step(1)
        pair.reset(time_too=False)
        for robot in (left, right):
            assert robot.node.set_parameters([Parameter("lockstep", value=True)])[0].successful
            assert not robot.awaits_command()
        pair.step(1)
        assert left.awaits_command() and right.awaits_command()
        for robot in (left, right):
            assert robot.node.set_parameters([Parameter("lockstep", value=False)])[0].successful
