"""The simulator node as another process sees it that has nothing but rclpy: every topic, service and parameter."""

import math
import threading
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from ros_bench import DEEP, STAND, collect, seconds, values_of, wait_for
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from legged_contact_sim import RobotModel

ROBOT = RobotModel.from_urdf("quadruped16")
WEIGHT = ROBOT.total_mass * 9.81
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
WRENCHES = {name: f"/contacts/{name}/wrench" for name in ROBOT.contact_names}
PUBLISHED = {
    "/joint_states": "sensor_msgs/msg/JointState",
    "/odom": "nav_msgs/msg/Odometry",
    "/tf": "tf2_msgs/msg/TFMessage",
    "/tf_static": "tf2_msgs/msg/TFMessage",
    "/robot_description": "std_msgs/msg/String",
    "/contact_markers": "visualization_msgs/msg/MarkerArray",
    "/clock": "rosgraph_msgs/msg/Clock",
    "/diagnostics": "diagnostic_msgs/msg/DiagnosticArray",
} | dict.fromkeys(WRENCHES.values(), "geometry_msgs/msg/WrenchStamped")
SUBSCRIBED = {
    "/joint_commands": "sensor_msgs/msg/JointState",
    "/effort_controller/commands": "std_msgs/msg/Float64MultiArray",
    "/external_wrench": "geometry_msgs/msg/WrenchStamped",
}
TF2_HASH = "RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"


@pytest.fixture(scope="module")
def world(shared_bench):
    """A robot that stands by its own drives."""
    shared_bench.simulator(*STAND, "diagnostics_rate:=20.0")
    shared_bench.diagnosed = shared_bench.mailbox(DiagnosticArray, "/diagnostics")
    shared_bench.joints = shared_bench.mailbox(JointState, "/joint_states", 1000)
    wait_for(lambda: seconds(shared_bench.next(shared_bench.joints).header.stamp) > 1.0, "it stands")
    return shared_bench


def change(world, **values):
    changes = [Parameter(name.replace("__", "."), value=value).to_parameter_msg() for name, value in values.items()]
    request = SetParameters.Request(parameters=changes)
    return world.call(SetParameters, "/legged_contact_sim/set_parameters", request).results[0]


def test_every_topic_has_its_type_and_quality_of_service(world):
    for topic, kind in PUBLISHED.items():
        (endpoint,) = wait_for(lambda t=topic: publishers(world, t), topic)
        assert endpoint.topic_type == kind
        assert endpoint.qos_profile.reliability == ReliabilityPolicy.RELIABLE
        latched = topic in ("/tf_static", "/robot_description")
        kept = endpoint.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
        assert kept == latched, topic
    for topic, kind in SUBSCRIBED.items():
        (endpoint,) = world.node.get_subscriptions_info_by_topic(topic)
        assert endpoint.topic_type == kind


def publishers(world, topic):
    """Return what the simulator offers; the names of nodes become known a little later than their topics."""
    return [e for e in world.node.get_publishers_info_by_topic(topic) if e.node_name == "legged_contact_sim"]


def test_our_tf2_msgs_is_the_one_of_ros(world):
    (endpoint,) = world.node.get_publishers_info_by_topic("/tf")
    assert str(endpoint.topic_type_hash) == TF2_HASH


def test_joint_states_are_those_of_a_standing_robot(world):
    message = world.latest(world.joints)
    assert tuple(message.name) == ROBOT.joint_names
    home = ROBOT.home[ROBOT.position_indices]
    assert np.abs(np.array(message.position) - home).max() < 0.05
    assert np.abs(message.velocity).max() < 1e-3
    assert np.abs(message.effort).max() > 1.0


def test_joint_states_come_at_every_millisecond_of_simulated_time(world):
    box = world.mailbox(JointState, "/joint_states")
    messages: list = []
    wait_for(lambda: len(collect(box, messages)) > 300, "joint states")
    steps = np.diff([message.header.stamp.sec * 10**9 + message.header.stamp.nanosec for message in messages])
    assert (steps == 1_000_000).all()


