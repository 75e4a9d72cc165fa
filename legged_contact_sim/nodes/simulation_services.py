"""The services of simulation_interfaces, offered where that package is installed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rclpy.action import ActionServer, CancelResponse
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetSimulationState,
    StepSimulation,
)

from ..errors import LeggedContactSimError
from .entity_services import EntityServices
from .service_results import UNSUPPORTED, done, failed

if TYPE_CHECKING:
    from .simulator_node import SimulatorNode

FEATURES = (
    SimulatorFeatures.ENTITY_BOUNDS,
    SimulatorFeatures.ENTITY_BOUNDS_BOX,
    SimulatorFeatures.ENTITY_CATEGORIES,
    SimulatorFeatures.ENTITY_STATE_GETTING,
    SimulatorFeatures.ENTITY_STATE_SETTING,
    SimulatorFeatures.ENTITY_INFO_GETTING,
    SimulatorFeatures.SIMULATION_RESET,
    SimulatorFeatures.SIMULATION_RESET_TIME,
    SimulatorFeatures.SIMULATION_RESET_STATE,
    SimulatorFeatures.SIMULATION_STATE_GETTING,
    SimulatorFeatures.SIMULATION_STATE_SETTING,
    SimulatorFeatures.SIMULATION_STATE_PAUSE,
    SimulatorFeatures.STEP_SIMULATION_SINGLE,
    SimulatorFeatures.STEP_SIMULATION_MULTIPLE,
    SimulatorFeatures.STEP_SIMULATION_ACTION,
)
FAILED = Result.RESULT_OPERATION_FAILED


class SimulationServices:
    """Translates between the services' messages and the simulator node."""

    def __init__(self, node: "SimulatorNode") -> None:
        """Offer the services; the robots are the entities."""
        self._node = node
        for kind, name, answer in (
            (GetSimulatorFeatures, "get_simulator_features", self._features),
            (GetSimulationState, "get_simulation_state", self._state),
            (SetSimulationState, "set_simulation_state", self._set_state),
            (ResetSimulation, "reset_simulation", self._reset),
        ):
            node.create_service(kind, name, answer)
        group = node.stepping_group
        node.create_service(StepSimulation, "step_simulation", self._step, callback_group=group)
        self._steps = ActionServer(
            node,
            SimulateSteps,
            "simulate_steps",
            self._simulate_steps,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=group,
        )
        self._entities = EntityServices(node)

    def _features(self, _: Any, response: Any) -> Any:
        response.features.features = list(FEATURES)
        response.features.custom_info = "contact models are the parameter contact_model of a robot's node"
        return response

    def _state(self, _: Any, response: Any) -> Any:
        response.state.state = self._present_state()
        return done(response)

    def _present_state(self) -> int:
        if self._node.stopped:
            return SimulationState.STATE_STOPPED
        return SimulationState.STATE_PAUSED if self._node.paused else SimulationState.STATE_PLAYING

    def _set_state(self, request: Any, response: Any) -> Any:
        wanted, node = request.state.state, self._node
        changes: dict[int, Callable[[], None]] = {
            SimulationState.STATE_STOPPED: node.stop,
            SimulationState.STATE_PLAYING: lambda: node.pause(False),
            SimulationState.STATE_PAUSED: lambda: node.pause(True),
            SimulationState.STATE_QUITTING: node.quit,
        }
        if wanted not in changes:
            return failed(response, UNSUPPORTED, "the state can be stopped, playing, paused or quitting")
        if wanted == self._present_state():
            already = SetSimulationState.Response.ALREADY_IN_TARGET_STATE
            return failed(response, already, "the simulation is in this state already")
        if wanted == SimulationState.STATE_PAUSED and node.stopped:
            wrong = SetSimulationState.Response.INCORRECT_TRANSITION
            return failed(response, wrong, "a stopped simulation has to be set running before it can be paused")
        return _asked(response, changes[wanted])

    def _reset(self, request: Any, response: Any) -> Any:
        kind, node = ResetSimulation.Request, self._node
        scope = request.scope or kind.SCOPE_ALL
        if scope not in (kind.SCOPE_ALL, kind.SCOPE_TIME, kind.SCOPE_STATE, kind.SCOPE_TIME | kind.SCOPE_STATE):
            return failed(response, UNSUPPORTED, "nothing can be spawned: scopes are time, state, both and all")
        time, state = bool(scope & kind.SCOPE_TIME), bool(scope & kind.SCOPE_STATE)
        return _asked(response, lambda: node.reset(time_too=time, state_too=state))

    def _step(self, request: Any, response: Any) -> Any:
        return _asked(response, lambda: self._node.step(int(request.steps)))

    def _simulate_steps(self, goal: Any) -> Any:
        """Do the steps of an action; feedback tells ten times a second how many are done."""
        wanted, result = int(goal.request.steps), SimulateSteps.Result()

        def tell(completed: int) -> None:
            goal.publish_feedback(SimulateSteps.Feedback(completed_steps=completed, remaining_steps=wanted - completed))
            if goal.is_cancel_requested:
                self._node.pause(True)

        try:
            self._node.step(wanted, tell)
        except LeggedContactSimError as error:
            goal.canceled() if goal.is_cancel_requested else goal.abort()
            return failed(result, FAILED, str(error))
        goal.publish_feedback(SimulateSteps.Feedback(completed_steps=wanted, remaining_steps=0))
        goal.succeed()
        return done(result)


def _asked(response: Any, action: Callable[[], Any]) -> Any:
    """Return the answer to something that is asked of the loop."""
    try:
        action()
    except LeggedContactSimError as error:
        return failed(response, FAILED, str(error))
    return done(response)
