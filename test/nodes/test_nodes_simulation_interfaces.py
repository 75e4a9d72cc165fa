"""The services of simulation_interfaces, where that package is there: it comes with ROS 2, not from PyPI."""

import pytest
import rclpy
from ros_bench import PATIENCE, STAND, wait_for

pytest.importorskip("simulation_interfaces")

from rclpy.action import ActionClient
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import EntityState, Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetEntities,
    GetEntitiesStates,
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
ALREADY, INVALID_POSE = 101, 101
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


def test_every_feature_that_is_told_is_there(world):
    told = set(world.call(GetSimulatorFeatures, "/get_simulator_features").features.features)
    assert {SimulatorFeatures.SIMULATION_STATE_SETTING, SimulatorFeatures.STEP_SIMULATION_ACTION} <= told
    assert not told & {SimulatorFeatures.SPAWNING, SimulatorFeatures.DELETING, SimulatorFeatures.ENTITY_TAGS}


def test_states_and_their_codes(world):
    assert set_state(world, PLAYING) in (OK, ALREADY)
    assert set_state(world, PLAYING) == ALREADY
    assert step(world, 1) == FAILED, "only while paused"
    assert set_state(world, STOPPED) == OK and state(world) == STOPPED
    assert (stamp(world).sec, stamp(world).nanosec) == (0, 0), "stopping is a reset"
    assert set_state(world, STOPPED) == ALREADY
    assert step(world, 1) == FAILED, "stopped is not paused"
    assert set_state(world, SimulationState.STATE_LOADING_WORLD) == UNSUPPORTED
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
    answer = world.call(GetEntitiesStates, "/get_entities_states")
    assert len(answer.states) == len(answer.entities) == 1
    assert answer.states[0].header.frame_id == "world"


@pytest.mark.parametrize(
    ("frame", "w", "code"), [("", 1.0, OK), ("world", 1.0, OK), ("moon", 1.0, NOT_FOUND), ("", 0.0, INVALID_POSE)]
)
def test_a_pose_is_set_or_refused_by_its_code(world, frame, w, code):
    wanted = EntityState()
    wanted.header.frame_id, wanted.pose.position.z, wanted.pose.orientation.w = frame, 1.0, w
    request = SetEntityState.Request(entity=NAME, state=wanted, set_pose=True)
    assert world.call(SetEntityState, "/set_entity_state", request).result.result == code


def test_ten_thousand_steps_are_answered_and_others_meanwhile(world):
    set_state(world, STOPPED)
    set_state(world, PAUSED)
    future = world.clients["/step_simulation"].call_async(StepSimulation.Request(steps=10_000))
    assert state(world) == PAUSED
    world.executor.spin_until_future_complete(future, timeout_sec=PATIENCE)
    assert future.result().result.result == OK
    assert (stamp(world).sec, stamp(world).nanosec) == (10, 0)


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
