"""The parts that nodes are made of: patched messages, frames, time keeping, warnings."""

import math
import os
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rclpy.serialization import deserialize_message
from rosbags.typesys import Stores, get_typestore
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState

from legged_contact_sim import ParameterError, RobotModel, Simulator
from legged_contact_sim.actuation.rows import INTEGRAL
from legged_contact_sim.dynamics import forward_kinematics
from legged_contact_sim.nodes import cdr, pacing, throttle
from legged_contact_sim.nodes.answers import EFFORTS, Answers
from legged_contact_sim.nodes.cdr import STAMP, Template, put_stamp, serialized
from legged_contact_sim.nodes.contact_topics import points_with_topics, told_of
from legged_contact_sim.nodes.control_ticks import NEVER, control_period
from legged_contact_sim.nodes.joint_drives import JointDrives, Wanted
from legged_contact_sim.nodes.markers import upright_to
from legged_contact_sim.nodes.outputs import ACKNOWLEDGED
from legged_contact_sim.nodes.pacing import Pacer
from legged_contact_sim.nodes.process import FAST_DDS_PROFILES, choose_profiles
from legged_contact_sim.nodes.publishing import ticks_between
from legged_contact_sim.nodes.readings import Due
from legged_contact_sim.nodes.throttle import Throttle
from legged_contact_sim.nodes.transforms import FrameTree, quaternions
from legged_contact_sim.simulation.scenario_start import start_state

NUMBERS = st.floats(allow_nan=False, width=64)
DIRECTIONS = arrays(float, 3, elements=st.floats(-1.0, 1.0)).filter(lambda v: np.linalg.norm(v) > 0.1)


def fill(message, record):
    put_stamp(message.header.stamp, record["stamp"])
    message.position, message.effort = record["position"].tolist(), record["effort"].tolist()


@settings(deadline=None)
@given(
    names=st.lists(st.text("abcdefgh_", min_size=1, max_size=9), min_size=1, max_size=5),
    numbers=st.lists(NUMBERS, min_size=10, max_size=10),
    nanoseconds=st.integers(0, 999_999_999),
)
def test_a_patched_message_reads_as_the_message_with_these_numbers(names, numbers, nanoseconds):
    count = len(names)
    kind = [STAMP, ("position", "<f8", count), ("effort", "<f8", count)]
    template = Template(JointState(name=names), kind, fill)
    template.record["stamp"] = 7, nanoseconds
    template.record["position"] = numbers[:count]
    template.record["effort"] = numbers[5 : 5 + count]
    message = deserialize_message(template.encoded(), JointState)
    assert list(message.name) == names
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (7, nanoseconds)
    assert list(message.position) == numbers[:count] and list(message.effort) == numbers[5 : 5 + count]


@pytest.mark.parametrize("filled", [(), ("position",), ("effort",), ("position", "velocity", "effort")])
def test_a_patched_message_has_no_byte_too_many(filled):
    """Empty sequences make serialize_message pad; rosbags, among others, refuses such messages."""
    store = get_typestore(Stores.ROS2_JAZZY)
    numbers = [STAMP, *((name, "<f8", 2) for name in filled)]

    def fill_some(message, record):
        put_stamp(message.header.stamp, record["stamp"])
        for name in filled:
            setattr(message, name, record[name].tolist())

    template = Template(JointState(name=["hip", "knee"]), numbers, fill_some)
    template.record["stamp"] = 7, 8
    message = store.deserialize_cdr(template.encoded(), "sensor_msgs/msg/JointState")
    assert len(store.serialize_cdr(message, "sensor_msgs/msg/JointState")) == len(template.encoded())
    assert (message.header.stamp.sec, message.name) == (7, ["hip", "knee"])


def test_marks_that_memory_has_left_between_numbers_are_not_taken_for_numbers(monkeypatch):
    """Doubles lie at multiples of eight bytes; the four before them, behind their count, hold what was in memory."""
    gap = 4 + 8 + 8 + 4 + 12 + 4  # header, stamp, empty frame, number of names, "knees", number of positions

    def dirty(message):
        raw = bytearray(serialized(message))
        raw[gap : gap + 4] = raw[4:8]
        return bytes(raw)

    monkeypatch.setattr(cdr, "serialized", dirty)
    template = Template(JointState(name=["knees"]), [STAMP, ("position", "<f8", 1), ("effort", "<f8", 1)], fill)
    template.record["stamp"], template.record["position"], template.record["effort"] = (1, 2), 3.0, 4.0
    message = deserialize_message(template.encoded(), JointState)
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (1, 2)
    assert (list(message.position), list(message.effort)) == ([3.0], [4.0])


