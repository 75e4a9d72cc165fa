"""Which joint states a controller in lockstep answers, and what it answers after a reset."""

from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import Twist, Vector3
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from legged_contact_sim import RobotModel
from legged_contact_sim.control import BaseState, Observation
from legged_contact_sim.nodes.controller_node import ControllerNode
from legged_contact_sim.nodes.readings import stamp_of

ROBOT = RobotModel.from_urdf("quadruped12")
NAMES = list(ROBOT.joint_names)
BASE = BaseState(ROBOT.home[:3], ROBOT.home[3:7], np.zeros(3), np.zeros(3))


class Told:
    """Joint states as a test tells them, in place of `Readings`."""

    seldom = frozenset()

    def __init__(self):
        self.waiting: list[bytes] = []
        self.bent: dict[bytes, float] = {}
        self.complete = True  # whether the other readings have come

    def tell(self, milliseconds, bent=0.0):
        state = JointState(name=NAMES, position=[bent] * len(NAMES), velocity=[0.0] * len(NAMES))
        state.header.stamp.nanosec = milliseconds * 1_000_000
        self.waiting.append(bytes(serialize_message(state)))
        self.bent[self.waiting[-1]] = bent

    def joint_states(self):
        while self.waiting:
            yield self.waiting.pop(0)

    def observe(self, raw, _):
        if not self.complete:
            return None
        position = np.full(len(NAMES), self.bent[raw])
        return Observation(stamp_of(raw) * 1e-9, position, np.zeros(len(NAMES)), BASE, {})


class Controller:
    """A controller node in this process, turn by turn, and its answers: when, ms, and how far the joints were bent."""

    def __init__(self, rate=500.0):
        settings = (f"rate:={rate}", "lockstep:=true", "robot:=quadruped12", "joint_pid.stiffness:=[1.0]")
        arguments = [part for each in (*settings, "joint_pid.damping:=[0.0]") for part in ("-p", each)]
        rclpy.init(args=["--ros-args", *arguments])
        self.node, self.told, self.said = ControllerNode("joint_pid"), Told(), []
        self.answers, self.begun = [], 0
        answers, inner = self.node.answers, self.node.controller
        home = ROBOT.home[ROBOT.position_indices[0]]
        answers._send = lambda _: self.answers.append((answers.stamp // 1_000_000, round(home - answers.last[0][0], 9)))
        self.node.warn = lambda kind, _: self.said.append(kind)
        reset = inner.reset

        def counted(observation):
            self.begun += 1
            reset(observation)

        inner.reset = counted

    def answers_to(self, *told):
        """Return the answers after some joint states: when, ms, and how far the joints are bent."""
        for milliseconds, bent in told:
            self.told.tell(milliseconds, bent)
            self.node._hear(self.told)
            if self.node._pending and self.node._answer(self.node._pending, self.told):
                self.node._pending = None
        answers, self.answers[:] = list(self.answers), []
        return answers


@pytest.fixture
def make():
    made = []

    def make(**settings):
        made.append(Controller(**settings))
        return made[-1]

    yield make
    for controller in made:
        controller.node.destroy_node()
        rclpy.shutdown()


def test_an_answer_is_repeated_for_joint_states_that_come_again(make):
    controller = make()
    assert controller.answers_to((0, 0.1), (0, 0.1)) == [(0, 0.1), (0, 0.1)]
    assert controller.answers_to((1, 0.2), (2, 0.3)) == [(2, 0.3)]
    assert controller.begun == 1


def test_what_was_not_answered_before_a_reset_is_not_answered_after_it(make):
    """It would answer the same instant of the run after the reset, with joints as they were in the run before."""
    controller = make()
    controller.answers_to((0, 0.1))
    controller.told.complete = False
    assert controller.answers_to((2, 0.9)) == []
    controller.told.complete = True
    assert controller.answers_to((0, 0.1)) == [(0, 0.1)]
    assert controller.answers_to((1, 0.2), (2, 0.3)) == [(2, 0.3)]


def test_a_robot_that_was_put_elsewhere_at_the_same_time_is_answered_anew(make):
    controller = make()
    assert controller.answers_to((0, 0.1), (0, 0.2), (0, 0.2)) == [(0, 0.1), (0, 0.2), (0, 0.2)]
    assert controller.begun == 2


def test_in_lockstep_a_controller_counts_ticks_as_the_simulator_does(make):
    """300 Hz is every third tick of 1 kHz: commands are awaited at 3 ms, not at the first tick after 3.33 ms."""
    controller = make(rate=300.0)
    assert [when for when, _ in controller.answers_to(*((k, 0.0) for k in range(10)))] == [0, 3, 6, 9]
    controller.answers_to((10, 0.0))
    assert controller.said == []
    controller.answers_to((10, 0.0))
    assert controller.said == ["grid"], "somebody waits for what never comes"


def test_a_controller_inside_the_simulator_begins_anew_with_a_reset_at_the_same_time(make):
    """Time that stands at zero does not tell it, as time that goes back does."""
    controller = make()
    seen = Observation(0.0, np.zeros(len(NAMES)), np.zeros(len(NAMES)), BASE, {})
    controller.node.ask(0, seen)
    controller.node.ask(0, seen)
    assert controller.begun == 1
    controller.node.begin_anew()
    controller.node.ask(0, seen)
    assert controller.begun == 2


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_velocities_that_cannot_be_meant_are_dropped_with_a_warning(make, bad):
    controller = make()
    wishes, heard, said = controller.node.wishes, [], []
    wishes._controller = SimpleNamespace(command_velocity=lambda *wanted: heard.append(wanted))
    wishes._warn = lambda kind, words: said.append(words)
    waiting = [Twist(linear=Vector3(x=0.1)), Twist(linear=Vector3(y=bad)), Twist(angular=Vector3(z=bad))]
    for raw in (*map(serialize_message, waiting), b"\0\1\0\0no twist"):
        wishes._velocity = SimpleNamespace(newest=lambda r=raw: bytes(r))
        wishes.poll()
    assert heard == [(0.1, 0.0, 0.0)] and len(said) == 3
    assert said[-1] == "a velocity was dropped: 12 bytes are no message of type Twist"
