"""The command line, ``legged-contact-sim COMMAND``; ``--help`` lists the commands."""

import argparse
import math
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from ..contact import MODELS, contact_models
from ..control import controller_class, controllers
from ..control.scenario import controllers_of, flattened
from ..errors import LeggedContactSimError, ParameterError
from ..model import RobotModel, robots
from ..simulation.scenarios import find_scenario, read_scenario, scenarios, summary
from . import compare, compile, doctor, film, inspect, interfaces, reproduce, sweep, view
from .needs import need, need_plots, need_recorder, need_ros
from .supervision import Processes, environment

NO_CONTROLLER = "none"
# What the simulator does by itself, by the names that ros2_control gives to it.
BUILT_IN = {
    "joint_state_broadcaster": "the simulator's own: /joint_states",
    "imu_sensor_broadcaster": "the simulator's own: /imu",
    "forward_command_controller": "the simulator's own: /position_controller/commands, /velocity_..., /effort_...",
    "joint_trajectory_controller": "the simulator's own: /joint_trajectory_controller/joint_trajectory, and the action",
}
ANY_ROBOT = {"zmp_trot": "trot"}  # the scenario that suits any robot, by controller
STANDING = "stand"
DEFAULT_SCENARIO = "quadruped_stand"


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the arguments say; exit with a status for the shell."""
    try:
        options = _parser().parse_args(arguments)
        sys.exit(options.action(options))
    except LeggedContactSimError as error:
        print(f"legged-contact-sim: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # whoever read what is printed has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:  # a file that cannot be read or written
        print(f"legged-contact-sim: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        sys.exit(1)


class _Version(argparse.Action):
    """Prints the version and ends; it is looked up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"legged_contact_sim {version('legged_contact_sim')}")
        parser.exit()


class Commands:
    """The commands of a parser; each one's help begins with what the list says of it."""

    def __init__(self, subparsers: Any) -> None:
        """Add to argparse's own."""
        self._subparsers = subparsers

    def add_parser(self, name: str, help: str) -> argparse.ArgumentParser:
        """Add a command and what it does, in words."""
        words = f"{help[0].upper()}{help[1:]}."
        return self._subparsers.add_parser(name, help=help, description=words)  # type: ignore[no-any-return]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="legged-contact-sim",
        description="Simulate legged robots under interchangeable contact models, on ROS 2 or without.",
        epilog="Begin with `legged-contact-sim view`: a quadruped trots in the browser. COMMAND --help tells more.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="say which version this is, and end")
    commands = Commands(parser.add_subparsers(required=True, metavar="COMMAND"))
    view.add_command(commands)
    run = commands.add_parser("run", help="simulate a scenario: simulator, controller and recorder as ROS 2 processes")
    known = ", ".join(scenarios())
    run.add_argument("scenario", nargs="?", help=f"parameter file, or one of {known}; default: {DEFAULT_SCENARIO}")
    run.add_argument("--robot", help="packaged name or path of a URDF, instead of the scenario's")
    run.add_argument("--contact-model", help=f"one of {', '.join(MODELS)}, instead of the scenario's")
    names = ", ".join([*controllers(), *BUILT_IN])
    run.add_argument("--controller", help=f"{names}, MODULE:CLASS or {NO_CONTROLLER}")
    run.add_argument("--compose", action="store_true", help="run the controller in the simulator's process: faster")
    run.add_argument("-p", "--parameter", action="append", default=[], metavar="NAME:=VALUE", help="of the nodes")
    run.add_argument("--record", nargs="?", const="", metavar="FOLDER", help="record all topics into a bag")
    run.add_argument("--view", action="store_true", help="show the robot in the browser as well")
    run.add_argument("--duration", type=float, default=0.0, metavar="S", help="end after so much simulated time")
    run.set_defaults(action=_run)

    record = commands.add_parser("record", help="record topics into a rosbag2 bag (MCAP)")
    record.add_argument("topics", nargs="*", metavar="TOPIC", help="to record; none: all")
    record.add_argument("-o", "--output", default="", metavar="FOLDER", help="the bag; default: bags/ and the date")
    record.set_defaults(action=_record)

    plot = commands.add_parser("plot", help="draw what is in a bag: joints, base, contact forces, energy")
    plot.add_argument("bag", type=Path, metavar="BAG", help="folder of a bag, or MCAP file")
    plot.add_argument("-o", "--output", type=Path, metavar="FILE", help="PNG; default: the bag's name")
    plot.set_defaults(action=_plot)

    recover = commands.add_parser("recover", help="make a bag readable whose recorder was killed while it wrote")
    recover.add_argument("bag", type=Path, metavar="BAG", help="its folder")
    recover.set_defaults(action=_recover)

    film.add_command(commands)
    compare.add_command(commands)
    sweep.add_command(commands)
    reproduce.add_command(commands)
    inspect.add_command(commands)

    for name, words, action in (
        ("robots", "list the robots that come with the package", _robots),
        ("models", "list the contact models", lambda _: _table(contact_models())),
        ("controllers", "list the controllers", lambda _: _table(controllers() | BUILT_IN)),
        ("scenarios", "list the scenarios", lambda _: _table({n: summary(p) for n, p in scenarios().items()})),
        ("doctor", "say what is installed, what is missing and what to do", lambda _: doctor.report()),
    ):
        commands.add_parser(name, help=words).set_defaults(action=action)
    teleop = commands.add_parser("teleop", help="steer a walking robot by keyboard (cmd_vel)")
    teleop.add_argument("--namespace", default="", metavar="NAME", help="of the robot, if there are several: left")
    teleop.set_defaults(action=_teleop)
    interfaces.add_command(commands)
    compile.add_command(commands)
    return parser


