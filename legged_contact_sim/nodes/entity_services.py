"""The services of simulation_interfaces about entities, which are the robots."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Vector3
from simulation_interfaces.msg import Bounds, EntityCategory, EntityState, Result
from simulation_interfaces.srv import (
    GetEntities,
    GetEntitiesStates,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    SetEntityState,
)

from ..dynamics import forward_kinematics
from ..dynamics.functions import coordinates
from ..dynamics.spatial import quaternion_matrix
from ..errors import LeggedContactSimError, ParameterError
from ..model import RobotModel
from .cdr import put_quaternion, put_stamp, put_vector
from .entity_filters import UnsupportedError, matches
from .service_results import UNSUPPORTED, done, failed

if TYPE_CHECKING:
    from .simulated_robot import SimulatedRobot
    from .simulator_node import SimulatorNode

FAILED = Result.RESULT_OPERATION_FAILED


class Seen(NamedTuple):
    """Where a robot was when the loop was asked."""

    stamp: np.ndarray  # (2,), simulated seconds and nanoseconds
    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)


class EntityServices:
    """Tells and sets where the robots are."""

    def __init__(self, node: "SimulatorNode") -> None:
        """Offer the services."""
        self._node = node
        self._robots = {robot.name: robot for robot in node.robots}
        for kind, name, answer in (
            (GetEntities, "get_entities", self._entities),
            (GetEntitiesStates, "get_entities_states", self._states),
            (GetEntityBounds, "get_entity_bounds", self._bounds),
            (GetEntityInfo, "get_entity_info", self._info),
            (GetEntityState, "get_entity_state", self._state),
            (SetEntityState, "set_entity_state", self._set_state),
        ):
            node.create_service(kind, name, answer)

    def _seen(self) -> dict[str, Seen]:
        """Return where all robots are, at the same time: the loop writes it, and is asked between two ticks.

        Raises:
            LeggedContactSimError: the loop has ended.
        """

        def look() -> dict[str, Seen]:
            shots = {name: robot.snapshot for name, robot in self._robots.items()}
            return {name: Seen(shot.stamp.copy(), shot.q.copy(), shot.v.copy()) for name, shot in shots.items()}

        seen: dict[str, Seen] = self._node.requests.ask(look)
        return seen

    def _entities(self, request: Any, response: Any) -> Any:
        return self._find(request, response)[0]

    def _states(self, request: Any, response: Any) -> Any:
        response, seen = self._find(request, response)
        response.states = [_state_message(self._robots[name], seen[name]) for name in response.entities]
        return response

    def _find(self, request: Any, response: Any) -> tuple[Any, dict[str, Seen]]:
        """Return the response with the entities that are meant, and where all are."""
        seen: dict[str, Seen] = {}
        try:
            seen = self._seen()
            response.entities = [name for name in seen if _is_meant(request.filters, self._robots[name], seen[name].q)]
        except UnsupportedError as error:
            return failed(response, UNSUPPORTED, str(error)), seen
        except LeggedContactSimError as error:
            return failed(response, FAILED, str(error)), seen
        return done(response), seen

    def _bounds(self, request: Any, response: Any) -> Any:
        """Tell a box around the robot in its base's axes."""

        def tell(robot: "SimulatedRobot", seen: Seen) -> None:
            corners = _corners(robot.simulator.robot, seen.q, of_the_base=True)
            response.bounds.type = Bounds.TYPE_BOX
            response.bounds.points = [Vector3(x=x, y=y, z=z) for x, y, z in corners[::-1].tolist()]

        return self._tell(request, response, tell)

    def _info(self, request: Any, response: Any) -> Any:
        if request.entity not in self._robots:
            return self._not_found(response)
        robot = self._robots[request.entity].simulator.robot
        response.info.category.category = EntityCategory.CATEGORY_ROBOT
        response.info.description = f"{robot.name}: {robot.base} base, {robot.joint_count} joints"
        return done(response)

    def _state(self, request: Any, response: Any) -> Any:
        def tell(robot: "SimulatedRobot", seen: Seen) -> None:
            response.state = _state_message(robot, seen)

        return self._tell(request, response, tell)

    def _tell(self, request: Any, response: Any, tell: Callable[["SimulatedRobot", Seen], None]) -> Any:
        """Let something be told of the entity that a request names."""
        if request.entity not in self._robots:
            return self._not_found(response)
        try:
            tell(self._robots[request.entity], self._seen()[request.entity])
        except LeggedContactSimError as error:
            return failed(response, FAILED, str(error))
        return done(response)

    def _set_state(self, request: Any, response: Any) -> Any:
        if request.entity not in self._robots:
            return self._not_found(response)
        robot = self._robots[request.entity]
        model = robot.simulator.robot
        world, frame = robot.values["world_frame"], request.state.header.frame_id
        if frame not in ("", world):
            return failed(response, Result.RESULT_NOT_FOUND, f"frame_id: expected {world!r}, found {frame[:80]!r}")
        if model.base != "floating":
            return failed(response, FAILED, f"the base of {robot.name} is fixed")
        pose, twist = _asked_for(request)
        try:
            coordinates(model, model.home if pose is None else np.concatenate([pose, model.home[7:]]))
        except ParameterError as error:
            return failed(response, SetEntityState.Response.INVALID_POSE, str(error))

        def move() -> None:
            q, v = robot.snapshot.q.copy(), robot.snapshot.v.copy()
            if pose is not None:
                q[:7] = pose
            if twist is not None:
                v[:6] = (twist @ _rotation(q)).ravel()
            robot.set_state(q, v)

        try:
            self._node.requests.ask(move)
        except LeggedContactSimError as error:
            return failed(response, FAILED, str(error))
        return done(response)

    def _not_found(self, response: Any) -> Any:
        return failed(response, Result.RESULT_NOT_FOUND, f"the entities are {', '.join(self._robots)}")


