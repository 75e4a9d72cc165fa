"""Several robots in one world: a namespace for each, one time for all, and every robot as if it were alone."""

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from legged_contact_sim_msgs.msg import LowLevelCommand
from nav_msgs.msg import Odometry
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message, serialize_message
from ros_bench import DEEP, PID, Loop, collect, wait_for
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from legged_contact_sim import RobotModel
from legged_contact_sim.errors import LeggedContactSimError
from legged_contact_sim.nodes.outputs import QUANTITIES
from legged_contact_sim.nodes.readings import stamp_of

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


def alone(name) -> list[bytes]:
    """Return joint positions, velocities and efforts of a robot that nobody else is simulated with."""
    with Loop(*COMMON, *KINDS[name], "composed:=true", "paused:=true") as node:
        rows = []
        for _ in range(TICKS):
            seen = node.robots[0].snapshot
            rows.append(seen.position.tobytes() + seen.velocity.tobytes() + seen.effort.tobytes())
            node.step(1)
    return rows


def test_two_robots_in_lockstep_are_each_as_if_alone(bench):
    """Over real topics: two controllers in processes of their own; time waits for both of them."""
    expected = {name: alone(name) for name in KINDS}
    boxes = {name: bench.mailbox(JointState, f"/{name}/joint_states") for name in KINDS}
    frames, clock = bench.mailbox(TFMessage, "/tf"), bench.mailbox(Clock, "/clock")
    base = {name: bench.mailbox(Odometry, f"/{name}/odom") for name in KINDS}
    states: dict[str, dict[int, bytes]] = {name: {} for name in KINDS}
    heard = dict.fromkeys(KINDS, 0)

    def listen():
        for name, box in boxes.items():
            for raw in box.drain(DEEP.depth):
                heard[name] += 1
                states[name].setdefault(stamp_of(raw), raw)
        return min(map(len, states.values()))

    def left_has_answered():
        """Only a robot that is waited for has its state told again; its command may be sent before we are known."""
        before = dict(heard)
        wait_for(lambda: listen() and heard["right"] > before["right"] + 1, "the state told again", processes)
        return heard["left"] == before["left"]

    processes = [bench.simulator(*BOTH)]
    wait_for(listen, "the states that the simulator waits with", processes)
    for name in KINDS:
        assert max(map(len, states.values())) == 1, "time waits for the controllers of both"
        inside = ("--ros-args", "-r", f"__ns:=/{name}")
        processes.append(bench.start("nodes.controller_node", *BOTH, arguments=inside))
        if name == "left":
            wait_for(left_has_answered, "an answer for the left one", processes)
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
        "robots:=[left, right]",
        "robot:=quadruped12",
        "paused:=true",
        "robots.right.initial.place:=[0.0, 1.0]",
        "robots.right.contact_topics:=[lf_foot, feet]",
    ) as node:
        yield node


NAMES, NAN, INF = list(RobotModel.from_urdf("quadruped12").joint_names), float("nan"), float("inf")


def points(*places, seconds=(1, 2, 3)):
    """Return points of a trajectory, at so many seconds."""
    return [
        JointTrajectoryPoint(positions=list(place), time_from_start=Duration(sec=at))
        for place, at in zip(places, seconds, strict=False)
    ]


