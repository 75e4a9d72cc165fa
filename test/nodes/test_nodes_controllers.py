"""Every controller, as a process: it drives while readings come, and goes to zero effort when one stays out."""

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from ros_bench import wait_for
from sensor_msgs.msg import JointState

from legged_contact_sim import RobotModel
from legged_contact_sim.control import CONTROLLERS
from legged_contact_sim.nodes.outputs import topic_name

NAMES = [name for name in CONTROLLERS if name != "policy"]  # which needs a file, and onnxruntime
ROBOTS = {"operational_space_jump": "planar_leg", "capability_jump": "jumping_leg", "planar_walk": "biped_planar"}
PLANAR = ("planar_leg", "biped_planar")  # their bases are joints; they have no odometry
TIMEOUT = 0.3  # s
PERIOD = 2_000_000  # ns


class Plant:
    """The sensors of a robot in a namespace, by hand, and the answers of its controller."""

    def __init__(self, bench, name):
        self.name, self.bench = name, bench
        self.robot = RobotModel.from_urdf(ROBOTS.get(name, "quadruped12"))
        settings = [f"controller:={name}", f"robot:={self.robot.name}", f"sensor_timeout:={TIMEOUT}"]
        space = ("--ros-args", "-r", f"__ns:=/{name}")
        self.process = bench.start("nodes.controller_node", *settings, arguments=space)
        self.answers = bench.mailbox(JointState, f"/{name}/joint_commands")
        publisher = bench.node.create_publisher
        self.states = publisher(JointState, f"/{name}/joint_states", 10)
        self.odometry = publisher(Odometry, f"/{name}/odom", 10)
        self.wrenches = [
            publisher(WrenchStamped, f"/{name}/contacts/{topic_name(point)}/wrench", 10)
            for point in self.robot.contact_names
        ]
        self.stamp = 0

    def matched(self):
        feels, floating = CONTROLLERS[self.name].feels_contacts, self.robot.base == "floating"
        heard = [self.states, *([self.odometry] if floating else []), *(self.wrenches if feels else [])]
        listening = all(publisher.get_subscription_count() for publisher in heard)
        return listening and self.answers.subscription.get_publisher_count() and " at 500 Hz" in self.process.said()

    def responds(self):
        """Tell readings; return whether an answer has come: the other side matches publishers when it sees them."""
        self.tell()
        return self.answers.newest() is not None

    def tell(self, odometry=True, spoiled=False, again=False):
        """Publish the readings of the next instant (or this one): a robot at rest, a little off its home pose."""
        self.stamp += 0 if again else PERIOD
        robot = self.robot
        positions = (robot.home[robot.position_indices] - 0.01).tolist()
        if spoiled:
            positions[0] = float("nan")
        state = JointState(name=list(robot.joint_names), position=positions, velocity=[0.0] * robot.joint_count)
        base = Odometry()
        base.pose.pose.position.z, base.pose.pose.orientation.w = float(robot.home[2]), 1.0
        wrench = WrenchStamped()
        wrench.wrench.force.z = 20.0
        for message in (base, wrench, state):
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(self.stamp, 10**9)
        if odometry:
            self.odometry.publish(base)
        for publisher in self.wrenches:
            publisher.publish(wrench)
        self.states.publish(state)

    def command(self):
        """Return stamp, ns, and efforts of the next command."""
        message = self.bench.next(self.answers)
        return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec, np.array(message.effort)

    def answer(self):
        """Return the efforts of the next answer to the readings told last."""
        while True:
            stamp, effort = self.command()
            if stamp == self.stamp:
                return effort


@pytest.fixture(scope="module")
def plants(shared_bench):
    found = {name: Plant(shared_bench, name) for name in NAMES}
    for plant in found.values():
        wait_for(plant.matched, plant.name, [plant.process])
        wait_for(plant.responds, plant.name, [plant.process])
    return found


def drive(plant, count=5):
    efforts = []
    for _ in range(count):
        plant.tell()
        efforts.append(plant.answer())
    return np.array(efforts)


@pytest.mark.parametrize("name", NAMES)
def test_without_joint_states_the_last_word_is_zero_effort(plants, name):
    plant = plants[name]
    efforts = drive(plant)
    assert np.abs(efforts).max() > 0.1, "it drives while joint states come"
    stamp, effort = plant.command()
    assert not effort.any(), "nothing was told any more"
    assert stamp > plant.stamp, "a simulator in lockstep may not have taken the answer yet: this is not another one"
    plant.tell(again=True)
    assert plant.answer().tolist() == efforts[-1].tolist(), "nor is it the answer to be repeated"
    assert not plant.command()[1].any()
    assert "no joint states for 0.3 s: joint efforts are zero" in plant.process.said()
    assert np.abs(drive(plant)).max() > 0.1, "it goes on when they come back"


@pytest.mark.parametrize("name", NAMES)
def test_readings_that_are_not_finite_are_not_used(plants, name):
    plant = plants[name]
    drive(plant)
    plant.tell(spoiled=True)
    assert not plant.answer().any()
    assert "a reading is not finite: joint efforts are zero" in plant.process.said()
    assert np.abs(drive(plant)).max() > 0.1


@pytest.mark.parametrize("name", [name for name in NAMES if ROBOTS.get(name) not in PLANAR])
def test_odometry_that_stays_behind_is_not_extrapolated(plants, name):
    plant = plants[name]
    drive(plant)
    plant.stamp += round(TIMEOUT * 1e9)
    plant.tell(odometry=False)
    assert not plant.answer().any()
    assert "no odom for 0.3 s: joint efforts are zero" in plant.process.said()
