"""The services of simulation_interfaces, case by case as its definitions say."""

import numpy as np
import pytest
import rclpy
from rclpy.action import ActionClient
from ros_bench import PATIENCE, STAND, wait_for

pytest.importorskip("simulation_interfaces", reason="a sourced ROS 2 may lack it; make test builds it for PyPI's")

from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import EntityState, Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetEntities,
    GetEntitiesStates,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetEntityState,
    SetSimulationState,
    StepSimulation,
)

NAME = "quadruped16"
STOPPED, PLAYING, PAUSED = SimulationState.STATE_STOPPED, SimulationState.STATE_PLAYING, SimulationState.STATE_PAUSED
ALREADY, INCORRECT_TRANSITION, INVALID_POSE = 101, 103, 101
OK, UNSUPPORTED, FAILED = Result.RESULT_OK, Result.RESULT_FEATURE_UNSUPPORTED, Result.RESULT_OPERATION_FAILED
NOT_FOUND = Result.RESULT_NOT_FOUND


@pytest.fixture(scope="module")
def world(shared_bench):
    shared_bench.simulator(*STAND)
    return shared_bench


def state(world):
    return world.call(GetSimulationState, "/get_simulation_state").state.state


def set_state(world, wanted):
    request = SetSimulationState.Request(state=SimulationState(state=wanted))
    return world.call(SetSimulationState, "/set_simulation_state", request).result.result


def step(world, steps):
    return world.call(StepSimulation, "/step_simulation", StepSimulation.Request(steps=steps)).result.result


def stamp(world):
    request = GetEntityState.Request(entity=NAME)
    return world.call(GetEntityState, "/get_entity_state", request).state.header.stamp


SERVICES = {
    "ENTITY_BOUNDS": "get_entity_bounds",
    "ENTITY_STATE_GETTING": "get_entity_state",
    "ENTITY_STATE_SETTING": "set_entity_state",
    "ENTITY_INFO_GETTING": "get_entity_info",
    "ENTITY_INFO_SETTING": "set_entity_info",
    "SPAWNING": "spawn_entity",
    "DELETING": "delete_entity",
    "SPAWNABLES": "get_spawnables",
    "NAMED_POSES": "get_named_poses",
    "POSE_BOUNDS": "get_named_pose_bounds",
    "SIMULATION_RESET": "reset_simulation",
    "SIMULATION_STATE_GETTING": "get_simulation_state",
    "SIMULATION_STATE_SETTING": "set_simulation_state",
    "STEP_SIMULATION_SINGLE": "step_simulation",
    "STEP_SIMULATION_ACTION": "simulate_steps/_action/send_goal",
    "WORLD_LOADING": "load_world",
}


def test_the_features_that_are_told_are_those_whose_services_are_there(world):
    told = set(world.call(GetSimulatorFeatures, "/get_simulator_features").features.features)
    there = {name for name, _ in world.node.get_service_names_and_types()}
    offered = {feature for feature, service in SERVICES.items() if f"/{service}" in there}
    assert {feature for feature in SERVICES if getattr(SimulatorFeatures, feature) in told} == offered
    assert {"ENTITY_BOUNDS", "ENTITY_STATE_SETTING", "STEP_SIMULATION_ACTION"} <= offered
    assert SimulatorFeatures.ENTITY_TAGS not in told


def test_states_and_their_codes(world):
    assert set_state(world, PLAYING) in (OK, ALREADY)
    assert set_state(world, PLAYING) == ALREADY
    assert step(world, 1) == FAILED, "only while paused"
    assert set_state(world, STOPPED) == OK and state(world) == STOPPED
    assert (stamp(world).sec, stamp(world).nanosec) == (0, 0), "stopping is a reset"
    assert set_state(world, STOPPED) == ALREADY
    assert step(world, 1) == FAILED, "stopped is not paused"
    assert set_state(world, PAUSED) == INCORRECT_TRANSITION
    assert set_state(world, SimulationState.STATE_LOADING_WORLD) == UNSUPPORTED
    assert set_state(world, PLAYING) == OK and state(world) == PLAYING
    assert set_state(world, PAUSED) == OK and state(world) == PAUSED
    reset = ResetSimulation.Request(scope=ResetSimulation.Request.SCOPE_SPAWNED)
    assert world.call(ResetSimulation, "/reset_simulation", reset).result.result == UNSUPPORTED


