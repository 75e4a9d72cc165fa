"""What a controller answers: efforts, or targets with gains for the robot's drives."""

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ..control import Controller, Observation
from ..errors import ParameterError
from ..model import RobotModel
from .cdr import STAMP, Template, put_stamp, sender
from .qos import STREAM
from .snapshot import NANOSECONDS

EFFORTS, TARGETS = "efforts", "targets"  # how a controller can answer
FIELDS = {EFFORTS: ("effort",), TARGETS: ("position", "velocity", "kp", "kd")}  # of the message, in order


def answer_of(controller: Controller, observation: Observation, form: str) -> Sequence[np.ndarray]:
    """Return a controller's answer: efforts alone, or positions, velocities, stiffness, damping; each (joint_count,).

    Raises:
        ParameterError: the controller has no targets.
    """
    return controller.targets(observation) if form == TARGETS else (controller.effort(observation),)


class Answers:
    """Joint commands; each bears the stamp of the joint state that it answers.

    Attributes:
        form: `EFFORTS` on ``joint_commands`` or `TARGETS` on ``low_level_command``.
        stamp: of the last answer, ns; -1: there was none.
    """

    def __init__(self, node: Node, robot: RobotModel, form: str) -> None:
        """Prepare the message.

        Raises:
            ParameterError: there is no such form, or its message is not there.
        """
        kind, topic = _message(form)
        names = FIELDS[form]
        numbers = [STAMP, *((name, "<f8", robot.joint_count) for name in names)]
        self._template = Template(kind(name=list(robot.joint_names)), numbers, _fill)
        record = self._template.record[0]
        self._stamp, self._rows = record["stamp"], [record[name] for name in names]
        self._send = sender(node.create_publisher(kind, topic, STREAM))
        self.form, self.stamp = form, -1

    @property
    def last(self) -> Sequence[np.ndarray]:
        """The last answer, as `answer_of` returns it; zeros before the first."""
        return self._rows

    def publish(self, stamp: int, answer: Sequence[np.ndarray]) -> None:
        """Answer the joint state of a stamp, ns."""
        self.stamp = stamp
        self._stamp[:] = divmod(max(stamp, 0), NANOSECONDS)
        for row, numbers in zip(self._rows, answer, strict=True):
            row[:] = numbers
        self.repeat()

    def zero(self, stamp: int) -> None:
        """Answer with no effort."""
        self.publish(stamp, [np.zeros(len(row)) for row in self._rows])

    def withdraw(self) -> None:
        """Command no effort unasked, with a stamp that no state has: the last answer stays what it was.

        A simulator in lockstep that is slow to take that answer would find two, and what it does would depend on when.
        Before the first answer there is nothing to withdraw, and a stamp of 0 would answer the first state.
        """
        if self.stamp < 0:
            return
        stamp, answer = self.stamp, [row.copy() for row in self._rows]
        self.zero(stamp + 1)
        self.stamp = stamp
        self._stamp[:] = divmod(max(stamp, 0), NANOSECONDS)
        for row, numbers in zip(self._rows, answer, strict=True):
            row[:] = numbers

    def repeat(self) -> None:
        """Publish the last answer once more."""
        self._send(self._template.encoded())


def _message(form: str) -> tuple[Any, str]:
    """Return the type and the topic of a form's message."""
    if form not in FIELDS:
        raise ParameterError(f"answer_with: expected one of {', '.join(FIELDS)}, found {form!r}")
    if form == EFFORTS:
        return JointState, "joint_commands"
    if not importlib.util.find_spec("legged_contact_sim_msgs"):
        raise ParameterError("answer_with: targets need legged_contact_sim_msgs; see legged-contact-sim interfaces")
    from legged_contact_sim_msgs.msg import LowLevelCommand

    return LowLevelCommand, "low_level_command"


def _fill(message: Any, record: np.void) -> None:
    put_stamp(message.header.stamp, record["stamp"])
    for name in record.dtype.names or ():
        if name != "stamp":
            setattr(message, name, record[name].tolist())