HERE, FAR = [0.0] * 12, [1e300] * 12
HOSTILE = [
    *(JointState(name=NAMES, **{quantity: [bad] * 12}) for quantity in QUANTITIES for bad in (NAN, INF, -INF, 1e300)),
    *(JointState(name=NAMES, **{quantity: [0.0] * count}) for quantity in QUANTITIES for count in (1, 11, 13)),
    *(JointState(name=names, effort=[1.0] * len(names)) for names in (["tail"], [""], NAMES[:1] * 2, [*NAMES, ""])),
    JointState(),
    JointState(name=NAMES),
    JointState(effort=[1.0] * 12),
    *(Float64MultiArray(data=data) for data in ([], [NAN] * 12, [INF] * 12, [1e300] * 12, [0.0] * 11, [0.0] * 13)),
    *(LowLevelCommand(name=NAMES, **{gain: [bad] * 12}) for gain in ("kp", "kd") for bad in (NAN, INF, -1.0, 1e300)),
    LowLevelCommand(),
    LowLevelCommand(name=[""], kp=[1.0]),
    LowLevelCommand(name=NAMES[:1] * 2, effort=[1.0, 2.0]),
    LowLevelCommand(name=NAMES, position=HERE, kp=[1.0] * 12, kd=[1.0]),
    *(JointTrajectory(joint_names=names) for names in ([], [""], ["tail"], NAMES[:1] * 2)),
    *(JointTrajectory(joint_names=NAMES, points=points(place)) for place in ([NAN] * 12, [INF] * 12, FAR, HERE[1:])),
    *(JointTrajectory(joint_names=NAMES, points=points(HERE, HERE, seconds=s)) for s in ((2, 1), (1, 1), (-1, 1))),
    JointTrajectory(joint_names=NAMES, points=[JointTrajectoryPoint()]),
    JointTrajectory(joint_names=NAMES, points=[JointTrajectoryPoint(positions=HERE, velocities=FAR)]),
]


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

    def test_contact_points_that_nobody_asks_for_have_no_topics(self, pair):
        def told(robot, last):
            topics = [publisher.topic_name.split("/") for publisher in robot.node.publishers]
            return [topic[3] for topic in topics if topic[2:3] == ["contacts"] and topic[4] == last]

        left, right = pair.robots
        for last in ("wrench", "state"):
            assert told(left, last) == list(left.simulator.robot.contact_names)
            assert told(right, last) == list(right.simulator.robot.feet)

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

    def test_time_goes_on_by_a_tick_when_all_states_are_lost(self, pair):
        """A tick more than the stamps say would have a lockstep wait for commands that nobody sends."""
        pair.reset()
        pair.step(5)
        for robot in pair.robots:
            pair.set_state(robot, robot.simulator.q.copy(), np.full(robot.simulator.robot.nv, 1e200))
        with pytest.raises(LeggedContactSimError, match="reset after"):
            pair.step(1)
        assert [robot.nanoseconds for robot in pair.robots] == [6_000_000, 6_000_000]
        assert [robot.ticks for robot in pair.robots] == [6, 6]

    def test_in_lockstep_commands_are_awaited_at_the_same_stamps_after_a_reset_of_the_state(self, pair):
        """The controller answers on the grid of its rate, beside which a count from the reset on would wait."""
        left, right = pair.robots
        pair.reset()
        pair.step(2)
        pair.reset(time_too=False)
        pair.step(1)
        for robot in (left, right):
            assert robot.node.set_parameters([Parameter("lockstep", value=True)])[0].successful
            assert not robot.awaits_command()
        pair.step(1)
        assert left.awaits_command() and right.awaits_command()
        for robot in (left, right):
            assert robot.node.set_parameters([Parameter("lockstep", value=False)])[0].successful

    def test_one_more_answer_to_a_state_that_was_told_again_is_no_wrong_command(self, pair):
        """A controller that was only late answers both; two answers to a state that was told once are one too many."""
        left, _ = pair.robots
        pair.reset()
        raw = bytes(serialize_message(JointState(name=NAMES, effort=[0.0] * 12)))
        said, commands = [], left.commands
        commands._warn = lambda kind, words: said.append(words)

        def take(awaited):
            pair.requests.ask(lambda: commands._accept(raw, JointState, commands._take_named, awaited, False))

        take(0)
        commands.reminders += 1
        take(2_000_000)
        assert said == [] and commands.answers(0)
        take(2_000_000)
        assert said == ["a command was dropped: it answers 0 ns while the answer to 2000000 ns is awaited"]

    @pytest.mark.parametrize("which", [0, 1])
    def test_hostile_commands_to_one_robot_are_dropped_with_a_warning_and_move_neither(self, pair, which):
        told, other = pair.robots[which], pair.robots[1 - which]
        pair.reset()
        pair.step(3)
        expected = [robot.snapshot.q.tobytes() for robot in pair.robots]
        pair.reset()
        said = []
        told.commands._warn = lambda kind, words: said.append(words)
        before = told.commands.dropped, told.commands.received, other.commands.dropped
        for message in HOSTILE:
            raw = bytes(serialize_message(message))
            takers = [(box.kind, take) for box, take, _ in told.commands._sources if box.kind is type(message)]
            for kind, take in takers:
                pair.requests.ask(lambda r=raw, k=kind, t=take: told.commands._accept(r, k, t, None, False))
                assert len(said) == 1, f"{message} was taken"
                assert len(said.pop()) < 200
        pair.step(3)
        assert [robot.snapshot.q.tobytes() for robot in pair.robots] == expected
        assert told.commands.dropped >= before[0] + len(HOSTILE)
        assert (told.commands.received, other.commands.dropped) == before[1:]
