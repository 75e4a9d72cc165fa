"""A fall from half a metre as the topics tell it: no force in flight, and a landing that takes the momentum away."""

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from ros_bench import STAND, collect, seconds, wait_for
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

from legged_contact_sim import RobotModel
from legged_contact_sim.dynamics import centroidal_momentum

ROBOT = RobotModel.from_urdf("quadruped16")
WEIGHT = ROBOT.total_mass * 9.81
LANDING = np.sqrt(2.0 * 0.5 / 9.81)


@pytest.fixture(scope="module")
def fall(shared_bench):
    """Joint states, odometry and wrenches by stamp (ns), from the start to 0.3 s after the landing."""
    bench = shared_bench
    boxes = {
        "joints": bench.mailbox(JointState, "/joint_states"),
        "base": bench.mailbox(Odometry, "/odom"),
        **{name: bench.mailbox(WrenchStamped, f"/contacts/{name}/wrench") for name in ROBOT.contact_names},
    }
    bench.simulator(*STAND, "initial.lift:=0.5", "wrench_rate:=500.0", "paused:=true")
    for name, box in boxes.items():
        wait_for(lambda b=box: b.subscription.get_publisher_count() > 0, name, bench.processes)
    assert bench.call(SetBool, "/pause", SetBool.Request(data=False)).success
    messages: dict[str, list] = {name: [] for name in boxes}

    def all_landed():
        for name, box in boxes.items():
            collect(box, messages[name])
        return all(found and seconds(found[-1].header.stamp) > LANDING + 0.35 for found in messages.values())

    wait_for(all_landed, "the landing", bench.processes)
    return {name: {stamp_of(message): message for message in found} for name, found in messages.items()}


def stamp_of(message):
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def momentum(fall, stamp):
    """Linear momentum (3,), N s, from joint states and odometry."""
    joints, base = fall["joints"][stamp], fall["base"][stamp]
    at, turned = base.pose.pose.position, base.pose.pose.orientation
    linear, angular = base.twist.twist.linear, base.twist.twist.angular
    q = np.array([at.x, at.y, at.z, turned.x, turned.y, turned.z, turned.w, *joints.position])
    v = np.array([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z, *joints.velocity])
    return centroidal_momentum(ROBOT, q, v)[:3]


def forces(fall, begin, end):
    """Wrenches after one instant up to another, (points, T, 3), N."""
    found = []
    for name in ROBOT.contact_names:
        messages = [message.wrench.force for stamp, message in sorted(fall[name].items()) if begin < stamp <= end]
        found.append([[force.x, force.y, force.z] for force in messages])
    return np.array(found)


def test_forces_are_zero_in_flight(fall):
    assert not forces(fall, 0, int((LANDING - 0.004) * 1e9)).any()


def test_impulse_of_the_landing_is_the_change_of_momentum(fall):
    begin, end = 300_000_000, int((LANDING + 0.3) * 500) * 2_000_000
    impulse = forces(fall, begin, end).sum(axis=(0, 1)) * 0.002
    impulse[2] -= WEIGHT * (end - begin) * 1e-9
    change = momentum(fall, end) - momentum(fall, begin)
    assert change[2] == pytest.approx(ROBOT.total_mass * 9.81 * 0.3, rel=0.1), "it landed and came to rest"
    assert impulse == pytest.approx(change, abs=1e-3 * np.linalg.norm(change))


def test_the_first_blow_alone_accounts_for_its_change_of_momentum(fall):
    """The sharpest test: the few messages around the impact, where forces are a hundred times the weight."""
    begin = int((LANDING - 0.004) * 500) * 2_000_000
    end = begin + 10_000_000
    blow = forces(fall, begin, end)
    assert blow[:, :, 2].max() > WEIGHT
    impulse = blow.sum(axis=(0, 1)) * 0.002
    impulse[2] -= WEIGHT * (end - begin) * 1e-9
    change = momentum(fall, end) - momentum(fall, begin)
    assert impulse == pytest.approx(change, abs=0.01 * np.linalg.norm(change))
