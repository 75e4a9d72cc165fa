"""The simulator as a ROS 2 node: its own loop in the main thread, services and parameters in a thread beside it."""

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

from ..dynamics import forward_kinematics
from ..errors import LeggedContactSimError, ParameterError, SimulationError
from ..simulation import Simulator
from ..simulation.scenario_start import holding_gains, start_pushes, start_state
from ..terrain import make_terrain
from .composition import Composition
from .control_ticks import AwaitedTicks, control_period
from .declared import declare, take_value
from .joint_commands import Commands
from .optional_interfaces import offer_optional
from .pacing import Pacer
from .parameters import contact_settings, declarations, refuse_unknown, terrain_settings
from .process import Running, run_process, served
from .publishing import Outputs
from .pushes import Pushes
from .requests import Requests
from .robot_parameters import declare_robot, robot_declarations
from .sensor_parameters import sensor_declarations
from .snapshot import NANOSECONDS, Snapshot
from .stepping import Stepping
from .throttle import Throttle

IDLE = 0.005  # s; between looks at requests while paused
GLANCE = 5e-5  # s; between looks for an awaited command
THREADS = 3  # that answer services: one may wait for steps to be done, one for a contact model to be compiled
REMINDER = 0.5  # s; after which the awaited joint state is published again


class SimulatorNode(Node):
    """Simulates a robot, publishes what it does, and does what it is told."""

    def __init__(self) -> None:
        """Read the parameters and set the robot on the ground.

        Raises:
            LeggedContactSimError: a parameter or the URDF cannot be used.
        """
        super().__init__("legged_contact_sim")
        begins_with = self._parameter_overrides.get("contact_model")
        self._declared = declarations(begins_with.value) if begins_with else declarations()
        self._declared |= sensor_declarations()
        refuse_unknown(self, self._declared | robot_declarations(self))
        self.values = declare(self, self._declared)
        robot = declare_robot(self)
        model, parameters = contact_settings(self.values)
        terrain = make_terrain(terrain_settings(self.values))
        self.simulator = Simulator(robot, model, self.values["time_step"], terrain, **parameters)
        self.steps, self.period = control_period(self.values["control_rate"], self.simulator.time_step)
        self.snapshot = Snapshot(self.simulator, self.steps)
        self._warm_up()
        self.pacer = Pacer(self.period, self.values["real_time_factor"])
        warn = Throttle(self.get_logger().warning)
        composed = self.values["composed"]
        self.composition = Composition(robot, self.values["control_rate"]) if composed else None
        self.commands = Commands(self, self.simulator, self.values, warn)
        self.pushes = Pushes(self, robot, self.values["frame_prefix"], warn)
        self.outputs = Outputs(self, self.simulator, self.values)
        self.paused: bool = self.values["paused"]
        self.stopped = False  # paused at the start, until it is set running or paused again
        self._warn = warn
        self.requests = Requests()
        self._stepping: Stepping | None = None  # steps that are being done while paused
        self.begun = 0  # ns; what every stamp has beyond the simulator's own time
        self._ticks = self._resets = 0
        self._awaited = AwaitedTicks(self.values["control_rate"], self.values["command_rate"])
        self._trouble = self._waiting = ""
        self._put_into_start_state()
        self.create_service(Trigger, "reset", self._on_reset)
        self.create_service(SetBool, "pause", self._on_pause)
        # Whoever has asked for steps waits until they are done; meanwhile others are answered.
        self.stepping_group = MutuallyExclusiveCallbackGroup()
        self.create_service(Trigger, "step", self._on_step, callback_group=self.stepping_group)
        self.add_on_set_parameters_callback(self._change_parameters)
        self._optional = offer_optional(self)

    # What can be asked of the node, from any thread.

    def reset(self, time_too: bool = True, state_too: bool = True) -> None:
        """Put the robot into its start state and the time back to zero, or only one of them; /clock tells first."""
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

    def set_state(self, q: np.ndarray, v: np.ndarray) -> None:
        """Put the robot into a state without changing the time."""

        def change() -> None:
            self.simulator.set_state(q, v)
            self._look_at_new_state()

        self.requests.ask(change)

    # The loop.

    def run(self, running: Running) -> None:
        """Advance and publish until interrupted."""
        gc.freeze()
        self._publish()
        self.pacer.begin()
        while running:
            self.requests.serve()
            if not self._moves():
                self.outputs.publish_conditions(self.snapshot, self._conditions)
                time.sleep(IDLE)
                continue
            if self._awaits_command() and not self._await_command(running):
                continue
            if self._stepping is None:
                self.pacer.wait()
            self._tick()
            if self._stepping and self._stepping.advance():
                self._stepping = None
        self._end_stepping("ended")
        self.requests.end()

    def _moves(self) -> bool:
        """Return whether time goes on: while it is not paused, and during steps that were asked for."""
        return not self.paused or self._stepping is not None

    def _end_stepping(self, reason: str) -> None:
        if self._stepping:
            self._stepping.interrupt(reason)
            self._stepping = None

    def _tick(self) -> None:
        """Advance by one control period and publish what is due."""
        now = self.simulator.time
        if self.composition:
            forces = self.outputs.wrenches.forces
            self.composition.tick(self._ticks, self.snapshot, forces, self.commands, now)
        elif not self.values["lockstep"] or self.commands.begins_late:
            self.commands.poll(now)
            self.commands.expire(now, self.values["command_timeout"])
            if not self.commands.begins_late:
                self._awaited.begin_with(self._ticks, self.snapshot.nanoseconds, self.commands.answered)
        self.pushes.poll(self.simulator, self.values["push_duration"], self._bodies)
        self._ticks += 1
        try:
            self.simulator.advance(self.steps, self.commands.efforts(now), self.snapshot.log)
        except SimulationError:
            self._recover()
            return
        self.snapshot.take_tick(self.simulator)
        self.outputs.add_tick(self.snapshot, self.period)
        self._publish()

    def _awaits_command(self) -> bool:
        """Return whether a command has to come before time goes on."""
        if self.composition:
            return False
        if self.values["lockstep"]:
            return not self.commands.begins_late and self._ticks in self._awaited
        return self.values["await_command"] and self._ticks == 0

    def _await_command(self, running: Running) -> bool:
        """Wait for a command, in lockstep for the one that answers the joint state just published.

        Returns whether it came; otherwise something else happened meanwhile: a reset, a pause, the end.
        """
        lockstep = self.values["lockstep"]
        awaited = self.snapshot.nanoseconds if lockstep else None
        came = False
        resets, reminded = self._resets, time.monotonic()
        begun = reminded
        while running and self._moves() and resets == self._resets and lockstep == self.values["lockstep"]:
            self.commands.poll(self.simulator.time, awaited)
            came = self.commands.answers(awaited)
            if came:
                break
            if time.monotonic() - reminded > REMINDER:
                self._remind()
                reminded = time.monotonic()
            self.requests.serve()
            time.sleep(GLANCE)
        if self._waiting:
            self._waiting = ""
            self.pacer.begin()
        else:
            self.pacer.excuse(time.monotonic() - begun)
        return came

    def _remind(self) -> None:
        """Say once more what the awaited command has to answer, for a controller that has only just come."""
        wanted = "the command that answers" if self.values["lockstep"] else "a command at"
        self._waiting = f"waiting for {wanted} {self.snapshot.nanoseconds * 1e-9:.6f} s"
        self._warn("waiting", self._waiting)
        self.outputs.publish_everything(self.snapshot, self._conditions)

    def _publish(self) -> None:
        self.snapshot.take_time(self.begun + round(self.simulator.time * NANOSECONDS))
        self.outputs.publish_due(self._ticks, self.snapshot, self._conditions)

    def _conditions(self) -> dict[str, Any]:
        """Return what diagnostics tell besides the simulator's state."""
        commands, trouble = self.commands, self._trouble
        self._trouble = ""
        return {
            "trouble": trouble,
            "real_time_factor": self.pacer.factor,
            "real_time_factor_target": self.pacer.target,
            "missed_deadlines": self.pacer.missed,
            "lockstep": self.values["lockstep"],
            "command": "paused" if self.paused else "awaited" if self._waiting else commands.state,
            "command_age": commands.age(self.simulator.time),
            "commands_received": commands.received,
            "commands_dropped": commands.dropped,
            "pushes_dropped": self.pushes.dropped,
            "resets": self._resets,
        }

    def _bodies(self) -> Any:
        return forward_kinematics(self.simulator.robot, self.snapshot.q)

    def _recover(self) -> None:
        """Go back to the start: a state that is not finite is never published."""
        self._trouble = "the state was not finite any more; the robot was reset"
        self.get_logger().error(f"at {self.simulator.time:.4f} s {self._trouble}")
        self._reset(time_too=False, state_too=True)

    def _reset(self, time_too: bool, state_too: bool) -> None:
        elapsed = self.snapshot.nanoseconds
        state = self.simulator.state
        self._end_stepping("reset")
        if time_too:
            self.outputs.settle()
        self._put_into_start_state()
        if not state_too:
            self.simulator.set_state(*state)
            self._look_at_new_state()
        self.begun = 0 if time_too else elapsed
        self._ticks = 0
        self._awaited.begin()
        self._resets += 1
        self.commands.forget()
        self._publish()
        self.pacer.begin()

    def _put_into_start_state(self) -> None:
        q, v = start_state(self.simulator, self.values)
        self.simulator.reset(q, v)
        self._hold(q)
        start_pushes(self.simulator, self.values)
        self._look_at_new_state()

    def _hold(self, q: np.ndarray) -> None:
        joints = q[self.simulator.robot.position_indices]
        self.commands.drives.rest_at(joints, holding_gains(self.simulator.robot, self.values))

    def _look_at_new_state(self) -> None:
        self.snapshot.take_state(self.simulator)
        self.outputs.forget(self.snapshot)

    # Services and parameters, in the executor's thread.

    def _on_reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return _answer(response, "the robot is in its start state", self.reset)

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        return _answer(response, "paused" if request.data else "running", lambda: self.pause(request.data))

    def _on_step(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return _answer(response, f"advanced by {self.period:g} s", lambda: self.step(1))

    def _change_parameters(self, changes: list[Parameter]) -> SetParametersResult:
        values = dict(self.values)
        try:
            for change in changes:
                if change.name in self._declared:
                    take_value(values, change.name, self._declared[change.name], change.value)
            self._try(values)
            self.requests.ask(lambda: self._take_values(values))
        except LeggedContactSimError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _try(self, values: dict[str, Any]) -> None:
        """Try new values beside the loop; what they need of kernels is compiled here, while the loop goes on."""
        start_state(self.simulator, values)
        if _ground(values) != _ground(self.values):
            model, parameters = contact_settings(values)
            terrain = make_terrain(terrain_settings(values))
            trial = Simulator(self.simulator.robot, model, self.simulator.time_step, terrain, **parameters)
            trial.advance(self.steps, None, np.zeros_like(self.snapshot.log))

    def _take_values(self, values: dict[str, Any]) -> None:
        before, self.values = self.values, values
        if _ground(values) != _ground(before):
            model, parameters = contact_settings(values)
            self.simulator.switch_contact_model(model, terrain=terrain_settings(values), **parameters)
        if any(values[name] != before[name] for name in values if name.startswith("hold.")):
            self._hold(start_state(self.simulator, values)[0])
        if values["real_time_factor"] != before["real_time_factor"]:
            self.pacer.target = values["real_time_factor"]
        self.outputs.take_settings(values)

    def _warm_up(self) -> None:
        """Have everything compiled before anything is published."""
        self.simulator.advance(self.steps, None, self.snapshot.log)
        self._bodies()


def _ground(values: dict[str, Any]) -> tuple[Any, ...]:
    return contact_settings(values), terrain_settings(values)


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
    node.get_logger().info(
        f"{node.simulator.robot.name} on {node.values['terrain.kind']} under {node.simulator.contact_model}: "
        f"physics at {1.0 / node.simulator.time_step:.0f} Hz, control at {1.0 / node.period:.0f} Hz"
    )
    others = (node.composition.node,) if node.composition else ()
    with served(node, THREADS, others) as running:
        node.run(running)


if __name__ == "__main__":
    main()