@settings(deadline=None)
@given(turn=arrays(float, 3, elements=st.floats(-6.0, 6.0)))
def test_quaternions_turn_as_their_matrices_do(turn):
    matrix = Rotation.from_rotvec(turn).as_matrix()
    (quaternion,) = quaternions(matrix[None])
    assert Rotation.from_quat(quaternion).as_matrix() == pytest.approx(matrix, abs=1e-12)


@settings(deadline=None)
@given(normal=DIRECTIONS.map(lambda v: np.array([v[0], v[1], abs(v[2])])).filter(lambda v: np.linalg.norm(v) > 0.1))
def test_cones_stand_upright_on_the_ground(normal):
    normal /= np.linalg.norm(normal)
    (quaternion,) = upright_to(normal[None])
    assert Rotation.from_quat(quaternion).apply([0.0, 0.0, 1.0]) == pytest.approx(normal, abs=1e-12)


@pytest.mark.parametrize("name", ["quadruped12", "biped_planar", "jumping_leg", "double_pendulum"])
def test_every_link_has_one_frame_and_one_parent(name):
    robot = RobotModel.from_urdf(name)
    tree = FrameTree(robot, "world", "mine/")
    children = [child for _, child in [*tree.moving, *tree.fixed]]
    assert len(set(children)) == len(children)
    links = {f"mine/{link}" for link in robot.frames if link != "world"}
    assert links | set(tree.contact_frames) == set(children)
    assert {parent for parent, _ in tree.moving} <= {*children, "world"}


def test_frames_put_together_along_the_tree_are_the_bodies():
    robot = RobotModel.from_urdf("quadruped12")
    rng = np.random.default_rng(3)
    q = robot.home + rng.uniform(-0.5, 0.5, robot.nq)
    q[3:7] /= np.linalg.norm(q[3:7])
    tree = FrameTree(robot, "world", "")
    bodies = forward_kinematics(robot, q)
    touching = rng.uniform(-1.0, 1.0, (len(robot.contact_names), 3))
    poses = tree.moving_poses(bodies, touching)
    in_world = {"world": (np.eye(3), np.zeros(3))}
    for (parent, child), shift, turn in zip(tree.moving, *poses, strict=True):
        rotation, position = in_world[parent]
        in_world[child] = rotation @ Rotation.from_quat(turn).as_matrix(), position + rotation @ shift
    for link, rotation, position in zip(robot.link_names, *bodies, strict=True):
        assert in_world[link][0] == pytest.approx(rotation, abs=1e-12)
        assert in_world[link][1] == pytest.approx(position, abs=1e-12)
    assert [in_world[frame][1].tolist() for frame in tree.contact_frames] == touching.tolist()


