"""A controller as a ROS 2 node: joint states, odometry and contact forces in, joint efforts or targets out."""

import dataclasses
import gc
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Twist
from rclpy.node import Node
from rclpy.parameter import Parameter
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from ..control import (
    CONTROLLERS,
    BaseState,
    Controller,
    Observation,
    controller_class,
    make_controller,
)
from ..errors import LeggedContactSimError, ParameterError
from .answers import EFFORTS, TARGETS, Answers, answer_of
from .contact_topics import points_with_topics
from .declared import Declared, declare
from .polling import Mailbox, message_of
from .process import Running, run_process, served
from .qos import COMMANDS
from .readings import GLANCE, Due, Readings, stamp_of
from .robot_parameters import declare_robot
from .several import take_own
from .throttle import Throttle
from .trajectories import trajectory_of

FASTEST = 1e6  # m/s, rad/s; nothing that walks is faster
IDLE = 1e-3  # s; between looks for messages while nobody tells joint states: the simulator may be compiling

PARAMETERS = {
    "rate": Declared(500.0, "Hz of simulated time; commands", 0.1, 1e5, fixed=True),
    "lockstep": Declared(False, "the simulator waits for answers: joint states that stay out are late", fixed=True),
    "sensor_timeout": Declared(0.1, "s; without joint states for so long, efforts are zero", 1e-3, 1e3),
    "answer_with": Declared(EFFORTS, f"{EFFORTS}, or {TARGETS} with gains for the robot's drives", fixed=True),
    "control_rate": Declared(1000.0, "Hz; of the simulator: joint states", 1.0, 1e5, fixed=True),
    "odom_rate": Declared(1000.0, "Hz; of the simulator; in lockstep what is due is waited for", 0.0, 1e5, fixed=True),
    "wrench_rate": Declared(1000.0, "Hz; likewise", 0.0, 1e5, fixed=True),
    "contact_forces": Declared(True, "listen to the contact wrenches, if the controller does", fixed=True),
}


