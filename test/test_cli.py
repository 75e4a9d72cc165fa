"""The command line without ROS: lists, scenarios, and what the doctor says."""

import ast
import importlib.util
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import legged_contact_sim
from legged_contact_sim import ParameterError, RobotModel, Simulator, contact_models, robots
from legged_contact_sim.app import cli, doctor, supervision
from legged_contact_sim.control import InProcess, controllers, make_controller
from legged_contact_sim.simulation.scenarios import find_scenario, read_scenario, scenarios

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return ended.value.code


@pytest.mark.parametrize(
    ("command", "names"),
    [("robots", robots()), ("models", contact_models()), ("controllers", [*controllers(), *cli.BUILT_IN])],
)
def test_lists_name_everything(capsys, command, names):
    assert run(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(names)


def test_it_says_its_version(capsys):
    assert run("--version") == 0
    assert capsys.readouterr().out == f"legged_contact_sim {legged_contact_sim.__version__}\n"


@pytest.mark.parametrize("name", scenarios())
def test_scenarios_name_a_robot_a_contact_model_and_a_controller_that_exist(name):
    parameters = read_scenario(find_scenario(name))
    robot = RobotModel.from_urdf(parameters["robot"])
    assert parameters.get("contact_model", "exact_lcp") in contact_models()
    controller = parameters.get("controller", "none")
    if controller != "none":
        make_controller(controller, robot, parameters.get(controller, {}))
        assert parameters.get("rate", 500.0) <= 1.0 / parameters.get("time_step", 5e-4) or name.startswith("capability")


def test_the_jumping_leg_starts_where_it_can_jump():
    parameters = read_scenario(find_scenario("jumping_leg"))
    step = parameters["time_step"]
    sim = Simulator(parameters["robot"], time_step=step, friction=parameters["friction"])
    sim.reset(parameters["initial.q"])
    controller = make_controller("capability_jump", sim.robot, parameters["capability_jump"])
    base = sim.run(0.2, InProcess(controller, sim, step)).q[:, :3]
    assert base[:, 2].max() > base[0, 2] + 0.1
    assert base[:, 0].min() < base[0, 0] - 0.05


def test_what_is_not_there_is_one_line_and_a_status(capsys, tmp_path):
    assert run("run", "no_such_scenario") == 1
    assert run("plot", str(tmp_path)) == 1
    assert run("recover", str(tmp_path)) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3 and all(line.startswith("legged-contact-sim: ") for line in lines)


@pytest.mark.parametrize("domain", ["233", "-1", "home"])
def test_a_domain_that_dds_does_not_have_is_one_line(monkeypatch, domain):
    monkeypatch.setenv("ROS_DOMAIN_ID", domain)
    with pytest.raises(ParameterError, match=f"ROS_DOMAIN_ID: expected .* 0 to 232, found '{domain}'"):
        supervision.environment()


def test_a_file_that_is_no_parameter_file_is_refused(tmp_path):
    path = tmp_path / "x.yaml"
    for text in ("robot: quadruped16", "[1, 2", ""):
        path.write_text(text)
        with pytest.raises(ParameterError, match="x.yaml"):
            read_scenario(path)


def test_doctor_tells_what_is_missing_and_what_to_do(capsys, monkeypatch):
    there = doctor._importable
    monkeypatch.setattr(doctor, "_importable", lambda module: module not in ("rclpy", "tf2_msgs") and there(module))
    assert run("doctor") == 1
    out = capsys.readouterr().out
    assert re.search(r"MISSING\s+rclpy\s+source ROS 2", out)
    assert re.search(r"MISSING\s+tf2_msgs\s+legged-contact-sim interfaces", out)
    assert re.search(r"ok\s+numpy", out)
    assert re.search(r"(ok\s+viser|without\s+viser\s+pip install viser, for legged-contact-sim view)", out)


def test_launch_files_start_scenarios_that_exist():
    """Their defaults, read without running them: launch itself need not be installed."""
    files = sorted((ROOT / "launch").glob("*.launch.py"))
    assert len(files) >= 20
    for path in files:
        tree = ast.parse(path.read_text())
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert "generate_launch_description" in functions
        pairs = re.findall(r"\"scenario\": \(?\"(\w+)\"", path.read_text())
        assert pairs or path.name == "viewer.launch.py"  # which shows what others simulate
        assert set(pairs) <= set(scenarios()), path.name


# A program that gets a signal in the middle of its imports.
INTERRUPTED = """
import os, sys
class Interrupter:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Interrupter())
sys.argv = ["program", *{arguments!r}]
from legged_contact_sim.programs import {program} as program
program()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_while_modules_load_the_command_line_ends_without_a_word(number):
    text = INTERRUPTED.format(module="numba", number=int(number), arguments=["models"], program="command_line")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=1200.0)
    assert (done.returncode, done.stdout, done.stderr) == (-number, "", "")


def test_a_signal_to_the_command_line_interrupts_what_it_does():
    where = "legged_contact_sim.recording.plot"
    text = INTERRUPTED.format(module=where, number=int(signal.SIGTERM), arguments=["plot", "x"], program="command_line")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=1200.0)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_what_the_user_says_of_lockstep_counts_without_a_controller_too():
    options = cli._parser().parse_args(["run", "--controller", "none", "-p", "lockstep:=true"])
    settings = cli._settings(options, {"": "none"})
    assert settings.index("lockstep:=true") > settings.index("lockstep:=false")


@pytest.mark.parametrize("name", cli.BUILT_IN)
def test_what_ros2_control_s_controllers_do_needs_no_process(name):
    """The robot stands by itself until it is commanded, and the last command holds, as under ros2_control."""
    options = cli._parser().parse_args(["run", "--controller", name])
    assert not cli._has_process(name)
    assert {"hold.proposed:=true", "command_timeout:=0.0"} <= set(cli._settings(options, {"": name}))


@pytest.mark.parametrize(
    ("lacking", "arguments", "extra"),
    [
        ("matplotlib", ["plot", "bag"], "plot"),
        ("mcap", ["plot", "bag"], "record"),
        ("mcap", ["recover", "bag"], "record"),
        ("matplotlib", ["compare", "quadruped_drop"], "plot"),
        ("matplotlib", ["reproduce", "flickinger"], "plot"),
        ("matplotlib", ["inspect", "quadruped12", "-o", "picture.png"], "plot"),
    ],
)
def test_what_a_command_lacks_is_one_line_before_it_runs(monkeypatch, capsys, lacking, arguments, extra):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == lacking else found(name, *rest)
    )
    assert run(*arguments) == 1
    *_, line = capsys.readouterr().err.splitlines()
    assert line.startswith(f"legged-contact-sim: {lacking} is not installed") and f"[{extra}]" in line


@pytest.mark.parametrize("duration", ["-1", "nan", "inf"])
def test_a_run_of_an_impossible_length_is_refused(monkeypatch, capsys, duration):
    monkeypatch.setattr(cli, "need_ros", lambda: None)
    assert run("run", "--duration", duration) == 1
    assert capsys.readouterr().err.startswith("legged-contact-sim: duration: expected")
