"""Lockstep: the same run twice is the same to the last bit, whatever else the machine has to do."""

from contextlib import nullcontext

import numpy as np
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import TwistWithCovarianceStamped, WrenchStamped
from legged_contact_sim_msgs.msg import ContactState, EnergyAudit, LowLevelCommand
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from ros_bench import DEEP, PID, Load, wait_for
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from legged_contact_sim import RobotModel, Simulator
from legged_contact_sim.control import ByTargets, InProcess, make_controller
from legged_contact_sim.nodes.readings import stamp_of

TICKS = 200
TROT_TICKS = 800
TROT = {"velocity": [0.3, 0.0, 0.1], "start_delay": 0.1}
LOCKSTEP = ["lockstep:=true", "real_time_factor:=0.0", "command_rate:=500.0", "initial.lift:=0.01"]


SENSORS = {"/imu": Imu, "/odom": Odometry, "/energy": EnergyAudit, "/base_velocity": TwistWithCovarianceStamped}
SENSORS |= {"/contacts/lf_foot/wrench": WrenchStamped, "/contacts/rh_foot/state": ContactState}
# Sensors with their errors, at rates of their own.
SENSING = ["imu_rate:=500.0", "contact_state_rate:=250.0", "energy_rate:=125.0", "base_velocity_rate:=100.0"]
SENSING += ["imu.gyroscope.density:=0.01", "imu.accelerometer.bias_walk:=0.1", "base_velocity.linear.density:=0.01"]


def run(bench, settings=PID, ticks=TICKS, beside=nullcontext, sensed=None) -> dict[int, bytes]:
    """Return the numbers of the joint states of the first ticks by stamp, as bytes.

    ``beside`` is what the machine has to do meanwhile; not before the first answer, while interpreters start. What
    sensors tell in these ticks is added to ``sensed``: topic, stamp, message.
    """
    box = bench.mailbox(JointState, "/joint_states")
    boxes = {topic: bench.mailbox(kind, topic) for topic, kind in (SENSORS.items() if sensed is not None else ())}
    states: dict[int, bytes] = {}

    def enough():
        for topic, sensor in boxes.items():
            told = ((topic, stamp_of(raw), raw) for raw in sensor.drain(DEEP.depth))
            sensed.update({(topic, stamp): raw for topic, stamp, raw in told if stamp < ticks * 1_000_000})
        for raw in box.drain(DEEP.depth):
            states[stamp_of(raw)] = raw
        return len(states) > ticks + 50

    processes = [bench.simulator(*LOCKSTEP, *(SENSING if boxes else ()))]
    wait_for(lambda: enough() or states, "the state that the simulator waits with", processes)
    wait_for(lambda: enough() or not boxes or ("/imu", 0) in sensed, "the sensors, told again meanwhile", processes)
    processes.append(bench.controller("rate:=500.0", *settings))
    wait_for(lambda: enough() or len(states) > 2, "the first answers", processes)
    with beside():
        wait_for(enough, "joint states", processes)
    for process in processes:
        process.end()
    for each in (box, *boxes.values()):
        bench.node.destroy_subscription(each.subscription)
    first = sorted(states)[:ticks]
    assert first == [k * 1_000_000 for k in range(ticks)], "states were lost"
    return {stamp: numbers_of(states[stamp]) for stamp in first}


def numbers_of(raw: bytes) -> bytes:
    """Return the last 48 doubles; what comes before them is the same, and behind them may be padding."""
    message = deserialize_message(raw, JointState)
    return message.position.tobytes() + message.velocity.tobytes() + message.effort.tobytes()


