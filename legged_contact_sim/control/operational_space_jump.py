"""Jump of a planar leg by its centre of mass: operational space control on constraint-embedded equations (Singh)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..dynamics import center_of_mass
from ..model import RobotModel
from .constraint_embedding import Reduced, Task, bounded, consistent, product, reactions, square, stacked
from .controller import Observation
from .parameters import Parameters, choice, number, numbers
from .planar_leg import HEEL, TOE, PlanarLegController
from .trot_reference import smooth_step

JACOBIANS = ("square", "product", "padded", "consistent")
BODY_WEIGHT = 0.1  # m: how much a rad/s^2 of the body counts against a m/s^2 of the centre of mass
ANGLES = np.array([[0.0, 0.0, 1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
FLIGHT_PART = 0.7  # of the flight is used to get ready for landing
GRAVITY = 9.81
FALLEN = 0.5  # of the standing height of the centre of mass


@dataclass(frozen=True)
class OperationalSpaceJumpParameters(Parameters):
    """Parameters of `operational_space_jump`.

    Heights are changes of the centre of mass from its start. ``two_point_stiffness`` and ``one_point_stiffness`` are
    k_p of the task with the whole foot and with the toe on the ground; k_v = 2 sqrt(k_p) damps critically.
    ``joint_damping`` acts on what the Jacobian "consistent" leaves free; with "square" the heel rises by ``heel_lift``.
    """

    jacobian: str = choice("product", JACOBIANS)
    settle_time: float = number(1.5, 0.0, 100.0, "s")
    crouch_time: float = number(0.8, 0.05, 100.0, "s")
    crouch_depth: float = number(0.4, 0.0, 2.0, "m")
    takeoff_speed: float = number(2.0, 0.0, 10.0, "m/s")
    thrust_way: float = number(0.4, 0.01, 2.0, "m")
    heel_off: float = number(0.6, 0.0, 1.0)
    forward: float = number(0.16, -1.0, 1.0, "m")
    two_point_stiffness: float = number(100.0, 0.0, 1e5, "1/s^2")
    one_point_stiffness: float = number(100.0, 0.0, 1e5, "1/s^2")
    body_stiffness: float = number(60.0, 0.0, 1e5, "1/s^2")
    joint_damping: float = number(20.0, 0.0, 1e5, "N m s/rad")
    heel_lift: float = number(40.0, 0.0, 1e4, "rad/s^2")
    flight_stiffness: float = number(300.0, 0.0, 1e5, "1/s^2")
    friction: float = number(0.5, 0.01, 10.0)
    least_force: float = number(2.0, 0.0, 1e5, "N")
    effort_limit: tuple[float, ...] = numbers((800.0,), 0.0, 1e6, "N m")
    touch_force: float = number(1.0, 0.0, 1e5, "N")


class OperationalSpaceJump(PlanarLegController):
    """Jumps once and lands on its foot.

    Attributes:
        phase: "fall", "settle", "crouch", "thrust" (both ends of the foot on the ground), "toe" (thrust on the toe),
            "flight", "landing" or "fallen".
    """

    name: ClassVar[str] = "operational_space_jump"
    summary: ClassVar[str] = "planar leg jumps by its centre of mass: operational space, constraint embedding"
    Parameters: ClassVar[type[Parameters]] = OperationalSpaceJumpParameters

    def __init__(self, robot: RobotModel, parameters: OperationalSpaceJumpParameters) -> None:
        """See `Controller`."""
        super().__init__(robot, parameters)
        limit = robot.links["effort_limit"][robot.joint_links[self.motors]]
        self.limit = np.minimum(limit, np.resize(parameters.effort_limit, 3))

    def reset(self, observation: Observation) -> None:
        """Begin in the air, above the place where the robot is."""
        q = observation.positions
        self._enter("fall", observation.time)
        self.start = center_of_mass(self.robot, q)[[0, 2]]
        self.angles = ANGLES @ q
        self.angles[1] = 0.0
        self.foot_length = float(np.linalg.norm(self.ends[1][1] - self.ends[0][1]))

    def effort(self, observation: Observation) -> np.ndarray:
        """See `Controller.effort`."""
        q, v = observation.positions, observation.velocities
        self._mechanics(q, v)
        touching = [observation.normal_force(name) > self.parameters.touch_force for name in (TOE, HEEL)]
        self._change_phase(observation.time, self.com, self.com_J @ v, touching)
        effort = np.zeros(6)
        if self.phase in ("fall", "fallen"):
            return effort
        if self.phase == "flight":
            effort[self.motors] = self._flight(observation.time, q, v)
        else:
            wanted = self._com_acceleration(observation.time, q, self.com, self.com_J @ v)
            effort[self.motors] = self._stance(q, v, Task(self.com_J, self.com_bias, wanted))
        return effort

    def _enter(self, phase: str, time: float) -> None:
        self.phase, self._since = phase, time

    def _change_phase(self, time: float, com: np.ndarray, velocity: np.ndarray, touching: list[bool]) -> None:
        own, elapsed = self.parameters, time - self._since
        if com[1] < FALLEN * self.start[1]:
            self._enter("fallen", time)
        elif self.phase == "fall" and all(touching):
            self._enter("settle", time)
        elif self.phase == "settle" and elapsed >= own.settle_time:
            self._enter("crouch", time)
        elif self.phase == "crouch" and elapsed >= own.crouch_time:
            self._bottom = float(com[1])
            self._enter("thrust", time)
        elif self.phase == "thrust" and com[1] - self._bottom >= own.heel_off * own.thrust_way:
            self._enter("toe", time)
        elif self.phase == "toe" and (velocity[1] >= own.takeoff_speed or not any(touching)):
            self._enter("flight", time)
        elif self.phase == "flight" and velocity[1] < 0.0 and any(touching):
            self._enter("landing", time)

    def _com_acceleration(self, time: float, q: np.ndarray, com: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Return the wanted acceleration of the centre of mass (2,), x and z, m/s^2: PD about the phase's motion."""
        own, elapsed = self.parameters, time - self._since
        place, rate, feed = np.array([q[0] + own.forward, self.start[1]]), np.zeros(2), np.zeros(2)
        if self.phase == "settle":
            way = smooth_step(min(elapsed / max(own.settle_time, 1e-3), 1.0))[0]
            place[0] = self.start[0] + way * (place[0] - self.start[0])
        if self.phase == "crouch":
            way, slope, bend = smooth_step(min(elapsed / own.crouch_time, 1.0))
            place[1] -= way * own.crouch_depth
            rate[1] = -slope * own.crouch_depth / own.crouch_time
            feed[1] = -bend * own.crouch_depth / own.crouch_time**2
        if self.phase == "landing":
            place[0] = q[0] + 0.5 * self.foot_length * np.cos(q[2])
            place[1] -= 0.5 * own.crouch_depth
        stiffness = own.one_point_stiffness if self.phase == "toe" else own.two_point_stiffness
        wanted = feed + stiffness * (place - com) + 2.0 * np.sqrt(stiffness) * (rate - velocity)
        if self.phase in ("thrust", "toe"):
            wanted[1] = own.takeoff_speed**2 / (2.0 * own.thrust_way)
        return wanted

    def _stance(self, q: np.ndarray, v: np.ndarray, task: Task) -> np.ndarray:
        """Return the motors' efforts (3,) for the centre of mass, within their limits and what the ground can bear."""
        whole = self.phase != "toe"
        system = self._reduced(q, v, "whole" if whole else "toe")
        wanted = self._task_effort(system, task, q, v)
        rows = np.vstack([task.J, BODY_WEIGHT * ANGLES[:1]])
        effect = rows @ system.K @ np.linalg.solve(system.M, system.B)
        metric = np.vstack([effect, 1e-3 * np.eye(3)])
        return bounded(wanted, metric, self.limit, *self._ground_conditions(system, whole))

    def _task_effort(self, system: Reduced, task: Task, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return efforts (3,) by the chosen kind of Jacobian.

        "square" adds the angles of body and, on the toe, foot: as many rows as independent speeds. "product" adds the
        body's angle: as many rows as motors. "padded" adds a row that picks the hip's rate. "consistent" adds nothing.
        """
        kind, own = self.parameters.jacobian, self.parameters
        body, foot, hip = self._keep(0, q, v), self._keep(1, q, v), self._keep(2, q, v)
        if kind == "square":
            if self.phase == "toe":
                foot = foot._replace(acceleration=np.array([own.heel_lift]))
                return square(system, stacked(task, body, foot))
            return square(system, stacked(task, body))
        if kind == "consistent":
            calm = np.linalg.lstsq(system.B, system.h)[0] - own.joint_damping * v[self.motors]
            return consistent(system, task, consistent(system, body, calm))
        return product(system, stacked(task, body if kind == "product" else hip))

    def _keep(self, index: int, q: np.ndarray, v: np.ndarray) -> Task:
        """Return the task of an angle to stay: 0 the body's, 1 the foot's (both to the ground), 2 the hip's."""
        stiffness, row = self.parameters.body_stiffness, ANGLES[index : index + 1]
        wanted = stiffness * (self.angles[index] - row @ q) - 2.0 * np.sqrt(stiffness) * (row @ v)
        return Task(row, np.zeros(1), wanted)

    def _ground_conditions(self, system: Reduced, whole: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and bounds on the efforts that keep normal forces and friction: toe x, toe z, heel z."""
        own, (f0, S) = self.parameters, reactions(system)
        normals = slice(1, 3 if whole else 2)
        total, effect = f0[normals].sum(), S[normals].sum(axis=0)
        rows = [own.friction * -effect + S[0], own.friction * -effect - S[0], *-S[normals]]
        bounds = [own.friction * total - f0[0], own.friction * total + f0[0], *(f0[normals] - own.least_force)]
        return np.array(rows), np.array(bounds)

    def _flight(self, time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return efforts (3,) that turn body and foot to their angles for landing and shorten the leg.

        Where the foot lands along x is left to the angular momentum, which nothing can change in flight.
        """
        own = self.parameters
        toe, curvature = self._end(q, v, 0)
        J = np.vstack([ANGLES[:2], toe[1:] - self.com_J[1:]])
        bias = np.concatenate([np.zeros(2), curvature[1:] - self.com_bias[1:]])
        now = np.concatenate([ANGLES[:2] @ q, [q[1] - self.com[1]]])
        if self._since == time:
            self._takeoff = now
        span = FLIGHT_PART * 2.0 * own.takeoff_speed / GRAVITY
        way, slope, bend = smooth_step(min((time - self._since) / max(span, 1e-3), 1.0))
        change = np.array([self.angles[0], 0.0, 0.25 * own.crouch_depth - self.start[1]]) - self._takeoff
        error, rate = self._takeoff + way * change - now, slope / span * change - J @ v
        wanted = bend / span**2 * change + own.flight_stiffness * error + 2.0 * np.sqrt(own.flight_stiffness) * rate
        effort = product(self._reduced(q, v, ""), Task(J, bias, wanted))
        return np.clip(effort, -self.limit, self.limit)