def _settings(options: argparse.Namespace, team: dict[str, str]) -> list[str]:
    """Return parameters as NAME:=VALUE, what the user gave last, since the last one counts.

    Args:
        options: of the command line.
        team: the controller of every robot, by its name, which is empty for the only one.
    """
    settings = []
    for robot, controller in team.items():
        own = f"robots.{robot}." if robot else ""
        if _has_process(controller):
            settings += [f"{own}controller:={controller}"] + [f"{own}composed:=true"] * options.compose
        else:
            settings += [f"{own}await_command:=false", f"{own}lockstep:=false"]
        if controller in BUILT_IN:  # what ros2_control leaves alone stands, and its last command holds
            settings += [f"{own}hold.proposed:=true", f"{own}command_timeout:=0.0"]
    given = {"robot": options.robot, "contact_model": options.contact_model}
    return settings + [f"{name}:={value}" for name, value in given.items() if value is not None] + options.parameter


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters that the user gave by name.

    Raises:
        ParameterError: one of them is not written as NAME:=VALUE.
    """
    given = {}
    for setting in options.parameter:
        name, separator, value = setting.partition(":=")
        if not separator:
            raise ParameterError(f"{setting!r}: expected NAME:=VALUE")
        try:
            given[name] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise ParameterError(f"{setting!r}: its value cannot be read") from None
    return {name: value for name, value in given.items() if name.partition(".")[0] == "robots"}


def _has_process(controller: str) -> bool:
    return controller != NO_CONTROLLER and controller not in BUILT_IN


def _run(options: argparse.Namespace) -> int:
    need_ros()
    if not 0.0 <= options.duration < math.inf:
        raise ParameterError(f"duration: expected a number of seconds, 0 for ever, found {options.duration}")
    if options.record is not None:
        need_recorder()
    if options.view:
        need("viser")
    default = ANY_ROBOT.get(options.controller, STANDING) if options.robot else DEFAULT_SCENARIO
    path = find_scenario(options.scenario or default)
    team = controllers_of(flattened(read_scenario(path)) | _given(options), options.controller or "")
    for controller in filter(_has_process, set(team.values())):
        controller_class(controller)
    chosen = ["--ros-args", "--params-file", str(path)]
    for setting in _settings(options, team):
        chosen += ["-p", setting]
    with Processes() as processes:
        processes.start("simulator", "nodes.simulator_node", *chosen)
        for robot, controller in team.items():
            if _has_process(controller) and not options.compose:
                processes.start(f"controller {robot}".strip(), "nodes.controller_node", *chosen, *_inside(robot))
        if options.view:
            processes.start("viewer", "nodes.viewer_node", *chosen, *_inside(next(iter(team))))
        if options.record is not None:
            bag = ["-p", f"bag:={options.record}"] if options.record else []
            processes.start("recorder", "nodes.recorder_node", "--ros-args", *bag, last=True)
        _say_where_to_look(path, team)
        return _watch(processes, options.duration)


def _inside(robot: str) -> list[str]:
    """Return what puts a node into the namespace of one of several robots."""
    return ["-r", f"__ns:=/{robot}"] if robot else []


def _watch(processes: Processes, duration: float) -> int:
    from ..nodes.status import watch

    os.environ |= environment()  # who watches is a node, too
    try:
        if watch(lambda: processes.ended() is not None, duration):
            return 0
    except KeyboardInterrupt:
        print("ending")
        return 0
    name, status = processes.ended() or ("", 0)
    print(f"legged-contact-sim: the {name} has ended with status {status}; ending the rest", file=sys.stderr)
    return status or 1


def _say_where_to_look(path: Path, team: dict[str, str]) -> None:
    reach = environment()["ROS_AUTOMATIC_DISCOVERY_RANGE"].lower()
    words = {name: f"{name} ({BUILT_IN[name]})" if name in BUILT_IN else name for name in team.values()}
    each = ", ".join(f"{robot}: {words[name]}" if robot else words[name] for robot, name in team.items())
    first = next(iter(team))
    inside = f"/{first}" if first else ""
    print(
        f"scenario   {path}\n"
        f"controller {each}\n"
        f"look       topics {inside}/joint_states {inside}/odom {inside}/contacts/<point>/wrench "
        f"{inside}/contact_markers /tf /diagnostics "
        f"(domain {environment().get('ROS_DOMAIN_ID', '0')}, {reach})\n"
        f"           ros2 topic list; rviz2 -d {path.parent / 'legged_robot.rviz'}; legged-contact-sim record\n"
        f"           in the browser: run it with --view (make sim ARGS=--view)\n"
        f"end        Ctrl-C",
        flush=True,
    )


def _record(options: argparse.Namespace) -> int:
    need_ros()
    need_recorder()
    settings = ["-p", f"bag:={options.output}"] if options.output else []
    if options.topics:
        settings += ["-p", f"topics:=[{', '.join(options.topics)}]"]
    with Processes() as processes:
        processes.start("recorder", "nodes.recorder_node", "--ros-args", *settings)
        return _wait(processes)


def _teleop(options: argparse.Namespace) -> int:
    need_ros()
    from ..nodes import teleop_node

    os.environ |= environment()
    teleop_node.main(options.namespace)
    return 0


def _wait(processes: Processes) -> int:
    try:
        while (ended := processes.ended()) is None:
            time.sleep(0.1)
    except KeyboardInterrupt:
        return 0
    return ended[1]


def _plot(options: argparse.Namespace) -> int:
    need_plots()
    need_recorder()
    from ..recording.plot import draw

    output = options.output or options.bag.with_suffix(".png")
    draw(options.bag, output)
    print(output)
    return 0


def _recover(options: argparse.Namespace) -> int:
    need_recorder()
    from ..recording.bag import mend

    print(f"{mend(options.bag)} messages in {options.bag}")
    return 0


def _robots(_: argparse.Namespace) -> int:
    lines = {}
    for name in robots():
        robot = RobotModel.from_urdf(name)
        lines[name] = (
            f"{robot.base} base, {robot.joint_count} joints, {robot.total_mass:.3g} kg, "
            f"{len(robot.contact_names)} contact points"
        )
    return _table(lines)


def _table(lines: dict[str, str]) -> int:
    width = max(map(len, lines), default=0)
    for name, words in lines.items():
        print(f"{name:<{width}}  {words}")
    return 0