def test_entities_and_where_they_are(world):
    assert list(world.call(GetEntities, "/get_entities").entities) == [NAME]
    request = GetEntities.Request()
    request.filters.filter = "nobody"
    answer = world.call(GetEntities, "/get_entities", request)
    assert (answer.result.result, list(answer.entities)) == (OK, [])
    request.filters.tags.tags = ["tall"]
    assert world.call(GetEntities, "/get_entities", request).result.result == UNSUPPORTED
    for kind, name in ((GetEntityState, "state"), (GetEntityInfo, "info"), (GetEntityBounds, "bounds")):
        assert world.call(kind, f"/get_entity_{name}", kind.Request(entity="nobody")).result.result == NOT_FOUND
    answer = world.call(GetEntityBounds, "/get_entity_bounds", GetEntityBounds.Request(entity=NAME))
    upper, lower = (np.array([p.x, p.y, p.z]) for p in answer.bounds.points)
    assert answer.bounds.type == answer.bounds.TYPE_BOX and (lower < 0.0).all() and (upper[:2] > 0.0).all()
    assert lower[2] == pytest.approx(-0.6, abs=0.1), "the feet below the base"
    answer = world.call(GetEntitiesStates, "/get_entities_states")
    assert len(answer.states) == len(answer.entities) == 1
    assert answer.states[0].header.frame_id == "world"


@pytest.mark.parametrize(
    ("frame", "w", "code"), [("", 1.0, OK), ("world", 1.0, OK), ("moon", 1.0, NOT_FOUND), ("", 0.0, INVALID_POSE)]
)
def test_a_pose_is_set_or_refused_by_its_code(world, frame, w, code):
    wanted = EntityState()
    wanted.header.frame_id, wanted.pose.position.z, wanted.pose.orientation.w = frame, 1.0, w
    request = SetEntityState.Request(entity=NAME, state=wanted)
    assert world.call(SetEntityState, "/set_entity_state", request).result.result == code


def test_ten_thousand_steps_are_answered_and_others_meanwhile(world):
    for wanted in (STOPPED, PLAYING, PAUSED):
        set_state(world, wanted)
    start = stamp(world)
    future = world.clients["/step_simulation"].call_async(StepSimulation.Request(steps=10_000))
    assert state(world) == PAUSED
    world.executor.spin_until_future_complete(future, timeout_sec=PATIENCE)
    assert future.result().result.result == OK
    end = stamp(world)
    assert (end.sec, end.nanosec) == (start.sec + 10, start.nanosec)


def test_steps_as_an_action_can_be_cancelled(world):
    client = ActionClient(world.node, SimulateSteps, "/simulate_steps")

    def finished(future):
        rclpy.spin_until_future_complete(world.node, future, executor=world.executor, timeout_sec=PATIENCE)
        return future.result()

    wait_for(client.server_is_ready, "the action")
    told: list = []
    done = finished(client.send_goal_async(SimulateSteps.Goal(steps=500), lambda m: told.append(m.feedback)))
    assert finished(done.get_result_async()).result.result.result == OK
    assert told[-1].completed_steps == 500 and told[-1].remaining_steps == 0
    endless = finished(client.send_goal_async(SimulateSteps.Goal(steps=10**9)))
    finished(endless.cancel_goal_async())
    assert finished(endless.get_result_async()).status == 5, "cancelled"
    assert state(world) == PAUSED
