"""The simulator as a ROS 2 node: its own loop in the main thread, services and parameters in threads beside it."""

import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool, Trigger

from ..errors import LeggedContactSimError, ParameterError
from .contact_topics import told_of
from .declared import declare, take_value
from .optional_interfaces import offer_services
from .outputs import ClockOutput
from .pacing import Pacer
from .parameters import WORLD_PARAMETERS
from .process import Running, run_process, served
from .publishing import is_due, ticks_between
from .requests import Requests
from .several import RobotNode, refuse_own, refuse_shared, robot_names
from .simulated_robot import SimulatedRobot
from .snapshot import NANOSECONDS
from .stepping import Stepping
from .topic_control import topic_systems

IDLE = 0.005  # s; between looks at requests while paused
GLANCE = 5e-5  # s; between looks for an awaited command
THREADS = 3  # that answer services: one may wait for steps to be done, one for a contact model to be compiled
REMINDER = 0.5  # s; after which the awaited joint state is published again


class SimulatorNode(Node):
    """Lets time pass for a robot, or for several that do not touch each other, and does what it is told.

    Attributes:
        values: parameters that all robots have in common.
        robots: in the order of the parameter `robots`; the only one's node is this one.
    """

    def __init__(self) -> None:
        """Read the parameters and set the robots on the ground.

        Raises:
            LeggedContactSimError: a parameter or a description cannot be used.
        """
        super().__init__("legged_contact_sim")
        names = robot_names(self)
        refuse_own(self, names, WORLD_PARAMETERS)
        self.values = declare(self, WORLD_PARAMETERS)
        self.requests = Requests()
        # Of several callbacks for parameters the last is asked first: robots may refuse, the world does not.
        self.add_on_set_parameters_callback(self._change_parameters)
        if names:
            self.robots = [self._make_robot(name) for name in names]
            refuse_common_ground(self.robots)
        else:
            self.robots = [SimulatedRobot(self, self.values, self.requests)]
        self.period = self.robots[0].period
        self.pacer = Pacer(self.period, self.values["real_time_factor"])
        self._clock_output = ClockOutput(self)
        self._take_clock_rate()
        self.paused: bool = self.values["paused"]
        self.stopped = False  # paused at the start, until it is set running or paused again
        self._stepping: Stepping | None = None  # steps that are being done while paused
        self._ticks = self._resets = 0
        self.create_service(Trigger, "reset", self._on_reset)
        self.create_service(SetBool, "pause", self._on_pause)
        # Whoever has asked for steps waits until they are done; meanwhile others are answered.
        self.stepping_group = MutuallyExclusiveCallbackGroup()
        self.create_service(Trigger, "step", self._on_step, callback_group=self.stepping_group)
        self._optional = offer_services(self)

    def _make_robot(self, name: str) -> SimulatedRobot:
        try:
            return SimulatedRobot(RobotNode(self, name), self.values, self.requests, name)
        except LeggedContactSimError as error:
            raise ParameterError(f"robot {name}: {error}") from None

    @property
    def others(self) -> list[Node]:
        """The nodes in this process besides this one: of several robots, and of controllers inside."""
        controllers = [robot.composition.node for robot in self.robots if robot.composition]
        return [robot.node for robot in self.robots if robot.node is not self] + controllers

    @property
    def nanoseconds(self) -> int:
        """Simulated time as the last stamps told it."""
        return self.robots[0].snapshot.nanoseconds

    # What can be asked of the node, from any thread.

    def reset(self, time_too: bool = True, state_too: bool = True) -> None:
        """Put all robots into their start states and the time back to zero, or only one of them; /clock tells first."""
        self.requests.ask(lambda: self._reset(time_too, state_too))

    def pause(self, paused: bool) -> None:
        """Stop time or let it go on."""

        def change() -> None:
            self._end_stepping("paused" if paused else "set running")
            self.paused, self.stopped = paused, False
            self.pacer.begin()

        self.requests.ask(change)

    def stop(self) -> None:
        """Put everything back to the start and let time stand there."""

        def change() -> None:
            self._reset(time_too=True, state_too=True)
            self.paused = self.stopped = True

        self.requests.ask(change)

    def quit(self) -> None:
        """End the loop, and with it the process."""
        Running.wanted = False

    def step(self, ticks: int, tell: Callable[[int], None] | None = None) -> None:
        """Advance by some control ticks while paused; in lockstep each waits for its command, as it does while running.

        Args:
            ticks: how many.
            tell: is told now and then how many are done.

        Raises:
            LeggedContactSimError: the simulation is not paused, or it was interrupted by a pause, a reset or its end.
        """
        stepping = Stepping(ticks)

        def begin() -> None:
            if not self.paused or self.stopped:
                raise ParameterError("the simulation is not paused")
            self._end_stepping("replaced by other steps")
            self._stepping = None if stepping.done.is_set() else stepping

        self.requests.ask(begin)
        self.requests.await_result(stepping, (lambda: tell(stepping.value)) if tell else None)

    def set_state(self, robot: SimulatedRobot, q: np.ndarray, v: np.ndarray) -> None:
        """Put a robot into a state without changing the time."""
        self.requests.ask(lambda: robot.set_state(q, v))

    # The loop.

    def run(self, running: Running) -> None:
        """Advance and publish until interrupted."""
        gc.freeze()
        try:
            self._publish()
            self.pacer.begin()
            while running:
                self._serve_and_advance(running)
        finally:  # whoever waits for an answer is told, however it ends
            self._end_stepping("ended")
            self.requests.end()

    def _serve_and_advance(self, running: Running) -> None:
        """Answer requests, and advance by a tick if time goes on and the commands are there."""
        self.requests.serve()
        if not self._moves():
            for robot in self.robots:
                robot.publish_conditions(self._conditions)
            time.sleep(IDLE)
            return
        if not self._await_commands(running):
            return
        if self._stepping is None and not self.pacer.wait():
            return
        self._tick()
        if self._stepping and self._stepping.advance():
            self._stepping = None

    def _moves(self) -> bool:
        """Return whether time goes on: while it is not paused, and during steps that were asked for."""
        return not self.paused or self._stepping is not None

    def _end_stepping(self, reason: str) -> None:
        if self._stepping:
            self._stepping.interrupt(reason)
            self._stepping = None

    def _tick(self) -> None:
        """Advance all robots by one control period and publish what is due."""
        for robot in self.robots:
            robot.take_commands()
        lost = [robot for robot in self.robots if not robot.advance()]
        self._ticks += 1
        if lost:
            kept = [robot for robot in self.robots if robot not in lost]
            now = kept[0].nanoseconds if kept else self.nanoseconds + round(self.period * NANOSECONDS)
            for robot in lost:
                robot.recover(now)
            self.pacer.begin()
        self._publish()
        if lost:
            self._end_stepping("reset")

    def _await_commands(self, running: Running) -> bool:
        """Wait for commands, in lockstep for those that answer the joint states just published.

        Returns whether all that are awaited came; otherwise something else happened meanwhile: a reset, a pause, the
        end.
        """
        awaited = [robot for robot in self.robots if robot.awaits_command()]
        if not awaited:
            return True
        resets, begun = self._resets, time.monotonic()
        reminded = begun
        while running and self._moves() and resets == self._resets:
            awaited = [robot for robot in awaited if robot.awaits_command() and not robot.is_answered()]
            if not awaited:
                break
            if time.monotonic() - reminded > REMINDER:
                self._remind(awaited)
                reminded = time.monotonic()
            self.requests.serve()
            time.sleep(GLANCE)
        if any(robot.waiting for robot in self.robots):
            for robot in self.robots:
                robot.waiting = ""
            self.pacer.begin()
        else:
            self.pacer.excuse(time.monotonic() - begun)
        return not awaited

    def _remind(self, awaited: list[SimulatedRobot]) -> None:
        """Say once more what the awaited commands have to answer, for controllers that have only just come."""
        if self._clock_every:
            self._clock_output.publish(self.robots[0].snapshot.stamp)
        for robot in awaited:
            robot.remind(self._conditions)

    def _publish(self) -> None:
        """Publish what is due, the clock first, so that nothing is ahead of it."""
        nanoseconds = self.robots[0].nanoseconds
        for robot in self.robots:
            robot.snapshot.take_time(nanoseconds)
        if is_due(self._clock_every, self._ticks):
            self._clock_output.publish(self.robots[0].snapshot.stamp)
        for robot in self.robots:
            robot.publish(self._conditions)

    def _conditions(self) -> dict[str, Any]:
        """Return what diagnostics tell of all robots."""
        return {
            "paused": self.paused,
            "real_time_factor": self.pacer.factor,
            "real_time_factor_target": self.pacer.target,
            "missed_deadlines": self.pacer.missed,
        }

    def _reset(self, time_too: bool, state_too: bool) -> None:
        now = self.nanoseconds
        self._end_stepping("reset")
        if time_too:
            for robot in self.robots:
                robot.outputs.settle()
            self._ticks = 0
        for robot in self.robots:
            robot.reset(now, time_too, state_too)
        self._resets += 1
        self._publish()
        self.pacer.begin()

    # Services and parameters, in the executor's thread.

    def _on_reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        what = "the robot is in its start state" if len(self.robots) == 1 else "the robots are in their start states"
        return _answer(response, what, self.reset)

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        return _answer(response, "paused" if request.data else "running", lambda: self.pause(request.data))

    def _on_step(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return _answer(response, f"advanced by {self.period:g} s", lambda: self.step(1))

    def _change_parameters(self, changes: list[Parameter]) -> SetParametersResult:
        values = dict(self.values)
        try:
            for change in changes:
                if change.name in WORLD_PARAMETERS:
                    take_value(values, change.name, WORLD_PARAMETERS[change.name], change.value)
            if values != self.values:
                self.requests.ask(lambda: self._take_values(values))
        except LeggedContactSimError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _take_values(self, values: dict[str, Any]) -> None:
        before, self.values = self.values, values
        if values["real_time_factor"] != before["real_time_factor"]:
            self.pacer.target = values["real_time_factor"]
        self._take_clock_rate()

    def _take_clock_rate(self) -> None:
        self._clock_every = ticks_between(self.values, "clock_rate")
        self._clock_output.enable(self._clock_every > 0)


def refuse_common_ground(robots: list[SimulatedRobot]) -> None:
    """Refuse robots that would speak with one voice, or whose time would drift apart.

    Raises:
        ParameterError: two have the same frames or the same topics, or control ticks of different length.
    """
    refuse_shared({robot.name: [robot.values["frame_prefix"]] for robot in robots}, "frame_prefix")
    topics = {
        robot.name: [
            robot.node.resolve_topic_name(topic)
            for system in topic_systems(robot.simulator.robot)
            for topic in (system.commands, system.states)
        ]
        for robot in robots
    }
    refuse_shared(topics, "topic of their <ros2_control> tags,")
    for robot in robots:
        if abs(robot.period - robots[0].period) > 1e-9 * robot.period:
            expected = f"{robots[0].period:.12g} s, as {robots[0].name} has"
            raise ParameterError(
                f"robot {robot.name}: expected a control tick of {expected}, found {robot.period:.12g} s"
            )


def _answer(response: Any, words: str, action: Callable[[], Any]) -> Any:
    try:
        action()
        response.success, response.message = True, words
    except LeggedContactSimError as error:
        response.success, response.message = False, str(error)
    return response


def main() -> None:
    """Run the simulator until Ctrl-C or SIGTERM."""
    run_process(_run, "legged_contact_sim")


def _run() -> None:
    node = SimulatorNode()
    for robot in node.robots:
        robot.node.get_logger().info(
            f"{robot.simulator.robot.name} on {robot.values['terrain.kind']} under {robot.simulator.contact_model}: "
            f"physics at {1.0 / robot.simulator.time_step:.0f} Hz, control at {1.0 / robot.period:.0f} Hz"
        )
        if words := told_of(robot.node, robot.simulator.robot):
            robot.node.get_logger().info(words)
    with served(node, THREADS + len(node.robots), node.others) as running:  # a robot's trajectory takes one
        node.run(running)


if __name__ == "__main__":
    main()
