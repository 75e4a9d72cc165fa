"""Commands in all forms, sensors and the typed audit: one simulator, spoken to by ROS messages only."""

import time

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistWithCovarianceStamped, WrenchStamped
from rclpy.action import ActionClient
from rclpy.serialization import deserialize_message, serialize_message
from ros_bench import PATIENCE, seconds, wait_for
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64MultiArray, Header
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from legged_contact_sim import RobotModel, Simulator

messages = pytest.importorskip("legged_contact_sim_msgs.msg", reason="interfaces/build.py has not run")
ContactState, EnergyAudit, LowLevelCommand = messages.ContactState, messages.EnergyAudit, messages.LowLevelCommand

ROBOT = RobotModel.from_urdf("quadruped12")
NAMES = list(ROBOT.joint_names)
HOME = ROBOT.home[ROBOT.position_indices]
KP, KD = 400.0, 15.0
NAN = float("nan")
SETTINGS = [
    "robot:=quadruped12",
    "command_timeout:=0.0",
    f"hold.stiffness:={KP}",
    f"hold.damping:={KD}",
    f"drive.stiffness:=[{KP}]",
    f"drive.damping:=[{KD}]",
    "energy_rate:=500.0",
    "contact_state_rate:=500.0",
    "diagnostics_rate:=20.0",
    "base_velocity_rate:=50.0",
    "base_velocity.linear.density:=0.001",
]


@pytest.fixture(scope="module")
def stand(shared_bench):
    shared_bench.simulator(*SETTINGS)
    return shared_bench


@pytest.fixture(autouse=True)
def _from_the_start(stand):
    assert stand.call(Trigger, "/reset").success


def publisher(bench, kind, topic):
    made = bench.node.create_publisher(kind, topic, 10)
    wait_for(lambda: made.get_subscription_count() > 0, "matched", bench.processes)
    return made


def bent(amount=0.1):
    return (HOME + amount * np.tile([0.0, 1.0, -1.0], 4)).tolist()


def reaches(bench, joints, goal, tolerance=0.04):
    """Return the joint states at rest near a goal: weight bends the knees by 0.03 rad, less where feet stick."""

    def near():
        state = bench.latest(joints)
        moving = seconds(state.header.stamp) < 0.5 or np.abs(state.velocity).max() > 0.02
        return not moving and np.abs(np.array(state.position) - goal).max() < tolerance and state

    return wait_for(near, "the joints get there", bench.processes)


