"""A robot with a `<ros2_control>` tag for hardware behind topics, seen from the other side of these topics."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from ros_bench import wait_for
from sensor_msgs.msg import JointState

from legged_contact_sim import ModelError, RobotModel
from legged_contact_sim.nodes.outputs import between_two_turns
from legged_contact_sim.nodes.topic_control import topic_systems

NAN = float("nan")
MS = 1_000_000  # ns


def stamp(message):
    return message.header.stamp.sec * 1_000 * MS + message.header.stamp.nanosec


JOINT = """
  <joint name="{name}" type="continuous"><parent link="world"/><child link="{name}_rotor"/><axis xyz="0 0 1"/>
    <dynamics damping="0.05"/><limit effort="10" velocity="100"/></joint>
  <link name="{name}_rotor"><inertial><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
"""
SYSTEM = """
  <ros2_control name="arm" type="system">
    <hardware>
      <plugin>{plugin}</plugin>
      <param name="joint_commands_topic">/arm/commands</param>
      <param name="joint_states_topic">/arm/states</param>
      <param name="sum_wrapped_joint_states">true</param>
      <param name="trigger_joint_command_threshold">{threshold}</param>
    </hardware>
    <joint name="{first}"><command_interface name="position"/><command_interface name="velocity"/>
      <state_interface name="position"/></joint>
    <joint name="spun"><command_interface name="{interface}"/><command_interface name="temperature"/>
      <state_interface name="position"/><state_interface name="velocity"/></joint>
  </ros2_control>
