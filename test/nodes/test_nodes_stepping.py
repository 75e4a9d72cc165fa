"""Steps of a paused simulation: many can be interrupted, and in lockstep each of them waits for its command."""

import threading

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from nav_msgs.msg import Odometry
from rclpy.serialization import serialize_message
from ros_bench import PATIENCE, Loop, collect, seconds, wait_for
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from legged_contact_sim.errors import LeggedContactSimError
from legged_contact_sim.nodes.requests import Requests

STEPS = 400


@pytest.fixture
def paused():
    """A paused simulator node in this process, and its loop in a thread."""
    loop = Loop("paused:=true", "robot:=quadruped12")
    with loop as node:
        yield node, loop.running, loop.thread


def steps_in_a_thread(node, ticks):
    """Return a thread that steps, and a list that gets what came of it."""
    outcome = []

    def step():
        try:
            node.step(ticks)
            outcome.append("done")
        except LeggedContactSimError as error:
            outcome.append(str(error))

    thread = threading.Thread(target=step, daemon=True)
    thread.start()
    return thread, outcome


def advances(node):
    """Wait until steps are under way."""
    before = node.nanoseconds
    wait_for(lambda: node.nanoseconds > before, "steps")


def test_steps_are_counted_exactly(paused):
    node, _, _ = paused
    node.step(0)
    node.step(1)
    node.step(249)
    assert node.nanoseconds == 250_000_000


@pytest.mark.parametrize(
    ("interrupt", "word"), [("pause", "paused after"), ("reset", "reset after"), ("step", "replaced by other steps")]
)
def test_a_million_steps_can_be_interrupted(paused, interrupt, word):
    node, _, _ = paused
    thread, outcome = steps_in_a_thread(node, 1_000_000)
    advances(node)
    {"pause": lambda: node.pause(True), "reset": node.reset, "step": lambda: node.step(1)}[interrupt]()
    thread.join(PATIENCE)
    assert word in outcome[0] and "of 1000000 steps" in outcome[0]
    node.step(1)


def test_the_end_of_the_loop_ends_the_steps(paused):
    """Ctrl-C only withdraws the permission to go on; whoever waits for steps must learn of it."""
    node, running, loop = paused
    thread, outcome = steps_in_a_thread(node, 1_000_000)
    advances(node)
    running.wanted = False
    loop.join(PATIENCE)
    thread.join(PATIENCE)
    assert not loop.is_alive() and "ended after" in outcome[0]
    with pytest.raises(LeggedContactSimError, match="ended"):
        node.pause(True)


def test_in_lockstep_a_trajectory_is_the_answer_until_its_end():
    """After that time stands until the next command, as before the first."""
    with Loop("lockstep:=true", "robot:=quadruped12", "real_time_factor:=0.0") as node:
        (robot,) = node.robots
        way = JointTrajectory(joint_names=[robot.simulator.robot.joint_names[0]])
        way.points = [JointTrajectoryPoint(positions=[0.1], time_from_start=Duration(nanosec=30_000_000))]
        raw, take = bytes(serialize_message(way)), robot.commands._take_trajectory
        for end in (30_000_000, 60_000_000):
            node.requests.ask(lambda: robot.commands._accept(raw, JointTrajectory, take, None, False))
            wait_for(lambda end=end: node.nanoseconds > end or (node.nanoseconds == end and robot.waiting), "the end")
            assert node.nanoseconds == end


def test_steps_need_a_pause(paused):
    node, _, _ = paused
    node.pause(False)
    with pytest.raises(LeggedContactSimError, match="not paused"):
        node.step(1)


def test_who_asks_waits_as_long_as_it_takes_and_gets_the_error():
    requests, outcome = Requests(), []
    request = threading.Thread(target=lambda: outcome.append(requests.ask(lambda: 7)), daemon=True)
    request.start()
    request.join(0.3)
    assert request.is_alive() and not outcome
    requests.serve()
    request.join(PATIENCE)
    assert outcome == [7]


def test_a_stepped_trot_does_not_sink(bench):
    """Every step in lockstep takes the command that answers the last state, though nobody has unpaused anything."""
    trot = ["lockstep:=true", "robot:=quadruped12", "paused:=true"]
    simulator = bench.simulator(*trot, "command_rate:=500.0")
    controller = bench.controller(*trot, "controller:=zmp_trot", "rate:=500.0", "zmp_trot.velocity:=[0.1, 0.0, 0.0]")
    base = bench.mailbox(Odometry, "/odom")
    joints = bench.mailbox(JointState, "/joint_states")
    for _ in range(STEPS):
        assert bench.call(Trigger, "/step").success
    states: list = []
    wait_for(lambda: collect(base, states) and seconds(states[-1].header.stamp) >= 0.4, "odometry")
    heights = [state.pose.pose.position.z for state in states]
    assert heights == pytest.approx([heights[0]] * len(heights), abs=0.03)
    efforts = np.array([state.effort for state in collect(joints, [])])
    assert np.abs(efforts[-50:]).max(axis=1).min() > 1.0, "it is driven all the time"
    assert "joint efforts are zero" not in simulator.said() + controller.said()
    # A step that waits for a command which never comes does not keep others from being served.
    controller.end()
    future = bench.clients["/step"].call_async(Trigger.Request())
    assert bench.call(SetBool, "/pause", SetBool.Request(data=True)).success
    bench.executor.spin_until_future_complete(future, timeout_sec=PATIENCE)
    assert "paused after 0 of 1 steps" in future.result().message or future.result().success
