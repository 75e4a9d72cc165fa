"""Resets while everything runs: no hang, no NaN, and time that goes back only where /clock has said so first."""

import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
from rclpy.serialization import deserialize_message
from ros_bench import PID, wait_for
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

RESETS = 200 if os.environ.get("SOAK") else 15
TOPICS = {"/clock": Clock, "/joint_states": JointState, "/tf": TFMessage}


def stamp_of(message):
    time = {Clock: lambda m: m.clock, TFMessage: lambda m: m.transforms[0].header.stamp}
    stamp = time.get(type(message), lambda m: m.header.stamp)(message)
    return stamp.sec * 10**9 + stamp.nanosec


def test_resets_under_load(bench):
    bench.simulator("await_command:=true", "tf_rate:=100.0", "marker_rate:=100.0")
    bench.controller(*PID)
    boxes = {topic: bench.mailbox(kind, topic) for topic, kind in TOPICS.items()}
    seen: dict[str, list[tuple[int, int, object]]] = {topic: [] for topic in TOPICS}

    def look():
        """Take everything; messages are sorted by when they were published, which is known to the nanosecond."""
        for topic, box in boxes.items():
            while (taken := box.take()) is not None:
                message = deserialize_message(taken[0], box.kind)
                seen[topic].append((taken[1]["source_timestamp"], stamp_of(message), message))
        return seen["/joint_states"] and seen["/joint_states"][-1][1]

    wait_for(lambda: look() and look() > 200_000_000, 300.0, "it stands", bench.processes)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        for _ in range(RESETS):
            before = len(seen["/joint_states"])
            assert bench.call(Trigger, "/reset", seconds=60.0).success
            wait_for(lambda n=before: look() is not None and len(seen["/joint_states"]) > n + 20, 60.0, "time goes on")
    finally:
        for process in busy:
            process.kill()
            process.wait()
    jumps = [published for published, stamp in back(seen["/clock"])]
    assert len(jumps) == RESETS
    for topic in ("/joint_states", "/tf"):
        went_back = back(seen[topic])
        assert len(went_back) == RESETS
        for announced, (published, stamp) in zip(jumps, went_back, strict=True):
            assert announced <= published, f"{topic} went back before /clock"
            assert stamp < 50_000_000
    states = np.array([[*m.position, *m.velocity, *m.effort] for _, _, m in seen["/joint_states"]])
    assert np.isfinite(states).all()
    assert np.abs(states[:, 16:32]).max() < 30.0, "the robot was never thrown about"


def back(messages):
    """Return when messages were published, and with which stamp, that bear an earlier stamp than the one before."""
    found = []
    for (_, before, _), (published, stamp, _) in pairwise(messages):
        if stamp < before:
            found.append((published, stamp))
    return found
