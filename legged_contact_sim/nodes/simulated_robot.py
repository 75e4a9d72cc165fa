"""One robot of the simulator: what moves it, what it hears, and what it publishes; the loop is the node's."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..dynamics import forward_kinematics
from ..errors import LeggedContactSimError, SimulationError
from ..simulation import Simulator
from ..simulation.scenario_start import holding_gains, start_pushes, start_state
from ..terrain import make_terrain
from .composition import Composition
from .control_ticks import AwaitedTicks, control_period
from .declared import declare, take_value
from .joint_commands import Commands
from .optional_interfaces import offer_trajectories
from .parameters import WORLD, contact_settings, declarations, refuse_unknown, terrain_settings
from .publishing import Outputs
from .pushes import Pushes
from .requests import Requests
from .robot_parameters import declare_robot, robot_declarations
from .sensor_parameters import sensor_declarations
from .snapshot import NANOSECONDS, Snapshot
from .throttle import Throttle


class SimulatedRobot:
    """A robot under its contact model, with its own commands, sensors and start state.

    Attributes:
        name: in the world.
        node: in whose namespace its topics are, and which has its parameters.
        values: these parameters, and those of the world.
        simulator: of this robot alone; robots do not touch each other.
        steps: of the simulator in a control tick.
        period: s, of a control tick.
        ticks: control ticks since time zero, of which those outputs are due that have a rate.
        begun: ns; what stamps have beyond the simulator's own time.
        resets: so many since the beginning.
        waiting: for which command time stands, in words; empty: for none.
    """

    def __init__(self, node: Node, world: Mapping[str, Any], requests: Requests, name: str = "") -> None:
        """Read the node's parameters and set the robot on the ground.

        Args:
            node: whose parameters they are.
            world: parameters that all robots have in common.
            requests: of the loop.
            name: empty: that of the description.

        Raises:
            LeggedContactSimError: a parameter or the description cannot be used.
        """
        self.node, self.requests = node, requests
        begins_with = node._parameter_overrides.get("contact_model")
        known = declarations(begins_with.value) if begins_with else declarations()
        known |= sensor_declarations()
        refuse_unknown(node, known | robot_declarations(node))
        self._declared = {key: item for key, item in known.items() if key not in WORLD}
        self.values = {**world, **declare(node, self._declared)}
        robot = declare_robot(node)
        self.name = name or robot.name
        model, parameters = contact_settings(self.values)
        terrain = make_terrain(terrain_settings(self.values))
        self.simulator = Simulator(robot, model, self.values["time_step"], terrain, **parameters)
        self.steps, self.period = control_period(self.values["control_rate"], self.simulator.time_step)
        self.snapshot = Snapshot(self.simulator, self.steps)
        self._warm_up()
        self.warn = Throttle(node.get_logger().warning)
        inside = self.values["composed"]
        self.composition = Composition(robot, self.values["control_rate"], node.get_namespace()) if inside else None
        self.commands = Commands(node, self.simulator, self.values, self.warn)
        self._pushes = Pushes(node, robot, self.values["frame_prefix"], self.warn)
        self.outputs = Outputs(node, self.simulator, self.values)
        self.ticks = self.begun = self.resets = 0
        self.waiting = self._trouble = ""
        self._awaited = AwaitedTicks(self.values["control_rate"], self.values["command_rate"])
        self._fresh = True  # no tick since the last start
        self._put_into_start_state()
        node.add_on_set_parameters_callback(self._change_parameters)
        self._optional = offer_trajectories(self)

    # What the loop asks for.

    @property
    def nanoseconds(self) -> int:
        """Simulated time of the robot's state, as stamps tell it."""
        return self.begun + round(self.simulator.time * NANOSECONDS)

    def take_commands(self) -> None:
        """Take commands and pushes for the tick that begins now; in lockstep the awaited command is there already."""
        now = self.simulator.time
        if self.composition:
            forces = self.outputs.wrenches.forces
            self.composition.tick(self.ticks, self.snapshot, forces, self.commands, now)
        elif not self.values["lockstep"] or self.commands.begins_late:
            late = self.commands.begins_late
            self.commands.poll(now)
            self.commands.expire(now, self.values["command_timeout"])
            if not self.commands.begins_late and (late or self.commands.answered >= 0):
                self._awaited.begin_with(self.ticks, self.snapshot.nanoseconds, self.commands.answered)
        self._pushes.poll(self.simulator, self.values["push_duration"], self._bodies)

    def advance(self) -> bool:
        """Advance by one control tick; return whether the state is finite."""
        self.ticks += 1
        self._fresh = False
        try:
            self.simulator.advance(self.steps, self.commands.efforts(self.simulator.time), self.snapshot.log)
        except SimulationError:
            return False
        self.snapshot.take_tick(self.simulator)
        self.outputs.add_tick(self.snapshot, self.period)
        return True

    def awaits_command(self) -> bool:
        """Return whether a command has to come before time goes on."""
        if self.composition:
            return False
        if self.values["lockstep"]:
            return not self.commands.begins_late and self.ticks in self._awaited
        return self.values["await_command"] and self._fresh

    def is_answered(self) -> bool:
        """Take what waits of commands; return whether the awaited one is there."""
        awaited = self.snapshot.nanoseconds if self.values["lockstep"] else None
        self.commands.poll(self.simulator.time, awaited)
        return self.commands.answers(awaited)

    def remind(self, conditions: Callable[[], dict[str, Any]]) -> None:
        """Say once more what the awaited command has to answer, for a controller that has only just come."""
        wanted = "the command that answers" if self.values["lockstep"] else "a command at"
        self.waiting = f"waiting for {wanted} {self.snapshot.nanoseconds * 1e-9:.6f} s"
        self.warn("waiting", self.waiting)
        self.commands.reminders += 1
        self.outputs.repeat(self.snapshot, lambda: self._conditions(conditions()))

    def publish(self, conditions: Callable[[], dict[str, Any]]) -> None:
        """Publish what is due at this tick; ``conditions`` of the world are for diagnostics."""
        self.outputs.publish_due(self.ticks, self.snapshot, lambda: self._conditions(conditions()))

    def publish_conditions(self, conditions: Callable[[], dict[str, Any]]) -> None:
        """Publish diagnostics, not oftener than twice their rate by the wall clock."""
        self.outputs.publish_conditions(self.snapshot, lambda: self._conditions(conditions()))

    def recover(self, nanoseconds: int) -> None:
        """Go back to the start at a time, ns: a state that is not finite is never published."""
        self._trouble = "the state was not finite any more; the robot was reset"
        self.node.get_logger().error(f"at {self.simulator.time:.4f} s {self._trouble}")
        self.reset(nanoseconds, time_too=False, state_too=True)

    def reset(self, nanoseconds: int, time_too: bool, state_too: bool) -> None:
        """Put the robot into its start state, and its time to zero, or only one of them; it is a time, ns, now.

        Control ticks count from time zero: what is due at which stamp, a command in lockstep too, stays the same.
        """
        state = self.simulator.state
        self._put_into_start_state()
        if not state_too:
            self.simulator.set_state(*state)
            self._look_at_new_state()
        if time_too:
            self.begun = self.ticks = 0
            self._awaited.begin()
            if self.composition:
                self.composition.node.begin_anew()
        else:
            self.begun = nanoseconds
        self._fresh = True
        self.resets += 1
        self.commands.forget()

    def set_state(self, q: np.ndarray, v: np.ndarray) -> None:
        """Put the robot into a state without changing the time."""
        self.simulator.set_state(q, v)
        self._look_at_new_state()

    def _conditions(self, of_the_world: dict[str, Any]) -> dict[str, Any]:
        """Return what diagnostics tell besides the simulator's state."""
        commands, trouble = self.commands, self._trouble
        self._trouble = ""
        standing = "paused" if of_the_world["paused"] else "awaited" if self.waiting else commands.state
        return {
            "trouble": trouble,
            **{name: value for name, value in of_the_world.items() if name != "paused"},
            "lockstep": self.values["lockstep"],
            "command": standing,
            "command_age": commands.age(self.simulator.time),
            "commands_received": commands.received,
            "commands_dropped": commands.dropped,
            "pushes_dropped": self._pushes.dropped,
            "resets": self.resets,
        }

    def _bodies(self) -> Any:
        return forward_kinematics(self.simulator.robot, self.snapshot.q)

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

    def _warm_up(self) -> None:
        """Have everything compiled before anything is published."""
        self.simulator.advance(self.steps, None, self.snapshot.log)
        self._bodies()

    # Parameters, in the executor's thread.

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
        self.outputs.take_settings(values)


def _ground(values: dict[str, Any]) -> tuple[Any, ...]:
    return contact_settings(values), terrain_settings(values)