def test_two_runs_are_bit_for_bit_the_same_with_and_without_load(bench):
    sensed: list[dict] = [{}, {}]
    quiet, loaded = run(bench, sensed=sensed[0]), run(bench, beside=Load, sensed=sensed[1])
    different = [stamp for stamp in quiet if quiet[stamp] != loaded[stamp]]
    assert not different, f"first at {different[0]} ns"
    both = sensed[0].keys() & sensed[1].keys()  # the first messages may be told before a listener is known
    for key in both:  # message by message: between the numbers of serialized ones lies what memory has left there
        one, other = (deserialize_message(each[key], SENSORS[key[0]]) for each in sensed)
        assert one == other, key
    counts = {topic: sum(name == topic for name, _ in both) for topic in SENSORS}
    expected = dict(zip(SENSORS, (TICKS // 2, TICKS, TICKS // 8, TICKS // 10, TICKS, TICKS // 4), strict=True))
    assert all(counts[topic] > 0.8 * expected[topic] for topic in SENSORS), counts
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


LAST = 100_000_000  # ns
WIDE = RobotModel.from_urdf("quadruped12")
NAMES = list(WIDE.joint_names)
HOME = WIDE.home[WIDE.position_indices]
GRID = ["height_scan_rate:=100.0", "height_scan.noise:=0.01", "height_scan.spacing:=0.4", "encoder.noise:=0.001"]


def swung(time: float) -> tuple[list[float], list[float]]:
    """Return joint positions and velocities that swing, at a time, s."""
    return (HOME + 0.1 * np.sin(60.0 * time)).tolist(), [6.0 * np.cos(60.0 * time)] * 12


def listed(which: int):
    return lambda time: Float64MultiArray(data=swung(time)[which])


def with_gains(time: float) -> LowLevelCommand:
    position, velocity = swung(time)
    ones = np.ones(12)
    gains = {"kp": (120.0 * ones).tolist(), "kd": (3.0 * ones).tolist()}
    return LowLevelCommand(name=NAMES, position=position, velocity=velocity, effort=(0.5 * ones).tolist(), **gains)


def named(time: float) -> JointState:
    position, velocity = swung(time)
    return JointState(name=NAMES, position=position, velocity=velocity, effort=[0.5] * 12)


def trajectory(time: float) -> JointTrajectory | None:
    """Return what is followed until the last state, for the first one."""
    if time > 0.0:
        return None
    point = JointTrajectoryPoint(positions=swung(0.02)[0], time_from_start=Duration(nanosec=LAST))
    return JointTrajectory(joint_names=NAMES, points=[point])


ANSWERS = {
    "/joint_commands": (JointState, named),
    "/low_level_command": (LowLevelCommand, with_gains),
    "/position_controller/commands": (Float64MultiArray, listed(0)),
    "/velocity_controller/commands": (Float64MultiArray, listed(1)),
    "/effort_controller/commands": (Float64MultiArray, listed(1)),
    "/joint_trajectory_controller/joint_trajectory": (JointTrajectory, trajectory),
}


def test_every_form_of_command_gives_the_same_twice_and_so_do_height_scans(bench):
    """What answers is this test, by messages alone; each form has two runs from a reset."""
    gains = ["drive.stiffness:=[150.0]", "drive.damping:=[3.0]"]
    simulator = bench.simulator(*LOCKSTEP, "robot:=quadruped12", *gains, *GRID)
    box, scans = bench.mailbox(JointState, "/joint_states"), bench.mailbox(Float64MultiArray, "/height_scan")
    found = set()
    for topic, (kind, answer) in ANSWERS.items():
        publisher = bench.node.create_publisher(kind, topic, 10)
        wait_for(lambda p=publisher: p.get_subscription_count() > 0, "matched", [simulator])
        one, other = (answered(bench, box, scans, publisher, answer) for _ in range(2))
        assert one == other, topic
        found.add(one[0][-1])
    assert len(found) == len(ANSWERS), "each form moves the robot in its own way"


def answered(bench, box, scans, publisher, answer) -> tuple[list[bytes], list[list[float]]]:
    """Return the numbers of all states and the heights of a run from a reset, every state of a tick answered once."""
    wait_for(lambda: box.newest(DEEP.depth), "the state that the simulator waits with", bench.processes)
    scans.newest(DEEP.depth)
    assert bench.call(Trigger, "/reset").success
    states: dict[int, bytes] = {}
    heights: list[list[float]] = []

    def listen():
        for raw in box.drain(DEEP.depth):
            stamp = stamp_of(raw)
            if (stamp and not states) or stamp in states:
                continue  # of the run before, or told again
            states[stamp] = raw
            message = answer(1e-9 * stamp) if stamp % 2_000_000 == 0 and stamp < LAST else None
            if hasattr(message, "header"):
                message.header.stamp.nanosec = stamp
            if message:
                publisher.publish(message)
        heights.extend(deserialize_message(raw, Float64MultiArray).data.tolist() for raw in scans.drain(DEEP.depth))
        return LAST in states and len(heights) > LAST // 10_000_000

    wait_for(listen, "joint states and heights", bench.processes)
    assert sorted(states) == [k * 1_000_000 for k in range(LAST // 1_000_000 + 1)], "states were lost"
    return [numbers_of(states[stamp]) for stamp in sorted(states)], heights


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