def _asked_for(request: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the pose (7,) and the twist (2, 3: linear, angular), in the world, that are to be set; None: left."""
    pose = twist = None
    if getattr(request, "set_pose", True):  # the flags came with version 2.1 of the interfaces
        at, turned = request.state.pose.position, request.state.pose.orientation
        pose = np.array([at.x, at.y, at.z, turned.x, turned.y, turned.z, turned.w])
    if getattr(request, "set_twist", True):
        both = request.state.twist.linear, request.state.twist.angular
        twist = np.array([[vector.x, vector.y, vector.z] for vector in both])
    return pose, twist


def _is_meant(filters: Any, robot: "SimulatedRobot", q: np.ndarray) -> bool:
    return matches(filters, robot.name, EntityCategory.CATEGORY_ROBOT, _corners(robot.simulator.robot, q))


def _corners(model: RobotModel, q: np.ndarray, of_the_base: bool = False) -> np.ndarray:
    """Return lower and upper corner, (2, 3), m, of a box around joints and points, in the world or the base's axes."""
    poses, links = forward_kinematics(model, q), model.contact_points["link"]
    points = poses.position[links] + np.einsum("kij,kj->ki", poses.rotation[links], model.contact_points["position"])
    places = np.concatenate([poses.position, points])
    if of_the_base:
        places = (places - poses.position[0]) @ poses.rotation[0]
    return np.array([places.min(axis=0), places.max(axis=0)])


def _state_message(robot: "SimulatedRobot", seen: Seen) -> EntityState:
    state = EntityState()
    state.header.frame_id = robot.values["world_frame"]
    put_stamp(state.header.stamp, seen.stamp)
    if robot.simulator.robot.base == "floating":
        rotation = _rotation(seen.q)
        put_vector(state.pose.position, seen.q[:3])
        put_quaternion(state.pose.orientation, seen.q[3:7])
        put_vector(state.twist.linear, rotation @ seen.v[:3])
        put_vector(state.twist.angular, rotation @ seen.v[3:6])
    return state


def _rotation(q: np.ndarray) -> np.ndarray:
    """Return the base's axes in the world, (3, 3)."""
    return np.array(quaternion_matrix(*q[3:7].tolist())).reshape(3, 3)
