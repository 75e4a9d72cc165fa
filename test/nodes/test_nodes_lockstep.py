"""Lockstep: the same run twice is the same to the last bit, whatever else the machine has to do."""

from contextlib import nullcontext

import numpy as np
from legged_contact_sim_msgs.msg import LowLevelCommand
from ros_bench import DEEP, PID, Load, wait_for
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from legged_contact_sim import Simulator
from legged_contact_sim.control import ByTargets, InProcess, make_controller
from legged_contact_sim.nodes.readings import stamp_of

TICKS = 200
TROT_TICKS = 800
TROT = {"velocity": [0.3, 0.0, 0.1], "start_delay": 0.1}
LOCKSTEP = ["lockstep:=true", "real_time_factor:=0.0", "command_rate:=500.0", "initial.lift:=0.01"]


def run(bench, settings=PID, ticks=TICKS, beside=nullcontext) -> dict[int, bytes]:
    """Return the numbers of the joint states of the first ticks by stamp, as bytes.

    ``beside`` is what the machine has to do meanwhile; not before the first answer, while interpreters start.
    """
    box = bench.mailbox(JointState, "/joint_states")
    states: dict[int, bytes] = {}

    def enough():
        for raw in box.drain(DEEP.depth):
            states[stamp_of(raw)] = raw
        return len(states) > ticks + 50

    processes = [bench.simulator(*LOCKSTEP)]
    wait_for(lambda: enough() or states, "the state that the simulator waits with", processes)
    processes.append(bench.controller("rate:=500.0", *settings))
    wait_for(lambda: enough() or len(states) > 2, "the first answers", processes)
    with beside():
        wait_for(enough, "joint states", processes)
    for process in processes:
        process.end()
    bench.node.destroy_subscription(box.subscription)
    first = sorted(states)[:ticks]
    assert first == [k * 1_000_000 for k in range(ticks)], "states were lost"
    return {stamp: numbers_of(states[stamp]) for stamp in first}


def numbers_of(raw: bytes) -> bytes:
    """Return the last 48 doubles; what comes before them is the same, and behind them may be padding."""
    from rclpy.serialization import deserialize_message

    message = deserialize_message(raw, JointState)
    return message.position.tobytes() + message.velocity.tobytes() + message.effort.tobytes()


def test_two_runs_are_bit_for_bit_the_same_with_and_without_load(bench):
    quiet = run(bench)
    loaded = run(bench, beside=Load)
    different = [stamp for stamp in quiet if quiet[stamp] != loaded[stamp]]
    assert not different, f"first at {different[0]} ns"
    assert len(set(quiet.values())) > TICKS // 2, "the robot moves"
    gains = {"stiffness": [800.0, 800.0, 800.0, 400.0], "damping": [20.0, 20.0, 10.0, 1.0]}
    np.testing.assert_allclose(positions_of(quiet), in_process("joint_pid", gains, TICKS), rtol=0.0, atol=1e-9)


def composed(bench, settings, ticks, kind=JointState, topic="/joint_commands") -> dict[int, bytes]:
    """Return what `run` returns of a simulator that has the controller inside."""
    box = bench.mailbox(JointState, "/joint_states")
    simulator = bench.simulator(*LOCKSTEP, "rate:=500.0", "composed:=true", "paused:=true", *settings)
    commands = bench.mailbox(kind, topic)
    for mailbox in (box, commands):
        wait_for(lambda m=mailbox: m.subscription.get_publisher_count() > 0, "matched", [simulator])
    bench.call(Trigger, "/reset")
    bench.call(SetBool, "/pause", SetBool.Request(data=False))
    states: dict[int, bytes] = {}
    answers: dict[int, bytes] = {}

    def enough():
        for mailbox, kept in ((box, states), (commands, answers)):
            for raw in mailbox.drain(DEEP.depth):
                kept.setdefault(stamp_of(raw), raw)
        return len(states) > ticks + 50

    wait_for(enough, "joint states", [simulator])
    simulator.end()
    first = sorted(states)[:ticks]
    assert first == [k * 1_000_000 for k in range(ticks)], "states were lost"
    assert sorted(answers)[: ticks // 2] == first[::2], "commands are published at 500 Hz with the stamps they answer"
    return {stamp: numbers_of(states[stamp]) for stamp in first}


def test_a_trot_over_ros_is_the_trot_in_process_and_the_composed_one(bench):
    settings = [f"zmp_trot.{name}:={value}" for name, value in TROT.items()]
    separate = run(bench, ["controller:=zmp_trot", *settings], TROT_TICKS)
    together = composed(bench, ["controller:=zmp_trot", *settings], TROT_TICKS)
    different = [stamp for stamp in separate if separate[stamp] != together[stamp]]
    assert not different, f"first at {different[0]} ns"
    over_ros = positions_of(separate)
    alone = in_process("zmp_trot", TROT, TROT_TICKS)
    assert np.ptp(alone, axis=0).max() > 0.1, "the legs swing"
    np.testing.assert_allclose(over_ros, alone, rtol=0.0, atol=1e-9)


def test_joint_targets_over_ros_are_those_in_process_and_composed(bench):
    """What drives follow inside the step, told by messages with gains at 500 Hz."""
    settings = [*PID, "answer_with:=targets"]
    separate = run(bench, settings)
    together = composed(bench, settings, TICKS, LowLevelCommand, "/low_level_command")
    different = [stamp for stamp in separate if separate[stamp] != together[stamp]]
    assert not different, f"first at {different[0]} ns"
    gains = {"stiffness": [800.0, 800.0, 800.0, 400.0], "damping": [20.0, 20.0, 10.0, 1.0]}
    alone = in_process("joint_pid", gains, TICKS, ByTargets)
    np.testing.assert_allclose(positions_of(separate), alone, rtol=0.0, atol=1e-9)


def positions_of(states: dict[int, bytes]) -> np.ndarray:
    """Return the joint positions of all ticks but the first, which is the start."""
    return np.array([np.frombuffer(states[stamp], count=16) for stamp in sorted(states)[1:]])


def in_process(name, parameters, ticks, how=InProcess) -> np.ndarray:
    """Return the joint positions of the same run without ROS, after every millisecond."""
    sim = Simulator("quadruped16", contact_model="exact_lcp", time_step=5e-4, friction=0.8)
    q = sim.home()
    q[2] += 0.01
    sim.reset(q)
    controller = make_controller(name, sim.robot, parameters)
    run = sim.run((ticks - 1) * 1e-3, how(controller, sim, 2e-3), sample_every=2)
    return run.q[:, sim.robot.position_indices]