FORMS = {
    "position": (JointState, "/joint_commands", lambda goal: JointState(name=NAMES, position=goal)),
    "all": (
        JointState,
        "/joint_commands",
        lambda goal: JointState(name=NAMES, position=goal, velocity=[0.0] * 12, effort=[0.0] * 12),
    ),
    "array": (Float64MultiArray, "/position_controller/commands", lambda goal: Float64MultiArray(data=goal)),
    "gains": (
        LowLevelCommand,
        "/low_level_command",
        lambda goal: LowLevelCommand(name=NAMES, position=goal, kp=[KP] * 12, kd=[KD] * 12),
    ),
    "trajectory": (
        JointTrajectory,
        "/joint_trajectory_controller/joint_trajectory",
        lambda goal: JointTrajectory(
            joint_names=NAMES,
            points=[JointTrajectoryPoint(positions=goal, time_from_start=Duration(nanosec=200_000_000))],
        ),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_joints_go_where_they_are_told(stand, form):
    kind, topic, message = FORMS[form]
    joints = stand.mailbox(JointState, "/joint_states")
    reaches(stand, joints, HOME)
    publisher(stand, kind, topic).publish(message(bent()))
    assert len(reaches(stand, joints, bent()).effort) == 12


def test_velocities_are_held_and_a_reset_lets_go(stand):
    joints = stand.mailbox(JointState, "/joint_states")
    listed = publisher(stand, Float64MultiArray, "/velocity_controller/commands")
    begun = reaches(stand, joints, HOME).position[11]
    listed.publish(Float64MultiArray(data=[0.0] * 11 + [0.3]))
    wait_for(lambda: stand.latest(joints).position[11] > begun + 0.1, "the last knee turns", stand.processes)
    stand.call(Trigger, "/reset")
    reaches(stand, joints, HOME)


BROKEN = b"\0\1\0\0" + b"\x7f" * 60  # no message of any kind
HOSTILE = {
    "/joint_commands": [
        JointState(name=NAMES, effort=[NAN] * 12),
        BROKEN,
        JointState(name=NAMES, position=[NAN] * 12),
        JointState(name=NAMES, position=[0.0] * 11),
        JointState(name=NAMES, position=[1e300] * 12, velocity=[0.0] * 12),
        JointState(name=NAMES, velocity=[float("inf")] * 12),
    ],
    **{
        f"/{quantity}_controller/commands": [
            *(Float64MultiArray(data=data) for data in ([NAN] * 12, [], [1.0] * 3, [1e300] * 12)),
            BROKEN,
        ]
        for quantity in ("position", "velocity", "effort")
    },
    "/low_level_command": [
        LowLevelCommand(),
        BROKEN,
        LowLevelCommand(name=NAMES, position=[1.0] * 12, kp=[-1.0] * 12),
        LowLevelCommand(name=NAMES, position=[NAN] * 12, kp=[1.0] * 12),
        LowLevelCommand(name=NAMES, kp=[NAN] * 12),
        LowLevelCommand(name=["tail"], kp=[1.0]),
        LowLevelCommand(name=NAMES, kd=[1.0] * 2),
        LowLevelCommand(name=NAMES, position=[1.0] * 12, kp=[1e12] * 12),
        LowLevelCommand(name=[*NAMES[:-1], NAMES[0]], effort=[1.0] * 12),
        LowLevelCommand(name=NAMES, effort=np.frombuffer(b"\xff\x7f\x12\xfe" * 24).tolist()),
    ],
    "/joint_trajectory_controller/joint_trajectory": [
        JointTrajectory(),
        BROKEN,
        JointTrajectory(joint_names=["tail"]),
        JointTrajectory(joint_names=NAMES, points=[JointTrajectoryPoint(positions=[1e300] * 12)]),
        JointTrajectory(joint_names=NAMES, points=[JointTrajectoryPoint(positions=[NAN] * 12)]),
        JointTrajectory(joint_names=NAMES, points=[JointTrajectoryPoint(positions=[0.0] * 3)]),
        JointTrajectory(joint_names=NAMES, points=[JointTrajectoryPoint(positions=[0.0] * 12)] * 2),
    ],
}


def more_are_dropped(bench, diagnostics, before):
    def values():
        found = bench.diagnostics(diagnostics)
        return int(found["commands_dropped"]) > int(before["commands_dropped"]) and found

    return wait_for(values, "one more is dropped", bench.processes)


def test_hostile_commands_in_any_form_do_nothing(stand):
    joints, diagnostics = stand.mailbox(JointState, "/joint_states"), stand.mailbox(DiagnosticArray, "/diagnostics")
    reaches(stand, joints, HOME)
    before = after = stand.diagnostics(diagnostics)
    for topic, messages in HOSTILE.items():
        made = publisher(stand, type(messages[0]), topic)
        for message in messages:  # one after the other: of several in one tick only the newest is read
            made.publish(message)
            after = more_are_dropped(stand, diagnostics, after)
    assert after["commands_received"] == before["commands_received"]
    state = reaches(stand, joints, HOME)
    assert np.isfinite([*state.position, *state.velocity, *state.effort]).all()
    said = stand.processes[0].said()
    for reason in (
        "not finite",
        "expected 12 positions, found 11",
        "larger than",
        "a gain is negative",
        "a joint is named twice",
        "a trajectory was",
        "are no message of type",
    ):
        assert 1 <= said.count(reason) <= 8, reason


def test_a_flood_on_all_topics_at_once_is_dropped_while_joint_states_go_on(stand):
    joints, diagnostics = stand.mailbox(JointState, "/joint_states"), stand.mailbox(DiagnosticArray, "/diagnostics")
    reaches(stand, joints, HOME)
    pushes = [WrenchStamped(header=Header(frame_id=frame)) for frame in ("nowhere", ROBOT.link_names[0])]
    pushes[1].wrench.force.x = NAN
    sent = HOSTILE | {"/external_wrench": [*pushes, BROKEN]}
    flood = []
    for topic, hostile in sent.items():
        made = publisher(stand, type(hostile[0]), topic)
        flood += [(made, raw if raw is BROKEN else serialize_message(raw)) for raw in hostile]
    before, said, begun = stand.diagnostics(diagnostics), len(stand.processes[0].said()), time.monotonic()
    states: list[bytes] = []
    while time.monotonic() - begun < 1.0 or len(states) < 100:
        for made, raw in flood:
            made.publish(raw)
        states += joints.drain(5000)
    after = wait_for(lambda: stand.diagnostics(diagnostics), "diagnostics", stand.processes)
    warned = int(2.0 + (time.monotonic() - begun) / 5.0)
    told = [deserialize_message(raw, JointState) for raw in states[::10]]
    numbers = np.array([[*state.position, *state.velocity, *state.effort] for state in told])
    assert np.isfinite(numbers).all()
    assert np.abs(numbers[:, :12] - HOME).max() < 0.04 and np.abs(numbers[:, 12:24]).max() < 0.05, "the robot was moved"
    assert after["commands_received"] == before["commands_received"]
    assert int(after["commands_dropped"]) - int(before["commands_dropped"]) > 100
    assert int(after["pushes_dropped"]) > int(before["pushes_dropped"])
    lines = [line for line in stand.processes[0].said()[said:].splitlines() if "WARN" in line]
    for reason in ("not finite", "larger than", "found 0", "a gain is", "a push was", "are no message of type"):
        assert sum(reason in line for line in lines) <= 3 * warned, reason
    assert len(lines) <= 10 * warned, lines


def test_the_imu_of_a_standing_robot_feels_its_weight(stand):
    reaches(stand, stand.mailbox(JointState, "/joint_states"), HOME)
    box = stand.mailbox(Imu, "/imu")
    messages = [stand.next(box) for _ in range(20)]
    stamps = np.diff([seconds(message.header.stamp) for message in messages])
    np.testing.assert_allclose(stamps, 2e-3, atol=1e-9)
    last = messages[-1]
    assert last.header.frame_id == ROBOT.link_names[0]
    force, rates = last.linear_acceleration, last.angular_velocity
    np.testing.assert_allclose([force.x, force.y, force.z], [0.0, 0.0, 9.81], atol=0.1)
    np.testing.assert_allclose([rates.x, rates.y, rates.z], 0.0, atol=0.05)
    assert last.orientation.w == pytest.approx(1.0, abs=0.01)


def test_contact_states_and_audit_tell_what_carries_the_robot(stand):
    joints = stand.mailbox(JointState, "/joint_states")
    reaches(stand, joints, HOME)
    boxes = [stand.mailbox(ContactState, f"/contacts/{name}/state") for name in ROBOT.feet]
    energy = stand.mailbox(EnergyAudit, "/energy")
    states = [stand.latest(box) for box in boxes]
    assert sum(state.normal_force for state in states) == pytest.approx(ROBOT.total_mass * 9.81, rel=0.05)
    for state in states:
        assert state.mode in (ContactState.STICK, ContactState.SLIP) and state.touching == 1
        assert state.contact_time > 0.0 and state.air_time == 0.0
        assert state.friction_used <= state.friction_available + 1e-6
        assert state.normal.z == pytest.approx(1.0) and abs(state.gap) < 1e-3
    audit = stand.latest(energy)
    works = audit.actuators + audit.joint_losses + audit.contact_normal + audit.contact_tangential
    works += audit.moving_ground
    assert audit.total - audit.start - works - audit.external - audit.joint_limits == pytest.approx(audit.remainder)
    assert audit.total == pytest.approx(audit.kinetic + audit.potential + audit.spring)
    assert abs(audit.remainder) < 1e-3 and audit.actuators != 0.0


def test_the_stand_is_the_same_without_ros(stand):
    """PD targets over ROS give the pose that `Simulator.command` gives."""
    joints = stand.mailbox(JointState, "/joint_states")
    publisher(stand, *FORMS["gains"][:2]).publish(FORMS["gains"][2](bent()))
    over_ros = reaches(stand, joints, bent())
    sim = Simulator(ROBOT, friction=0.8)
    sim.command(bent(), stiffness=KP, damping=KD)
    sim.run(1.5)
    np.testing.assert_allclose(over_ros.position, sim.q[7:], atol=2e-3)


def trajectory(goal, seconds=0.3, names=NAMES):
    nanoseconds = Duration(sec=int(seconds), nanosec=round(1e9 * (seconds % 1.0)))
    points = [JointTrajectoryPoint(positions=goal, time_from_start=nanoseconds)] if goal is not None else []
    return JointTrajectory(joint_names=names, points=points)


@pytest.fixture(scope="module")
def follow(stand):
    """Return how a goal of FollowJointTrajectory is sent: (status, result, feedback); ``cancel`` after the first."""
    client = ActionClient(stand.node, FollowJointTrajectory, "/joint_trajectory_controller/follow_joint_trajectory")
    assert client.wait_for_server(timeout_sec=PATIENCE)

    def done(future):
        stand.executor.spin_until_future_complete(future, timeout_sec=PATIENCE)
        return future.result()

    def send(cancel=False, replace=None, **goal):
        told = []
        handle = done(
            client.send_goal_async(FollowJointTrajectory.Goal(**goal), lambda told_now: told.append(told_now))
        )
        if cancel or replace:
            wait_for(lambda: stand.executor.spin_once(timeout_sec=0.1) or told, "feedback", stand.processes)
        if cancel:
            done(handle.cancel_goal_async())
        if replace:
            replace()
        result = done(handle.get_result_async())
        return result.status, result.result, told

    yield send
    client.destroy()


def test_a_trajectory_is_followed_to_its_goal_within_tolerances(stand, follow):
    joints = stand.mailbox(JointState, "/joint_states")
    reaches(stand, joints, HOME)
    within = [JointTolerance(name=name, position=0.03) for name in NAMES]
    status, result, told = follow(trajectory=trajectory(bent(), 0.4), path_tolerance=within, goal_tolerance=within)
    assert (status, result.error_code, result.error_string) == (GoalStatus.STATUS_SUCCEEDED, 0, "")
    assert np.abs(np.array(stand.latest(joints).position) - bent()).max() < 0.04
    first = told[0].feedback
    assert first.joint_names == NAMES
    assert np.array(first.desired.positions) - first.actual.positions == pytest.approx(np.array(first.error.positions))


def test_goals_that_are_missed_cancelled_or_replaced(stand, follow):
    """The joints stay where they are then, and whoever asked is told why."""
    joints, result = stand.mailbox(JointState, "/joint_states"), FollowJointTrajectory.Result
    narrow = [JointTolerance(name=NAMES[1], position=1e-6)]
    status, answer, _ = follow(trajectory=trajectory(bent(0.3), 0.2), path_tolerance=narrow)
    assert (status, answer.error_code) == (GoalStatus.STATUS_ABORTED, result.PATH_TOLERANCE_VIOLATED)
    assert answer.error_string.startswith(f"{NAMES[1]}: position was off by ")
    status, answer, _ = follow(
        trajectory=trajectory(bent(), 0.1), goal_tolerance=narrow, goal_time_tolerance=Duration(nanosec=1_000_000)
    )
    assert (status, answer.error_code) == (GoalStatus.STATUS_ABORTED, result.GOAL_TOLERANCE_VIOLATED)
    status, answer, _ = follow(cancel=True, trajectory=trajectory(bent(0.3), 1000.0))
    assert (status, answer.error_string) == (GoalStatus.STATUS_CANCELED, "cancelled")
    wait_for(lambda: np.abs(stand.latest(joints).velocity).max() < 0.02, "the joints stay", stand.processes)
    listed = publisher(stand, Float64MultiArray, "/position_controller/commands")
    status, answer, _ = follow(
        replace=lambda: listed.publish(Float64MultiArray(data=list(HOME))), trajectory=trajectory(bent(0.3), 1000.0)
    )
    assert (status, answer.error_string) == (GoalStatus.STATUS_ABORTED, "replaced by another command")
    reaches(stand, joints, HOME)


@pytest.mark.parametrize(
    ("goal", "code"),
    [
        ({"trajectory": trajectory(None)}, "INVALID_GOAL"),
        ({"trajectory": trajectory([NAN] * 12)}, "INVALID_GOAL"),
        ({"trajectory": trajectory([0.0], names=["tail"])}, "INVALID_JOINTS"),
        ({"trajectory": trajectory(HOME.tolist()), "path_tolerance": [JointTolerance(name="tail")]}, "INVALID_GOAL"),
        (
            {"trajectory": trajectory(HOME.tolist()), "goal_tolerance": [JointTolerance(name=NAMES[0], velocity=NAN)]},
            "INVALID_GOAL",
        ),
    ],
)
def test_goals_that_cannot_be_meant_are_refused_by_their_code(follow, goal, code):
    status, answer, _ = follow(**goal)
    assert (status, answer.error_code) == (GoalStatus.STATUS_ABORTED, getattr(FollowJointTrajectory.Result, code))
    assert answer.error_string


def test_the_velocity_of_the_base_is_told_with_its_errors(stand):
    """Noise of a density d at a rate f has the variance d^2 f; the message says so, as filters ask for."""
    told = stand.latest(stand.mailbox(TwistWithCovarianceStamped, "/base_velocity"))
    assert told.header.frame_id == ROBOT.link_names[0]
    assert np.diag(told.twist.covariance.reshape(6, 6)) == pytest.approx([0.001**2 * 50.0] * 3 + [0.0] * 3)
    linear = told.twist.twist.linear
    assert 0.0 < abs(linear.x) + abs(linear.y) + abs(linear.z) < 1.0
