"""Readings out of serialized messages are those of the messages, whatever the lengths of the names in them."""

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import WrenchStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from nav_msgs.msg import Odometry
from rclpy.serialization import serialize_message
from ros_bench import wait_for
from sensor_msgs.msg import JointState

from legged_contact_sim import RobotModel
from legged_contact_sim.errors import ParameterError
from legged_contact_sim.nodes.qos import READINGS
from legged_contact_sim.nodes.readings import Due, JointReader, Readings, base_state, contact_force, stamp_of

ROBOT = RobotModel.from_urdf("quadruped12")
frames = st.text("abc_/", max_size=9)


def joint_state(names, frame=""):
    count = len(names)
    message = JointState(name=list(names), position=[0.1 * k for k in range(count)])
    message.header.frame_id = frame
    message.velocity = [-1.0 - k for k in range(count)]
    message.header.stamp.sec, message.header.stamp.nanosec = 7, 250
    return message


@settings(deadline=None)
@given(names=st.permutations([*ROBOT.joint_names, "lid", "tail_joint"]), frame=frames)
def test_joint_states_are_read_in_joint_order(names, frame):
    reader = JointReader(ROBOT)
    reader.read(bytes(serialize_message(joint_state(ROBOT.joint_names))))  # names may change from message to message
    message = joint_state(names, frame)
    raw = bytes(serialize_message(message))
    places = [names.index(name) for name in ROBOT.joint_names]
    for _ in range(2):
        positions, velocities = reader.read(raw)
        assert positions.tolist() == [message.position[k] for k in places]
        assert velocities.tolist() == [message.velocity[k] for k in places]
    assert stamp_of(raw) == 7_000_000_250


@settings(deadline=None)
@given(frame=frames, child=frames)
def test_odometry_and_wrenches_are_read(frame, child):
    odometry, wrench = Odometry(child_frame_id=child), WrenchStamped()
    odometry.header.frame_id = wrench.header.frame_id = frame
    at, turned = odometry.pose.pose.position, odometry.pose.pose.orientation
    at.x, at.y, at.z = 1.0, 2.0, 3.0
    turned.x, turned.y, turned.z, turned.w = 0.1, 0.2, 0.3, 0.9
    odometry.twist.twist.linear.y, odometry.twist.twist.angular.z = 4.0, 5.0
    odometry.pose.covariance[0] = odometry.twist.covariance[35] = 6.0
    base = base_state(bytes(serialize_message(odometry)))
    np.testing.assert_array_equal(np.concatenate(base), [1, 2, 3, 0.1, 0.2, 0.3, 0.9, 0, 4, 0, 0, 0, 5])
    force = wrench.wrench.force
    force.x, force.y, force.z = 1.0, -2.0, 30.0
    assert contact_force(bytes(serialize_message(wrench))).tolist() == [1.0, -2.0, 30.0]


def test_a_message_without_a_joint_or_its_velocity_is_refused():
    reader = JointReader(ROBOT)
    with pytest.raises(ParameterError, match="is not there"):
        reader.read(bytes(serialize_message(joint_state(ROBOT.joint_names[1:]))))
    message = joint_state(ROBOT.joint_names)
    message.velocity = []
    with pytest.raises(ParameterError, match="a velocity"):
        reader.read(bytes(serialize_message(message)))


class Plant:
    """Publishes joint states and odometry of its stamps, and a controller's `Readings` of them."""

    def __init__(self, context, due):
        self.node = rclpy.create_node("plant", context=context)
        self.joints = self.node.create_publisher(JointState, "joint_states", READINGS)
        self.base = self.node.create_publisher(Odometry, "odom", READINGS)
        self.readings = Readings(self.node, ROBOT, (), due)
        self.shift = 0.0
        wait_for(lambda: self.joints.get_subscription_count() and self.base.get_subscription_count(), "matched")

    def tell(self, publisher, milliseconds, place=None):
        message = joint_state(ROBOT.joint_names) if publisher is self.joints else Odometry()
        message.header.stamp.sec, message.header.stamp.nanosec = 0, milliseconds * 1_000_000
        if publisher is self.joints:
            message.position[0] = self.shift
        else:
            message.pose.pose.position.x = float(milliseconds if place is None else place)
        publisher.publish(message)

    def hear(self):
        """Return the joint state that was told last, once it is there."""
        return wait_for(lambda: next(self.readings.joint_states(), None), "joint state")

    def observe(self, raw, timeout=0.1):
        return self.readings.observe(raw, timeout)


@pytest.fixture
def context():
    context = rclpy.Context()
    rclpy.init(context=context)
    yield context
    rclpy.shutdown(context=context)


def test_in_lockstep_readings_of_the_instant_are_waited_for(context):
    """However long it takes; those that come more seldom are not waited for between their messages."""
    plant = Plant(context, Due(control_rate=1000.0, odom_rate=500.0, wrench_rate=0.0))
    plant.tell(plant.base, 0)
    plant.tell(plant.joints, 2)
    raw = plant.hear()
    assert plant.observe(raw) is None and plant.observe(raw) is None, "older ones will not do"
    plant.tell(plant.base, 2)
    assert wait_for(lambda: plant.observe(raw), "odometry").base.position[0] == 2.0
    plant.tell(plant.joints, 3)
    assert plant.observe(plant.hear()).base.position[0] == 2.0, "odometry comes at 2 and 4 ms"
    # After a reset what was published before it will not do either.
    plant.tell(plant.joints, 0)
    raw = plant.hear()
    assert plant.observe(raw) is None
    plant.tell(plant.base, 0)
    assert wait_for(lambda: plant.observe(raw), "odometry").base.position[0] == 0.0


def test_in_lockstep_what_is_published_again_and_still_old_comes_more_seldom_than_was_said(context):
    """However often joint states come again: only an old reading that was published after them shows it."""
    plant = Plant(context, Due(control_rate=1000.0, odom_rate=1000.0, wrench_rate=0.0))
    plant.tell(plant.base, 0)
    for _ in range(10):
        plant.tell(plant.joints, 2)
        raw = plant.hear()
        assert plant.observe(raw) is None, "it may only be late"
    plant.tell(plant.base, 0)
    assert wait_for(lambda: plant.observe(raw), "odometry").base.position[0] == 0.0
    assert plant.readings.seldom == {"odom"}
    plant.tell(plant.joints, 4)
    assert plant.observe(plant.hear()).base.position[0] == 0.0, "and is not waited for again"


@pytest.mark.parametrize("back_at", [0, 2])
def test_in_lockstep_readings_of_the_run_before_a_reset_are_none_of_the_same_instant_after_it(context, back_at):
    plant = Plant(context, Due(control_rate=1000.0, odom_rate=1000.0, wrench_rate=0.0))
    for place, milliseconds in ((1.0, 2), (2.0, back_at), (3.0, 2)):
        plant.shift = place
        plant.tell(plant.base, milliseconds, place)
        plant.tell(plant.joints, milliseconds)
        raw = plant.hear()
    assert wait_for(lambda: plant.observe(raw), "odometry").base.position[0] == 3.0


def test_outside_lockstep_older_readings_will_do_after_a_short_while(context):
    plant = Plant(context, None)
    plant.tell(plant.base, 0)
    plant.tell(plant.joints, 2)
    raw = plant.hear()
    wait_for(lambda: plant.observe(raw) != "odom", "odometry")
    assert plant.observe(raw).base.position[0] == 0.0
    plant.tell(plant.joints, 900)
    assert plant.observe(plant.hear()) == "odom", "but none of long ago"
