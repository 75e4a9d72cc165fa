"""The services of simulation_interfaces about entities, which are the robots."""

from typing import TYPE_CHECKING, Any

import numpy as np
from simulation_interfaces.msg import EntityCategory, EntityState, Result
from simulation_interfaces.srv import GetEntities, GetEntitiesStates, GetEntityInfo, GetEntityState, SetEntityState

from ..dynamics import forward_kinematics
from ..dynamics.functions import coordinates
from ..dynamics.spatial import quaternion_matrix
from ..errors import LeggedContactSimError, ParameterError
from .cdr import put_quaternion, put_stamp, put_vector
from .entity_filters import UnsupportedError, matches
from .service_results import UNSUPPORTED, done, failed

if TYPE_CHECKING:
    from .simulated_robot import SimulatedRobot
    from .simulator_node import SimulatorNode

FAILED = Result.RESULT_OPERATION_FAILED


class EntityServices:
    """Tells and sets where the robots are."""

    def __init__(self, node: "SimulatorNode") -> None:
        """Offer the services."""
        self._node = node
        self._robots = {robot.name: robot for robot in node.robots}
        for kind, name, answer in (
            (GetEntities, "get_entities", self._entities),
            (GetEntitiesStates, "get_entities_states", self._states),
            (GetEntityInfo, "get_entity_info", self._info),
            (GetEntityState, "get_entity_state", self._state),
            (SetEntityState, "set_entity_state", self._set_state),
        ):
            node.create_service(kind, name, answer)

    def _entities(self, request: Any, response: Any) -> Any:
        try:
            response.entities = [name for name, robot in self._robots.items() if _is_meant(request.filters, robot)]
        except UnsupportedError as error:
            return failed(response, UNSUPPORTED, str(error))
        except ParameterError as error:
            return failed(response, FAILED, str(error))
        return done(response)

    def _states(self, request: Any, response: Any) -> Any:
        response = self._entities(request, response)
        response.states = [_present_state(self._robots[name]) for name in response.entities]
        return response

    def _info(self, request: Any, response: Any) -> Any:
        if request.entity not in self._robots:
            return self._not_found(response)
        robot = self._robots[request.entity].simulator.robot
        response.info.category.category = EntityCategory.CATEGORY_ROBOT
        response.info.description = f"{robot.name}: {robot.base} base, {robot.joint_count} joints"
        return done(response)

    def _state(self, request: Any, response: Any) -> Any:
        if request.entity not in self._robots:
            return self._not_found(response)
        response.state = _present_state(self._robots[request.entity])
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
        q, v = robot.snapshot.q.copy(), robot.snapshot.v.copy()
        # The flags came with version 1.1 of the interfaces.
        if getattr(request, "set_pose", True):
            at, turned = request.state.pose.position, request.state.pose.orientation
            q[:7] = at.x, at.y, at.z, turned.x, turned.y, turned.z, turned.w
            try:
                q = coordinates(model, q)
            except ParameterError as error:
                return failed(response, SetEntityState.Response.INVALID_POSE, str(error))
        if getattr(request, "set_twist", True):
            linear, angular, rotation = request.state.twist.linear, request.state.twist.angular, _rotation(q)
            v[:3] = np.array([linear.x, linear.y, linear.z]) @ rotation
            v[3:6] = np.array([angular.x, angular.y, angular.z]) @ rotation
        try:
            self._node.set_state(robot, q, v)
        except LeggedContactSimError as error:
            return failed(response, FAILED, str(error))
        return done(response)

    def _not_found(self, response: Any) -> Any:
        return failed(response, Result.RESULT_NOT_FOUND, f"the entities are {', '.join(self._robots)}")


def _is_meant(filters: Any, robot: "SimulatedRobot") -> bool:
    model = robot.simulator.robot
    poses, links = forward_kinematics(model, robot.snapshot.q), model.contact_points["link"]
    points = poses.position[links] + np.einsum("kij,kj->ki", poses.rotation[links], model.contact_points["position"])
    places = np.concatenate([poses.position, points])
    corners = np.array([places.min(axis=0), places.max(axis=0)])
    return matches(filters, robot.name, EntityCategory.CATEGORY_ROBOT, corners)


def _present_state(robot: "SimulatedRobot") -> EntityState:
    snapshot, state = robot.snapshot, EntityState()
    state.header.frame_id = robot.values["world_frame"]
    put_stamp(state.header.stamp, snapshot.stamp)
    if robot.simulator.robot.base == "floating":
        rotation = _rotation(snapshot.q)
        put_vector(state.pose.position, snapshot.q[:3])
        put_quaternion(state.pose.orientation, snapshot.q[3:7])
        put_vector(state.twist.linear, rotation @ snapshot.v[:3])
        put_vector(state.twist.angular, rotation @ snapshot.v[3:6])
    return state


def _rotation(q: np.ndarray) -> np.ndarray:
    """Return the base's axes in the world, (3, 3)."""
    return np.array(quaternion_matrix(*q[3:7].tolist())).reshape(3, 3)