def test_wrenches_add_up_to_the_weight_and_point_out_of_the_ground(world):
    forces = []
    for point, topic in WRENCHES.items():
        message = world.next(world.mailbox(WrenchStamped, topic))
        assert message.header.frame_id == f"{point}_contact"
        force, torque = message.wrench.force, message.wrench.torque
        assert (torque.x, torque.y, torque.z) == (0.0, 0.0, 0.0)
        assert force.z > 0.1 * WEIGHT if point.endswith("foot") else force.z == 0.0
        forces.append([force.x, force.y, force.z])
    assert np.sum(forces, axis=0) == pytest.approx([0.0, 0.0, WEIGHT], abs=0.01)


def test_frames_form_one_tree_and_contact_frames_are_level_on_the_ground(world):
    box = world.mailbox(TFMessage, "/tf")
    moving = world.next(box).transforms
    fixed = world.next(world.mailbox(TFMessage, "/tf_static", LATCHED)).transforms
    parents = {t.child_frame_id: t.header.frame_id for t in [*moving, *fixed]}
    assert len(parents) == len(moving) + len(fixed)
    for frame in [*ROBOT.frames, *(f"{point}_contact" for point in ROBOT.contact_names)]:
        depth = 0
        while frame != "world":
            frame, depth = parents[frame], depth + 1
            assert depth <= len(parents)
    for transform in moving:
        turned = transform.transform.rotation
        assert math.hypot(turned.x, turned.y, turned.z, turned.w) == pytest.approx(1.0, abs=1e-12)
        if transform.child_frame_id.endswith("_contact"):
            assert turned.w == 1.0
        if transform.child_frame_id.endswith("_foot_contact"):
            assert transform.transform.translation.z == pytest.approx(0.0, abs=1e-6)


def test_odometry_agrees_with_the_base_frame(world):
    odometry = world.next(world.mailbox(Odometry, "/odom"))
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("world", "base_link")
    base = next(t for t in world.next(world.mailbox(TFMessage, "/tf")).transforms if t.child_frame_id == "base_link")
    assert odometry.pose.pose.position.z == pytest.approx(base.transform.translation.z, abs=1e-6)
    assert 0.5 < odometry.pose.pose.position.z < 0.62
    assert odometry.pose.pose.orientation.w == pytest.approx(1.0, abs=1e-6)
    assert abs(odometry.twist.twist.linear.z) < 1e-3


def test_markers_show_the_forces_where_they_act(world):
    markers = world.next(world.mailbox(MarkerArray, "/contact_markers")).markers
    arrows = [marker for marker in markers if marker.ns == "force"]
    cones = [marker for marker in markers if marker.ns == "friction_cone"]
    assert len(arrows) == len(cones) == len(ROBOT.contact_names)
    for name, arrow in zip(ROBOT.contact_names, arrows, strict=True):
        if not name.endswith("foot"):
            continue
        begin, end = arrow.points
        assert begin.z == pytest.approx(0.0, abs=1e-6)
        assert end.z - begin.z == pytest.approx(0.5 / 4, rel=0.2)
        assert (arrow.color.a, arrow.color.g > arrow.color.r) == (1.0, True)
    edge = cones[0].points[1]
    assert math.hypot(edge.x, edge.y) / edge.z == pytest.approx(0.8)


def test_clock_and_description(world):
    times = [seconds(world.next(box).clock) for box in [world.mailbox(Clock, "/clock")] for _ in range(50)]
    assert np.diff(times) == pytest.approx(1e-3)
    assert world.next(world.mailbox(String, "/robot_description", LATCHED)).data == ROBOT.urdf


def test_diagnostics_hold_the_energy_audit(world):
    values = world.diagnostics(world.diagnosed)
    assert values["name"] == "legged_contact_sim: simulation"
    assert (values["contact_model"], values["contacts"]) == ("exact_lcp", "4")
    assert abs(float(values["energy_remainder"])) < 1e-3
    assert float(values["energy_total"]) == pytest.approx(WEIGHT * 0.45, rel=0.1)
    works = ("actuators", "joint_losses", "contact_normal", "contact_tangential", "moving_ground", "external")
    balance = float(values["energy_start"]) + sum(float(values[f"energy_{work}"]) for work in works)
    assert float(values["energy_total"]) == pytest.approx(balance, abs=1e-3)
    for key in ("real_time_factor", "solver_residual", "solver_iterations", "penetration", "missed_deadlines"):
        assert math.isfinite(float(values[key]))


