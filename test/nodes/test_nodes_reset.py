"""Resets while everything runs: no hang, no NaN, and time that goes back only where /clock has said so first."""

import os
import struct
from itertools import pairwise

import numpy as np
from rclpy.serialization import deserialize_message
from ros_bench import PID, Load, wait_for
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

RESETS = 200 if os.environ.get("SOAK") else 3
TOPICS = {"/clock": (Clock, 4), "/joint_states": (JointState, 4), "/tf": (TFMessage, 8)}  # and where the stamp is
FAR = 150_000_000  # ns


def stamp_in(raw: bytes, place: int) -> int:
    """Return the stamp of a serialized message, ns: reading all of it takes too long beside a busy simulator."""
    seconds, nanoseconds = struct.unpack_from("<iI", raw, place)
    return seconds * 10**9 + nanoseconds


def test_resets_under_load(bench):
    bench.simulator("await_command:=true", "tf_rate:=100.0", "marker_rate:=100.0")
    bench.controller(*PID)
    boxes = {topic: bench.mailbox(kind, topic) for topic, (kind, _) in TOPICS.items()}
    seen: dict[str, list[tuple[int, int, bytes]]] = {topic: [] for topic in TOPICS}

    def look():
        """Take what waits, with the times of publication, which every publisher notes to the nanosecond."""
        for topic, box in boxes.items():
            for _ in range(1000):
                taken = box.take()
                if taken is None:
                    break
                seen[topic].append((taken[1]["source_timestamp"], stamp_in(taken[0], TOPICS[topic][1]), taken[0]))
        return seen["/joint_states"] and seen["/joint_states"][-1][1]

    wait_for(lambda: look() and look() > 200_000_000, "it stands", bench.processes)
    with Load():
        for _ in range(RESETS):
            before = len(seen["/joint_states"])
            assert bench.call(Trigger, "/reset").success
            # Far enough that a reader which loses some messages still sees the time go back at the next reset.
            wait_for(lambda n=before: look() > FAR and len(seen["/joint_states"]) > n + 20, "time goes on")
    jumps = back(seen["/clock"])
    assert len(jumps) == RESETS
    for topic in ("/joint_states", "/tf"):
        went_back, compared = back(seen[topic]), 0
        assert len(went_back) == RESETS
        for (announced, first), (published, stamp) in zip(jumps, went_back, strict=True):
            assert stamp < FAR
            if first <= stamp:  # otherwise this reader has lost what /clock said first
                assert announced <= published, f"{topic} went back before /clock"
                compared += 1
        assert compared > RESETS // 2
    messages = [deserialize_message(raw, JointState) for _, _, raw in seen["/joint_states"][::5]]
    states = np.array([[*m.position, *m.velocity, *m.effort] for m in messages])
    assert np.isfinite(states).all()


def back(messages):
    """Return when messages were published, and with which stamp, that bear an earlier stamp than the one before."""
    found = []
    for (_, before, _), (published, stamp, _) in pairwise(messages):
        if stamp < before:
            found.append((published, stamp))
    return found
