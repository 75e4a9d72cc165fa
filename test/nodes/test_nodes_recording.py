"""Recordings that outlive their processes: after SIGTERM and SIGKILL, of the simulator and of the recorder itself."""

import signal

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from ros_bench import STAND, wait_for
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from legged_contact_sim import RobotModel
from legged_contact_sim.recording.plot import draw, read

ROBOT = RobotModel.from_urdf("quadruped16")
WEIGHT = ROBOT.total_mass * 9.81
TOPICS = {"/joint_states", "/odom", "/tf", "/clock", "/diagnostics", "/contacts/lf_foot/wrench"}


def messages_in(bag) -> int:
    """Return how many messages both readers find, after they agree."""
    with AnyReader([bag], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
        stamps, count = [], 0
        for connection, _, raw in reader.messages():
            count += 1
            if connection.topic == "/joint_states":
                stamp = reader.deserialize(raw, connection.msgtype).header.stamp
                stamps.append(stamp.sec * 10**9 + stamp.nanosec)
        assert {connection.topic for connection in reader.connections} >= TOPICS
    assert stamps and (np.diff(stamps) == 1_000_000).all(), "no joint state was lost"
    (path,) = bag.glob("*.mcap")
    with open(path, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        decoded = sum(1 for _ in reader.iter_decoded_messages())
        assert decoded == reader.get_summary().statistics.message_count == count
    return count


def begin(bench, tmp_path):
    bag = tmp_path / "bag"
    recorder = bench.start("nodes.recorder_node", f"bag:={bag}", "flush_period:=0.2")
    wait_for(lambda: (bag / "metadata.yaml").exists(), 300.0, "the bag", bench.processes)
    # At half speed: a recorder that a busy machine keeps waiting for 50 ms at full speed would lose messages.
    simulator = bench.simulator(*STAND, "diagnostics_rate:=20.0", "real_time_factor:=0.5")
    (path,) = bag.glob("*.mcap")
    wait_for(lambda: path.stat().st_size > 300_000, 300.0, "recording", bench.processes)
    return bag, recorder, simulator


def await_rest(bag):
    """Wait until the recorder has nothing more to write: a file in the middle of a write is for nobody to read."""
    (path,) = bag.glob("*.mcap")
    sizes: list[int] = []

    def rests():
        sizes.append(path.stat().st_size)
        return len(sizes) > 500 and sizes[-500] == sizes[-1]  # looks, 2 ms apart: five flushes

    wait_for(rests, 60.0, "the recorder to rest")


def test_bag_is_whole_when_simulator_and_recorder_are_killed(bench, tmp_path):
    bag, recorder, simulator = begin(bench, tmp_path)
    simulator.send(signal.SIGKILL)
    simulator.wait()
    await_rest(bag)
    until_then = messages_in(bag)
    assert until_then > 1000
    recorder.send(signal.SIGKILL)
    recorder.wait()
    assert messages_in(bag) >= until_then


def test_bag_holds_everything_when_the_recorder_is_terminated_and_can_be_drawn(bench, tmp_path):
    bag, recorder, _ = begin(bench, tmp_path)
    recorder.send(signal.SIGTERM)
    assert recorder.wait() == 0
    count = messages_in(bag)
    assert f"{count} messages in" in recorder.said()
    contents = read(bag)
    assert tuple(contents.joints.labels) == ROBOT.joint_names
    assert set(contents.forces) == set(ROBOT.contact_names)
    last = sum(series.array()[-1] for series in contents.forces.values())
    assert last == pytest.approx([0.0, 0.0, WEIGHT], abs=0.1 * WEIGHT)
    draw(bag, tmp_path / "bag.png")
    assert (tmp_path / "bag.png").stat().st_size > 20_000
