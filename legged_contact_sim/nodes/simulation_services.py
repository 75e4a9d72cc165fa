"""The services of simulation_interfaces, offered where that package is installed."""

from typing import TYPE_CHECKING, Any

import numpy as np
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetEntities,
    GetEntityState,
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetEntityState,
    SetSimulationState,
    StepSimulation,
)

from ..dynamics.functions import coordinates
from ..dynamics.spatial import quaternion_matrix
from ..errors import LeggedContactSimError
from .cdr import put_quaternion, put_stamp, put_vector

if TYPE_CHECKING:
    from .simulator_node import SimulatorNode

MOST_STEPS = 10_000  # control ticks in one call
FEATURES = (
    SimulatorFeatures.SIMULATION_RESET,
    SimulatorFeatures.SIMULATION_RESET_TIME,
    SimulatorFeatures.SIMULATION_RESET_STATE,
    SimulatorFeatures.SIMULATION_STATE_GETTING,
    SimulatorFeatures.SIMULATION_STATE_PAUSE,
    SimulatorFeatures.STEP_SIMULATION_SINGLE,
    SimulatorFeatures.STEP_SIMULATION_MULTIPLE,
    SimulatorFeatures.ENTITY_STATE_GETTING,
    SimulatorFeatures.ENTITY_STATE_SETTING,
)


class SimulationServices:
    """Translates between the services' messages and the simulator node."""

    def __init__(self, node: "SimulatorNode") -> None:
        """Offer the services; the robot is the only entity."""
        self._node = node
        for kind, name, answer in (
            (GetSimulatorFeatures, "get_simulator_features", self._features),
            (GetSimulationState, "get_simulation_state", self._state),
            (SetSimulationState, "set_simulation_state", self._set_state),
            (ResetSimulation, "reset_simulation", self._reset),
            (StepSimulation, "step_simulation", self._step),
            (GetEntities, "get_entities", self._entities),
            (GetEntityState, "get_entity_state", self._entity_state),
            (SetEntityState, "set_entity_state", self._set_entity_state),
        ):
            node.create_service(kind, name, answer)

    def _features(self, _: Any, response: Any) -> Any:
        response.features.features = list(FEATURES)
        response.features.custom_info = "contact models are the parameter contact_model of this node"
        return response

    def _state(self, _: Any, response: Any) -> Any:
        paused = self._node.paused
        response.state.state = SimulationState.STATE_PAUSED if paused else SimulationState.STATE_PLAYING
        return _done(response)

    def _set_state(self, request: Any, response: Any) -> Any:
        wanted = request.state.state
        if wanted not in (SimulationState.STATE_PAUSED, SimulationState.STATE_PLAYING):
            return _failed(response, Result.RESULT_FEATURE_UNSUPPORTED, "only playing and paused can be chosen")
        self._node.pause(wanted == SimulationState.STATE_PAUSED)
        return _done(response)

    def _reset(self, request: Any, response: Any) -> Any:
        scope = request.scope or ResetSimulation.Request.SCOPE_ALL
        time, state = ResetSimulation.Request.SCOPE_TIME, ResetSimulation.Request.SCOPE_STATE
        self._node.reset(time_too=bool(scope & time), state_too=bool(scope & state))
        return _done(response)

    def _step(self, request: Any, response: Any) -> Any:
        if request.steps > MOST_STEPS:
            return _failed(response, Result.RESULT_OPERATION_FAILED, f"at most {MOST_STEPS} steps at once")
        if not self._node.step(int(request.steps)):
            return _failed(response, Result.RESULT_OPERATION_FAILED, "stepping needs a paused simulation")
        return _done(response)

    def _entities(self, _: Any, response: Any) -> Any:
        response.entities = [self._node.simulator.robot.name]
        return _done(response)

    def _entity_state(self, request: Any, response: Any) -> Any:
        node, robot = self._node, self._node.simulator.robot
        if request.entity != robot.name:
            return _failed(response, Result.RESULT_NOT_FOUND, f"the only entity is {robot.name}")
        if robot.base == "floating":
            snapshot, state = node.snapshot, response.state
            state.header.frame_id = node.values["world_frame"]
            put_stamp(state.header.stamp, snapshot.stamp)
            put_vector(state.pose.position, snapshot.q[:3])
            put_quaternion(state.pose.orientation, snapshot.q[3:7])
            rotation = _rotation(snapshot.q)
            put_vector(state.twist.linear, rotation @ snapshot.v[:3])
            put_vector(state.twist.angular, rotation @ snapshot.v[3:6])
        return _done(response)

    def _set_entity_state(self, request: Any, response: Any) -> Any:
        robot = self._node.simulator.robot
        if request.entity != robot.name:
            return _failed(response, Result.RESULT_NOT_FOUND, f"the only entity is {robot.name}")
        if robot.base != "floating":
            return _failed(response, Result.RESULT_OPERATION_FAILED, f"the base of {robot.name} is fixed")
        q, v = self._node.snapshot.q.copy(), self._node.snapshot.v.copy()
        # The flags came with version 1.1 of the interfaces.
        if getattr(request, "set_pose", True):
            at, turned = request.state.pose.position, request.state.pose.orientation
            q[:7] = at.x, at.y, at.z, turned.x, turned.y, turned.z, turned.w
        try:
            q = coordinates(robot, q)
            if getattr(request, "set_twist", True):
                linear, angular, rotation = request.state.twist.linear, request.state.twist.angular, _rotation(q)
                v[:3] = np.array([linear.x, linear.y, linear.z]) @ rotation
                v[3:6] = np.array([angular.x, angular.y, angular.z]) @ rotation
            self._node.set_state(q, v)
        except LeggedContactSimError as error:
            return _failed(response, Result.RESULT_OPERATION_FAILED, str(error))
        return _done(response)


def _rotation(q: np.ndarray) -> np.ndarray:
    """Return the base's axes in the world, (3, 3)."""
    return np.array(quaternion_matrix(*q[3:7].tolist())).reshape(3, 3)


def _done(response: Any) -> Any:
    response.result.result = Result.RESULT_OK
    return response


def _failed(response: Any, code: int, words: str) -> Any:
    response.result.result, response.result.error_message = code, words
    return response
