"""Readings out of serialized messages are those of the messages, whatever the lengths of the names in them."""

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from nav_msgs.msg import Odometry
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from legged_contact_sim import RobotModel
from legged_contact_sim.errors import ParameterError
from legged_contact_sim.nodes.readings import JointReader, base_state, contact_force, stamp_of

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
