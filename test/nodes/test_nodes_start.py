"""What cannot be simulated is refused at the start: one readable line, a status, and nothing left running."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from ros_bench import PATIENCE, wait_for

from legged_contact_sim.app import cli
from legged_contact_sim.app.supervision import Processes
from legged_contact_sim.nodes import process, status

BROKEN = "<robot name='broken'><link name='base'/></robot>"


REFUSED = {
    "simulator": {
        "robot:=no_such_robot": "no_such_robot",
        f"robot:={BROKEN}": "URDF text",
        "friction:=slippery": "friction",
        "control_rate:=333.0": "control_rate",
        "contact.exact_lcp.magic:=1.0": "contact.exact_lcp.magic",
        "initial.joints:=[1.0, 2.0]": "initial.joints",
        "robots:=[left, left]": "'left' twice",
        "robots:=[left, 9x]": "'9x'",
        "robots:=3": "expected a list of names",
        "robots:=[left];robots.right.friction:=0.5": "robots.right.friction: there is no such robot",
        "robots.right.friction:=0.5": "robots names none",
        "robots:=[left];robots.left.paused:=true": "the same for all robots",
        "robots:=[left];robots.left.robot:=no_such_robot": "robot left: ",
        "robots:=[left];robots.left.initial.place:=[.nan, 0.0]": "initial.place",
        "robots:=[left];robots.left.terrain.magic:=1.0": "terrain.magic",
        "robots:=[a, b];robots.b.frame_prefix:=a/": "frame_prefix",
    },
    "controller": {
        "controller:=telepathy": "telepathy",
        "joint_pid.magic:=1.0": "joint_pid.magic",
    },
}
# Imports a node once and runs it in a process of its own for each parameter.
REFUSALS = """
import importlib, os, sys
node = importlib.import_module(f"legged_contact_sim.nodes.{sys.argv[1]}_node")
for number, parameter in enumerate(sys.argv[2:]):
    child = os.fork()
    if not child:
        with open(str(number), "wb") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        sys.argv[1:] = ["--ros-args", *(part for one in parameter.split(";") for part in ("-p", one))]
        node.main()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("node", REFUSED)
def test_a_node_refuses_what_it_cannot_do_in_one_line(tmp_path, node):
    cases = REFUSED[node]
    command = [sys.executable, "-c", REFUSALS, node, *cases]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # a process with threads must not fork
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.split() == ["1"] * len(cases), done.stderr
    for number, word in enumerate(cases.values()):
        lines = [line for line in (tmp_path / str(number)).read_text().splitlines() if line.strip()]
        assert len(lines) == 1, lines
        assert word in lines[0]


def test_command_line_ends_everything_when_the_simulator_refuses(tmp_path):
    command = [sys.executable, "-m", "legged_contact_sim", "run", "-p", "contact_model:=glue"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1
    assert "glue" in done.stderr
    assert not children_of_domain()


def children_of_domain():
    """Return the command lines of nodes in this test's domain that are still there."""
    domain = f"ROS_DOMAIN_ID={os.environ['ROS_DOMAIN_ID']}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            arguments, environment = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        if b"legged_contact_sim.nodes" in arguments and domain in environment.split(b"\0"):
            found.append(arguments)
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_command_line_shows_a_standing_robot_and_leaves_nothing_behind(tmp_path, number):
    """Until Ctrl-C; and even if it is killed itself."""
    log = tmp_path / "run.log"
    with open(log, "wb") as output:
        command = [sys.executable, "-m", "legged_contact_sim", "run", "--record", str(tmp_path / "bag")]
        run = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_for(lambda: "contacts 4/16" in log.read_text(), "the status line")
        assert len(children_of_domain()) == 3
        run.send_signal(number)
        status = run.wait(PATIENCE)
    finally:
        run.kill()
    assert status == (0 if number == signal.SIGINT else -9)
    wait_for(lambda: not children_of_domain(), "all have ended")
    assert "Traceback" not in log.read_text(), log.read_text()


def test_who_watches_stays_on_this_machine_too(monkeypatch):
    reach = "ROS_AUTOMATIC_DISCOVERY_RANGE"
    seen = []
    monkeypatch.setattr(status, "watch", lambda *_: seen.append(os.environ[reach]) or True)
    monkeypatch.setattr(os, "environ", {})
    assert cli._watch(Processes(), 1.0) == 0
    monkeypatch.setattr(os, "environ", {reach: "SUBNET"})
    assert cli._watch(Processes(), 1.0) == 0
    assert seen == ["LOCALHOST", "SUBNET"]


# A node that gets a signal in the middle of its imports.
INTERRUPTED = """
import os, sys
class Interrupter:
    def find_spec(self, name, *_):
        if name == "rclpy":
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Interrupter())
from legged_contact_sim.programs import {program} as program
program()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("program", ["simulator_node", "controller_node", "recorder_node", "teleop_node"])
def test_interrupted_while_modules_load_a_node_ends_without_a_word(program, number):
    command = [sys.executable, "-c", INTERRUPTED.format(program=program, number=int(number))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (-number, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_before_its_loop_a_node_ends_in_peace(monkeypatch, number):
    """The signal comes while the node is made, and again while rclpy shuts down."""
    monkeypatch.setattr(process.Running, "wanted", True)
    monkeypatch.setattr(process.rclpy, "init", lambda **_: None)
    monkeypatch.setattr(process.rclpy, "try_shutdown", lambda: os.kill(os.getpid(), number))
    before = {k: signal.getsignal(k) for k in (signal.SIGINT, signal.SIGTERM)}
    try:
        assert process._run_node(lambda: os.kill(os.getpid(), number), "node") == 0
    finally:
        for k, handler in before.items():
            signal.signal(k, handler)


@pytest.mark.parametrize("name", ["simulator", "controller", "teleop", "viewer"])
def test_a_node_starts_where_only_a_run_s_own_libraries_are(name):
    """`make sim ARGS=--view` adds the browser page to them, and no recorder."""
    extras = ["mcap", "rosbags", "zstandard", "matplotlib", "imageio", "onnxruntime", "joblib"]
    code = f"import sys; sys.modules.update(dict.fromkeys({extras})); import legged_contact_sim.nodes.{name}_node"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
