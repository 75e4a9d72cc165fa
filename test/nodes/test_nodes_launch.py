"""What a launch file or a robot_state_publisher beside the simulator relies on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_bench import STAND
from tf2_msgs import action, msg, srv
from tf2_msgs.msg import TFMessage

from legged_contact_sim import RobotModel

ROOT = Path(__file__).resolve().parents[2]
ROBOT = RobotModel.from_urdf("quadruped16")
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def test_beside_a_robot_state_publisher_and_another_clock(bench):
    """Base and contact points are published, links are not; who does not tell the time is no publisher of it."""
    bench.simulator(*STAND, "link_frames:=false", "clock_rate:=0.0")
    moving = bench.next(bench.mailbox(TFMessage, "/tf")).transforms
    contacts = {f"{name}_contact" for name in ROBOT.contact_names}
    assert {t.child_frame_id for t in moving} == {"base_link"} | contacts
    assert {t.header.frame_id for t in moving} == {"world"}
    base = next(t for t in moving if t.child_frame_id == "base_link").transform.translation
    at = bench.next(bench.mailbox(Odometry, "/odom")).pose.pose.position
    assert base.z == pytest.approx(at.z, abs=0.01)
    assert not bench.next(bench.mailbox(TFMessage, "/tf_static", LATCHED)).transforms
    assert bench.node.count_publishers("/clock") == 0


def test_all_of_tf2_msgs_is_there():
    """A tf2_ros from elsewhere imports all of it."""
    assert msg.TF2Error.EXTRAPOLATION_ERROR == 3
    assert srv.FrameGraph.Response().frame_yaml == ""
    goal = action.LookupTransform.Goal(target_frame="world", source_frame="base_link")
    assert not goal.advanced
    assert action.LookupTransform.Result().error.error == msg.TF2Error.NO_ERROR


def test_what_pip_puts_where_ros2_run_looks_starts_the_program_beside_it(tmp_path):
    """The programs of an installation by pip are in bin/, and ros2 run looks in lib/legged_contact_sim/."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib" / "legged_contact_sim").mkdir(parents=True)
    for script in (ROOT / "scripts").iterdir():
        assert os.access(script, os.X_OK)
        installed = tmp_path / "lib" / "legged_contact_sim" / script.name
        installed.write_bytes(script.read_bytes())
        installed.chmod(0o755)
        program = tmp_path / "bin" / script.name
        program.write_text(f"#!{sys.executable}\nimport sys\nprint({script.name!r}, sys.argv[1:])\n")
        program.chmod(0o755)
        done = subprocess.run([installed, "--ros-args", "two words"], capture_output=True, text=True, check=True)
        assert done.stdout == f"{script.name} ['--ros-args', 'two words']\n"


def test_the_scripts_are_those_of_the_nodes():
    setup = (ROOT / "setup.py").read_text()
    assert all(f'"{script.name} = ' in setup for script in (ROOT / "scripts").iterdir())
