"""A learned policy as a controller: it sets joint targets every period, and drives move the joints in between."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from ...errors import ModelError, ParameterError
from ...model import RobotModel
from ...model.gains import proposed_gains
from ..controller import Controller, DriveTargets, Observation
from ..parameters import Parameters, numbers, text
from .by_joint import by_joint, not_negative
from .layout import Layout, load_layout, policies
from .network import Network
from .observing import Observer, Readings, gravity_direction


@dataclass(frozen=True)
class PolicyParameters(Parameters):
    """Parameters of `policy`.

    ``file``: ONNX, a path or the name of a policy that this package brings. ``layout``: name of a ready layout or path
    of a YAML file; empty: the file beside the ONNX file with the same name. ``velocity``: wanted until another comes
    (m/s, m/s, rad/s); empty: that of the layout.
    """

    file: str = text("")
    layout: str = text("")
    velocity: tuple[float, ...] = numbers((), -10.0, 10.0)


class JointTargets:
    """What the action of a layout means on a robot: which joints, from which pose, at which scale and gains."""

    def __init__(self, robot: RobotModel, layout: Layout) -> None:
        """Match the layout's joints with the robot's by name.

        Raises:
            ParameterError: names the joint that the robot does not have, or the entry that does not fit.
        """
        names = list(robot.joint_names)
        self.names = layout.joints or robot.joint_names
        for name in self.names:
            if name not in names:
                raise ParameterError(f"joints: {robot.name} has no joint {name!r}; it has {', '.join(names)}")
        self.order = np.array([names.index(name) for name in self.names])
        home = robot.home[robot.position_indices]
        self.default = home[self.order] if layout.default is None else by_joint("default", layout.default, self.names)
        self.scale = by_joint("action.scale", layout.action["scale"], self.names)
        clip = layout.action["clip"]
        self.clip = np.inf if clip is None else not_negative("action.clip", by_joint("action.clip", clip, self.names))
        self.rest = home.copy()
        self.rest[self.order] = self.default
        proposed = proposed_gains(robot)
        self.stiffness, self.damping = proposed.stiffness.copy(), proposed.damping.copy()
        for kind, gains in (("stiffness", self.stiffness), ("damping", self.damping)):
            if layout.gains is not None:
                name = f"gains.{kind}"
                gains[self.order] = not_negative(name, by_joint(name, layout.gains.get(kind, 0.0), self.names))
        self.limit = robot.links["effort_limit"][robot.joint_links]

    def of(self, action: np.ndarray) -> np.ndarray:
        """Return the targets of all joints in joint order, (..., joint_count), rad or m, for actions (..., n)."""
        targets = np.broadcast_to(self.rest, (*action.shape[:-1], len(self.rest))).copy()
        targets[..., self.order] = self.default + self.scale * np.clip(action, -self.clip, self.clip)
        return targets

    def effort(self, targets: np.ndarray, positions: np.ndarray, velocities: np.ndarray) -> np.ndarray:
        """Return the efforts of the drives, (joint_count,), N m or N."""
        wanted = self.stiffness * (targets - positions) - self.damping * velocities
        return np.clip(wanted, -self.limit, self.limit)


class Policy(Controller):
    """Runs an ONNX policy on a robot with a floating base."""

    name: ClassVar[str] = "policy"
    summary: ClassVar[str] = "a learned policy from an ONNX file, with a layout of what it sees and what it moves"
    feels_contacts: ClassVar[bool] = False
    Parameters: ClassVar[type[Parameters]] = PolicyParameters

    def __init__(self, robot: RobotModel, parameters: PolicyParameters) -> None:
        """See `Controller`."""
        super().__init__(robot, parameters)
        if robot.base != "floating":
            raise ModelError(f"{robot.name}: a policy needs a floating base, found a {robot.base} one")
        if not parameters.file:
            raise ParameterError("policy.file: expected the path of an ONNX file")
        file = policies().get(parameters.file, Path(parameters.file))
        if not file.is_file():
            raise ParameterError(f"policy.file: no such file: {parameters.file!r}")
        beside = file.with_suffix(".yaml")
        if not parameters.layout and not beside.is_file():
            raise ParameterError(f"policy.layout: expected a name or path, since there is no {beside}")
        self.layout = load_layout(parameters.layout or str(beside))
        self._drives = JointTargets(robot, self.layout)
        self.network = Network(file, self.layout.states)
        self.observer = Observer(self.layout, len(self._drives.order))
        if self.network.input_size not in (None, self.observer.size):
            raise ParameterError(
                f"{parameters.file}: expects {self.network.input_size} numbers, layout {self.layout.name} has "
                f"{self.observer.size}"
            )
        answer = self.network(np.zeros(self.observer.size))  # better now than in the middle of a run
        if len(answer) != len(self._drives.order):
            raise ParameterError(
                f"{parameters.file}: gives {len(answer)} actions, layout {self.layout.name} moves "
                f"{len(self._drives.order)} joints"
            )
        if len(parameters.velocity) not in (0, 3):
            raise ParameterError(f"velocity: expected 3 numbers, found {len(parameters.velocity)}")
        self.velocity = np.array(parameters.velocity or self.layout.command)

    def command_velocity(self, forward: float, sideways: float, turning: float) -> None:
        """See `Controller.command_velocity`."""
        wanted = np.array([forward, sideways, turning], dtype=float)
        if not np.isfinite(wanted).all():
            raise ParameterError(f"velocity: expected finite numbers, found {wanted.tolist()}")
        self.velocity = wanted

    def reset(self, observation: Observation) -> None:
        """Begin anew: no last action, no history."""
        self.network.reset()
        self.observer.reset()
        self._begin, self._answers = observation.time, 0
        self._action = np.zeros(len(self._drives.order))
        self._goal = self._drives.of(self._action)

    def effort(self, observation: Observation) -> np.ndarray:
        """See `Controller.effort`."""
        return self._drives.effort(self._goal_at(observation), observation.positions, observation.velocities)

    def targets(self, observation: Observation) -> DriveTargets:
        """See `Controller.targets`."""
        goal = self._goal_at(observation)
        return DriveTargets(goal, np.zeros(len(goal)), self._drives.stiffness, self._drives.damping)

    def _goal_at(self, observation: Observation) -> np.ndarray:
        if observation.time - self._begin >= self._answers * self.layout.period - 1e-9:
            self._answers += 1
            self._action = self.network(self.observer.observe(self._read(observation))[0])
            self._goal = self._drives.of(self._action)
        return self._goal

    def _read(self, seen: Observation) -> Readings:
        if seen.base is None:
            raise ParameterError("policy: needs the base's orientation and velocity; nothing measures them")
        order = self._drives.order
        return Readings(
            time=np.array([seen.time - self._begin]),
            linear_velocity=seen.base.linear_velocity[None],
            angular_velocity=seen.base.angular_velocity[None],
            gravity=gravity_direction(seen.base.orientation[None]),
            positions=(seen.positions[order] - self._drives.default)[None],
            velocities=seen.velocities[order][None],
            last_action=self._action[None],
            command=self.velocity[None],
        )
