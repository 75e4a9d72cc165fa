"""Learned policies: what they see, joints mapped by name, targets held between answers, and what is refused."""

import math
from pathlib import Path

import numpy as np
import onnx
import pytest
import yaml
from control_cases import robot_named
from onnx import TensorProto, helper, numpy_helper

from legged_contact_sim import ParameterError, Simulator
from legged_contact_sim.control import BaseState, InProcess, Observation, make_controller
from legged_contact_sim.control.policy import Observer, Readings, layouts, load_layout
from legged_contact_sim.control.policy.layout import parse_layout
from legged_contact_sim.control.policy.network import Network
from legged_contact_sim.control.policy.observing import gravity_direction

PLAIN = {
    "time_step": 0.005,
    "decimation": 4,
    "observation": ["joint_positions"],
    "gains": {"stiffness": 200.0, "damping": 5.0},
}


def write_network(path, nodes, inputs, outputs, constants=None, kind=TensorProto.FLOAT):
    """Write a tiny ONNX file: nodes, and (name, shape) of inputs and outputs."""
    info = [[helper.make_tensor_value_info(name, kind, shape) for name, shape in part] for part in (inputs, outputs)]
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    held = [numpy_helper.from_array(np.asarray(value, dtype), name) for name, value in (constants or {}).items()]
    graph = helper.make_graph([helper.make_node(*node) for node in nodes], "tiny", *info, held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, path)


def linear(path, matrix, leading=(1,), sizes=None, kind=TensorProto.FLOAT):
    """Write the network action = matrix^T observation, with axes before them, and sizes that it tells of them."""
    seen, moved = sizes or np.shape(matrix)
    ends = [("obs", [*leading, seen])], [("action", [*leading, moved])]
    write_network(path, [("MatMul", ["obs", "W"], ["action"])], *ends, {"W": matrix}, kind)


def make_policy(folder, robot, layout, matrix):
    linear(folder / "tiny.onnx", matrix)
    (folder / "tiny.yaml").write_text(yaml.safe_dump(layout))
    return make_controller("policy", robot, {"file": str(folder / "tiny.onnx")})


def seen(robot, time=0.0, positions=None, velocities=None):
    home = robot.home
    zero = np.zeros(robot.joint_count)
    base = BaseState(home[:3], home[3:7], np.array([0.3, 0.0, 0.0]), np.array([0.0, 0.0, 0.2]))
    at = home[robot.position_indices] if positions is None else positions
    return Observation(time, at, zero if velocities is None else velocities, base)


def readings(**given):
    shapes = {
        "time": (1,),
        "linear_velocity": (1, 3),
        "angular_velocity": (1, 3),
        "gravity": (1, 3),
        "positions": (1, 2),
        "velocities": (1, 2),
        "last_action": (1, 2),
        "command": (1, 3),
    }
    return Readings(
        **{name: np.reshape(given.get(name, np.zeros(shape)), shape).astype(float) for name, shape in shapes.items()}
    )


def observer(terms, **others):
    return Observer(parse_layout("made_up", {"time_step": 0.02, "observation": terms, **others}), 2)


def test_terms_stand_in_order_scaled_and_clipped():
    made = observer(
        [
            "gyro",
            {"term": "joint_velocities", "scale": 0.1, "clip": [-1.0, 5.0]},
            {"term": "command", "scale": [2, 2, 4]},
        ]
    )
    found = made.observe(readings(angular_velocity=[1, 2, 3], velocities=[-9, 7], command=[1, 0, 0.5]))
    np.testing.assert_allclose(found, [[1, 2, 3, -0.1, 0.5, 2, 0, 2]])
    assert made.size == 8


def test_a_sensor_beside_the_base_feels_its_turning():
    made = observer([{"term": "base_linear_velocity", "at": [0.0, 0.5, 0.0]}])
    found = made.observe(readings(linear_velocity=[1, 0, 0], angular_velocity=[0, 0, 2]))
    np.testing.assert_allclose(found, [[0.0, 0, 0]])


def test_the_clock_turns_once_a_period():
    made = observer([{"term": "phase", "period": 0.8, "offsets": [0.0, math.pi], "first": "cos"}])
    np.testing.assert_allclose(made.observe(readings(time=[0.2])), [[0, 0, 1, -1]], atol=1e-15)


@pytest.mark.parametrize(
    ("grouping", "order", "expected"),
    [
        ("term", "oldest_first", [1, 10, 0, 2, 20, 0, 7, 7, 7, 8, 8, 8]),
        ("frame", "oldest_first", [1, 10, 0, 7, 7, 7, 2, 20, 0, 8, 8, 8]),
        ("frame", "newest_first", [2, 20, 0, 8, 8, 8, 1, 10, 0, 7, 7, 7]),
    ],
)
def test_history_by_term_and_by_frame(grouping, order, expected):
    made = observer(["gyro", "command"], history={"length": 2, "by": grouping, "order": order})
    first = made.observe(readings(angular_velocity=[1, 10, 0], command=[7, 7, 7]))
    second = made.observe(readings(angular_velocity=[2, 20, 0], command=[8, 8, 8]))
    assert sorted(first[0]) == sorted([1, 10, 0, 7, 7, 7] * 2)  # the first frame stands in for the past
    np.testing.assert_allclose(second, [expected])


