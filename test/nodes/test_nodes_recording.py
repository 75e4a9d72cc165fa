"""Recordings that are complete on a busy machine, or say what they lack, and that outlive their processes."""

import signal
import time

import numpy as np
import pytest
import yaml
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rclpy.qos import QoSProfile
from ros_bench import PATIENCE, STAND, Load, wait_for
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore
from rosgraph_msgs.msg import Clock
from simulation_interfaces.msg import Result
from simulation_interfaces.srv import StepSimulation

from legged_contact_sim import RobotModel
from legged_contact_sim.recording.bag import METADATA, completeness_of
from legged_contact_sim.recording.contents import read
from legged_contact_sim.recording.plot import draw, title
from legged_contact_sim.viewer.recordings import find_recordings

ROBOT = RobotModel.from_urdf("quadruped16")
WEIGHT = ROBOT.total_mass * 9.81
PERIODS = {"/joint_states": 1, "/odom": 1, "/clock": 1, "/tf": 10}  # ms
PERIODS |= {f"/contacts/{name}/wrench": 1 for name in ROBOT.contact_names}
TOLD = 10_000  # messages; more than wait between two processes of Fast DDS
STALL = 0.3  # s; a writer's last 50 messages do not bridge that
TICKS = 300  # of a stall: more messages than wait for the recorder; in all fewer than the 2,000 that writers remember
SLOWLY = "real_time_factor:=0.2"
PATIENTLY = f"from legged_contact_sim.nodes import process; process.HAND_OVER = {PATIENCE}"