"""


TOPICS = "joint_state_topic_hardware_interface/JointStateTopicSystem"
LOCKSTEP = "legged_contact_sim_hardware/LockstepSystem"


def urdf(first="placed", interface="effort", threshold="-1", plugin=TOPICS):
    joints = "".join(JOINT.format(name=name) for name in ("placed", "spun", "free"))
    system = SYSTEM.format(first=first, interface=interface, threshold=threshold, plugin=plugin)
    return f'<robot name="arm"><link name="world"/>{joints}{system}</robot>'


def test_the_tag_is_read_and_what_does_not_fit_is_named():
    (system,) = topic_systems(RobotModel.from_urdf(urdf()))
    assert (system.commands, system.states, system.wrapped) == ("/arm/commands", "/arm/states", True)
    assert system.interfaces == {"placed": ("position", "velocity"), "spun": ("effort",)}  # others are ignored
    assert system.readable == {"placed": ("position",), "spun": ("position", "velocity")}
    assert not system.silent and topic_systems(RobotModel.from_urdf(urdf(threshold="")))[0].silent
    with pytest.raises(ModelError, match="names joint 'tail'"):
        topic_systems(RobotModel.from_urdf(urdf(first="tail")))
    with pytest.raises(ModelError, match="trigger_joint_command_threshold: expected a number, found 'never'"):
        topic_systems(RobotModel.from_urdf(urdf(threshold="never")))


def test_our_plugin_is_known_by_the_name_under_which_it_is_exported():
    page = Path(__file__).parents[2] / "ros2_control/legged_contact_sim_hardware/legged_contact_sim_hardware.xml"
    exported = ElementTree.parse(page).getroot().find("class").get("name")
    (system,) = topic_systems(RobotModel.from_urdf(urdf(plugin=exported)))
    assert exported == LOCKSTEP and system.stamped and not system.silent


def test_angles_wrap_between_two_turns():
    angles = np.array([-7.0, -6.0, 0.0, 6.0, 7.0, 20.0])
    wrapped = between_two_turns(angles)
    assert (np.abs(wrapped) <= 2 * np.pi).all()
    np.testing.assert_allclose(np.exp(1j * wrapped), np.exp(1j * angles), atol=1e-12)
    np.testing.assert_array_equal(wrapped[1:4], angles[1:4])


def test_lockstep_begins_with_the_first_command_and_counts_from_the_state_it_answers(bench, tmp_path):
    """controller_manager needs a running clock before it writes; then every period is awaited, commanded or not."""
    path = tmp_path / "arm.urdf"
    path.write_text(urdf(plugin=LOCKSTEP))
    rates = ["command_rate:=500.0", "control_rate:=1000.0", "real_time_factor:=0.1"]  # slow: we may lag behind at first
    simulator = bench.simulator(f"robot:={path}", "lockstep:=true", *rates)
    states = bench.mailbox(JointState, "/arm/states")
    commands = bench.node.create_publisher(JointState, "/arm/commands", 10)
    wait_for(lambda: commands.get_subscription_count() > 0, "matched", [simulator])
    state = wait_for(lambda: stamp(s := bench.latest(states)) > 20 * MS and s, "time goes on", [simulator])
    asked, velocity = [], []
    for k in range(40):
        asked.append(stamp(state))
        effort = [0.5] if k < 20 else [NAN]  # no controller is active: the joint keeps what it has
        answer = JointState(name=["placed", "spun"], position=[NAN], velocity=[NAN], effort=effort)
        answer.header.stamp = state.header.stamp
        commands.publish(answer)
        due = stamp(state) + 2 * MS
        state = wait_for(lambda due=due: stamp(s := bench.next(states)) >= due and s, "the next period", [simulator])
        velocity.append(state.velocity[1])
    assert set(np.diff(asked)) == {2 * MS}
    missing = 10.0 - np.array(velocity[-30:])  # of the speed at which damping 0.05 takes up the effort 0.5
    np.testing.assert_allclose(missing[1:] / missing[:-1], np.exp(-0.002 * 0.05 / 0.01), rtol=1e-3)


def test_joints_do_what_ros2_control_writes(bench, tmp_path):
    """A command of a plugin that is silent while nothing changes holds, however old it is."""
    path = tmp_path / "arm.urdf"
    path.write_text(urdf(threshold="1e-5"))
    settings = ("drive.stiffness:=[5.0]", "drive.damping:=[0.4]", "command_timeout:=0.1")
    simulator = bench.simulator(f"robot:={path}", *settings)
    states = bench.mailbox(JointState, "/arm/states")
    commands = bench.node.create_publisher(JointState, "/arm/commands", 1)
    wait_for(lambda: commands.get_subscription_count() > 0, "matched", bench.processes)

    def send(position, velocity, effort):
        names = ["placed", "spun"]
        commands.publish(JointState(name=names, position=position, velocity=velocity, effort=effort))

    def settled(test):
        return wait_for(lambda: test(s := bench.latest(states)) and s, "the joints do it", bench.processes)

    send([0.7], [NAN], [0.5])  # nobody claims the velocity
    last = settled(lambda s: abs(s.position[0] - 0.7) < 1e-3 and abs(s.velocity[1] - 10.0) < 0.1)  # 0.5 / 0.05
    assert list(last.name) == ["placed", "spun", "free"]
    assert not len(last.effort), "the plugin fails on a number for which a joint has no state interface"
    np.testing.assert_array_equal(np.isnan(last.velocity), [True, False, True])
    np.testing.assert_array_equal(np.isnan(last.position), [False, False, True])
    joints = bench.mailbox(JointState, "/joint_states")
    own = bench.latest(joints)
    assert own.position[2] == 0.0, "nobody commands it"
    assert own.effort[1] == pytest.approx(0.5)
    assert max(abs(bench.next(states).position[1]) for _ in range(1500)) <= 2 * np.pi + 1e-9
    for hostile in (([NAN], [NAN], [NAN]), ([float("inf")], [0.0], [0.0]), ([], [0.0], [0.0]), ([0.0] * 2, [0.0], [])):
        send(*hostile)
    words = ("not finite", "expected 1 numbers for position, found 0")
    wait_for(lambda: all(word in simulator.said() for word in words), "all are dropped", bench.processes)
    last = settled(lambda s: True)
    assert last.position[0] == pytest.approx(0.7, abs=1e-3) and last.velocity[1] == pytest.approx(10.0, abs=0.1)
    send([NAN], [2.0], [0.0])
    wait_for(
        lambda: abs((s := bench.latest(joints)).velocity[0] - 2.0 * 0.4 / 0.45) < 0.05 and s.effort[1] == 0.0, "held"
    )