def test_gravity_points_down_and_turns_with_the_body():
    half = math.sin(math.pi / 4)
    found = gravity_direction(np.array([[0, 0, 0, 1.0], [half, 0, 0, half]]))  # the second lies on its side
    np.testing.assert_allclose(found, [[0, 0, -1], [0, -1, 0]], atol=1e-15)


def test_joints_are_mapped_by_name(tmp_path):
    """The policy's order is the reverse of the robot's: an action of its first joint moves the robot's last."""
    robot = robot_named("quadruped12")
    names = list(robot.joint_names)[::-1]
    answer = np.zeros((12, 12))
    answer[0, 0] = 1.0  # its first action repeats what its first joint tells
    policy = make_policy(tmp_path, robot, {**PLAIN, "joints": names, "action": {"scale": 0.5}}, answer)
    at = robot.home[robot.position_indices].copy()
    at[-1] += 0.2
    policy.reset(seen(robot))
    effort = policy.effort(seen(robot, positions=at))
    expected = np.zeros(12)
    expected[-1] = 200.0 * (0.5 * 0.2 - 0.2)  # towards home + 0.5 * 0.2
    np.testing.assert_allclose(effort, expected, atol=1e-5)


def test_targets_are_held_for_a_period_while_drives_act(tmp_path):
    robot = robot_named("quadruped12")
    policy = make_policy(tmp_path, robot, PLAIN, np.eye(12))
    home = robot.home[robot.position_indices]
    policy.reset(seen(robot))
    policy.effort(seen(robot, 0.0))
    at = home + 0.01
    held = policy.effort(seen(robot, 0.018, positions=at, velocities=np.full(12, 0.1)))
    np.testing.assert_allclose(held, -200.0 * 0.01 - 5.0 * 0.1, atol=1e-9)
    answered = policy.effort(seen(robot, 0.02, positions=at))
    np.testing.assert_allclose(answered, 0.0, atol=1e-5)  # the target is where the joints are


def test_a_policy_that_asks_for_home_stands(tmp_path):
    robot = robot_named("quadruped12")
    policy = make_policy(tmp_path, robot, PLAIN, np.zeros((12, 12)))
    sim = Simulator(robot, time_step=1e-3)
    run = sim.run(0.5, InProcess(policy, sim, 0.002), 50)
    assert run.q[-1, 2] == pytest.approx(robot.home[2], abs=0.03)
    assert run.forces[-1, :, 2].sum() == pytest.approx(9.81 * robot.total_mass, rel=0.05)


def test_hidden_states_go_round(tmp_path):
    """The state counts answers; the action is the state."""
    robot = robot_named("quadruped12")
    nodes = [
        ("Add", ["h_in", "one"], ["h_out"]),
        ("Mul", ["obs", "zero"], ["nothing"]),
        ("Add", ["nothing", "h_out"], ["action"]),
    ]
    shape = [1, 12]
    write_network(
        tmp_path / "tiny.onnx",
        nodes,
        [("obs", shape), ("h_in", shape)],
        [("action", shape), ("h_out", shape)],
        {"one": np.ones(shape), "zero": np.zeros(shape)},
    )
    (tmp_path / "tiny.yaml").write_text(
        yaml.safe_dump({**PLAIN, "states": {"h_in": "h_out"}, "action": {"scale": 0.01}})
    )
    policy = make_controller("policy", robot, {"file": str(tmp_path / "tiny.onnx")})
    policy.reset(seen(robot))
    efforts = [policy.effort(seen(robot, 0.02 * k)) for k in range(3)]
    np.testing.assert_allclose(efforts, [[2.0] * 12, [4.0] * 12, [6.0] * 12], rtol=1e-5)
    policy.reset(seen(robot))
    np.testing.assert_allclose(policy.effort(seen(robot)), 2.0, rtol=1e-5)