def at_rest(bench):
    state = bench.latest(bench.joints)
    return np.abs(state.velocity).max() < 0.02 and state


@pytest.mark.parametrize("form", ["named", "listed"])
def test_commands_in_both_forms_are_applied_and_time_out(world, form):
    """One command at rest: its effort appears in the joint states, and after the timeout it is gone."""
    effort = [0.0] * 16
    effort[5] = 3.0
    named = JointState(name=[ROBOT.joint_names[5]], effort=[3.0])
    kind, topic, message = {
        "named": (JointState, "/joint_commands", named),
        "listed": (Float64MultiArray, "/effort_controller/commands", Float64MultiArray(data=effort)),
    }[form]
    publisher = world.node.create_publisher(kind, topic, 10)
    wait_for(lambda: publisher.get_subscription_count() > 0, "matched")
    before = wait_for(lambda: at_rest(world), "the robot is at rest").effort[5]
    received = int(world.diagnostics(world.diagnosed)["commands_received"])
    world.joints.newest(DEEP.depth)
    publisher.publish(message)
    efforts: list = []

    def acting():
        return np.array([abs(state.effort[5] - before) for state in collect(world.joints, efforts)])

    wait_for(lambda: acting().max(initial=0.0) > 2.0, "the command acts")
    wait_for(lambda: acting()[-1] < 1.0, "the command ends")
    values = wait_for(lambda: timed_out(world), "diagnostics tell")
    assert int(values["commands_received"]) == received + 1
    world.node.destroy_publisher(publisher)


def timed_out(world):
    values = world.diagnostics(world.diagnosed)
    return values if values["command"] == "timed out" else None


def test_a_push_moves_the_robot(world):
    publisher = world.node.create_publisher(WrenchStamped, "/external_wrench", 10)
    wait_for(lambda: publisher.get_subscription_count() > 0, "matched")
    odometry = world.mailbox(Odometry, "/odom")
    message = WrenchStamped()
    message.header.frame_id = "base_link"
    message.wrench.force.y = 400.0
    world.next(odometry)
    publisher.publish(message)
    states: list = []
    wait_for(lambda: len(collect(odometry, states)) > 400, "odometry")
    sideways = np.array([state.twist.twist.linear.y for state in states])
    assert sideways.max() > 0.02
    assert abs(sideways[-1]) < 0.5 * sideways.max()
    world.node.destroy_publisher(publisher)


def test_pause_stops_time_step_moves_it_and_reset_begins_anew(world):
    clock = world.mailbox(Clock, "/clock")
    assert not world.call(Trigger, "/step").success, "a step while running"
    assert world.call(SetBool, "/pause", SetBool.Request(data=True)).success
    stopped = seconds(collect(clock, [world.next(clock)])[-1].clock)
    assert world.call(Trigger, "/step").success
    assert seconds(world.next(clock).clock) == pytest.approx(stopped + 1e-3)
    assert wait_for(lambda: values_of(world.latest(world.diagnosed))["command"] == "paused", "diagnostics tell")
    assert world.call(Trigger, "/reset").success
    assert seconds(world.next(clock).clock) == 0.0
    assert clock.take() is None
    assert world.call(SetBool, "/pause", SetBool.Request(data=False)).success
    assert seconds(world.next(clock).clock) == pytest.approx(1e-3)


def test_full_state_can_be_set(world):
    """What is in the parameters under `initial` is where a reset puts the robot."""
    q = ROBOT.home.copy()
    q[:3] = 1.0, 2.0, 0.9
    v = np.zeros(ROBOT.nv)
    v[0] = 0.5
    assert world.call(SetBool, "/pause", SetBool.Request(data=True)).success
    assert change(world, initial__q=q.tolist(), initial__v=v.tolist()).successful
    odometry = world.mailbox(Odometry, "/odom")
    assert world.call(Trigger, "/reset").success
    state = world.next(odometry)
    at, moving = state.pose.pose.position, state.twist.twist.linear
    assert (at.x, at.y, at.z, moving.x) == (1.0, 2.0, 0.9, 0.5)
    assert change(world, initial__q=[]).successful
    assert change(world, initial__v=[]).successful
    assert world.call(Trigger, "/reset").success
    assert world.call(SetBool, "/pause", SetBool.Request(data=False)).success