class ControllerNode(Node):
    """Answers joint states with efforts or targets; the answer bears the stamp of the state that it answers."""

    def __init__(self, default: str, composed_in: str | None = None) -> None:
        """Read the parameters and make the controller.

        Args:
            default: its name if no parameter tells another.
            composed_in: namespace of the simulator in the same process that asks it; it reads no topics of the robot.
        """
        composed = composed_in is not None
        own_name = ["--ros-args", "-r", "__node:=controller", "-r", f"__ns:={composed_in}"] if composed else None
        super().__init__("controller", cli_args=own_name)
        take_own(self)
        choice = {"controller": Declared(default, f"one of {', '.join(CONTROLLERS)}, or MODULE:CLASS", fixed=True)}
        name = declare(self, choice)["controller"]
        kind = controller_class(name)
        values = declare(self, PARAMETERS | controller_parameters(kind))
        _refuse_unknown_settings(self, kind)
        robot = declare_robot(self)
        prefix = f"{kind.name}."
        given = {key.removeprefix(prefix): value for key, value in values.items() if key.startswith(prefix)}
        warm_up(make_controller(name, robot, given), values["answer_with"])
        self.controller = make_controller(name, robot, given)
        self.period = 1.0 / values["rate"]
        self.timeout = values["sensor_timeout"]
        self.lockstep = values["lockstep"]
        self.warn = Throttle(self.get_logger().warning)
        feels = values["contact_forces"] and self.controller.feels_contacts
        due = Due(*(values[name] for name in ("control_rate", "odom_rate", "wrench_rate"))) if self.lockstep else None
        self.felt = points_with_topics(self, robot) if feels else ()  # contact points
        self.readings = None if composed else Readings(self, robot, self.felt, due)
        self.wishes = Wishes(self, self.controller, self.warn)
        self.answers = Answers(self, robot, values["answer_with"])
        self._control_rate, self._every = values["control_rate"], max(1, round(values["control_rate"] / values["rate"]))
        self._grid = -1  # the last instant of the control grid that was heard of
        self._passed = -1  # stamp of the last joint states that were heard, ns
        self._pending: bytes | None = None  # joint states to be answered
        self._answered = b""  # and those that were answered last
        self._time: float | None = None  # of the last observation, s
        self._heard = time.monotonic()
        self._zeroed = True  # nothing to make zero before the first state

    def run(self, running: Running) -> None:
        """Answer until interrupted."""
        gc.freeze()
        while running and self.readings:
            self._hear(self.readings)
            if self._pending is None:
                self._watch()
                time.sleep(IDLE if self._zeroed else GLANCE)
                continue
            self._heard = time.monotonic()
            self.wishes.poll()
            if self._answer(self._pending, self.readings):
                self._pending = None

    def _hear(self, readings: Readings) -> None:
        """Take joint states: the newest on the control grid is to be answered, an answer is repeated when asked for."""
        for raw in readings.joint_states():
            self._heard, self._zeroed = time.monotonic(), False
            stamp = stamp_of(raw)
            instant = self._instant(stamp)
            if stamp < self._passed:  # time went back: what was not answered is of the past
                self._pending, self._grid = None, -1
            if stamp == self.answers.stamp and raw == self._answered:
                self.answers.repeat()
                self._grid = instant
            elif stamp == self.answers.stamp or instant != self._grid:
                if stamp == self.answers.stamp:  # put somewhere else at the same time
                    self.begin_anew()
                self._pending, self._grid = raw, instant
            elif self.lockstep and stamp == self._passed and self._pending is None:
                self.warn("grid", f"a command for {stamp * 1e-9:g} s is waited for, which is not one of this rate")
            self._passed = stamp

    def _instant(self, stamp: int) -> int:
        """Return the number of the control grid's last instant at a stamp, ns; in lockstep as the simulator counts."""
        if self.lockstep:
            return round(stamp * 1e-9 * self._control_rate) // self._every
        return int(stamp * 1e-9 / self.period + 1e-6)

    def _answer(self, raw: bytes, readings: Readings) -> bool:
        """Answer a joint state; return whether that is possible already."""
        stamp = stamp_of(raw)
        observation = readings.observe(raw, self.timeout)
        if observation is None:
            return False
        self._answered = raw
        if isinstance(observation, str):
            self._refuse(stamp, f"no {observation} for {self.timeout:g} s")
        else:
            self._respond(stamp, observation)
        if readings.seldom:
            self.warn("seldom", f"{', '.join(sorted(readings.seldom))}: not published at the rate that was told")
        return True

    def ask(self, stamp: int, observation: Observation) -> Sequence[np.ndarray]:
        """Return what answers an observation of a stamp, ns, after publishing it: see `Answers.last`."""
        self.wishes.poll()
        self._respond(stamp, observation)
        return self.answers.last

    def begin_anew(self) -> None:
        """Let the controller begin anew with the next observation: the robot was put somewhere else."""
        self._time = None

    def _respond(self, stamp: int, observation: Observation) -> None:
        if not observation.finite:
            self._refuse(stamp, "a reading is not finite")
            return
        if self._time is None or not 0.0 <= observation.time - self._time <= self.timeout:
            self.controller.reset(observation)
        self._time = observation.time
        answer = answer_of(self.controller, observation, self.answers.form)
        if getattr(self.controller, "fallen", False):
            self.warn("fallen", "the robot has fallen over: joint efforts are zero until a reset")
        if np.isfinite(answer).all():
            self.answers.publish(stamp, answer)
        else:
            self.warn("finite", "the controller's answer is not finite: joint efforts are zero")
            self.answers.zero(stamp)

    def _refuse(self, stamp: int, reason: str) -> None:
        """Answer with zero effort; before the first answer with silence: efforts are zero, and readings yet to come."""
        self.warn(reason, f"{reason}: joint efforts are zero")
        self._time = None
        if self.answers.stamp < 0:
            self._grid = -1
        else:
            self.answers.zero(stamp)

    def _watch(self) -> None:
        """Command zero effort, once, when joint states stay out; never guess how the robot moves on.

        In lockstep the robot does not move on: time stands until the answer comes.
        """
        if not self.lockstep and not self._zeroed and time.monotonic() - self._heard > self.timeout:
            self.warn("joint_states", f"no joint states for {self.timeout:g} s: joint efforts are zero")
            self.answers.withdraw()
            self._zeroed = True