class Clock:
    """Time that passes when one sleeps, or when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_pacer_keeps_time_and_counts_what_it_misses(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(pacing, "time", clock)
    pacer = Pacer(0.001, 0.5)
    for _ in range(1000):
        pacer.wait()
    assert clock.now == pytest.approx(102.0)
    assert (pacer.missed, pacer.factor) == (0, pytest.approx(0.5, rel=0.01))
    clock.now += 0.1
    for _ in range(200):
        pacer.wait()
    assert clock.now == pytest.approx(102.4), "what was lost is caught up"
    assert 40 <= pacer.missed <= 50
    missed = pacer.missed
    clock.now += 10.0
    for _ in range(100):
        pacer.wait()
    assert clock.now == pytest.approx(112.6, abs=0.01), "but not what is lost for good"
    assert pacer.missed == missed + 1


@pytest.mark.parametrize(("rate", "ticks"), [(0.0, 0), (5e-324, NEVER), (0.1, 10_000), (300.0, 3), (1e300, 1)])
def test_a_message_comes_every_so_many_ticks_whatever_its_rate(rate, ticks):
    assert ticks_between({"control_rate": 1000.0, "imu_rate": rate}, "imu_rate") == ticks
    earliest = Due(1000.0, rate, 1000.0).earliest("odom", 5_000_000)
    assert (earliest == math.inf) if ticks == 0 else earliest <= 5_000_000


@pytest.mark.parametrize("factor", [1e-3, 1e-300, 5e-324])
def test_a_loop_is_attentive_however_slowly_time_is_to_go(monkeypatch, factor):
    """A tick takes a second, or longer than a clock can tell; who asks something meanwhile is answered."""
    clock = Clock()
    monkeypatch.setattr(pacing, "time", clock)
    pacer = Pacer(0.001, factor)
    turns = [pacer.wait() for _ in range(30)]
    assert clock.now == pytest.approx(100.0 + 30 * pacing.LONGEST, abs=1.01 * pacing.LONGEST)
    assert sum(turns) == (1 if factor == 1e-3 else 0)
    pacer.target = 1.0
    assert pacer.wait()


def test_what_is_late_because_somebody_else_was_waited_for_is_not_missed(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(pacing, "time", clock)
    pacer = Pacer(0.001, 1.0)
    for _ in range(100):
        clock.now += 0.0005  # the loop's own work
        clock.now += 0.004  # an answer that is late
        pacer.excuse(0.004)
        pacer.wait()
    assert pacer.missed == 0
    for _ in range(1000):
        pacer.wait()
    assert pacer.missed == 0, "nor while it is caught up"
    for _ in range(10):
        clock.now += 0.004
        pacer.wait()
    assert pacer.missed == 10, "an excuse is gone when all is caught up"


def test_free_running_never_waits(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(pacing, "time", clock)
    pacer = Pacer(0.001, 0.0)
    for _ in range(1000):
        pacer.wait()
    assert (clock.now, pacer.missed) == (100.0, 0)


def test_one_warning_of_a_kind_every_few_seconds(monkeypatch):
    clock, said = Clock(), []
    monkeypatch.setattr(throttle, "time", clock)
    warn = Throttle(said.append)
    for _ in range(1000):
        warn("kind", "this")
        warn("other", "that")
        clock.now += 0.01
    assert said[:2] == ["this", "that"]
    assert len(said) == 4 and "499 more" in said[2]


def test_control_ticks_are_whole_steps():
    assert control_period(1000.0, 5e-4) == (2, 0.001)
    assert control_period(2000.0, 5e-4) == (1, 0.0005)
    for rate in (333.0, 3000.0):
        with pytest.raises(ParameterError, match="control_rate"):
            control_period(rate, 5e-4)


def test_start_state_follows_the_parameters():
    simulator = Simulator("quadruped12")
    home = simulator.home()
    q, v = start_state(simulator, {"initial.lift": 0.5})
    assert q[2] == home[2] + 0.5 and not v.any()
    turned = {"initial.lift": 0.0, "initial.position": [1.0, 2.0, 3.0], "initial.orientation": [0.0, 0.0, 1.0, 0.0]}
    q, _ = start_state(simulator, turned)
    assert q[:7].tolist() == [1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 0.0]
    bent = simulator.robot.home[7:] + np.tile([0.0, 0.3, -0.6], 4)
    q, _ = start_state(simulator, {"initial.lift": 0.0, "initial.joints": bent.tolist()})
    assert q[7:].tolist() == bent.tolist()
    assert abs(q[2] - home[2]) > 0.01
    simulator.reset(q)
    assert min(contact.gap for contact in simulator.step().contacts) == pytest.approx(0.0, abs=1e-5)
    for values, word in (
        ({"initial.joints": [0.0]}, "initial.joints"),
        ({"initial.orientation": [0.0, 0.0, 0.0, 0.0]}, "initial.orientation"),
        ({"initial.v": [1.0]}, "initial.v"),
    ):
        with pytest.raises(ParameterError, match=word):
            start_state(simulator, {"initial.lift": 0.0} | values)
    with pytest.raises(ParameterError, match="no floating base"):
        start_state(Simulator("double_pendulum"), {"initial.lift": 0.0, "initial.position": [0.0, 0.0, 0.0]})


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """An empty folder, and nothing said about profiles."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(FAST_DDS_PROFILES, "")
    monkeypatch.delenv(FAST_DDS_PROFILES)
    return tmp_path


def test_our_profiles_are_for_everything_a_node_writes(nowhere):
    choose_profiles()
    writer = ElementTree.parse(os.environ[FAST_DDS_PROFILES]).find(".//{*}data_writer")
    assert writer.get("is_default_profile") == "true"