class LaggingBuffer:
    """What a tf2 buffer does that comes to its messages only now and then: the clock first, then transforms."""

    LAG = 0.05  # s; five transforms wait meanwhile
    STALL = 0.15  # s; a machine that keeps it waiting for so long proves nothing

    def __init__(self, world):
        best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self.clock, self.transforms = world.mailbox(Clock, "/clock", best_effort), world.mailbox(TFMessage, "/tf", 100)
        self.now, self.jumps, self.judged, self.refilled = 0.0, 0, 0, 0
        self.looked = time.monotonic()

    def look(self):
        late, self.looked = time.monotonic() - self.looked > self.STALL, time.monotonic()
        raw = self.clock.newest()
        before, self.now = self.now, seconds(deserialize_message(raw, Clock).clock) if raw else self.now
        stamps = [seconds(message.transforms[0].header.stamp) for message in collect(self.transforms, [])]
        if self.now < before:
            self.jumps += 1
            self.judged += not late
            self.refilled += not late and any(stamp > before - 0.5 for stamp in stamps)

    def watch(self, ended):
        while not ended.wait(self.LAG):
            self.look()


def test_no_old_transform_comes_after_the_clock_has_gone_back(world):
    """Otherwise a tf2 buffer, which forgets everything when time goes back, keeps it and refuses all that follow."""
    buffer, ended = LaggingBuffer(world), threading.Event()
    thread = threading.Thread(target=buffer.watch, args=(ended,), daemon=True)
    thread.start()
    for resets in range(1, 51):
        wait_for(lambda: buffer.now > 1.0, "time goes on")
        assert world.call(Trigger, "/reset").success
        wait_for(lambda n=resets: buffer.jumps >= n, "time goes back")
        if buffer.judged >= 5:
            break
    ended.set()
    thread.join()
    assert buffer.refilled == 0


def test_parameters_have_descriptions_and_ranges(world):
    names = ["friction", "time_step", "contact.compliant.normal_stiffness", "contact_model"]
    described = world.call(
        DescribeParameters, "/legged_contact_sim/describe_parameters", DescribeParameters.Request(names=names)
    ).descriptors
    assert all(descriptor.description for descriptor in described)
    assert [d.floating_point_range[0].to_value for d in described[:2]] == [100.0, 0.1]
    assert described[1].read_only and not described[3].read_only


def test_parameters_out_of_range_are_refused_with_a_reason(world):
    for values, word in (
        ({"friction": -1.0}, "friction"),
        ({"contact_model": "glue"}, "exact_lcp"),
        ({"terrain__kind": "clouds"}, "terrain"),
        ({"initial__q": [1.0, 2.0]}, "initial.q"),
        ({"friction": float("nan")}, "friction"),
        *(({"friction": other}, "friction") for other in ([0.5], [1], [True], ["rough"], "rough", True)),
    ):
        answer = change(world, **values)
        assert not answer.successful and word in answer.reason, (values, answer.reason)
    request = GetParameters.Request(names=["friction", "contact_model"])
    held = world.call(GetParameters, "/legged_contact_sim/get_parameters", request).values
    assert (held[0].double_value, held[1].string_value) == (0.8, "exact_lcp")


def test_contact_model_changes_while_running(world):
    """The robot goes on standing under springs and dampers, into which its feet sink a little."""
    assert change(world, contact_model="compliant", contact__compliant__normal_stiffness=5e4).successful
    values = wait_for(lambda: settled_under(world, "compliant"), "the model changes")
    expected = WEIGHT / 4 / 5e4
    assert float(values["penetration"]) == pytest.approx(expected, rel=0.3)
    assert change(world, contact_model="exact_lcp").successful
    assert wait_for(lambda: settled_under(world, "exact_lcp"), "the model changes back")


def settled_under(world, model):
    values = world.diagnostics(world.diagnosed)
    still = float(values["energy_kinetic"]) < 1e-6
    return values if values["contact_model"] == model and still and values["contacts"] == "4" else None


def test_nothing_that_was_published_is_nan(world):
    box = world.mailbox(JointState, "/joint_states", DEEP)
    raw = world.latest(box)
    assert np.isfinite([*raw.position, *raw.velocity, *raw.effort]).all()