def contents(bag):
    """Return the stamps of messages, ms, by topic, and how many messages both readers find, after they agree."""
    stamps: dict[str, list[int]] = {topic: [] for topic in PERIODS}
    with AnyReader([bag], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        count = 0
        for connection, _, raw in reader.messages():
            count += 1
            message = reader.deserialize(raw, connection.msgtype)  # every one: no byte too many or too few
            if connection.topic in PERIODS:
                at = message.transforms[0] if connection.topic == "/tf" else message
                stamp = message.clock if connection.topic == "/clock" else at.header.stamp
                stamps[connection.topic].append(stamp.sec * 1000 + round(stamp.nanosec * 1e-6))
    (path,) = bag.glob("*.mcap")
    with open(path, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        decoded = sum(1 for _ in reader.iter_decoded_messages())
        assert decoded == reader.get_summary().statistics.message_count == count
    return stamps, count


def missing(stamps, period):
    """Return how many stamps of a period, ms, are not there; none is there twice but 0, where a command is awaited."""
    steps = np.diff(stamps[max(stamps.count(0) - 1, 0) :])
    assert (steps > 0).all()
    return int((steps // period - 1).sum())


def begin(bench, tmp_path, *settings):
    bag = tmp_path / "bag"
    recorder = bench.start("nodes.recorder_node", f"bag:={bag}", "flush_period:=0.2")
    wait_for(lambda: (bag / "metadata.yaml").exists(), "the bag", bench.processes)
    simulator = bench.simulator("diagnostics_rate:=20.0", SLOWLY, *settings)
    return bag, recorder, simulator


def grows(bag, processes, size=200_000):
    """Wait until a bag has grown by some bytes."""
    (path,) = bag.glob("*.mcap")
    before = path.stat().st_size
    wait_for(lambda: path.stat().st_size > before + size, "recording", processes)


def step(bench, ticks):
    """Advance a paused simulation by some ticks, as fast as it can."""
    answer = bench.call(StepSimulation, "/step_simulation", StepSimulation.Request(steps=ticks))
    assert answer.result.result == Result.RESULT_OK


def counts(bag):
    """Return how many messages of each topic are in a bag that is being written."""
    written = yaml.safe_load((bag / METADATA).read_text())["rosbag2_bagfile_information"]
    return {each["topic_metadata"]["name"]: each["message_count"] for each in written["topics_with_message_count"]}


@pytest.fixture(scope="module")
def stalled(shared_bench, tmp_path_factory):
    """A bag whose recorder was kept waiting again and again, in which time far more was told than can wait for it.

    Nothing depends on how fast the machine is: the robot moves only when it is told to, writers remember all of it, and
    the simulator does not end before everybody has everything.
    """
    bench, folder = shared_bench, tmp_path_factory.mktemp("stalled")
    bag = folder / "bag"
    recorder = bench.start("nodes.recorder_node", f"bag:={bag}", "flush_period:=0.2")
    simulator = bench.simulator("paused:=true", *STAND, setup=PATIENTLY)
    forgetful = bench.node.create_publisher(Clock, "/forgetful", QoSProfile(depth=1))
    wait_for(forgetful.get_subscription_count, "matched", bench.processes)
    forgetful.publish(Clock())
    wait_for(lambda: (bag / METADATA).exists(), "the bag", bench.processes)

    def everything_is_recorded():
        step(bench, 10)
        time.sleep(0.1)  # since it is written five times a second
        there = counts(bag)
        return all(there.get(topic) for topic in [*PERIODS, "/forgetful"])

    wait_for(everything_is_recorded, "all topics", bench.processes)
    with Load():
        for _ in range(3):
            recorder.send(signal.SIGSTOP)
            step(bench, TICKS)
            for _ in range(TOLD):
                forgetful.publish(Clock())
            recorder.send(signal.SIGCONT)
            step(bench, 10)
    recorder.send(signal.SIGSTOP)
    step(bench, TICKS)
    simulator.send(signal.SIGTERM)
    time.sleep(STALL)
    recorder.send(signal.SIGCONT)
    assert simulator.wait() == 0
    recorder.send(signal.SIGTERM)
    assert recorder.wait() == 0
    for process in bench.processes:
        process.end()
    return bag, recorder.said()


@pytest.fixture(scope="module")
def stalled_contents(stalled):
    return contents(stalled[0])


def test_nothing_of_the_robot_is_missing_though_the_recorder_was_kept_waiting(stalled, stalled_contents):
    (_, said), (stamps, count) = stalled, stalled_contents
    assert all(len(found) > 20 for found in stamps.values())
    assert {topic: missing(stamps[topic], period) for topic, period in PERIODS.items()} == dict.fromkeys(PERIODS, 0)
    assert f"{count} messages in" in said
    assert "is not recorded" not in said, "hidden topics, of actions, are not asked for"


def test_nothing_is_missing_at_the_end_though_the_recorder_was_behind(stalled_contents):
    stamps, _ = stalled_contents
    ends = {stamps[topic][-1] for topic, period in PERIODS.items() if period == 1}
    assert len(ends) == 1, {topic: found[-1] for topic, found in stamps.items()}


def test_the_bag_says_what_it_lacks(stalled):
    """A publisher that remembers one message has told many while nobody could listen, three times.

    Diagnostics go by the wall clock: nobody can say how many come while a slow machine keeps the recorder waiting.
    """
    bag, said = stalled
    lacks = completeness_of(bag)
    lost = int(lacks["/forgetful lost"])
    assert lacks["complete"] == "no"
    assert {name for name in lacks if name.endswith("lost")} - {"/diagnostics lost"} == {"/forgetful lost"}
    assert 0 < lost <= 3 * TOLD
    assert f"the bag is not complete: /forgetful: {lost} lost in {lacks['/forgetful gaps']} gap" in said


def test_the_bag_can_be_drawn(stalled, tmp_path):
    found = read(stalled[0])
    assert tuple(found.joints.labels) == ROBOT.joint_names
    assert set(found.forces) == set(ROBOT.contact_names)
    mean = sum(series.array()[-200:].mean(axis=0) for series in found.forces.values())
    assert mean == pytest.approx([0.0, 0.0, WEIGHT], abs=0.2 * WEIGHT)
    assert "quadruped16 under exact_lcp, friction 0.8 (" in title(stalled[0], found)
    draw(stalled[0], tmp_path / "bag.png")
    assert (tmp_path / "bag.png").stat().st_size > 20_000


def await_rest(bag):
    """Wait until the recorder has nothing more to write: a file in the middle of a write is for nobody to read."""
    (path,) = bag.glob("*.mcap")
    sizes: list[int] = []

    def rests():
        sizes.append(path.stat().st_size)
        return len(sizes) > 500 and sizes[-500] == sizes[-1]  # looks, 2 ms apart: five flushes

    wait_for(rests, "the recorder to rest")


def test_bag_is_whole_when_simulator_and_recorder_are_killed(bench, tmp_path):
    bag, recorder, simulator = begin(bench, tmp_path, *STAND)
    grows(bag, bench.processes, 300_000)
    simulator.send(signal.SIGKILL)
    simulator.wait()
    await_rest(bag)
    stamps, until_then = contents(bag)
    assert until_then > 1000
    assert missing(stamps["/joint_states"], 1) == 0
    recorder.send(signal.SIGKILL)
    recorder.wait()
    assert contents(bag)[1] >= until_then


def test_the_bag_can_be_replayed(stalled):
    """Frames are a hundredth of a second apart, and the robot in them is where odometry and joint states had it."""
    (recording,) = find_recordings(str(stalled[0])).values()
    times = np.array([frame.time for frame in recording.frames])
    assert (np.diff(times) > 0.0).all()
    assert np.median(np.diff(times)) == pytest.approx(0.01, abs=0.002)
    assert recording.stage.robot.joint_names == ROBOT.joint_names
    last, found = recording.frames[-1], read(stalled[0])
    row = found.base.array()[np.searchsorted(found.base.times, last.time - 1e-6)]
    assert last.positions[0] == pytest.approx(row[:3], abs=2e-3)
    mean = np.mean([frame.contact_forces.sum(axis=0) for frame in recording.frames[-20:]], axis=0)
    assert mean == pytest.approx([0.0, 0.0, WEIGHT], abs=0.2 * WEIGHT)
    acting = last.contact_forces.any(axis=1)
    assert last.contact_positions[acting, 2] == pytest.approx(0.0, abs=2e-3)