def test_readers_are_asked_often_enough_to_catch_up_while_more_is_told(nowhere):
    """An answer names 256 missing messages at most, a topic may have 1,000 a second; and a reset waits for readers."""
    choose_profiles()
    (writer,) = ElementTree.parse(os.environ[FAST_DDS_PROFILES]).findall(".//{*}data_writer")
    period = writer.find(".//{*}heartbeatPeriod")
    seconds = float(period.findtext("{*}sec")) + 1e-9 * float(period.findtext("{*}nanosec"))
    assert 0.0 < seconds < min(0.2 * ACKNOWLEDGED, 0.5 * 256 / 1000)


def test_profiles_of_the_user_are_kept(nowhere, monkeypatch):
    (nowhere / "DEFAULT_FASTRTPS_PROFILES.xml").touch()
    choose_profiles()
    assert FAST_DDS_PROFILES not in os.environ
    (nowhere / "DEFAULT_FASTRTPS_PROFILES.xml").unlink()
    monkeypatch.setenv(FAST_DDS_PROFILES, "mine.xml")
    choose_profiles()
    assert os.environ[FAST_DDS_PROFILES] == "mine.xml"


def test_a_controller_withdraws_nothing_before_its_first_answer():
    """A command of stamp 0 would be the answer to the first state, which a simulator in lockstep awaits."""
    sent = []
    publisher = SimpleNamespace(handle=SimpleNamespace(publish_raw=sent.append))
    answers = Answers(
        SimpleNamespace(create_publisher=lambda *_: publisher), RobotModel.from_urdf("jumping_leg"), EFFORTS
    )
    answers.withdraw()
    assert not sent
    answers.publish(2_000_000, [np.ones(len(answers.last[0]))])
    answers.withdraw()
    commands = [deserialize_message(bytes(raw), JointState) for raw in sent]
    assert [command.header.stamp.nanosec for command in commands] == [2_000_000, 2_000_001]
    assert not np.any(commands[1].effort) and answers.stamp == 2_000_000


def test_drives_at_rest_have_an_integral_gain_and_commanded_ones_have_none():
    sim = Simulator(RobotModel.from_urdf("quadruped12"))
    drives, count = JointDrives(sim, inside=True, delay=0.0), sim.robot.joint_count
    gains = tuple(np.full(count, value) for value in (150.0, 4.0, 600.0))
    drives.rest_at(sim.robot.home[sim.robot.position_indices], gains)
    one = np.array([2])
    drives.want(Wanted(one, np.zeros(1), np.zeros(1), np.zeros(1), np.full(1, 100.0), np.full(1, 5.0)), 0.0)
    drives.apply(0.0, np.zeros((2, count)))
    set_gains = sim.model.system.dofs[INTEGRAL, sim.robot.velocity_indices] / sim.time_step
    assert set_gains == pytest.approx(np.where(np.arange(count) == 2, 0.0, 600.0))


def test_a_robot_with_hundreds_of_points_has_topics_for_those_it_stands_on():
    """Unless it is told which; a wrong name is refused."""

    def chosen(robot, *given):
        node = SimpleNamespace(get_parameter=lambda _: SimpleNamespace(value=list(given)))
        return points_with_topics(node, robot), told_of(node, robot)

    legs = RobotModel.from_urdf("quadruped12")
    points = {f"p{k}": {"link": legs.link_names[0], "offset": [0.01 * k, 0.0, 0.1], "radius": 0.0} for k in range(99)}
    points |= {f"toe_{leg}": {"link": f"{leg}_shank", "offset": [0.0, 0.0, -0.3]} for leg in ("lf", "rf", "lh", "rh")}
    many = RobotModel.from_urdf("quadruped12", contact_points=points)
    assert chosen(legs, "") == (legs.contact_names, "")
    assert chosen(many, "all") == (many.contact_names, "")
    told, words = chosen(many, "")
    assert set(told) == set(many.sole_points) and 1 <= len(told) < 20
    assert words.startswith(f"{len(told)} of {len(many.contact_names)} contact points")
    assert set(chosen(many, "p3", "feet", "")[0]) == {"p3", *many.sole_points}
    with pytest.raises(ParameterError, match="contact_topics: .*tail"):
        chosen(legs, "tail")