class Wishes:
    """What users want of the controller: a velocity of the base, or a trajectory of the joints."""

    def __init__(self, node: Node, controller: Any, warn: Throttle) -> None:
        """Listen to cmd_vel, and to joint_trajectory if the controller can follow one."""
        self._controller, self._warn = controller, warn
        self._velocity = Mailbox(node, Twist, "cmd_vel", COMMANDS)
        follows = hasattr(controller, "follow")
        self._trajectory = Mailbox(node, JointTrajectoryMessage, "joint_trajectory", COMMANDS) if follows else None

    def poll(self) -> None:
        """Pass on what has arrived."""
        raw = self._velocity.newest()
        if raw is not None:
            try:
                self._controller.command_velocity(*_velocity_of(message_of(raw, Twist)))
            except LeggedContactSimError as error:
                self._warn("cmd_vel", f"a velocity was dropped: {error}")
        raw = self._trajectory.newest() if self._trajectory else None
        if raw is not None:
            try:
                message = message_of(raw, JointTrajectoryMessage)
                self._controller.follow(trajectory_of(message, self._controller.robot))
            except LeggedContactSimError as error:
                self._warn("trajectory", f"a trajectory was dropped: {error}")


def _velocity_of(twist: Twist) -> tuple[float, float, float]:
    """Return the wanted velocities forward and left, m/s, and rate of turning, rad/s.

    Raises:
        ParameterError: nobody can mean them.
    """
    wanted = (twist.linear.x, twist.linear.y, twist.angular.z)
    if not np.isfinite(wanted).all() or np.abs(wanted).max() > FASTEST:
        raise ParameterError(f"expected finite numbers up to {FASTEST:g}")
    return wanted


def warm_up(controller: Controller, answer_with: str) -> None:
    """Have compiled what a controller needs, before anybody waits for its answer."""
    robot = controller.robot
    rest = np.zeros(robot.nv)
    base = BaseState(robot.home[:3], robot.home[3:7], rest[:3], rest[3:6]) if robot.base == "floating" else None
    forces = {name: np.zeros(3) for name in robot.contact_names}
    seen = Observation(0.0, robot.home[robot.position_indices], rest[robot.velocity_indices], base, forces)
    controller.reset(seen)
    answer_of(controller, seen, answer_with)


def controller_parameters(kind: type[Controller]) -> dict[str, Declared]:
    """Return the parameters of a controller as they are declared: <controller>.<parameter>."""
    declared = {}
    for item in dataclasses.fields(kind.Parameters):  # type: ignore[arg-type]
        default: Any = list(item.default) if isinstance(item.default, tuple) else item.default
        unset = isinstance(default, list) and not default
        declared[f"{kind.name}.{item.name}"] = Declared(
            Parameter.Type.DOUBLE_ARRAY if unset else default, item.metadata.get("unit", ""), fixed=True
        )
    return declared


def _refuse_unknown_settings(node: Node, kind: type[Controller]) -> None:
    known, name = controller_parameters(kind), kind.name
    for given in node._parameter_overrides:
        if given.startswith(f"{name}.") and given not in known:
            raise ParameterError(f"{given}: there is no such parameter; {name} has {', '.join(known)}")


def main(default: str = "joint_pid") -> None:
    """Run a controller until Ctrl-C or SIGTERM."""
    run_process(lambda: _run(default), "controller")


def _run(default: str) -> None:
    node = ControllerNode(default)
    node.get_logger().info(f"{node.controller.name} for {node.controller.robot.name} at {1.0 / node.period:.0f} Hz")
    with served(node) as running:
        node.run(running)


if __name__ == "__main__":
    main()
