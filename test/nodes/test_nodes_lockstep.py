"""Lockstep: the same run twice is the same to the last bit, whatever else the machine has to do."""

from ros_bench import PID, Load, wait_for
from sensor_msgs.msg import JointState

TICKS = 400
LOCKSTEP = ["lockstep:=true", "real_time_factor:=0.0", "command_rate:=500.0", "initial.lift:=0.01"]


def run(bench) -> dict[int, bytes]:
    """Return the numbers of the joint states of the first ticks by stamp, as bytes."""
    box = bench.mailbox(JointState, "/joint_states")
    processes = [bench.simulator(*LOCKSTEP), bench.controller("rate:=500.0", *PID)]
    states: dict[int, bytes] = {}

    def enough():
        for raw in box.drain(1_000_000):
            stamp = int.from_bytes(raw[4:8], "little") * 10**9 + int.from_bytes(raw[8:12], "little")
            states[stamp] = raw
        return len(states) > TICKS + 50

    wait_for(enough, 300.0, "joint states", processes)
    for process in processes:
        process.end()
    bench.node.destroy_subscription(box.subscription)
    first = sorted(states)[:TICKS]
    assert first == [k * 1_000_000 for k in range(TICKS)], "states were lost"
    return {stamp: numbers_of(states[stamp]) for stamp in first}


def numbers_of(raw: bytes) -> bytes:
    """Return the last 48 doubles; what comes before them is the same, and behind them may be padding."""
    from rclpy.serialization import deserialize_message

    message = deserialize_message(raw, JointState)
    return message.position.tobytes() + message.velocity.tobytes() + message.effort.tobytes()


def test_two_runs_are_bit_for_bit_the_same_with_and_without_load(bench):
    quiet = run(bench)
    with Load():
        loaded = run(bench)
    different = [stamp for stamp in quiet if quiet[stamp] != loaded[stamp]]
    assert not different, f"first at {different[0]} ns"
    assert len(set(quiet.values())) > TICKS // 2, "the robot moves"