@pytest.mark.parametrize("name", layouts())
def test_ready_layouts_are_whole(name):
    layout = load_layout(name)
    assert 0.005 <= layout.period <= 0.05
    if layout.joints is not None:
        assert len(set(layout.joints)) == len(layout.joints) == 12
    made = Observer(layout, len(layout.joints or ()))
    assert made.size == sum(made.term_sizes) * made.length


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        ({"observation": ["warp"]}, "warp"),
        ({"observation": [{"term": "phase"}]}, "period"),
        ({"observation": [{"term": "gyro", "colour": 1}]}, "colour"),
        ({"observation": [{"term": "gyro", "scale": [1, 2]}]}, "gyro has 3 numbers"),
        ({"joints": ["tail"]}, "tail"),
        ({"time_step": 0}, "time_step"),
        ({"gait": 1}, "gait"),
        ({"history": {"by": "moon"}}, "moon"),
        ({"gains": {"stiffness": {"nobody": 1.0}}}, "no pattern fits"),
        ({"action": {"scale": [1.0]}}, "action.scale"),
        ({"observation": ["gyro"]}, "expects 12 numbers"),
        ({"observation": [["gyro"]]}, "expected one of"),
        ({"observation": [{"term": "gyro", "scale": math.nan}]}, "gyro's scale"),
        ({"observation": [{"term": "gyro", "clip": [1, -1]}]}, "gyro's clip"),
        ({"observation": [{"term": "base_linear_velocity", "at": [1, 2]}]}, "3 numbers"),
        ({"observation": [{"term": "phase", "period": 0.0}]}, "phase's period"),
        ({"observation": [{"term": "phase", "period": 1.0, "first": "tan"}]}, "sin or cos"),
        ({"observation": [{"term": "phase", "period": 1.0, "offsets": ["a"]}]}, "phase's offsets"),
        ({"observation": [{"term": "constant", "values": ["a"]}]}, "constant's values"),
        ({"joints": ["lf_haa", "lf_haa"]}, "lf_haa 2 times"),
        ({"joints": []}, "list of names"),
        ({"joints": ["lf_haa"], "observation": [{"term": "constant", "values": [0.0] * 12}]}, "gives 12 actions"),
        ({"default": math.nan}, "default"),
        ({"gains": {"stiffness": -1.0}}, "gains.stiffness"),
        ({"action": {"clip": -1.0}}, "action.clip"),
        ({"time_step": math.inf}, "time_step"),
        ({"decimation": True}, "decimation"),
        ({"command": [math.nan, 0.0, 0.0]}, "command"),
        ({"states": {"h_in": 1, "c_in": "c_out"}}, "states: expected NAME: NAME"),
        ({"states": {"h_in": ["h_out"]}}, "states: expected NAME: NAME"),
    ],
)
def test_layouts_that_cannot_be_meant_are_refused(tmp_path, change, culprit):
    with pytest.raises(ParameterError, match=culprit):
        make_policy(tmp_path, robot_named("quadruped12"), {**PLAIN, **change}, np.eye(12))


@pytest.mark.parametrize(
    ("file", "culprit"), [("", "policy.file"), ("missing.onnx", "missing.onnx"), ("text.onnx", "no ONNX file")]
)
def test_files_that_are_not_there_or_not_onnx_are_refused(tmp_path, monkeypatch, file, culprit):
    monkeypatch.chdir(tmp_path)
    Path("text.onnx").write_text("no network")
    Path("plain.yaml").write_text(yaml.safe_dump(PLAIN))
    with pytest.raises(ParameterError, match=culprit):
        make_controller("policy", robot_named("quadruped12"), {"file": file, "layout": "plain.yaml"})


@pytest.mark.parametrize(
    ("network", "culprit"),
    [
        ({"leading": (4,)}, "does not take 12 numbers: .* Expected: 4"),
        ({"matrix": np.eye(11), "sizes": ("n", "m")}, "does not take 12 numbers"),
        ({"matrix": np.ones((12, 11)), "sizes": (12, "m")}, "gives 11 actions"),
        ({"kind": TensorProto.INT64}, "numbers for 'obs', which takes tensor.int64"),
    ],
)
def test_networks_that_cannot_be_run_are_refused_before_a_run(tmp_path, network, culprit):
    linear(tmp_path / "odd.onnx", **{"matrix": np.eye(12), **network})
    (tmp_path / "odd.yaml").write_text(yaml.safe_dump(PLAIN))
    with pytest.raises(ParameterError, match=culprit):
        make_controller("policy", robot_named("quadruped12"), {"file": str(tmp_path / "odd.onnx")})


@pytest.mark.parametrize(
    "network", [{"kind": TensorProto.DOUBLE}, {"leading": ()}, {"leading": (1, 1)}, {"sizes": ("n", "m")}]
)
def test_networks_of_other_numbers_and_axes_are_run(tmp_path, network):
    linear(tmp_path / "tiny.onnx", 2.0 * np.eye(12), **network)
    np.testing.assert_array_equal(Network(tmp_path / "tiny.onnx")(np.arange(12.0)), 2.0 * np.arange(12.0))


def test_a_policy_without_its_file_is_told_so_not_without_its_layout():
    with pytest.raises(ParameterError, match="policy.file: no such file: 'missing.onnx'"):
        make_controller("policy", robot_named("quadruped12"), {"file": "missing.onnx"})
